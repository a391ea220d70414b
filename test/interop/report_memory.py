#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report needs the same memory for a long recording as for a short one: less than its size.
report_memory.py PLUMB MAKE_SPE_RECORDING"""
import csv
import io
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Skip, Tap

MIB = 1 << 20
LIMIT = 40 * MIB  # of 64 that are allowed; the recording has more than 80
RECORDS = 1350000

tap = Tap()


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


class Work:
    def __init__(self, plumb, make, folder):
        self.plumb, self.path = plumb, folder / "spe.data"
        subprocess.run([make, self.path, "1", str(RECORDS), "8", "contexts", "code=2000",
                        "chunk=262144"], check=True)

    def report(self, *options):
        """The records that plumb reports, in so little memory."""
        if subprocess.run([self.plumb, "--version"], capture_output=True, preexec_fn=limit,
                          check=False).returncode:
            raise Skip("this build needs more memory for itself")
        if self.path.stat().st_size < 2 * LIMIT:
            raise AssertionError(f"the recording has {self.path.stat().st_size} bytes only")
        done = subprocess.run([self.plumb, "report", "--csv", *options, "-i", self.path],
                              capture_output=True, preexec_fn=limit, check=False)
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        return sum(int(row["samples"]) for row in csv.DictReader(io.StringIO(done.stdout.decode())))


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
