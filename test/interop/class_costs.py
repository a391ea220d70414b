# SPDX-License-Identifier: Apache-2.0
"""What the classes of instructions cost on a core, from its data (model/cores)."""
import collections
import json
import os
import re

Cost = collections.namedtuple("Cost", "latency loads accumulator source")


def loads_of(parts, groups):
    """{port: load} of parts such as "2*L V0/7", spread evenly over the ports of their groups."""
    loads = collections.Counter()
    for part in parts.split():
        count, ports, busy = re.fullmatch(r"(?:(\d+)\*)?(\w+)(?:/(\d+))?", part).groups()
        ports = groups.get(ports, ports).split()
        for port in ports:
            loads[port] += int(count or 1) * int(busy or 1) / len(ports)
    return dict(loads)


def same_loads(ours, theirs):
    return all(abs(ours.get(port, 0) - theirs.get(port, 0)) < 0.02 for port in {*ours, *theirs})


def subclasses(path):
    """{subclass: the class whose costs it has where a core's data has none}"""
    with open(path, encoding="utf-8") as file:
        return dict(re.findall(r"^(?:MEMORY_)?SUBCLASS\((\w+), (\w+), \"", file.read(), flags=re.M))


def core_of(path):
    """A core's data, with what it has from the core that it is like."""
    with open(path, encoding="utf-8") as file:
        core = json.load(file)
    if "like" in core:
        base = core_of(os.path.join(os.path.dirname(path), core["like"] + ".json"))
        core = {**base, **core, "groups": {**base["groups"], **core.get("groups", {})},
                "classes": {**base["classes"], **core.get("classes", {})}}
    return core


def class_costs(path):
    """{class: Cost} of a core; NAME_WB is NAME with base write-back."""
    core = core_of(path)
    entries = dict(core["classes"])
    classes = os.path.join(os.path.dirname(path), os.pardir, "classes.def")
    of = subclasses(classes)
    for name in of:
        like = name
        while like not in entries:
            like = of[like]
        entries.setdefault(name, entries[like])
    return {name + suffix: Cost(entry["latency"], loads_of(f"{entry['parts']} {extra}",
                                                           core["groups"]),
                                entry.get("accumulator"), entry["source"])
            for name, entry in entries.items()
            for suffix, extra in (("", ""), ("_WB", core["writeback"]["value"]))}
