#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests plumb on virtual machines with Arm PMUs, or none, and a real kernel. Prints TAP.

vm.py KERNEL PLUMB FOLDER [MACHINE...]

KERNEL is one, or two with a comma between them: what one CPU counts and samples must be the same with
the second, a newer one.

FOLDER has the guest's programs, which scripts/steps/vm compiles, and the stand-in for SPE and Debian's
perf with its libraries, if they could be had. QEMU's Neoverse N1 has six counters.
With one instruction per nanosecond it counts instructions exactly, and PMCEID shows that it counts
little else. If perf is installed, it reads the recordings.
"""

import os
import sys

import counting
import machine
import processors
import sampling
import spe
from programs import PROGRAMS


def main():
    kernels, plumb, folder = sys.argv[1:4]
    kernel, *newer = kernels.split(",")
    only = sys.argv[4:]
    files = {name: os.path.join(folder, name) for name in ("init", "with", *PROGRAMS)}
    files["plumb"] = plumb
    one = counting.script()
    finishes = {one.name: sampling.script(one)}
    scripts = [one, processors.two(), processors.none()]
    kernel_of = {}
    if newer:
        again = counting.script("one CPU, newer kernel")
        finishes[again.name] = sampling.script(again)
        kernel_of[again.name] = newer[0]
        scripts.append(again)
    perf = os.path.join(folder, "perf", "usr/bin/perf")
    places = [os.path.join(folder, "perf", place.lstrip("/")) for place in machine.PLACES]
    places += machine.PLACES
    has_perf = spe.runs(perf, places)
    if spe.is_built(folder):
        with open(os.path.join(folder, "stream"), "rb") as stream:
            scripts.append(spe.script(stream.read(), has_perf))
        files["spe_unit.ko"] = os.path.join(folder, "spe_unit.ko")
        files["stream"] = os.path.join(folder, "stream")
    scripts = [script for script in scripts if not only or script.name in only]
    started = []
    # All at once, for machines with several cores.
    for script in scripts:
        path = os.path.join(folder, script.name.replace(" ", "-"))
        wanted = dict(files)
        if script.name == "SPE stand-in" and has_perf:
            wanted["perf"] = perf
        machine.write_archive(path + ".cpio", wanted, script, places)
        started.append(machine.boot(kernel_of.get(script.name, kernel), path + ".cpio", script,
                                    path + ".console"))
    report = machine.Report()
    for script, process in zip(scripts, started):
        path = os.path.join(folder, script.name.replace(" ", "-"))
        report.judge(script, machine.wait(process, path + ".console"))
        if script.name in finishes:
            finishes[script.name](report, folder)
    print(f"1..{report.points}")


main()
