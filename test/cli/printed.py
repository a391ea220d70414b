#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""printed.py PLUMB PAGE: tests that the page's examples, "$ plumb ...", print what it shows.

A line "…" in the page stands for any lines. The output of `plumb stat` and `plumb record`, and
of the commands that read that recording, depends on the compiler and the environment a little: its
words are compared exactly, its figures within 10 % or one percentage point, and its addresses not
at all. Such examples are skipped, and reported, if they cannot be run.
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
MODELLED = ("stat", "explore", "record", *READERS)


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


def figures(line):
    """Returns the decimal figures of a line, without addresses, offsets and names."""
    line = re.sub(r"\b0x[0-9a-f]+|\b[0-9a-f]{6,}\b|\b[A-Za-z_][\w.]*", " ", line)
    return [float(figure) for figure in re.findall(r"\d+(?:\.\d+)?", line.replace(",", ""))]


def agree(shown, printed):
    """Returns whether a line printed is the one shown, but for small differences."""
    theirs, ours = figures(shown), figures(printed)
    return shape(shown) == shape(printed) and len(theirs) == len(ours) and all(
        abs(a - b) <= max(1, 0.1 * a) for a, b in zip(theirs, ours))


def is_shown(shown, printed):
    """Returns whether the lines printed are those shown, where "…" stands for any."""
    blocks = [[]]
    for line in shown:
        if line.strip() == "…":
            blocks.append([])
        else:
            blocks[-1].append(line)
    at = 0
    for number, block in enumerate(blocks):
        last = len(printed) - len(block)
        places = [0] if number == 0 else [last] if number == len(blocks) - 1 and block else \
            range(at, last + 1)
        place = next((place for place in places if place >= at and
                      all(map(agree, block, printed[place:place + len(block)]))), None)
        if place is None or (len(blocks) == 1 and len(printed) != len(block)):
            return False
        at = place + len(block)
    return at <= len(printed)


def run(plumb, command, folder):
    """Returns what `command` prints in `folder`, with the examples; None if it cannot run."""
    words = shlex.split(command)
    if words[1] in MODELLED:
        if not os.path.exists(os.path.join(folder, "examples/walk")) or engine.absent(plumb):
            return None
        ran = subprocess.run([plumb, *words[1:]], capture_output=True, check=True, encoding="utf-8",
                             cwd=folder)
        return ran.stdout if words[1] in READERS else ran.stderr
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
        count += 1
        if command.split()[1] in MODELLED:
            if not is_shown(lines, printed.splitlines()):
                wrong += 1
                print(f"{command}: prints otherwise:\n{printed[:2000]}")
            continue
        pattern = "".join(r"(?:.*\n)*" if line.strip() == "…" else re.escape(line) + "\n"
                          for line in lines)
        if not re.fullmatch(pattern, printed):
            wrong += 1
            print(f"{command}: prints otherwise:\n{printed[:2000]}")
    print(f"{count} examples, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
