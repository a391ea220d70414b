#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks plumb stat --what-if against what each kernel would gain on paper.

    what_if.py PLUMB CORES KERNELS PROGRAM...

Runs the kernels whose NAME.json has "what_if", under each engine there is. The cycles with a part
perfect must be within 5 % of the expected ones: a formula over the core's data for one unit of
work, in which `same` is a unit's cycles as it is. No part may cost a kernel without threads
more than 1 %, except as the kernel says.
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import Core, Kernel, evaluate, kernel_arguments, run  # noqa: E402
from tap import Skip, Tap  # noqa: E402

TOLERANCE = 0.05
LOSS = 0.01


def stat(plumb, path, kernel, options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        run([plumb, "stat", "--source", "model", "--cpu", kernel.core, "--qemu", path, "--json",
             "-o", out, *options, "--", kernel.program])
        with open(out, encoding="utf-8") as file:
            result = json.load(file)
    cycles = next(event["count"] for event in result["events"] if event["name"] == "CPU_CYCLES")
    return cycles, {row["name"]: row for row in result.get("what_if", [])}


def check_kernel(plumb, path, core, kernel):
    alone, _ = stat(plumb, path, kernel, [])
    cycles, rows = stat(plumb, path, kernel,
                        ["--what-if=" + ",".join(row["part"] for row in kernel.expected["what_if"])])
    work, wrong = kernel.work(), []
    if cycles != alone:
        wrong.append(f"{cycles} cycles with --what-if, {alone} without")
    for expected in kernel.expected["what_if"]:
        row = rows[expected["part"]]
        value = row["cycles"] / work
        formula = expected.get("equals") or expected["at_most"]
        paper = evaluate(formula, {**core.names, "same": cycles / work})
        if value > (1 + TOLERANCE) * paper or ("equals" in expected and
                                               value < (1 - TOLERANCE) * paper):
            wrong.append(f"{value:.4g} cycles with {expected['part']}, not {paper:.4g} "
                         f"({formula}): {expected['because']}")
    for name, row in rows.items():
        if abs(row["speedup"] * row["cycles"] - cycles) > 1e-6 * cycles:
            wrong.append(f"{name}: {row['speedup']} times {row['cycles']} is not {cycles}")
        if row["saved_cycles"] != cycles - row["cycles"]:
            wrong.append(f"{name}: {row['saved_cycles']} cycles saved")
        if row["cycles"] > (1 + LOSS) * cycles and not kernel.threads:
            wrong.append(f"{name} costs {row['cycles'] - cycles} of {cycles} cycles")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return ", ".join(f"{row['part']} {rows[row['part']]['speedup']:.2f}"
                     for row in kernel.expected["what_if"])


def main(arguments):
    tap, cores = Tap(), {}
    absent = arguments.absent or engine.absent(arguments.plumb)
    engines = {engine.version(path): path for path in
               reversed(list(engine.candidates(arguments.plumb)))} if not absent else {(0, 0): None}
    for program in arguments.programs:
        kernel = Kernel(program, arguments.kernels)
        if "what_if" not in kernel.expected:
            continue
        if kernel.core not in cores:
            cores[kernel.core] = Core(os.path.join(arguments.cores, kernel.core + ".json"))
        for version, path in sorted(engines.items()):
            def test(kernel=kernel, core=cores[kernel.core], path=path):
                if absent:
                    raise Skip(absent)
                return check_kernel(arguments.plumb, path, core, kernel)
            test.__doc__ = (f"{kernel.name} on {kernel.core}, QEMU {version[0]}.{version[1]}: "
                            "what it would gain")
            tap.test(test)
    tap.run()


if __name__ == "__main__":
    main(kernel_arguments(__doc__))
