#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""spe_text.py SPE_TEXT: compares the text of SPE packets with perf's."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Skip, Tap

tap = Tap()


def is_6_1():
    version = subprocess.run(["perf", "--version"], capture_output=True, text=True).stdout
    return version.startswith("perf version 6.1.")


@tap.test
def packets(program):
    """perf report -D 6.1 prints each packet like Plumb"""
    if not shutil.which("perf") or not is_6_1():
        raise Skip("perf 6.1 is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "packets.data"
        ours = subprocess.run([program, path], capture_output=True, text=True, check=True).stdout
        theirs = subprocess.run(["perf", "report", "-D", "-i", path], capture_output=True,
                                text=True, check=True).stdout
    ours = ours.split("\n")
    theirs = [line for line in theirs.split("\n") if re.match(r"\.  [0-9a-f]{8}: ", line)] + [""]
    for number, (one, other) in enumerate(zip(ours, theirs)):
        if one != other:
            raise AssertionError(f"line {number}: Plumb has\n{one}\nand perf\n{other}")
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(ours)} lines, and perf has {len(theirs)}")
    if len(ours) < 10000:
        raise AssertionError(f"only {len(ours)} lines")
    return f"{len(ours) - 1} lines"


sys.exit(tap.run(sys.argv[1]))
