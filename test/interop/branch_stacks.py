#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""branch_stacks.py PLUMB COPY: branch stacks of a recording, as perf and as Plumb read and add them up.

No machine with a branch buffer is at hand, so the recording is made here, by chance; COPY writes it
anew with Plumb's writer. perf script and perf report -b judge both.
"""
import collections
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_tool import run_perf
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()

PROGRAM = """
#define FUNCTION(name) __attribute__((noipa)) int name(int n) { return n * 3 + 1; }
FUNCTION(first) FUNCTION(second) FUNCTION(third) FUNCTION(fourth) FUNCTION(fifth)
int main(void) { return first(second(third(fourth(fifth(0))))) & 0; }
"""
NAMES = ["first", "second", "third", "fourth", "fifth", "main"]
PID = 4321
SIZE = 128  # of attributes: PERF_ATTR_SIZE_VER7
# Address, process and thread, time, period, branch stack, identifier.
SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x100 | 0x800 | 0x10000
ANY, TYPE_SAVE, HW_INDEX = 1 << 3, 1 << 16, 1 << 17
FLAGS = 1 << 18 | 1 << 10  # each record tells its event; the period is a frequency
EVENTS = [("cycles", 0, ANY, 1001), ("branches", 4, ANY | TYPE_SAVE | HW_INDEX, 1002)]


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value, room):
    return value.encode() + bytes(room - len(value) % room)


class Branch(collections.namedtuple("Branch", "origin target flags")):
    missed = property(lambda self: self.flags & 1)
    known = property(lambda self: self.flags & 3)


def sample(number, event, branches):
    name, _, kinds, identifier = event
    body = struct.pack("<QQiiQQ", identifier, branches[0].origin if branches else 0x401000, PID, PID,
                       1000 + number, 77)
    body += struct.pack("<Q", len(branches))
    body += struct.pack("<Q", 0xFFFFFFFFFFFFFFFF) if kinds & HW_INDEX else b""
    for branch in branches:
        body += struct.pack("<QQQ", *branch)
    return record(9, 2, body)


class Recording:
    """Of a program that is never run: `stacks` has pairs of an event's index and its branches."""

    def __init__(self, folder, name, stacks):
        self.path = str(Path(folder) / name)
        self.stacks = stacks
        attributes, descriptions, ids = b"", struct.pack("<II", len(EVENTS), SIZE), b""
        for i, (label, config, kinds, identifier) in enumerate(EVENTS):
            attribute = struct.pack("<IIQQQQQ", 0, SIZE, config, 4000, SAMPLE_TYPE, 4, FLAGS)
            attribute = attribute.ljust(72, b"\0") + struct.pack("<Q", kinds)
            attribute = attribute.ljust(SIZE, b"\0")
            padded = text(label, 64)
            descriptions += attribute + struct.pack("<II", 1, len(padded)) + padded
            descriptions += struct.pack("<Q", identifier)
            attributes += attribute + struct.pack("<QQ", 104 + 8 * i, 8)
            ids += struct.pack("<Q", identifier)
        data = record(3, 0, struct.pack("<ii", PID, PID) + text("made", 8) + self.tail(1))
        data += record(1, 2, struct.pack("<iiQQQ", PID, PID, *self.mapping(folder)) +
                       text(str(Path(folder) / "program"), 8) + self.tail(2))
        for number, (event, branches) in enumerate(stacks):
            data += sample(number, EVENTS[event], branches)
        attributes_at = 104 + len(ids)
        data_at = attributes_at + len(attributes)
        table_at = data_at + len(data)
        features = struct.pack("<QQ", table_at + 32, len(descriptions))  # EVENT_DESC, then BRANCH_STACK
        features += struct.pack("<QQ", table_at + 32 + len(descriptions), 0)
        header = b"PERFILE2" + struct.pack("<QQ", 104, SIZE + 16)
        header += struct.pack("<QQQQQQ", attributes_at, len(attributes), data_at, len(data), 0, 0)
        header += struct.pack("<QQQQ", 1 << 12 | 1 << 15, 0, 0, 0)
        Path(self.path).write_bytes(header + ids + attributes + data + features + descriptions)

    @staticmethod
    def tail(time):
        """What follows each record that is no sample: process and thread, time, identifier."""
        return struct.pack("<iiQQ", PID, PID, time, EVENTS[0][3])

    @staticmethod
    def mapping(folder):
        """Address, length and offset of the program's code."""
        lines = subprocess.run(["readelf", "-lW", str(Path(folder) / "program")], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        found = next(re.match(r"\s+LOAD\s+(\S+) (\S+) \S+ \S+ (\S+) R E", line) for line in lines
                     if re.match(r"\s+LOAD.* R E ", line))
        offset, address, size = (int(word, 16) for word in found.groups())
        return address, (size + 4095) & ~4095, offset


class World:
    """The program, the recording, and its copy."""

    def __init__(self, copy, folder):
        self.folder = folder
        program = Path(folder) / "program"
        source = program.with_suffix(".c")
        source.write_text(PROGRAM)
        subprocess.run(["gcc", "-O1", "-g", "-no-pie", "-o", program, source], check=True)
        symbols = subprocess.run(["nm", "-S", program], check=True, capture_output=True,
                                 text=True).stdout
        self.functions = {}
        for line in symbols.splitlines():
            words = line.split()
            if words[-1] in NAMES:
                self.functions[words[-1]] = int(words[0], 16), int(words[1], 16)
        chance = random.Random(1)
        self.made = self.record(copy, "made", lambda: self.stack(chance, 0.05, 1000))
        # perf report 6.1 crashes where an address has no mapping, and where branches that are not
        # in order have cycles.
        self.plain = self.record(copy, "plain", lambda: self.stack(chance, 0, 1))

    def record(self, copy, name, stack):
        """A recording, and beside it its copy."""
        made = Recording(self.folder, name, [(i % 3 // 2, stack()) for i in range(600)])
        made.paths = made.path, made.path + ".copy"
        subprocess.run([copy, *made.paths, "0"], check=True, capture_output=True)
        return made

    def place(self, chance, kernel):
        """An address: mostly in a function that is early in the list, or in the kernel."""
        if chance.random() < kernel:
            return 0xFFFFFFFF81000000 + chance.randrange(4)
        start, size = self.functions[NAMES[min(int(chance.expovariate(0.6)), len(NAMES) - 1)]]
        return start + chance.randrange(size)

    def stack(self, chance, kernel, cycles):
        return [Branch(self.place(chance, kernel), self.place(chance, kernel),
                       chance.choice((2, 2, 2, 1, 0)) | chance.randrange(4) << 2 |
                       chance.randrange(cycles) << 4 | chance.randrange(1, 12) << 20)
                for _ in range(chance.choice((0, 1, 8, 31, 32)))]


def output(*command):
    done = run_perf(list(command), capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode} {done.stderr}")
    return done.stdout


def rows(plumb, path, keys, *options):
    """plumb report's rows by event."""
    printed = json.loads(output(plumb, "report", "-i", path, "--branch", "--json", "-s", keys, *options))
    return {event["name"]: event for event in printed["events"]}


@tap.test
def scripts(world, plumb):
    """plumb script -F brstack prints what perf script does, of the recording and of its copy"""
    if perf.absent:
        raise Skip(perf.absent)
    count = 0
    for path in world.made.paths:
        for fields in ("ip,brstack", "event,ip,brstack", "ip,brstack,dso"):
            theirs = output("perf", "script", "-i", path, "-F", fields)
            ours = output(plumb, "script", *perf.options(), "-i", path, "-F", fields)
            assert theirs == ours, (path, fields, [pair for pair in zip(
                theirs.splitlines(), ours.splitlines()) if pair[0] != pair[1]][:1])
            count += theirs.count("/")
    assert count > 100000, count
    return f"{count // 7} branches"


@tap.test
def truth(world, plumb):
    """plumb report --branch counts each branch of each stack, and those mispredicted"""
    count = 0
    for index, (event, *_) in enumerate(EVENTS):
        branches = [branch for at, stack in world.made.stacks if at == index for branch in stack]
        for keys, key_of in (("ip", lambda b: (f"{b.origin:#x}",)),
                             ("branch_target,ip", lambda b: (f"{b.target:#x}", f"{b.origin:#x}"))):
            expected = collections.Counter(map(key_of, branches))
            known = collections.Counter(key_of(b) for b in branches if b.known)
            missed = collections.Counter(key_of(b) for b in branches if b.missed)
            found = rows(plumb, world.made.paths[1], keys)[event]
            assert found["samples"] == len(branches)
            assert found["stacks"] == sum(at == index for at, _ in world.made.stacks)
            got = {tuple(row[key] for key in keys.split(",")): row for row in found["rows"]}
            assert {key: row["samples"] for key, row in got.items()} == expected
            for key, row in got.items():
                rate = 100 * missed[key] / known[key] if known[key] else None
                value = row["mispredictions"]
                assert (rate is None) == (value is None), (key, rate, value)
                assert rate is None or abs(rate - value) < 0.01, (key, rate, value)
                count += 1
    return f"{count} rows"


@tap.test
def reports(world, plumb):
    """plumb report --branch has the rows of perf report -b, of the recording and of its copy"""
    if perf.absent:
        raise Skip(perf.absent)
    count = 0
    for path in world.plain.paths:
        # perf finds by the feature BRANCH_STACK what to show.
        printed = output("perf", "report", "-i", path, "--stdio", "-n", "-t", ";", "--sort",
                         "symbol_from,symbol_to", "--percent-limit", "0")
        theirs, event = collections.defaultdict(dict), None
        for line in printed.splitlines():
            if found := re.match(r"# Samples: \S+\s+of event '([^':]*)", line):
                event = found[1]
            elif event and line.count(";") >= 3 and line[0] != "#":
                # A fifth column has instructions per cycle where blocks are complete.
                share, samples, origin, target = line.split(";")[:4]
                pair = tuple(word.split()[-1] for word in (origin, target))
                theirs[event][pair] = int(samples), float(share.strip().rstrip("%"))
        for event, *_ in EVENTS:
            ours = {(row["symbol"], row["symbol_to"]): (row["samples"], row["share"])
                    for row in rows(plumb, path, "symbol_from,symbol_to")[event]["rows"]}
            assert len(ours) == len(NAMES) ** 2 and ours.keys() == theirs[event].keys(), event
            for pair, (samples, share) in ours.items():
                assert samples == theirs[event][pair][0], (pair, samples, theirs[event][pair])
                assert abs(share - theirs[event][pair][1]) <= 0.00501, (pair, share)
                count += 1
    return f"{count} rows"


def perf_branch_rows(path, key):
    """{event: {cell: [share, samples]}} of perf report -b with one key."""
    theirs, event = {}, None
    printed = output("perf", "report", "-b", "-n", "--stdio", "-s", key, "-t", ";", "-i", path)
    for line in printed.splitlines():
        if found := re.match(r"# Samples: \S+\s+of event '([^':]*)", line):
            event = theirs.setdefault(found[1], {})
        elif event is not None and line.count(";") >= 2 and line[0] != "#":
            share, samples, cell = line.split(";")[:3]
            row = event.setdefault(cell.strip(), [0, 0])
            row[0] += float(share.strip().rstrip("%"))
            row[1] += int(samples)
    return theirs


@tap.test
def targets(world, plumb):
    """plumb report -s dso_to, srcline_to, mispredict and cycles have perf report -b's rows"""
    if perf.absent:
        raise Skip(perf.absent)
    count = 0
    # What is neither predicted nor mispredicted has the text of perf's row before it.
    known = Recording(world.folder, "known", [
        (event, [branch._replace(flags=branch.flags & 3 or 2) for branch in stack])
        for event, stack in world.plain.stacks])
    for key, path in (("dso_to", world.plain.paths[0]), ("srcline_to", world.plain.paths[0]),
                      ("mispredict", known.path)):
        theirs = perf_branch_rows(path, key)
        for event, *_ in EVENTS:
            ours = {row[key]: [row["share"], row["samples"]]
                    for row in rows(plumb, path, key)[event]["rows"]}
            if key == "mispredict":
                ours = {cell[0]: values for cell, values in ours.items()}
            assert ours.keys() == theirs[event].keys(), (key, ours, theirs[event])
            for cell, (share, samples) in ours.items():
                assert samples == theirs[event][cell][1], (cell, samples, theirs[event][cell])
                assert abs(share - theirs[event][cell][0]) <= 0.01, (cell, share)
                count += 1
    for index, (event, *_) in enumerate(EVENTS):
        branches = [branch for at, stack in world.made.stacks if at == index for branch in stack]
        expected = collections.Counter("Yes" if branch.missed else "No" if branch.known else None
                                       for branch in branches)
        ours = {row["mispredict"]: row["samples"]
                for row in rows(plumb, world.made.paths[0], "mispredict")[event]["rows"]}
        assert ours == expected, (event, ours, expected)
    # perf 6.1 crashes where branches that are not in order have cycles.
    for index, (event, *_) in enumerate(EVENTS):
        expected = collections.Counter(branch.flags >> 4 & 0xffff for at, stack in world.made.stacks
                                       if at == index for branch in stack)
        ours = {int(row["cycles"] or 0): row["samples"]
                for row in rows(plumb, world.made.paths[0], "cycles")[event]["rows"]}
        assert ours == expected, event
    return f"{count} rows"


@tap.test
def intervals(world, plumb):
    """a stack of equal branches says no more than one branch does"""
    chance = random.Random(2)
    places = [Branch(world.functions[name][0], world.functions[name][0], 2 if name < "s" else 1)
              for name in (chance.choice(NAMES[:3]) for _ in range(300))]
    intervals = []
    for name, length in (("single", 1), ("many", 32)):
        made = Recording(world.folder, name, [(0, [place] * length) for place in places])
        found = rows(plumb, made.path, "symbol")["cycles"]
        assert found["samples"] == 300 * length and found["stacks"] == 300
        intervals.append({row["symbol"]: (row["share"], row["interval"], row["mispredictions"])
                          for row in found["rows"]})
    assert intervals[0].keys() == intervals[1].keys() == set(NAMES[:3])
    for name, (share, (low, high), missed) in intervals[0].items():
        other = intervals[1][name]
        assert abs(share - other[0]) < 1e-6 and missed == other[2], (name, share, other)
        assert abs(low - other[1][0]) < 1e-3 and abs(high - other[1][1]) < 1e-3, (low, high, other)
        # Wilson's interval of 300 draws.
        p, q2 = share / 100, 1.959964 ** 2 / 300
        half = 1.959964 / (1 + q2) * (p * (1 - p) / 300 + q2 / 1200) ** 0.5
        assert abs((high - low) / 200 - half) < 0.002, (name, low, high, half)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tap.run(World(sys.argv[2], folder), sys.argv[1])


main()
