#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""printed.py PLUMB PAGE: tests that the page's examples, "$ plumb ...", print what it shows.

A line "…" in the page stands for any lines. The output of `plumb stat` and `plumb record`, and
of the commands that read that recording, is compared by words and shape, not by figures: these
depend on the compiler and the environment. Such examples are skipped, and reported, if they cannot be run.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402

# Those that show a recording print on standard output, the others on standard error.
READERS = ("script", "report", "annotate")
MODELLED = ("stat", "record", *READERS)


def examples(page):
    """Yields each command and the lines after it, from blocks indented by four."""
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
    """Returns `text` without what differs between runs: figures, bars and spaces."""
    text = re.sub(r"\b(0x)?(?=[a-f]*[0-9])[0-9a-f]+\b", "#", re.sub(" +", " ", text))
    return re.sub(r"[0-9.,]+|[▏▎▍▌▋▊▉█]+", "#", text).replace("##", "#").replace("# #", "#")


def run(plumb, command, folder):
    """Returns what `command` prints in `folder`, with the examples; None if it cannot run."""
    words = shlex.split(command)
    if words[1] in MODELLED:
        if not os.path.exists(os.path.join(folder, "examples/walk")) or engine.absent(plumb):
            return None
        ran = subprocess.run([plumb, *words[1:]], capture_output=True, check=True, encoding="utf-8",
                             cwd=folder)
        return shape(ran.stdout if words[1] in READERS else ran.stderr)
    return subprocess.run([plumb, *words[1:]], capture_output=True, check=True,
                          encoding="utf-8").stdout


def main():
    plumb = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(os.path.dirname(os.path.dirname(plumb)), "examples"),
                   os.path.join(folder, "examples"))
        return compare(plumb, folder)


def compare(plumb, folder):
    count, wrong = 0, 0
    with open(sys.argv[2], encoding="utf-8") as page:
        text = page.read()
    for command, lines in examples(text):
        printed = run(plumb, command, folder)
        if printed is None:
            print(f"{command}: skipped: no examples, or no QEMU")
            count += 1
            continue
        if command.split()[1] in MODELLED:
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
