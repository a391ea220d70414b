# SPDX-License-Identifier: Apache-2.0
"""
What `plumb explore` finds on one CPU. QEMU's PMU counts no stalls, so the specification is changed: the
node of the backend counts instructions, of which QEMU executes one a cycle, and is sampled by cycles.
"""

import json
import os
import subprocess

from machine import PLACES
from programs import LONG
from spe import set_unit

SPEC = "loss.json"
NODE = "backend_stalled_cycles"
EXPLORE = f"/plumb explore --no-progress --source perf --cpu /{SPEC} --json "
SAMPLES = 5000  # that the period is to give, of a node's event


def write_spec(plumb, folder):
    """Writes the specification. Returns its path."""
    done = subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E",
                           "LD_LIBRARY_PATH=" + ":".join(PLACES), plumb, "spec", "export", "--cpu",
                           "neoverse-n1", "--format", "mrs"], check=True, capture_output=True)
    spec = json.loads(done.stdout)
    spec["metrics"][NODE].update({"formula": "INST_RETIRED / CPU_CYCLES * 100",
                                  "events": ["INST_RETIRED", "CPU_CYCLES"],
                                  "sample_events": ["CPU_CYCLES"]})
    for node in spec["methodologies"]["topdown_methodology"]["decision_tree"]["metrics"]:
        if node["name"] == NODE:
            node["sample_events"] = ["CPU_CYCLES"]
    path = os.path.join(folder, SPEC)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(spec, file)
    return path


def is_found(outcome, runs, interrupted=False, sampled=True):
    """Whether the program's only function has nearly all of the loss, or nothing was sampled."""
    found = outcome.result()
    first = found["findings"][0]
    places = first["functions"]["places"]
    return (found["runs"] == runs and found["interrupted"] == interrupted and
            found["seconds"] > 0 and first["node"] == NODE and first["slots"] > 90 and
            (bool(places) and places[0]["name"] == "_start" and places[0]["share"] > 95
             if sampled else not places))


def samples(outcome):
    return outcome.result()["findings"][0]["functions"]["samples"]


def objects(outcome):
    """The JSON objects of a file that was sent."""
    decoder, found, rest = json.JSONDecoder(), [], outcome.sent.decode().strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].lstrip()
    return found


def instructions(counts):
    return sum(e["count"] for e in counts["events"] if e["name"] == "INST_RETIRED" and e["count"])


def script(vm):
    """Adds its commands."""
    whole = vm.run(EXPLORE + "-o /tmp/explored /counted")
    vm.expect("explore counts a program, and samples what it leads to",
              lambda o: o.status == 7 and is_found(o, runs=2) and
              0.9 * SAMPLES < samples(o) < 1.2 * SAMPLES, whole)
    vm.expect("the folder has the same findings",
              lambda o, again: json.loads(again.out) == o.result(), whole,
              vm.run("/plumb explore --json /tmp/explored"))
    vm.expect("the folder has its counts by interval, which add up",
              lambda o, whole, parts: 1 < len(objects(parts)) and
              abs(sum(map(instructions, objects(parts))) / instructions(objects(whole)[0]) - 1) < 0.1,
              whole, vm.run("send /tmp/explored/counts.json"),
              vm.run("send /tmp/explored/intervals.json"))
    # By default 4000 a second, each nanosecond of which is an instruction.
    vm.expect("--once samples all of the run that it counts",
              lambda o: o.status == 7 and is_found(o, runs=1) and
              0.9 * LONG < 1e9 / 4000 * samples(o), vm.run(EXPLORE + "--once /counted"))
    vm.expect("a running process is explored",
              lambda o: o.status == 0 and is_found(o, runs=2) and
              o.result()["target"].startswith("process "),
              vm.run(f"/with beside /endless : {EXPLORE}--timeout 100 -p PID"))
    vm.expect("all CPUs are explored",
              lambda o: o.status == 0 and o.result()["verdict"] != "unknown" and
              o.result()["target"] == "all CPUs", vm.run(EXPLORE + "--timeout 100 -a"))
    interrupted(vm)


def interrupted(vm):
    """Signals, before and while something is sampled."""
    vm.expect("SIGINT while it counts keeps the counts, and ends by the signal",
              lambda o: o.status == 130 and is_found(o, 1, interrupted=True, sampled=False),
              vm.run("/with later 300 kill 2 " + EXPLORE + "/endless"))
    vm.expect("SIGTERM while it samples keeps both, and ends by the signal",
              lambda o: o.status == 143 and is_found(o, 2, interrupted=True),
              vm.run("/with later 800 kill 15 " + EXPLORE + "--timeout 400 /endless"))
    vm.expect("SIGINT with --once keeps both, and ends by the signal",
              lambda o: o.status == 130 and is_found(o, 1, interrupted=True),
              vm.run("/with later 400 kill 2 " + EXPLORE + "--once /endless"))
    vm.expect("SIGINT ends exploring a process that goes on",
              lambda o: o.status == 0 and is_found(o, 2, interrupted=True),
              vm.run(f"/with beside /endless : /with later 800 kill 2 {EXPLORE}--timeout 400 "
                     "-p PID"))
    vm.run("/plumb record --no-progress --source perf -e cycles -a --timeout 100 -o /tmp/after.data")
    vm.expect("nothing is left running",
              lambda o: o.status == 0 and o.out and "endless" not in o.out,
              vm.run("/plumb script -i /tmp/after.data -F comm"))


def with_spe(vm):
    """Adds a command to those of a machine with the stand-in for SPE, which plays its stream once."""
    set_unit(vm, repeat=1, burst=10, interval_us=100)
    vm.expect("explore --once samples by SPE",
              lambda o: o.status == 7 and is_found(o, runs=1) and
              "latency" in o.result()["findings"][0]["functions"]["basis"],
              vm.run(EXPLORE + "--once /counted"))
