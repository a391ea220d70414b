#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sizes.py CORE.json OUTPUT: the core's sizes as macros, for the kernels: L1D_BYTES and so on."""
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
