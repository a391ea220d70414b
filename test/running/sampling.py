#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Real AArch64 programs under `plumb record --source model`.

    sampling.py PLUMB PROGRAMS

This script parses recordings without using Plumb: the records of a perf.data file, and the packets
of SPE records that the tests use.
"""
import collections
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
COMM, EXIT, FORK, SAMPLE, MMAP2, AUX, ITRACE_START, AUXTRACE = 3, 4, 7, 9, 10, 11, 12, 71
IP, TID, TIME, ADDR, READ, CALLCHAIN, CPU, PERIOD = (1 << n for n in (0, 1, 2, 3, 4, 5, 7, 8))
REGS_USER, IDENTIFIER, PHYS_ADDR = 1 << 12, 1 << 16, 1 << 19
INTERVAL = 10240


class Recording:
    """A parsed perf.data file: records as (type, fields), and the SPE bytes of each core."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        magic, _, attr_size, attrs, attrs_size, data, size = struct.unpack_from("<8sQQQQQQ",
                                                                              self.bytes)
        assert magic == b"PERFILE2", magic
        self.attrs = {}
        for at in range(attrs, attrs + attrs_size, attr_size):
            sample_type, read_format = struct.unpack_from("<QQ", self.bytes, at + 24)
            ids, ids_size = struct.unpack_from("<QQ", self.bytes, at + attr_size - 16)
            for i in struct.unpack_from(f"<{ids_size // 8}Q", self.bytes, ids):
                self.attrs[i] = (sample_type, read_format)
        self.records, self.spe = [], {}
        at, end = data, data + size
        while at < end:
            kind, _, length = struct.unpack_from("<IHH", self.bytes, at)
            assert 8 <= length <= end - at
            body = self.bytes[at + 8:at + length]
            at += length
            if kind == AUXTRACE:
                aux_size, offset, _, index, tid, cpu = struct.unpack_from("<QQQIii", body)
                self.spe.setdefault((index, tid, cpu), []).append(self.bytes[at:at + aux_size])
                at += aux_size
            else:
                self.records.append((kind, body))

    def of(self, kind, layout):
        return [struct.unpack_from(layout, body) for of, body in self.records if of == kind]

    def samples(self):
        for kind, body in self.records:
            if kind != SAMPLE:
                continue
            identifier, = struct.unpack_from("<Q", body)
            sample_type, _ = self.attrs[identifier]
            sample, at = {"id": identifier}, 8

            def take(layout):
                nonlocal at
                values = struct.unpack_from(layout, body, at)
                at += struct.calcsize(layout)
                return values

            for bit, name, layout in ((IP, "ip", "<Q"), (TID, "tid", "<II"), (TIME, "time", "<Q"),
                                      (ADDR, "address", "<Q"), (CPU, "cpu", "<Q"),
                                      (PERIOD, "period", "<Q")):
                if sample_type & bit:
                    sample[name] = take(layout)[-1]
            if sample_type & READ:
                count, = take("<Q")
                sample["read"] = {i: value for value, i in (take("<QQ") for _ in range(count))}
            if sample_type & CALLCHAIN:
                count, = take("<Q")
                sample["chain"] = take(f"<{count}Q")
            if sample_type & REGS_USER:
                known, = take("<Q")
                sample["link"] = take("<Q")[0] if known else None
            if sample_type & PHYS_ADDR:
                sample["physical"], = take("<Q")
            assert at == len(body), (at, len(body))
            yield sample

    def operations(self):
        """SPE records, 64 bytes each: PC, context, events, counters by index, data source."""
        for chunks in self.spe.values():
            data = b"".join(chunks)
            assert len(data) % 64 == 0
            for at in range(0, len(data), 64):
                yield packets(data[at:at + 64])


def packets(record):
    found, at = {}, 0
    while at < len(record):
        header = record[at]
        size = 1 << (header >> 4 & 3)
        payload = int.from_bytes(record[at + 1:at + 1 + size], "little")
        if header == 0:
            at += 1
            continue
        if header == 1:
            break
        at += 1 + size
        if header & 0xf8 == 0xb0:
            found["address", header & 7] = payload
        elif header & 0xf8 == 0x98:
            found["counter", header & 7] = payload
        elif header & 0xfc == 0x64:
            found["context"] = payload
        elif header & 0xcf == 0x42:
            found["events"] = payload
        elif header & 0xcf == 0x43:
            found["source"] = payload
        elif header & 0xfc == 0x48:
            found["class"], found["operation"] = header & 3, payload
        elif header == 0x71:
            found["time"] = payload
            break
        else:
            raise AssertionError(f"header {header:#x} at {at}")
    return found


def pc(record):
    return record["address", 0] & (1 << 56) - 1


class Programs:
    def __init__(self, plumb, folder):
        self.plumb, self.folder = plumb, folder

    def path(self, name):
        return os.path.join(self.folder, "running-" + name)

    def run(self, options, name, *arguments, status=0):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "perf.data")
            command = [self.plumb, "record", "--source", "model", "-o", out, *options, "--",
                       self.path(name), *arguments]
            run = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert run.returncode == status, (run.returncode, run.stderr)
            recording = Recording(out)
            recording.said = run.stderr
            return recording

    def counts(self, name, *arguments, events, options=()):
        command = [self.plumb, "stat", "--source", "model", "--json", *options, "-e", events, "--",
                   self.path(name), *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        text = run.stdout + run.stderr
        result = json.loads(text[text.index("{"):text.rindex("}") + 1])
        return {event["name"]: event["count"] for event in result["events"]}

    def symbol(self, name, symbol):
        run = subprocess.run([os.environ.get("NM", "aarch64-linux-gnu-nm"), self.path(name)],
                             capture_output=True, text=True, check=True)
        return int(re.search(rf"(\w+) \w {symbol}$", run.stdout, flags=re.M)[1], 16)


@tap.test
def population(programs):
    """SPE samples all operations at the given interval"""
    counts = programs.counts("chases", events="OP_SPEC")
    recording = programs.run(["-e", "arm_spe/jitter=0,period=%d/" % INTERVAL], "chases")
    records = list(recording.operations())
    assert len(records) == counts["OP_SPEC"] // INTERVAL, (len(records), counts)
    return f"{len(records)} records of {counts['OP_SPEC']} operations"


@tap.test
def determinism(programs):
    """The same seed gives the same file, another seed a different one"""
    event = ["-e", "arm_spe/jitter=1/", "-c", "2048"]
    spe = [programs.run([*event, "--seed", seed], "chases").spe for seed in "112"]
    assert spe[0] and spe[0] == spe[1]
    assert spe[0] != spe[2]


@tap.test
def records(programs):
    """SPE finds the load that misses, with the right events"""
    recording = programs.run(["-e", "arm_spe/jitter=1/", "-c", "1024"], "chases")
    load = programs.symbol("chases", "missing_load")
    counts = programs.counts("chases", events="OP_RETIRED")
    records = list(recording.operations())
    refills = [r for r in records if r["events"] >> 3 & 1]
    there = [r for r in records if pc(r) == load]
    # 200,000 by the load; the lines' 65,536 first stores are the others.
    expected = 200000 / (200000 + 65536)
    spare = 4 * (expected * (1 - expected) / len(refills)) ** 0.5
    share = sum(pc(r) == load for r in refills) / len(refills)
    assert abs(share - expected) < spare, (share, expected, spare)
    assert all(r["class"] == 1 and r["operation"] == 0 for r in there)
    retired = [r for r in there if r["events"] >> 1 & 1]
    assert all(("address", 2) in r and "source" in r for r in retired)
    # Each turn executes it once: 200,000 of the retired operations.
    all_retired = sum(r["events"] >> 1 & 1 for r in records)
    share = len(retired) / all_retired
    expected = 200000 / counts["OP_RETIRED"]
    spare = 4 * (expected * (1 - expected) / all_retired) ** 0.5
    assert abs(share - expected) < spare, (share, expected, spare)
    latency = sum(r["counter", 0] for r in retired) / len(retired)
    assert latency > 10, latency
    return f"{len(records)} records; the load's share is {share:.3f}, of {expected:.3f}"


@tap.test
def filters(programs):
    """Filters keep only matching records"""
    loads = list(programs.run(["-e", "spe/load/", "-c", "1024"], "chases").operations())
    assert loads and all(r["class"] == 1 and not r["operation"] & 1 for r in loads)
    slow = list(programs.run(["-e", "spe/min_latency=20/", "-c", "1024"], "chases").operations())
    assert slow and all(r["counter", 0] >= 20 for r in slow)
    branches = list(programs.run(["-e", "spe/branch/", "-c", "1024"], "chases").operations())
    assert branches and all(r["class"] == 2 for r in branches)


@tap.test
def mappings(programs):
    """Executed code is mapped to its files"""
    for name, files in (("chases", 1), ("chases-dynamic", 3)):
        recording = programs.run(["-e", "spe", "-c", "1024"], name)
        paths, ranges = set(), []
        for kind, body in recording.records:
            if kind == MMAP2:
                pid, tid, start, length, offset = struct.unpack_from("<IIQQQ", body)
                path = body[64:body.index(b"\0", 64)].decode()
                assert os.path.exists(path), path
                paths.add(path)
                ranges.append((start, start + length))
        assert programs.path(name) in map(os.path.realpath, paths) or any(
            os.path.samefile(path, programs.path(name)) for path in paths), paths
        assert len(paths) >= files, paths
        for record in recording.operations():
            if record["events"] >> 1 & 1:
                assert any(start <= pc(record) < end for start, end in ranges), hex(pc(record))


@tap.test
def overflows(programs):
    """Every hundredth refill is a sample, at the load that misses, with its address"""
    counts = programs.counts("chases", events="L1D_CACHE_REFILL")
    recording = programs.run(["-e", "L1D_CACHE_REFILL", "-c", "100", "-d"], "chases")
    load = programs.symbol("chases", "missing_load")
    lines = programs.symbol("chases", "lines")
    samples = list(recording.samples())
    assert len(samples) == counts["L1D_CACHE_REFILL"] // 100, (len(samples), counts)
    there = [s for s in samples if s["ip"] == load]
    # 200,000 by the load; the lines' first stores are the others.
    assert abs(len(there) - 2000) < 20, (len(there), len(samples))
    assert all(lines <= s["address"] < lines + (4 << 20) for s in there)
    return f"{len(there)} of {len(samples)} samples there"


@tap.test
def chains(programs):
    """Call chains by frame pointers, and the counts of a group"""
    recording = programs.run(["-e", "{L1D_CACHE_REFILL,INST_RETIRED}:S", "-c", "500", "-g"], "chases")
    load = programs.symbol("chases", "missing_load")
    work, main = (programs.symbol("chases", name) for name in ("work", "main"))
    samples = [s for s in recording.samples() if s["ip"] == load]
    assert len(samples) > 100
    for sample in samples:
        assert sample["chain"][:2] == ((1 << 64) - 512, load)
        # chase() keeps no frame: its caller's stands first.
        assert any(work <= at < work + 256 or main <= at < main + 512
                   for at in sample["chain"][2:]), [hex(at) for at in sample["chain"]]
    reads = [tuple(s["read"].values()) for s in recording.samples() if s["read"]]
    assert all(len(read) == 2 for read in reads)
    assert all(a[1] < b[1] for a, b in zip(reads, reads[1:]))


@tap.test
def groups(programs):
    """Without S, each event of a group samples by itself"""
    recording = programs.run(["-e", "{L1D_CACHE_REFILL,INST_RETIRED/period=5000/}", "-c", "500"],
                             "chases")
    samples = list(recording.samples())
    assert not any(s.get("read") for s in samples)
    counts = programs.counts("chases", events="L1D_CACHE_REFILL,INST_RETIRED")
    expected = counts["L1D_CACHE_REFILL"] // 500 + counts["INST_RETIRED"] // 5000
    assert abs(len(samples) - expected) <= 2, (len(samples), expected)
    return f"{len(samples)} samples"


@tap.test
def frequency(programs):
    """A frequency is met in the model's time"""
    recording = programs.run(["-e", "CPU_CYCLES", "-F", "100000"], "chases")
    samples = list(recording.samples())
    half = samples[len(samples) // 2:]
    rate = (len(half) - 1) / (half[-1]["time"] - half[0]["time"]) * 1e9
    assert abs(rate - 100000) < 3000, rate
    return f"{rate:.0f} a second"


@tap.test
def threads(programs):
    """Each thread is sampled separately, with its own name and end"""
    counts = programs.counts("threads", "3", events="OP_SPEC")
    recording = programs.run(["-e", "arm_spe/jitter=0,period=%d/" % INTERVAL], "threads", "3")
    forks = recording.of(FORK, "<IIII")
    assert len(forks) == 3 and {pid for pid, *_ in forks} == {1001}, forks
    by_thread = {}
    for record in recording.operations():
        by_thread[record["context"]] = by_thread.get(record["context"], 0) + 1
    spinning = {tid for _, _, tid, _ in forks}
    assert all(4000000 // INTERVAL <= by_thread[tid] <= 4000000 // INTERVAL + 100
               for tid in spinning), by_thread
    total = sum(by_thread.values())
    assert 0 <= counts["OP_SPEC"] // INTERVAL - total <= 4, (counts, total)
    assert len(recording.of(EXIT, "<I")) == 4
    return f"{by_thread}"


@tap.test
def processes(programs):
    """A forked child is sampled, or not, as requested"""
    recording = programs.run(["-e", "spe"], "forks")
    (pid, parent, _, _), = recording.of(FORK, "<IIII")
    assert parent == 1001 and pid != parent
    assert sum(r["context"] == pid for r in recording.operations()) > 1900000 // (1024 + 128)
    recording = programs.run(["-e", "spe", "-i"], "forks")
    assert not recording.of(FORK, "<IIII")
    assert {r["context"] for r in recording.operations()} == {1001}


@tap.test
def becoming(programs):
    """After execve, a program keeps its number and gets a new name"""
    recording = programs.run(["-e", "spe"], "execs", programs.path("chases"))
    names = [body[8:body.index(b"\0", 8)] for kind, body in recording.records if kind == COMM]
    assert names == [b"running-execs", b"running-chases"], names
    assert {r["context"] for r in recording.operations()} == {1001}
    assert sum(len(list(packets(c[i:i + 64]))) > 0 for chunks in recording.spe.values()
               for c in chunks for i in range(0, len(c), 64)) > 600


@tap.test
def killed(programs):
    """Samples survive a program that is killed"""
    alive = programs.run(["-e", "spe"], "chases")
    # What the program does after the place where it can be killed, which depends on the C library.
    whole, part = (programs.counts("chases", *arguments, events="OP_SPEC")["OP_SPEC"]
                   for arguments in ((), ("9",)))
    spare = (whole - part) // 1024 + 1
    assert 0 < spare < 20, (whole, part)
    for number in (9, 11):
        recording = programs.run(["-e", "spe"], "chases", str(number), status=128 + number)
        there, before = (len(list(r.operations())) for r in (recording, alive))
        assert before - spare <= there <= before, (there, before, spare)
        assert len(recording.of(EXIT, "<I")) == 1
    recording = programs.run(["-e", "L1D_CACHE_REFILL", "-c", "100"], "chases", "9", status=137)
    assert len(list(recording.samples())) > 1000


def loops(programs, out):
    """How often the exact recording has each of the four instructions of the program's loop."""
    run = subprocess.run([programs.plumb, "script", "-G", "-F", "period,event,ip", "-i", out],
                         capture_output=True, text=True, timeout=120)
    loop, found = programs.symbol("ends", "loop"), collections.Counter()
    for line in run.stdout.splitlines():
        period, event, ip = line.split()
        if event == "exact/INST_RETIRED/:" and 0 <= int(ip, 16) - loop < 16:
            found[int(ip, 16) - loop] += int(period)
    return [found[4 * i] for i in range(4)]


@tap.test
def exact_ends(programs):
    """However a program ends by itself, its exact profile is whole"""
    ways = {"fault": 139, "abort": 134, "trap": 133, "pipe": 141, "9": 137, "10": 138, "14": 142,
            "15": 143, "group": 5, "thread": 139, "exec": 0}
    for qemu in set(engine.candidates(programs.plumb)):
        for way, status in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                out = f"{folder}/perf.data"
                run = subprocess.run(
                    ["prlimit", "--core=0", programs.plumb, "record", "-q", "--source", "model",
                     "--qemu", qemu, "--exact", "-o", out, programs.path("ends"), way,
                     programs.path("hidden")],
                    capture_output=True, text=True, timeout=120)
                assert run.returncode == status, (qemu, way, run)
                assert "incomplete" not in run.stderr, (qemu, way, run)
                assert loops(programs, out) == [20000] * 4, (qemu, way, loops(programs, out))


@tap.test
def exact_killed(programs):
    """From outside, SIGINT and SIGHUP leave an exact profile whole, and SIGKILL is reported"""
    for qemu in set(engine.candidates(programs.plumb)):
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            with tempfile.TemporaryDirectory() as folder:
                out = f"{folder}/perf.data"
                run = subprocess.Popen(
                    [programs.plumb, "record", "--source", "model", "--qemu", qemu, "--exact",
                     "-o", out, programs.path("ends"), "wait"], text=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                assert run.stdout.readline() == "ready\n", run.communicate()
                with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="utf-8") as file:
                    engine_pid = int(file.read().split()[0])
                os.kill(engine_pid, number)
                _, said = run.communicate(timeout=60)
                assert run.returncode == 128 + number, (qemu, number, run.returncode, said)
                lost = "the profile is incomplete: 1 thread was killed" in said
                assert lost == (number == signal.SIGKILL), (qemu, number, said)
                # What a killed thread had told by then is there.
                turns = loops(programs, out)
                assert all(turn <= 20000 if lost else turn == 20000 for turn in turns), \
                    (qemu, number, turns, said)


@tap.test
def buffers(programs):
    """A full buffer is reported each time, and nothing is lost"""
    recording = programs.run(["-e", "arm_spe/jitter=0,period=1024/", "-m", "64,4"], "chases")
    whole = programs.run(["-e", "arm_spe/jitter=0,period=1024/"], "chases")
    aux = recording.of(AUX, "<QQQ")
    # Half a buffer at a time, and what there is after every million cycles.
    ends = [offset + size for offset, size, _ in aux]
    assert [offset for offset, _, _ in aux] == [0] + ends[:-1], aux
    assert len(aux) > 3 and set(range(8192, ends[-1], 8192)) <= set(ends), aux
    assert b"".join(sum(recording.spe.values(), [])) == b"".join(sum(whole.spe.values(), []))


@tap.test
def snapshot(programs):
    """A snapshot has the newest records, as many as fit the buffer"""
    recording = programs.run(["-e", "arm_spe/jitter=0,period=1024/", "-S", "-m", "64,4"], "chases")
    whole = programs.run(["-e", "arm_spe/jitter=0,period=1024/"], "chases")
    (offset, size, flags), = recording.of(AUX, "<QQQ")
    data, = (b"".join(chunks) for chunks in whole.spe.values())
    assert size == 16384 and offset + size == len(data) and flags & 2, (offset, size, flags)
    assert recording.spe[0, -1, 0] == [data[-16384:]]


@tap.test
def cut_pipes(programs):
    """SPE data in a pipe is read up to the byte where it ends, from the pipe as from a file"""
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run([programs.plumb, "record", "-q", "--source", "model", "-e", "spe",
                                  "-c", "4096", "-o", "-", "--", programs.path("chases")],
                                 capture_output=True, timeout=120, check=True).stdout
        # Within records of 64 bytes, and anywhere.
        places = sorted(set(range(len(written) // 2, len(written) // 2 + 130, 9)) |
                        set(range(0, len(written) + 1, len(written) // 20)))
        cut, before, whole, lengths = f"{folder}/cut", 0, None, set()
        for place in reversed(places + [len(written)]):
            with open(cut, "wb") as file:
                file.write(written[:place])
            script = [programs.plumb, "script", "-F", "ip,time", "-i"]
            with open(cut, "rb") as file:
                piped = subprocess.run([*script, "-"], stdin=file, capture_output=True, check=False)
            named = subprocess.run([*script, cut], capture_output=True, check=False)
            assert piped.stdout == named.stdout, place
            assert piped.returncode == named.returncode, (place, piped, named)
            if whole is None:
                assert piped.returncode == 0 and not piped.stderr, piped
                whole, before = piped.stdout, len(piped.stdout)
            # What is whole is there, and nothing else; and it is said that something is missing.
            assert whole.startswith(piped.stdout) and len(piped.stdout) <= before, place
            assert place == len(written) or piped.stderr.startswith(b"plumb: "), place
            before = len(piped.stdout)
            if len(written) // 2 <= place < len(written) // 2 + 130:
                lengths.add(before)
        # Each record counts that ends before the cut.
        assert len(lengths) >= 2 and min(lengths) > 0, lengths


@tap.test
def interrupted(programs):
    """An interrupt ends the recording cleanly, keeping what there is"""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "perf.data")
        run = subprocess.Popen([programs.plumb, "record", "--source", "model", "-o", out, "-e",
                                "spe", "-m", "64,4", "--", programs.path("waits"), "60"],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                               start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not os.path.exists(out) or os.path.getsize(out) < 20000:
            assert run.poll() is None, run.stderr.read()
            time.sleep(0.05)
        os.kill(run.pid, signal.SIGINT)
        run.communicate(timeout=60)
        recording = Recording(out)
        assert recording.of(COMM, "<I") == [(1001,)]
        assert len(list(recording.operations())) > 200


@tap.test
def per_thread(programs):
    """With a buffer per thread, each chunk names its thread"""
    recording = programs.run(["-e", "spe", "--per-thread"], "chases")
    assert {(tid, cpu) for _, tid, cpu in recording.spe} == {(1001, -1)}, recording.spe.keys()


@tap.test
def perf_reads_threads(programs):
    """perf makes a sample of each record, also with a buffer per thread"""
    if not shutil.which("perf"):
        raise Skip("there is no perf")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "perf.data")
        command = [programs.plumb, "record", "--source", "model", "-o", out, "--per-thread", "-e",
                   "spe", "-e", "cycles", "-c", "2000", "--", programs.path("chases")]
        subprocess.run(command, capture_output=True, check=True, timeout=120)
        # perf 6.1 begins a ring without times with a sample of nothing.
        records = len(list(Recording(out).operations())) + 1
        run = subprocess.run(["perf", "script", "-i", out, "--itrace=i1i", "-F", "event"],
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        assert run.stdout.split().count("instructions:") == records, run.stderr
        assert run.stdout.split().count("cycles:") > 10


@tap.test
def perf_reads_it(programs):
    """perf finds the load by its symbol"""
    if not shutil.which("perf"):
        raise Skip("there is no perf")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "perf.data")
        subprocess.run([programs.plumb, "record", "--source", "model", "-o", out, "-e",
                        "arm_spe/jitter=1/", "-c", "1024", "--", programs.path("chases")],
                       capture_output=True, check=True, timeout=120)
        run = subprocess.run(["perf", "report", "-i", out, "--stdio", "--no-children", "--sort",
                              "sym"],
                             capture_output=True, text=True, timeout=120)
        assert "Warning" not in run.stderr, run.stderr
        misses = run.stdout[run.stdout.index("'l1d-miss'"):]
        first = re.search(r"^ +([\d.]+)% .*\] (\S+)", misses, flags=re.M)
        assert first[2] in ("chase", "missing_load"), misses[:600]
        # The paths of the program and of its folder move its stack, and with it the samples.
        refills = [r for r in Recording(out).operations() if r["events"] >> 3 & 1]
        load = programs.symbol("chases", "missing_load")
        share = 100 * sum(pc(r) == load for r in refills) / len(refills)
        assert first[1] == f"{share:.2f}", (first[1], share)


@tap.test
def sources_by_name(programs):
    """A filter can name data sources of the recorded core"""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "perf.data")
        subprocess.run([programs.plumb, "record", "--source", "model", "-o", out, "-e", "spe/load/",
                        "-c", "1024", "--", programs.path("chases")],
                       capture_output=True, check=True, timeout=120)
        found = {}
        for term in ("load", "source=system cache", "source=0xb"):
            run = subprocess.run([programs.plumb, "script", "-i", out, "--json", "--filter", term],
                                 capture_output=True, text=True, check=True, timeout=120)
            found[term] = run.stdout.splitlines()
    expected = [line for line in found["load"] if json.loads(line)["data_source"] == "system cache"]
    assert expected and found["source=system cache"] == expected, (len(expected), len(found["load"]))
    assert found["source=0xb"] == found["source=system cache"]


@tap.test
def intervals(programs):
    """An interval that the unit does not support is reported, a supported one is not"""
    for asked, taken in ((3, 1024), (1500, 1280), (1536, 1536)):
        recording = programs.run(["-e", f"spe/period={asked}/"], "chases")
        told = f"sampling one operation in {taken} instead of {asked}\n" in recording.said
        assert told == (asked != taken), recording.said


def main():
    programs = Programs(sys.argv[1], sys.argv[2])
    if engine.absent(sys.argv[1]):
        tap.skip_all(engine.absent(sys.argv[1]))
    elif not os.path.exists(programs.path("chases")):
        tap.skip_all("there is no compiler for AArch64")
    return tap.run(programs)


if __name__ == "__main__":
    sys.exit(main())
