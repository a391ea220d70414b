#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""holds.py EXPRESSION [NAME=FILE...]: tests an expression on the JSON on stdin, d, and in files."""
import json
import sys


def main():
    names = {"d": json.load(sys.stdin)}
    for argument in sys.argv[2:]:
        name, path = argument.split("=", 1)
        with open(path, encoding="utf-8") as file:
            names[name] = json.load(file)
    if not eval("(" + sys.argv[1] + ")", names):  # the tests' own expressions
        print("does not hold:", sys.argv[1])
        return 1
    return 0


sys.exit(main())
