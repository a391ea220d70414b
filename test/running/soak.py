#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records a program for long that starts threads, forks and executes all the time.

    soak.py PLUMB PROGRAM [SECONDS]

SECONDS: 600 unless given; the program forks 10,000 times in 600 s, and executes 1,000 times. The
recorder's memory must be bounded: what it has after a quarter of the time is all, but for a little.
Nothing may be lost unsaid: the recording names each thread and process that the program says it
began, and has a sample of each period that the threads' work consists of, or says what it lacks.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402

PERIOD = 100000
WORK = 300000 * 4  # instructions of a thread
GROWTH = 1 << 10  # KiB, after a quarter of the time


def memory_of(pid):
    """KiB of memory of its own, without what it shares with the model; 0: it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            found = re.search(r"RssAnon:\s*(\d+)", file.read())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def record(plumb, program, seconds, folder):
    """Returns what the program and plumb said, and plumb's memory over time, in KiB."""
    words = [plumb, "record", "-q", "--source", "model", "-e", "INST_RETIRED:u", "-c", str(PERIOD),
             "-o", f"{folder}/perf.data", program, str(seconds), str(round(seconds * 10000 / 600))]
    memory = []
    with open(f"{folder}/out", "w+b") as out, open(f"{folder}/err", "w+b") as err:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err) as process:
            while process.poll() is None:
                memory.append(memory_of(process.pid) or max(memory, default=0))
                time.sleep(1)
        out.seek(0)
        err.seek(0)
        said = err.read().decode()
        assert process.returncode == 0, f"status {process.returncode}: {said}"
        return json.load(out), said, memory


def read(plumb, path):
    """Returns how many records of each kind there are, how many bytes, and what was said."""
    kinds = {}
    with subprocess.Popen([plumb, "script", "-D", "-i", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        for line in process.stdout:
            found = re.search(rb"PERF_RECORD_(\w+)", line)
            if found:
                kind = found[1].decode()
                if kind == "COMM" and b"exec" in line:
                    kind = "EXEC"
                kinds[kind] = kinds.get(kind, 0) + 1
        said = process.stderr.read().decode()
    assert process.returncode == 0, said
    return kinds, said


def main():
    plumb, program = (os.path.realpath(word) for word in sys.argv[1:3])
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 600
    if engine.absent(plumb):
        return engine.absent(plumb)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        did, recorded, memory = record(plumb, program, seconds, folder)
        took = time.monotonic() - began
        size = os.path.getsize(f"{folder}/perf.data")
        kinds, said = read(plumb, f"{folder}/perf.data")
    tasks = did["threads"] + did["forks"]
    work = (did["threads"] - 64) * (WORK // PERIOD)
    early, peak = max(memory[:len(memory) // 4 + 1]), max(memory)
    print(f"{took:.0f} s: {did}\nrecords: {kinds}\n{size} bytes; memory: {early} KiB in the first "
          f"quarter, {peak} KiB in all\nsaid: {(recorded + said).strip() or 'nothing'}")
    assert did["failed"] == 0, "children failed"
    assert peak <= early + GROWTH, "the recorder's memory grows"
    if "lost" not in recorded + said:
        assert kinds.get("FORK", 0) == tasks, f"{kinds.get('FORK', 0)} of {tasks} tasks begin"
        assert kinds.get("EXIT", 0) == tasks + 1, f"{kinds.get('EXIT', 0)} tasks end"
        assert kinds.get("EXEC", 0) == did["execs"] + 1, f"{kinds.get('EXEC', 0)} executions"
        assert kinds["SAMPLE"] >= work, f"{kinds['SAMPLE']} samples of {work}"
    return None


sys.exit(main())
