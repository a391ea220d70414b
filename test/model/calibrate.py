#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks plumb calibrate on the model: changes 40 figures of a core at random by up to half, lets
plumb calibrate find them, and compares. Of the 40, at least 30 have to be found, and all that are
found lie within 10 %.

    calibrate.py [--absent WHY] [--cores N] [--figures NAME,...] [--table] PLUMB CORE_JSON...

The N cores take the files in turn.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

# 40 figures, of which one has no microbenchmark.
PLAIN = """
    classes.INT_MUL.latency classes.INT_MADD.latency classes.INT_MULH.latency
    classes.INT_SHIFTED.latency classes.INT_CRC.latency classes.INT_DIV64.latency
    classes.LOAD.latency classes.FP_ADD.latency classes.FP_FMA.latency classes.FP_DIV_D.latency
    classes.FP_CONVERT.latency classes.SIMD_MUL.latency
    reorder_entries int_registers vector_registers flag_registers load_entries store_entries
    store_buffer_entries queues.SX.entries queues.MX.entries queues.VX.entries queues.LS.entries
    forward_latency forward_failed mispredict_cycles predictor.return_entries
    predictor.decode_redirect
    l2.latency llc.latency dram_latency l1d.misses peer_latency
    l1d_tlb.entries l1i_tlb.entries l2_tlb.latency
    """.split()
# Sizes whose sets are a power of two: a random number of ways changes them.
BY_WAYS = {"l1d.bytes": "l1d.ways", "l2.bytes": "l2.ways", "l2_tlb.entries": "l2_tlb.ways",
           "predictor.target_entries": "predictor.target_ways"}
# The frontend's own depth hides shorter recoveries, and a store's way to L1D shorter failures: below
# these, a figure changes nothing that anybody could measure.
LEAST = {"mispredict_cycles": 6, "forward_failed": 8, **{f"queues.{name}.entries": 8 for name in ("SX", "MX", "VX", "LS")}}
# The model has no larger ones.
MOST = {"reorder_entries": 448, "int_registers": 240, "vector_registers": 240, "load_entries": 240,
        "store_entries": 240, **{f"queues.{name}.entries": 127 for name in ("SX", "MX", "VX", "LS")},
        "flag_registers": 240, "l1d_tlb.entries": 128, "l1i_tlb.entries": 128}
CHANGED = PLAIN + list(BY_WAYS)
WANTED, WITHIN = 30, 0.10


def read_core(path):
    """A core's data, with what it has from the one that it is like."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if "like" not in data:
        return data
    base = read_core(path.with_name(data["like"] + ".json"))
    return {**base, **data, "core": merge(base["core"], data["core"]),
            "classes": merge(base["classes"], data.get("classes", {}))}


def merge(base, own):
    """`base` with what `own` replaces; a figure or a class as a whole."""
    if not isinstance(base, dict) or "source" in own:
        return own
    return {**base, **{name: merge(base.get(name), member) for name, member in own.items()}}


def figures_of(core):
    """{name: value} of a core's data."""
    found = {}

    def walk(where, data):
        if "value" in data:
            found[where] = data["value"]
            return
        for name, member in data.items():
            walk(f"{where}.{name}" if where else name, member)

    walk("", core["core"])
    for queue in core.get("queues", []):
        found[f"queues.{queue['name']}.entries"] = queue["entries"]["value"]
    for name, costs in core.get("classes", {}).items():
        found[f"classes.{name}.latency"] = costs["latency"]
    return found


def changed(choose, value, least=1, most=1 << 30):
    """Another whole number within half of `value`, each as likely."""
    numbers = [n for n in range(-(-value // 2), value + value // 2 + 1) if n != value and least <= n <= most]
    return choose.choice(numbers or [value])


def make_core(choose, like, base):
    """Returns {name: value} of 40 changed figures, and the core file's data."""
    figures = {name: changed(choose, base[name], LEAST.get(name, 1), MOST.get(name, 1 << 30))
               for name in PLAIN}
    extra = {}
    for size, ways in BY_WAYS.items():
        extra[ways] = changed(choose, base[ways])
        figures[size] = base[size] // base[ways] * extra[ways]
    data = {"name": "changed", "like": like, "sources": {"chance": "random numbers"},
            "core": {}, "queues": [], "classes": {}}
    for name, value in {**figures, **extra}.items():
        entry = {"value": value, "source": "chance"}
        parts = name.split(".")
        if parts[0] == "queues":
            data["queues"].append({"name": parts[1], "entries": entry})
        elif parts[0] == "classes":
            data["classes"][parts[1]] = {"latency": value, "source": "chance"}
        elif len(parts) == 2:
            data["core"].setdefault(parts[0], {})[parts[1]] = entry
        else:
            data["core"][name] = entry
    return figures, data


def calibrate(plumb, path, names):
    run = subprocess.run([plumb, "calibrate", "--model", path, "--json", "--no-progress", *names],
                         capture_output=True, text=True, timeout=3000, check=False)
    if run.returncode:
        raise RuntimeError(f"status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def study(plumb, core, seed, only, folder):
    """Returns [(name, truth, found or None, why)] of the figures changed in one core."""
    base = read_core(core)
    truth, data = make_core(random.Random(seed), base["name"], figures_of(base))
    path = folder / f"core-{seed}.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    result = calibrate(plumb, path, only)
    found = figures_of(result)
    why = {entry["name"]: entry["why"] for entry in result["unknown"]}
    return [(name, truth[name], found.get(name), why.get(name, "no microbenchmark"))
            for name in CHANGED if not only or any(name == n or name.startswith(n + ".")
                                                   for n in only)]


def is_wrong(row):
    _, truth, found, _ = row
    return found is not None and abs(found - truth) > WITHIN * truth


def print_table(studies):
    """How often each figure was found, and its largest error."""
    for i, name in enumerate(CHANGED):
        rows = [rows[i] for rows in studies]
        found = [row for row in rows if row[2] is not None]
        errors = [abs(row[2] - row[1]) / row[1] for row in found]
        whys = sorted({row[3] for row in rows if row[2] is None})
        print(f"# {name:32} {len(found):2} of {len(rows)}"
              f"{f', within {100 * max(errors):.1f} %' if errors else ''}"
              f"{'; else: ' + '; '.join(whys) if whys else ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--absent")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figures", default="")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("plumb")
    parser.add_argument("core", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    only = [name for name in options.figures.split(",") if name]
    print(f"1..{options.cores}")
    failed, studies = 0, []
    for core in range(1, options.cores + 1):
        like = options.core[(core - 1) % len(options.core)]
        title = f"core {core}, like {like.stem}"
        if options.absent:
            print(f"ok {core} - {title} # SKIP {options.absent}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = study(options.plumb, like, options.seed + core - 1, only, pathlib.Path(folder))
        studies.append(rows)
        wrong = [row for row in rows if is_wrong(row)]
        found = sum(row[2] is not None for row in rows)
        fine = not wrong and found >= (WANTED if not only else len(rows))
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {core} - {title}: {found} of {len(rows)} figures "
              "found", flush=True)
        for name, truth, value, why in rows:
            if value is None:
                print(f"# {name}: is {truth}, not found: {why}")
            elif (name, truth, value, why) in wrong:
                print(f"# {name}: is {truth}, found {value}")
        sys.stdout.flush()
    if options.table and studies:
        print_table(studies)
    return failed > 0


sys.exit(main())
