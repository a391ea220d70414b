#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the costs of instructions in the cores' data with LLVM's scheduling models.

    core_costs.py DECODE_WORDS CORES_FOLDER

Takes random forms of instructions. For each, compares the latency and the load on each port of its
class in model/cores with the tables of llvm-mca. Only classes whose source is LLVM's model must
agree. LLVM has default costs for some forms, so not all agree.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from class_costs import class_costs, same_loads  # noqa: E402
from decode_check import decode  # noqa: E402
from decode_llvm_words import disassemble, sample  # noqa: E402
from tap import Skip, Tap  # noqa: E402

LLVM_MCA = "llvm-mca-19"
FEATURES = ("+v9.2a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+bf16,+i8mm,+fullfp16,"
            "+fp16fml,+sha3,+sm4,+aes,+sha2,+mte,+pauth")
WORDS = 400000

tap = Tap()


def form(text):
    """Returns the text with registers and numbers replaced by placeholders."""
    text = re.sub(r"\b[wx]zr\b", "x1", text)
    text = re.sub(r"\b([wxbhsdqvzp])\d+\b", r"\1N", text)
    return re.sub(r"-?\b(0x[0-9a-f]+|\d+(\.\d+)?)\b", "I", text)


def forms(count):
    """Returns [(word, text)], one of each form."""
    words = sample(count)
    found = {}
    for word, text in disassemble(words, FEATURES).items():
        if not text.startswith("movprfx"):
            found.setdefault(form(text), (word, text.replace("\t", " ")))
    return list(found.values())


def llvm_costs(cpu, texts):
    """Returns {text: (latency, {port: load})} of those that the model knows."""
    if not shutil.which(LLVM_MCA):
        raise Skip(f"no {LLVM_MCA}: apt-get install llvm-19")
    while True:
        done = subprocess.run(
            [LLVM_MCA, "-mtriple=aarch64", f"-mcpu={cpu}", "-mattr=+all", "-instruction-tables",
             "-skip-unsupported-instructions=lack-sched", "-json"],
            input="\n".join(texts) + "\n", capture_output=True, text=True, check=False)
        wrong = {int(line) - 1 for line in re.findall(r"<stdin>:(\d+):\d+: error", done.stderr)}
        if not wrong:
            break
        texts = [text for line, text in enumerate(texts) if line not in wrong]
    told = json.loads(done.stdout)
    region = told["CodeRegions"][0]
    ports = []
    for name in told["TargetInfo"]["Resources"]:  # "N2UnitL01.\0": one of several alike
        unit, _, number = name.split("Unit")[1].partition(".")
        ports.append(unit.replace("L01", "L") + (str(ord(number)) if number else ""))
    loads = collections.defaultdict(dict)
    for use in region["ResourcePressureView"]["ResourcePressureInfo"]:
        loads[use["InstructionIndex"]][ports[use["ResourceIndex"]]] = use["ResourceUsage"]
    return {text.replace("\t", " ").strip(): (info["Latency"], loads[number])
            for number, (text, info) in enumerate(zip(
                region["Instructions"], region["InstructionInfoView"]["InstructionList"]))}


def compare(program, path, cpu):
    found = forms(WORDS)
    theirs = llvm_costs(cpu, [text for _, text in found])
    ours = class_costs(path)
    agreeing, latencies, all_of, none = 0, 0, 0, collections.Counter()
    by_class = collections.defaultdict(list)
    for (_, text), decoded in zip(found, decode(program, [word for word, _ in found])):
        cost = ours[decoded.name]
        latency, loads, from_llvm = cost.latency, cost.loads, cost.source == "llvm"
        if text not in theirs or not from_llvm:
            none[decoded.name] += 1
            continue
        all_of += 1
        latencies += latency == theirs[text][0]
        agrees = latency == theirs[text][0] and same_loads(loads, theirs[text][1])
        agreeing += agrees
        by_class[decoded.name].append((agrees, text))
    never = [f"{name}: {texts[0][1]}" for name, texts in by_class.items()
             if not any(agrees for agrees, _ in texts) and len(texts) > 2]
    remark = (f"{agreeing} of {all_of} forms cost the same on every port, {latencies} have the "
              f"same latency; {sum(none.values())} forms are not in LLVM's model, or our data "
              f"says where else it is from; in no form agree: {', '.join(never) or 'none'}")
    if all_of < 2500 or agreeing < 0.93 * all_of or latencies < 0.96 * all_of or len(never) > 6:
        raise AssertionError(remark)
    return remark


@tap.test
def neoverse_n2(program, folder):
    """Neoverse N2's costs are those of LLVM's model."""
    return compare(program, os.path.join(folder, "neoverse-n2.json"), "neoverse-n2")


@tap.test
def neoverse_v2(program, folder):
    """Neoverse V2's costs are those of LLVM's model."""
    return compare(program, os.path.join(folder, "neoverse-v2.json"), "neoverse-v2")


tap.run(*sys.argv[1:])
