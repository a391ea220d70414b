#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""printed.py PLUMB PAGE: whether the page's examples, "$ plumb ...", print what it says they do.

A line of the page that is no more than "…" stands for any lines. What `plumb stat` prints is held to
its words and shape, not to its figures: the model's follow from the program, which the compiler makes,
and from its environment. Where there is nothing to run it with, its examples are passed over, and that
is said.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys


def examples(page):
    """Yields each command and the lines that follow it, of the blocks indented by four."""
    command, lines = None, []
    for line in page.splitlines() + ["end"]:
        inside = line.startswith("    ") or not line
        if command and (not inside or line.startswith("    $ ")):
            while lines and not lines[-1]:
                lines.pop()
            yield command, lines
            command = None
        if line.startswith("    $ plumb "):
            command, lines = line[len("    $ "):], []
        elif command:
            lines.append(line[4:])


def shape(text):
    """`text` without what differs from one run to the next: figures, their bars and spaces."""
    return re.sub(r"[0-9.,]+|[▏▎▍▌▋▊▉█]+", "#", re.sub(" +", " ", text)).replace("# #", "#")


def run(plumb, command):
    """What `command` prints, run where the examples are; None if that cannot be."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(plumb)))
    words = shlex.split(command)
    if words[1] == "stat":
        program = os.path.join(build, words[2])
        if not os.path.exists(program) or not shutil.which("qemu-aarch64"):
            return None
        return shape(subprocess.run([plumb, *words[1:]], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, check=True, encoding="utf-8",
                                    cwd=build).stderr)
    return subprocess.run([plumb, *words[1:]], capture_output=True, check=True,
                          encoding="utf-8").stdout


def main():
    count, wrong = 0, 0
    with open(sys.argv[2], encoding="utf-8") as page:
        text = page.read()
    for command, lines in examples(text):
        printed = run(os.path.abspath(sys.argv[1]), command)
        if printed is None:
            print(f"{command}: passed over: no examples, or no QEMU")
            count += 1
            continue
        if " stat " in command:
            lines = [shape(line) for line in lines]
        pattern = "".join(r"(?:.*\n)*" if line.strip() == "…" else re.escape(line) + "\n"
                          for line in lines)
        count += 1
        if not re.fullmatch(pattern, printed):
            wrong += 1
            print(f"{command}: prints otherwise:\n{printed[:2000]}")
    print(f"{count} examples, {wrong} wrong")
    return 1 if wrong or not count else 0


sys.exit(main())
