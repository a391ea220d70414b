#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs which stress one part of a core (stress.c) are diagnosed with that part.

stress.json has the path of each program's diagnosis on Neoverse N3.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import stat  # noqa: E402
from tap import Skip, Tap  # noqa: E402


def main(arguments):
    with open(os.path.join(os.path.dirname(__file__), "stress.json"), encoding="utf-8") as file:
        expected = json.load(file)
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    for name, what in expected.items():
        def test(name=name, path=what["path"]):
            if absent:
                raise Skip(absent)
            found = stat(arguments.plumb, "neoverse-n3", [arguments.program, name], []).path
            if found != path:
                raise AssertionError(f"diagnosed {' > '.join(found)}, not {' > '.join(path)}")
            return " > ".join(found)
        test.__doc__ = f"{name}: {what['by']}"
        tap.test(test)
    tap.run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("plumb")
    parser.add_argument("program", help="stress.c, built")
    main(parser.parse_args())
