#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb diff's figures equal those worked out here from what perf report and plumb stat say of each side:
per function of recordings that perf makes here, and of exact profiles; per event and metric of
several runs, with the ranks' p and effect, and the adjusted p of all comparisons.

    diffs.py PLUMB
"""
import itertools
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter

sys.dont_write_bytecode = True

import engine  # noqa: E402
from perf_tool import run_perf  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
PROGRAM = """
static volatile double sum;

__attribute__((noipa)) static void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sum += i * 0.5;
}

__attribute__((noipa)) static void other(int n)
{
	for (int i = 0; i < n; i++)
		sum += i / 3.0;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		leaf(PART);
		other(5000);
	}
	return 0;
}
"""
EVENT = re.compile(r"# Samples: \S+\s+of event '([^']*)'")


def need_perf():
    if not shutil.which("perf"):
        raise Skip("perf is not installed")


def build(folder, compiler, part, rounds, *options):
    """Returns the path of the program, whose one function takes `part` of its time."""
    program = os.path.join(folder, f"program{part}")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run([compiler, "-g", "-O1", f"-DPART={part}", f"-DROUNDS={rounds}", *options, "-o",
                    program, program + ".c"], check=True)
    return program


def by_function(recording):
    """Returns perf's periods: a Counter of functions for each event."""
    events, now = {}, None
    done = run_perf(["perf", "report", "-i", recording, "--stdio", "-g", "none", "-F", "period,sym",
                     "-t", "\t"], capture_output=True, text=True, check=True)
    for line in done.stdout.split("\n"):
        header = EVENT.match(line)
        if header:
            now = events.setdefault(header.group(1), Counter())
        row = re.match(r"\s*(\d+)\s*\t\[[^]]*\] (.*?)\s*$", line)
        if row:
            now[row.group(2)] += int(row.group(1))
    return events


def compare(plumb, *arguments):
    done = subprocess.run([plumb, "diff", "-v", "--json", "--percent-limit", "0", "--by-name",
                           *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["comparisons"][0]


def adjusted(values):
    """Benjamini and Hochberg's adjusted p: the least of p m / rank, over all ranks from its own on."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    for place, i in enumerate(order):
        result[i] = min([1.0] + [values[k] * len(values) / (rank + 1)
                                 for rank, k in enumerate(order) if rank >= place])
    return result


def check_adjusted(rows):
    rows = [row for row in rows if row["p"] is not None]
    for row, p in zip(rows, adjusted([row["p"] for row in rows])):
        assert math.isclose(row["adjusted_p"], p, rel_tol=1e-9), (row, p)
        assert row["more_than_noise"] == (p <= 0.05), row
    return len(rows)


def linkage_apart(functions, *sides):
    """Gathers what is called through tables of entries under one name, on both sides: perf names an
    entry by the function before the table, if there is one, and plumb by the function that it calls."""
    known, ours = set().union(*sides), {row["name"] for row in functions}
    rows, entries = {}, "entries"
    for row in functions:
        name = row["name"]
        if name == "_init" or name.endswith("@plt") and name not in known:
            name = entries
        if name not in rows:
            rows[name] = dict(row, name=name)
            continue
        for key in "before", "after", "change", "share":
            rows[name][key] += row[key]
        old = rows[name]["before"]
        rows[name]["relative"] = rows[name]["change"] / old if old else None
    gathered = []
    for side in sides:
        gathered.append(Counter())
        for name, period in side.items():
            apart = name == "_init" or name not in ours and entries in rows
            gathered[-1][entries if apart else name] += period
    return list(rows.values()), gathered


def check_functions(functions, before, after):
    """Every function of either side is there, with perf's sums; none else is."""
    whole = sum(before.values())
    assert len({row["name"] for row in functions}) == len(functions), functions
    functions, (before, after) = linkage_apart(functions, before, after)
    seen = {row["name"]: row for row in functions}
    changed = set(before) | set(after)
    assert set(seen) <= changed, set(seen) - changed
    for name in changed:
        old, new = before[name], after[name]
        if name not in seen:
            assert old == new, (name, old, new)
            continue
        row = seen[name]
        # Plumb multiplies a share by the total: the last digits of a double may differ.
        wanted = {"before": old, "after": new, "change": new - old, "share": (new - old) / whole if whole else None,
                  "relative": (new - old) / old if old else None}
        for key, value in wanted.items():
            assert (row[key] is None) if value is None else \
                math.isclose(row[key], value, rel_tol=1e-9, abs_tol=1e-9), (key, row, value)
    return len(seen)


@tap.test
def recordings(plumb):
    """Each function's change is the difference of the periods that perf report adds up"""
    need_perf()
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for part in 5000, 9000:
            program = build(folder, shutil.which("gcc") or "cc", part, 1500)
            path = os.path.join(folder, f"{part}.data")
            run_perf(["perf", "record", "-q", "-e", "cpu-clock:u", "-c", "250000", "-o", path, program],
                     check=True)
            sides.append(path)
        found = compare(plumb, *sides)
        before, after = [by_function(path)["cpu-clock:u"] for path in sides]
        assert after["leaf"] > 1.2 * before["leaf"] > 0, (before, after)
        count = check_functions(found["functions"], before, after)
        event = next(row for row in found["events"] if row["name"].startswith("cpu-clock"))
        assert (event["before"], event["after"]) == (sum(before.values()), sum(after.values()))
        assert found["explanation"]["function"] == "leaf", found["explanation"]
        tested = check_adjusted(found["functions"])
        return f"{count} functions, {tested} tested"


@tap.test
def exact_profiles(plumb):
    """So it is for the slots of exact profiles, which perf report adds up as well"""
    need_perf()
    compiler = shutil.which("gcc" if os.uname().machine == "aarch64" else "aarch64-linux-gnu-gcc")
    if not compiler or not engine.find(plumb):
        raise Skip("there is no compiler for AArch64, or no engine")
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for part in 5000, 9000:
            program = build(folder, compiler, part, 5, "-static")
            path = os.path.join(folder, f"{part}.data")
            subprocess.run([plumb, "record", "-q", "--source", "model", "--exact", "-o", path, "--",
                            program], check=True)
            sides.append(path)
        found = compare(plumb, *sides)
        sides = [by_function(path) for path in sides]
        count = 0
        for by in sorted({row["by"] for row in found["functions"]}):
            rows = [row for row in found["functions"] if row["by"] == by]
            # A slot retires an operation, or is lost for a cause.
            events = [name for name in {**sides[0], **sides[1]} if name == f"exact/{by}/" or
                      by == "slots" and
                      (name == "exact/OP_RETIRED/" or name.startswith("exact/slots_"))]
            assert events, by
            sums = [sum((side.get(name, Counter()) for name in events), Counter())
                    for side in sides]
            count += check_functions(rows, *sums)
            assert all(row["method"] == "exact" and row["p"] is None for row in rows)
            assert all(row["more_than_noise"] == (row["change"] != 0) for row in rows)
        assert count > 500
        return f"{count} sums of functions"


def ranks(before, after):
    """Returns Mann and Whitney's exact two-sided p, by all ways to deal the values, and the effect."""
    values = sorted(before + after)
    rank = {value: place + 1 for place, value in enumerate(values)}
    middle = len(after) * (len(values) + 1) / 2
    away = abs(sum(rank[value] for value in after) - middle)
    ways = [abs(sum(way) - middle) >= away - 1e-9
            for way in itertools.combinations(range(1, len(values) + 1), len(after))]
    effect = sum((b > a) - (b < a) for a in before for b in after) / (len(before) * len(after))
    return sum(ways) / len(ways), effect


def run_of(values):
    return json.dumps({"source": "perf", "cpu": {"name": "N1"}, "metrics": [],
                       "events": [{"name": f"E{i}", "count": value, "units": "events"}
                                  for i, value in enumerate(values)]}) + "\n"


@tap.test
def several_runs(plumb):
    """Medians, ranks' p and effect, and adjusted p of several runs are those of all ways to deal them"""
    draw = random.Random(1)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for runs in (4, 4), (5, 7), (8, 8):
            paths, sides = [], []
            for side, count in enumerate(runs):
                # Events differ by nothing up to several times their noise; no two counts are equal.
                table = [[round(draw.gauss(1e9 * (1 + side * i / 400), 1e7)) for i in range(12)]
                         for _ in range(count)]
                paths.append(os.path.join(folder, f"{side}.json"))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write("".join(run_of(values) for values in table))
                sides.append([list(column) for column in zip(*table)])
            found = compare(plumb, *paths)
            rows = {row["name"]: row for row in found["events"]}
            assert len(rows) == 12
            for i, (before, after) in enumerate(zip(*sides)):
                row, (p, effect) = rows[f"E{i}"], ranks(before, after)
                assert row["method"] == "ranks"
                assert row["before"] == statistics.median(before), row
                assert row["after"] == statistics.median(after), row
                assert math.isclose(row["p"], p, rel_tol=1e-9), (row, p)
                assert math.isclose(row["effect"], effect, abs_tol=1e-12), (row, effect)
            compared += check_adjusted(found["events"])
    return f"{compared} events"


if __name__ == "__main__":
    tap.run(*sys.argv[1:])
