#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often the 95 % intervals of sampled exact profiles hold what the whole model counts.

    profile_coverage.py [--seeds N] [--error PERCENT] [--jobs N] [--keep FOLDER] [--only NAME,...] PLUMB

Records programs of coverage.py, compiled without inlining, once with `plumb record --exact`, and with
"--sampled" and each seed. Looks at functions with 0.5 % of the slots or more: at their share of all slots, and what became of
their slots; and at their shares of the cycles, of the branch mispredictions and of the misses in L1D. Only
values from 0.5 to 99.5 % count. Prints a row per program: how often the intervals held, and how many
values had none. "--keep" keeps the recordings, and takes those that are there already.
"""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import coverage  # noqa: E402

OF_SLOTS = ("slots_share", "retiring", "bad_speculation", "frontend_bound", "backend_bound")
EVENTS = ("CPU_CYCLES", "BR_MIS_PRED_RETIRED", "L1D_CACHE_REFILL")
LEAST = 0.5  # percent of the slots, or of the event


def report(plumb, path, *options):
    words = [plumb, "report", "-i", path, "--json", "--no-children", "--sort", "symbol", *options]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)


def values_of(plumb, path):
    """By name and function: the value, and the ends of its interval."""
    values = {}
    for row in report(plumb, path, "--topdown")["rows"]:
        for name in OF_SLOTS:
            values[f"{name} {row['symbol']}"] = row[name], row.get(name + "_interval")
    events = ",".join(f"exact/{name}/" for name in EVENTS)
    for event in report(plumb, path, "-e", events)["events"]:
        for row in event["rows"]:
            values[f"{event['name']} {row['symbol']}"] = row["share"], row["interval"]
    return values


def record(plumb, command, path, *options):
    words = [plumb, "record", "--source", "model", "--cpu", "neoverse-n3", "--no-progress", "--exact",
             "-o", path + ".new", *options, "--", *command]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    os.rename(path + ".new", path)


def judge(whole, runs):
    """By kind of value: how many intervals held, how many there are, how many values have none."""
    kinds = {}
    for key, (exact, _) in whole.items():
        name, function = key.split(" ", 1)
        size = exact if name not in OF_SLOTS else whole["slots_share " + function][0]
        if size < LEAST or not LEAST <= exact <= 100 - LEAST:
            continue
        kind = kinds.setdefault(name.split("/")[1] if "/" in name else name, [0, 0, 0])
        for values in runs:
            _, interval = values.get(key, (0, None))
            kind[1] += bool(interval)
            kind[2] += not interval
            if interval:
                slack = 1e-9 * exact
                kind[0] += interval[0] - slack <= exact <= interval[1] + slack
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--error", default="2")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--only")
    parser.add_argument("plumb")
    options = parser.parse_args()
    os.nice(10)
    names = (*OF_SLOTS, *EVENTS)
    rates = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        commands = coverage.compiled(folder, "-fno-inline")
        print("| program | " + " | ".join(names) + " | without interval |")
        print("|" + "---|" * (len(names) + 2), flush=True)

        def result_of(name, seed):
            path = os.path.join(options.keep or folder, f"{name}.{seed}.data")
            extra = ["--sampled=" + options.error, "--seed", str(seed)] if seed else []
            if not os.path.exists(path):
                record(options.plumb, commands[name], path, *extra)
            values = values_of(options.plumb, path)
            if not options.keep:
                os.unlink(path)
            return values

        for name in options.only.split(",") if options.only else commands:
            whole, *runs = pool.map(lambda seed, name=name: result_of(name, seed),
                                    range(options.seeds + 1))
            kinds = judge(whole, runs)
            cells = []
            for kind in names:
                held, all_of_them, _ = kinds.get(kind, (0, 0, 0))
                cells.append(f"{held} of {all_of_them}" if all_of_them else "–")
                if all_of_them:
                    rates[kind].append(held / all_of_them)
            without = sum(kind[2] for kind in kinds.values())
            print(f"| `{name}` | " + " | ".join(cells) + f" | {without} |", flush=True)
    # Each program counts as one draw.
    for kind, of in rates.items():
        if not of:
            continue
        mean = sum(of) / len(of)
        error = math.sqrt(sum((r - mean) ** 2 for r in of) / max(len(of) - 1, 1) / len(of))
        print(f"{kind}: held in {100 * mean:.1f} ± {100 * error:.1f} % ({len(of)} programs)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
