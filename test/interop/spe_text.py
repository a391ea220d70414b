#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""spe_text.py SPE_TEXT: compares the text of SPE packets with perf's."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_version import Perf
from tap import Tap

tap = Tap()
perf = Perf()


def says_nothing(line):
    """Newer perfs print reserved operations of class 0 as what they printed before."""
    return perf.newest and re.search(r"OP-TYPE 0x[0-9a-f]+ \(0\)$", line)


def compare(program, midr):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "packets.data"
        ours = subprocess.run([program, path, perf.like, midr], capture_output=True, text=True,
                              check=True).stdout
        theirs = subprocess.run(["perf", "report", "-D", "-i", path], capture_output=True,
                                text=True, check=True).stdout
    ours = ours.split("\n")
    theirs = [line for line in theirs.split("\n") if re.match(r"\.  [0-9a-f]{8}: ", line)] + [""]
    for number, (one, other) in enumerate(zip(ours, theirs)):
        if one != other and not says_nothing(one):
            raise AssertionError(f"line {number}: Plumb has\n{one}\nand perf\n{other}")
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(ours)} lines, and perf has {len(theirs)}")
    if len(ours) < 10000:
        raise AssertionError(f"only {len(ours)} lines")
    return f"{len(ours) - 1} lines"


@tap.test
def packets(program):
    """perf report -D prints each packet like Plumb"""
    return compare(program, "0x00000000410fd490")


@tap.test
def packets_of_n1(program):
    """so it does of a Neoverse N1, which has an event of its own"""
    return compare(program, "0x00000000413fd0c1")


if perf.absent:
    tap.skip_all(perf.absent)
sys.exit(tap.run(sys.argv[1]))
