#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report prints the same whether it may run on one CPU, so that it adds everything in one
thread, or on all of them; and thousands of rows in the order of their samples and texts.
report_threads.py PLUMB MAKE_SPE_RECORDING"""
import csv
import os
import re
import shutil
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

    def record(self, words, cut=0, path=None, records=RECORDS):
        # All code is in a file with symbols, as far as that has any.
        path = path or self.plumb
        program = [f"program={path}", f"text={text_section(path):x}"]
        subprocess.run([self.make, self.path, "1", str(records), "8", "chunk=65536",
                        *words.split(), *program], check=True)
        if cut:
            os.truncate(self.path, self.path.stat().st_size - cut)

    def report(self, options, cpus):
        done = subprocess.run([self.plumb, "report", "--stdio", *options, "-i", self.path],
                              capture_output=True, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        return done.returncode, done.stdout, done.stderr

    def compare(self, choices=None):
        if len(self.cpus) < 2:
            raise Skip("this machine has one CPU")
        for options in choices or OPTIONS:
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


@tap.test
def latencies(work):
    """more latencies than are counted"""
    work.record("contexts code=190000", records=4000000)
    work.compare([["--mem"]])
    # Some rows lack percentiles, so there were too many.
    if not re.search(rb"( +-){3}", work.report(["--mem"], work.cpus)[1]):
        raise AssertionError("all latencies were counted")


def check_order(work, keys):
    """More samples come first, then texts by their bytes, key by key."""
    options = ["--csv", "-F", "samples," + ",".join(keys), "-s", ",".join(keys)]
    lines = work.report(options, work.cpus)[1].decode().splitlines()
    rows = [(-int(row["samples"]), *(row[key].encode() for key in keys))
            for row in csv.DictReader(lines)]
    if len(rows) < 4500:
        raise AssertionError(f"{keys}: {len(rows)} rows are too few to tell")
    for i, (row, following) in enumerate(zip(rows, rows[1:])):
        if row > following:
            raise AssertionError(f"{keys}: row {i}, {row}, is before {following}")


@tap.test
def order(work):
    """the order of many rows"""
    work.record("contexts code=90000")
    for keys in (["ip"], ["data_source", "ip"], ["cpu", "data_source", "symbol"],
                 ["pid", "tid", "cpu", "comm", "dso", "data_source", "symbol", "ip"]):
        check_order(work, keys)


@tap.test
def letters(work):
    """many rows, some of which have letters that are not ASCII"""
    if not shutil.which("gcc"):
        raise Skip("no compiler")
    source, path = work.path.with_name("wide.c"), work.path.with_name("wide")
    names = ["größe" if i == 500 else f"function_with_the_number_{i}" for i in range(1000)]
    source.write_text("".join(f"int {name}(int n) {{ return n * {i} + n / 3; }}\n"
                              for i, name in enumerate(names)) + "int main(void) { return 0; }\n",
                      encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-static", "-o", path, source], check=True)
    work.record("contexts code=90000", path=path)
    work.compare()
    check_order(work, ["data_source", "symbol"])


with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], sys.argv[2], Path(scratch)))
