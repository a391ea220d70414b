#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks where the engine, from QEMU 9.0 on, places mappings: in the first range that is free and large
enough, whatever scripts/engine.patch remembers. And that programs with many of them end.

    mappings.py PLUMB PROGRAM
"""
import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

MANY = 20000
SEEDS = 6


def main(arguments):
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    path = None if absent else engine.find(arguments.plumb)
    if path and engine.version(path) < (9, 0):
        absent = "before QEMU 9.0, Plumb reserves no addresses"

    for seed in range(1, SEEDS + 1):
        def test(seed=seed):
            if absent:
                raise Skip(absent)
            run = subprocess.run([path, "-R", "0xff00000000", arguments.program, str(seed)],
                                 check=False, capture_output=True, text=True)
            assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
        test.__doc__ = f"mappings go where they fit first, with seed {seed}"
        tap.test(test)

    def test_many():
        if absent:
            raise Skip(absent)
        subprocess.run([arguments.plumb, "stat", "--source", "model", "-e", "INST_RETIRED", "--",
                        arguments.program, "many", str(MANY)], check=True, capture_output=True)
    test_many.__doc__ = f"a program with {MANY} mappings ends"
    tap.test(test_many)
    tap.run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("plumb")
    parser.add_argument("program", help="mappings.c, built")
    main(parser.parse_args())
