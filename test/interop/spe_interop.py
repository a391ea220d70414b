#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings with SPE data, as plumb and perf read them: packet by packet, sample by sample, and the
totals of each group. Of the model, which samples PROGRAM, and by chance.
spe_interop.py PLUMB MAKE_SPE_RECORDING PROGRAM"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import engine
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()
MADE_UP = re.compile(r" \S+(?= \()")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def perf_packets(path):
    """The AUX data in perf's dump of everything."""
    lines, inside = [], False
    for line in run("perf", "report", "-D", "-i", path).split("\n"):
        head = re.match(r"(?:\S+ \S+ )?(0x[0-9a-f]+ \[0x30\]: PERF_RECORD_AUXTRACE size: .*)", line)
        if head:
            inside = True
            lines.append(head[1])
        elif inside and re.match(r"\.(  [0-9a-f]{8}: | \.\.\. )", line):
            lines.append(line.rstrip())
        elif not line.startswith("."):
            inside = False
    return lines


def plumb_packets(plumb, path):
    return [line.rstrip() for line in run(plumb, "spe", "dump", *perf.options(), path).split("\n")
            if line.strip(". ")]


def same_lines(ours, theirs, at_least):
    for number, (mine, line) in enumerate(zip(ours, theirs)):
        # Newer perfs have names for the PLT of static programs, as Plumb has: "name@plt", and ".plt"
        # before them. Older ones see _init go on.
        made_up = (re.search(r"@plt| \.plt\+", line) or
                   "@plt" in mine and re.search(r" _init\+|\[unknown\]", line))
        if mine != line and not (made_up and MADE_UP.sub(" ", mine) == MADE_UP.sub(" ", line)):
            raise AssertionError(f"line {number}\nours:   {mine}\nperf's: {line}")
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(ours)} lines, perf has {len(theirs)}")
    if len(theirs) < at_least:
        raise AssertionError(f"only {len(theirs)} lines")
    return f"compared {len(theirs)} lines"


def rounded(count):
    """A count as perf report's head has it."""
    for unit, letter in ((10 ** 9, "G"), (10 ** 6, "M"), (10 ** 3, "K")):
        if count >= unit:
            return f"{count // unit}{letter}"
    return str(count)


def perf_totals(path, itrace):
    """Group -> the samples as perf rounds them, and its event count."""
    text = run("perf", "report", "--stdio", *itrace, "-i", path)
    found = re.findall(r"# Samples: (\w+) +of event '([^']*)'\n# Event count \(approx\.\): (\d+)",
                       text)
    return {event: (samples, int(count)) for samples, event, count in found}


def plumb_totals(plumb, path, itrace):
    text = run(plumb, "script", "--quiet", *perf.options(), *itrace, "-i", path)
    return {event: int(count) for count, event in re.findall(r"^ *(\d+)  (\S+)$", text, re.M)
            if int(count) > 0}


def same_totals(plumb, path, at_least, *itrace):
    ours, theirs = plumb_totals(plumb, path, itrace), perf_totals(path, itrace)
    if {event: rounded(count) for event, count in ours.items()} != \
            {event: samples for event, (samples, _) in theirs.items()}:
        raise AssertionError(f"{itrace}: ours {ours}, perf's {theirs}")
    # Of one sample a record the period is 1, and perf's event count that of samples.
    for event, (_, count) in theirs.items():
        # Newer perfs take 0 for the period if none is asked for.
        if event != "cpu-clock" and ours[event] != count and not (perf.newest and count == 0):
            raise AssertionError(f"{itrace}: {event}: {ours[event]}, perf counts {count}")
    if len(theirs) < at_least:
        raise AssertionError(f"only {len(theirs)} groups")
    return len(theirs)


class Recordings:
    """Made once, when first asked for."""

    def __init__(self, plumb, make, program, folder):
        self.plumb, self.maker, self.program, self.folder = plumb, make, program, Path(folder)
        self.made = {}

    def by_chance(self, *options):
        if options not in self.made:
            path = self.folder / f"{len(self.made)}.data"
            run(self.maker, path, "11", "9000", "3", *options)
            self.made[options] = path
        return self.made[options]

    def of_model(self, event):
        if engine.absent(self.plumb):
            raise Skip(engine.absent(self.plumb))
        if not Path(self.program).exists():
            raise Skip("no program for AArch64")
        if event not in self.made:
            path = self.folder / f"{len(self.made)}.data"
            run(self.plumb, "record", "-e", event, "-o", path, "--", self.program)
            self.made[event] = path
        return self.made[event]


CHANCE = [("contexts", "physical"), ("thread", "timeless"), ("compact", "chunk=1000", "clock"),
          ("switches", "collisions")]
MODEL = ["spe/ts_enable=1/", "spe/load,pa_enable=1/", "spe/min_latency=8/"]


def all_paths(recordings, kinds):
    return [recordings.by_chance(*kind) if isinstance(kind, tuple) else recordings.of_model(kind)
            for kind in kinds]


def packets(recordings, kinds, at_least):
    return "; ".join(same_lines(plumb_packets(recordings.plumb, path), perf_packets(path), at_least)
                     for path in all_paths(recordings, kinds))


def samples(recordings, kinds, at_least):
    remarks = []
    for path in all_paths(recordings, kinds):
        for itrace in ([], ["--itrace=i1i"]):
            ours = run(recordings.plumb, "script", *perf.options(), *itrace, "-i",
                       path).split("\n")
            theirs = run("perf", "script", *itrace, "-i", path).split("\n")
            remarks.append(same_lines([line.rstrip() for line in ours],
                                      [line.rstrip() for line in theirs], at_least))
    return "; ".join(remarks)


def totals(recordings, kinds, at_least):
    groups = 0
    for path in all_paths(recordings, kinds):
        for itrace in ([], ["--itrace=i1i"], ["--itrace=bM"]):
            groups += same_totals(recordings.plumb, path, at_least if not itrace else 1, *itrace)
    return f"compared {groups} groups"


@tap.test
def packets_by_chance(recordings):
    """by chance: plumb spe dump prints perf's packets"""
    return packets(recordings, CHANCE, 60000)


@tap.test
def packets_of_model(recordings):
    """of the model: plumb spe dump prints perf's packets"""
    return packets(recordings, MODEL, 500)


@tap.test
def samples_of_model(recordings):
    """of the model: plumb script prints what perf script does, line by line"""
    return samples(recordings, MODEL, 100)


@tap.test
def totals_by_chance(recordings):
    """by chance: plumb script --quiet counts what perf report does, group by group"""
    return totals(recordings, CHANCE, 9)


@tap.test
def totals_of_model(recordings):
    """of the model: plumb script --quiet counts what perf report does, group by group"""
    return totals(recordings, MODEL, 2)


@tap.test
def losses_with_every_result(recordings):
    """what was lost is said with every result, and what to change"""
    path = recordings.by_chance("switches", "collisions")
    for words in (["script"], ["script", "--quiet"], ["script", "--json"], ["spe", "dump"],
                  ["export", "--format", "spe-csv", "-o", recordings.folder / "tables"]):
        command = [recordings.plumb, *words, *([path] if "script" not in words else ["-i", path])]
        said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=True).stderr
        for part in ("collisions", "truncated", "(-c)"):
            if part not in said and part.replace("truncated", "cut short") not in said:
                raise AssertionError(f"{words}: nothing of {part}: {said!r}")
    return "five results"


if perf.absent:
    tap.skip_all(perf.absent)
with tempfile.TemporaryDirectory() as work:
    tap.run(Recordings(*sys.argv[1:], work))
