#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no SPE record of a program with threads contradicts itself.

    sources.py PLUMB CORES KERNELS PROGRAM...

Of loads that have a data source: one that refilled L1D did not find its data there; one that went to
the last-level cache found it there, beyond, or in another core, and refilled L1D.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import Kernel, kernel_arguments, run  # noqa: E402
from tap import Skip, Tap  # noqa: E402

L1D, L2, PEER, LLC, DRAM = 0x0, 0x8, 0x9, 0xb, 0xe


def records(text):
    """(kind of access, events, data source) of each record that has all three."""
    kind = events = source = None
    for line in text.splitlines():
        if found := re.search(r"\b(LD|ST)\b", line):
            kind = found[1]
        elif " EV " in line:
            events = set(line.split(" EV ", 1)[1].split())
        elif found := re.search(r"DATA-SOURCE (\w+)", line):
            source = int(found[1])
        elif re.search(r"\b(TS|END)\b", line):
            if kind and events is not None and source is not None:
                yield kind, events, source
            kind = events = source = None


def is_consistent(events, source):
    if "LLC-REFILL" in events and source != DRAM:
        return False
    if "LLC-ACCESS" in events and ("L1D-REFILL" not in events or source not in (PEER, LLC, DRAM)):
        return False
    return "L1D-REFILL" not in events or source in (L2, PEER, LLC, DRAM)


def check(plumb, kernel):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spe.data")
        run([plumb, "record", "--source", "model", "--cpu", kernel.core, "-e", "spe", "-c", "512",
             "-o", path, "--", kernel.program])
        found = list(records(run([plumb, "spe", "dump", "-i", path]).decode()))
    assert found, "no loads"
    wrong = [record for record in found if not is_consistent(*record[1:])]
    assert not wrong, f"{len(wrong)} of {len(found)} loads contradict themselves: {wrong[0]}"
    peers = sum(source == PEER for _, _, source in found)
    return f"{len(found)} loads, {peers} from other cores"


def main(arguments):
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    for program in arguments.programs:
        kernel = Kernel(program, arguments.kernels)
        if not kernel.threads:
            continue

        def test(kernel=kernel):
            if absent:
                raise Skip(absent)
            return check(arguments.plumb, kernel)
        test.__doc__ = f"{kernel.name} on {kernel.core}: sources of data agree with events"
        tap.test(test)
    tap.run()


if __name__ == "__main__":
    main(kernel_arguments(__doc__))
