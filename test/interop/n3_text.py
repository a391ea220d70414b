# SPDX-License-Identifier: Apache-2.0
"""Parses the text of the Neoverse N3 telemetry specification (109530): tables, lists, sections.

The text is a page layout flattened to lines: columns follow each other, names are broken at
underscores, and page footers are in between. This module recognizes things only by their form; it
knows no name or figure of the specification.
"""
import re

# The foot of a page and, where it was kept, the head of the next: issue and chapter.
PAGE_BREAK = re.compile(
    r"^Copyright © .*All rights reserved\.\n"
    r"(?:Non-Confidential\n\s*Page \d+ of \d+\n\s*Arm® .* Document ID: .*\nIssue \d+\n\n.*\n)?",
    re.M)


def one_line(text):
    return " ".join(text.split())


def without_blanks(text):
    return "".join(text.split())


class Text:
    """The document, or a part of it."""

    def __init__(self, text):
        self.text = text

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(PAGE_BREAK.sub("", "".join(line.rstrip() + "\n" for line in file)))

    def part(self, first, beyond):
        """From the line that begins with `first` to the next that begins with `beyond`."""
        start = re.search(f"^{re.escape(first)}", self.text, re.M)
        if not start:
            raise ValueError(f"the document has no line that begins with {first!r}")
        end = re.compile(f"^{re.escape(beyond)}", re.M).search(self.text, start.end())
        if not end:
            raise ValueError(f"the document has no line after it that begins with {beyond!r}")
        return Text(self.text[start.start():end.start()])

    def split(self, heading):
        """(match, what follows it up to the next match) of each place `heading` fits."""
        found = list(re.finditer(heading, self.text, re.M))
        ends = [match.start() for match in found[1:]] + [len(self.text)]
        return [(match, Text(self.text[match.end():end])) for match, end in zip(found, ends)]

    def figures(self, name):
        """Every figure in a line "• name : figure", in any case and blanks."""
        form = r"\s*".join(re.escape(word) for word in name.split())
        found = re.findall(rf"[•◦]\s*{form}\s*:\s*(\d+)$", self.text, re.M | re.I)
        return [int(figure) for figure in found]

    def names(self):
        """The names after bullets; a bullet may stand in the middle of a line."""
        return re.findall(r"•\s+(\w+)(?=\s)", self.text)

    def cheat_sheet(self):
        """A title to (the figure beside it, the names under it).

        Up to three titles stand in a row, then the names of all their columns in order.
        """
        title = r"([A-Z][A-Za-z0-9 ]+?) \((\d+)\)"
        sheet = {}
        for match, names in self.split(rf"^{title}(?: {title})?(?: {title})?$"):
            columns = [column for column in zip(match.groups()[::2], match.groups()[1::2])
                       if column[0]]
            listed = names.names()
            if len(listed) != sum(int(size) for _, size in columns):
                raise ValueError(f"{match[0]}: {len(listed)} names follow")
            for name, size in columns:
                sheet[name] = (int(size), listed[:int(size)])
                listed = listed[int(size):]
        return sheet

    def listed_groups(self, unit):
        """The lines "• Name, Title (4 metrics)": name to (title, figure)."""
        lines = re.findall(rf"^• (\w+), (.+?) \((\d+) {unit}\)$", self.text, re.M)
        return {name: (title, int(figure)) for name, title, figure in lines}

    def metrics(self):
        """The metrics described here: name to a dictionary of what is said of it."""
        described = {}
        heading = r"^(\w+)\**, ([A-Z][^\n]*(?:\n[^\n]+)?), metric$"
        for match, body in self.split(heading):
            formula = re.search(r"^Formula\n(.*?)\n(?:\s*\n)?(?:\*\*|Related)", body.text,
                                re.M | re.S)
            events = re.search(r"^Events\n\n((?:\w+\n)+)", body.text, re.M)
            stage = re.search(r"^Methodology\nStage (\d)", body.text, re.M)
            described[match[1]] = {
                "title": one_line(match[2]),
                "units": one_line(re.search(r"^This unit is expressed as (.*?)\.$", body.text,
                                            re.M | re.S)[1]),
                "formula": one_line(formula[1]),
                "events": events[1].split(),
                "groups": set(re.findall(r"^(?:Metric group\n|Other metric group: )(\w+)$",
                                         body.text, re.M)),
                "stage": int(stage[1]) if stage else None,
            }
        return described

    def events(self):
        """The events described here: mnemonic to (code, title, functional group's line)."""
        described = {}
        heading = r"^0x([0-9A-F]{4}) (\w+), ([^\n]+(?:\n[^\n]+)?),\s+event$"
        for match, body in self.split(heading):
            group = re.search(r"^Functional groups\n(.+)$", body.text, re.M)
            described[match[2]] = (int(match[1], 16), one_line(match[3]), group[1])
        return described

    def coded_names(self):
        """The rows "0x0019 BUS_ACCESS ..." of a table: mnemonic to code."""
        rows = re.findall(r"^0x([0-9A-F]{3,4}) (\w+) (?!.*, event$)", self.text, re.M)
        return {name: int(code, 16) for code, name in rows}

    def lookup_table(self, repeated_heading):
        """Table 4-14: [(code, mnemonic, the bullets' texts without blanks)]."""
        text = self.text.replace(repeated_heading, "")
        rows = []
        for match, body in Text(text).split(r"^0x([0-9A-F]{4}),"):
            first, *bullets = body.text.split("•")
            bullets = [without_blanks(bullet) for bullet in bullets]
            rows.append((int(match[1], 16), re.match(r"\w+", without_blanks(first))[0], bullets))
        return rows
