#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs which stress one part of a core (stress.c) are diagnosed with that part.

stress.json has the path of each program's diagnosis on Neoverse N3. The trees of N1 and V2 end at their
roots: there, what the model's core waits for most is the end of that path, or what "waits" has: the
stores of a copy fill N1's store buffer before its loads wait. Their frontends' stalls contain
most of the recovery from flushes, for which N3's tree has bad_speculation.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import stat  # noqa: E402
from tap import Skip, Tap  # noqa: E402

SHALLOW = ("neoverse-n1", "neoverse-v2")


def check_path(result, path):
    assert result.path == path, f"diagnosed {' > '.join(result.path)}, not {' > '.join(path)}"
    return " > ".join(result.path)


def check_waits(result, path):
    if result.path == path == ["bad_speculation"]:
        return check_path(result, path)
    cause = "frontend_core_flush_bound" if path[-1] == "bad_speculation" else path[-1]
    assert len(result.path) == 1, result.path
    assert result.path[0].split("_")[0] == cause.split("_")[0], (result.path, cause)
    assert result.waits[:1] == [cause], f"waits for {result.waits}, not {cause}"
    return f"{result.path[0]}, {result.advice}"


def main(arguments):
    with open(os.path.join(os.path.dirname(__file__), "stress.json"), encoding="utf-8") as file:
        expected = json.load(file)
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    for name, what in expected.items():
        for core in ("neoverse-n3", *SHALLOW):
            def test(core=core, name=name, what=what):
                if absent:
                    raise Skip(absent)
                result = stat(arguments.plumb, core, [arguments.program, name], [])
                if core not in SHALLOW:
                    return check_path(result, what["path"])
                waits = what.get("waits", {}).get(core)
                return check_waits(result, [waits] if waits else what["path"])
            test.__doc__ = f"{name} on {core}: {what['by']}"
            tap.test(test)
    tap.run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("plumb")
    parser.add_argument("program", help="stress.c, built")
    main(parser.parse_args())
