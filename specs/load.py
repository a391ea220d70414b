# SPDX-License-Identifier: Apache-2.0
"""Reads the data of the built-in specifications and checks that it is consistent.

The result is complete and resolved: each CPU with everything it has, in plain dictionaries that
still use names instead of indexes. doc/specifications.md describes the files.
"""

import re
from pathlib import Path

from shapes import (CPU_FILE, DOCUMENT_FILE, EVENT_SHAPE, EVENTS_FILE, GROUPS_FILE, METRICS_FILE,
                    MIDR_FILE, any_object, cpu_id, fail, read_json)

TOKEN = re.compile(r"\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|(<<|>>|[-+*/()])|(\S))", re.ASCII)
USUAL_ACCESSES = ["PMU", "ETE"]
SECTIONS = ("events", "metrics", "metric_groups", "functional_groups", "methodologies")


class Shared:
    """The shared descriptions: events, metrics, groups, methodologies, by name."""

    def __init__(self, root):
        self.root = root
        self.used = set()
        self.things = {"events": {}, "metrics": read_json(root / "metrics.json", METRICS_FILE),
                       **read_json(root / "groups.json", GROUPS_FILE)}
        for kind in ("common", "product"):
            self.read_events(root / "events" / f"{kind}.json", kind)
        for name in self.things["metrics"].keys() & self.things["metric_groups"].keys():
            fail(root / "groups.json", f"{name} is also a metric")

    def read_events(self, path, kind):
        events = read_json(path, EVENTS_FILE)
        for name, members in events.items():
            place = f"{path}: {name}"
            if name in self.things["events"]:
                fail(place, "is also in another file")
            if "like" in members:  # another name, which provides missing members
                base = events.get(members["like"], {"like": None})
                if "like" in base:
                    fail(place, f"{members['like']} must be an event without \"like\"")
                members = {**base, **members}
                del members["like"]
            EVENT_SHAPE(place, members)
            self.things["events"][name] = {**members, "kind": kind}

    def get(self, section, name, place):
        if name not in self.things[section]:
            fail(place, f"{name} is not among the {section.replace('_', ' ')}")
        self.used.add((section, name))
        return self.things[section][name]

    def check_all_used(self):
        for section, things in self.things.items():
            for name, thing in things.items():
                if (section, name) not in self.used:
                    file = {"events": f"events/{thing.get('kind')}.json",
                            "metrics": "metrics.json"}.get(section, "groups.json")
                    fail(f"{self.root / file}: {name}", "no CPU has it")


def formula_names(place, formula):
    """Returns the names in a formula, each once, in ASCII order as in Arm's files."""
    names = set()
    for name, _, _, other in TOKEN.findall(formula):
        if other:
            fail(place, f"invalid text in a formula: {other!r}")
        if name:
            names.add(name)
    return sorted(names)


def merge(base, over, depth):
    """Merges `over` into a copy of `base`, member by member, `depth` levels deep."""
    merged = dict(base)
    for name, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = merge(merged[name], value, depth - 1) if depth > 0 and both else value
    return merged


def read_cpu_file(path):
    """Returns one CPU's file, merged into the file it is like."""
    cpu_id(path, path.stem)
    cpu = read_json(path, any_object)
    if "like" in cpu:
        cpu_id(f"{path}: like", cpu["like"])
        base = read_json(path.with_name(f"{cpu.pop('like')}.json"), any_object)
        if "like" in base:
            fail(path, f"the file it is like is itself like {base['like']}")
        over = {member: merge(base.get(member, {}), cpu[member], 2)
                for member in ("product", "differs")
                if isinstance(cpu.get(member), dict) and isinstance(base.get(member, {}), dict)}
        cpu = {**base, **cpu, **over}
    CPU_FILE(path, cpu)
    return cpu


class Cpu:
    """A resolved CPU: `events`, `metrics` and so on are lists of dictionaries with a name."""

    def __init__(self, path, shared, document):
        self.id = path.stem
        self.path = path
        self.shared = shared
        self.data = read_cpu_file(path)
        self.accesses = self.data.get("accesses", USUAL_ACCESSES)
        self.differs = self.data.get("differs", {})
        self.product = self.make_product()
        self.document = {
            **document, "quality": self.data.get("quality", "Release"),
            "description": document["description"].replace("$product", self.product["name"])}
        self.functional_groups = [
            {**self.make("functional_groups", name), "events": events}
            for name, events in self.data["functional_groups"].items()]
        self.metric_groups = [
            {**self.make("metric_groups", name), "metrics": metrics}
            for name, metrics in self.data["metric_groups"].items()]
        self.events = self.make_events()
        self.event_names = {event["name"] for event in self.events}
        self.metrics = self.make_metrics()
        self.metric_names = {metric["name"] for metric in self.metrics}
        self.methodologies = [self.make_methodology(name, members)
                              for name, members in self.data["methodologies"].items()]
        self.check_differences()

    def place(self, *names):
        return ": ".join([str(self.path), *names])

    def make_product(self):
        product = self.data["product"]
        if not self.id.endswith(f"-{product['revision']}"):
            fail(self.place("product"),
                 f"revision {product['revision']} and the file's name disagree")
        major, minor = product["revision"][1:].split("p")
        return {**product, "implementer": int(product["implementer"], 16),
                "part": int(product["part"], 16), "major": int(major), "minor": int(minor),
                "counters": self.data["counters"]["programmable"]}

    def make(self, section, name):
        usual = self.shared.get(section, name, self.place(section))
        return {"name": name, **usual, **self.differs.get(section, {}).get(name, {})}

    def have(self, place, what, names):
        """Checks that the CPU has all of these."""
        for name in names:
            if name not in what:
                fail(place, f"the CPU has no {name}")

    def make_events(self):
        debug = self.data.get("debug", [])
        ungrouped = self.data.get("ungrouped_events", [])
        grouped = {event for group in self.functional_groups for event in group["events"]}
        for name in ungrouped:
            if name in grouped:
                fail(self.place("ungrouped_events"), f"{name} is in a functional group")
        events = {}
        for name in sorted(grouped.union(ungrouped)):
            event = self.make("events", name)
            event.setdefault("accesses", self.accesses)
            event["code"] = int(event["code"], 16)
            event["debug"] = name in debug
            if event["debug"] and event["kind"] != "product":
                fail(self.place("debug"), f"{name} is not product-defined")
            events[name] = event
        self.have(self.place("debug"), events, debug)
        return self.order(events)

    def order(self, events):
        """Sorts events by code, as in most of Arm's files; some events are placed elsewhere."""
        ordered = sorted(events.values(), key=lambda event: event["code"])
        for one, other in zip(ordered, ordered[1:]):
            if one["code"] == other["code"]:
                fail(self.path, f"{one['name']} and {other['name']} have the same code")
        if "out_of_order" not in self.data:
            return ordered
        after, moved = self.data["out_of_order"]["after"], self.data["out_of_order"]["events"]
        self.have(self.place("out_of_order"), events, [after, *moved])
        if after in moved:
            fail(self.place("out_of_order"), f"{after} cannot follow itself")
        ordered = [event for event in ordered if event["name"] not in moved]
        at = ordered.index(events[after]) + 1
        return ordered[:at] + [events[name] for name in moved] + ordered[at:]

    def make_metrics(self):
        metrics = []
        for name in sorted({name for group in self.metric_groups for name in group["metrics"]}):
            place = self.place("metrics", name)
            metric = self.make("metrics", name)
            metric["formula"] = metric["formula"].replace("$slots", str(self.product["slots"]))
            metric["events"] = formula_names(place, metric["formula"])
            self.have(place, self.event_names, metric["events"] + metric["sample_events"])
            metrics.append(metric)
        return metrics

    def make_methodology(self, name, members):
        place = self.place("methodologies", name)
        staged = set()
        for stage, groups in members["stages"].items():
            self.have(f"{place}: {stage}", self.data["metric_groups"], groups)
            for group in groups:
                if group in staged:
                    fail(f"{place}: {stage}", f"{group} is in two stages")
                staged.add(group)
        for node, node_members in members["nodes"].items():
            self.check_node(f"{place}: {node}", node, node_members)
        for root in members["roots"]:
            if root not in members["nodes"]:
                fail(f"{place}: roots", f"{root} is not a node")
        self.check_no_cycle(place, members["nodes"])
        return {**self.make("methodologies", name), **members}

    def check_node(self, place, node, members):
        if node not in self.data["metric_groups"].get(members["group"], ()):
            fail(place, f"is not in metric group {members['group']}")
        for item in members["next"]:
            if item not in self.metric_names and item not in self.data["metric_groups"]:
                fail(place, f"next item {item} is neither a metric nor a metric group")
        self.have(place, self.event_names, members.get("sample_events", ()))

    @staticmethod
    def check_no_cycle(place, nodes):
        done, path = set(), []

        def walk(node):
            if node in path:
                fail(place, f"the tree has a cycle: {' -> '.join([*path, node])}")
            if node in done or node not in nodes:
                return
            path.append(node)
            for item in nodes[node]["next"]:
                walk(item)
            done.add(path.pop())

        for node in nodes:
            walk(node)

    def check_differences(self):
        """Checks that differences refer to things the CPU has, and that they differ."""
        have = dict(zip(SECTIONS, (self.event_names, self.metric_names,
                                   *(self.data[section] for section in SECTIONS[2:]))))
        for section, things in self.differs.items():
            self.have(self.place("differs", section), have[section], things)
            for name, members in things.items():
                place = self.place("differs", section, name)
                usual = {"accesses": self.accesses, **self.shared.get(section, name, place)}
                for member, value in members.items():
                    if usual[member] == value:
                        fail(place, f"{member} does not differ")


def read_midrs(path, cpus):
    """Returns (midr, mask, index into cpus), most specific first."""
    index = {cpu.id: i for i, cpu in enumerate(cpus)}
    midrs = []
    for text, cpu in read_json(path, MIDR_FILE).items():
        value = int(text, 16)
        if cpu not in index:
            fail(path, f"{text}: unknown CPU {cpu}")
        if len(text) == len("0x41d0c"):
            midrs.append((value >> 12 << 24 | (value & 0xfff) << 4, 0xff00fff0, index[cpu]))
        else:
            midrs.append((value, 0xffffffff, index[cpu]))
    return sorted(midrs, key=lambda entry: entry[1] != 0xffffffff)


def load(root):
    """Loads everything under `root`: (CPUs sorted by id, MIDR entries)."""
    root = Path(root)
    shared = Shared(root)
    document = read_json(root / "document.json", DOCUMENT_FILE)
    cpus = [Cpu(path, shared, document) for path in sorted((root / "cpus").glob("*.json"))]
    cpus.sort(key=lambda cpu: cpu.id)
    shared.check_all_used()
    return cpus, read_midrs(root / "midr.json", cpus)
