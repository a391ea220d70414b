#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""recording_read.py DUMP: compares how Plumb and perf read recordings made by perf."""
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Skip, Tap

tap = Tap()
BUSY = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; ls / >/dev/null; ls /usr >/dev/null"
USER_KINDS, HEADER_ATTR, FINISHED_ROUND, COMPRESSED = 64, 64, 68, 81
PIPE_HEADER = 16
DATA_SECTION, FEATURES = 40, 72  # where the header has them
ROUND = struct.pack("=IHH", FINISHED_ROUND, 0, 8)

RAW = re.compile(r"^(0x[0-9a-f]+|0)@\S+ \[(0x[0-9a-f]+)\]: event: (\d+)$")
HEX = re.compile(r"^\.  [0-9a-f]{4}:  ((?:[0-9a-f]{2} )+)")
NAMED = re.compile(r"^((?:-?\d+ )*)(0x[0-9a-f]+|0) \[(0x[0-9a-f]+)\]: PERF_RECORD_(\w+)(.*)$")
# How perf shows what a sample holds besides, and as the dump shows it.
MEMBERS = [
    (re.compile(r"^\.{5} +\d+: ([0-9a-f]{16})$"), "chain"),
    (re.compile(r"^\.\.\. (?:FP|LBR) chain: nr:\d+$|^\.\.\. chain: nr:\d+$"), "chain begins"),
    (re.compile(r"^\.\.\. user regs: mask"), "user begins"),
    (re.compile(r"^\.\.\. intr regs: mask"), "intr begins"),
    (re.compile(r"^\.\.\.\. \w+ +0x([0-9a-f]{16})$"), "register"),
    (re.compile(r"^\.\.\. ustack: size (\d+), offset"), "stack"),
    (re.compile(r"^\.\.\. weight: (\d+)"), "weight"),
    (re.compile(r"^ \. data_src: 0x([0-9a-f]+)$"), "data_src"),
    (re.compile(r"^ \.\. phys_addr: 0x([0-9a-f]+)$"), "phys"),
    (re.compile(r"^ \.\. data page size: (\S+)$"), "data page"),
    (re.compile(r"^ \.\. code page size: (\S+)$"), "code page"),
    (re.compile(r"^\.{6} time enabled ([0-9a-f]{16})$"), "enabled"),
    (re.compile(r"^\.{6} time running ([0-9a-f]{16})$"), "running"),
    (re.compile(r"^\.{5} id ([0-9a-f]{16}), value ([0-9a-f]{16})(?:, lost (\d+))?$"), "read"),
]
NAMESPACE = re.compile(r"\d+/\w+: (\d+/(?:0x)?[0-9a-f]+)")
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def page_size(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else 0


class Recordings:
    """perf's recordings, each made when it is first asked for."""

    def __init__(self, dump, folder):
        self.dump, self.folder = dump, Path(folder)

    def record(self, name, *options, command=BUSY):
        path = self.folder / name
        done = subprocess.run(["perf", "record", "-o", path, *options, "--", "sh", "-c", command],
                              capture_output=True, text=True)
        if done.returncode:
            raise Skip("perf cannot record so here: " + done.stderr.strip().split("\n")[0])
        return str(path)

    def read(self, path, *options, through_pipe=False):
        stdin = subprocess.Popen(["cat", path], stdout=subprocess.PIPE).stdout \
            if through_pipe else None
        done = subprocess.run([self.dump, *options, "-" if through_pipe else path],
                              capture_output=True, text=True, errors="replace", stdin=stdin)
        said = [line for line in done.stderr.splitlines() if "out-of-order: " not in line]
        if done.returncode or said:
            raise AssertionError(f"status {done.returncode}: {done.stderr}")
        return done.stdout.splitlines()


class Record:
    """One record: where it is and what it is; and what it says, as words."""

    def __init__(self, offset, size, kind):
        self.offset, self.size, self.kind = int(offset, 16), int(size, 16), int(kind)
        self.cpu = self.time = 0
        self.bytes = self.text = ""
        self.lists = {}

    def key(self):
        return (self.offset, self.size, self.kind, self.bytes)

    def words(self):
        """What perf lists below a sample follows its first line, in the dump's order."""
        words = [self.text]
        for name in ("chain", "user", "intr"):
            if name in self.lists:
                words.append(name + " " + ",".join(self.lists[name]) if self.lists[name] else name)
        for name in ("stack", "weight", "data_src", "phys", "data page", "code page"):
            if name in self.lists:
                words.append(f"{name} {self.lists[name]}")
        if "read" in self.lists:
            words.append("read")
            words += [f"{name} {self.lists[name]}" for name in ("enabled", "running")
                      if name in self.lists]
            words += self.lists["read"]
        return " ".join(" ".join(words).split())


def hexadecimal(digits):
    return f"{int(digits, 16):x}"


def take_member(record, group, name, found):
    """Adds what one line of perf's says; returns which registers are being listed."""
    if name.endswith(" begins"):
        group = name.split()[0]
        record.lists[group] = []
    elif name == "chain":
        record.lists["chain"].append(hexadecimal(found[1]))
    elif name == "register":
        record.lists[group].append(hexadecimal(found[1]))
    elif name in ("data page", "code page"):
        record.lists[name] = page_size(found[1])
    elif name == "read":
        lost = "-" + found[3] if found[3] else ""
        record.lists.setdefault("read", []).append(
            hexadecimal(found[1]) + "=" + hexadecimal(found[2]) + lost)
    elif name in ("stack", "weight"):
        record.lists[name] = found[1]
    else:
        record.lists[name] = hexadecimal(found[1])
    return group


def take_line(record, group, line):
    found = HEX.match(line)
    if found:
        record.bytes += found[1].replace(" ", "")
        return group
    found = NAMED.match(line)
    if found and int(found[2], 16) == record.offset:
        numbers = [int(number) for number in found[1].split()]
        if record.kind < USER_KINDS and numbers:
            record.time = numbers[-1]
            record.cpu = numbers[-2] if len(numbers) > 1 else 0
        record.text = found[4] + found[5]
        return group
    if record.text.startswith("NAMESPACES"):
        record.text += "".join(" " + one for one in NAMESPACE.findall(line))
        return group
    for pattern, name in MEMBERS:
        found = pattern.match(line)
        if found and (name not in ("chain", "register") or record.lists):
            return take_member(record, group, name, found)
    return group


def of_perf(path):
    """perf's raw dump: every record in the order in which perf gives them to its analysis."""
    done = subprocess.run(["perf", "script", "-D", "-i", path], capture_output=True, text=True,
                          errors="replace")
    if done.returncode:
        raise AssertionError(done.stderr)
    records, group = [], None
    for line in done.stdout.splitlines():
        begin = RAW.match(line)
        if begin:
            records.append(Record(*begin.groups()))
        elif records:
            group = take_line(records[-1], group, line)
    return records


def of_plumb(lines):
    records = []
    for line in lines:
        if line.startswith("#"):
            continue
        offset, size, kind, cpu, time, _, content, text = line.split(" ", 7)
        record = Record(offset, size, kind)
        record.cpu, record.time, record.bytes, record.text = int(cpu), int(time), content, text
        records.append(record)
    return records


# perf lists CPUs as ranges, and of its own kinds says more than is read here.
def compared(record):
    return record.kind < USER_KINDS or record.kind in (71, 73)


def compare(recordings, path, through_pipe=False):
    """Record by record in the order of time; rounds, which perf shows before what they let go."""
    ours = [record for record in of_plumb(recordings.read(path, "--order",
                                                          through_pipe=through_pipe))
            if record.kind != FINISHED_ROUND]
    # The files of a folder begin with a record; a pipe, in which perf counts so, with an attribute.
    theirs = [record for record in of_perf(path)
              if record.kind not in (FINISHED_ROUND, COMPRESSED) and
              (record.offset or Path(path).is_dir())]
    # perf counts from the first record of a pipe on, and does not show its attributes.
    if any(record.kind == HEADER_ATTR for record in ours):
        ours = [record for record in ours if record.kind != HEADER_ATTR]
        for record in ours:
            record.offset -= PIPE_HEADER
    if len(ours) != len(theirs):
        raise AssertionError(f"{len(ours)} records, perf has {len(theirs)}")
    members = 0
    for our, their in zip(ours, theirs):
        if our.key() != their.key():
            raise AssertionError(f"{our.key()}, perf has {their.key()}")
        if not compared(our):
            continue
        members += 1
        if (our.cpu, our.time) != (their.cpu, their.time) and our.kind < USER_KINDS:
            raise AssertionError(f"{our.text}: cpu {our.cpu} time {our.time}, "
                                 f"perf has {their.cpu} {their.time}")
        text = " ".join(our.text.split())
        if text != their.words():
            raise AssertionError(f"{text}\nperf has {their.words()}")
    samples = sum(record.kind == 9 for record in ours)
    if samples < 5:
        raise AssertionError(f"only {samples} samples")
    kinds = sorted({record.text.split("(")[0].split()[0].rstrip(":") for record in ours})
    return f"{len(ours)} records, {samples} samples, members of {members}: {' '.join(kinds)}"


def case(name, *options, command=BUSY):
    def run(recordings):
        return compare(recordings, recordings.record(re.sub(r"\W+", "-", name) + ".data", *options,
                                                     command=command))
    run.__doc__ = f"{name}: every record is what perf says"
    tap.test(run)


case("one process", "-e", "cpu-clock")
case("call chains", "-e", "cpu-clock", "-g", "-F", "5000")
case("two events", "-e", "cpu-clock,page-faults", "-c", "50000")
case("a group that is read", "-e", "{cpu-clock,page-faults}:S", "-c", "50000")
case("addresses and page sizes", "-e", "cpu-clock", "-d", "--data-page-size", "--code-page-size")
case("all CPUs and switches", "-e", "cpu-clock", "-a", "--switch-events", "-F", "2000")
case("a small ring, which may overflow", "-e", "cpu-clock", "-a", "--switch-events", "-m", "1", "-c",
     "10000", command="ls / >/dev/null")
case("user registers and stack", "-e", "cpu-clock", "--call-graph", "dwarf,1024", "-F", "5000")
case("registers", "-e", "cpu-clock", "-I", "-F", "5000")
case("build-ids of maps", "-e", "cpu-clock", "--buildid-mmap")
case("weight and identifiers", "-e", "cpu-clock,cpu-clock", "-W", "--sample-cpu", "-F", "5000")
case("cgroups and namespaces", "-e", "cpu-clock", "--all-cgroups", "--namespaces")
case("per thread", "-e", "cpu-clock", "--per-thread")
case("threads started later", "-e", "cpu-clock", "-F", "5000",
     command=f"({BUSY}) & ({BUSY}) & wait")
case("compressed", "-e", "cpu-clock", "-z", "-F", "10000", command=BUSY + ";" + BUSY)
case("compressed at the highest level", "-e", "cpu-clock", "-g", "-z22", "-F", "10000")
case("raw data", "-e", "cpu-clock", "-R")
case("several recording threads", "-e", "cpu-clock", "-a", "-F", "2000", "--threads=cpu")
case("several recording threads, compressed", "-e", "cpu-clock,page-faults", "-a", "-g", "-z",
     "-F", "2000", "--threads=cpu")


def pipe_recording(recordings):
    path = recordings.folder / "pipe.data"
    with open(path, "wb") as file:
        done = subprocess.run(["perf", "record", "-e", "cpu-clock", "-g", "-o", "-", "--", "sh",
                               "-c", BUSY], stdout=file, stderr=subprocess.PIPE)
    if done.returncode:
        raise Skip("perf cannot record into a pipe here")
    return str(path)


@tap.test
def pipe_in_a_file(recordings):
    """What perf wrote into a pipe, from a file: every record is what perf says."""
    return compare(recordings, pipe_recording(recordings))


@tap.test
def pipe_through_a_pipe(recordings):
    """What perf wrote into a pipe, through one: every record is what perf says."""
    return compare(recordings, pipe_recording(recordings), through_pipe=True)


def split_records(data):
    """The records of a file's data, none of which has data behind it."""
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("=IHH", data, at)
        yield kind, data[at:at + size]
        at += size


@tap.test
def shuffled(recordings):
    """Records long after their round, and rounds without any: the order is perf's."""
    whole = Path(recordings.record("ordered.data", "-e", "cpu-clock", "-F", "10000")).read_bytes()
    begin, size = struct.unpack_from("=QQ", whole, DATA_SECTION)
    others = [record for kind, record in split_records(whole[begin:begin + size])
              if kind != FINISHED_ROUND]
    chance = random.Random(20261125)
    total = late = 0
    for spread in (3, 30, 300):
        # Each goes up to `spread` places from where it was.
        places = [(place + chance.random() * spread, place) for place in range(len(others))]
        mixed = [others[place] for _, place in sorted(places)]
        for _ in range(20):
            mixed.insert(chance.randrange(len(mixed)), ROUND)
        path = recordings.folder / f"shuffled-{spread}.data"
        data = b"".join(mixed)
        path.write_bytes(whole[:DATA_SECTION] + struct.pack("=QQ", begin, len(data)) +
                         whole[DATA_SECTION + 16:FEATURES] + bytes(32) +
                         whole[FEATURES + 32:begin] + data)
        compare(recordings, str(path))
        times = [record.time for record in of_perf(str(path)) if 0 < record.time < 2**64 - 1]
        late += sum(after < before for before, after in zip(times, times[1:]))
        total += len(others)
    if not late:
        raise AssertionError("perf sorted all of them")
    return f"{total} records, {late} of them too late for perf"


@tap.test
def file_order(recordings):
    """In the file's order records follow one another without a gap."""
    path = recordings.record("gaps.data", "-e", "cpu-clock", "-F", "5000")
    place, count = None, 0
    for record in of_plumb(recordings.read(path)):
        if place not in (None, record.offset):
            raise AssertionError(f"a record at {record.offset:#x}, the last ended at {place:#x}")
        place, count = record.offset + record.size, count + 1
    return f"{count} records"


def header_of_perf(path):
    done = subprocess.run(["perf", "report", "--header-only", "-i", path], capture_output=True,
                          text=True)
    return done.stdout.splitlines()


def event_of_perf(line):
    """name, ids, kind and size of an event's line."""
    name = re.search(r"name = ([^,]+(?:,[^ ,]+)*), ", line)[1]
    ids = re.search(r"id = \{ ([0-9, ]+) \}", line)
    size = re.search(r"\bsize = (\d+)", line)[1]
    kind = re.search(r"\btype = (\d+)", line)
    return (name, ids[1].replace(",", "") if ids else "", kind[1] if kind else "0", size)


@tap.test
def headers(recordings):
    """The header's strings and events are what perf says."""
    path = recordings.record("header.data", "-e", "cpu-clock:u,page-faults", "-c", "50000")
    ours = [line for line in recordings.read(path) if line.startswith("#")]
    theirs = header_of_perf(path)
    names = ("hostname", "os release", "perf version", "arch", "cpudesc", "cpuid", "cmdline")
    for name in names:
        of = [[line.rstrip() for line in lines if line.startswith(f"# {name} : ")]
              for lines in (ours, theirs)]
        if len(of[0]) != 1 or of[0] != of[1]:
            raise AssertionError(f"{of[0]}, perf has {of[1]}")
    events = [event_of_perf(line) for line in theirs if line.startswith("# event : ")]
    read = []
    for line in ours:
        found = re.match(r"# event : name = (.+), type = (\d+), size = (\d+), .*, ids = ?(.*)$",
                         line)
        if found:
            read.append((found[1], found[4], found[2], found[3]))
    if events != read or len(events) < 2:
        raise AssertionError(f"{read}, perf has {events}")
    return f"{len(names)} strings, {len(events)} events"


@tap.test
def killed(recordings):
    """What perf leaves when it is killed is read up to there."""
    path = recordings.folder / "killed.data"
    subprocess.run(["perf", "record", "-m", "1", "-e", "cpu-clock", "-F", "20000", "-o", path, "--",
                    "sh", "-c", BUSY + ";" + BUSY + "; kill -KILL $PPID"], capture_output=True)
    if not path.exists() or path.stat().st_size < 4096:
        raise Skip("perf left no recording")
    done = subprocess.run([recordings.dump, path], capture_output=True, text=True)
    if done.returncode or "cut-off" not in done.stderr or "cut_off 1" not in done.stdout:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    return f"{len(of_plumb(done.stdout.splitlines()))} records"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        tap.run(Recordings(sys.argv[1], where))
