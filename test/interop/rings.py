#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The same samples from every command, whatever became of a recording's rings.

    rings.py PLUMB MAKE

MAKE is make_spe_recording. Its recordings are damaged in place: rings that are empty or hold nothing
but padding, records of SPE and of perf that are overwritten, ends that are missing; with times and
without. `plumb script`, as text and as JSON, `plumb report` and `plumb export` must find as many
samples, or all must refuse the file.
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

tap = Tap()
RECORDS = 300
AUXTRACE = 71
WAYS = (["thread"], ["timeless"], ["timeless", "thread"], ["contexts", "switches"], ["chunk=512"],
        ["timeless", "chunk=512", "gaps"])


def records_of(data):
    """Where each record is, with its type and its size, data behind it included."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == AUXTRACE:
            length += struct.unpack_from("<Q", data, at + 8)[0]
        yield at, kind, length
        at += length


def rings_of(data):
    return [(at, length) for at, kind, length in records_of(data) if kind == AUXTRACE]


def whole(_data, _chance):
    """Nothing is damaged."""


def add_empty(data, chance):
    """A ring without data, of a CPU of its own, before another one and at the end."""
    # Features follow the data; among them is where the rings are, which is no longer right.
    data[72:104] = bytes(32)
    begin, size = struct.unpack_from("<QQ", data, 40)
    del data[begin + size:]
    empty = struct.pack("<IHHQQQIiII", AUXTRACE, 0, 48, 0, 0, 0, 99, -1, 99, 0)
    at = chance.choice(rings_of(data))[0]
    data[at:at] = empty
    data += empty
    struct.pack_into("<Q", data, 48, size + 2 * len(empty))


def pad(data, chance):
    """A ring of padding alone."""
    at, length = chance.choice(rings_of(data))
    data[at + 48:at + length] = bytes(length - 48)


def overwrite(data, chance):
    """Some bytes of a ring."""
    for _ in range(3):
        at, length = chance.choice(rings_of(data))
        first = chance.randrange(at + 48, at + length)
        last = min(first + chance.randrange(1, 40), at + length)
        data[first:last] = chance.randbytes(last - first)


def break_record(data, chance):
    """A record that says it has no bytes."""
    struct.pack_into("<H", data, chance.choice(list(records_of(data)))[0] + 6, 0)


def overwrite_record(data, chance):
    """A record with other content, but for its header."""
    at, kind, length = chance.choice(list(records_of(data)))
    last = at + (48 if kind == AUXTRACE else length)
    place = chance.randrange(at + 8, last)
    data[place] = chance.randrange(256)


def cut(data, chance):
    """A file that ends within its data."""
    begin, size = struct.unpack_from("<QQ", data, 40)
    del data[begin + chance.randrange(size // 4, size):]


def run(words):
    """Returns what a command prints; None: it refused."""
    done = subprocess.run(words, capture_output=True, check=False, timeout=120)
    assert done.returncode in (0, 2), (words, done.returncode, done.stderr)
    assert done.returncode == 0 or done.stderr, f"{words} fails without a word"
    return done.stdout.decode() if done.returncode == 0 else None


def count(plumb, path, folder):
    """How many samples each command finds."""
    found = {}
    text = run([plumb, "script", "-F", "event", "--itrace=i1i", "-i", path])
    found["script"] = None if text is None else len(text.splitlines())
    text = run([plumb, "script", "--json", "-i", path])
    found["script --json"] = None if text is None else len(text.splitlines())
    # The tables are of operations: a record that has lost its own is in none of them.
    without = sum(1 for line in (text or "").splitlines() if json.loads(line)["op"] is None)
    text = run([plumb, "report", "--json", "-i", path])
    found["report"] = None if text is None else sum(event["samples"]
                                                    for event in json.loads(text)["events"])
    text = run([plumb, "export", "--format", "spe-csv", "-o", f"{folder}/out", path])
    found["export"] = None if text is None else without
    for name in os.listdir(folder) if text is not None else ():
        if not name.startswith("out-"):
            continue
        with open(f"{folder}/{name}", newline="", encoding="utf-8") as file:
            found["export"] += sum(1 for _ in csv.reader(file)) - 1
    return found


def check(damage, rounds):
    """A test of one kind of damage."""
    def test(plumb, make):
        chance = random.Random(damage.__name__)
        least, most = RECORDS, 0
        for number in range(rounds):
            way = WAYS[number % len(WAYS)]
            with tempfile.TemporaryDirectory() as folder:
                path = f"{folder}/perf.data"
                subprocess.run([make, path, str(number), str(RECORDS), "3", *way], check=True)
                with open(path, "rb") as file:
                    data = bytearray(file.read())
                damage(data, chance)
                with open(path, "wb") as file:
                    file.write(data)
                found = count(plumb, path, folder)
            assert len(set(found.values())) == 1, f"{way}, {number}: {found}"
            samples = found["script"] or 0
            least, most = min(least, samples), max(most, samples)
        # Without its size, a record hides all that follow.
        assert most > 0 or damage is break_record
        if damage in (whole, add_empty):
            assert least == RECORDS, f"{least} samples of {RECORDS}"
        return f"{rounds} recordings, {least} to {most} samples of {RECORDS}"
    test.__doc__ = damage.__doc__
    tap.test(test)


for kind_of_damage, how_often in ((whole, 6), (add_empty, 6), (pad, 6), (overwrite, 12),
                                  (break_record, 12), (overwrite_record, 12), (cut, 12)):
    check(kind_of_damage, how_often)
tap.run(*map(os.path.realpath, sys.argv[1:3]))
