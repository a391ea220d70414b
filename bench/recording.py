#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of a million SPE records, made by chance, read by plumb and by perf: seconds, how many
times as long as `plumb script --quiet`, and the most memory. And one ten times as long, by plumb
alone: its memory should be the same. recording.py PLUMB MAKE_SPE_RECORDING MEASURE
[RECORDS]"""
import os
import shutil
import subprocess
import sys
import tempfile

RUNS = 3  # of what is quick; the fastest counts
QUICK = 5  # seconds


def measure(measurer, command, folder):
    """Seconds, seconds of CPU, and MiB at most, of the command's process."""
    best = least = peak = None
    told = os.path.join(folder, "measured")
    for _ in range(RUNS):
        done = subprocess.run([measurer, told, *command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().split("\n")[0])
        with open(told, encoding="ascii") as file:
            taken, cpu, memory = map(float, file.read().split())
        best = min(best or taken, taken)
        least = min(least or cpu, cpu)
        peak = max(peak or 0, memory / 1024)
        if taken > QUICK:
            break
    return best, least, peak


def commands(plumb, path):
    yield "plumb script --quiet", [plumb, "script", "--quiet", "-i", path]
    yield "plumb spe dump", [plumb, "spe", "dump", path]
    yield "plumb script", [plumb, "script", "-i", path]
    yield "plumb script --like-perf=6.1", [plumb, "script", "--like-perf=6.1", "-i", path]
    yield "plumb export spe-csv", [plumb, "export", "--format", "spe-csv", "-o",
                                   os.path.join(os.path.dirname(path), "table"), path]
    if not shutil.which("perf"):
        return
    yield "perf report --stdio", ["perf", "report", "--stdio", "-i", path]
    yield "perf script", ["perf", "script", "-i", path]
    yield "perf report -D", ["perf", "report", "-D", "-i", path]


def compare(measurer, programs, folder, records, first=None):
    """A row of each; returns the seconds of the first one, that all are compared with."""
    for name, command in programs:
        try:
            taken, _, peak = measure(measurer, command, folder)
        except RuntimeError as error:
            print(f"{name}: {error}")
            continue
        first = first or taken
        print(f"{name:<28} {taken:9.3f} s {taken / first:8.1f} x {peak:8.1f} MiB "
              f"{taken / records * 1e9:9.0f} ns a record", flush=True)
    return first


def main(plumb, make, measurer, records="1000000"):
    records = int(records)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.data")
        for count in (records, 10 * records):
            subprocess.run([make, path, "1", str(count), "8", "chunk=262144"], check=True)
            print(f"{count} SPE records, {os.path.getsize(path) / 2 ** 20:.0f} MiB, 8 CPUs")
            programs = list(commands(plumb, path))
            if count == records:
                first = compare(measurer, programs, folder, count)
            else:
                compare(measurer, [p for p in programs if p[0].startswith("plumb")], folder, count,
                        first)


if __name__ == "__main__":
    main(*sys.argv[1:])
