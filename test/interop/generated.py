#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generated.py PLUMB GENERATING: names, lines and instructions of code that a process made itself, as perf and
objdump have them after perf inject --jit, and by the perf map."""
import collections
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
plumb, generating = map(os.path.abspath, sys.argv[1:3])
folder = tempfile.TemporaryDirectory()
DUMPED = {"counts_first", "counts_second", "counts_third", "counts_fourth"}
recorded = []  # the process of perf.data
NAMES = DUMPED | {"counts_mapped"}


def run(*command):
    return subprocess.run(command, text=True, check=True, cwd=folder.name, capture_output=True).stdout


def samples(*command):
    """(address, name) of samples in code that was made."""
    for line in run(*command).splitlines():
        found = re.match(r"\s*([0-9a-f]+) (.+?)\+0x[0-9a-f]+$", line)
        if found and found[2] in NAMES:
            yield found[1], found[2]


def record():
    """Records it once; returns the process."""
    if not os.path.exists(os.path.join(folder.name, "perf.data")):
        try:
            run("perf", "record", "-q", "-k", "mono", "-e", "cpu-clock:u", "-F", "2000", "-o",
                "perf.data", generating, folder.name)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Skip("perf cannot record") from error
        dumps = glob.glob(os.path.join(folder.name, "jit-*.dump"))
        assert len(dumps) == 1, dumps
        recorded.append(re.search(r"jit-(\d+)", os.path.basename(dumps[0])).group(1))
    return recorded[0]


@tap.test
def by_jitdump():
    """The jitdump that the recording names, beside perf inject --jit"""
    record()
    run("perf", "inject", "--jit", "-i", "perf.data", "-o", "injected.data")
    fields = ("-F", "ip,sym,symoff")
    theirs = list(samples("perf", "script", "-i", "injected.data", *fields))
    theirs = [pair for pair in theirs if pair[1] != "counts_mapped"]
    known = {name for _, name in theirs}
    assert known == DUMPED, f"perf found {known}"
    # At some addresses there was code of three functions.
    assert len({address for address, _ in theirs}) < len(set(theirs))
    for data in "perf.data", "injected.data":
        ours = list(samples(plumb, "script", "-i", data, *fields))
        ours = [pair for pair in ours if pair[1] != "counts_mapped"]
        missing = collections.Counter(theirs)
        missing.subtract(ours)
        missing = {pair: count for pair, count in missing.items() if count}
        assert not missing, f"{data}: {sorted(missing.items())[:5]}"
    return f"{len(theirs)} samples at {len(set(theirs))} addresses, all equal"


def shares(*command):
    return sorted(re.findall(r"(\d+\.\d+)%.*\b(counts_\w+)", run(*command)))


@tap.test
def report():
    """Shares of functions that were at the same address one after the other, beside perf report"""
    record()
    theirs = shares("perf", "report", "--stdio", "-s", "sym", "-i", "injected.data")
    ours = shares(plumb, "report", "--stdio", "-s", "sym", "-i", "perf.data")
    assert {name for _, name in theirs} == NAMES, theirs
    assert ours == theirs, f"{ours}, perf {theirs}"


@tap.test
def without_times():
    """With another clock, code has its newest name, and a warning says so"""
    record()
    run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "-o", "clock.data", generating,
        folder.name)
    done = subprocess.run([plumb, "report", "--stdio", "-s", "sym", "-i", "clock.data"], text=True,
                          check=True, cwd=folder.name, capture_output=True)
    assert "times cannot tell which of them ran when" in done.stderr, done.stderr
    assert set(re.findall(r"counts_\w+", done.stdout)) == {"counts_first", "counts_second",
                                                           "counts_mapped"}, done.stdout


@tap.test
def by_perf_map():
    """The perf map, beside perf"""
    record()
    fields = ("-F", "ip,sym,symoff")
    ours, theirs = ([pair for pair in samples(tool, "script", "-i", "perf.data", *fields)
                     if pair[1] == "counts_mapped"] for tool in ("perf", plumb))
    assert theirs, "perf found none"
    assert ours == theirs, f"{len(ours)} and {len(theirs)} samples"
    return f"{len(theirs)} samples, all equal"


@tap.test
def lines():
    """Lines of source, as the program wrote them"""
    record()
    found = set()
    for line in run(plumb, "script", "-i", "perf.data", "-F", "ip,sym,srcline").splitlines():
        name = re.match(r"\s*[0-9a-f]+ (counts_\w+)", line)
        if name:
            current = name[1]
        source = re.search(r"source\.js:(\d+)", line)
        if source:
            found.add((current, int(source[1])))
    # Nearly all samples are in the loop, the second line of each.
    loops = {("counts_first", 11), ("counts_second", 21), ("counts_third", 31),
             ("counts_fourth", 41)}
    assert loops <= found, found
    assert found <= loops | {(name, line - 1) for name, line in loops}, found


def write_a64(path):
    """Replaces the code in a dump by A64's; returns what was there."""
    with open(path, "rb") as file:
        before = file.read()
    dump = bytearray(before)
    struct.pack_into("<I", dump, 12, 183)  # EM_AARCH64
    at = 40
    while at < len(dump):
        kind, size = struct.unpack_from("<II", dump, at)
        if kind == 0:
            length, number = struct.unpack_from("<QQ", dump, at + 40)
            assert length == 16
            # mov w0, #number; movk w0, #0x393, lsl #16; subs w0, w0, #1; b.ne
            struct.pack_into("<4I", dump, at + size - length, 0x52800000 | number << 5,
                             0x72a07260, 0x71000400, 0x54ffffe1)
        at += size
    with open(path, "wb") as file:
        file.write(dump)
    return before


def disassembled(library):
    """{offset: (word, mnemonic)} of the code in one of perf's files."""
    run("objcopy", "-O", "binary", "-j", ".text", library, "text.bin")
    text = run("aarch64-linux-gnu-objdump", "-b", "binary", "-m", "aarch64", "-D", "text.bin")
    return {int(offset, 16): (word, mnemonic) for offset, word, mnemonic
            in re.findall(r"^ +([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)", text, re.M)}


def lines_of(library):
    """{offset: line} where lines begin, by the debug information that perf wrote."""
    text = run("objdump", "--dwarf=decodedline", library)
    begins = [(int(address, 16), int(line)) for line, address
              in re.findall(r"source\.js +(\d+) +(0x[0-9a-f]+)", text)]
    return {address - begins[0][0]: line for address, line in begins}


@tap.test
def instructions():
    """plumb annotate, beside objdump of what perf inject --jit makes of the dump"""
    if not shutil.which("aarch64-linux-gnu-objdump"):
        raise Skip("there is no aarch64-linux-gnu-objdump")
    pid = record()
    path = f"{folder.name}/jit-{pid}.dump"
    before = write_a64(path)
    try:
        run("perf", "inject", "--jit", "-i", "perf.data", "-o", "a64.data")
        counts = collections.Counter(name for _, name in samples(
            "perf", "script", "-i", "a64.data", "-F", "ip,sym,symoff"))
        for number, name in enumerate(("first", "second", "third", "fourth"), 1):
            name = f"counts_{name}"
            library = f"jitted-{pid}-{number}.so"
            function, = json.loads(run(plumb, "annotate", "--json", "-i", "perf.data",
                                       name))["functions"]
            found = [(int(i["address"], 16), i, line) for line in function["lines"]
                     for i in line["instructions"]]
            start = min(address for address, _, _ in found)
            theirs = disassembled(library)
            ours = {address - start: (i["word"], i["text"].split("\t")[0])
                    for address, i, _ in found}
            assert ours == theirs and len(ours) == 4, f"{name}: {ours}, objdump {theirs}"
            starts = {min(int(i["address"], 16) for i in line["instructions"]) - start:
                      line["line"] for line in function["lines"]}
            assert starts == lines_of(library), f"{name}: {starts}, {lines_of(library)}"
            assert all(line["file"] == "/generated/source.js" for line in function["lines"])
            seen = sum(i["samples"] for _, i, _ in found)
            assert seen == counts[name], f"{name}: {seen} samples, perf {counts[name]}"
    finally:
        with open(path, "wb") as file:
            file.write(before)


@tap.test
def another_user():
    """What another user wrote is not used"""
    if os.geteuid() != 0:
        raise Skip("only root can give files away")
    pid = record()
    for path in f"/tmp/perf-{pid}.map", f"{folder.name}/jit-{pid}.dump":
        os.chown(path, 12345, 12345)
    done = subprocess.run([plumb, "script", "-i", "perf.data", "-F", "ip,sym,symoff"], text=True,
                          check=True, cwd=folder.name, capture_output=True)
    assert done.stderr.count("neither you nor root owns it") == 2, done.stderr
    assert "counts_" not in done.stdout


if not shutil.which("perf"):
    tap.skip_all("there is no perf")
with folder:
    os.environ["HOME"] = folder.name
    os.environ.pop("DEBUGINFOD_URLS", None)
    try:
        tap.run()
    finally:
        for dump in glob.glob(os.path.join(folder.name, "jit-*.dump")):
            perf_map = f"/tmp/perf-{re.search('([0-9]+).dump', dump).group(1)}.map"
            if os.path.exists(perf_map):
                os.remove(perf_map)
