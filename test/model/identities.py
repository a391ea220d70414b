#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the model's counts of programs against the document's identities and an independent count.

For each program, named NAME.CORE, checks that

  - what the Neoverse N3 document (109530) states about one event in terms of another is true;
  - branches, instructions, loads and stores agree exactly with an independent count
    (count_plugin.c; "%d" in its path is the version of QEMU's plugin interface);
  - a second run has the same counts.

If several threads share the work, each run distributes it differently, so only the first item is
checked.
"""
import argparse
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import LEVEL_1, run, stat  # noqa: E402
from tap import Skip, Tap  # noqa: E402

# (event, its sum, the place in the document or in the Arm architecture)
SUMS = [
    ("STALL_SLOT", "STALL_SLOT_FRONTEND + STALL_SLOT_BACKEND", "6.14"),
    ("STALL", "STALL_FRONTEND + STALL_BACKEND", "6.14"),
    ("OP_SPEC + STALL_SLOT", "slots * CPU_CYCLES", "3.1.1"),
    ("STALL_FRONTEND", "STALL_FRONTEND_CPUBOUND + STALL_FRONTEND_MEMBOUND", "3.1.2"),
    ("STALL_FRONTEND_MEMBOUND", "STALL_FRONTEND_L1I + STALL_FRONTEND_MEM + STALL_FRONTEND_TLB",
     "3.1.2"),
    ("STALL_BACKEND", "STALL_BACKEND_CPUBOUND + STALL_BACKEND_MEMBOUND", "3.1.3"),
    ("STALL_BACKEND_MEMBOUND", "STALL_BACKEND_L1D + STALL_BACKEND_MEM + STALL_BACKEND_TLB"
     " + STALL_BACKEND_ST", "3.1.3"),
    ("BR_RETIRED", "BR_PRED_RETIRED + BR_MIS_PRED_RETIRED", "6.10"),
    ("BR_RETIRED", "BR_IMMED_RETIRED + BR_IND_RETIRED", "6.10"),
    ("BR_IMMED_RETIRED", "BR_IMMED_PRED_RETIRED + BR_IMMED_MIS_PRED_RETIRED", "6.10"),
    ("BR_IND_RETIRED", "BR_IND_PRED_RETIRED + BR_IND_MIS_PRED_RETIRED", "6.10"),
    ("BR_IND_RETIRED", "BR_INDNR_TAKEN_RETIRED + BR_RETURN_RETIRED", "6.10"),
    ("BR_IND_PRED_RETIRED", "BR_INDNR_PRED_RETIRED + BR_RETURN_PRED_RETIRED", "6.10"),
    ("BR_IND_MIS_PRED_RETIRED", "BR_INDNR_MIS_PRED_RETIRED + BR_RETURN_MIS_PRED_RETIRED", "6.10"),
    ("BR_RETURN_RETIRED", "BR_RETURN_PRED_RETIRED + BR_RETURN_MIS_PRED_RETIRED", "6.10"),
    ("PC_WRITE_RETIRED", "BR_IMMED_TAKEN_RETIRED + BR_IND_RETIRED", "6.10"),
    ("MEM_ACCESS", "MEM_ACCESS_RD + MEM_ACCESS_WR", "6.9"),
    ("MEM_ACCESS", "L1D_CACHE", "3.3"),
    ("LDST_ALIGN_LAT", "LD_ALIGN_LAT + ST_ALIGN_LAT", "6.9"),
    ("L1D_CACHE_RW", "L1D_CACHE_RD + L1D_CACHE_WR", "6.4"),
    ("L1D_CACHE", "L1D_CACHE_RW", "6.4"),
    ("L1D_CACHE_REFILL", "L1D_CACHE_REFILL_INNER + L1D_CACHE_REFILL_OUTER", "6.4"),
    ("L1I_CACHE_LMISS", "L1I_CACHE_REFILL", "6.5"),
    ("L2I_CACHE", "L1I_CACHE_REFILL", "6.6"),
    ("L2I_CACHE_LMISS", "L2I_CACHE_REFILL", "6.6"),
    ("L2D_CACHE", "L2D_CACHE_RD + L2D_CACHE_WR + L2D_CACHE_PRF", "6.6"),
    ("L2D_CACHE_RW", "L2D_CACHE_RD + L2D_CACHE_WR", "6.6"),
    ("L2D_CACHE_REFILL", "L2D_CACHE_REFILL_RD + L2D_CACHE_REFILL_WR + L2D_CACHE_REFILL_PRF", "6.6"),
    ("L2D_CACHE_REFILL_WR", "0", "6.6"),
    ("L2D_CACHE_LMISS_RD", "L2D_CACHE_REFILL_RD", "6.6"),
    ("L3D_CACHE_LMISS_RD", "L3D_CACHE_REFILL", "6.7"),
    ("BUS_ACCESS", "BUS_ACCESS_RD + BUS_ACCESS_WR", "6.1"),
    ("BUS_CYCLES", "CPU_CYCLES", "6.1"),
    ("L2D_TLB_REFILL", "DTLB_WALK + ITLB_WALK", "6.16"),
    ("DTLB_WALK", "DTLB_WALK_LARGE + DTLB_WALK_SMALL", "6.16"),
    ("ITLB_WALK", "ITLB_WALK_LARGE + ITLB_WALK_SMALL", "6.16"),
]

# (event, event that it is a part of or never exceeds, the place in the document)
PARTS = [
    ("OP_RETIRED", "OP_SPEC", "6.10, 6.12"),
    ("INST_RETIRED", "INST_SPEC", "6.10, 6.12"),
    ("STALL", "CPU_CYCLES", "6.14"),
    ("slots * STALL_FRONTEND", "STALL_SLOT_FRONTEND", "6.14"),
    ("slots * STALL_BACKEND", "STALL_SLOT_BACKEND", "6.14"),
    ("STALL_FRONTEND_FLOW + STALL_FRONTEND_FLUSH", "STALL_FRONTEND_CPUBOUND", "3.1.2"),
    ("STALL_BACKEND_RENAME", "STALL_BACKEND_CPUBOUND", "6.14"),
    ("STALL_BACKEND_BUSY", "STALL_BACKEND", "6.14"),
    ("IMP_STALL_BACKEND_RENAME_GRF + IMP_STALL_BACKEND_RENAME_VRF + IMP_STALL_BACKEND_RENAME_FRF",
     "STALL_BACKEND_RENAME", "6.20"),
    ("IMP_STALL_BACKEND_IQ_SX + IMP_STALL_BACKEND_IQ_MX + IMP_STALL_BACKEND_IQ_LS"
     " + IMP_STALL_BACKEND_IQ_VX", "STALL_BACKEND_BUSY", "6.20"),
    ("IMP_STALL_BACKEND_MCQ", "STALL_BACKEND_CPUBOUND", "6.20"),
    ("BR_IMMED_TAKEN_RETIRED", "BR_IMMED_RETIRED", "6.10"),
    ("BR_RETIRED", "BR_PRED", "6.12"),
    ("BR_MIS_PRED_RETIRED", "BR_MIS_PRED", "6.12"),
    ("PC_WRITE_RETIRED", "PC_WRITE_SPEC", "6.12"),
    ("EXC_SVC", "EXC_TAKEN", "6.3"),
    ("L1D_CACHE_LMISS_RD", "L1D_CACHE_REFILL", "6.4"),
    ("L1D_CACHE_REFILL", "L1D_CACHE", "6.4"),
    ("L1D_CACHE_REFILL_HWPRF", "L1D_CACHE_HWPRF", "6.4"),
    ("L1I_CACHE_REFILL", "L1I_CACHE", "6.5"),
    ("L2I_CACHE_REFILL", "L2I_CACHE", "6.6"),
    ("L2I_CACHE_RD", "L2I_CACHE", "6.6"),
    ("L2D_CACHE_REFILL", "L2D_CACHE", "6.6"),
    ("L2D_CACHE_REFILL_RD", "L2D_CACHE_RD", "6.6"),
    ("L2D_CACHE_REFILL_PRF", "L2D_CACHE_PRF", "6.6"),
    ("L2D_CACHE_WB_VICTIM", "L2D_CACHE_WB", "6.6"),
    ("L1D_CACHE_WB", "L2D_CACHE_WR", "6.4"),
    ("L3D_CACHE_RD + L3D_CACHE_ALLOCATE", "L3D_CACHE", "6.7"),
    ("L3D_CACHE_MISS", "L3D_CACHE_REFILL", "6.7"),
    ("L3D_CACHE_REFILL", "L3D_CACHE", "6.7"),
    ("LL_CACHE_RD", "LL_CACHE", "6.8"),
    ("LL_CACHE_MISS", "LL_CACHE", "6.8"),
    ("LL_CACHE_MISS_RD", "LL_CACHE_MISS", "6.8"),
    ("LL_CACHE_MISS_RD", "LL_CACHE_RD", "6.8"),
    ("MEM_ACCESS", "L1D_TLB", "3.2"),
    ("L1D_TLB_REFILL", "L1D_TLB", "6.16"),
    ("L1I_TLB_REFILL", "L1I_TLB", "6.16"),
    ("L1D_TLB_REFILL + L1I_TLB_REFILL", "L2D_TLB", "6.16"),
    ("L2D_TLB_REFILL", "L2D_TLB", "6.16"),
    ("DTLB_WALK", "L1D_TLB_REFILL", "6.16"),
    ("ITLB_WALK", "L1I_TLB_REFILL", "6.16"),
    ("DTLB_WALK", "DTLB_STEP", "6.16"),
    ("ITLB_WALK", "ITLB_STEP", "6.16"),
    ("DTLB_STEP", "DTLB_WALK_PERCYC", "6.16"),
    ("ITLB_STEP", "ITLB_WALK_PERCYC", "6.16"),
    ("RC_LD_SPEC", "LD_SPEC", "6.12"),
    ("RC_ST_SPEC", "ST_SPEC", "6.12"),
    ("STREX_SPEC", "ST_SPEC", "6.12"),
    ("SVE_PRED_SPEC", "SVE_INST_SPEC", "6.17"),
    ("SVE_LDFF_SPEC", "SVE_INST_SPEC", "6.17"),
    ("ASE_SPEC", "INST_SPEC", "6.12"),
    ("DSB_SPEC", "DP_SPEC", "integer_dp_percentage"),
] + [(name, "INST_SPEC", "6.12") for name in
     ("LD_SPEC", "ST_SPEC", "DP_SPEC", "VFP_SPEC", "PC_WRITE_SPEC", "CRYPTO_SPEC", "ISB_SPEC",
      "DMB_SPEC", "BR_PRED", "SVE_INST_SPEC", "ASE_INST_SPEC", "FP_HP_SPEC", "FP_SP_SPEC",
      "FP_DP_SPEC")]

# (event, its name in the independent count)
EXACT = [
    ("INST_RETIRED", "instructions"),
    ("BR_IMMED_RETIRED", "branches_immediate"),
    ("BR_IMMED_TAKEN_RETIRED", "branches_immediate_taken"),
    ("BR_INDNR_TAKEN_RETIRED", "branches_indirect"),
    ("BR_RETURN_RETIRED", "branches_return"),
    ("EXC_SVC", "supervisor_calls"),
]
# (accesses of which those to a second line are no more the program's, the count's name)
ACCESSES = [
    ("MEM_ACCESS_RD - LD_ALIGN_LAT", "loads"),
    ("MEM_ACCESS_WR - ST_ALIGN_LAT", "stores"),
]

EVENTS = {name for rule in SUMS + PARTS + EXACT + ACCESSES
          for text in rule[:2] for name in re.findall(r"\b[A-Z]\w+", text)}


def check_identities(result):
    wrong = []
    for left, right, where in SUMS:
        a, b = (result.value(text, slots=result.slots) for text in (left, right))
        if a != b:
            wrong.append(f"{left} = {a} is not {right} = {b} ({where})")
    for part, whole, where in PARTS:
        a, b = (result.value(text, slots=result.slots) for text in (part, whole))
        if a > b:
            wrong.append(f"{part} = {a} is more than {whole} = {b} ({where})")
    total = sum(result.metrics[name] for name in LEVEL_1)
    if abs(total - 100) > 0.5:
        wrong.append(f"the metrics of level 1 sum to {total}")
    for name, value, units in result.valued:
        most = 100 if units.startswith("percent") else 1 if re.match("per .*access|per branch",
                                                                     units) else None
        if value < 0 or (most and value > most + 1e-9):
            wrong.append(f"{name} is {value} {units}")
    return wrong


def libraries(program, sysroot):
    """As plumb passes it where the machine has libraries of its own for the program's loader."""
    loader = "/lib/ld-linux-aarch64.so.1"
    with open(program, "rb") as file:
        dynamic = loader.encode() + b"\0" in file.read(4096)
    if not dynamic or not os.path.exists(loader) or \
            os.path.exists(os.path.join(sysroot, "etc/ld.so.cache")):
        return []
    return ["-E", "LD_LIBRARY_PATH=/lib:/usr/lib"]


def count(tools, program):
    """Returns the counts of the independent plugin, with QEMU started like the model does."""
    qemu = engine.find(tools.plumb)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        run([*engine.command(qemu, f"{tools.count_plugin},out={out}"),
             *(["-L", tools.sysroot, *libraries(program, tools.sysroot)] if tools.sysroot else []), program],
            # As plumb passes it, or the stack would begin elsewhere.
            {"_": program})
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def check_exactness(result, counts):
    wrong = []
    if counts["lost"]:
        wrong.append("the independent count is incomplete")
    for event, name in EXACT:
        if result.events[event] != counts[name]:
            wrong.append(f"{event} is {result.events[event]}, counted were {counts[name]} {name}")
    for accesses, name in ACCESSES:
        value, least = result.value(accesses), counts[name]
        if not least <= value <= least + counts[name + "_more"]:
            wrong.append(f"{accesses} is {value}, counted were {least} {name}, "
                         f"and {counts[name + '_more']} that may be")
    return wrong


def check_sameness(first, second):
    return [f"a second run counts {second.events[name]} {name}, the first {value}"
            for name, value in first.events.items() if second.events[name] != value]


def check_program(program, core, threads, tools):
    result = stat(tools.plumb, core, [program], EVENTS, tools.sysroot)
    wrong = check_identities(result)
    if not threads:
        wrong += check_sameness(result, stat(tools.plumb, core, [program], EVENTS, tools.sysroot))
    if wrong:
        raise AssertionError("\n".join(wrong))
    if not threads:
        wrong = check_exactness(result, count(tools, program))
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{result.events['INST_RETIRED']} instructions"


def main(arguments):
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    for program in arguments.programs:
        name, core = os.path.basename(program).rsplit(".", 1)
        threads = name in arguments.threads.split(",")

        def test(program=program, core=core, threads=threads):
            if absent:
                raise Skip(absent)
            return check_program(program, core, threads, arguments)
        test.__doc__ = f"{name}: identities" + ("" if threads else ", exact counts, the same twice")
        tap.test(test)
    tap.run()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("--threads", metavar="NAME,...", default="",
                        help="programs whose threads share the work")
    parser.add_argument("--sysroot", help="folder with the libraries of dynamic programs")
    for name in ("plumb", "count_plugin"):
        parser.add_argument(name)
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


if __name__ == "__main__":
    main(parse_arguments())
