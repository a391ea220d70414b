#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the costs of instructions in the cores' data with LLVM's scheduling models.

    core_costs.py DECODE_WORDS CORES_FOLDER

Takes random forms of instructions. For each, compares the latency and the load on each port of its
class in model/cores with the tables of llvm-mca. Only classes whose source is LLVM's model must
agree; those whose source is a newer LLVM's, as all of V1 are, are compared with that. LLVM has default
costs for some forms, so not all agree.
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

LLVM = 19
NEWER = range(40, 21, -1)  # versions with what the cores' data calls LLVM 22's
FEATURES = ("+v9.2a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+bf16,+i8mm,+fullfp16,"
            "+fp16fml,+sha3,+sm4,+aes,+sha2,+mte,+pauth")
# What V1 implements.
FEATURES_V1 = "+v8.4a,+sve,+bf16,+i8mm,+fullfp16,+fp16fml,+dotprod,+sha3,+sm4,+aes,+sha2,+rand"
# What N1 implements.
FEATURES_N1 = "+v8.2a,+fullfp16,+dotprod,+aes,+sha2,+rcpc,+crc,+lse"
WORDS = 400000
# Forms whose costs in LLVM the model does not follow: {core: {class: (pattern, reason)}}.
EXCEPTIONS = {
    # Random words are mostly of these, since they have a number of six bits.
    "neoverse-v1": {"FP_TO_INT": (r", #\d+$", "LLVM lets a second pipe convert to fixed point; to "
                                  "an integer, LLVM has one, as measured on Graviton3, and the "
                                  "model has one class for both")},
}
Least = collections.namedtuple("Least", "forms costs latencies never")
LEAST = Least(forms=2500, costs=0.93, latencies=0.96, never=6)

tap = Tap()


def form(text):
    """Returns the text with registers and numbers replaced by placeholders."""
    text = re.sub(r"\b[wx]zr\b", "x1", text)
    text = re.sub(r"\b([wxbhsdqvzp])\d+\b", r"\1N", text)
    return re.sub(r"-?\b(0x[0-9a-f]+|\d+(\.\d+)?)\b", "I", text)


def forms(count, features=FEATURES):
    """Returns [(word, text)], one of each form."""
    words = sample(count)
    found = {}
    for word, text in disassemble(words, features).items():
        if not text.startswith("movprfx"):
            found.setdefault(form(text), (word, text.replace("\t", " ")))
    return list(found.values())


def newest():
    """Returns the newest LLVM that there is and that is new enough."""
    for version in NEWER:
        if shutil.which(f"llvm-mca-{version}"):
            return version
    raise Skip(f"no llvm-mca-{NEWER[-1]} or newer: apt-get install llvm-{NEWER[-1]}")


# What V1's three writers of flags are in LLVM; the model lets three ports do what sets flags.
FLAGS = "Flg"
# Units of which there is one, which LLVM does not number.
SINGLE = {"neoverse-n1": {"B": "B0", "M": "M0"}}
# Ports that the core's data calls otherwise.
RENAMED = {"neoverse-v3": {"LS0": "L0", "L120": "L1", "L121": "L2"}}


def llvm_costs(version, cpu, texts):
    """Returns {text: (latency, {port: load})} of those that the model knows."""
    mca = f"llvm-mca-{version}"
    if not shutil.which(mca):
        raise Skip(f"no {mca}: apt-get install llvm-{version}")
    while True:
        done = subprocess.run(
            [mca, "-mtriple=aarch64", f"-mcpu={cpu}", "-mattr=+all", "-instruction-tables",
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
        unit = SINGLE.get(cpu, {}).get(unit, unit)
        port = unit.replace("L01", "L") + (str(ord(number)) if number else "")
        ports.append(RENAMED.get(cpu, {}).get(port, port))
    loads = collections.defaultdict(dict)
    for use in region["ResourcePressureView"]["ResourcePressureInfo"]:
        if not ports[use["ResourceIndex"]].startswith(FLAGS):
            loads[use["InstructionIndex"]][ports[use["ResourceIndex"]]] = use["ResourceUsage"]
    return {text.replace("\t", " ").strip(): (info["Latency"], loads[number])
            for number, (text, info) in enumerate(zip(
                region["Instructions"], region["InstructionInfoView"]["InstructionList"]))}


def compare(program, path, cpu, features=FEATURES, least=LEAST, version=LLVM):
    found = forms(WORDS, features)
    theirs = llvm_costs(version, cpu, [text for _, text in found])
    ours = class_costs(path)
    agreeing, latencies, all_of, none = 0, 0, 0, collections.Counter()
    by_class = collections.defaultdict(list)
    exceptions = {name: [] for name in EXCEPTIONS.get(cpu, {})}
    for (_, text), decoded in zip(found, decode(program, [word for word, _ in found])):
        cost = ours[decoded.name]
        latency, loads, from_llvm = cost.latency, cost.loads, cost.source == "llvm"
        if text not in theirs or not from_llvm:
            none[decoded.name] += 1
            continue
        if decoded.name in exceptions and re.search(EXCEPTIONS[cpu][decoded.name][0], text):
            exceptions[decoded.name].append(same_loads(loads, theirs[text][1]))
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
    for name, same in exceptions.items():
        remark += f"; without {len(same)} forms of {name}: {EXCEPTIONS[cpu][name][1]}"
        if not same or any(same):
            raise AssertionError(f"{name} is no exception: {sum(same)} of {len(same)} forms agree")
    if (all_of < least.forms or agreeing < least.costs * all_of or
            latencies < least.latencies * all_of or len(never) > least.never):
        raise AssertionError(remark)
    return remark


# Forms that LLVM 19 has at other costs, and that random words seldom are.
NEWER_FORMS = """
    mov x1, x2; mov w1, w2; mov x1, #0; mov w1, #0; mov x1, xzr; mov w1, wzr
    ror x1, x2, #3; ror w1, w2, #3
    ldp x1, x2, [x3]; ldp x1, x2, [x3, #16]; ldp x1, x2, [x3], #16; ldnp x1, x2, [x3]
    fmov d1, xzr; fmov s1, wzr; fmov h1, wzr; movi d1, #0; movi v1.2d, #0
    """


def encoded(texts):
    """Returns the words of instructions."""
    done = subprocess.run([f"llvm-mc-{LLVM}", "-triple=aarch64", "-mattr=+all", "-show-encoding"],
                          input="\n".join(texts) + "\n", capture_output=True, text=True, check=True)
    return [int("".join(reversed(octets.replace("0x", "").split(","))), 16)
            for octets in re.findall(r"encoding: \[([^\]]*)\]", done.stdout)]


@tap.test
def neoverse_n2_newer(program, folder):
    """Neoverse N2's costs that are a newer LLVM's are those of that model."""
    texts = [text.strip() for line in NEWER_FORMS.strip().split("\n") for text in line.split(";")]
    theirs = list(llvm_costs(newest(), "neoverse-n2", texts).values())
    ours = class_costs(os.path.join(folder, "neoverse-n2.json"))
    checked = set()
    for text, word, (latency, loads) in zip(texts, encoded(texts), theirs):
        name = decode(program, [word])[0].name
        cost = ours[name]
        checked.add(name)
        if cost.source != "llvm22" or cost.latency != latency or not same_loads(cost.loads, loads):
            raise AssertionError(f"{text}: {name} costs {cost}, and there {latency}, {loads}")
    missing = {name for name, cost in ours.items()
               if cost.source == "llvm22" and not name.endswith("_WB")} - checked
    if len(theirs) != len(texts) or missing:
        raise AssertionError(f"{len(theirs)} of {len(texts)} forms; without any: {missing}")
    return f"{len(texts)} forms"


@tap.test
def neoverse_v1_to_integers(program, folder):
    """Neoverse V1 converts to integers in general registers as often as in a newer LLVM's model."""
    texts = [f"fcvt{rounding}{sign} {to}1, {of}2" for rounding in "amnpz" for sign in "su"
             for to in "xw" for of in "hsd"]
    theirs = list(llvm_costs(newest(), "neoverse-v1", texts).values())
    ours = class_costs(os.path.join(folder, "neoverse-v1.json"))
    for text, decoded, (latency, loads) in zip(texts, decode(program, encoded(texts)), theirs):
        cost = ours[decoded.name]
        if cost.latency != latency or not same_loads(cost.loads, loads):
            raise AssertionError(f"{text}: costs {cost}, and there {latency}, {loads}")
    if len(theirs) != len(texts):
        raise AssertionError(f"{len(theirs)} of {len(texts)} forms")
    return f"{len(texts)} forms"


@tap.test
def neoverse_n1(program, folder):
    """Neoverse N1's costs are those of LLVM's model, where its classes are as fine as that."""
    return compare(program, os.path.join(folder, "neoverse-n1.json"), "neoverse-n1", FEATURES_N1,
                   Least(forms=2500, costs=0.9, latencies=0.94, never=6))


@tap.test
def neoverse_n2(program, folder):
    """Neoverse N2's costs are those of LLVM's model."""
    return compare(program, os.path.join(folder, "neoverse-n2.json"), "neoverse-n2")


@tap.test
def neoverse_v1(program, folder):
    """Neoverse V1's costs are those of a newer LLVM's model."""
    return compare(program, os.path.join(folder, "neoverse-v1.json"), "neoverse-v1", FEATURES_V1,
                   Least(forms=4500, costs=0.94, latencies=0.97, never=14), newest())


@tap.test
def neoverse_v2(program, folder):
    """Neoverse V2's costs are those of LLVM's model."""
    return compare(program, os.path.join(folder, "neoverse-v2.json"), "neoverse-v2")


@tap.test
def neoverse_v3(program, folder):
    """Neoverse V3's costs are those of a newer LLVM's model. Its four writers of flags are ports."""
    return compare(program, os.path.join(folder, "neoverse-v3.json"), "neoverse-v3",
                   least=Least(forms=2500, costs=0.93, latencies=0.98, never=8), version=newest())


tap.run(*sys.argv[1:])
