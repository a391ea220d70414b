#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""in_terminal.py [--screen] COLUMNS COMMAND...: runs a command on a terminal, and prints what it
writes there; with --screen, the lines that a reader would see at the end."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios


def screen(written):
    """The lines left by the control sequences that plumb uses; any other fails."""
    lines, row, column, saved = [""], 0, 0, (0, 0)
    for token in re.findall(r"\033\[[0-9;]*[A-Za-z]|\033[78]|.", written, re.S):
        number = re.fullmatch(r"\033\[(\d+)G", token)
        if token == "\r":
            column = 0
        elif token == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif token == "\0337":
            saved = row, column
        elif token == "\0338":
            row, column = saved
        elif number:
            column = int(number[1]) - 1
        elif token == "\033[K":
            lines[row] = lines[row][:column]
        elif token.endswith("m") and len(token) > 1:  # a colour
            pass
        else:
            assert token >= " ", repr(token)
            lines[row] = lines[row].ljust(column)
            lines[row] = lines[row][:column] + token + lines[row][column + 1:]
            column += 1
    return "\n".join(lines)


def main():
    words = sys.argv[1:]
    as_screen = words[0] == "--screen"
    words = words[as_screen:]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(words[0]), 0, 0))
    process = subprocess.Popen(
        words[1:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
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
    if as_screen:
        sys.stdout.write(screen(shown.decode()))
    else:
        sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
    return process.wait()


sys.exit(main())
