#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""words.py [TOP]: finds words in messages, manual pages and documentation for which CONTRIBUTING.md has
a better one. Prints "FILE:LINE: 'words': use ..." for each; status 1 if there are any."""
import pathlib
import re
import sys

INSTEAD = {
    r"bad values?": "invalid value",
    r"not known": "unknown",
    r"(?:do|does) not go together": "cannot be combined",
    r"(?:is|are) needed": "requires",
    r"no such (?:option|command|field|parameter)": "unknown",
    r"mends?": "hint",
    r"that which": "what",
    r"with which": "a sentence of its own",
    r"told of": "reported",
    r"as perf has": "as in perf",
    r"what is no(?:ne)?": "what it is",
    r"parted by": "separated by",
    r"so many": "how many",
    r"nothing but": "only",
}
WORDS = re.compile(rf"(?<![\w-])(?:{'|'.join(INSTEAD)})(?![\w-])", re.I)

# Where a reader sees the words: whole texts, and the strings of the code.
TEXTS = ["README.md", "CONTRIBUTING.md", "doc/*.md", "man/*.scd"]
CODE = ["cli/**/*.[ch]", "lib/**/*.[ch]", "lib/**/*.def", "model/qemu/*.c"]


def files(top, patterns):
    return sorted(path for pattern in patterns for path in top.glob(pattern))


def strings(code):
    """The code with everything but the contents of its strings replaced by blanks."""
    token = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
    kept, end = [], 0
    for found in token.finditer(code):
        kept.append(re.sub(r"[^\n]", " ", code[end:found.start()]))
        text = found[0]
        kept.append(text if text[0] == '"' else re.sub(r"[^\n]", " ", text))
        end = found.end()
    return "".join(kept)


def faults(top):
    for path in files(top, TEXTS) + files(top, CODE):
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".c", ".h", ".def"):
            text = strings(text)
        for found in WORDS.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            better = next(b for a, b in INSTEAD.items() if re.fullmatch(a, found[0], re.I))
            yield f"{path.relative_to(top)}:{line}: '{found[0]}': use {better}"


def main(top):
    found = list(faults(pathlib.Path(top)))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
