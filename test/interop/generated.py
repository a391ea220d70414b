#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generated.py PLUMB GENERATING: names and lines of code that a process made itself, as perf has them after
perf inject --jit, and by the perf map."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
plumb, generating = map(os.path.abspath, sys.argv[1:3])
folder = tempfile.TemporaryDirectory()
NAMES = {"counts_first", "counts_second", "counts_mapped"}


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
    return re.search(r"jit-(\d+)", os.path.basename(dumps[0])).group(1)


@tap.test
def by_jitdump():
    """The jitdump that the recording names, beside perf inject --jit"""
    record()
    run("perf", "inject", "--jit", "-i", "perf.data", "-o", "injected.data")
    fields = ("-F", "ip,sym,symoff")
    theirs = list(samples("perf", "script", "-i", "injected.data", *fields))
    theirs = [pair for pair in theirs if pair[1] != "counts_mapped"]
    known = {name for _, name in theirs}
    assert known == {"counts_first", "counts_second"}, f"perf found {known}"
    for data in "perf.data", "injected.data":
        ours = list(samples(plumb, "script", "-i", data, *fields))
        ours = [pair for pair in ours if pair[1] != "counts_mapped"]
        missing = set(theirs) ^ set(ours)
        assert not missing, f"{data}: {sorted(missing)[:5]}"
    return f"{len(theirs)} samples at {len(set(theirs))} addresses, all equal"


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
    assert {("counts_first", 11), ("counts_second", 21)} <= found, found
    assert found <= {("counts_first", 10), ("counts_first", 11), ("counts_second", 20),
                     ("counts_second", 21)}, found


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
