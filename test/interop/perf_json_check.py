#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks specifications exported for perf by the rules of jevents.py, and with jevents.py.

    perf_json_check.py PLUMB

jevents.py is from the source of a kernel: PLUMB_KERNEL_SOURCE, or any unpacked in /usr/src (Debian:
linux-source).
"""
import ast
import functools
import glob
import importlib.util
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from exports import built_in, cpus, expect, export, facts, name_of  # noqa: E402
from tap import Facts, Skip, Tap  # noqa: E402

tap = Tap()

# The members that jevents.py (Linux 6.12, class JsonEvent) takes notice of; those that say
# something about PMUs of other architectures apart.
EVENT_MEMBERS = {"ArchStdEvent", "EventCode", "EventName", "BriefDescription",
                 "PublicDescription"}
METRIC_MEMBERS = {"MetricName", "MetricExpr", "MetricGroup", "DefaultMetricgroupName",
                  "BriefDescription", "PublicDescription", "ScaleUnit"}
# perf's lexer (tools/perf/util/expr.l), as far as exported expressions go.
TOKEN = re.compile(r" *(?:([A-Za-z]\w*)|(\d+(?:\.\d+)?)|([-+*/()]))", re.ASCII)
KEYWORDS = {"if", "else", "min", "max", "d_ratio", "source_count", "has_event",
            "strcmp_cpuid_str", "NaN"}
MAPFILE_LINE = re.compile(r"0x00000000([0-9a-f]{2})0f([0-9a-f]{3})0,v1,([a-z0-9_/-]+),core\n")


class Folder:
    """A CPU's exported files, read."""

    def __init__(self, plumb, cpu):
        with tempfile.TemporaryDirectory() as root:
            export(plumb, cpu, "perf-json", "-o", f"{root}/")
            path = next(Path(root).glob("*/*"))
            self.name = path.relative_to(root).as_posix()
            self.mapfile = (path / "mapfile.csv").read_text(encoding="utf-8")
            self.topics = {path.stem: json.loads(path.read_bytes())
                           for path in path.glob("*.json")}
        self.entries = [entry for entries in self.topics.values() for entry in entries]
        self.events = [entry for entry in self.entries if "MetricName" not in entry]
        self.metrics = [entry for entry in self.entries if "MetricName" in entry]


exported = functools.lru_cache(maxsize=None)(Folder)


def name_of_event(entry):
    return entry.get("ArchStdEvent") or entry["EventName"]


def countable(spec):
    return {name: event for name, event in spec["events"].items() if "PMU" in event["accesses"]}


@tap.test
def entries_are_jevents(plumb):
    """Every entry has only members known to jevents.py, all with text"""
    count = 0
    for cpu in cpus(plumb):
        folder = exported(plumb, cpu)
        for entry in folder.entries:
            what = f"{name_of(cpu)}: {entry}"
            members = METRIC_MEMBERS if "MetricName" in entry else EVENT_MEMBERS
            expect(set(entry) <= members, what)
            expect(all(isinstance(value, str) and value for value in entry.values()), what)
            if members is EVENT_MEMBERS:
                expect(("ArchStdEvent" in entry) != ({"EventCode", "EventName"} <= set(entry)),
                       what)
        count += len(folder.entries)
    return f"{count} entries"


@tap.test
def events_are_the_cpus(plumb):
    """The events are those a PMU counts, each once, with its code and topic"""
    compared = Facts()
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        events = countable(spec)
        groups = {}
        for group, content in spec["groups"]["function"].items():
            for event in content["events"]:
                groups.setdefault(event, []).append(group.lower())
        folder = exported(plumb, cpu)
        names = [name_of_event(entry) for entry in folder.events]
        compared.same(f"{name_of(cpu)}: events", sorted(names), sorted(events))
        for topic, entries in folder.topics.items():
            for entry in (e for e in entries if e in folder.events):
                name = name_of_event(entry)
                what = f"{name_of(cpu)}: {name}"
                compared.same(what, topic, groups.get(name, ["other"])[0])
                compared.same(what, entry["PublicDescription"], events[name]["description"])
                if "EventCode" in entry:
                    compared.same(what, int(entry["EventCode"], 0),
                                  int(events[name]["code"], 0))
                    compared.same(what, entry["BriefDescription"], events[name]["title"])
    return compared.done(at_least=8000)


@tap.test
def metrics_are_the_cpus(plumb):
    """The metrics agree with the specification, with groups and units"""
    compared = Facts()
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        folder = exported(plumb, cpu)
        compared.same(name_of(cpu), [entry["MetricName"] for entry in folder.metrics],
                      list(spec["metrics"]))
        compared.same(name_of(cpu), folder.topics["metrics"], folder.metrics)
        for entry in folder.metrics:
            metric = spec["metrics"][entry["MetricName"]]
            what = f"{name_of(cpu)}: {entry['MetricName']}"
            groups = [name for name, group in spec["groups"]["metrics"].items()
                      if entry["MetricName"] in group["metrics"]]
            ours = entry.get("MetricGroup", "").split(";") if "MetricGroup" in entry else []
            perfs = {"Default", "TopdownL1"} if "Topdown_L1" in groups else set()
            compared.same(what, set(ours) - set(groups), perfs)
            compared.same(what, set(groups) - set(ours), set())
            compared.same(what, entry.get("DefaultMetricgroupName"),
                          "TopdownL1" if perfs else None)
            compared.same(what, scale_and_unit(entry), (1.0, metric["units"]))
            compared.same(what, entry["BriefDescription"], metric["description"])
    return compared.done(at_least=5000)


def scale_and_unit(entry):
    """As perf_pmu__convert_scale() takes them apart, with strtod()."""
    number = re.match(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", entry["ScaleUnit"]).group()
    return float(number), entry["ScaleUnit"][len(number):].strip()


def tokens(expression):
    """The tokens of an expression; raises if perf's lexer would not take it."""
    found, at = [], 0
    while at < len(expression):
        token = TOKEN.match(expression, at)
        expect(token, f"not an expression of perf's: {expression!r} at {at}")
        found.append(token)
        at = token.end()
    return found


def names_in(expression):
    names = {token.group(1) for token in tokens(expression)} - {None}
    expect(not names & KEYWORDS, f"keywords in {expression!r}")
    return names


def evaluate(expression, counts):
    """Its value, None for none: numbers and names with + - * / and parentheses, nothing else."""
    def value(node):
        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.Name):
            return counts[node.id]
        expect(isinstance(node, ast.BinOp), f"{ast.dump(node)} in {expression!r}")
        left, right = value(node.left), value(node.right)
        operators = {ast.Add: float.__add__, ast.Sub: float.__sub__, ast.Mult: float.__mul__,
                     ast.Div: float.__truediv__}
        return operators[type(node.op)](left, right)

    try:
        return value(ast.parse(expression, mode="eval").body)
    except ZeroDivisionError:
        return None


def same_value(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def computes_numbers(expression):
    """Whether an operation has two numbers for operands, which jevents.py falls over."""
    return any(isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and
               isinstance(node.right, ast.Constant)
               for node in ast.walk(ast.parse(expression, mode="eval")))


def some_counts(names, chance):
    """Counts of any size, now and then zero or all alike."""
    alike = chance.random() < 0.2
    return {name: 0.0 if chance.random() < 0.1 else
            1000.0 if alike else float(chance.randrange(1, 10 ** chance.randrange(1, 13)))
            for name in names}


@tap.test
def expressions_have_the_formulas_values(plumb):
    """MetricExpr uses the CPU's events and has the value of the formula"""
    chance = random.Random(1)
    compared = values = 0
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        events = countable(spec)
        folder = exported(plumb, cpu)
        for entry in folder.metrics:
            metric = spec["metrics"][entry["MetricName"]]
            what = f"{name_of(cpu)}: {entry['MetricName']}: {entry['MetricExpr']}"
            names = names_in(entry["MetricExpr"])
            expect(names <= set(events), f"{what}: no events {names - set(events)}")
            expect(names == set(metric["events"]), f"{what}: needs {metric['events']}")
            expect(not computes_numbers(entry["MetricExpr"]), what)
            for _ in range(10):
                counts = some_counts(events, chance)
                ours = evaluate(entry["MetricExpr"], counts)
                theirs = evaluate(metric["formula"], counts)
                expect(same_value(ours, theirs), f"{what}: {ours} is not {theirs}")
                compared += 1
                values += ours is not None
    expect(compared > 10000 and values > compared / 2, f"only {compared} compared")
    return f"compared {compared} values, {compared - values} of them none"


@tap.test
def mapfile_has_the_part(plumb):
    """The lines of mapfile.csv have the folder, and the part without its revision"""
    for cpu in cpus(plumb):
        product = facts(plumb, cpu)["product_configuration"]
        folder = exported(plumb, cpu)
        lines = [(line, MAPFILE_LINE.fullmatch(line))
                 for line in folder.mapfile.splitlines(keepends=True)]
        expect(lines and all(match for _, match in lines), f"{name_of(cpu)}: {lines}")
        midrs = [match.group(1, 2) for _, match in lines]
        own = (product["implementer"][2:], product["part_num"][2:])
        expect(midrs[0] == own and len(set(midrs)) == len(midrs), f"{name_of(cpu)}: {midrs}")
        expect(all(match.group(3) == folder.name for _, match in lines), f"{lines}")


# ---- jevents.py itself --------------------------------------------------------------------------

def kernels():
    """Folders tools/perf/pmu-events of the kernels whose source is here."""
    sources = [os.environ.get("PLUMB_KERNEL_SOURCE", "")] + glob.glob("/usr/src/linux*/")
    folders = [Path(source, "tools/perf/pmu-events") for source in sources if source]
    folders = [folder for folder in folders if (folder / "jevents.py").is_file()]
    if not folders:
        raise Skip("no kernel source: unpack one and set PLUMB_KERNEL_SOURCE")
    return folders


def arch_folder(plumb, pmu_events, root):
    """Makes a folder of architectures for jevents.py, with all built-in CPUs and no others."""
    arm64 = root / "arm64"
    arm64.mkdir()
    (root / "test").symlink_to(pmu_events / "arch" / "test")
    for path in (pmu_events / "arch" / "arm64").glob("*.json"):
        shutil.copy(path, arm64)
    with open(arm64 / "mapfile.csv", "w", encoding="utf-8") as mapfile:
        mapfile.write("#Family-model,Version,Filename,EventType\n")
        for cpu in built_in(plumb):
            export(plumb, cpu, "perf-json", "-o", f"{arm64}/")
        for path in sorted(arm64.glob("*/*/mapfile.csv")):
            mapfile.write(path.read_text(encoding="utf-8"))
    return arm64


def load_jevents(pmu_events):
    """jevents.py as a module, its like beside it found."""
    sys.path.insert(0, str(pmu_events))
    try:
        sys.modules.pop("metric", None)
        spec = importlib.util.spec_from_file_location("jevents", pmu_events / "jevents.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


@tap.test
def jevents_makes_tables(plumb):
    """jevents.py makes tables of all built-in CPUs"""
    remarks = []
    for pmu_events in kernels():
        with tempfile.TemporaryDirectory() as root:
            root = Path(root)
            arch_folder(plumb, pmu_events, root)
            script = pmu_events / "jevents.py"
            model = ["all"] if "'model'" in script.read_text(encoding="utf-8") else []
            done = subprocess.run([sys.executable, "-B", script, "arm64", *model, root,
                                   root / "tables.c"], text=True, capture_output=True)
            expect(done.returncode == 0, done.stdout + done.stderr)
            text = (root / "tables.c").read_text(encoding="utf-8")
            for cpu in built_in(plumb):
                expect(f"arm_{cpu.replace('-', '_')}" in text, f"{cpu} is in no table")
            remarks.append(f"{len(text)} bytes of tables ({pmu_events})")
    return "; ".join(remarks)


@tap.test
def jevents_reads_the_same(plumb):
    """jevents.py reads the codes and expressions of the specifications"""
    compared = Facts()
    chance = random.Random(2)
    for pmu_events in kernels():
        jevents = load_jevents(pmu_events)
        with tempfile.TemporaryDirectory() as root:
            arm64 = arch_folder(plumb, pmu_events, Path(root))
            jevents.preprocess_arch_std_files(str(arm64))
            for cpu in built_in(plumb):
                read = [entry for path in sorted(arm64.glob(f"*/{cpu}/*.json"))
                        for entry in jevents.read_json_events(str(path), path.stem)]
                compare_with_jevents(compared, facts(plumb, cpu), read, cpu, chance)
    return compared.done(at_least=5000)


def compare_with_jevents(compared, spec, read, cpu, chance):
    events = {name.lower(): event for name, event in countable(spec).items()}
    codes = {entry.name: entry.event for entry in read if entry.name}
    compared.same(cpu, sorted(codes), sorted(events))
    for name, event in events.items():
        code = re.fullmatch(r"event=(\w+)", codes[name]).group(1)
        compared.same(f"{cpu}: {name}", int(code, 0), int(event["code"], 0))
    metrics = {entry.metric_name: entry for entry in read if entry.metric_name}
    compared.same(cpu, sorted(metrics), sorted(spec["metrics"]))
    counts = some_counts(countable(spec), chance)
    for name, metric in spec["metrics"].items():
        expression = metrics[name].metric_expr
        if not isinstance(expression, str):
            expression = expression.ToPerfJson()
        # jevents.py may have put the names of other metrics for their expressions.
        values = {**counts, **{other: evaluate(spec["metrics"][other]["formula"], counts)
                               for other in names_in(expression) & set(spec["metrics"])}}
        if None in values.values():
            continue
        compared.same(f"{cpu}: {name}: {expression}", True,
                      same_value(evaluate(expression, values),
                                 evaluate(metric["formula"], counts)))


tap.run(sys.argv[1])
