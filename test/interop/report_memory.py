#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report needs the same memory for a long recording as for a short one: less than its size.
report_memory.py PLUMB MAKE_SPE_RECORDING"""
import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Skip, Tap

MIB = 1 << 20
LIMIT = 40 * MIB  # of 64 that are allowed; the recording has more than 80
RECORDS = 1350000

tap = Tap()


def run(arguments):
    """Returns what a command prints, and the most memory that it had at a time, in bytes."""
    with tempfile.TemporaryFile() as output, subprocess.Popen(
            arguments, stdout=output, stderr=subprocess.STDOUT) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode:
        raise AssertionError(text)
    return text, usage.ru_maxrss * 1024


class Work:
    def __init__(self, plumb, make, folder):
        self.plumb, self.path = plumb, folder / "spe.data"
        subprocess.run([make, self.path, "1", str(RECORDS), "8", "contexts", "code=2000",
                        "chunk=262144"], check=True)

    def report(self, *options):
        """The records that plumb reports, in so little memory."""
        if run([self.plumb, "--version"])[1] > LIMIT / 2:
            raise Skip("this build needs more memory for itself")
        if self.path.stat().st_size < 2 * LIMIT:
            raise AssertionError(f"the recording has {self.path.stat().st_size} bytes only")
        text, memory = run([self.plumb, "report", "--csv", *options, "-o",
                            self.path.with_suffix(".csv"), "-i", self.path])
        if memory > LIMIT:
            raise AssertionError(f"{memory / MIB:.1f} MiB; {text}")
        rows = csv.DictReader(io.StringIO(self.path.with_suffix(".csv").read_text()))
        return sum(int(row["samples"]) for row in rows)


@tap.test
def functions(work):
    """functions of a recording that is twice as large as the memory"""
    if work.report() != RECORDS:
        raise AssertionError("records are missing")


@tap.test
def one_by_one(work):
    """the same, of records that are looked at one by one"""
    if work.report("--time", "0,", "-s", "symbol") != RECORDS:
        raise AssertionError("records are missing")


with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], sys.argv[2], Path(scratch)))
