#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report beside perf report and perf mem report, on recordings of a million SPE records made by
chance and of ten million: elapsed time and CPU time, how many times as much as plumb takes, and
the most memory. Users wait for the elapsed time; it means little on a machine that is busy. The code
is that of plumb itself, so that functions have names, as a rule. perf mem report needs some 20 GB for
ten million records, so it only reads a million; and perf report reads ten million of two recordings,
which it takes seconds for, not minutes.

perf makes several samples of most records, one for each group that the record is in, and a row for
each address that has no symbol. So its time depends on how much of the code has symbols; the row
count is printed. report.py PLUMB MAKE_SPE_RECORDING MEASURE [RECORDS [RECORDING...]], where
recordings are numbers from 1 on: then only these, of a million."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from recording import measure, print_machine, print_row

# Name, options of make_spe_recording, whether the code has symbols.
RECORDINGS = [
    ("one layout, contexts, 2,000 addresses", "contexts code=2000", True),
    ("context switches, 20,000 addresses", "switches code=20000", True),
    ("64 layouts with gaps, 20,000 addresses", "contexts layouts=64 gaps code=20000", True),
    ("timeless, of threads, 20,000 addresses", "timeless thread compact code=20000", True),
    ("190,000 addresses", "contexts code=190000", True),
    ("80,000 addresses without symbols", "contexts", False),
]


def text_section(path):
    """Offset and size of .text in an ELF file of 64 bits."""
    with open(path, "rb") as file:
        elf = file.read()
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    for name, _, _, _, offset, length in sections:
        if elf[sections[names][4] + name:].startswith(b".text\0"):
            return offset, length
    raise ValueError(f"{path} has no .text")


# The first ones, of which perf reads ten million records, too.
READ_IN_FULL = 2

# Options of plumb report, and the perf command that shows the same; whether it reads ten million.
VIEWS = [
    ([], ["report"], True),
    (["--mem"], ["mem", "report"], False),
    (["--tid", "1001"], ["report", "--tid", "1001"], True),
]


def print_floor(plumb, measurer, folder, path, records):
    for name, command in (("dd bs=128K of=/dev/null", ["dd", f"if={path}", "of=/dev/null", "bs=128K"]),
                          ("plumb --version", [plumb, "--version"])):
        measured = measure(measurer, command, folder)
        print_row(name, measured, measured, records)


def compare(plumb, measurer, folder, path, records, peers):
    print_floor(plumb, measurer, folder, path, records)
    for options, peer, always in VIEWS:
        programs = [(["plumb", "report", *options], [plumb, "report", *options, "-i", path])]
        if shutil.which("perf") and peers >= (1 if always else 2):
            programs.append((["perf", *peer], ["perf", peer[0], "-i", path, *peer[1:]]))
        first = None
        for name, command in programs:
            name = " ".join([*name, "--stdio"])
            try:
                measured = measure(measurer, [*command, "--stdio"], folder)
            except RuntimeError as error:
                print(f"  {name}: {error}")
                continue
            first = first or measured
            print_row(name, measured, first, records)


def main(plumb, make, measurer, records="1000000", *only):
    records = int(records)
    chosen = [RECORDINGS[int(number) - 1] for number in only]
    plan = [(records, chosen or RECORDINGS), (10 * records, [] if only else RECORDINGS)]
    offset, size = text_section(plumb)
    symbols = [f"program={plumb}", f"text={offset:x}"]
    print_machine()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.data")
        for count, recordings in plan:
            for i, (name, words, known) in enumerate(recordings):
                words = words.split() + (symbols if known else [])
                subprocess.run([make, path, "1", str(count), "8", "chunk=262144", *words], check=True)
                rows = subprocess.run([plumb, "report", "--csv", "-i", path], check=True,
                                      capture_output=True).stdout.count(b"\n") - 1
                print(f"{count:,} SPE records, {os.path.getsize(path) / 2 ** 20:.0f} MiB: {name}, "
                      f"{rows:,} rows; {size / 4:,.0f} instructions of the program")
                # How many of perf's commands: all, those that read ten million records, none.
                peers = 2 if count == records else 1 if i < READ_IN_FULL else 0
                compare(plumb, measurer, folder, path, count, peers)


main(*sys.argv[1:])
