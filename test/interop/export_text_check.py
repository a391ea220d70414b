#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks specifications exported as CSV and Markdown with independent parsers.

    export_text_check.py PLUMB

CSV is parsed by Python's csv module, Markdown by cmark-gfm, GitHub's own parser.
"""
import csv
import io
import shutil
import subprocess
import sys
from html.parser import HTMLParser

sys.dont_write_bytecode = True

from exports import cpus, expect, export, facts, name_of  # noqa: E402
from tap import Facts, Skip, Tap  # noqa: E402

tap = Tap()


def table(plumb, cpu, part):
    """Returns the rows of a table as dictionaries; checks that the text follows RFC 4180."""
    text = export(plumb, cpu, "csv", "--part", part).decode("utf-8")
    expect(text.endswith("\r\n"), "the last line has no line end")
    bare = text.replace("\r\n", "")
    expect("\n" not in bare and "\r" not in bare, "line ends other than CRLF")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    expect(all(len(row) == len(rows[0]) for row in rows), "rows of different lengths")
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def listed(field):
    return field.split(";") if field else []


def lists_with(groups, member, name):
    return [group for group, content in groups.items() if name in content[member]]


def kind(event):
    if event["architecture_defined"]:
        return "common"
    supplemental = event.get("product_defined_attributes", {}).get("debug")
    return "supplemental" if supplemental else "implementation-defined"


@tap.test
def events_table(plumb):
    """The CSV of events agrees with the specification"""
    compared = Facts()
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        rows = table(plumb, cpu, "events")
        compared.same(name_of(cpu), [row["name"] for row in rows], list(spec["events"]))
        for row in rows:
            event = spec["events"][row["name"]]
            what = f"{name_of(cpu)}: {row['name']}"
            compared.same(what, row["code"], f"0x{int(event['code'], 16):04x}")
            compared.same(what, row["title"], event["title"])
            compared.same(what, row["accesses"].split(), event["accesses"])
            compared.same(what, row["kind"], kind(event))
            compared.same(what, listed(row["functional_groups"]),
                          lists_with(spec["groups"]["function"], "events", row["name"]))
            compared.same(what, listed(row["metrics"]),
                          lists_with(spec["metrics"], "events", row["name"]))
    return compared.done(at_least=10000)


@tap.test
def metrics_table(plumb):
    """The CSV of metrics agrees with the specification"""
    compared = Facts()
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        rows = table(plumb, cpu, "metrics")
        compared.same(name_of(cpu), [row["name"] for row in rows], list(spec["metrics"]))
        for row in rows:
            metric = spec["metrics"][row["name"]]
            what = f"{name_of(cpu)}: {row['name']}"
            for member in ("title", "units", "formula"):
                compared.same(what, row[member], metric[member])
            for member in ("events", "sample_events"):
                compared.same(what, listed(row[member]), metric[member])
            compared.same(what, listed(row["groups"]),
                          lists_with(spec["groups"]["metrics"], "metrics", row["name"]))
    return compared.done(at_least=5000)


class Page(HTMLParser):
    """A parsed page: headings, anchors, links, tables and their rows."""

    def __init__(self, html):
        super().__init__()
        self.headings = {1: [], 2: [], 3: []}
        self.anchors, self.links, self.rows, self.tags = [], [], [], set()
        self.text = None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        if tag == "a" and "id" in attributes:
            self.anchors.append(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag in ("h1", "h2", "h3"):
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3"):
            self.headings[int(tag[1])].append(self.text)
            self.text = None


TAGS = {"a", "code", "em", "h1", "h2", "h3", "li", "ol", "p", "strong", "table", "tbody", "td",
        "th", "thead", "tr", "ul", "pre"}


@tap.test
def markdown(plumb):
    """The Markdown has a section for everything, and working links"""
    if not shutil.which("cmark-gfm"):
        raise Skip("cmark-gfm is not installed")
    links = 0
    for cpu in cpus(plumb):
        spec = facts(plumb, cpu)
        what = name_of(cpu)
        html = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table"], check=True,
                              input=export(plumb, cpu, "markdown"), capture_output=True).stdout
        page = Page(html.decode("utf-8"))
        sections = [f"{name}: {content['title']}".strip() for things in (
            spec["groups"]["metrics"], spec["metrics"], spec["groups"]["function"],
            spec["events"]) for name, content in things.items()]
        expect(len(page.headings[1]) == 1, f"{what}: {page.headings[1]}")
        expect(sorted(page.headings[3]) == sorted(sections),
               f"{what}: {set(page.headings[3]) ^ set(sections)}")
        expect(len(set(page.anchors)) == len(page.anchors) == len(sections),
               f"{what}: {len(page.anchors)} anchors for {len(sections)} sections")
        lost = {link for link in page.links if link[1:] not in page.anchors}
        expect(not lost, f"{what}: links that lead nowhere: {lost}")
        expect(set(page.rows) == {2, 3}, f"{what}: rows of {set(page.rows)} cells")
        expect(page.tags <= TAGS, f"{what}: tags {page.tags - TAGS}")
        links += len(page.links)
    return f"{links} links work"


tap.run(sys.argv[1])
