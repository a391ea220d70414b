#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the model runs each kernel of test/kernels, without the time that it takes to start.

    kernel_speed.py [--before PLUMB] [--instructions N] [--runs N] PLUMB [KERNEL...]

Each kernel is built twice: to execute once, and so often that it executes N more instructions. The
rate is that of these, in the difference of two processor times, each the least of some runs. Where
QEMU alone is hardly faster, the model cannot be. A kernel misses if at least one in 100 of its
instructions leads to a refill of L1D or L1I.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.abspath(os.path.join(HERE, "../.."))
sys.path[:0] = [os.path.join(SOURCE, "test/interop")]
import engine  # noqa: E402

KERNELS = os.path.join(SOURCE, "test/kernels")
COMPILER = ["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-march=armv8.5-a+sve2+crypto+fp16"]
CORE, OTHER_CORES = "neoverse-n3", {"branch_taken_pairs": "neoverse-v2"}
BARE = ["-cpu", "max,sve-default-vector-length=16"]  # bytes, as the core has
REPEATS_MAX = 65535
STEADY_GOAL, MISSING_GOAL = 50, 20  # million instructions a second
MISSES = 0.01


def seconds(command, runs):
    """The least processor time of some runs."""
    best = math.inf
    for _ in range(runs):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


class Kernel:
    def __init__(self, name, folder, runs):
        self.name, self.folder, self.runs = name, folder, runs
        self.core = OTHER_CORES.get(name, CORE)
        self.sizes = os.path.join(folder, self.core + ".h")
        if not os.path.exists(self.sizes):
            core = os.path.join(SOURCE, "model/cores", self.core + ".json")
            subprocess.run([sys.executable, os.path.join(KERNELS, "sizes.py"), core, self.sizes],
                           check=True)

    def build(self, repeats):
        path = os.path.join(self.folder, f"{self.name}.{repeats}")
        subprocess.run([*COMPILER, f"-DREPEATS={repeats}", "-include", self.sizes, "-o", path,
                        os.path.join(KERNELS, self.name + ".S")], check=True)
        return path

    def model(self, plumb, path):
        """The time, and the counts by event."""
        counts = os.path.join(self.folder, "counts.json")
        taken = seconds([plumb, "stat", "--source", "model", "--cpu", self.core, "--json", "-o",
                         counts, "--", path], self.runs)
        with open(counts, encoding="utf-8") as file:
            return taken, {event["name"]: event["count"] for event in json.load(file)["events"]}


class Row:
    """What is measured of a kernel."""

    def __init__(self, kernel, plumb, before, instructions):
        once = kernel.build(1)
        short, counts = kernel.model(plumb, once)
        retired = counts["INST_RETIRED"]
        often = kernel.build(min(1 + math.ceil(instructions / retired), REPEATS_MAX))
        long, more = kernel.model(plumb, often)
        self.name = kernel.name
        self.millions = (more["INST_RETIRED"] - retired) / 1e6
        refills = sum(more[name] - counts[name]
                      for name in ("L1D_CACHE_REFILL", "L1I_CACHE_REFILL"))
        self.misses = refills >= MISSES * 1e6 * self.millions
        self.rate = self.of(long - short)
        qemu = engine.find(plumb)
        bare = [seconds([qemu, *BARE, path], kernel.runs) for path in (often, once)]
        self.bare = self.of(bare[0] - bare[1])
        self.before = None
        if before:
            self.before = self.of(kernel.model(before, often)[0] - kernel.model(before, once)[0])

    def of(self, taken):
        """What the model executes a second, if the difference can be told from 0."""
        return self.millions / taken if taken > 0.005 else math.inf

    def goal(self):
        return MISSING_GOAL if self.misses else STEADY_GOAL

    def print(self):
        before = f"{self.before:9.1f}" if self.before else f"{'-':>9}"
        print(f"{self.name:<26} {'misses' if self.misses else 'steady'} {self.millions:8.1f} "
              f"{self.rate:9.1f} {before} {self.bare:9.1f}", flush=True)


def main(arguments):
    absent = engine.absent(arguments.plumb)
    if absent:
        print(f"kernel_speed: skipped, {absent}")
        return
    names = arguments.kernels or sorted(name[:-2] for name in os.listdir(KERNELS)
                                        if name.endswith(".S"))
    rows = []
    print(f"{'':<26} {'':<6} {'million':>8} {'million instructions a second':>29}\n"
          f"{'kernel':<26} {'':<6} {'instr.':>8} {'model':>9} {'before':>9} {'bare QEMU':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            rows.append(Row(Kernel(name, folder, arguments.runs), arguments.plumb, arguments.before,
                            1e6 * arguments.instructions))
            rows[-1].print()
    for misses, kind in ((False, "steady"), (True, "missing")):
        those = [row for row in rows if row.misses == misses]
        if those:
            reached = sum(row.rate >= row.goal() for row in those)
            print(f"{reached} of {len(those)} {kind} kernels reach {those[0].goal()}")
    gains = [row.rate / row.before for row in rows
             if row.before and math.isfinite(row.rate) and math.isfinite(row.before)]
    if gains:
        mean = math.exp(sum(map(math.log, gains)) / len(gains))
        print(f"{mean:.2f} times as fast as before on the geometric mean of {len(gains)}")


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    PARSER.add_argument("--before", metavar="PLUMB", help="an older plumb")
    PARSER.add_argument("--instructions", metavar="N", type=float, default=20,
                        help="million instructions of each kernel to measure")
    PARSER.add_argument("--runs", metavar="N", type=int, default=3,
                        help="runs, of which the quickest counts")
    PARSER.add_argument("plumb")
    PARSER.add_argument("kernels", nargs="*")
    main(PARSER.parse_args())
