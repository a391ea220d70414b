#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs in the model, exactly and with a record for every operation, and has ranks.c
sample them again with many seeds: do the guilty function and line come first?

    ranks.py PLUMB RANKS KERNELS SIZES_OF_CORE RUNS [NAME...]

Names are those of test/guilty and test/kernels; without them all with a guilty line
are tried.
"""
import glob
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))

from annotated import MARK, compiler  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()


def sources(kernels, names):
    """Paths of the programs' sources."""
    found = {}
    for path in sorted(glob.glob(os.path.join(os.path.dirname(kernels), "guilty", "*.c"))):
        found[os.path.basename(path)[:-2]] = path
    for path in sorted(glob.glob(os.path.join(kernels, "*.S"))):
        with open(path, encoding="utf-8") as file:
            if MARK in file.read():
                found[os.path.basename(path)[:-2]] = path
    return [found[name] for name in names or sorted(found)]


def study(plumb, ranks, folder, source, sizes, runs):
    """Returns what ranks.c prints of a program."""
    def record(name, *how):
        path = os.path.join(folder, name)
        subprocess.run([plumb, "record", "-q", "--source", "model", *how, "-o", path, "--",
                        program], check=True, timeout=300)
        return path

    program = os.path.join(folder, "program")
    options = ["-O2", "-pthread"]
    if source.endswith(".S"):
        options = ["-nostdlib", "-march=armv8.5-a+sve2+crypto+fp16", "-Wl,-z,noexecstack",
                   "-include", sizes]
    subprocess.run([compiler(plumb), "-g", "-static", *options, "-o", program, source], check=True)
    name = os.path.splitext(os.path.basename(source))[0]
    with open(source, encoding="utf-8") as file:
        uncertain = [] if MARK in file.read() else ["uncertain"]
    done = subprocess.run([ranks, name, record("exact", "--exact"),
                           record("every", "-e", "spe", "-c", "1"), runs, *uncertain],
                          capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def add_test(source, sizes, folder):
    def test(plumb, ranks, runs):
        return study(plumb, ranks, folder, source, sizes, runs)

    name = os.path.splitext(os.path.basename(source))[0]
    test.__doc__ = f"{name}: the line that the exact profile blames is first, from SPE samples"
    tap.test(test)


def main(plumb, ranks, kernels, core, runs, *names):
    try:
        compiler(plumb)
    except Skip as why:
        tap.skip_all(why)
    with tempfile.TemporaryDirectory() as folder:
        sizes = os.path.join(folder, "sizes.h")
        subprocess.run([sys.executable, os.path.join(kernels, "sizes.py"), core, sizes], check=True)
        for source in sources(kernels, names):
            add_test(source, sizes, folder)
        tap.run(plumb, ranks, runs)


main(*sys.argv[1:])
