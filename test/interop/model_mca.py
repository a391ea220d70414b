#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cycles per iteration of real loop bodies between the core model and llvm-mca.

    model_mca.py LOOP_CYCLES BENCH_MODEL BLOCKS [PROGRAM...]

BENCH_MODEL is the folder of mca.py, which has the criteria; `make bench-model` prints details.
BLOCKS are of the libraries; more than half of them are not bound by dispatch.
"""
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])

import mca  # noqa: E402
from tap import Skip, Tap  # noqa: E402

BLOCKS = int(sys.argv[3])
AT_LEAST, BOUND_AT_LEAST = BLOCKS // 3, BLOCKS // 15
MEDIAN, P90 = 2, 10  # percent

tap = Tap()
tap.skip_all(mca.lacking())


def judge(core, loop_cycles, programs):
    if not mca.tools(core):
        raise Skip(f"no llvm-mca that has {core}'s own costs")
    judging = mca.Judge(loop_cycles, core)
    figures = mca.compare(judging, blocks_of(programs))
    counting = [figure for figure in figures if mca.counts(figure)]
    # Where llvm-mca alone holds a port for longer, all that it tells is that ours is no slower; one
    # in ten may be, for a reason of its own.
    held = mca.held_in_mca(judging, counting)
    slower = [figure.block.place for figure in held
              if figure.ours > figure.theirs * (1 + P90 / 100)]
    if len(slower) * 10 > len(held):
        raise AssertionError(f"slower than llvm-mca with its M0 held: {' '.join(slower)}")
    counting = [figure for figure in counting if figure not in held]
    bound = [figure._replace(theirs=figure.limit) for figure in figures
             if not mca.counts(figure)]
    told = []
    if held:
        told.append(f"{len(held)} blocks left out, where llvm-mca holds M0 for longer; "
                    f"{len(slower)} of them are slower in ours")
    for what, some, at_least in (("where ports and latencies are the limit", counting, AT_LEAST),
                                 ("where dispatch is, against that", bound, BOUND_AT_LEAST)):
        number, median, p90 = mca.summary(some)
        told.append(f"{number} blocks {what}: median {median:.1f} %, 90th percentile {p90:.1f} %")
        if number < at_least or not median < MEDIAN or not p90 < P90:
            raise AssertionError(f"{told[-1]}; wanted: at least {at_least}, below {MEDIAN} %, "
                                 f"below {P90} %")
    return "\n# ".join(told)


chosen = []


def blocks_of(programs):
    if not chosen:
        chosen.extend(mca.choose(BLOCKS, programs))
    return chosen


@tap.test
def neoverse_n2(loop_cycles, programs):
    """Neoverse N2: cycles per iteration are close to those of an llvm-mca with its newer costs"""
    return judge("neoverse-n2", loop_cycles, programs)


@tap.test
def neoverse_n3(loop_cycles, programs):
    """Neoverse N3: cycles per iteration are close to those of an llvm-mca that knows its costs"""
    return judge("neoverse-n3", loop_cycles, programs)


@tap.test
def neoverse_v1(loop_cycles, programs):
    """Neoverse V1: cycles per iteration are close to llvm-mca's, with moves that take a pipe"""
    return judge("neoverse-v1", loop_cycles, programs)


@tap.test
def neoverse_v2(loop_cycles, programs):
    """Neoverse V2: cycles per iteration are close to llvm-mca's"""
    return judge("neoverse-v2", loop_cycles, programs)


@tap.test
def neoverse_v3(loop_cycles, programs):
    """Neoverse V3: cycles per iteration are close to those of an llvm-mca that knows its costs"""
    return judge("neoverse-v3", loop_cycles, programs)


tap.run(sys.argv[1], sys.argv[4:])
