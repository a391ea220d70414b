#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs in the model, exactly and with a record for every operation, and has ranks.c
sample them again with many seeds: do the guilty function and line come first?

    ranks.py [--table FILE] PLUMB RANKS KERNELS SIZES_OF_CORE RUNS [NAME...]

Names are those of test/guilty and test/kernels; without them all with a guilty line
are tried. The rows of those that were tried replace the ones in the table (doc/ranks.md), as each is
done.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))

from annotated import MARK, compiler  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
LEAD = 10  # points above the next line, from which on a line must be first in 99 % of the samplings
TABLE = """# How often the guilty line comes first

Made by `test/statistics/ranks.py --table doc/ranks.md`: do not edit. [Statistics](statistics.md#what-holds-up-a-program)
explains it.

A program is recorded once with a record for every operation, and sampled again with as many seeds as the column
*seeds* says, one of 1,024 operations each time. The shares of its first line and of the next one are those of the exact
profile; *guilty* says whether that first line has the mark in the source. A line must come first in 99 % of the samplings
if its exact share is ten points above the next one's: where the lead is smaller, the last column says so. *Marked* are samplings whose first
two lines are too close to rank. *Wrong* are those in which another line came first without such a mark: at most 1 %. *Mean* is the
first line's share on average, and *held* says in how many samplings the interval of the line that is truly first had its exact share, at
least 90 % of those in which it had an interval.

| program | seeds | exact share | next | lead | guilty | first | marked | wrong | mean | held | verdict |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""
RESULT = re.compile(
    r"(?P<bad>not )?ok - (?P<name>\w+): line (?P<line>\d+) of .*, exactly (?P<share>[\d.]+) %, "
    r"the next one (?P<next>[\d.]+) %\n"
    r"# first in (?P<first>\d+) of (?P<runs>\d+) runs; marked in (?P<marked>\d+); "
    r"wrong without a mark in (?P<wrong>\d+); (?P<mean>[\d.]+) % on average; "
    r"the interval held in (?P<held>\d+) of (?P<known>\d+)")


def row_of(output, source):
    """Returns a program's row of the table, from what ranks.c prints."""
    result = RESULT.search(output)
    assert result, output
    found = result.groupdict()
    with open(source, encoding="utf-8") as file:
        text = file.read()
    guilty = "no line has the mark"
    if MARK in text:
        guilty = "yes" if MARK in text.split("\n")[int(found["line"]) - 1] else "no"
    lead = float(found["share"]) - float(found["next"])
    held = found["held"]
    if found["known"] != found["runs"]:
        held += f" of {found['known']}"
    verdict = "fails" if found["bad"] else "passes"
    if lead < LEAD:
        verdict += "; the lead is too small to rank"
    return found["name"], "| " + " | ".join([
        f"`{found['name']}`", found["runs"], found["share"], found["next"], f"{lead:.1f}", guilty,
        found["first"], found["marked"], found["wrong"], found["mean"], held, verdict]) + " |"


def write_table(path, rows):
    """Writes a table of the rows, and of the others that it has."""
    kept = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = {match[1]: match[0] for match in re.finditer(r"^\| `(\w+)` .*$", file.read(),
                                                                re.MULTILINE)}
    kept.update(rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write(TABLE + "".join(kept[name] + "\n" for name in sorted(kept)))


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


def study(plumb, ranks, folder, source, sizes, runs, table):
    """Returns what ranks.c prints of a program, and puts it into the table, if there is one."""
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
    if table:
        write_table(table, [row_of(done.stdout, source)])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def add_test(source, sizes, folder, table):
    def test(plumb, ranks, runs):
        return study(plumb, ranks, folder, source, sizes, runs, table)

    name = os.path.splitext(os.path.basename(source))[0]
    test.__doc__ = f"{name}: the line that the exact profile blames is first, from SPE samples"
    tap.test(test)


def main(*arguments):
    table = None
    if arguments[0] == "--table":
        table, arguments = arguments[1], arguments[2:]
    plumb, ranks, kernels, core, runs, *names = arguments
    try:
        compiler(plumb)
    except Skip as why:
        tap.skip_all(why)
    with tempfile.TemporaryDirectory() as folder:
        sizes = os.path.join(folder, "sizes.h")
        subprocess.run([sys.executable, os.path.join(kernels, "sizes.py"), core, sizes], check=True)
        for source in sources(kernels, names):
            add_test(source, sizes, folder, table)
        tap.run(plumb, ranks, runs)


if __name__ == "__main__":
    main(*sys.argv[1:])
