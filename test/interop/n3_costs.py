#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what each form of instruction costs on Neoverse N3 with a table that we did not write.

    n3_costs.py DECODE_WORDS CORES_FOLDER

The table, neoverse-n3-costs.csv among the reference material, lists forms such as "ldr x,[x,x]" in
groups of equal cost. Each form is assembled with all kinds of operands that LLVM accepts. The class
that the model's decoder gives it must have the group's latency, load on each port, and latency to
an accumulator.
"""
import collections
import csv
import itertools
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from class_costs import class_costs, loads_of, same_loads  # noqa: E402
from decode_check import decode  # noqa: E402
from tap import Skip, Tap  # noqa: E402

LLVM_MC = "llvm-mc-19"
FEATURES = ("+v9.2a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+bf16,+i8mm,+fullfp16,"
            "+fp16fml,+sha3,+sm4,+aes,+sha2,+mte,+pauth,+f64mm,+sme")
LEAST = 3500  # forms

# Ports by the names that our data has: N3's table has groups of them.
UNITS = {"B": "B0 B1", "S": "S0 S1", "M": "M0 M1", "I": "S0 S1 M0 M1", "L": "L0 L1 L2",
         "L01": "L0 L1", "D": "D0 D1", "V": "V0 V1", "VL": "L0 L1 V0 V1"}

# Groups without a figure, by their notes.
NO_FIGURE = re.compile("placeholder|falls to the default vector cost|not among the instructions|"
                       "not in the model|not resolved")
# Groups whose figure ours is not, and why.
EXCEPTIONS = {
    "load_pair_sd_wb": "counts the base's update three times, and a load that the plain form lacks",
    "load_pair_q_wb": "counts the base's update three times",
    "store_pair_sd_wb": "counts the base's update twice",
    "store_pair_q_wb": "counts the base's update twice",
    "store_v_post": "counts the base's update twice",
    "store_v_pre_bhsd": "counts the base's update twice, and a cycle more",
    "store_v_pre_q": "counts the base's update twice",
    "exception_return": "no program executes it",
    "exception_return_auth": "no program executes it",
}

VECTORS = ["8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d"]
SIZES = ["b", "h", "s", "d"]
INTEGERS = [1, 2, 3, 8, 16, 90, 0x55, 0xff00, 0xffff0000, 0, 4, 6, 12, 24, 32, 48, 64]
FLOATS = ["1.0", "0.5", "2.0", "0.0", "90", "1", "3", "8"]
WORDS = {  # other operands
    "label": ["#64", "#4096"], "cond": ["eq", "lt"], "pattern": ["vl1", "pow2", "mul3"],
    "prfop": ["pldl1keep", "pstl1keep", "pldl2strm"], "op": ["pldkeep", "pstkeep", "ivau"],
    "ext": ["uxtb", "sxth", "uxtw", "sxtw", "uxtx", "sxtx"],
    "ext #imm": [f"{kind} #{by}" for kind in ("uxtb", "uxtw", "sxtw", "sxtx") for by in (1, 3, 4)],
    "shift #imm": [f"{kind} #{by}" for kind in ("lsl", "lsr", "asr", "ror") for by in (1, 7)],
    "msl #imm": ["msl #8", "msl #16"], "sysreg": ["tpidr_el0"], "pstate": ["dit", "ssbs"],
}

tap = Tap()


def operands_of(form):
    """Splits the operands of a form at commas that are not in brackets."""
    return re.findall(r"\[[^\]]*\]!?|\{[^}]*\}(?:\[i\])?|[^,\[{]+(?:\[i\])?",
                      form.partition(" ")[2])


def immediates(mnemonic):
    if mnemonic.startswith("f"):
        return [f"#{value}" for value in (FLOATS[:3] if mnemonic == "fmov" else FLOATS)]
    zero = mnemonic not in ("mov", "movi", "movz")  # those are other groups' forms
    return [f"#{value}" for value in INTEGERS if value or zero]


def shifts(kind, group):
    """Amounts of a shift: the form says the same of cheap and costly ones, the group does not."""
    amounts = [0, 1, 8, 12, 16, 48]
    if group.startswith("int_add_reg"):
        amounts = [0, 1, 4]
    elif group.startswith("int_add_shifted"):
        amounts = [5, 9, 31]
    elif group.startswith("int_add_extended"):
        amounts = [1, 4]
    return [f"{kind} #{amount}" for amount in amounts]


def addresses(operand):
    inner, written = re.fullmatch(r"\[(.*)\](!?)", operand).groups()
    parts = []
    for i, part in enumerate(inner.split(",")):
        if part in ("x", "w"):
            parts.append([f"{part}{10 + i}"])
        elif part == "z":
            parts.append([f"z{20 + i}.s", f"z{20 + i}.d"])
        elif re.fullmatch(r"z\.\w", part):
            parts.append([f"z{20 + i}.{part[2]}"])
        elif "#imm" in part:
            amounts = (0, 1, 2, 3, 4) if part != "#imm" else (0, 1, 2, 3, 4, 8, 16, 32, 48, 64)
            parts.append([part.replace("imm", str(amount)) for amount in amounts])
        else:
            parts.append([part])
    return ["[" + ", ".join(chosen) + "]" + written for chosen in itertools.product(*parts)]


def lists(operand):
    count, file, size, lane = re.fullmatch(r"\{(?:(\d)\*)?([zv])(?:\.(\w+))?\}(\[i\])?",
                                           operand).groups()
    sizes = [size] if size else SIZES if file == "z" or lane else ["16b"]
    return ["{" + ", ".join(f"{file}{4 + i}.{size}" for i in range(int(count or 1))) + "}" +
            ("[1]" if lane else "") for size in sizes]


def registers(operand, number, group):
    """What a register operand may be; None if it is something else."""
    if operand in ("w", "x", "b", "h", "s", "d", "q"):
        return [f"{operand}{number}"]
    if operand in ("v", "z", "p"):
        sizes = VECTORS if operand == "v" else SIZES
        if group == "asimd_zero_renamed":
            sizes = ["2d"]
        return [f"{operand}{number}.{size}" for size in sizes] + \
            ([f"{operand}{number}"] if operand != "v" else [])
    if operand in ("p/z", "p/m"):
        return [f"p{number}/{operand[-1]}"]
    if operand in ("v[i]", "z[i]"):
        return [f"{operand[0]}{number}.{size}[1]" for size in ("b", "h", "s", "d", "q", "2h", "4b")]
    match = re.fullmatch(r"([vz])\.(\w+)(\[i\])?", operand)
    if match:
        return [f"{match[1]}{number}.{match[2]}" + ("[1]" if match[3] else "")]
    return None


def choices(operand, number, mnemonic, group):
    if operand == "#imm":
        return immediates(mnemonic)
    if operand in ("lsl #imm", "lsr #imm", "asr #imm"):
        return shifts(operand[:3], group)
    if operand.startswith("["):
        return addresses(operand)
    if operand.startswith("{"):
        return lists(operand)
    return registers(operand, number, group) or WORDS.get(operand, [operand])


def with_stack_pointer(text):
    """An addition as LLVM encodes it only with the stack pointer: with an extended register."""
    def name(match):
        return f"{match[1]} {match[2]}{'wsp' if match[3] == 'w' else 'sp'}"

    if re.match(r"(add|sub) ", text):
        return re.sub(r"^(\w+) ()([wx])1\b", name, text)
    if re.match(r"cm[np] ", text):
        return re.sub(r"^(\w+) ()([wx])1\b", name, text)
    return re.sub(r"^(\w+) ([wx]1, )([wx])2\b", name, text)


def texts_of(form, group, same, sized):
    """Assembly that a form may stand for. `same`: all registers of a file are one, as some forms
    want it. `sized`: operands without a size are all of one."""
    mnemonic = form.partition(" ")[0].replace("b.cond", "b.eq")
    operands = operands_of(form)
    each = [choices(operand, 1 if same else i + 1, mnemonic, group)
            for i, operand in enumerate(operands)]
    for chosen in itertools.product(*each):
        sizes = {text.split(".")[1].removesuffix("[1]") for operand, text in zip(operands, chosen)
                 if operand in ("v", "z", "p", "z[i]") and "." in text}
        if sized and len(sizes) > 1:
            continue
        text = f"{mnemonic} {', '.join(chosen)}"
        if group.startswith("int_add_extended") and "ext" not in form and \
                operands[:3] in (["w"] * 3, ["x"] * 3, ["w"] * 2, ["x"] * 2,
                                 ["w", "w", "lsl #imm"], ["x", "x", "lsl #imm"]):
            text = with_stack_pointer(text)
        yield text


def assemble(texts):
    """{text: word} of those that LLVM accepts."""
    done = subprocess.run([LLVM_MC, "-triple=aarch64", f"-mattr={FEATURES}", "--show-encoding"],
                          input="\n".join(texts) + "\n", capture_output=True, text=True,
                          check=False)
    wrong = {int(line) - 1 for line in re.findall(r"<stdin>:(\d+):\d+: error", done.stderr)}
    right = [text for line, text in enumerate(texts) if line not in wrong]
    encodings = re.findall(r"encoding: \[([^\]]*)\]", done.stdout)
    if len(encodings) != len(right):
        raise AssertionError(f"{len(encodings)} encodings of {len(right)} instructions")
    return {text: int.from_bytes(bytes(int(byte, 16) for byte in encoding.split(",")), "little")
            for text, encoding in zip(right, encodings) if "'" not in encoding}


def assemble_forms(forms):
    """{(group, form): {text: word}}"""
    found = {}
    for same, sized in ((False, True), (True, True), (False, False), (True, False)):
        texts = [(text, key) for key in forms if key not in found
                 for text in texts_of(key[1], key[0], same, sized)]
        words = assemble([text for text, _ in texts])
        for text, key in texts:
            if text in words:
                found.setdefault(key, {})[text] = words[text]
    for key, words in found.items():
        # A shift by nothing is written only where there is no other, for bytes.
        shifted = {text: word for text, word in words.items()
                   if not re.search(r"(lsl|xtw|xtx) #0\]", text)}
        if "#imm]" in key[1] and shifted:
            found[key] = shifted
    return found


def read_table():
    path = os.path.join(os.environ.get("PLUMB_REFERENCE", ""), "neoverse-n3-costs.csv")
    if not os.path.exists(path):
        raise Skip("no neoverse-n3-costs.csv among the reference material")
    if not shutil.which(LLVM_MC):
        raise Skip(f"no {LLVM_MC}: apt-get install llvm-19")
    with open(path, encoding="utf-8") as file:
        return {row["group"]: row for row in
                csv.DictReader(line for line in file if not line.startswith("#"))}


def differences(row, cost):
    """What of a class's cost is not what the row of the table says."""
    parts = re.sub(r"\b(\d+)x", r"\1*", row["pipelines"])
    latency = int(row["latency_cycles"])
    if cost.latency != latency:
        yield f"latency {cost.latency}, not {latency}"
    if not same_loads(cost.loads, loads_of(parts, UNITS)):
        yield f"ports {cost.loads}, not {row['pipelines'] or 'none'}"
    late = re.search(r"accumulator: (\d+) cycle|(\d+) cycles? to the running value", row["notes"])
    if late and cost.accumulator != int(late[1] or late[2]):
        yield f"accumulator {cost.accumulator}, not {late[1] or late[2]}"


@tap.test
def every_form(program, folder):
    """Neoverse N3: every form of instruction costs what the table says"""
    table = read_table()
    forms = [(group, form) for group, row in table.items()
             if row["latency_cycles"] and not NO_FIGURE.search(row["notes"])
             for form in row["mnemonics"].split("; ")]
    found = assemble_forms(forms)
    words = [(group, text, word) for (group, _), texts in found.items()
             for text, word in texts.items()]
    costs = class_costs(os.path.join(folder, "neoverse-n3.json"))
    wrong, used = [], collections.Counter()
    for (group, text, _), decoded in zip(words, decode(program, [word for *_, word in words])):
        found_wrong = [] if decoded.known else ["unknown to the decoder"]
        found_wrong += differences(table[group], costs[decoded.name])
        if found_wrong and group in EXCEPTIONS:
            used[group] += 1
        elif found_wrong:
            wrong.append(f"{text} ({group}, {decoded.name}): {'; '.join(found_wrong)}")
    if wrong:
        raise AssertionError("\n".join(wrong[:20]))
    idle = set(EXCEPTIONS) - set(used)
    if idle:
        raise AssertionError(f"no exceptions any more: {', '.join(sorted(idle))}")
    if len(found) < LEAST:
        raise AssertionError(f"only {len(found)} of {len(forms)} forms could be assembled")
    return (f"{len(found)} of {len(forms)} forms, {len(words)} instructions; all cost the same "
            f"but for {len(used)} of {len(table)} groups, whose reasons are listed")


tap.run(*sys.argv[1:])
