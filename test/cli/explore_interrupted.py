#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs plumb explore on a program without end in a process group, as a terminal does, and sends the
group SIGINT once the program says that it is ready.

    explore_interrupted.py PLUMB PROGRAM FOLDER
"""
import os
import signal
import subprocess
import sys

plumb, program, folder = sys.argv[1:]
child = subprocess.Popen([plumb, "explore", "--source", "model", "-o", folder, program],
                         stderr=subprocess.PIPE, text=True, start_new_session=True)
for line in child.stderr:
    if line == "ready\n":
        break
os.killpg(child.pid, signal.SIGINT)
rest = child.stderr.read()
status = child.wait(60)
# It dies by the signal that ended the program, after it has printed its findings.
assert status == -signal.SIGINT, (status, rest)
assert "interrupted" in rest, rest
