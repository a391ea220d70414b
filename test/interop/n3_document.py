#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the built-in Neoverse N3 specification with the text of Arm's document.

    n3_document.py PLUMB

The test takes every figure and name from the document. PLUMB_REFERENCE is the folder of
neoverse-n3-telemetry-109530.txt; without it, everything is skipped.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from n3_text import Text, one_line, without_blanks  # noqa: E402
from tap import Facts, Tap  # noqa: E402

# Where our tables correctly say more than the document; doc/specifications.md explains why.
NOT_LISTED_AS_NEEDED = "CPU_CYCLES"  # though the formulas of this group divide by it:
GROUP_WITHOUT_IT = "FP_Arithmetic_Intensity"
MISSPELT = (("Statisical", "Statistical"), ("Load- Acquire", "Load-Acquire"),
            ("Store- Release", "Store-Release"))
# Next steps that Arm's JSON has and section 3.1 does not name.
UNSAID_STEPS = {
    "frontend_bound": {"frontend_core_bound", "frontend_mem_bound"},
    "backend_bound": {"backend_core_bound", "backend_mem_bound"},
    "frontend_core_flush_bound": {"Branch_Effectiveness"},
    "frontend_core_flow_bound": {"Branch_Effectiveness"},
}

tap = Tap()


class Tables:
    """What the library says, as `plumb` prints it."""

    def __init__(self, plumb):
        self.mrs = json.loads(self.output(plumb, "spec", "export", "--cpu", "neoverse-n3",
                                          "--format", "mrs"))
        shown = json.loads(self.output(plumb, "spec", "show", "neoverse-n3", "--json"))
        self.counters = shown["results"][0]["counters"]
        self.events = self.mrs["events"]
        self.metrics = self.mrs["metrics"]
        self.groups = self.mrs["groups"]["metrics"]
        self.functions = self.mrs["groups"]["function"]
        methodology = self.mrs["methodologies"]["topdown_methodology"]
        self.stages = methodology["metric_grouping"]
        self.nodes = methodology["decision_tree"]["metrics"]

    @staticmethod
    def output(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def stage(self, group):
        return next((int(name.removeprefix("stage_")) for name, groups in self.stages.items()
                     if group in groups), None)

    def groups_of(self, metric):
        return {name for name, group in self.groups.items() if metric in group["metrics"]}

    def function_of(self, event):
        return {name for name, group in self.functions.items() if event in group["events"]}

    def events_of_group(self, group):
        """As the document lists them."""
        events = {event for metric in self.groups[group]["metrics"]
                  for event in self.metrics[metric]["events"]}
        return events - {NOT_LISTED_AS_NEEDED} if group == GROUP_WITHOUT_IT else events

    def kinds(self, names):
        """How many of these events are common, product-defined, PMU only and ETE only."""
        events = [self.events[name] for name in names]
        return [sum(event["architecture_defined"] for event in events),
                sum(event["product_defined"] for event in events),
                sum(event["accesses"] == ["PMU"] for event in events),
                sum(event["accesses"] == ["ETE"] for event in events)]

    def supplemental(self):
        return [name for name, event in self.events.items()
                if (event.get("product_defined_attributes") or {}).get("debug")]


def figures_of_kinds(text):
    names = ("Total implemented Common events", "Total Implemented Product ImpDef events",
             "PMU Only events", "ETE Only events")
    return [text.figures(name) for name in names]


@tap.test
def counters(document, tables):
    """Chapter 2: the counters of the PMU."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
    said = re.search(r"PMU has (\w+) configurable counter registers and one dedicated",
                     one_line(document.text))
    facts = Facts()
    facts.same("counters", tables.counters, words.index(said[1]))
    return facts.done(1)


@tap.test
def totals(document, tables):
    """Chapters 4, 5, 6 and 7: how many events and metrics there are in all."""
    facts = Facts()
    supplemental = tables.supplemental()
    others = [name for name in tables.events if name not in supplemental]
    for chapter in (document.part("4.2 PMU events cheat sheet", "Topdown Level 1"),
                    document.part("4.4 PMU events lookup table", "Table 4-14"),
                    document.part("6. PMU events by functional group", "6.1 ")):
        for ours, figures in zip(tables.kinds(others), figures_of_kinds(chapter)):
            if figures:
                facts.same("events of a kind", [ours], figures)
    metrics = (document.part("4.1 Metrics cheat sheet", "4.2 ")
               .figures("Total implemented Common metrics")
               + document.part("5. Metrics by metric group", "5.1 ").figures("Total metrics"))
    facts.same("metrics", [len(tables.metrics)] * 2, metrics)
    rows = document.part("Table 7-1", "Proprietary Notice").coded_names()
    facts.same("supplemental events", len(supplemental), len(rows))
    ungrouped = [name for name in others if not tables.function_of(name)]
    facts.same("events without a group", [len(ungrouped)],
               document.part("6. PMU events by functional group", "6.1 ")
               .figures("Total implemented events without groups"))
    return facts.done(13)


@tap.test
def metric_cheat_sheet(document, tables):
    """Section 4.1: metric groups, their sizes and their metrics."""
    facts = Facts()
    sheet = document.part("4.1 Metrics cheat sheet", "4.2 ").cheat_sheet()
    facts.same("groups", {group["title"] for group in tables.groups.values()}, set(sheet))
    for name, group in tables.groups.items():
        figure, listed = sheet[group["title"]]
        facts.same(f"size of {name}", len(group["metrics"]), figure)
        facts.same(f"metrics of {name}", sorted(group["metrics"]), sorted(listed))
    return facts.done(37)


@tap.test
def event_cheat_sheet(document, tables):
    """Section 4.2: the events each metric group needs."""
    facts = Facts()
    sheet = document.part("4.2 PMU events cheat sheet", "4.3 ").cheat_sheet()
    facts.same("groups", {group["title"] for group in tables.groups.values()}, set(sheet))
    for name, group in tables.groups.items():
        figure, listed = sheet[group["title"]]
        needed = tables.events_of_group(name)
        facts.same(f"size of {name}", len(needed), figure)
        facts.same(f"events of {name}", sorted(needed), sorted(listed))
    return facts.done(37)


@tap.test
def metric_lookup_table(document, tables):
    """Table 4-13: every metric and its formula."""
    facts = Facts()
    table = document.part("Table 4-13", "4.4 ").text.replace("Metric Name Formula from Events "
                                                             "Metric Groups", "")
    whole = without_blanks(re.sub(r"• \w+(?:\s+in\s+\w+)?", "", table))
    for name, metric in tables.metrics.items():
        facts.same(f"{name} in the table", name in table, True)
        facts.same(f"formula of {name}", without_blanks(metric["formula"]) in whole, True)
    return facts.done(134)


@tap.test
def event_lookup_table(document, tables):
    """Table 4-14: every code and name, with metrics, metric groups and functional groups."""
    facts = Facts()
    rows = document.part("Table 4-14", "5. Metrics by metric group").lookup_table(
        "Code, Mnemonic Metrics Metric Groups Functional Groups")
    supplemental = tables.supplemental()
    facts.same("events", [(int(event["code"], 16), name) for name, event
                          in tables.events.items() if name not in supplemental],
               [(code, name) for code, name, _ in rows])
    for _, name, bullets in rows:
        if name not in tables.events:
            continue
        metrics = {metric for metric, members in tables.metrics.items()
                   if name in members["events"]
                   and not (name == NOT_LISTED_AS_NEEDED
                            and GROUP_WITHOUT_IT in tables.groups_of(metric))}
        groups = {group for metric in metrics for group in tables.groups_of(metric)}
        expected = {metric for metric in metrics if len(tables.groups_of(metric)) == 1}
        expected |= {f"{metric}in{group}" for metric in metrics - expected
                     for group in tables.groups_of(metric)}
        facts.same(f"references of {name}",
                   sorted([*expected, *groups, *tables.function_of(name)]), sorted(bullets))
    return facts.done(215)


@tap.test
def metrics_by_group(document, tables):
    """Chapter 5: titles, units, formulas, events, groups and stages of the metrics."""
    facts = Facts()
    chapter = document.part("5. Metrics by metric group", "6. PMU events by functional group")
    said = chapter.part("5. ", "5.1 ").listed_groups("metrics")
    facts.same("groups", {name: (group["title"], len(group["metrics"]))
                          for name, group in tables.groups.items()}, said)
    sections = chapter.split(r"^5\.\d+ (\w+) metrics for Neoverse N3$")
    facts.same("sections", sorted(tables.groups), sorted(match[1] for match, _ in sections))
    for match, section in sections:
        group = tables.groups[match[1]]
        described = section.metrics()
        facts.same(f"total of {match[1]}", [len(group["metrics"])],
                   section.figures("Total metrics"))
        facts.same(f"metrics of {match[1]}", sorted(group["metrics"]), sorted(described))
        for name, metric in described.items():
            compare_metric(facts, tables, match[1], name, metric)
    return facts.done(570)


def compare_metric(facts, tables, group, name, said):
    ours = tables.metrics[name]
    events = set(ours["events"])
    if group == GROUP_WITHOUT_IT:
        events -= {NOT_LISTED_AS_NEEDED}
    facts.same(f"title of {name}", ours["title"], said["title"])
    # The document writes units into a sentence, all in small letters.
    facts.same(f"units of {name}", ours["units"].lower(), said["units"])
    facts.same(f"formula of {name}", ours["formula"], said["formula"])
    facts.same(f"events of {name}", sorted(events), said["events"])
    facts.same(f"groups of {name}", tables.groups_of(name), said["groups"])
    if said["stage"] is not None:
        facts.same(f"stage of {name}", tables.stage(group), said["stage"])


@tap.test
def events_by_function(document, tables):
    """Chapter 6: functional groups, their sizes, and every event's code, name and title."""
    facts = Facts()
    chapter = document.part("6. PMU events by functional group", "7. Supplemental")
    said = chapter.part("6. ", "6.1 ").listed_groups("events")
    facts.same("groups", {name: (group["title"], len(group["events"]))
                          for name, group in tables.functions.items()}, said)
    seen = set()
    for match, section in chapter.split(r"^6\.\d+ (\w+) (?:\(.*\) events|without a functional)"):
        described = section.events()
        members = (tables.functions[match[1]]["events"] if match[1] in tables.functions else
                   [name for name in tables.events
                    if not tables.function_of(name) and name not in tables.supplemental()])
        facts.same(f"events of {match[1]}", sorted(members), sorted(described))
        facts.same(f"table of {match[1]}", {name: code for name, (code, _, _)
                                            in described.items()}, section.coded_names())
        for ours, figures in zip(tables.kinds(members), figures_of_kinds(section)):
            if figures:
                facts.same(f"kinds of {match[1]}", [ours], figures)
        for name, (code, title, function) in described.items():
            for wrong, right in MISSPELT:
                title = title.replace(wrong, right)
            ours = tables.events[name]
            facts.same(f"code of {name}", int(ours["code"], 16), code)
            facts.same(f"title of {name}", ours["title"], title)
            facts.same(f"function of {name}",
                       tables.function_of(name) or {"Events without a functional group"},
                       {function})
            seen.add(name)
    facts.same("all events", set(tables.events) - set(tables.supplemental()), seen)
    return facts.done(750)


@tap.test
def supplemental_events(document, tables):
    """Table 7-1: the supplemental events' codes, names and titles."""
    facts = Facts()
    table = document.part("Table 7-1", "Proprietary Notice")
    rows = dict(re.findall(r"^0x[0-9A-F]{3} (\w+) (.*)$", table.text, re.M))
    codes = table.coded_names()
    facts.same("names", sorted(tables.supplemental()), sorted(rows))
    for name, title in rows.items():
        ours = tables.events[name]
        facts.same(f"code of {name}", int(ours["code"], 16), codes[name])
        facts.same(f"title of {name}", ours["title"], title)
        facts.same(f"kind of {name}", [ours["architecture_defined"], ours["product_defined"],
                                       tables.function_of(name)], [False, True, set()])
    return facts.done(31)


def group_names(document):
    """What sections 3.1 and 3.2 call the metric groups: "Data TLB Effectiveness" to its name."""
    names = {}
    section = document.part("3.1.1 Topdown Level 1", "3.3 ")
    for match, body in section.split(r"^(?:3\.1\.\d )?([A-Z][\w ]+) metric groups?$"):
        titles = match[1].split(" and ")
        found = re.match(r"\s*The (\w+)(?: and (\w+))? metric groups? ", one_line(body.text))
        if found:
            for title, name in zip(titles, found.groups()):
                names[title] = name
    return names


def steps(sentence, names):
    """The metrics and groups that a sentence about the next steps names."""
    found = {names[title] for title in
             re.findall(r"Stage \d ([A-Z][\w ]*?) metric group", sentence)}
    return found | set(re.findall(r"Stage \d ([a-z]\w*) metric\b", sentence))


def said_steps(document, metrics, names):
    """Section 3.1: metric to the set of its next steps."""
    said = {metric: set() for metric in metrics}
    for match, body in document.part("3.1.1 ", "3.2 ").split(r"^(\w+)$"):
        if match[1] not in metrics:
            continue
        parent = match[1]
        broken = re.search(r"breaks down into the following metrics:\n(.*?)(?:\n\n[^\n•◦]|\Z)",
                           body.text, re.S)
        last = None
        for bullet, metric in re.findall(r"([•◦]) (\w+)", broken[1] if broken else ""):
            said[last if bullet == "◦" else parent].add(metric)
            last = metric if bullet == "•" else last
        further = one_line(body.text.partition("For further analysis")[2])
        for sentence in re.split(r"(?<=\.) ", further):
            other = re.match(r"(?:: )?• The next step for (\w+) is", sentence)
            if other or re.match(r", the next steps? (?:is|are)", sentence):
                said[other[1] if other else parent] |= steps(sentence, names)
    return said


@tap.test
def next_steps(document, tables):
    """Section 3.1: the next steps of every node."""
    facts = Facts()
    names = group_names(document)
    facts.same("groups named in sections 3.1 and 3.2", set(names.values()),
               set(tables.groups))
    nodes = {node["name"]: node for node in tables.nodes}
    said = said_steps(document, nodes, names)
    for name, node in nodes.items():
        facts.same(f"next steps of {name}", set(node["next_items"]),
                   said[name] | UNSAID_STEPS.get(name, set()))
        facts.same(f"{name}: unsaid steps", said[name] & UNSAID_STEPS.get(name, set()), set())
    named = sum(len(items) for items in said.values())
    facts.done(43)
    return f"compared {named} next steps of {len(nodes)} nodes"


@tap.test
def stages(document, tables):
    """Section 3.1: the metric groups of stage 1."""
    facts = Facts()
    section = document.part("In Neoverse N3 there are three Stage 1", "The following figure")
    named = re.findall(r"^The ([\w ]+?) metric group contains", section.text, re.M)
    names = group_names(document)
    facts.same("groups of stage 1", set(tables.stages["stage_1"]),
               {names[title] for title in named})
    facts.same("groups of stage 2", set(tables.stages["stage_2"]),
               set(names.values()) - set(tables.stages["stage_1"]))
    return facts.done(2)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: n3_document.py PLUMB")
    path = os.path.join(os.environ.get("PLUMB_REFERENCE", ""), "neoverse-n3-telemetry-109530.txt")
    if not os.path.exists(path):
        tap.skip_all("Arm's Neoverse N3 document is not here: set PLUMB_REFERENCE")
        tap.run()
    tap.run(Text.read(path), Tables(sys.argv[1]))


if __name__ == "__main__":
    main()
