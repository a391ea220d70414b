#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb script --header and --header-only print what perf 6.1 does, byte for byte: of a recording that
perf makes here, whose event then gets attributes by chance, and of a recording in a pipe.
headers_vs_perf.py PLUMB"""
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_tool import run_perf
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()
plumb = sys.argv[1]
EVENT_DESC = 12
ATTRIBUTES = 60


def printed(program, path, *options):
    done = run_perf([program, "script", *options, "-i", path], capture_output=True, text=True)
    if not done.stdout:
        raise AssertionError(f"{program} prints nothing: {done.stderr}")
    return done.stdout


# perf 6.1 names the entries of procedure linkage tables otherwise, and some not at all.
PLT = re.compile(r"\S*@plt")


def same(path, *options):
    ours = printed(plumb, path, *options, *perf.options()).splitlines()
    theirs = printed("perf", path, *options).splitlines()
    for mine, other in zip(ours, theirs):
        if PLT.sub("", mine) != PLT.sub("", other):
            raise AssertionError(f"{options}\n{mine}\nand perf\n{other}")
    if len(ours) != len(theirs):
        raise AssertionError(f"{options}: {len(ours)} lines, and {len(theirs)} of perf's")
    return len(ours)


def record(folder, output, *options):
    done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-o", output, *options, "--",
                           "ls", "/"], capture_output=True)
    if done.returncode:
        raise Skip("perf cannot record here")
    return done.stdout


def descriptions(data):
    """Where the event's attributes are: with the events, and in their descriptions. Their size."""
    at, _, start, size = struct.unpack_from("<4Q", data, 24)
    features, = struct.unpack_from("<Q", data, 72)
    place = start + size + 16 * bin(features & (1 << EVENT_DESC) - 1).count("1")
    section, = struct.unpack_from("<Q", data, place)
    return at, section + 8, struct.unpack_from("<I", data, section + 4)[0]


def attribute(chance, size):
    """perf 6.1 has no name for some bits, and reads no file that has them."""
    some = chance.getrandbits
    body = struct.pack("<IIQQQQQ", 4, size, some(16), some(20), some(25), 1 << 2 | some(5),
                       some(38))
    body += struct.pack("<IIQQQQIiQIHHIIQ", some(8), some(3), some(32), some(32), some(19), some(8),
                        some(12) * 8, chance.choice((0, 1, 4, -1)), some(8), some(16), some(8), 0,
                        some(16), 0, some(32))
    return body[:size].ljust(size, b"\0")


@tap.test
def attributes(folder):
    """An event's attributes, each set by chance or not"""
    path = folder / "attributes.data"
    record(folder, path)
    data = bytearray(path.read_bytes())
    *places, size = descriptions(data)
    chance = random.Random(1)
    for _ in range(ATTRIBUTES):
        new = attribute(chance, size)
        for place in places:
            data[place:place + size] = new
        path.write_bytes(data)
        same(path, "--header-only")
    return f"{ATTRIBUTES} attributes"


@tap.test
def all_features(folder):
    """Everything that a recording says of itself"""
    path = folder / "full.data"
    record(folder, path, "-g")
    return f"{same(path, '--header-only', '-I') + same(path, '--header-only')} lines"


@tap.test
def of_a_pipe(folder):
    """The header of a recording in a pipe, and samples"""
    path = folder / "piped.data"
    path.write_bytes(record(folder, "-"))
    return f"{same(path, '--header', '-I') + same(path, '--header')} lines"


if perf.absent or perf.version != (6, 1):
    tap.skip_all(perf.absent or "perf is not 6.1, and others write attributes otherwise")
with tempfile.TemporaryDirectory() as scratch:
    tap.run(Path(scratch))
