#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`plumb record`, killed in the middle of a write: of the first, the second and so on.

    torn.py PLUMB LIBRARY PROGRAM

LIBRARY is faults.c. Half of what was to be written is in the file. Whatever that is a half of, perf
reads the recording without a warning and plumb reads the same samples, or the recording had not
begun and both refuse it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
PATIENCE = 120  # seconds
# perf says this of another machine's recordings and of any of SPE.
ALWAYS = re.compile(rb"Only instruction-based sampling period|unwind: target platform=")
# The writes of the beginning and the end, and some between them, of a recording of hundreds.
WRITES = (*range(1, 16), 19, 24, 30, 38, 47, 59, 74, 93, 117,
          147)


def tear(plumb, library, program, how, number, folder):
    """Records, killed at that write. Returns the recording's path; None: there was no such write."""
    path, mark = f"{folder}/perf.data", f"{folder}/mark"
    environment = os.environ | {"LD_PRELOAD": library, "FAULTS_OF": plumb, "FAULTS_KIND": "SIGKILL",
                                "FAULTS_CALL": str(number), "FAULTS_MARK": mark}
    run = subprocess.run([plumb, "record", "-q", "--source", "model", "-o", path, *how, program, "2"],
                         env=environment, capture_output=True, check=False, timeout=PATIENCE)
    if not os.path.exists(mark):
        assert run.returncode == 0, run.stderr
        return None
    assert run.returncode == -9, (run.returncode, run.stderr)
    return path


def samples_by(words):
    """Runs a command that prints a line a sample. Returns how many; None: it refused."""
    run = subprocess.run(words, capture_output=True, check=False, timeout=PATIENCE)
    said = [line for line in run.stderr.splitlines() if line and not ALWAYS.search(line)]
    if run.returncode != 0:
        assert said, f"{words} fails without a word"
        return None, said
    return len(run.stdout.splitlines()), said


def check(*how):
    """A test of one way to record."""
    def test(plumb, library, program):
        if not shutil.which("perf"):
            raise Skip("no perf")
        done = most = refused = 0
        for number in WRITES:
            with tempfile.TemporaryDirectory() as folder:
                path = tear(plumb, library, program, how, number, folder)
                if not path:
                    break
                done += 1
                if not os.path.exists(path):
                    continue
                what = f"write {number}"
                ours, said = samples_by([plumb, "script", "-F", "time,event", "-i", path])
                theirs, warned = samples_by(["perf", "script", "-F", "time,event", "-i", path])
                assert (ours is None) == (theirs is None), f"{what}: {said}, perf: {warned}"
                if ours is None:
                    assert most == 0, f"{what}: refused after others were read: {said}"
                    refused += 1
                    continue
                assert not warned, f"{what}: perf: {warned}"
                assert any(b"the recorder was killed" in line for line in said), f"{what}: {said}"
                assert ours == theirs, f"{what}: {ours} samples, perf {theirs}"
                most = max(most, ours)
        assert done > 10, f"only {done} writes"
        assert most > 0, "not one sample was recovered"
        return f"{done} kills, {refused} of them before the recording began; {most} samples at most"
    test.__doc__ = f"plumb record {' '.join(how)}"
    return tap.test(test)


def main():
    plumb, library, program = (os.path.realpath(word) for word in sys.argv[1:4])
    check("-e", "CPU_CYCLES:u", "-c", "2000")
    check("-z", "-e", "CPU_CYCLES:u", "-c", "2000")
    if not os.path.exists(program):
        tap.skip_all("no compiler for AArch64")
    elif engine.absent(plumb):
        tap.skip_all(engine.absent(plumb))
    tap.run(plumb, library, program)


main()
