# SPDX-License-Identifier: Apache-2.0
"""The data in a page of plumb report --html: reads it, and writes pages with other data."""
import base64
import gzip
import json


def split(page):
    head, rest = page.split('id="data">', 1)
    data, tail = rest.split("</script>", 1)
    return head + 'id="data">', data, "</script>" + tail


def documents_of(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(gzip.decompress(base64.b64decode(split(file.read())[1])))


def stacks(names, values):
    """Returns the documents of a page with these functions, each of which is a sample."""
    count = len(names)
    return {
        "about": {"plumb": "0", "recording": names[0], "modelled": True, "incomplete": False,
                  "samples": count, "host": names[0], "system": None, "cpu": names[1 % count],
                  "recorder": None, "command": [names[0], names[2 % count]]},
        "notes": ["plumb: " + names[0]],
        "stacks": {
            "samples": count,
            "types": [{"name": names[0], "unit": "count", "kind": "period", "main": True,
                       "exact": False, "slots": None, "total": sum(values)}],
            "functions": [{"name": n, "file": n, "source": n, "inlined": False} for n in names],
            "threads": [{"comm": names[0], "pid": 1, "tid": 1},
                        {"comm": names[1 % count], "pid": 1, "tid": 2}],
            "nodes": {"parent": [None] * count, "function": list(range(count))},
            "rows": {"node": list(range(count)), "thread": [i % 2 for i in range(count)],
                     "cpu": [0] * count, "source": [None] * count},
            "cells": {"row": list(range(count)), "type": [0] * count, "value": values},
            "moments": {"joined": False, "start": 5, "step": [0] + [10] * (count - 1),
                        "row": list(range(count)), "type": [0] * count, "value": values}}}


def with_documents(page, documents, path):
    """Writes to `path` what is in the file `page`, with other data; returns `path`."""
    with open(page, encoding="utf-8") as file:
        head, _, tail = split(file.read())
    with open(path, "w", encoding="utf-8") as file:
        packed = gzip.compress(json.dumps(documents).encode(), 1)
        file.write(head + base64.b64encode(packed).decode() + tail)
    return path
