#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How good and how fast sampled runs are: how often their 95 % intervals hold what the whole model
counts, how far off the cycles are on average (the bias), and the processor time of both.

    sampled.py [--seeds N] [--error PERCENT] PLUMB PROGRAM...

Prints a row per program. "Bias" is the mean error of the cycles over the seeds with its standard
error, beside half an interval. "Metrics held" counts only metrics that have an interval.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile


def run(plumb, program, *options):
    """The result of plumb stat and the processor time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        command = [plumb, "stat", "--source", "model", "--no-progress", "--json", "-o", path,
                   *options, "--", program]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
        with open(path, encoding="utf-8") as file:
            return json.load(file), usage.ru_utime + usage.ru_stime


def count(result, name):
    return next(event for event in result["events"] if event["name"] == name)


class Study:
    """What the sampled runs of a program say, beside the run of the whole model."""

    def __init__(self, whole):
        self.whole = whole
        self.cycles = count(whole, "CPU_CYCLES")["count"]
        self.errors, self.halves, self.times = [], [], []
        self.held = self.metrics = self.metrics_held = self.same = self.windows = 0

    def add(self, sampled, time):
        cycles = count(sampled, "CPU_CYCLES")
        low, high = cycles["interval"]
        self.errors.append(cycles["count"] / self.cycles - 1)
        self.halves.append((high - low) / 2 / self.cycles)
        self.held += low <= self.cycles <= high
        self.windows += sampled["sampled"]["windows"]
        self.times.append(time)
        self.same += sampled["diagnosis"]["path"] == self.whole["diagnosis"]["path"]
        for estimate, exact in zip(sampled["metrics"], self.whole["metrics"]):
            if estimate["interval"] and exact["value"] is not None:
                low, high = estimate["interval"]
                slack = 1e-9 * abs(exact["value"])
                self.metrics += 1
                self.metrics_held += low - slack <= exact["value"] <= high + slack

    def row(self, name, time):
        runs = len(self.errors)
        bias = sum(self.errors) / runs
        spread = math.sqrt(sum((e - bias) ** 2 for e in self.errors) / max(runs - 1, 1) / runs)
        instructions = count(self.whole, "INST_RETIRED")["count"] / 1e6
        return (f"| `{name}` | {instructions:,.0f} | {runs} | {self.windows / runs:.0f} "
                f"| {100 * self.held / runs:.0f} | {100 * self.metrics_held / self.metrics:.0f} "
                f"| {100 * bias:+.2f} ± {100 * spread:.2f} | {100 * sum(self.halves) / runs:.2f} "
                f"| {100 * self.same / runs:.0f} | {instructions / time:.1f} "
                f"| {instructions * runs / sum(self.times):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--error", default="2")
    parser.add_argument("plumb")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    print("| program | million instructions | seeds | windows | cycles held, % | metrics held, % "
          "| bias, % | half an interval, % | same diagnosis, % | whole model, million per second "
          "| sampled, million per second |")
    print("|" + "---|" * 11)
    for program in options.programs:
        if not os.path.exists(program):
            print(f"{program}: not built, for lack of an AArch64 compiler")
            continue
        whole, time = run(options.plumb, program)
        study = Study(whole)
        for seed in range(1, options.seeds + 1):
            study.add(*run(options.plumb, program, f"--sampled={options.error}", "--seed", str(seed)))
        print(study.row(os.path.basename(program), time), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
