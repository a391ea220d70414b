# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests beside perf: runs it."""
import signal
import subprocess

TRIES = 10


def run_perf(command, **how):
    """
    Does subprocess.run(). perf 6.1 ends itself now and then, whatever it reads ("*** stack smashing
    detected", or an assertion of util/build-id.c), and is run again then. That is perf's fault alone:
    any other program of `command` is run once.
    """
    for _ in range(TRIES):
        done = subprocess.run(command, **how)
        if command[0] != "perf" or done.returncode != -signal.SIGABRT:
            break
    return done
