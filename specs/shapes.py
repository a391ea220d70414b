# SPDX-License-Identifier: Apache-2.0
"""Checks the format of the specifications' data files: members and types of values.

A shape is a function of a place, for messages, and a value. It raises DataError. load.py checks
the meaning of names and references.
"""

import json
import re


class DataError(Exception):
    """An error in the data; the message names the file and the thing."""


def fail(place, why):
    raise DataError(f"{place}: {why}")


def read_json(path, shape):
    """Returns the contents of a file, which must have this shape and no duplicate names."""
    def no_name_twice(pairs):
        thing = dict(pairs)
        if len(thing) < len(pairs):
            names = [name for name, _ in pairs]
            fail(path, f"duplicate name {next(n for n in names if names.count(n) > 1)}")
        return thing

    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=no_name_twice)
    except (OSError, ValueError, RecursionError) as error:
        fail(path, error)
    shape(path, content)
    return content


def pattern(form, what):
    """A string that matches `form` as a whole."""
    compiled = re.compile(form, re.ASCII)

    def shape(place, value):
        if not isinstance(value, str) or not compiled.fullmatch(value):
            fail(place, f"{value!r} is not {what}")
    return shape


def number(largest):
    def shape(place, value):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= largest:
            fail(place, f"{value!r} is not a number from 0 to {largest}")
    return shape


def one_of(*values):
    def shape(place, value):
        if not any(value == allowed and type(value) is type(allowed) for allowed in values):
            fail(place, f"{value!r} is not one of {', '.join(map(str, values))}")
    return shape


def list_of(item):
    def shape(place, value):
        if not isinstance(value, list):
            fail(place, f"{value!r} is not a list")
        for element in value:
            item(place, element)
    return shape


def mapping(item, key=None):
    """An object with any names."""
    key = key or name

    def shape(place, value):
        if not isinstance(value, dict):
            fail(place, f"{value!r} is not an object")
        for member, content in value.items():
            key(place, member)
            item(f"{place}: {member}", content)
    return shape


def members(may=None, **must):
    """An object with these members; those of `may` are optional."""
    allowed = {**must, **(may or {})}

    def shape(place, value):
        if not isinstance(value, dict):
            fail(place, f"{value!r} is not an object")
        for member, content in value.items():
            if member not in allowed:
                fail(place, f"unknown member {member}; allowed: {', '.join(allowed)}")
            allowed[member](f"{place}: {member}", content)
        for member in must:
            if member not in value:
                fail(place, f"{member} is missing")
    return shape


def any_object(place, value):
    if not isinstance(value, dict):
        fail(place, "is not an object")


name = pattern(r"\w+", "a name")
names = list_of(name)
text = pattern(r"\S+( \S+)*", "a line of text")
code = pattern(r"0x[0-9a-f]{4}", "of the form 0x0123")
accesses = one_of(["PMU"], ["ETE"], ["PMU", "ETE"])
cpu_id = pattern(r"[a-z0-9]+(-[a-z0-9]+)*-r([0-9]|1[0-5])p([0-9]|1[0-5])", "a CPU's id")

GROUP = {"title": text, "description": text}
EVENT = {"code": code, **GROUP}
METRIC = {"units": text, "formula": text, "sample_events": names, **GROUP}

# The same event under another name, which provides the missing members.
EVENTS_FILE = mapping(any_object)
EVENT_SHAPE = members(may={"accesses": accesses}, **EVENT)
METRICS_FILE = mapping(members(**METRIC))
GROUPS_FILE = members(metric_groups=mapping(members(**GROUP)),
                      functional_groups=mapping(members(**GROUP)),
                      methodologies=mapping(members(**GROUP)))
DOCUMENT_FILE = members(timestamp=text, copyright=text, license=text, description=text,
                        confidential=one_of(True, False))
MIDR_FILE = mapping(cpu_id, key=pattern(r"0x[0-9a-f]{5}([0-9a-f]{3})?",
                                        "an implementer and part, nor a MIDR_EL1"))

CPU_FILE = members(
    product=members(
        name=text, architecture=text, pmu_architecture=text,
        implementer=pattern(r"0x[0-9a-f]{2}", "an implementer"),
        part=pattern(r"0x[0-9a-f]{3}", "a part number"),
        revision=pattern(r"r([0-9]|1[0-5])p([0-9]|1[0-5])", "a revision"),
        slots=number(0xffff), bus_slots=number(0xffff)),
    counters=members(programmable=number(31), source=text),
    functional_groups=mapping(names),
    metric_groups=mapping(names),
    methodologies=mapping(members(
        stages=mapping(names), roots=names,
        nodes=mapping(members(group=name, next=names, may={"sample_events": names})))),
    may={
        "quality": text,
        "accesses": accesses,
        "debug": names,
        "ungrouped_events": names,
        "out_of_order": members(after=name, events=names),
        "differs": members(may={
            "events": mapping(members(may={**EVENT, "accesses": accesses})),
            "metrics": mapping(members(may=METRIC)),
            "metric_groups": mapping(members(may=GROUP)),
            "functional_groups": mapping(members(may=GROUP)),
            "methodologies": mapping(members(may=GROUP)),
        }),
    })
