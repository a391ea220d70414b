#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The library's example programs, beside what plumb and the kernel say about the same.
examples.py PLUMB EXAMPLES PLUGINS PROGRAM"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import engine
from tap import Skip, Tap

tap = Tap()
work = Path(tempfile.mkdtemp())


class Here:
    def __init__(self, plumb, examples, plugins, program):
        self.plumb, self.examples, self.program = plumb, Path(examples), program
        self.environment = dict(os.environ, PLUMB_PLUGIN_DIR=plugins)

    def run(self, name, *arguments, status=0, **options):
        """Runs an example. Returns (standard output, standard error)."""
        done = subprocess.run([self.examples / name, *arguments], capture_output=True,
                              check=False, env=self.environment, timeout=120, **options)
        output, errors = (text if isinstance(text, str) else text.decode()
                          for text in (done.stdout, done.stderr))
        if done.returncode != status:
            raise AssertionError(f"{name} {arguments}: status {done.returncode}: {errors}")
        return output, errors

    def plumb_says(self, *arguments):
        # In the same environment: it is on the program's stack.
        done = subprocess.run([self.plumb, *arguments], capture_output=True, check=False,
                              env=self.environment, text=True, timeout=120)
        if done.returncode:
            raise AssertionError(f"plumb {arguments}: {done.stderr}")
        return done.stdout

    def recording(self):
        """SPE records of the model."""
        path = work / "perf.data"
        if not path.exists():
            self.need_model()
            self.plumb_says("record", "--quiet", "--source", "model", "-e", "spe", "-c", "1024",
                            "-o", path, self.program)
        return path

    def need_model(self):
        why = engine.absent(self.plumb)
        if why or not os.path.exists(self.program):
            raise Skip(why or "no compiler for AArch64")
        beside = os.path.join(self.environment["PLUMB_PLUGIN_DIR"], engine.NAME)
        found = engine.find(self.plumb)
        if not any(os.path.exists(path) and os.path.samefile(found, path)
                   for path in (beside, "/usr/bin/" + engine.NAME)):
            raise Skip("the library by itself does not look for an engine in PATH")


def read_counts(text):
    """{name: count} of lines "COUNT  NAME"."""
    return {name: float(count)
            for count, name in re.findall(r"^ *([0-9.]+)  (\w[\w.:-]*)", text, re.M)}


@tap.test
def counts_as_stat(here):
    """count: events, metrics and time of the model are those of plumb stat"""
    here.need_model()
    asked = "cycles,instructions,l1d_cache:u,backend_bound,ipc"
    ours = read_counts(here.run("count", asked, here.program)[0])
    path = work / "stat.json"
    here.plumb_says("stat", "--source", "model", "-e", asked, "--json", "-o", path, here.program)
    theirs = json.loads(path.read_text(encoding="utf-8"))
    expected = {event.get("requested", event["name"]): event["count"] for event in theirs["events"]}
    expected |= {metric["name"]: metric["value"] for metric in theirs["metrics"]}
    expected["seconds"] = theirs["elapsed_seconds"]
    for name in ("cycles", "instructions", "l1d_cache:u", "backend_bound", "ipc", "seconds"):
        if abs(ours[name] - expected[name]) > max(6e-4 * (name in ("backend_bound", "ipc")), 1e-6):
            raise AssertionError(f"{name}: {ours[name]}, plumb stat has {expected[name]}")
    return f"{ours['instructions']:.0f} instructions"


@tap.test
def counts_where_it_was_built(here):
    """count: finds the model's plugins in the build folder without being told"""
    here.need_model()
    told = here.environment.pop("PLUMB_PLUGIN_DIR")
    try:
        ours = read_counts(here.run("count", "instructions", here.program)[0])
        assert ours["instructions"] > 1000, ours
        # An engine without plugins beside it.
        bare = work / "bare"
        bare.mkdir()
        (bare / engine.NAME).symlink_to(engine.find(here.plumb))
        here.environment["PLUMB_PLUGIN_DIR"] = str(bare)
        errors = here.run("count", "instructions", here.program, status=1)[1]
        assert f"{bare}/" in errors, errors
    finally:
        here.environment["PLUMB_PLUGIN_DIR"] = told


@tap.test
def counts_software(here):
    """count: hands on a program's status, and says what it cannot count or run"""
    try:
        output, _ = here.run("count", "task-clock", "/bin/sh", "-c", "exit 3", status=3)
    except AssertionError as error:
        if "perf_event" in str(error):
            raise Skip("the kernel lets nobody count") from error
        raise
    assert read_counts(output)["task-clock"] > 0, output
    for arguments, said in ((("task-clocks", "/bin/true"), "did you mean task-clock?"),
                            (("sched:sched_switch", "/bin/true"), "tracepoints are not supported"),
                            (("cycles", "./nope"), "./nope"),
                            (("task-clock", "/nowhere/program"), "/nowhere/program")):
        errors = here.run("count", *arguments, status=1)[1]
        assert said in errors, errors
    here.run("count", status=2)


@tap.test
def regions(here):
    """region: its parts are no more than the whole, as the kernel accounts it"""
    with subprocess.Popen([here.examples / "region"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        output, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and "perf_event" in errors:
        raise Skip("the kernel lets nobody count")
    assert process.returncode == 0, errors
    faults = [int(count) for count in re.findall(r"(\d+)  page-faults$", output, re.M)]
    nanoseconds = [int(count) for count in re.findall(r"(\d+)  task-clock$", output, re.M)]
    half, = re.findall(r"(\d+)  task-clock after the first half, read by a system call", output)
    assert len(faults) == len(nanoseconds) == 2 and min(nanoseconds) > 0, output
    assert 0 < int(half) < nanoseconds[1], output
    # The C library merges into as many numbers as it sorts.
    assert faults[0] > 900, output
    assert sum(faults) <= usage.ru_minflt, f"{faults} of {usage.ru_minflt} faults"
    total = usage.ru_utime + usage.ru_stime
    assert sum(nanoseconds) / 1e9 <= total + 0.01, f"{nanoseconds} ns of {total} s"
    if os.uname().machine != "aarch64":
        # The model cannot help here, so the hint does not name it.
        errors = here.run("region", "cycles", status=1)[1]
        assert "requires an Arm PMU" in errors, errors
        assert "use software events: region task-clock,page-faults" in errors, errors
    return f"{sum(faults)} of {usage.ru_minflt} faults"


@tap.test
def latency_by_symbol(here):
    """latency: the sums of each function are those of plumb script's samples"""
    path = here.recording()
    sums = collections.defaultdict(lambda: [0, 0])
    for line in here.plumb_says("script", "-i", path, "--itrace", "i1i", "-F",
                                "weight,ip,sym").splitlines():
        weight, _, symbol = line.split(None, 2)
        sums[symbol.strip()][0] += int(weight)
        sums[symbol.strip()][1] += 1
    # Several functions may have the same name, as entries of a static program's PLT do.
    ours = collections.defaultdict(lambda: [0, 0])
    lines = here.run("latency", path)[0].splitlines()
    dumped = [json.loads(line) for line in
              here.plumb_says("script", "-i", path, "--json").splitlines()]
    gone = sum("RETIRED" not in record["events"] for record in dumped)
    assert lines[-1] == f"{gone} of {len(dumped)} records did not retire", lines[-1]
    for line in lines[1:-1]:
        cycles, share, records, mean, symbol = line.split(None, 4)
        symbol, _, file = symbol.partition(" in ")
        assert file == os.path.realpath(here.program), (file, here.program)
        ours[symbol][0] += int(cycles)
        ours[symbol][1] += int(records)
        assert abs(float(mean) - int(cycles) / int(records)) < 0.051, line
        total = sum(pair[0] for pair in sums.values())
        assert abs(float(share) - 100 * int(cycles) / total) < 0.0051, line
    if ours != sums:
        raise AssertionError(f"{dict(ours)}\nplumb script: {dict(sums)}")
    assert len(ours) > 5, ours
    errors = here.run("latency", "/dev/null", status=1)[1]
    assert "/dev/null" in errors, errors
    return f"{len(ours)} functions"


# What the operation packets of a dump are.
KINDS = (("LD", "load"), ("ST", "store"), ("B", "branch"), ("AT", "load"))


def read_dump(text):
    """(the bytes, [a dict for each record]) of plumb spe dump."""
    data, records, record = bytearray(), [], {}
    for line in text.splitlines():
        found = re.match(r"\.  [0-9a-f]{8}:  ((?:[0-9a-f]{2} )+) *(.*)", line)
        if not found:
            continue
        data += bytes.fromhex(found[1])
        packet = found[2]
        if words := re.match(r"PC 0x([0-9a-f]+) el(\d) ns=(\d)", packet):
            secure = "" if words[3] == "1" else " secure"
            record["pc"] = f"pc 0x{words[1]} el{words[2]}{secure}"
        elif words := re.match(r"(LD|ST|B|AT)\b", packet):
            record["kind"] = dict(KINDS)[words[1]]
        elif words := re.match(r"TGT 0x([0-9a-f]+)", packet):
            record["to"] = f"to 0x{words[1]}"
        elif words := re.match(r"VA 0x([0-9a-f]+)", packet):
            record["data"] = f"data 0x{words[1]}"
        elif words := re.match(r"LAT (\d+) TOT", packet):
            record["latency"] = f"latency {words[1]}"
        elif words := re.match(r"EV(.*)", packet):
            record["events"] = len(words[1].split())
        elif re.match(r"TS |END", packet):
            records.append(record)
            record = {}
    return bytes(data), records


@tap.test
def decodes_as_dump(here):
    """decode: each record of the bytes has what plumb spe dump shows of its packets"""
    data, records = read_dump(here.plumb_says("spe", "dump", here.recording()))
    path = work / "spe.data"
    path.write_bytes(data)
    lines = here.run("decode", path)[0].splitlines()
    assert lines == here.run("decode", input=data)[0].splitlines()
    assert len(lines) == len(records) > 100, f"{len(lines)} lines, {len(records)} records"
    kinds = collections.Counter()
    for line, record in zip(lines, records):
        kind, rest = line.split(None, 1)
        kinds[kind] += 1
        expected = " ".join(record[key] for key in ("pc", "data", "to", "latency")
                            if key in record)
        assert rest == expected or rest.startswith(expected + " "), f"{line}\n{record}"
        assert len(rest[len(expected):].split()) == record["events"], f"{line}\n{record}"
        assert kind == record.get("kind", "other"), f"{line}\n{record}"
    assert len(kinds) == 4, kinds
    # Damage in the middle is counted, and the records around it are still there.
    damaged = data[:6400] + b"\xff\xff\xff" + data[6400:]
    output, errors = here.run("decode", input=damaged, status=1)
    assert "skipped 3 bytes" in errors and "offset 6400" in errors, errors
    assert len(output.splitlines()) == len(records)
    # A program counter of the secure state, and the end.
    secure = here.run("decode", input=bytes.fromhex("b0 00100000000000 40 01"))[0]
    assert secure.split() == ["other", "pc", "0x1000", "el2", "secure"], secure
    return f"{len(records)} records"


tap.run(Here(*sys.argv[1:]))
