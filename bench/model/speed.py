#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the model runs programs: guest instructions a second on one core, by each engine; its
slow-down against bare qemu-aarch64, and those of valgrind's cachegrind and callgrind, on the same
source built for this machine, against no tool.

    speed.py [--before PLUMB] [--packages FOLDER] PLUMB FOLDER [PROGRAM...]

FOLDER has PROGRAM.aarch64 and PROGRAM.native of each. --packages has Debian's programs, see
packages.py. --before is an older plumb, measured beside, with the oldest engine. Times are
processor time on one processor, of all processes that a run has, which other work on the machine
disturbs less than the clock on the wall. The last columns are by that clock, where the newest
engine and the model have one host thread and two (--host-threads).
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../test/interop")]
import engine  # noqa: E402
import packages  # noqa: E402

# What valgrind's tools that model caches are, as callgrind does only when asked.
GRINDS = [["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", "-q"],
          ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--cache-sim=yes",
           "--branch-sim=yes", "-q"]]
SHORT = 3  # runs of what is quick, of which the quickest counts

PROCESSORS = os.sched_getaffinity(0)

MIPS_WANTED, MIPS_GOAL, MIB_ALLOWED = 20, 50, 256


class Run:
    """One run of a command to its end: seconds, MiB at the most, what it printed."""

    def __init__(self, program, command, errors=None, libraries=None):
        environment = dict(os.environ, PYTHONHASHSEED="0")
        if libraries:
            environment["LD_LIBRARY_PATH"] = libraries
        with tempfile.TemporaryFile() as output, open(program.input, "rb") as given:
            begun = time.monotonic()
            process = subprocess.Popen(command, stdin=given, stdout=output, stderr=errors,
                                       env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            self.elapsed = time.monotonic() - begun
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise RuntimeError(f"{' '.join(command)}: status {process.returncode}")
            output.seek(0)
            self.printed = output.read()
        self.seconds = usage.ru_utime + usage.ru_stime
        self.mib = usage.ru_maxrss / 1024


class Program:
    """What runs: for arm64, and the same source for this machine."""

    def __init__(self, name, guest, native, sysroot=None, libraries=None, given=os.devnull):
        self.name, self.guest, self.native = name, guest, native
        self.input, self.libraries = given, libraries
        self.sysroot = ["-L", sysroot] if sysroot else []

    def modelled(self, plumb, qemu, *options):
        """The run, and the instructions that the model retired."""
        with tempfile.TemporaryDirectory() as folder:
            counts = os.path.join(folder, "counts.json")
            run = Run(self, [plumb, "stat", "--source", "model", "--qemu", qemu, *self.sysroot,
                             *options, "--json", "-o", counts, "--", *self.guest])
            with open(counts, encoding="utf-8") as file:
                events = json.load(file)["events"]
        return run, next(event["count"] for event in events if event["name"] == "INST_RETIRED")

    def bare(self, qemu):
        return min((Run(self, [qemu, *self.sysroot, *self.guest]) for _ in range(SHORT)),
                   key=lambda run: run.seconds)

    def alone(self):
        return min((Run(self, self.native, libraries=self.libraries) for _ in range(SHORT)),
                   key=lambda run: run.seconds)

    def ground(self, grind):
        return Run(self, [*grind, *self.native], subprocess.DEVNULL, self.libraries)


def own_programs(folder, names):
    for name in names:
        guest, native = (os.path.join(folder, f"{name}.{kind}") for kind in ("aarch64", "native"))
        yield Program(name, [guest], [native])


def packaged_programs(folder, inputs):
    arm64, native = (os.path.join(folder, kind) for kind in ("arm64", "native"))
    given = packages.make_inputs(inputs)
    for name, (place, arguments, source) in packages.PROGRAMS.items():
        yield Program(name, [packages.find(arm64, place), *arguments],
                      [packages.find(native, place), *arguments], arm64,
                      packages.libraries(native), given.get(source, os.devnull))


def engines(plumb):
    """The path of the first engine of each version, the oldest version first."""
    found = {}
    for path in engine.candidates(plumb):
        found.setdefault(engine.version(path), path)
    return [found[version] for version in sorted(found)]


class Row:
    """What is measured of a program."""

    def __init__(self, program, plumb, before, paths):
        runs = [program.modelled(plumb, path) for path in paths]
        bare, alone = program.bare(paths[0]), program.alone()
        prints = {bare.printed, alone.printed, *(run.printed for run, _ in runs)}
        self.name, self.instructions = program.name, runs[0][1]
        self.mips = [instructions / run.seconds / 1e6 for run, instructions in runs]
        self.mib = max(run.mib for run, _ in runs)
        self.times = [runs[0][0].seconds / bare.seconds, None, None, None]
        self.clock = [self.by_the_clock(program, plumb, paths[-1], threads) for threads in (1, 2)]
        self.gain = None
        if before:
            run, instructions = program.modelled(before, paths[0])
            prints.add(run.printed)
            self.times[1] = run.seconds / bare.seconds
            self.gain = self.mips[0] * 1e6 * run.seconds / instructions
        for place, grind in enumerate(GRINDS, 2):
            if shutil.which(grind[0]):
                run = program.ground(grind)
                prints.add(run.printed)
                self.times[place] = run.seconds / alone.seconds
        if len(prints) > 1:
            raise RuntimeError(f"{self.name} prints different things: {prints}")

    @staticmethod
    def by_the_clock(program, plumb, path, threads):
        """Million instructions a second of all processors that may be used; None if too few."""
        own = os.sched_getaffinity(0)
        if len(PROCESSORS) < threads:
            return None
        os.sched_setaffinity(0, PROCESSORS)
        try:
            run, instructions = program.modelled(plumb, path, "--host-threads", str(threads))
        finally:
            os.sched_setaffinity(0, own)
        return instructions / run.elapsed / 1e6

    def print(self):
        clock = " ".join(f"{'-' if mips is None else f'{mips:.1f}':>9}" for mips in self.clock)
        times = ["-" if value is None else f"{value:.1f}" for value in (*self.times, self.gain)]
        print(f"{self.name:<10} {self.instructions / 1e6:8.1f} "
              f"{' '.join(f'{mips:8.1f}' for mips in self.mips)} {times[0]:>8} {times[1]:>8} "
              f"{times[4]:>6} {times[2]:>11} {times[3]:>10} {self.mib:9.0f} {clock}", flush=True)


def print_head(paths):
    versions = ["QEMU {}.{}".format(*engine.version(path)) for path in paths]
    empty = " ".join(f"{'':>8}" for _ in paths[1:])
    print(f"{'':<10} {'million':>8} {'million/s, under':>8}{empty} {'times bare QEMU':>9} {'':>6} "
          f"{'times native':>22} {'most':>9} {'million/s elapsed':>19}\n"
          f"{'program':<10} {'instr.':>8} {' '.join(f'{version:>8}' for version in versions)} "
          f"{'now':>8} {'before':>8} {'faster':>6} {'cachegrind':>11} {'callgrind':>10} {'MiB':>9} "
          f"{'1 thread':>9} {'2 threads':>9}")


def main(arguments):
    absent = engine.absent(arguments.plumb)
    if absent:
        print(f"speed: skipped, {absent}")
        return
    if not all(os.path.exists(os.path.join(arguments.folder, f"{name}.aarch64"))
               for name in arguments.programs):
        print("speed: skipped, no programs: apt-get install gcc-aarch64-linux-gnu")
        return
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    paths = engines(arguments.plumb)
    print_head(paths)
    rows = []
    with tempfile.TemporaryDirectory() as inputs:
        programs = list(own_programs(arguments.folder, arguments.programs))
        if arguments.packages and os.path.isdir(os.path.join(arguments.packages, "native/usr")):
            programs += packaged_programs(arguments.packages, inputs)
        for program in programs:
            rows.append(Row(program, arguments.plumb, arguments.before, paths))
            rows[-1].print()
    print(f"\nload {os.getloadavg()[1]:.1f} on {len(PROCESSORS)} processors, over five minutes")
    slowest = min(rows, key=lambda row: min(row.mips))
    print(f"the slowest, {slowest.name}: {min(slowest.mips):.1f} million instructions a second "
          f"(at least {MIPS_WANTED} wanted, {MIPS_GOAL} the goal); "
          f"{max(row.mib for row in rows):.0f} MiB (at most {MIB_ALLOWED})")
    if arguments.before:
        mean = math.exp(sum(math.log(row.gain) for row in rows) / len(rows))
        print(f"{mean:.2f} times as fast as before on the geometric mean")


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    PARSER.add_argument("--before", metavar="PLUMB", help="an older plumb")
    PARSER.add_argument("--packages", metavar="FOLDER", help="Debian's programs, unpacked")
    PARSER.add_argument("plumb")
    PARSER.add_argument("folder")
    PARSER.add_argument("programs", nargs="*")
    main(PARSER.parse_args())
