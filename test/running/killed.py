#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`plumb record --source model`, killed with SIGKILL at random moments.

    killed.py PLUMB PROGRAMS [KILLS]

What was recorded until then can be read, by perf without a warning; commands say that the recorder
was killed; and nothing goes on running. The programs run for ever and say how far they are.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
# What perf says of any recording of SPE, or of another machine's.
ALWAYS = re.compile(rb"Only instruction-based sampling period|unwind: target platform=")
PATIENCE = 60  # seconds for what takes milliseconds


def processes_of(folder):
    """Processes whose command line names a file in `folder`, which is this test's alone."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read()
            with open(f"/proc/{pid}/stat", "rb") as file:
                state = file.read().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if folder.encode() in line and state != b"Z":
            found.append(int(pid))
    return found


def left_behind(folder):
    until = time.monotonic() + PATIENCE
    while (left := processes_of(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


class Recorder(subprocess.Popen):
    """plumb record; into a pipe, which another program empties, if that is among the words."""

    def __init__(self, plumb, path, words):
        self.reader = None
        output = path
        if PIPE in words:
            # A named one: the program's own output is read by the test.
            output = f"{path}.pipe"
            os.mkfifo(output)
            self.reader = subprocess.Popen(  # pylint: disable=consider-using-with
                ["sh", "-c", 'cat <"$1" >"$2"', "sh", output, path])
        super().__init__([plumb, "record", "-q", "--source", "model", "-o", output,
                          *(word for word in words if word != PIPE)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def communicate(self, *args, **kwargs):
        result = super().communicate(*args, **kwargs)
        if self.reader:
            self.reader.wait(timeout=PATIENCE)
        return result


PIPE = "into a pipe"


def kill_one(plumb, program, how, event, chance, folder):
    """Records, kills, and returns the recording's path with how many lines the program wrote."""
    path, copy = os.path.join(folder, "perf.data"), os.path.join(folder, "endless")
    shutil.copy(program, copy)
    if os.path.exists(path):
        os.unlink(path)
    with Recorder(plumb, path, [*event, copy, how]) as process:
        lines = 0
        wanted = chance.randrange(4, 12)
        while lines < wanted and process.stdout.readline():
            lines += 1
        time.sleep(chance.random() * 0.2)
        process.kill()
        # Its ends of the pipes are closed when nothing holds them any more.
        _, said = process.communicate(timeout=PATIENCE)
    assert lines == wanted, f"{lines} lines of {wanted}: {said.decode()}"
    left = left_behind(folder)
    assert not left, f"{len(left)} processes were left behind"
    return path, lines


def came_through_pipe(path):
    with open(path, "rb") as file:
        return file.read(16)[8:] == (16).to_bytes(8, "little")


def reads(words, path):
    """Runs a command that reads a recording: what came through a pipe does so again."""
    if not came_through_pipe(path):
        return subprocess.run([*words, "-i", path], capture_output=True, check=False,
                              timeout=PATIENCE)
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        return subprocess.run([*words, "-i", "-"], stdin=cat.stdout, capture_output=True,
                              check=False, timeout=PATIENCE)


def perf_reads(path, *words):
    """Returns what perf prints of the samples, and what it says that it does not always say."""
    run = reads(["perf", *(words or ("script", "-F", "time,event"))], path)
    said = [line for line in run.stderr.splitlines() if line and not ALWAYS.search(line)]
    return run, said


def check_reading(plumb, path):
    """Returns the number of samples."""
    run = reads([plumb, "script", "-q", "--json"], path)
    assert run.returncode == 0, run.stderr
    found = re.search(rb"the recorder was killed(?:; (\d+) samples? recovered)?", run.stderr)
    assert found, run.stderr
    # The header of a pipe does not know how it ends.
    for how in ("-D",) if came_through_pipe(path) else ("-D", "--header-only"):
        run = reads([plumb, "script", how, "-o", os.devnull], path)
        assert run.returncode == 0 and b"the recorder was killed" in run.stderr, run.stderr
    run, words = perf_reads(path)
    assert run.returncode == 0 and not words, words
    assert bool(run.stdout) == bool(found[1]), (run.stdout, found)
    return int(found[1] or 0)


def check_report(path):
    """perf report, too, says nothing but what it always says."""
    run, words = perf_reads(path, "report", "--stdio", "--sort", "sym")
    assert run.returncode == 0 and not words, words
    assert b" main" in run.stdout, f"{path}: {run.stdout[:400]}"


@tap.test
def recordings(plumb, program, kills):
    """What a killed recorder left is read without a warning, and nothing is left running."""
    if not shutil.which("perf"):
        raise Skip("no perf")
    chance = random.Random(20261122)
    total = 0
    for number in range(kills):
        how = ("alone", "threads", "forks")[number % 3]
        event = (["-e", "spe", "-c", "4096"],
                 ["-e", "CPU_CYCLES:u", "-c", "50000"])[number // 3 % 2]
        with tempfile.TemporaryDirectory() as folder:
            path, lines = kill_one(plumb, program, how, event, chance, folder)
            samples = check_reading(plumb, path)
        # A line is 100,000 turns of a loop of more than four instructions: of half of them, at
        # least, the samples must be there. A line takes much longer than 50 ms.
        expected = lines * 100000 * 4 // (4096 if event[1] == "spe" else 50000) // 2
        assert samples >= expected, f"{how} {event}: {samples} samples after {lines} lines"
        total += samples
    return f"{kills} kills; {total} samples recovered"


def add_sums(plumb, path, sums):
    """Adds up all periods of each of an exact profile's events."""
    run = reads([plumb, "script", "-F", "event,period"], path)
    assert run.returncode == 0, run.stderr
    for period, event in re.findall(rb"(\d+) +exact/(\w+)/", run.stdout):
        sums[event.decode()] = sums.get(event.decode(), 0) + int(period)


def kill_exact(plumb, program, how, way, chance, folder):
    """Returns the sums of what is left, in all files, and the number of lines."""
    sums = {}
    path, lines = kill_one(plumb, program, how, ["--exact", *way], chance, folder)
    parts = [os.path.join(folder, name) for name in os.listdir(folder)
             if name.startswith("perf.data") and not name.endswith(".pipe")]
    # Between two files, there is none of that name.
    if os.path.exists(path):
        if check_reading(plumb, path):
            run = reads([plumb, "report", "--json"], path)
            assert re.search(rb'"incomplete": ?true', run.stdout), f"{how} {way}"
        else:
            assert len(parts) > 1, f"no samples: {how} {way}"
            parts.remove(path)
    for part in parts:
        add_sums(plumb, part, sums)
        check_report(part)
    return sums, lines


WAYS_TO_WRITE = ([], ["-z"], ["--switch-output=1s"], [PIPE], ["--switch-output=1s", "-z"])


@tap.test
def exact_profiles(plumb, program, kills):
    """What a killed recorder leaves of an exact profile covers the run, and adds up."""
    if not shutil.which("perf"):
        raise Skip("no perf")
    chance = random.Random(20261125)
    executed = 0
    for number in range(max(-(-kills // 2), len(WAYS_TO_WRITE))):
        how = ("alone", "threads", "forks")[number % 3]
        way = WAYS_TO_WRITE[number % len(WAYS_TO_WRITE)]
        with tempfile.TemporaryDirectory() as folder:
            sums, lines = kill_exact(plumb, program, how, way, chance, folder)
        what = f"{how} {way}: {sums} of {lines} lines"
        # As above: a line takes longer than it takes until its half is in the file.
        assert sums["INST_RETIRED"] >= lines * 100000 * 4 // 2, what
        # The slots of all cycles, but for what was being written just then.
        slots = sums["OP_RETIRED"] + sum(count for event, count in sums.items()
                                         if event.startswith("slots_"))
        assert abs(slots - 5 * sums["CPU_CYCLES"]) <= 5 * 300000, f"{slots} slots; {what}"
        executed += sums["INST_RETIRED"]
    return f"{executed} instructions recovered"


@tap.test
def shared_lines(plumb, program, kills):
    """So does what it leaves of the cache lines that threads share."""
    if not shutil.which("perf"):
        raise Skip("no perf")
    chance = random.Random(20261126)
    moves = 0
    for number in range(max(-(-kills // 5), len(WAYS_TO_WRITE) - 1)):
        way = WAYS_TO_WRITE[number % (len(WAYS_TO_WRITE) - 1)]
        with tempfile.TemporaryDirectory() as folder:
            sums, lines = kill_exact(plumb, program, "shares", way, chance, folder)
        # Each turn of the first thread reads and writes the line, and the second does as much.
        assert sums["line_accesses"] >= lines * 100000 * 2 // 2, f"{way}: {sums} of {lines} lines"
        assert 0 < sums["line_moves"] <= sums["line_accesses"], sums
        moves += sums["line_moves"]
    return f"{moves} moves recovered"


@tap.test
def beginnings(plumb, program, kills):
    """Killed before the first sample, too: perf reads it without a warning, or there is nothing."""
    if not shutil.which("perf"):
        raise Skip("no perf")
    ways = (["-e", "spe", "-c", "4096"], ["-e", "CPU_CYCLES:u", "-c", "50000"], ["--exact"])
    chance = random.Random(20261123)
    absent = empty = 0
    for number in range(kills):
        with tempfile.TemporaryDirectory() as folder:
            path, copy = f"{folder}/perf.data", f"{folder}/endless"
            shutil.copy(program, copy)
            with subprocess.Popen([plumb, "record", "-q", "--source", "model", "-o", path,
                                   *ways[number % 3], copy, "alone"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                # As soon as there is a file, or a little later.
                until = time.monotonic() + PATIENCE
                while not os.path.exists(path) and time.monotonic() < until:
                    time.sleep(0.001)
                time.sleep(chance.random() ** 3 / 2)
                process.kill()
            assert not left_behind(folder), "processes were left behind"
            run, words = perf_reads(path)
            if run.returncode != 0 and not os.path.getsize(path):
                absent += 1
            elif run.returncode != 0:
                # Killed within the writing of the header: neither takes it for a recording.
                ours = subprocess.run([plumb, "script", "-i", path], capture_output=True,
                                      check=False, timeout=PATIENCE)
                assert ours.returncode == 2, (ours.returncode, ours.stderr, words)
                absent += 1
            else:
                assert not words, (ways[number % 3], words)
                empty += check_reading(plumb, path) == 0
    assert empty > 0, "no recording without a sample was tried"
    return f"{kills} kills; {absent} before the recording began, {empty} before the first sample"


@tap.test
def counting(plumb, program, _):
    """A killed `plumb stat` leaves nothing running either."""
    for how in ("alone", "threads", "forks", "deaf"):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "endless")
            shutil.copy(program, copy)
            with subprocess.Popen([plumb, "stat", "--source", "model", "--children", copy, how],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                assert process.stdout.readline()
                process.kill()
                process.communicate(timeout=PATIENCE)
            assert not left_behind(folder), how


WAYS_TO_RUN = (["stat", "--children"], ["stat"], ["record", "-q", "-e", "spe", "-o", "out"],
               ["record", "-q", "-e", "CPU_CYCLES:u", "-c", "50000", "-o", "out"])


@tap.test
def ended(plumb, program, _):
    """What a signal or a limit ends leaves nothing running; what ends by itself leaves its own"""
    signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    for number, words in enumerate((*WAYS_TO_RUN, *WAYS_TO_RUN)):
        how, ends = ("forks", "forks-deaf")[number >= 4], signals[number % 3]
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "endless")
            shutil.copy(program, copy)
            with subprocess.Popen([plumb, *words, "--source", "model", copy, how], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                assert process.stdout.readline()
                process.send_signal(ends)
                process.wait(timeout=PATIENCE)
                assert process.returncode == -ends, process.returncode
            assert not left_behind(folder), f"{words} {how} {ends}"
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "endless")
        shutil.copy(program, copy)
        subprocess.run([plumb, "stat", "--source", "model", "--timeout", "20", copy, "forks"],
                       check=True, timeout=PATIENCE, capture_output=True)
        assert not left_behind(folder), "--timeout"
        # Not by a pipe: the children hold its other end.
        subprocess.run([plumb, "stat", "--source", "model", "-o", f"{folder}/out", copy, "leaves"],
                       check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)
        time.sleep(3)
        left = processes_of(folder)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert len(left) == 2, f"{len(left)} of 2 children run on"


@tap.test
def interrupted(plumb, program, kills):
    """Threads that run on after an exact profile has ended lose none of its memory accesses"""
    chance = random.Random(20261127)
    for _ in range(kills):
        with subprocess.Popen([plumb, "record", "--no-progress", "--source", "model", "--exact",
                               "-o", "-", program, "threads"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            # The recording has the standard output; the program gets the other.
            assert process.stderr.readline()
            time.sleep(chance.random() * 0.5)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=PATIENCE)
        assert b"samples" in said and b"did not report" not in said, said


@tap.test
def perf_source(plumb, *_):
    """A program that the kernel's counters sample ends with the recorder, and samples are there"""
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "perf.data")
            with subprocess.Popen([plumb, "record", "-q", "--source", "perf", "-e", "task-clock:u",
                                   "-c", "1000000", "-o", path, "sh", "-c",
                                   "echo $$; while :; do :; done", folder],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                began = process.stdout.readline()
                if not began:
                    raise Skip(f"no samples here: {process.communicate()[1].decode()}")
                time.sleep(1)
                process.kill()
                process.communicate(timeout=PATIENCE)
            assert not left_behind(folder), "the program runs on"
            assert not os.path.exists(f"/proc/{int(began)}/exe"), "the program runs on"
            run = subprocess.run([plumb, "script", "-q", "-i", path], capture_output=True,
                                 check=False, timeout=PATIENCE)
            assert run.returncode == 0 and b"the recorder was killed" in run.stderr, run.stderr
            assert run.stdout, "no samples"


if __name__ == "__main__":
    PLUMB, PROGRAMS = (os.path.realpath(word) for word in sys.argv[1:3])
    PROGRAM = os.path.join(PROGRAMS, "running-endless")
    if not os.path.exists(PROGRAM):
        tap.skip_all("no compiler for AArch64")
    elif engine.absent(PLUMB):
        tap.skip_all(engine.absent(PLUMB))
    tap.run(PLUMB, PROGRAM, int(sys.argv[3]) if len(sys.argv) > 3 else 20)
