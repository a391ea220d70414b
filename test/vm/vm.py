#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests plumb on virtual machines with Arm PMUs, or none, and a real kernel. Prints TAP.

vm.py KERNEL PLUMB PLUGIN FOLDER [MACHINE...]

FOLDER has the guest's programs, which scripts/steps/vm compiles, and, if they could be had, newer
kernels, the stand-in for SPE, and Debian's perf and QEMU with their libraries. PLUGIN is the model's
for that QEMU. What one CPU counts and samples
must be the same with every kernel. QEMU's Neoverse N1 has six counters.
With one instruction per nanosecond it counts instructions exactly, and PMCEID shows that it counts
little else. If perf is installed, it reads the recordings.
"""

import os
import sys

import branches
import calls
import counting
import exploring
import machine
import model
import processors
import sampling
import spe
from programs import PROGRAMS


def main():
    kernel, plumb, plugin, folder = sys.argv[1:5]
    only = sys.argv[5:]
    files = {name: os.path.join(folder, name) for name in ("init", "with", "reads", *PROGRAMS)}
    files["plumb"] = plumb
    files[exploring.SPEC] = exploring.write_spec(plumb, folder)
    one = counting.script()
    finishes = {one.name: sampling.script(one)}
    exploring.script(one)
    scripts = [one, processors.two(), processors.none()]
    kernel_of = {}
    for age in ("newer", "newest"):
        path = os.path.join(folder, "vmlinuz-" + age)
        if os.path.exists(path):
            again = counting.script(f"one CPU, {age} kernel")
            finishes[again.name] = sampling.script(again)
            kernel_of[again.name] = path
            scripts.append(again)
    added = {}
    engine = model.Engine(folder, plugin)
    if engine.exists:
        scripts.append(model.script())
        added[scripts[-1].name] = engine
    tools = calls.Tools(folder)
    if tools.exist:
        scripts.append(calls.script())
        added[scripts[-1].name] = tools
    for kind, age in ((spe, ""), (spe, "-newest"), (branches, ""), (branches, "-newest")):
        unit = kind.Unit(folder, age)
        if unit.is_built:
            scripts.append(kind.script(unit))
            if kind is spe:
                exploring.with_spe(scripts[-1])
            added[scripts[-1].name] = unit
            kernel_of[scripts[-1].name] = os.path.join(folder, "vmlinuz" + age)
    scripts = [script for script in scripts if not only or script.name in only]
    started = []
    # All at once, for machines with several cores.
    for script in scripts:
        path = os.path.join(folder, script.name.replace(" ", "-"))
        more = added.get(script.name)
        machine.write_archive(path + ".cpio", files | more.files if more else files, script,
                              more.places if more else machine.PLACES)
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
