#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that errors in the data of the built-in specifications stop the build with a clear message.

    specs_data.py SPECS

SPECS is the project's specs/ folder. Each test puts one error into a copy of the data.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402

tap = Tap()
N3 = "cpus/neoverse-n3-r0p0.json"
TREE = ("methodologies", "topdown_methodology")


def generate(specs, data, output, seed="0"):
    return subprocess.run([sys.executable, specs / "generate.py", data, output], text=True,
                          capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed})


@tap.test
def deterministic(specs, folder):
    """The same data produces the same file, byte for byte"""
    texts = set()
    for seed in ("1", "2", "3"):
        done = generate(specs, specs, folder / "out.c", seed)
        if done.returncode:
            raise AssertionError(done.stderr)
        texts.add((folder / "out.c").read_bytes())
    if len(texts) != 1:
        raise AssertionError(f"{len(texts)} different files")


def put(value, *path):
    """Returns a change that sets a path in a file's data to `value`."""
    def change(data):
        for name in path[:-1]:
            data = data[name]
        data[path[-1]] = value
    return change


def drop(*path):
    def change(data):
        for name in path[:-1]:
            data = data[name]
        del data[path[-1]]
    return change


def append(value, *path):
    def change(data):
        for name in path:
            data = data[name]
        data.append(value)
    return change


# The error; the file; the change; what the message must contain besides the file's name.
MISTAKES = [
    ("a code of five digits", "events/common.json", put("0x10000", "SW_INCR", "code"),
     ["SW_INCR", "code"]),
    ("a code in capitals", "events/common.json", put("0x001B", "INST_SPEC", "code"),
     ["INST_SPEC", "0x001B"]),
    ("no description", "events/common.json", drop("CPU_CYCLES", "description"),
     ["CPU_CYCLES", "description is missing"]),
    ("an empty description", "metrics.json", put("", "ipc", "description"),
     ["ipc", "description"]),
    ("an unknown member", "metrics.json", put("x", "ipc", "unit"), ["ipc", "unknown member unit"]),
    ("an event in both files", "events/product.json",
     lambda data: data.update(SW_INCR=data["IMP_CT_FLUSH"]), ["SW_INCR", "another file"]),
    ("an event that no CPU has", "events/common.json",
     lambda data: data.update(NOBODYS=data["SW_INCR"]), ["common.json", "NOBODYS"]),
    ("an event like nothing", "events/product.json", put("NOTHING", "IMP_LS_RAR", "like"),
     ["IMP_LS_RAR", "NOTHING"]),
    ("two events with one code", "events/common.json", put("0x0008", "SW_INCR", "code"),
     ["SW_INCR", "INST_RETIRED", "the same code"]),
    ("a formula with an unknown name", "metrics.json",
     put("INST_RETIRE / CPU_CYCLES", "ipc", "formula"), ["ipc", "INST_RETIRE"]),
    ("a formula with a strange character", "metrics.json",
     put("INST_RETIRED % CPU_CYCLES", "ipc", "formula"), ["ipc", "'%'"]),
    ("an unknown sample event", "metrics.json", put(["CYCLES"], "ipc", "sample_events"),
     ["ipc", "CYCLES"]),
    ("an unknown event", N3, append("BUS_ACCES", "functional_groups", "Bus"),
     ["BUS_ACCES"]),
    ("an unknown group", N3, put(["ipc"], "metric_groups", "Generals"), ["Generals"]),
    ("an unknown metric", N3, append("ipcs", "metric_groups", "General"), ["ipcs"]),
    ("an event grouped and ungrouped", N3, append("BUS_ACCESS", "ungrouped_events"),
     ["BUS_ACCESS", "functional group"]),
    ("a common event for debugging", N3, append("CPU_CYCLES", "debug"), ["debug", "CPU_CYCLES"]),
    ("a difference that does not differ", N3,
     put({"code": "0x0074"}, "differs", "events", "ASE_SPEC"), ["ASE_SPEC", "does not differ"]),
    ("a difference in something the CPU lacks", N3,
     put({"title": "x"}, "differs", "events", "CME_CYCLES"), ["CME_CYCLES"]),
    ("a wrong access", N3, put(["ETM"], "accesses"), ["accesses", "ETM"]),
    ("a revision unlike the file's name", N3, put("r0p1", "product", "revision"), ["r0p1"]),
    ("a part number over 12 bits", N3, put("0x1d8e", "product", "part"), ["part"]),
    ("slots as text", N3, put("5", "product", "slots"), ["slots", "'5'"]),
    ("counters without a source", N3, drop("counters", "source"), ["counters", "source"]),
    ("a missing section", N3, drop("metric_groups"), ["metric_groups is missing"]),
    ("a node outside its group", N3,
     put("MPKI", *TREE, "nodes", "frontend_bound", "group"), ["frontend_bound", "MPKI"]),
    ("an unknown next step", N3,
     append("Nowhere", *TREE, "nodes", "frontend_bound", "next"), ["frontend_bound", "Nowhere"]),
    ("a root without a node", N3, append("ipc", *TREE, "roots"), ["roots", "ipc"]),
    ("a group in two stages", N3, append("Topdown_L1", *TREE, "stages", "stage_2"),
     ["stage_2", "Topdown_L1"]),
    ("a cycle in the tree", N3,
     append("frontend_bound", *TREE, "nodes", "frontend_mem_tlb_bound", "next"),
     ["cycle", "frontend_bound", "frontend_mem_tlb_bound"]),
    ("a file like a missing one", "cpus/c1-pro-r1p1.json", put("c1-pro-r9p9", "like"),
     ["c1-pro-r9p9"]),
    ("a file like one that is like another", "cpus/c1-pro-r1p1.json", put("c1-pro-r1p2", "like"),
     ["itself like c1-pro-r0p0"]),
    ("an event out of order after an unknown one", "cpus/c1-nano-r0p0.json",
     put("SW_INC", "out_of_order", "after"), ["out_of_order", "SW_INC"]),
    ("a MIDR of an unknown CPU", "midr.json", put("neoverse-n9-r0p0", "0x41d0c"),
     ["0x41d0c", "neoverse-n9-r0p0"]),
    ("a MIDR of seven digits", "midr.json", put("neoverse-n1-r4p1", "0x410d0c0"), ["0x410d0c0"]),
]


def mistake(what, file, change, words):
    def test(specs, folder):
        data = folder / what.replace(" ", "-")
        content = read(specs / file)
        change(content)
        with_one_file(specs, data, file, json.dumps(content))
        refused(specs, data, [".json: ", *words])

    test.__doc__ = f"Refused: {what}"
    return test


def with_one_file(specs, data, file, text):
    """Checks the data with one file changed."""
    shutil.copytree(specs, data, copy_function=os.symlink,
                    ignore=shutil.ignore_patterns("*.py", "meson.build"))
    (data / file).unlink()
    (data / file).write_text(text, encoding="utf-8")


def refused(specs, data, words):
    load, DataError = reader(specs)
    try:
        load(data)
    except DataError as error:
        for word in words:
            if word not in str(error):
                raise AssertionError(f"{word!r} is not in: {error}") from error
    else:
        raise AssertionError("it was taken")


def reader(specs):
    sys.path[:0] = [] if str(specs) in sys.path else [str(specs)]
    from load import load
    from shapes import DataError
    return load, DataError


for arguments in MISTAKES:
    tap.test(mistake(*arguments))


@tap.test
def twice(specs, folder):
    """Rejected: a duplicate name"""
    text = (specs / "metrics.json").read_text(encoding="utf-8")
    with_one_file(specs, folder / "twice", "metrics.json",
                  text.replace('"ipc": {', '"ipc": {}, "ipc": {'))
    refused(specs, folder / "twice", ["metrics.json", "ipc", "twice"])


@tap.test
def truncated(specs, folder):
    """Rejected: a truncated file; the build stops with a one-line error and writes nothing"""
    data, output = folder / "truncated", folder / "truncated.c"
    text = (specs / "groups.json").read_text(encoding="utf-8")
    with_one_file(specs, data, "groups.json", text[:1000])
    refused(specs, data, ["groups.json"])
    done = generate(specs, data, output)
    if done.returncode != 1 or output.exists():
        raise AssertionError(f"status {done.returncode}, output written: {output.exists()}")
    if "groups.json" not in done.stderr or done.stderr.count("\n") != 1:
        raise AssertionError(done.stderr)


def only_n1(specs, data):
    """Returns the data of Neoverse N1 alone: what its file names, and nothing else."""
    for folder in ("cpus", "events"):
        (data / folder).mkdir(parents=True)
    cpu = read(specs / "cpus/neoverse-n1-r4p1.json")
    names = {name for section in ("functional_groups", "metric_groups")
             for group, members in cpu[section].items() for name in [group, *members]}
    names |= cpu["methodologies"].keys()
    keep = {"cpus/neoverse-n1-r4p1.json": cpu, "document.json": read(specs / "document.json"),
            "midr.json": {"0x41d0c": "neoverse-n1-r4p1"},
            "groups.json": {section: {name: group for name, group in groups.items()
                                      if name in names}
                            for section, groups in read(specs / "groups.json").items()}}
    for file in ("events/common.json", "events/product.json", "metrics.json"):
        keep[file] = {name: thing for name, thing in read(specs / file).items() if name in names}
    for file, content in keep.items():
        write(data / file, content)
    return keep


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")


def places(content, depth):
    """Yields (object or list, name or index) of the values in it, the first eight of each level."""
    if depth == 0 or not isinstance(content, (dict, list)):
        return
    inside = list(content.items()) if isinstance(content, dict) else list(enumerate(content))
    for name, value in inside[:8]:
        yield content, name
        yield from places(value, depth - 1)


@tap.test
def other_kinds(specs, folder):
    """Rejected, without a crash: a value of another type, anywhere"""
    load, DataError = reader(specs)
    data = folder / "n1"
    keep = only_n1(specs, data)
    load(data)
    tried, refused_ones = 0, 0
    for file, content in keep.items():
        whole = {"": content}
        for holder, name in list(places(whole, 6)):
            saved = holder[name]
            for wrong in (7, "a b", [], {}, [7], {"a b": 7}):
                holder[name] = wrong
                write(data / file, whole[""])
                tried += 1
                try:
                    load(data)
                except DataError as error:
                    refused_ones += 1
                    if not str(error):
                        raise AssertionError("no message") from error
            holder[name] = saved
        write(data / file, content)
    load(data)
    if refused_ones < tried * 0.8:
        raise AssertionError(f"only {refused_ones} of {tried} were rejected")
    return f"{refused_ones} of {tried} rejected; in the others the value is allowed"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: specs_data.py SPECS")
    with tempfile.TemporaryDirectory() as folder:
        tap.run(Path(sys.argv[1]).resolve(), Path(folder))


if __name__ == "__main__":
    main()
