#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a million SPE records of several kinds, made by chance, read by plumb and by perf:
elapsed time and CPU time of each, how many times as much as plumb perf takes, and the most memory.
Users wait for the elapsed time; it means little on a machine that is busy. And a recording ten times
as long, by plumb alone: its memory should be the same. recording.py PLUMB MAKE_SPE_RECORDING MEASURE
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


# Name, and options of make_spe_recording.
RECORDINGS = [
    ("plain", ""),
    ("4 layouts with gaps", "layouts=4 gaps"),
    ("40 layouts with gaps", "layouts=40 gaps"),
    ("contexts", "contexts"),
    ("every operation", "contexts every code=1000"),
    ("timeless", "timeless"),
    ("context switches", "switches"),
]

# What plumb does, and the perf command to compare it with.
PAIRS = [
    (["script", "--quiet"], ["report", "--stdio"]),
    (["spe", "dump"], ["report", "-D"]),
    (["script"], ["script"]),
    (["script", "--like-perf=6.1"], ["script"]),
    (["export", "--format", "spe-csv", "-o", "table"], None),
]


def print_row(name, measured, first, records):
    taken, cpu, peak = measured
    print(f"  {name:<36} elapsed {taken:8.3f} s {taken / first[0]:7.1f} x, CPU {cpu:8.3f} s "
          f"{cpu / first[1]:7.1f} x, {peak:7.1f} MiB, {cpu / records * 1e9:7.0f} ns a record",
          flush=True)


def print_machine():
    print(f"{len(os.sched_getaffinity(0))} CPUs, load {os.getloadavg()[0]:.1f}")


def compare(plumb, measurer, folder, path, records, peers):
    known = {}  # what perf took: two pairs may have the same command
    for ours, theirs in PAIRS:
        command = [os.path.join(folder, word) if word == "table" else word for word in ours]
        operand = [path] if ours[0] in ("spe", "export") else ["-i", path]
        try:
            first = measure(measurer, [plumb, *command, *operand], folder)
            print_row("plumb " + " ".join(ours), first, first, records)
            if not peers or not theirs:
                continue
            name = "perf " + " ".join(theirs)
            if name not in known:
                known[name] = measure(measurer, ["perf", *theirs, "-i", path], folder)
            print_row(name, known[name], first, records)
        except RuntimeError as error:
            print(f"  {' '.join(ours)}: {error}")


def main(plumb, make, measurer, records="1000000"):
    records = int(records)
    peers = bool(shutil.which("perf"))
    print_machine()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.data")
        for name, words in RECORDINGS:
            subprocess.run([make, path, "1", str(records), "8", "chunk=262144", *words.split()],
                           check=True)
            print(f"{records:,} SPE records, {os.path.getsize(path) / 2 ** 20:.0f} MiB, 8 CPUs: {name}")
            compare(plumb, measurer, folder, path, records, peers)
        subprocess.run([make, path, "1", str(10 * records), "8", "chunk=262144"], check=True)
        print(f"{10 * records:,} SPE records, {os.path.getsize(path) / 2 ** 20:.0f} MiB, 8 CPUs: plain")
        compare(plumb, measurer, folder, path, 10 * records, False)


if __name__ == "__main__":
    main(*sys.argv[1:])
