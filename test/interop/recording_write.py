#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""recording_write.py COPY: tests that perf reads what Plumb's writer writes."""
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_tool import run_perf
from tap import Skip, Tap

tap = Tap()
LOOP = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"


def perf(*arguments, stdin=None):
    done = run_perf(["perf", *arguments], capture_output=True, text=True, stdin=stdin)
    if done.returncode:
        raise AssertionError(f"perf {' '.join(arguments)}: {done.stderr}")
    return done


class Recordings:
    """One of perf's own, and copies of it."""

    def __init__(self, copy, folder):
        self.copier, self.folder = copy, Path(folder)
        self.real = None

    def original(self):
        if not self.real:
            path = self.folder / "real.data"
            done = subprocess.run(["perf", "record", "-e", "cpu-clock,page-faults", "-c", "100000",
                                   "-g", "-o", path, "--", "sh", "-c", LOOP],
                                  capture_output=True, text=True)
            if done.returncode:
                raise Skip("perf cannot record here")
            self.real = path
        return str(self.real)

    def copy(self, name, level=0):
        path = self.folder / name
        done = subprocess.run([self.copier, self.original(), path, str(level)],
                              capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        return str(path)


def samples(path, fields="comm,tid,time,event,ip,sym,period"):
    done = perf("script", "-i", path, "-F", fields)
    if done.stderr:
        raise AssertionError(f"a warning: {done.stderr}")
    return done.stdout


def compare(path, real):
    ours, theirs = samples(path), samples(real)
    if ours != theirs:
        raise AssertionError("perf script finds other samples")
    count = len(re.findall(r"^\S", theirs, re.M))
    if count < 100:
        raise AssertionError(f"only {count} samples")
    return f"{count} samples"


def report(path):
    done = perf("report", "-i", path, "--stdio", "--header")
    if done.stderr:
        raise AssertionError(f"a warning: {done.stderr}")
    lines = done.stdout.splitlines()
    return [line for line in lines if not line.startswith("#") or line.startswith("# Samples")]


@tap.test
def file(recordings):
    """perf script and report find in a file what was written."""
    path = recordings.copy("plain.data")
    if report(path) != report(recordings.original()):
        raise AssertionError("perf report differs")
    return compare(path, recordings.original())


@tap.test
def compressed(recordings):
    """The same of a compressed one."""
    path = recordings.copy("zstd.data", 3)
    plain, small = Path(recordings.copy("plain2.data")).stat(), Path(path).stat()
    if small.st_size * 2 > plain.st_size:
        raise AssertionError(f"{small.st_size} of {plain.st_size} bytes")
    if report(path) != report(recordings.original()):
        raise AssertionError("perf report differs")
    return compare(path, recordings.original())


@tap.test
def pipe(recordings):
    """The same of a pipe, compressed or not."""
    theirs = samples(recordings.original())
    for level in "0", "1":
        path = recordings.folder / "piped.data"
        with open(path, "wb") as out:
            subprocess.run([recordings.copier, recordings.original(), "-", level], stdout=out,
                           stderr=subprocess.DEVNULL, check=True)
        with open(path, "rb") as piped:
            done = perf("script", "-i", "-", "-F", "comm,tid,time,event,ip,sym,period", stdin=piped)
        if done.stderr or done.stdout != theirs:
            raise AssertionError(f"level {level}: {done.stderr or 'other samples'}")
        readable_by_newer(path)


# PERF_RECORD_HEADER_FEATURE and PERF_RECORD_COMPRESSED, and the number of features of perf 6.1.
FEATURE, COMPRESSED, FEATURES = 80, 81, 32


def readable_by_newer(path):
    """What perf 7.3 refuses: records out of line, and features that it knows, but without content."""
    with open(path, "rb") as file:
        data = file.read()
    at, features = 16, []
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size % 8 and kind != COMPRESSED:
            raise AssertionError(f"record {kind} at {at:#x} has {size} bytes")
        if kind == FEATURE:
            features.append(struct.unpack_from("<Q", data, at + 8)[0])
        at += size
    if not features or max(features) >= FEATURES:
        raise AssertionError(f"features: {features}")


@tap.test
def header(recordings):
    """perf report --header finds the features."""
    text = perf("report", "-i", recordings.copy("header.data", 1), "--stdio", "--header-only").stdout
    for line in ("hostname : copy", "arch : x86_64", "nrcpus avail : 2",
                 "cmdline : plumb record a b", "pmu mappings: software = 1",
                 "compressed : Zstd, level = 1"):
        if f"# {line}" not in text:
            raise AssertionError(f"no '{line}' in {text}")
    if "time of first sample" not in text or "event : name = page-faults" not in text:
        raise AssertionError(text)


@tap.test
def killed(recordings):
    """perf reads what a killed writer left, compressed or not."""
    # The names of commands and symbols may be in another CPU's records, which were yet to come.
    fields = "tid,time,event,ip,period"
    theirs = samples(recordings.original(), fields)
    for level in "0", "1":
        path = str(recordings.folder / "killed.data")
        done = subprocess.run([recordings.copier, recordings.original(), path, level, "kill"],
                              capture_output=True, text=True)
        if done.returncode != -9:
            raise AssertionError(f"not killed: {done}")
        ours = samples(path, fields)
        if not ours or set(ours.splitlines()) - set(theirs.splitlines()):
            raise AssertionError("other samples")


@tap.test
def dump(recordings):
    """perf report -D shows the records of both alike."""
    def records(path):
        text = perf("report", "-i", path, "-D").stdout
        # What stands before is the time, the place in the file, and the size.
        return re.findall(r"^(\S+) 0x\S+ \[(\S+)\]: PERF_RECORD_(SAMPLE|MMAP2|COMM|EXIT)(.*)$",
                          text, re.M)
    ours = records(recordings.copy("dump.data"))
    if len(ours) < 100 or ours != records(recordings.original()):
        raise AssertionError("they differ")


@tap.test
def spe(recordings):
    """perf decodes SPE data, and finds nothing to warn of."""
    path = str(recordings.folder / "spe.data")
    subprocess.run([recordings.copier, "--spe", path], check=True)
    text = perf("report", "-i", path, "-D")
    for line in ("PC 0x4005d0 el0 ns=1", "LAT 12 TOT", "LAT 3 ISSUE", "VA 0x1008",
                 "EV RETIRED MISPRED", "TS 1012", "LAT 5 TOT"):
        if line not in text.stdout:
            raise AssertionError(f"no '{line}' in {text.stdout}")
    done = perf("script", "-i", path, "--itrace=i1i", "-F", "comm,time,event,ip,addr")
    if done.stderr:
        raise AssertionError(f"a warning: {done.stderr}")
    if "4005d0" not in done.stdout or "4005d4" not in done.stdout:
        raise AssertionError(done.stdout)
    done = perf("report", "-i", path, "--stdio", "--header")
    for line in ("contains AUX area data", "arm_spe_0 = 9"):
        if line not in done.stdout:
            raise AssertionError(done.stdout)
    memory = perf("mem", "report", "-i", path, "--stdio")
    for line in (done.stderr + memory.stderr).splitlines():
        # perf 6.1 says so of every SPE recording, unless --itrace asks for instructions.
        if line != "Only instruction-based sampling period is currently supported by Arm SPE.":
            raise AssertionError(f"a warning: {line}")


if not shutil.which("perf"):
    tap.skip_all("no perf")
with tempfile.TemporaryDirectory() as folder:
    tap.run(Recordings(sys.argv[1], folder))
