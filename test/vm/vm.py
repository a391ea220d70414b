#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests plumb on virtual machines with Arm PMUs, or none, and a real kernel. Prints TAP.

vm.py KERNEL PLUMB FOLDER [MACHINE...]

FOLDER has the guest's programs, which scripts/steps/vm compiles, and, if they could be had, newer
kernels, the stand-in for SPE, and Debian's perf with its libraries. What one CPU counts and samples
must be the same with every kernel. QEMU's Neoverse N1 has six counters.
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
    kernel, plumb, folder = sys.argv[1:4]
    only = sys.argv[4:]
    files = {name: os.path.join(folder, name) for name in ("init", "with", *PROGRAMS)}
    files["plumb"] = plumb
    one = counting.script()
    finishes = {one.name: sampling.script(one)}
    scripts = [one, processors.two(), processors.none()]
    kernel_of = {}
    for age in ("newer", "newest"):
        path = os.path.join(folder, "vmlinuz-" + age)
        if os.path.exists(path):
            again = counting.script(f"one CPU, {age} kernel")
            finishes[again.name] = sampling.script(again)
            kernel_of[again.name] = path
            scripts.append(again)
    units = {}
    for age in ("", "-newest"):
        unit = spe.Unit(folder, age)
        if unit.is_built:
            scripts.append(spe.script(unit))
            units[scripts[-1].name] = unit
            kernel_of[scripts[-1].name] = os.path.join(folder, "vmlinuz" + age)
    scripts = [script for script in scripts if not only or script.name in only]
    started = []
    # All at once, for machines with several cores.
    for script in scripts:
        path = os.path.join(folder, script.name.replace(" ", "-"))
        unit = units.get(script.name)
        machine.write_archive(path + ".cpio", files | unit.files if unit else files, script,
                              unit.places if unit else machine.PLACES)
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
