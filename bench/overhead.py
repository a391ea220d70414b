#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""overhead.py PLUMB PROGRAM: what counting and sampling cost, plumb's beside perf's in the same run.

Software events, which all machines have. PROGRAM is built from test/interop/sampled.c. Both tools take
turns, so that what else the machine does falls on both. Prints the median of each, and their ratio:
below 1, plumb costs less.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SECONDS = "10"


def run(command):
    """Runs a command; returns its wall-clock time and the CPU time of it and its children, in ms."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 7):  # PROGRAM's
        sys.exit(f"{' '.join(command)}: status {process.returncode}\n{said.decode()}")
    return took * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def compare(name, commands, runs):
    """Prints the medians of commands, by the tool's name."""
    times = {tool: [] for tool in commands}
    for _ in range(runs):
        for tool, command in commands.items():
            times[tool].append(run(command))
    for what, which in (("wall-clock", 0), ("CPU", 1)):
        median = {tool: statistics.median(one[which] for one in taken)
                  for tool, taken in times.items()}
        alone = f"{median['alone']:10.2f}" if "alone" in median else f"{'-':>10}"
        ratio = median["plumb"] / median["perf"] if median["perf"] else float("nan")
        print(f"{name:44} {what:>10} {alone} {median['perf']:10.2f} {median['plumb']:10.2f} "
              f"{ratio:6.2f}", flush=True)


def main():
    plumb, program = sys.argv[1:]
    if not shutil.which("perf"):
        print("perf is not installed: nothing to compare with")
        return
    print(f"{'what':44} {'ms of':>10} {'alone':>10} {'perf':>10} {'plumb':>10} {'ratio':>6}")
    stat = {"perf": ["perf", "stat", "-o", "/dev/null"],
            "plumb": [plumb, "stat", "--source", "perf", "--no-progress", "-o", "/dev/null"]}
    both = stat.items()
    compare("stat -e task-clock,page-faults -- true",
            {"alone": ["true"]} |
            {tool: words + ["-e", "task-clock,page-faults", "--", "true"] for tool, words in both},
            101)
    compare(f"stat -a -I 10 -e cpu-clock,page-faults, {SECONDS} s",
            {tool: words + ["-a", "-I", "10", "-e", "cpu-clock,page-faults", "--", "sleep", SECONDS]
             for tool, words in both}, 3)
    # Each CPU has its own lines, every 10 ms.
    compare(f"stat -aA -I 10 -e cpu-clock,page-faults, {SECONDS} s",
            {tool: words + ["-a", "-A", "-I", "10", "-e", "cpu-clock,page-faults", "--", "sleep",
                            SECONDS]
             for tool, words in both}, 3)
    with tempfile.TemporaryDirectory() as folder:
        # perf -B looks for no build-ids; plumb finds them.
        record = {"perf": ["perf", "record", "-B", "-o", folder + "/theirs"],
                  "plumb": [plumb, "record", "--no-progress", "-o", folder + "/ours"]}
        compare("record -F 10000 -e cpu-clock, a program",
                {"alone": [program, "1000", "0"]} |
                {tool: words + ["-F", "10000", "-e", "cpu-clock", "--", program, "1000", "0"]
                 for tool, words in record.items()}, 9)
        compare(f"record -a -F 10000 -e cpu-clock, {SECONDS} s",
                {tool: words + ["-a", "-F", "10000", "-e", "cpu-clock", "--", "sleep", SECONDS]
                 for tool, words in record.items()}, 3)


main()
