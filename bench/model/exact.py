#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What exact profiles cost beside counting: processor time and elapsed time of `plumb record --exact`
by that of `plumb stat`, and whether the sums over all instructions are the counts.

    exact.py [--sysroot FOLDER] PLUMB EVENTS PROGRAM...

EVENTS is model/exact.def. A PROGRAM is an AArch64 program; as NAME.CORE it runs on that core, as
NAME.aarch64 or NAME on neoverse-n3. Threads run in the model's time, so those of a program count
the same in each run.

Each run that takes less than a second is repeated, in turn, and the quickest counts. A run takes 0.1 to 0.2 s
to start, so the ratio of shorter programs says little of longer ones: the last lines leave them out.
"""
import argparse
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "test", "model"))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "test", "interop"))
import exact  # noqa: E402
from modelled import stat  # noqa: E402

REPEATED, LONG = 5, 1.0
WANTED = 2.0


class Cost:
    """Processor time and elapsed time of a command, in seconds: the quickest of its runs; and what
    its largest process took, in MiB."""

    def __init__(self, command):
        self.command = command
        self.used = self.elapsed = float("inf")
        self.memory = 0

    def run(self):
        begun = time.monotonic()
        with subprocess.Popen(self.command, stdout=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.elapsed = min(self.elapsed, time.monotonic() - begun)
        if process.returncode < 0 or process.returncode > 125:
            raise RuntimeError(f"{' '.join(self.command)}: status {process.returncode}")
        self.used = min(self.used, usage.ru_utime + usage.ru_stime)
        self.memory = max(self.memory, usage.ru_maxrss / 1024)


def run_in_turn(costs):
    """Runs commands one after the other, as others on the machine take time from each of them."""
    for _ in range(REPEATED):
        for cost in costs:
            cost.run()
        if min(cost.used for cost in costs) > LONG:
            break


def core_of(program):
    """The name of a program, and the core that it runs on."""
    name, _, core = os.path.basename(program).partition(".")
    return name, core if "-" in core else "neoverse-n3"


def check(arguments, program, core):
    """What differs between the profile and the counts."""
    with tempfile.TemporaryDirectory() as folder:
        profile = exact.Profile(arguments.plumb, core, program, arguments.sysroot, folder)
    events = (set(exact.EVENTS) | set(exact.SUMS)) & exact.known_events(arguments.plumb, core)
    result = stat(arguments.plumb, core, [program], events, arguments.sysroot)
    wrong = exact.check_slots(profile, result.slots) + exact.check_sums(profile, result)
    return len(events), result.events["INST_RETIRED"], wrong


def measure(arguments, program):
    """Prints a program's row. Returns the processor time of both ways, and whether sums are equal."""
    name, core = core_of(program)
    model = ["--source", "model", "--cpu", core]
    if arguments.sysroot:
        model += ["-L", arguments.sysroot]
    counted = Cost([arguments.plumb, "stat", *model, "--json", "-o", "/dev/null", "--", program])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "exact.data")
        charged = Cost([arguments.plumb, "record", "--exact", "-q", *model, "-o", path, "--", program])
        run_in_turn([counted, charged])
        size = os.path.getsize(path)
    # In a process of its own: what it takes would count for the commands that come after it.
    with multiprocessing.get_context("fork").Pool(1) as pool:
        events, instructions, wrong = pool.apply(check, (arguments, program, core))
    print(f"{name:<24} {instructions / 1e6:9.2f} {counted.used:8.2f} {charged.used:8.2f} "
          f"{charged.used / counted.used:6.2f} {charged.elapsed / counted.elapsed:6.2f} "
          f"{counted.memory:6.0f} {charged.memory:6.0f} {size / 1024:9.0f} {events:6} {'no: ' + wrong[0] if wrong else 'equal'}", flush=True)
    return counted.used, charged.used, not wrong


def main(arguments):
    with open(arguments.events, encoding="utf-8") as file:
        exact.EVENTS = re.findall(r"^EXACT_EVENT\((\w+)\)", file.read(), re.MULTILINE)
    print(f"{'':<24} {'million':>9} {'processor time, s':>17} {'ratio of':>13} {'memory, MiB':>13} "
          f"{'recording':>9} {'':>6} sums and\n"
          f"{'program':<24} {'instr.':>9} {'stat':>8} {'exact':>8} {'time':>6} {'elapsd':>6} "
          f"{'stat':>6} {'exact':>6} {'KiB':>9} {'events':>6} counts")
    rows = [measure(arguments, program) for program in arguments.programs]
    long = [(counted, charged) for counted, charged, _ in rows if counted > LONG]
    slow = sum(charged > WANTED * counted for counted, charged in long)
    wrong = sum(not equal for _, _, equal in rows)
    if long:
        print(f"\n{len(long)} programs of more than {LONG:.0f} s: "
              f"{sum(charged for _, charged in long) / sum(counted for counted, _ in long):.2f} "
              f"times the processor time of stat; {slow} above {WANTED:.0f}")
    print(f"{len(rows) - wrong} of {len(rows)} have equal sums")
    return 1 if wrong else 0


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    PARSER.add_argument("--sysroot")
    PARSER.add_argument("plumb")
    PARSER.add_argument("events", help="model/exact.def")
    PARSER.add_argument("programs", nargs="+")
    sys.exit(main(PARSER.parse_args()))
