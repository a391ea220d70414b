#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the model against what each kernel must do on paper.

Runs each kernel (test/kernels, built as NAME.CORE) under the model of its core. The diagnosis must
be exactly the one in NAME.json, as far as the core's tree goes. Each figure must be within 5 % of
the expected one, or within its bound. A figure made of events of a single core says so.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import LEVEL_1, Core, Kernel, kernel_arguments, stat  # noqa: E402
from tap import Skip, Tap  # noqa: E402

TOLERANCE = 0.05


def judge(figure, value, core):
    """Returns None if a value is as expected, else what is wrong with it."""
    if value is None:
        return f"{figure['figure']} has no value"
    if "equals" in figure:
        expected, what = core.value(figure["equals"]), figure["equals"]
        good = abs(value - expected) <= TOLERANCE * abs(expected)
    elif "at_most" in figure:
        expected, what = core.value(figure["at_most"]), "at most " + figure["at_most"]
        good = value <= expected
    else:
        expected, what = core.value(figure["at_least"]), "at least " + figure["at_least"]
        good = value >= expected
    if good:
        return None
    return f"{figure['figure']} is {value:.4g}, not {expected:.4g} ({what}): {figure['because']}"


def check_kernel(plumb, core, kernel):
    figures = [figure for figure in kernel.expected["figures"]
               if figure.get("only", kernel.core) == kernel.core]
    events = {name for figure in figures for name in re.findall(r"\b[A-Z]\w+", figure["figure"])}
    result = stat(plumb, kernel.core, [kernel.program], events)
    work = kernel.work()
    wrong = [judge(figure, result.value(figure["figure"], work=work), core)
             for figure in figures]
    path = [step for step in kernel.expected["path"]
            if step == "sharing" or step in result.metrics]
    if result.path != path:
        wrong.insert(0, f"diagnosed {' > '.join(result.path)}, not {' > '.join(path)}: "
                        f"{kernel.expected['why']}")
    total = sum(result.metrics[name] for name in LEVEL_1)
    if abs(total - 100) > 0.5:
        wrong.append(f"the metrics of level 1 sum to {total}")
    wrong = [what for what in wrong if what]
    ties = [tie["limits"] for tie in result.ties]
    if "ties" in kernel.expected and ties != kernel.expected["ties"]:
        wrong.append(f"ties {ties}, not {kernel.expected['ties']}")
    advice = kernel.expected.get("advice", result.advice)
    if result.advice != advice and path == kernel.expected["path"]:
        wrong.append(f"advised on {result.advice}, not on {advice}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{' > '.join(result.path)}; {len(figures)} figures"


def main(arguments):
    tap, cores = Tap(), {}
    absent = arguments.absent or engine.absent(arguments.plumb)
    for program in arguments.programs:
        kernel = Kernel(program, arguments.kernels)
        if kernel.core not in cores:
            cores[kernel.core] = Core(os.path.join(arguments.cores, kernel.core + ".json"))

        def test(kernel=kernel, core=cores[kernel.core]):
            if absent:
                raise Skip(absent)
            return check_kernel(arguments.plumb, core, kernel)
        test.__doc__ = f"{kernel.name} on {kernel.core}: diagnosis and figures"
        tap.test(test)
    tap.run()


if __name__ == "__main__":
    main(kernel_arguments(__doc__))
