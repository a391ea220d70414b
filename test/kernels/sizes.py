#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sizes.py CORE.json OUTPUT: writes a core's sizes as macros, such as L1D_BYTES, for kernels."""
import json
import sys


def flatten(members, prefix=""):
    for name, member in members.items():
        if "value" not in member:
            yield from flatten(member, f"{prefix}{name}_")
        elif isinstance(member["value"], int):
            yield (prefix + name).upper(), member["value"]


def main():
    source, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        core = json.load(file)["core"]
    with open(output, "w", encoding="utf-8") as file:
        for name, value in flatten(core):
            print(f"#define {name} {value}", file=file)


main()
