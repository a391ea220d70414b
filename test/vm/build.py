#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the guest's programs into a folder: build.py FOLDER"""

import os
import subprocess
import sys

from programs import PROGRAMS, options

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = "aarch64-linux-gnu-gcc"


def main():
    folder = sys.argv[1]
    for name in ("init", "with"):
        subprocess.run([COMPILER, "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-static",
                        "-o", os.path.join(folder, name), os.path.join(HERE, name + ".c")],
                       check=True)
    for name in PROGRAMS:
        subprocess.run([COMPILER, "-static", "-nostdlib", *options(name), "-o",
                        os.path.join(folder, name), os.path.join(HERE, "counted.S")], check=True)


main()
