#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The samples that Plumb and `perf script` find in recordings of SPE made by chance: all, in
order, field by field. And what they come to in every order.
samples_vs_perf.py MAKE_SPE_RECORDING SAMPLES_TEXT"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()
FIELDS = "pid,tid,time,period,event,ip,addr,data_src,weight"
LINE = re.compile(r"""\s*(?P<who>-?\d+/-?\d+)\s+(?:\[(?P<cpu>-?\d+)\]\s+)?
                      (?:(?P<time>\d+\.\d+):\s+)?(?P<period>\d+)\s+(?P<event>[^\s]+):\s+
                      (?P<addr>[0-9a-f]+)\s+(?P<source>[0-9a-f]+)\s+\|.*BLK\s+N/A\s+
                      (?P<weight>\d+)\s+(?P<ip>[0-9a-f]+)(?:\s+(?P<physical>[0-9a-f]+))?\s*$""",
                  re.X)
# What perf shows of a sample without PERF_SAMPLE_DATA_SRC.
NO_SOURCE = "5080021" if perf.like == "6.1" else "1e05080021"


def perf_samples(path, itrace, fields):
    command = ["perf", "script", "-i", path, "--ns", "-F", fields]
    if itrace != "default":
        command.insert(2, f"--itrace={itrace}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr}")
    lines = []
    for line in done.stdout.splitlines():
        found = LINE.match(line)
        if not found:
            raise AssertionError(f"perf's line: {line}")
        part = found.groupdict()
        cpu = f"[{part['cpu']}] " if part["cpu"] else ""
        time = f"{part['time']}: " if part["time"] else ""
        source = "0" if part["source"] == NO_SOURCE else part["source"]
        lines.append(f"{part['who']} {cpu}{time}{part['period']} {part['event']}: {part['addr']} "
                     f"{source} {part['ip']} {part['weight']} {part['physical'] or '0'}")
    return lines


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout.splitlines()


def without_sources(lines):
    """Plumb knows of more cores, and takes a packet that is not there for none."""
    return [re.sub(r"^(.*: \S+) \S+ (\S+ \S+ \S+)$", r"\1 - \2", line) for line in lines]


def same(ours, theirs, what):
    for number, (one, other) in enumerate(zip(ours, theirs), 1):
        if one != other:
            raise AssertionError(f"{what}, sample {number}:\nplumb {one}\nperf  {other}")
    if len(ours) != len(theirs):
        raise AssertionError(f"{what}: {len(ours)} samples, perf {len(theirs)}")


class Case:
    """A recording, made anew for each comparison."""

    def __init__(self, make, text, folder):
        self.make, self.text = make, text
        self.path = str(Path(folder) / "perf.data")

    def compare(self, rings, options, itraces, seeds=range(1, 4), records=3000):
        fields = FIELDS
        if "thread" not in options:
            fields += ",cpu"
        if "physical" in options:
            fields += ",phys_addr"
        if "timeless" in options:
            fields = fields.replace("time,", "")
        compared = 0
        for seed in seeds:
            run(self.make, self.path, str(seed), str(records), str(rings), *options)
            for itrace in itraces:
                theirs = perf_samples(self.path, itrace, fields)
                ours = run(self.text, self.path, itrace, *LIKE)
                same(ours, theirs, f"seed {seed}, {itrace}")
                if perf.newest and not QUIRKS & set(options) and itrace in ("default", "i1i"):
                    usual = run(self.text, self.path, itrace)
                    same(without_sources(usual), without_sources(theirs),
                         f"seed {seed}, {itrace}, by default")
                compared += len(ours)
        if not compared:
            raise AssertionError("no sample was compared")
        return f"{compared} samples"


LIKE = [f"like-perf={perf.like}"]
# Of these recordings there are things that every perf gets wrong.
QUIRKS = {"timeless", "plain", "odd", "new"}
ALL = ["default", "i1i", "i7i", "i1ifmtbaM", "fM", "mb", "ta"]


@tap.test
def one_ring(case):
    """the samples of one CPU"""
    return case.compare(1, ["switches", "clock"], ALL)


@tap.test
def rings(case):
    """the samples of two to seven CPUs, with other events in between"""
    remarks = [case.compare(count, ["switches", "clock"], ALL) for count in (2, 3, 4, 7)]
    return ", ".join(remarks)


@tap.test
def small_chunks(case):
    """AUX data in many small chunks, in rounds"""
    return case.compare(4, ["switches", "clock", "chunk=512"], ["i1i", "default"], records=6000)


@tap.test
def no_switches(case):
    """the samples of CPUs on which no thread is known"""
    return case.compare(2, ["clock"], ["i1i"])


@tap.test
def contexts(case):
    """threads by context packets"""
    return case.compare(4, ["contexts", "clock"], ["i1i", "default"])


@tap.test
def contexts_and_switches(case):
    """threads by context packets, and context switches beside them"""
    return case.compare(4, ["contexts", "switches"], ["i1i"])


@tap.test
def physical(case):
    """physical addresses"""
    return case.compare(2, ["physical", "switches"], ["i1i", "default"])


@tap.test
def compact(case):
    """records without padding"""
    return case.compare(2, ["compact", "switches"], ["i1i", "default"])


@tap.test
def other_core(case):
    """a core whose data sources perf does not know"""
    return case.compare(2, ["midr=0x00000000410fd8e0"], ["i1i", "default"])


@tap.test
def timeless_threads(case):
    """rings of threads, without times"""
    return case.compare(3, ["thread", "timeless"], ALL)


@tap.test
def timeless_cpus(case):
    """rings of CPUs, without times"""
    return case.compare(2, ["timeless"], ["i1i", "default"])


@tap.test
def timed_threads(case):
    """rings of threads, with times"""
    return case.compare(4, ["thread", "clock"], ["i1i", "default"])


@tap.test
def plain_switches(case):
    """context switches that are not CPU-wide, as perf takes them"""
    return case.compare(3, ["plain", "clock"], ["i1i", "default"])


@tap.test
def odd(case):
    """records that perf takes for others"""
    return case.compare(2, ["odd", "switches"], ["i1i", "default"])


@tap.test
def new(case):
    """operations, events and packets of any version of SPE"""
    return case.compare(2, ["new", "switches"], ["i1i", "default", "i3iM"])


@tap.test
def described_cores(case):
    """cores that the recording describes one by one"""
    if not perf.newest:
        raise Skip("this perf reads no descriptions of cores")
    cores = "cores=413fd0c1,410fd4f0,c00fac31,480fd060,410fd8a0"
    return case.compare(5, ["new", "switches", cores], ["i1i", "default"])


@tap.test
def threads_on_alike_cores(case):
    """rings of threads that may run on several cores, all alike"""
    if not perf.newest:
        raise Skip("this perf reads no descriptions of cores")
    return case.compare(2, ["new", "thread", "cores=413fd0c1"], ["i1i", "default"])


@tap.test
def threads_on_other_cores(case):
    """rings of threads that may run on cores of several kinds"""
    if not perf.newest:
        raise Skip("this perf reads no descriptions of cores")
    return case.compare(2, ["new", "thread", "cores=413fd0c1,480fd060"], ["i1i", "default"])


@tap.test
def counting(case):
    """the totals are the same in every order"""
    for options in (["switches"], ["compact", "chunk=1000000"], ["compact", "timeless"],
                    ["thread", "timeless", "collisions"]):
        run(case.make, case.path, "9", "40000", "3", *options)
        for itrace in ("i1ifmtbaM", "i13i"):
            for quirks in ([], ["like-perf=6.1"], ["like-perf=7.3"]):
                counted = [run(case.text, case.path, itrace, "count", order, *quirks)
                           for order in ("0", "1", "2")]
                if counted[1:] != counted[:1] * 2:
                    raise AssertionError(f"{options} {itrace}:\n{counted}")


@tap.test
def totals(case):
    """the totals of groups are those of `perf report`"""
    compared = 0
    for seed in range(1, 6):
        run(case.make, case.path, str(seed), "900", "3", "switches")
        # Fewer than a thousand, which perf does not round.
        report = "\n".join(run("perf", "report", "--stdio", "-i", case.path))
        theirs = {name: int(count) for count, name in
                  re.findall(r"# Samples: (\d+)\s+of event '([a-z0-9-]+)'", report)}
        counted = run(case.text, case.path, "default", "count", "2", *LIKE)[0]
        ours = {name: int(count) for name, count in re.findall(r"([a-z0-9-]+)=(\d+)", counted)
                if int(count)}
        if ours != theirs:
            raise AssertionError(f"seed {seed}:\nplumb {ours}\nperf  {theirs}")
        compared += len(ours)
    if compared < 40:
        raise AssertionError(f"only {compared} totals were compared")


if perf.absent:
    tap.skip_all(perf.absent)
with tempfile.TemporaryDirectory() as scratch:
    tap.run(Case(sys.argv[1], sys.argv[2], scratch))
