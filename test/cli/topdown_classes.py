#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
Compares what samples of counters say of functions with what the model counted exactly.

topdown_classes.py PLUMB PROGRAM SEEDS

PROGRAM is made of classes.c. Samples it SEEDS times, each with another period. Prints how often what is
true lies in the intervals, and how far outside it lies at most; fails if that is more than BLUR, fewer than
COVERED of them hold, an interval says nothing, or a rank of functions that are APART or a largest metric is
wrong.
"""

import json
import os
import subprocess
import sys

CLASSES = ("fp_divides", "int_divides", "barriers", "mispredicts", "converts", "nops", "misses")
METRICS = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
SLOTS = 5
# Percent of slots.
BLUR = 0.5
# The share of intervals that hold. By sampling error alone, 0.46 do.
COVERED = 0.95
WIDEST = 50
# Of functions whose shares are closer than so many percent, either may rank first.
APART = 1.5


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout


def report(plumb, *options):
    return json.loads(run(plumb, "report", "--json", *options))


def exact(plumb, program):
    """Arm's formulas for Neoverse N3, of the exact counts: {function: {metric: percent}}."""
    run(plumb, "record", "-q", "--exact", "--cpu", "neoverse-n3", "-o", "exact.data", program)
    counts = {}
    for event in report(plumb, "-i", "exact.data", "--no-children")["events"]:
        name = event["name"].split("/")[1]
        for row in event["rows"]:
            counts.setdefault(row["symbol"], {})[name] = row["period"]
    everything = sum(of.get("CPU_CYCLES", 0) for of in counts.values())
    true = {}
    for function in CLASSES:
        of = counts[function]
        total = SLOTS * of["CPU_CYCLES"]
        flushed = 100 * of.get("STALL_FRONTEND_FLUSH", 0) / of["CPU_CYCLES"]
        stalls = {side: 100 * sum(n for name, n in of.items() if name.startswith(f"slots_{side}_"))
                  / total for side in ("frontend", "backend")}
        issued = 100 - sum(stalls.values())
        kept = of["OP_RETIRED"] / (of["OP_RETIRED"] + of.get("slots_bad_speculation", 0))
        true[function] = {
            "slots_share": 100 * of["CPU_CYCLES"] / everything,
            "retiring": issued * kept,
            "bad_speculation": issued * (1 - kept) + flushed,
            "frontend_bound": stalls["frontend"] - flushed,
            "backend_bound": stalls["backend"],
        }
        # Slots are counted when operations are sent, cycles when they retire: a stall may be 100.2 % of them.
        true[function] = {name: min(100, max(0, share)) for name, share in true[function].items()}
    return true


def largest(shares):
    return max(METRICS, key=lambda metric: shares[metric])


def apart(true):
    """The pairs of functions whose ranks can be told: the larger first."""
    return [(high, low) for high in CLASSES for low in CLASSES
            if true[high]["slots_share"] > true[low]["slots_share"] + APART]


def main():
    plumb, program, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    true = exact(plumb, program)
    inside, tried, worst, failures = 0, 0, (0, ""), []
    for seed in range(seeds):
        period = 809 + 2 * seed
        run(plumb, "record", "-q", "--topdown", "--source", "model", "--cpu", "neoverse-n3",
            "-c", str(period), "-o", "group.data", program)
        rows = {row["symbol"]: row for row in report(plumb, "-i", "group.data", "--topdown")["rows"]}
        failures += [f"period {period}: {low} ranks above {high}" for high, low in apart(true)
                     if rows[high]["slots_share"] < rows[low]["slots_share"]]
        for function in CLASSES:
            row, of = rows[function], true[function]
            if largest(row) != largest(of):
                failures.append(f"period {period}: {function} is {largest(row)}")
            for metric in ("slots_share", *METRICS):
                low, high = row[metric + "_interval"]
                error = max(low - of[metric], of[metric] - high)
                tried += 1
                inside += error <= 0
                if high - low > WIDEST:
                    failures.append(f"period {period}: {function} {metric}: {low} to {high}")
                worst = max(worst, (error, f"{function} {metric}: {row[metric]:.1f}, true "
                                           f"{of[metric]:.1f}, period {period}"))
                if os.environ.get("VERBOSE"):
                    print(f"{function:12} {metric:16} {of[metric]:5.1f} {row[metric]:5.1f} "
                          f"{low:5.1f} {high:5.1f}")
    if worst[0] > BLUR:
        failures.append(f"{worst[0]:.1f} outside the interval")
    if inside < COVERED * tried:
        failures.append(f"only {inside} of {tried} intervals hold")
    print(f"{inside} of {tried} true shares inside their intervals; {worst[0]:.1f} outside at most: "
          f"{worst[1]}")
    for failure in failures[:10]:
        print(failure)
    return bool(failures)


sys.exit(main())
