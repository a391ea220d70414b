#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often the intervals of `plumb stat --sampled -I` hold what the whole model counts.

    timeline.py [--seeds N] [--error PERCENT] [--every MS] [--rounds N] [--length THOUSANDS] PLUMB

Runs bench/programs/alternate.c, whose phases are known on paper, once with -I and everything counted,
every millisecond, and sampled with each seed. Each sampled interval is some instructions of the
program; what the whole model counts of these comes from the intervals of the whole run, in between by
interpolation. Prints for the cycles and the shares of level 1 how often the 95 % interval of a
stretch held, and how many had none; and for the phases, how many of the stretches that lie in one
phase on paper have its letter, and how often the intervals of a phase's own tree held.
"""
import argparse
import bisect
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHARES = ("frontend_bound", "backend_bound", "retiring", "bad_speculation")
KINDS = ("multiply", "branch", "chase")


def run(plumb, command, *options):
    words = [plumb, "stat", "--source", "model", "--cpu", "neoverse-n3", "--no-progress", "-s", "1", "-l",
             "1", "-e", "CPU_CYCLES,INST_RETIRED", "--json", "-o", "-", *options, "--", *command]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [line for line in lines if not line["summary"]], lines[-1]


def values_of(result):
    """Instructions; then by name the value, and the ends of its interval or None."""
    events = {event["name"]: event for event in result["events"]}
    values = {"CPU_CYCLES": (events["CPU_CYCLES"]["count"], events["CPU_CYCLES"].get("interval"))}
    for metric in result["metrics"]:
        if metric["name"] in SHARES:
            values[metric["name"]] = metric["value"], metric.get("interval")
    return events["INST_RETIRED"]["count"], values


class Truth:
    """What the whole model counted up to each instruction."""

    def __init__(self, intervals):
        self.places, self.sums = [0], [dict.fromkeys(("CPU_CYCLES", *SHARES), 0)]
        for result in intervals:
            instructions, values = values_of(result)
            cycles = values["CPU_CYCLES"][0]
            last = self.sums[-1]
            more = {name: last[name] + values[name][0] * cycles for name in SHARES}
            self.sums.append({"CPU_CYCLES": last["CPU_CYCLES"] + cycles, **more})
            self.places.append(self.places[-1] + instructions)

    def until(self, place, name):
        i = min(max(bisect.bisect_left(self.places, place), 1), len(self.places) - 1)
        part = (place - self.places[i - 1]) / max(self.places[i] - self.places[i - 1], 1)
        return self.sums[i - 1][name] + part * (self.sums[i][name] - self.sums[i - 1][name])

    def between(self, stretches, name):
        cycles = sum(self.until(b, "CPU_CYCLES") - self.until(a, "CPU_CYCLES") for a, b in stretches)
        if name == "CPU_CYCLES":
            return cycles
        return sum(self.until(b, name) - self.until(a, name) for a, b in stretches) / cycles


class Tally:
    def __init__(self):
        self.held, self.known, self.all = {}, {}, {}

    def add(self, result, truth, stretches):
        for name, (value, interval) in values_of(result)[1].items():
            self.all[name] = self.all.get(name, 0) + 1
            exact = truth.between(stretches, name)
            if interval is None or (name in SHARES and not 0.5 <= exact <= 99.5):
                continue
            slack = 1e-6 * exact
            self.known[name] = self.known.get(name, 0) + 1
            self.held[name] = self.held.get(name, 0) + (
                interval[0] - slack <= exact <= interval[1] + slack)

    def print(self, what):
        for name, known in self.known.items():
            print(f"{what}: {name} held in {self.held[name]} of {known}"
                  f" ({100 * self.held[name] / known:.1f} %); {self.all[name]} in all")


def kind_of(start, end, begins, length):
    """Which phase on paper a stretch lies in; None: several, or what comes before them."""
    first, last = (start - begins) // length, (end - 1 - begins) // length
    return KINDS[first % 3] if start >= begins and first == last else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--error", default="2")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--length", type=int, default=20000)
    parser.add_argument("plumb")
    options = parser.parse_args()
    length = 1000 * options.length
    compiler = os.environ.get("AARCH64_CC", "aarch64-linux-gnu-gcc")
    intervals, phases, right, pure = Tally(), Tally(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "alternate")
        subprocess.run([compiler, "-O2", "-static", "-o", program,
                        os.path.join(HERE, "..", "programs", "alternate.c")], check=True)
        command = [program, str(options.rounds), str(options.length)]
        fine, _ = run(options.plumb, command, "-I", "1")
        truth = Truth(fine)
        # The phases are the last thing that the program does.
        begins = truth.places[-1] - 3 * options.rounds * length
        for seed in range(1, options.seeds + 1):
            parts, summary = run(options.plumb, command, "--sampled=" + options.error, "-I",
                                 str(options.every), "--seed", str(seed))
            place, letters, stretches = 0, {}, {}
            for part in parts:
                end = place + values_of(part)[0]
                if part["sampled"]["estimated_instructions"]:
                    intervals.add(part, truth, [(place, end)])
                kind = kind_of(place, end, begins, length)
                stretches.setdefault(part["phase"], []).append((place, end))
                if kind:
                    letters.setdefault(part["phase"], []).append(kind)
                place = end
            for kinds in letters.values():
                pure += len(kinds)
                right += max(kinds.count(kind) for kind in KINDS)
            for phase in summary["phases"]:
                phases.add(phase, truth, stretches[phase["name"]])
    intervals.print("intervals")
    phases.print("phases")
    print(f"{right} of {pure} intervals that lie in one phase have its letter")


if __name__ == "__main__":
    main()
