#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sizes.py CORE.json OUTPUT: writes a core's sizes as macros, such as L1D_BYTES, for kernels."""
import json
import os
import sys


def flatten(members, prefix=""):
    for name, member in members.items():
        if "value" not in member:
            yield from flatten(member, f"{prefix}{name}_")
        elif isinstance(member["value"], int):
            yield (prefix + name).upper(), member["value"]


def sizes_of(path):
    """{macro: size}, with those that the core has from the one that it is like"""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    like = data.get("like")
    base = sizes_of(os.path.join(os.path.dirname(path), like + ".json")) if like else {}
    return {**base, **dict(flatten(data["core"]))}


def main():
    source, output = sys.argv[1:]
    with open(output, "w", encoding="utf-8") as file:
        for name, value in sizes_of(source).items():
            print(f"#define {name} {value}", file=file)


main()
