#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests plumb on virtual machines with Arm PMUs, or none, and a real kernel. Prints TAP.

vm.py KERNEL PLUMB FOLDER

FOLDER has the guest's programs, which scripts/steps/vm compiles. QEMU's Neoverse N1 has six counters.
With one instruction per nanosecond it counts instructions exactly, and PMCEID shows that it counts
little else. If perf is installed, it reads the recordings.
"""

import os
import sys

import counting
import machine
import processors
import sampling
from programs import PROGRAMS


def main():
    kernel, plumb, folder = sys.argv[1:4]
    only = sys.argv[4:]
    files = {name: os.path.join(folder, name) for name in ("init", "with", *PROGRAMS)}
    files["plumb"] = plumb
    one = counting.script()
    finish = sampling.script(one)
    scripts = [one, processors.two(), processors.none()]
    scripts = [script for script in scripts if not only or script.name in only]
    started = []
    # All at once, for machines with several cores.
    for script in scripts:
        path = os.path.join(folder, script.name.replace(" ", "-"))
        machine.write_archive(path + ".cpio", files, script)
        started.append(machine.boot(kernel, path + ".cpio", script, path + ".console"))
    report = machine.Report()
    for script, process in zip(scripts, started):
        path = os.path.join(folder, script.name.replace(" ", "-"))
        report.judge(script, machine.wait(process, path + ".console"))
        if script is one:
            finish(report, folder)
    print(f"1..{report.points}")


main()
