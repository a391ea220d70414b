#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""interrupted.py [--after SECONDS] [--again SECONDS] COMMAND...: runs a command on a terminal,
presses Ctrl-C once it prints "ready" (or SECONDS later), and another time SECONDS after that, prints
what it shows, and exits with its status."""
import os
import pty
import select
import sys
import time


def main():
    words = sys.argv[1:]
    wait = {"--after": 0.0, "--again": float("inf")}
    while words[0] in wait:
        wait[words[0]] = float(words[1])
        words = words[2:]
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(words[0], words)
    shown = b""
    ready = None
    while True:
        if select.select([master], [], [], 0.1)[0]:
            try:
                more = os.read(master, 65536)
            except OSError:  # how Linux reports the end
                break
            if not more:
                break
            shown += more
        if ready is None and b"ready" in shown:
            ready = time.monotonic()
        if ready and time.monotonic() >= ready + wait["--after"]:
            os.write(master, b"\x03")
            ready = time.monotonic()
            wait = {"--after": wait["--again"], "--again": float("inf")}
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    status = os.waitpid(pid, 0)[1]
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


sys.exit(main())
