#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the data of the built-in specifications into one C file of constant tables.

    generate.py FOLDER OUTPUT.c

Equal tables are written once, so that revisions which differ in nothing share all they have.
"""
import sys

sys.dont_write_bytecode = True

from load import load  # noqa: E402  (after the line above)
from shapes import DataError  # noqa: E402

ACCESSES = {"PMU": 1, "ETE": 2}  # enum plumb_access

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Made by specs/generate.py from the data in specs/; do not edit. */
#include "spec/builtin.h"
"""


def string(text):
    escaped = "".join(
        "\\" + c if c in '\\"' else c if " " <= c <= "~" else
        "".join(f"\\{byte:03o}" for byte in c.encode()) for c in text)
    return f'"{escaped}"'


def boolean(value):
    return "true" if value else "false"


class Tables:
    """Writes constant arrays, equal ones once."""

    def __init__(self):
        self.lines = []
        self.known = {}

    def array(self, kind, name, rows, a_line=1):
        """The name of an array of `kind` with these rows; called `name`_N."""
        if not rows:
            return "NULL"
        body = "".join(f"\t{', '.join(rows[i:i + a_line])},\n"
                       for i in range(0, len(rows), a_line))
        if (kind, body) not in self.known:
            self.known[kind, body] = f"{name}_{len(self.known)}"
            self.lines.append(f"static const {kind} {self.known[kind, body]}[] = {{\n{body}}};\n")
        return self.known[kind, body]

    def raw_indexes(self, indexes):
        return self.array("uint16_t", "at", [str(i) for i in indexes], 16)

    def indexes(self, indexes):
        """An initializer of struct plumb_indexes."""
        return f"{{{self.raw_indexes(indexes)}, {len(indexes)}}}"


def positions(things):
    return {thing["name"]: i for i, thing in enumerate(things)}


def by_name(things):
    """Indexes ordered by name without regard to case; equal names in their order."""
    return sorted(range(len(things)), key=lambda i: (things[i]["name"].lower(), i))


def write_event(event):
    accesses = sum(ACCESSES[access] for access in event["accesses"])
    product = event["kind"] == "product"
    flags = [not product, product, product, event["debug"]]
    return (f"{{{string(event['name'])}, {string(event['title'])},\n"
            f"\t {string(event['description'])},\n"
            f"\t {event['code']:#06x}, {accesses}, {', '.join(map(boolean, flags))}}}")


def write_metric(tables, events, metric):
    texts = ",\n\t ".join(string(metric[member])
                          for member in ("name", "title", "description", "formula", "units"))
    needs = tables.indexes([events[name] for name in metric["events"]])
    samples = tables.indexes([events[name] for name in metric["sample_events"]])
    return f"{{{texts}, {needs}, {samples}}}"


def write_group(tables, index, group, member):
    indexes = tables.indexes([index[name] for name in group[member]])
    return (f"{{{string(group['name'])}, {string(group['title'])},\n"
            f"\t {string(group['description'])}, {indexes}}}")


def write_node(tables, index, name, node):
    events, metrics, groups = index
    items = [f"{{PLUMB_ITEM_METRIC, {metrics[item]}}}" if item in metrics
             else f"{{PLUMB_ITEM_METRIC_GROUP, {groups[item]}}}" for item in node["next"]]
    items = tables.array("struct plumb_next_item", "next", items, 2)
    samples = tables.indexes([events[event] for event in node.get("sample_events", ())])
    return f"{{{metrics[name]}, {groups[node['group']]}, {len(node['next'])}, {items}, {samples}}}"


def write_methodology(tables, index, methodology):
    stages = [f"{{{string(name)}, {tables.indexes([index[2][group] for group in groups])}}}"
              for name, groups in methodology["stages"].items()]
    nodes = [write_node(tables, index, name, node)
             for name, node in methodology["nodes"].items()]
    order = {name: i for i, name in enumerate(methodology["nodes"])}
    roots = tables.indexes([order[root] for root in methodology["roots"]])
    return (f"{{{string(methodology['name'])}, {string(methodology['title'])},\n"
            f"\t {string(methodology['description'])},\n"
            f"\t {tables.array('struct plumb_stage', 'stages', stages)}, {len(stages)},\n"
            f"\t {tables.array('struct plumb_node', 'nodes', nodes)}, {len(nodes)}, {roots}}}")


def write_spec(tables, cpu):
    """A struct plumb_spec; returns its name."""
    events = positions(cpu.events)
    metrics = positions(cpu.metrics)
    groups = positions(cpu.metric_groups)
    arrays = {
        "events": tables.array("struct plumb_event", "events",
                               [write_event(event) for event in cpu.events]),
        "metrics": tables.array("struct plumb_metric", "metrics",
                                [write_metric(tables, events, m) for m in cpu.metrics]),
        "metric_groups": tables.array(
            "struct plumb_metric_group", "metric_groups",
            [write_group(tables, metrics, group, "metrics") for group in cpu.metric_groups]),
        "functional_groups": tables.array(
            "struct plumb_functional_group", "functional_groups",
            [write_group(tables, events, group, "events") for group in cpu.functional_groups]),
        "methodologies": tables.array(
            "struct plumb_methodology", "methodologies",
            [write_methodology(tables, (events, metrics, groups), methodology)
             for methodology in cpu.methodologies]),
        "events_by_name": tables.raw_indexes(by_name(cpu.events)),
        "events_by_code": tables.raw_indexes(
            sorted(range(len(cpu.events)), key=lambda i: (cpu.events[i]["code"], i))),
        "metrics_by_name": tables.raw_indexes(by_name(cpu.metrics)),
    }
    counts = {"event_count": cpu.events, "metric_count": cpu.metrics,
              "metric_group_count": cpu.metric_groups,
              "functional_group_count": cpu.functional_groups,
              "methodology_count": cpu.methodologies}
    product, document = cpu.product, cpu.document
    members = [
        f".id = {string(cpu.id)}",
        f".product = {{\n\t\t{string(product['name'])}, {string(product['architecture'])}, "
        f"{string(product['pmu_architecture'])}, {product['implementer']:#04x}, "
        f"{product['part']:#05x}, {product['major']}, {product['minor']},\n"
        f"\t\t.slots = {product['slots']}, .bus_slots = {product['bus_slots']}, "
        f".counters = {product['counters']},\n\t}}",
        ".document = {\n" + "".join(
            f"\t\t.{name} = {boolean(value) if isinstance(value, bool) else string(value)},\n"
            for name, value in document.items()) + "\t}",
        *(f".{name} = {array}" for name, array in arrays.items()),
        *(f".{name} = {len(things)}" for name, things in counts.items()),
    ]
    name = "spec_" + cpu.id.replace("-", "_")
    body = "".join(f"\t{member},\n" for member in members)
    tables.lines.append(f"static const struct plumb_spec {name} = {{\n{body}}};\n")
    return name


def generate(root):
    cpus, midrs = load(root)
    tables = Tables()
    names = [write_spec(tables, cpu) for cpu in cpus]
    specs = "".join(f"\t&{name},\n" for name in names)
    entries = "".join(f"\t{{{midr:#010x}, {mask:#010x}, {string(cpus[i].id)}, {i}}},\n"
                      for midr, mask, i in midrs)
    tables.lines += [
        f"const struct plumb_spec *const builtin_specs[] = {{\n{specs}}};\n"
        f"const size_t builtin_spec_count = {len(names)};\n",
        f"const struct builtin_midr builtin_midrs[] = {{\n{entries}}};\n"
        f"const size_t builtin_midr_count = {len(midrs)};\n"]
    return "\n".join([HEAD, *tables.lines])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: generate.py FOLDER OUTPUT.c")
    try:
        text = generate(sys.argv[1])
    except DataError as error:
        sys.exit(f"generate.py: {error}")
    with open(sys.argv[2], "w", encoding="ascii") as output:
        output.write(text)


if __name__ == "__main__":
    main()
