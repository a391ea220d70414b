#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""perf_record.py PLUMB PROGRAM: compares plumb record on this machine with perf record.

PROGRAM is built from sampled.c. perf reads all recordings. If counts depend on time, both record
the same run, perf around plumb. Each takes samples at regular times, so the two numbers differ by
less than with random sampling; even then they would be within four standard deviations of each
other 9,999 times in 10,000.
"""
import collections
import contextlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from perf_tool import run_perf
from tap import Skip, Tap

tap = Tap()
STATUS = 7
# The PID namespace that Linux boots with: PROC_PID_INIT_INO in include/linux/proc_ns.h.
INITIAL_NAMESPACE = "pid:[4026531836]"


class Place:
    """What the tests share: both recorders, the program, and a folder.

    perf with -B looks for no build-ids, which perf 6.1 sometimes aborts over.
    """

    def __init__(self, plumb, program, folder):
        self.plumb, self.program, self.folder = plumb, program, Path(folder)

    def fresh(self):
        """Where a recording may be that is not there yet."""
        path = self.folder / "ours"
        path.unlink(missing_ok=True)
        return path

    def record(self, name, options, command, *, tool=None, status=STATUS):
        """Runs a recorder; what it said, and the recording."""
        path = self.folder / name
        tool = tool or [self.plumb, "record", "--no-progress"]
        done = subprocess.run([*tool, "-o", path, *options, "--", *command], text=True,
                              capture_output=True)
        if done.returncode != status:
            raise AssertionError(f"{options}: status {done.returncode}: {done.stderr}")
        return path, done.stderr

    def perf(self, name, options, command, *, status=STATUS):
        return self.record(name, options, command, tool=["perf", "record", "-q", "-B"],
                           status=status)[0]

    def ours(self, name, options, command, *, status=STATUS):
        return self.record(name, options, command, status=status)[0]


def script(path, *options, may_lose=False):
    """perf's text of a recording; a warning of perf's is a failure, unless it is of losses."""
    done = run_perf(["perf", "script", "-i", path, *options], capture_output=True, text=True)
    warned = re.sub(r"Warning:\nProcessed \d+ \w+ and lost .*\n(\nCheck IO/CPU overload!\n)?", "",
                    done.stderr) if may_lose else done.stderr
    if done.returncode or warned.strip():
        raise AssertionError(f"perf script {path}: {done.stderr}")
    return done.stdout


def lost_counts(path):
    """The counts of all records of losses; perf script leaves out the last ones, LOST_SAMPLES."""
    done = run_perf(["perf", "report", "-D", "-i", path], capture_output=True, text=True,
                    errors="replace")
    done.check_returncode()
    lost = r"PERF_RECORD_LOST(?:_SAMPLES)?: id:\d+: ?lost(?: samples )?:(\d+)"
    return [int(n) for n in re.findall(lost, done.stdout)]


def await_size(path, size, recorder):
    """Waits until a recorder has written more than so many bytes."""
    while recorder.poll() is None and not (path.exists() and path.stat().st_size > size):
        time.sleep(0.01)


def lines(path, fields, *options):
    return [line.split() for line in script(path, "-F", fields, *options).splitlines() if line]


def alike(one, other):
    """Whether two counts may be of the same rate: see above."""
    return abs(one - other) <= 4 * math.sqrt(one + other)


def check(fine, *what):
    if not fine:
        raise AssertionError(" ".join(str(part) for part in what))


def both(place, options, turns, inner=()):
    """The same run as perf and plumb record it: of each, the program's own samples' symbols."""
    outer, ours = place.folder / "outer", place.folder / "ours"
    done = subprocess.run(["perf", "record", "-q", "-B", "-o", outer, *options, "--", place.plumb,
                           "record", "-q", "-o", ours, *options, *inner, "--",
                           place.program, str(turns)], capture_output=True, text=True)
    if done.returncode != STATUS:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    found = []
    for path in (outer, ours):
        samples = lines(path, "comm,ip,sym,dso")
        found.append(collections.Counter((words[-2], os.path.basename(words[-1].strip("()")))
                                         for words in samples
                                         if words[0] == os.path.basename(place.program)))
    return found


@tap.test
def same_rate(place):
    """Of one run, both take as many samples, of the same functions."""
    remarks = []
    for event in ("cpu-clock", "task-clock"):
        theirs, ours = both(place, ["-e", event, "-c", "250000"], 1500)
        check(ours.total() > 500 and alike(ours.total(), theirs.total()), event, ours, theirs)
        leaf = ("leaf", os.path.basename(place.program))
        check(alike(ours[leaf], theirs[leaf]), event, ours, theirs)
        # How much the kernel does besides depends on what else runs.
        user = sum(count for (_, dso), count in ours.items() if dso != "[kernel.kallsyms]")
        check(ours[leaf] > 0.9 * user, event, ours)
        remarks.append(f"{event}: perf {theirs.total()}, plumb {ours.total()}")
    return "; ".join(remarks)


@tap.test
def per_thread(place):
    """A ring for the thread gives what a ring for each CPU does."""
    theirs, ours = both(place, ["-e", "task-clock", "-c", "250000"], 1500, ["--per-thread"])
    check(ours.total() > 500 and alike(ours.total(), theirs.total()), ours, theirs)


@tap.test
def frequencies(place):
    """With -F the kernel is asked for the same, and the periods add up to the same time."""
    theirs, ours = place.folder / "outer", place.folder / "ours"
    both(place, ["-e", "task-clock", "-F", "2000"], 1500)
    sums = []
    for path in (theirs, ours):
        sums.append(sum(int(words[1]) for words in lines(path, "comm,period")
                        if words[0] == os.path.basename(place.program)))
    # A period is half a millisecond: the same few at the beginning and at the end.
    check(abs(sums[0] - sums[1]) < 0.05 * sums[0], sums)


@tap.test
def faults(place):
    """Page faults are the same, one by one, where memory is laid out the same."""
    for _ in range(2):
        try:
            return compare_faults(place)
        except AssertionError:
            continue  # a file's page may have left the kernel's cache in between
    return compare_faults(place)


def compare_faults(place):
    # perf adds to the environment, which is on the program's stack.
    command = ["env", "-i", "setarch", "-R", place.program, "1", "500"]
    subprocess.run(command, check=False)
    remarks = []
    for options in ([], ["--per-thread"]):
        options = ["-e", "page-faults:u", "-c", "1", "-d", *options]
        theirs, ours = (lines(record(name, options, command), "comm,ip,addr")
                        for name, record in (("theirs", place.perf), ("ours", place.ours)))
        keep = [[words for words in all if words[0] == os.path.basename(place.program)]
                for all in (theirs, ours)]
        check(len(keep[1]) > 500, "only", len(keep[1]))
        check(keep[0] == keep[1], f"{len(keep[0])} and {len(keep[1])} faults:",
              [pair for pair in zip(*keep) if pair[0] != pair[1]][:3])
        remarks.append(f"{len(keep[1])} faults")
    return ", ".join(remarks)


@tap.test
def chains(place):
    """Call chains are the same."""
    chains = []
    for name, record in (("theirs", place.perf), ("ours", place.ours)):
        path = record(name, ["-e", "cpu-clock", "-c", "250000", "-g"], [place.program, "500"])
        text = script(path, "-F", "ip,sym")
        chains.append(collections.Counter(
            tuple(line.split()[1] for line in block.splitlines() if line.split())
            for block in text.split("\n\n") if "leaf" in block))
    for functions in (("leaf", "hot", "main"), ("leaf", "cold", "main")):
        counts = [sum(count for chain, count in each.items() if chain[:3] == functions)
                  for each in chains]
        shares = [count / each.total() for count, each in zip(counts, chains)]
        # Of two proportions that are the same, the difference's standard deviation.
        sigma = math.sqrt(0.25 * sum(1 / each.total() for each in chains))
        check(min(counts) > 10 and abs(shares[0] - shares[1]) < 4 * sigma, functions, counts)
    deepest = [each.most_common(1)[0][0] for each in chains]
    check(deepest[0] == deepest[1], deepest)
    return " < ".join(deepest[1])


@tap.test
def groups(place):
    """Of several events, each has its own samples."""
    options = ["-e", "{task-clock/period=200000/,page-faults/period=1000/}"]
    names = collections.Counter()
    for line in script(place.ours("ours", options, [place.program, "20", "2000"]),
                       "-F", "event").splitlines():
        names[line.strip().split("/")[0]] += 1
    check(names["task-clock"] > 10 and names["page-faults"] in (1, 2, 3), names)


def attributes(path):
    """What perf says of a recording's events, but for ids and what plumb needs not ask for."""
    done = run_perf(["perf", "evlist", "-v", "-i", path], capture_output=True, text=True)
    done.check_returncode()
    events = []
    for line in done.stdout.splitlines():
        if line.startswith("# Tip: "):
            continue
        name, rest = line.split(": ", 1)
        fields = dict(field.split(": ", 1) for field in rest.split(", ") if ": " in field)
        sampled = set(fields["sample_type"].split("|")) - {"CPU", "PERIOD", "IDENTIFIER", "ID"}
        wanted = {key: fields.get(key, "0") for key in
                  ("type", "config", "{ sample_period, sample_freq }", "freq", "inherit",
                   "exclude_user", "exclude_kernel", "exclude_hv", "exclude_host",
                   "exclude_guest", "exclude_idle", "pinned", "exclusive")}
        events.append((name, sorted(sampled), "GROUP" in fields["read_format"], wanted))
    return events


@tap.test
def read_groups(place):
    """With S the leader alone samples, and each sample has what all counted."""
    options = ["-e", "{task-clock,page-faults}:S", "-c", "1000000"]
    program = [place.program, "200", "2000"]
    ours, theirs = place.ours("ours", options, program), place.perf("perfs", options, program)
    mine, other = attributes(ours)[:2], attributes(theirs)[:2]
    # Where the kernel can, plumb reads the group in new threads and processes, too.
    for event in mine:
        check(event[3].pop("inherit") in ("0", "1"), event)
    for event in other:
        event[3].pop("inherit")
    check(mine == other, mine, other)
    # perf makes a sample of each value that was read: with the difference as its period.
    sums = [collections.Counter() for _ in range(2)]
    for path, counts in zip((ours, theirs), sums):
        for line in script(path, "-F", "event,period").splitlines():
            period, name = line.split()[:2]
            counts[name.rstrip(":")] += int(period)
    check(sums[0]["task-clock"] > 10000000, sums)
    # What happened after the last sample is in none.
    check(all(1000 < counts["page-faults"] < 2200 for counts in sums), sums)
    return f"{sums[0]['page-faults']} faults, {sums[1]['page-faults']} faults"


@tap.test
def modifiers(place):
    """Modifiers, periods and terms are asked of the kernel as perf asks."""
    program = [place.program, "1"]
    for text in ("task-clock:u", "cs:k,{cpu-clock:ppp,faults:uH}:I", "task-clock:D,faults:G",
                 "cpu-clock/period=12345/k,cs/freq=7/", "{cpu-clock,cs:u}:e", "1:2/name=x/uh"):
        ours = attributes(place.ours("ours", ["-e", text], program))
        theirs = attributes(place.perf("perfs", ["-e", text], program))
        # plumb may have an event more, for maps and names.
        for a, b in zip(ours, theirs):
            # perf leaves out guests only for some of its names.
            for event in (a, b):
                if not set("GH") & set(b[0]):
                    event[3].pop("exclude_guest")
            check(a[1:] == b[1:], text, a, b)


@tap.test
def whole_machine(place):
    """With -a every CPU is sampled, and what runs on it is named."""
    path = place.ours("ours", ["-a", "-e", "cpu-clock", "-c", "1000000"],
                      [place.program, "1000"])
    samples = lines(path, "comm,tid,cpu,ip,sym,dso")
    cpus = {words[-4] for words in samples if words[-4].startswith("[")}
    check(cpus <= {f"[{cpu:03}]" for cpu in range(os.cpu_count() or 1)} and cpus, cpus)
    own = [words for words in samples if words[0] == os.path.basename(place.program)]
    check(len(own) > 10 and any("leaf" in words for words in own), len(own))
    # In a PID namespace the kernel gives 0 for whatever runs outside.
    outside = "0" if os.readlink("/proc/self/ns/pid") != INITIAL_NAMESPACE else ""
    nameless = [words for words in samples if words[0].startswith(":") and words[1] != outside]
    check(len(nameless) <= 0.05 * len(samples), nameless[:3])
    return f"{len(samples)} samples on {len(cpus)} CPUs"


@tap.test
def running(place):
    """Processes and threads that run already are sampled, until they end."""
    for options in (["-p"], ["-t"], ["--per-thread", "-t"]):
        target = subprocess.Popen([place.program, "0"])
        try:
            path = place.fresh()
            plumb = subprocess.Popen([place.plumb, "record", "-q", "-e", "task-clock", "-c",
                                      "500000", "-o", path, *options, str(target.pid)])
            # What runs already comes first, and is of any length: the samples follow it. When
            # there are enough of them, the target ends, and with it the recording.
            await_size(path, 16384, plumb)
            await_size(path, path.stat().st_size + 16384, plumb)
        finally:
            target.kill()
            target.wait()
        check(plumb.wait() == 0, options, "status", plumb.returncode)
        # Interrupts and switches, which a busy machine has more of, are the kernel's.
        samples = [words for words in lines(path, "comm,ip,sym,dso")
                   if words[-1] != "([kernel.kallsyms])"]
        leaf = [words for words in samples if words[-2] == "leaf"]
        check(len(leaf) > 0.9 * len(samples) > 10, options, len(leaf), samples[:5])


@tap.test
def interrupted(place):
    """Ctrl-C ends it, and what was recorded is there."""
    target = subprocess.Popen([place.program, "0"])
    try:
        path = place.fresh()
        plumb = subprocess.Popen([place.plumb, "record", "-q", "-e", "task-clock", "-c", "500000",
                                  "-o", path, "-p", str(target.pid)])
        await_size(path, 8192, plumb)
        plumb.send_signal(signal.SIGINT)
        status = plumb.wait()
        check(target.poll() is None, "the target ended, too")
    finally:
        target.kill()
        target.wait()
    check(len(lines(path, "ip")) > 10)
    return f"status {status}"


@tap.test
def lost(place):
    """What a small ring loses is counted, to the end."""
    command = ["env", "-i", "setarch", "-R", place.program, "1", "50000"]
    subprocess.run(command, check=False)
    options = ["-e", "page-faults:u", "-c", "1", "--no-inherit"]
    whole = len(lines(place.ours("ours", [*options, "-m", "4096"], command), "ip"))
    path, said = place.record("ours", [*options, "-m", "1"], command)
    text = script(path, "--show-lost-events", "-F", "comm,ip", may_lose=True)
    counts = lost_counts(path)
    got = sum("PERF_RECORD" not in line for line in text.splitlines() if line.strip())
    if not counts:
        check(abs(got - whole) <= 10, got, whole)
        raise Skip("nothing was lost")
    # Maps and names may be among the lost, which are a few dozen at most; and a page or two may be
    # mapped along with its neighbour in one run and not in the other.
    check(whole - 10 <= got + sum(counts) <= whole + 50, f"{got} + {sum(counts)} of {whole}")
    check("lost" in said, said)
    return f"{got} samples and {sum(counts)} lost, of {whole}"


@tap.test
def killed(place):
    """Killed at any moment, it leaves a recording that perf reads."""
    path = place.fresh()
    plumb = subprocess.Popen([place.plumb, "record", "-q", "-e", "task-clock", "-c", "500000",
                              "-o", path, "--", place.program, "0"], start_new_session=True)
    try:
        await_size(path, 8192, plumb)
    finally:
        plumb.kill()
        plumb.wait()
        # The program ends with its recorder; it may be gone by now.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(plumb.pid, signal.SIGKILL)
    done = run_perf(["perf", "script", "-i", path, "-F", "ip"], capture_output=True, text=True)
    check(done.returncode == 0 and len(done.stdout.splitlines()) > 10, done.stderr)


def main():
    plumb, program = sys.argv[1:]
    if not shutil.which("perf"):
        tap.skip_all("there is no perf")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(plumb, program, folder)
        done = subprocess.run(["perf", "record", "-q", "-B", "-a", "-e", "cpu-clock", "-o",
                               place.folder / "try", "--", "true"], capture_output=True,
                              text=True, errors="replace")
        if done.returncode and not tap.skipped:
            said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
            tap.skip_all(f"perf cannot record here: {said[0]}")
        tap.run(place)


main()
