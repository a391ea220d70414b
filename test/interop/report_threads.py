#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report prints the same whether it may run on one CPU, so that it adds everything in one
thread, or on all of them. report_threads.py PLUMB MAKE_SPE_RECORDING"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Skip, Tap

RECORDS = 40000

# What decides how a thread reads a ring, and what only the whole stream can follow.
RECORDINGS = {
    "context packets": "contexts code=2000",
    "context switches": "switches code=2000",
    "switches and PMU samples": "switches clock code=500",
    "rings of threads, without times": "timeless thread compact code=2000",
    "context packets without times": "timeless contexts code=2000",
    "64 layouts with gaps": "contexts layouts=64 gaps code=2000",
    "more rows than are kept": "contexts code=90000",
}
OPTIONS = [[], ["--mem"], ["--branch"], ["-s", "cpu,tid,ip"], ["-s", "event,data_source,symbol_to"],
           ["--latency-histogram", "--json"], ["--filter", "load"]]

tap = Tap()


def text_section(path):
    """Where the code of an ELF file begins in it."""
    with open(path, "rb") as file:
        elf = file.read()
    return int.from_bytes(elf[24:32], "little")


class Work:
    def __init__(self, plumb, make, folder):
        self.plumb, self.make, self.path = plumb, make, folder / "spe.data"
        self.cpus = os.sched_getaffinity(0)

    def record(self, words, cut=0):
        # All code is in a file with symbols, as far as that has any.
        program = [f"program={self.plumb}", f"text={text_section(self.plumb):x}"]
        subprocess.run([self.make, self.path, "1", str(RECORDS), "8", "chunk=65536",
                        *words.split(), *program], check=True)
        if cut:
            os.truncate(self.path, self.path.stat().st_size - cut)

    def report(self, options, cpus):
        done = subprocess.run([self.plumb, "report", "--stdio", *options, "-i", self.path],
                              capture_output=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        return done.returncode, done.stdout, done.stderr

    def compare(self):
        if len(self.cpus) < 2:
            raise Skip("this machine has one CPU")
        for options in OPTIONS:
            alone = self.report(options, {min(self.cpus)})
            if not alone[1]:
                raise AssertionError(f"{options}: {alone[2].decode()}")
            if self.report(options, self.cpus) != alone:
                raise AssertionError(f"{options}: threads change the report")


def add(name, words):
    def test(work):
        work.record(words)
        work.compare()

    test.__doc__ = name
    tap.test(test)


for title, kind in RECORDINGS.items():
    add(title, kind)


@tap.test
def truncated(work):
    """a truncated recording"""
    work.record("contexts code=2000", cut=RECORDS * 20)
    work.compare()


with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], sys.argv[2], Path(scratch)))
