#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much longer several threads take under the model than one thread with the same work.

    threads.py [--runs N] PLUMB PROGRAM

PROGRAM is bench/programs/threads.c, built. Prints the seconds of one thread for each way to share
work, and how many times longer 2, 4 and 8 threads take: on the clock on the wall, and in CPU time,
which other work on the machine disturbs less. Of several runs the quickest counts.
"""
import argparse
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/interop"))
import engine  # noqa: E402

WAYS = ["private", "reads", "false", "mutex", "adds", "tickets", "spin"]
THREADS = [1, 2, 4, 8]


def seconds(plumb, program, way, threads, runs):
    """The fewest seconds of several runs: elapsed, and of CPU time."""
    best = (float("inf"), float("inf"))
    for _ in range(runs):
        before = sum(os.times()[2:4])
        begin = time.monotonic()
        subprocess.run([plumb, "stat", "--source", "model", "--no-progress", "--",
                        program, way, str(threads)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        spent = (time.monotonic() - begin, sum(os.times()[2:4]) - before)
        best = tuple(map(min, best, spent))
    return best


def main(arguments):
    if engine.absent(arguments.plumb):
        print(f"threads: skipped, {engine.absent(arguments.plumb)}")
        return
    if not os.path.exists(arguments.program):
        print("threads: skipped, no program: apt-get install gcc-aarch64-linux-gnu")
        return
    print(f"{len(os.sched_getaffinity(0))} processors, load {os.getloadavg()[0]:.1f}\n"
          f"{'way':<8} {'seconds':>8} {'CPU':>8}  times as long with 2, 4 and 8 threads (CPU time)")
    for way in WAYS:
        one, *others = (seconds(arguments.plumb, arguments.program, way, threads, arguments.runs)
                        for threads in THREADS)
        print(f"{way:<8} {one[0]:8.2f} {one[1]:8.2f} " +
              " ".join(f"{other[0] / one[0]:7.1f} ({other[1] / one[1]:.1f})" for other in others),
              flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=3, help="default: 3")
    parser.add_argument("plumb")
    parser.add_argument("program")
    return parser.parse_args()


if __name__ == "__main__":
    main(parse_arguments())
