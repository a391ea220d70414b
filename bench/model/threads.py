#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer several threads take under the model than one thread with the same work.

    threads.py [--runs N] PLUMB PROGRAM

PROGRAM is bench/programs/threads.c, built. Prints the seconds of one thread for each way to share
work, and how many times longer 2, 4 and 8 threads take: on the clock on the wall, in CPU time,
which other work on the machine disturbs less, and in CPU time per instruction, since threads that
wait in a loop execute it. Of several runs the quickest counts.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/interop"))
import engine  # noqa: E402

WAYS = ["private", "reads", "false", "mutex", "adds", "tickets", "spin"]
THREADS = [1, 2, 4, 8]


def run(command):
    """The seconds that a command took: elapsed, and of CPU time."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def measure(plumb, program, way, threads, runs):
    """The fewest seconds of several runs: elapsed, and of CPU time; and the instructions."""
    best = (float("inf"), float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts.json")
        for _ in range(runs):
            spent = run([plumb, "stat", "--source", "model", "--json", "-o", out, "--",
                         program, way, str(threads)])
            best = tuple(map(min, best, spent))
        with open(out, encoding="utf-8") as file:
            events = json.load(file)["events"]
    return *best, next(event["count"] for event in events if event["name"] == "INST_RETIRED")


def ratios(one, other):
    """How many times as long: elapsed, in CPU time, and in CPU time per instruction."""
    elapsed, used = other[0] / one[0], other[1] / one[1]
    return f"{elapsed:7.1f} ({used:.1f}, {used * one[2] / other[2]:.1f})"


def main(arguments):
    if engine.absent(arguments.plumb):
        print(f"threads: skipped, {engine.absent(arguments.plumb)}")
        return
    if not os.path.exists(arguments.program):
        print("threads: skipped, no program: apt-get install gcc-aarch64-linux-gnu")
        return
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}\n"
          f"{'way':<8} {'seconds':>8} {'CPU':>8}  times as long with 2, 4 and 8 threads "
          "(CPU time, per instruction)")
    for way in WAYS:
        one, *others = (measure(arguments.plumb, arguments.program, way, threads, arguments.runs)
                        for threads in THREADS)
        print(f"{way:<8} {one[0]:8.2f} {one[1]:8.2f} " +
              " ".join(ratios(one, other) for other in others), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=3, help="default: 3")
    parser.add_argument("plumb")
    parser.add_argument("program")
    return parser.parse_args()


if __name__ == "__main__":
    main(parse_arguments())
