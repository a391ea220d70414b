#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares all the model's counts of programs under two versions of QEMU, and of its two passes.

    engines.py PLUMB PROGRAM...

The older version runs the plain pass (--reference) in one host thread, the newer one the pass that
replays blocks, aside from QEMU; if there is only one version, it runs both.

A program, named NAME.CORE, counts the same under both, event by event. Only programs that QEMU places elsewhere
(--placed) may count differently, and nearly the same: they execute the same instructions, with other
addresses, but for a few of the dynamic loader's. Its allocator looks whether a new page follows the
last one, which depends on the kernel of this machine as well. Events of predicates need QEMU 9.0.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import run  # noqa: E402
from tap import Skip, Tap  # noqa: E402

PREDICATES = {"SVE_PRED_EMPTY_SPEC", "SVE_PRED_FULL_SPEC", "SVE_PRED_PARTIAL_SPEC"}
# What a program does, wherever it lies.
OF_THE_PROGRAM = ("INST_RETIRED", "OP_RETIRED", "BR_RETIRED", "BR_IMMED_RETIRED",
                  "BR_IMMED_TAKEN_RETIRED", "BR_IND_RETIRED", "BR_RETURN_RETIRED",
                  "PC_WRITE_RETIRED", "MEM_ACCESS_RD", "MEM_ACCESS_WR", "EXC_SVC")
LOADER = 1e-4  # how much those may differ; 22 of 2,947,083 instructions were seen
NEARLY = 0.04  # how much CPU_CYCLES may differ: other branches meet in the predictor's tables


def two_engines(plumb):
    """Returns the first two of different versions, the older one first; or one, or none."""
    by_version = {}
    for path in engine.candidates(plumb):
        by_version.setdefault(engine.version(path), path)
    return [by_version[version] for version in sorted(list(by_version)[:2])]


@functools.lru_cache
def counted_events(plumb, core):
    listed = json.loads(run([plumb, "list", "events", "--source", "model", "--cpu", core,
                             "--json"]))
    return [event["name"] for event in listed["events"] if event["counted"]]


class Tools:
    """What all comparisons share."""

    def __init__(self, arguments):
        self.plumb, self.sysroot = arguments.plumb, arguments.sysroot
        self.engines = two_engines(self.plumb)
        self.pool = concurrent.futures.ThreadPoolExecutor(2)

    def count(self, path, passes, program, core, events):
        """Returns the events of a program under the engine at `path`, and the warnings."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counts.json")
            run([self.plumb, "stat", "--source", "model", "--cpu", core, "--qemu", path, *passes, "--json",
                 "-o", out, "-e", ",".join(events), *(["-L", self.sysroot] if self.sysroot else []),
                 "--", program])
            with open(out, encoding="utf-8") as file:
                result = json.load(file)
        return {event["name"]: event["count"] for event in result["events"]}, result["warnings"]

    def compare(self, program, core, placed):
        """Raises AssertionError if it counts differently. Returns a remark."""
        events = counted_events(self.plumb, core)
        (old, _), (new, warnings) = self.pool.map(
            lambda run: self.count(*run, program, core, events),
            [(self.engines[0], ["--reference", "--host-threads", "1"]),
             (self.engines[-1], ["--host-threads", "2"])])
        assert not warnings, warnings
        assert new.keys() == set(events), new.keys() ^ set(events)
        unknown = PREDICATES & set(events) if engine.version(self.engines[0]) < (9, 0) else set()
        assert {name for name, value in old.items() if value is None} == unknown, old
        differ = [name for name in events if name not in unknown and old[name] != new[name]]
        wrong = [f"{name} is {old[name]} and {new[name]}" for name in differ
                 if not placed or (name in OF_THE_PROGRAM
                                   and abs(old[name] - new[name]) > LOADER * new[name])]
        cycles = old["CPU_CYCLES"], new["CPU_CYCLES"]
        if max(cycles) > (1 + NEARLY) * min(cycles):
            wrong.append(f"CPU_CYCLES are {cycles}")
        if wrong:
            raise AssertionError("\n".join(wrong))
        return f"CPU_CYCLES are {cycles}; {len(differ)} events differ" if placed else None


def main(arguments):
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    tools = None if absent else Tools(arguments)
    placed = arguments.placed.split(",")
    for program in arguments.programs:
        name, core = os.path.basename(program).split(".")

        def test(program=program, core=core, elsewhere=name in placed):
            if absent:
                raise Skip(absent)
            return tools.compare(program, core, elsewhere)
        same = "nearly the same counts" if name in placed else "the same counts"
        test.__doc__ = f"{name} on {core}: {same} by two passes, under two versions of QEMU"
        tap.test(test)
    tap.run()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("--placed", metavar="NAME,...", default="",
                        help="programs of which QEMU places parts elsewhere")
    parser.add_argument("--sysroot", help="folder with the libraries of dynamic programs")
    parser.add_argument("plumb")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


if __name__ == "__main__":
    main(parse_arguments())
