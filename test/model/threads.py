#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that threads run in the model's time, whatever the host does.

    threads.py [--delays LIBRARY [--seeds COUNT]] PLUMB THREADS WAKES

A program without data races that takes nothing from outside has the same counts on every run: with
one processor of the host or all, on a quiet host or a busy one. However threads wait for, wake and
end each other, the program does what it does elsewhere, and ends.

With --delays, it has the same counts whenever the host lets threads go on: delays.c, in QEMU, holds
them up at random, another way with each seed.
"""
import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

EVENTS = "CPU_CYCLES,INST_RETIRED,L1D_CACHE_INVAL,L1D_CACHE_REFILL,STALL_BACKEND,BR_MIS_PRED_RETIRED"
# What the program does, and its status.
SAME = {"locks": 0, "turns": 0, "pipe": 0, "exit": 7, "come": 0, "semaphores": 0, "readers": 0,
        "barrier": 0, "spinning": 0, "relay": 0, "burst": 0, "detached": 0, "events": 0,
        "bystanders": 0, "tagged": 0, "leaderless": 0, "becomes": 0}
SAME_WAKES = {"requeue": 0, "cmp_requeue": 0, "wake_op": 0, "bits": 0, "inherit": 0, "ping": 0,
              "epoll": 0, "results": 0, "unwritable": 0, "protected": 0, "yields": 0}
OTHER = {"sleep": 0, "last": 0, "signal": 0, "fork": 0, "forks": 0, "offspring": 0, "abort": 134}
OTHER_WAKES = {"timed": 0}
SIGNALLED = {"asleep": "whose threads all sleep", "masked": "of which one thread does not block it",
             "beside": "one of whose threads has woken the other"}
TAKES_INPUT = {"pipe", "events", "ping", "epoll", "bystanders"}  # from the system's point of view
SAID_TO_VARY = {"sleep": "waits for a time", "forks": "waits for another process",
                "share": "share memory", "number": "number of a thread", "proc": "in /proc",
                "processors": "how many processors", "event": "wfe",
                "crowd": "more than 512 threads"}
SAYS = "counts may differ|counts are those"
SAID_TO_VARY_WAKES = {"unaligned": "not aligned"}
# With more threads than those for which QEMU has room at first, and with fewer.
SAMPLED = ["burst", "bystanders", "locks"]
SAMPLED_AFTER = "3000"  # before the first thread is made
TIMEOUT = 240
SIGNALS = 6  # that are sent to each program, since only some of them come at a bad time
SIGNAL_TIMEOUT = 60
RELAY_WAKES = 600  # at most: two threads, 300 turns each
DELAY = 240        # cycles, on average, of up to eight times half of N3's peer_latency
TRIES = 5          # while the host's thread numbers get another digit
# In programs whose C library prints each thread's number, as glibc does from version 2.41 on.
PRINTS_NUMBERS = b"glibc: pthread stack"


@contextlib.contextmanager
def busy_host():
    """Two processes for each processor that do nothing else than use it."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
               for _ in range(2 * len(os.sched_getaffinity(0)))]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def last_tid():
    """The number of the host's last thread so far, which begin again at small ones."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[-1])


def children(pid):
    """The processes that a process has started."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def stop_now_and_then(process):
    """Stops what a process runs, for a moment, again and again. Returns how often."""
    stops = 0
    while process.poll() is None:
        for child in children(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGSTOP)
                time.sleep(0.02)
                os.kill(child, signal.SIGCONT)
                stops += 1
        time.sleep(0.02)
    return stops


def digits_changed(before, after):
    """Whether thread numbers got another digit, or began again, between two of them."""
    return after < before or len(str(after)) != len(str(before))


class Plumb:
    def __init__(self, path, program, count_plugin):
        self.path, self.program, self.count_plugin = path, program, count_plugin

    def prints_numbers(self):
        """Whether the program executes 10 instructions per digit of each thread's number."""
        with open(self.program, "rb") as file:
            return PRINTS_NUMBERS in file.read()

    def compare_with_same_digits(self, compare, *parameters):
        """Compares runs. Repeats that only if the program's thread numbers got another digit."""
        for _ in range(TRIES - 1):
            before = last_tid()
            try:
                return compare(*parameters)
            except AssertionError:
                if not (self.prints_numbers() and digits_changed(before, last_tid())):
                    raise
        return compare(*parameters)

    def stat(self, way, *options, before=(), environment=None):
        """Returns the status, the counts, and why they are said to vary, or to be some, or ""."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counts.json")
            done = subprocess.run(
                [*before, self.path, "stat", "--source", "model", "--json", "-o", out,
                 "-e", EVENTS, *options, "--", self.program, way], check=False,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT,
                env={**os.environ, **(environment or {})})
            if not os.path.getsize(out):
                raise AssertionError(f"no result: {done.stderr}")
            with open(out, encoding="utf-8") as file:
                result = json.load(file)
        counts = {event["name"]: event["count"] for event in result["events"]}
        return done.returncode, counts, " ".join(
            text for text in result["warnings"] if re.search(SAYS, text))

    def check_relay(self):
        """Cycles are neither counted while a thread sleeps nor lost when it wakes."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counts.json")
            subprocess.run([self.path, "stat", "--source", "model", "--json", "-o", out, "-e",
                            "CPU_CYCLES,task-clock", "--", self.program, "relay"], check=True,
                           stderr=subprocess.DEVNULL, timeout=TIMEOUT)
            with open(out, encoding="utf-8") as file:
                result = json.load(file)
        cycles, clock = (event["count"] for event in result["events"])
        elapsed = cycles / clock * result["elapsed_seconds"] * 1e9
        # A thread wakes the other one a little before it sleeps itself, and that one is delayed.
        assert elapsed - RELAY_WAKES * DELAY <= cycles <= 1.05 * elapsed, \
            f"{cycles} cycles in a run of {elapsed:.0f}"
        return f"{cycles:.0f} cycles in a run of {elapsed:.0f}"

    def check_same(self, *parameters):
        return self.compare_with_same_digits(self.compare_runs, *parameters)

    def compare_runs(self, way, status):
        one_processor = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        first = self.stat(way)
        assert first[0] == status, f"status {first[0]}, not {status}"
        assert not first[2] or way in TAKES_INPUT, "said to take something from outside"
        runs = [self.stat(way, before=one_processor)]
        with busy_host():
            runs += [self.stat(way)]
        for run in runs:
            assert run == first, f"{run} and {first}"
        return f"{first[1]['CPU_CYCLES']:.0f} cycles, three times"

    def check_delayed(self, *parameters):
        return self.compare_with_same_digits(self.compare_delayed, *parameters)

    def compare_delayed(self, way, status, library, seeds):
        """Not a word of the environment may differ in length: that would move the program's stack."""
        def run(seed):
            return self.stat(way, environment={"LD_PRELOAD": library, "DELAYS": f"{seed:06d}"})

        first = run(0)
        assert first[0] == status, f"status {first[0]}, not {status}"
        for seed in range(1, seeds + 1):
            delayed = run(seed)
            assert delayed == first, f"seed {seed}: {delayed} and {first}"
        return f"{first[1]['CPU_CYCLES']:.0f} cycles, also with {seeds} seeds of delays"

    def check_ends(self, way, status):
        with busy_host():
            run = self.stat(way)
        assert run[0] == status, f"status {run[0]}, not {status}"
        assert run[1]["INST_RETIRED"] > 10000, run[1]

    def check_signalled(self, way):
        """
        A signal ends a program, whatever its threads do, if one of them does not block it. QEMU
        leaves SIGTERM to the kernel, from version 9 on, but not SIGQUIT.
        """
        self.end_by_signal(way, signal.SIGTERM, 0)
        for i in range(SIGNALS):
            self.end_by_signal(way, signal.SIGQUIT, 0.05 * 2**i)

    def end_by_signal(self, way, number, after):
        with subprocess.Popen([self.path, "stat", "--source", "model", "--", self.program, way],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            while len(children(process.pid)) != 1:
                time.sleep(0.01)
            time.sleep(after)
            os.kill(children(process.pid)[0], number)
            try:
                status = process.wait(timeout=SIGNAL_TIMEOUT)
            except subprocess.TimeoutExpired:
                os.kill(children(process.pid)[0], signal.SIGKILL)
                raise
        assert status == 128 + number, status

    def check_stopped(self):
        """A program that is stopped for a while goes on, and counts none of that time."""
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for stopped in (False, True):
                out = os.path.join(folder, f"counts-{stopped}.json")
                with subprocess.Popen(
                        [self.path, "stat", "--source", "model", "--json", "-o", out, "-e", EVENTS,
                         "--", self.program, "locks"],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    stops = stop_now_and_then(process) if stopped else 0
                    assert process.wait(timeout=TIMEOUT) == 0, process.returncode
                with open(out, encoding="utf-8") as file:
                    result = json.load(file)
                results.append((result["elapsed_seconds"],
                                *(event["count"] for event in result["events"])))
        assert stops > 0
        # Those that sleep on a futex queue for it once more, so the order of threads may differ.
        for undisturbed, stopped in zip(*results):
            assert 0.5 * undisturbed <= stopped <= 1.5 * undisturbed, results
        return f"stopped {stops} times"

    def check_launched(self):
        """The path that a shell puts into "_" for whatever runs Plumb does not move the stack."""
        first = self.stat("locks", environment={"_": self.path})
        for path in ("/usr/bin/taskset", "/" + 100 * "x", "/" + 1007 * "x"):
            run = self.stat("locks", environment={"_": path})
            assert run == first, f"with _={path}: {run} and {first}"

    def check_seed(self):
        """A seed varies the order, and the same one gives the same order."""
        cycles = [self.stat("locks", "--seed", seed)[1]["CPU_CYCLES"] for seed in "1123"]
        assert cycles[0] == cycles[1], cycles
        assert len(set(cycles)) > 1, cycles

    def check_default(self):
        """The order without a seed is an ordinary one: contending threads have no rhythm of their own."""
        cycles = [self.stat("locks", *options)[1]["CPU_CYCLES"]
                  for options in ([], ["--seed", "1"], ["--seed", "2"], ["--seed", "3"])]
        assert 0.5 * min(cycles[1:]) <= cycles[0] <= 1.5 * max(cycles[1:]), cycles
        return f"{cycles[0]:.0f} cycles, and with seeds " + ", ".join(f"{n:.0f}" for n in cycles[1:])

    def check_sampled(self, *parameters):
        return self.compare_with_same_digits(self.compare_sampled, *parameters)

    def compare_sampled(self, way):
        """
        Before windows are chosen, the counts are those of a run that is not sampled; afterwards,
        threads begin and go on as in one.
        """
        one_processor = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        plain = self.stat(way, "--sampled=off")
        assert plain[1]["INST_RETIRED"] < 1e9, plain
        late = self.stat(way, "--sampled-after=1G")
        assert late == plain, f"{late} and {plain}"
        first = self.stat(way, "--sampled-after", SAMPLED_AFTER)
        assert first[1]["CPU_CYCLES"] != plain[1]["CPU_CYCLES"], "nothing was sampled"
        runs = [self.stat(way, "--sampled-after", SAMPLED_AFTER, before=one_processor)]
        with busy_host():
            runs.append(self.stat(way, "--sampled-after", SAMPLED_AFTER))
        for run in runs:
            assert run == first, f"{run} and {first}"
        self.check_counted_twice(way)
        return f"{plain[1]['CPU_CYCLES']:.0f} cycles, and {first[1]['CPU_CYCLES']:.0f}, three times"

    def check_counted_twice(self, way):
        """
        Sampling changes the time, so the order of threads, so how often they find a lock taken. All
        that this run retires is counted all the same: another plugin counts it as well.
        """
        plugin = self.count_plugin % engine.interface(engine.find(self.path))
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counted.json")
            status, counts, _ = self.stat(way, "--sampled-after", SAMPLED_AFTER,
                                          environment={"QEMU_PLUGIN": f"{plugin},out={out}"})
            assert status == 0, f"status {status}"
            with open(out, encoding="utf-8") as file:
                counted = json.load(file)
        assert not counted["lost"], counted
        assert counts["INST_RETIRED"] == counted["instructions"], (counts, counted)

    def check_outside(self, way, why):
        status, _, said = self.stat(way)
        assert status == 0, f"status {status}"
        assert why in said, f"said: {said}"


def main(arguments):
    tap, plumb = Tap(), Plumb(arguments.plumb, arguments.threads, arguments.count_plugin)
    wakes = Plumb(arguments.plumb, arguments.wakes, arguments.count_plugin)
    absent = arguments.absent or engine.absent(arguments.plumb)

    def add(what, check, *parameters):
        def test():
            if absent:
                raise Skip(absent)
            return check(*parameters)
        test.__doc__ = what
        tap.test(test)

    if arguments.delays:
        for programs, ways in ((plumb, SAME), (wakes, SAME_WAKES)):
            for way, status in ways.items():
                add(f"{way}: the same counts however threads are delayed", programs.check_delayed, way,
                    status, arguments.delays, arguments.seeds)
        tap.run()
        return
    for way, status in SAME.items():
        add(f"{way}: the same counts on every run", plumb.check_same, way, status)
    for way, status in SAME_WAKES.items():
        add(f"{way}: the same counts on every run", wakes.check_same, way, status)
    for way in SAMPLED:
        add(f"{way}: sampled, threads go on as they do otherwise", plumb.check_sampled, way)
    for way, status in OTHER.items():
        add(f"{way}: ends as it does elsewhere", plumb.check_ends, way, status)
    for way, status in OTHER_WAKES.items():
        add(f"{way}: ends as it does elsewhere", wakes.check_ends, way, status)
    for way, what in SIGNALLED.items():
        add(f"a signal ends a program {what}", wakes.check_signalled, way)
    add("threads that run one at a time: their cycles are those of the run", plumb.check_relay)
    add("a program that is stopped and continued ends, and counts none of that time", plumb.check_stopped)
    add("the same counts whatever command runs plumb", plumb.check_launched)
    add("a seed varies the order of threads", plumb.check_seed)
    add("the default order is as fast as those of seeds", plumb.check_default)
    for way, why in SAID_TO_VARY.items():
        add(f"{way}: stat says so", plumb.check_outside, way, why)
    for way, why in SAID_TO_VARY_WAKES.items():
        add(f"{way}: stat says so", wakes.check_outside, way, why)
    tap.run()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("--delays", metavar="LIBRARY", help="only hold up threads, by delays.c, built")
    parser.add_argument("--seeds", type=int, default=3, help="of delays, for each program; default: 3")
    parser.add_argument("--count-plugin", metavar="PLUGIN",
                        help="count_plugin.c, built; %%d: the version of QEMU's plugin interface")
    parser.add_argument("plumb")
    parser.add_argument("threads", help="programs/threads.c, built")
    parser.add_argument("wakes", help="programs/wakes.c, built")
    return parser.parse_args()


if __name__ == "__main__":
    main(parse_arguments())
