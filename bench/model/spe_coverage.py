#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often the 95 % intervals of sampled SPE recordings hold what full recordings say.

    spe_coverage.py [--seeds N] [--period N] [--jobs N] [--keep FOLDER] [--only NAME,...] PLUMB

Records programs of coverage.py, compiled without inlining, with `plumb record` and a sample in 1,024
operations, and with "--sampled" and each seed at the given period. What the former say has an error,
too, an eighth of the latter's at 65,536. Looks at functions with 1 to 99 % of the operations: at their
shares, mean latencies, and the shares of their loads that miss in L1D and of mispredicted branches.
"--keep" keeps the recordings, and takes those that are there already.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import coverage  # noqa: E402

VALUES = {"share": "interval", "latency": "latency_interval", "l1d_misses": "l1d_interval",
          "mispredictions": "misprediction_interval"}


def record(plumb, command, path, *options):
    words = [plumb, "record", "--source", "model", "--cpu", "neoverse-n3", "--no-progress", "-o",
             path + ".new", *options, "--", *command]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
    os.rename(path + ".new", path)


def values_of(plumb, path):
    """By name and function: the value, and the ends of its interval."""
    words = [plumb, "report", "-i", path, "--json", "--sort", "symbol"]
    report = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    return {(name, row["symbol"]): (row[name], row[interval])
            for row in report["events"][0]["rows"] for name, interval in VALUES.items()
            if row[name] is not None}


def judge(exact, runs):
    """By kind of value: how many intervals held, how many there are, how many values have none."""
    kinds = {}
    for (name, function), (value, _) in exact.items():
        if not 1 <= exact["share", function][0] <= 99 or (name != "latency" and not 1 <= value <= 99):
            continue
        kind = kinds.setdefault(name, [0, 0, 0])
        for values in runs:
            _, interval = values.get((name, function), (0, None))
            kind[1] += bool(interval)
            kind[2] += not interval
            kind[0] += bool(interval) and interval[0] <= value <= interval[1]
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--period", default="65536")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    parser.add_argument("--only", default="scanner,graph,tree,sort,compress,interpret")
    parser.add_argument("plumb")
    options = parser.parse_args()
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        keep = options.keep or folder
        os.makedirs(keep, exist_ok=True)
        commands = coverage.compiled(keep, "-fno-inline")
        print("| program | " + " | ".join(VALUES) + " |\n|" + "---|" * (len(VALUES) + 1), flush=True)

        def result_of(name, seed):
            path = os.path.join(keep, f"{name}.{seed}")
            if not os.path.exists(path):
                extra = ["-c", options.period, "--sampled", "--seed", str(seed)] if seed else ["-c", "1024"]
                record(options.plumb, commands[name], path, *extra)
            return values_of(options.plumb, path)

        for name in options.only.split(","):
            exact, *runs = pool.map(lambda seed, name=name: result_of(name, seed),
                                    range(options.seeds + 1))
            kinds = judge(exact, runs)
            cells = ["{} of {}, {} without".format(*kinds[kind]) if kind in kinds else "–"
                     for kind in VALUES]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
