#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""in_terminal.py COLUMNS COMMAND...: runs a command on a terminal, and prints what it shows."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    process = subprocess.Popen(
        sys.argv[2:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    shown = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # how Linux reports the end
            break
        if not more:
            break
        shown += more
    sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    return process.wait()


sys.exit(main())
