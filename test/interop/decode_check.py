# SPDX-License-Identifier: Apache-2.0
"""Compares the model's decoder with a disassembler, word by word."""
import re
import subprocess

import a64_text as a64


class Decoded:
    """One line of decode_words."""

    def __init__(self, line):
        (word, known, self.name, branch, target, memory, size, log2, kinds, self.fp_ops, sources,
         targets, address, written, governing, lane) = line.split()
        self.word = int(word, 16)
        self.known = known == "1"
        self.branch, self.target = int(branch), int(target)
        self.memory, self.size, self.log2 = int(memory, 16), int(size), int(log2)
        self.kinds, self.fp_ops = int(kinds, 16), int(self.fp_ops)
        self.sources = [] if sources == "-" else [int(reg) for reg in sources.split(",")]
        self.targets = [] if targets == "-" else [int(reg) for reg in targets.split(",")]
        self.address, self.written = int(address), int(written)
        self.governing, self.lane = int(governing), int(lane)


def decode(program, words):
    """The decoder's view of words, in order."""
    done = subprocess.run([program], input="".join(f"{word:x}\n" for word in words),
                          capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    if len(lines) != len(words):
        raise AssertionError(f"{len(lines)} answers to {len(words)} words")
    return [Decoded(line) for line in lines]


def names(registers):
    def name(reg):
        if reg < a64.SP:
            return f"x{reg}"
        fixed = {31: "sp", 80: "ffr", 81: "nzcv", 82: "fpcr", 83: "za", 84: "system"}
        return fixed.get(reg) or (f"v{reg - 32}" if reg < 64 else f"p{reg - 64}")
    return " ".join(name(reg) for reg in sorted(registers)) or "none"


def general(registers):
    return {reg for reg in registers if reg <= a64.SP}


def vectors(registers):
    return {reg for reg in registers if a64.V0 <= reg < a64.FFR}


COMPARED_MEMORY = (a64.LOAD | a64.STORE | a64.EXCLUSIVE | a64.ACQUIRE | a64.RELEASE | a64.ATOMIC |
                   a64.PREFETCH | a64.GATHER | a64.TAG | a64.COMPARE_SWAP | a64.FIRST_FAULT)
COMPARED_KINDS = sum(a64.KIND[name] for name in
                     ("LD ST DP ASE VFP CRYPTO PC_WRITE ISB DSB DMB RC_LD RC_ST STREX CAS SVE "
                      "ASE_INST LDFF").split())
SIZED_KINDS = sum(a64.KIND[name] for name in "FP_HP FP_SP FP_DP INT8 INT16 INT32 INT64".split())


def lane_of(text):
    """Log 2 of the bytes of the elements that the text's predicate governs; None: it does not say."""
    operands = " ".join(text.operands)
    if re.match("asr|cmp|lsl|lsr", text.mnemonic):
        operands = text.operands[0]  # the last may be a vector of wide elements
    elif re.fullmatch("[a-z]*mop[as]", text.mnemonic):
        operands = text.operands[-1]  # the first is ZA
    elif text.memory and text.mnemonic.startswith("prf"):
        vector = re.search(r"z\d+\.[sd]", operands)
        operands = vector[0] if vector else f"z0.{text.mnemonic[3]}".replace("w", "s")
    elif text.memory:
        operands = operands.split("[")[0]
    sizes = re.findall(r"\bz\w*\.([bhsdq])", operands) or re.findall(r"\bp\d+\.([bhsdq])", operands)
    return max(map("bhsdq".index, sizes), default=None)


def differences(ours, text):
    """Returns the differences between decoder and disassembly, as a list of sentences."""
    found = []

    def same(what, our, their):
        if our != their:
            found.append(f"{what}: ours {our}, the text's {their}")

    same("branch kind", ours.branch, text.branch)
    if text.target is not None:
        same("branch target", ours.target, text.target)
    same("memory", hex(ours.memory & COMPARED_MEMORY), hex(text.memory & COMPARED_MEMORY))
    if text.size is not None:
        same("bytes", ours.size, text.size)
    if text.kinds is None:
        if ours.kinds & a64.KIND["VFP"] and ours.kinds & a64.KIND["ASE"] or \
                not ours.kinds & (a64.KIND["VFP"] | a64.KIND["ASE"]):
            found.append(f"kinds: ours {ours.kinds:x}, neither VFP nor ASE alone")
    else:
        same("kinds", hex(ours.kinds & COMPARED_KINDS), hex(text.kinds & COMPARED_KINDS))
    if text.governing is not None:
        same("governing predicate", ours.governing, a64.P0 + text.governing)
    if ours.governing >= 0 and lane_of(text) is not None:
        same("governed elements", ours.lane, lane_of(text))
    reads, writes = set(ours.sources), set(ours.targets)
    same("general registers read", names(general(reads)), names(general(text.reads)))
    same("general registers written", names(general(writes)), names(general(text.writes)))
    same("flags written", a64.FLAGS in writes, text.flags_written)
    if text.flags_read:
        same("flags read", a64.FLAGS in reads, True)
    named = vectors(text.reads) | vectors(text.writes)
    same("vector and predicate registers", names(vectors(reads) | vectors(writes)), names(named))
    same("vector and predicate registers written", names(vectors(writes)),
         names(vectors(text.writes)))
    missing = vectors(text.reads) - vectors(reads)
    if missing:
        found.append(f"vector and predicate registers not read: {names(missing)}")
    extra = vectors(reads) - vectors(text.reads)
    first = vectors(a64.registers_of(text.operands[0])) if text.operands else set()
    if not text.memory and first - vectors(text.reads):
        updates = a64.VECTOR_UPDATES.match(text.mnemonic) or \
            any(operand.endswith("/m") for operand in text.operands[1:])
        if updates and not first <= reads:
            found.append(f"{names(first)} is not read although it is updated")
        if a64.VECTOR_REPLACES.match(text.mnemonic) and extra and not updates and \
                any(a64.registers_of(operand) for operand in text.operands[1:]):
            found.append(f"{names(extra)} is read although it is replaced")
    arithmetic = text.arithmetic()
    if arithmetic:
        same("element size", hex(ours.kinds & SIZED_KINDS), hex(arithmetic[0]))
        same("floating-point operations", ours.fp_ops, arithmetic[1])
    if text.address and not text.memory & a64.GATHER:
        base = ours.sources[len(ours.sources) - ours.address:][:1] if ours.address else []
        same("address base", base, text.address[:1])
    return found


class Comparison:
    """Collects the differences of many words; reports each mnemonic once."""

    def __init__(self):
        self.count = self.unparsed = self.wrong = 0
        self.unknown, self.examples = {}, {}

    # What binutils takes for an instruction although bits have values that they must not have:
    # name, mask, value, and bits of which one that is set is wrong; all, where the value alone is.
    LOOSE = (
        ("psel", 0xff20c000, 0x25204000, 0x0210),  # binutils 2.40
        ("mov", 0xff3f0000, 0xc0030000, 0x10000),  # a quadword bit but another size
        ("mov", 0xff3f0000, 0xc0010000, 0x10000),
        ("fml[as]l", 0xbf20fc00, 0x0e20ec00, 0x400000),  # binutils 2.44: doubles
        ("fml[as]l2", 0xbf20fc00, 0x2e20cc00, 0x400000),
        # Of bytes and halfwords.
        ("stilp|ldiapp|stlr|ldapr", 0xbf20ec00, 0x19000800, 0xffffffff),
        ("luti[24]", 0xfff82000, 0xc0982000, 0xffffffff),  # of words
    )

    def add(self, ours, text, pc=None):
        try:
            told = a64.Instruction(text, pc)
        except a64.Unparsed:
            self.unparsed += 1
            if not ours.known:
                self.unknown.setdefault(text.split()[0], (ours.word, text))
            return
        if any(ours.word & mask == value and ours.word & wrong and
               re.fullmatch(name, told.mnemonic) for name, mask, value, wrong in self.LOOSE):
            self.unparsed += 1
            return
        self.count += 1
        if not ours.known:
            self.unknown.setdefault(told.mnemonic, (ours.word, text))
            return
        for difference in differences(ours, told):
            self.wrong += 1
            key = (told.mnemonic, difference.split(":")[0])
            self.examples.setdefault(key, f"{ours.word:08x} {text.strip()}: {difference}")

    def done(self, at_least):
        told = [f"unknown: {word:08x} {text.strip()}" for word, text in self.unknown.values()]
        told += list(self.examples.values())
        if told:
            raise AssertionError("\n".join(told[:60]))
        if self.count < at_least:
            raise AssertionError(f"only {self.count} instructions, {at_least} are expected")
        return f"compared {self.count} different instructions"
