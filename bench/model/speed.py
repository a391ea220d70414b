#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the model runs programs: guest instructions a second on one core, its slow-down against
bare qemu-aarch64, and those of valgrind's cachegrind and callgrind, on the same source built for
this machine, against no tool.

    speed.py PLUMB FOLDER PROGRAM...

FOLDER has PROGRAM.aarch64 and PROGRAM.native of each. Times are processor time, of all processes
that a run has, which other work on the machine disturbs less than the clock on the wall.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/interop"))
import engine  # noqa: E402

# What valgrind's tools that model caches are, as callgrind does only when asked.
GRINDS = [["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", "-q"],
          ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--cache-sim=yes",
           "--branch-sim=yes", "-q"]]
SHORT = 3  # runs of what is quick, of which the quickest counts

MIPS_WANTED, MIPS_GOAL, MIB_ALLOWED = 20, 50, 256


class Run:
    """One run of a command to its end: seconds, MiB at the most, what it printed."""

    def __init__(self, command, errors=None):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, stdout=output, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
            output.seek(0)
            self.printed = output.read()
        self.seconds = usage.ru_utime + usage.ru_stime
        self.mib = usage.ru_maxrss / 1024


def quickest(command):
    return min((Run(command) for _ in range(SHORT)), key=lambda run: run.seconds)


def under_model(plumb, program):
    """The run, and the instructions that the model retired."""
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts.json")
        run = Run([plumb, "stat", "--source", "model", "--json", "-o", counts, "--", program])
        with open(counts, encoding="utf-8") as file:
            events = json.load(file)["events"]
    return run, next(event["count"] for event in events if event["name"] == "INST_RETIRED")


def measure(plumb, folder, name):
    """Prints a program's row; returns its instructions, the model's seconds and MiB."""
    guest, native = (os.path.join(folder, f"{name}.{kind}") for kind in ("aarch64", "native"))
    model, instructions = under_model(plumb, guest)
    bare, alone = quickest([engine.find(plumb), guest]), quickest([native])
    row = (f"{name:<10} {instructions / 1e6:8.1f} {model.seconds:8.2f} "
           f"{instructions / model.seconds / 1e6:6.1f} {model.seconds / bare.seconds:7.1f} ")
    prints = [model.printed, bare.printed, alone.printed]
    for command in GRINDS:
        if shutil.which(command[0]):
            grind = Run([*command, native], subprocess.DEVNULL)
            prints.append(grind.printed)
            row += f"{grind.seconds / alone.seconds:12.1f}"
        else:
            row += f"{'-':>12}"
    if len(set(prints)) > 1:
        raise RuntimeError(f"{name} prints different things: {set(prints)}")
    print(f"{row} {model.mib:8.0f}", flush=True)
    return instructions, model.seconds, model.mib


def main(plumb, folder, *names):
    if engine.absent(plumb):
        print(f"speed: skipped, {engine.absent(plumb)}")
        return
    if not os.path.exists(os.path.join(folder, f"{names[0]}.aarch64")):
        print("speed: skipped, no programs: apt-get install gcc-aarch64-linux-gnu")
        return
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'':<10} {'million':>8} {'':>8} {'':>6} {'times':>7} {'cachegrind,':>12}"
          f"{'callgrind:':>12}\n{'program':<10} {'instr.':>8} {'seconds':>8} {'MIPS':>6} "
          f"{'qemu':>7} {'times':>12}{'native':>12} {'peak MiB':>8}")
    rows = [measure(plumb, folder, name) for name in names]
    mips = sum(row[0] for row in rows) / sum(row[1] for row in rows) / 1e6
    print(f"\nall: {mips:.1f} million instructions a second (at least {MIPS_WANTED} wanted, "
          f"{MIPS_GOAL} the goal), {max(row[2] for row in rows):.0f} MiB (at most {MIB_ALLOWED})")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
