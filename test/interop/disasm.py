#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares disassembly with the same LLVM's llvm-objdump, to the letter, and with binutils' objdump,
by address, bytes and branch target, over whole libraries and over random words.

    disasm.py DISASM_WORDS MODULE_DIR LLVM_OBJDUMP
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tap import Skip, Tap  # noqa: E402

LIBRARIES = ["libc.so.6", "libm.so.6", "libstdc++.so.6"]
FOLDERS = ["/usr/aarch64-linux-gnu/lib", "/usr/lib/aarch64-linux-gnu"]
BRANCHES = re.compile(r"(?:b|bl|b\.\w+|cbn?z|tbn?z)$")

tap = Tap()


def tools(module_dir, llvm_objdump):
    if not llvm_objdump:
        raise Skip("Plumb was built without LLVM")
    if not os.access(llvm_objdump, os.X_OK):
        raise Skip(f"{llvm_objdump} is missing")
    assert os.path.exists(os.path.join(module_dir, "plumb-llvm.so"))


def libraries():
    found = [path for name in LIBRARIES
             for path in [next((os.path.join(folder, name) for folder in FOLDERS
                                if os.path.exists(os.path.join(folder, name))), None)] if path]
    if not found:
        raise Skip("there are no libraries for AArch64")
    return found


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=True, **options)
    assert not done.stderr, done.stderr
    return done.stdout


def theirs(llvm_objdump, path):
    """What llvm-objdump prints, as (address, word, text, remark), without names of symbols."""
    command = [llvm_objdump, "-d", path]
    if os.path.realpath(llvm_objdump).split("llvm-")[1].startswith("14"):
        # Later versions have all extensions by default.
        command.append("--mattr=+v9.3a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+f32mm,"
                       "+f64mm,+sme,+sme-f64,+sme-i64,+mte,+aes,+sha2,+sha3,+sm4,+bf16,+i8mm,"
                       "+fullfp16,+fp16fml,+rand,+mops,+hbc,+tme,+predres,+sb,+ssbs,+wfxt,+xs,"
                       "+flagm,+altnzcv,+ls64,+brbe,+pauth,+rcpc-immo,+ccdp,+ccpp,+specrestrict,"
                       "+perfmon,+spe,+spe-eef,+ras,+lor,+pan,+pan-rwv,+uaops,+vh")
    for line in output(*command).splitlines():
        match = re.match(r"\s*([0-9a-f]+): ((?:[0-9a-f]{2} ){4}|[0-9a-f]{8})\s*\t(.*)$", line)
        if not match:
            continue
        word = match[2].replace(" ", "")
        if " " in match[2]:
            word = bytes.fromhex(word)[::-1].hex()
        text, _, remark = match[3].partition(" // ")
        yield match[1], word, re.sub(r" <[^>]*(>.*)?>$", "", text.rstrip()) \
            if not text.startswith("<unknown>") else "<unknown>", remark.strip()


def ours(program, module_dir, words):
    lines = output(program, module_dir, input="".join(f"{a} {w}\n" for a, w in words))
    for line in lines.splitlines():
        address, word, text = line.split("\t", 2)
        text, _, remark = text.partition(" // ")
        yield address, word, text, remark


def unpredictable(text):
    """Pairs into one register, and a base that is loaded too: what no assembler makes. LLVM's C
    interface rejects them as it rejects what is no instruction."""
    registers = re.findall(r"\b[wxsdq](\d+|zr|p)\b", text)
    return "[" in text and len(registers) != len(set(registers))


def compare(program, module_dir, listed):
    different = []
    for mine, other in zip(ours(program, module_dir, [row[:2] for row in listed]), listed,
                           strict=True):
        if mine != other and not (mine[2] == "<unknown>" and unpredictable(other[2])):
            different.append(f"ours {mine}, llvm-objdump's {other}")
    assert not different, f"{len(different)} differ:\n" + "\n".join(different[:40])


@tap.test
def llvm(program, module_dir, llvm_objdump):
    """Every instruction of whole libraries is printed as llvm-objdump prints it"""
    tools(module_dir, llvm_objdump)
    count = 0
    for path in libraries():
        listed = list(theirs(llvm_objdump, path))
        compare(program, module_dir, listed)
        count += len(listed)
    assert count > 10000, count
    return f"{count} instructions, by {output(llvm_objdump, '--version').split(chr(10))[0].strip()}"


@tap.test
def random_words(program, module_dir, llvm_objdump):
    """So are random words, SVE2 and SME among them"""
    tools(module_dir, llvm_objdump)
    assembler = shutil.which("aarch64-linux-gnu-as")
    if not assembler:
        raise Skip("there is no assembler for AArch64")
    dice = random.Random(20)
    words = [dice.getrandbits(32) for _ in range(60000)]
    # A word in eight is SVE's or SME's by chance; more of them.
    words += [dice.getrandbits(32) & ~0x1e000000 | 0x04000000 for _ in range(40000)]
    words += [dice.getrandbits(32) & ~0x9e000000 | 0x80000000 for _ in range(40000)]
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.o")
        subprocess.run([assembler, "-o", made], check=True, text=True,
                       input="".join(f".inst {word:#x}\n" for word in words))
        listed = list(theirs(llvm_objdump, made))
    assert len(listed) == len(words), (len(listed), len(words))
    compare(program, module_dir, listed)
    scalable = sum(bool(re.search(r"\b(z\d+|za\d*)\b", row[2])) for row in listed)
    assert scalable > 10000, scalable
    return f"{sum(row[2] != '<unknown>' for row in listed)} instructions, {scalable} of SVE or SME"


@tap.test
def binutils(program, module_dir, llvm_objdump):
    """objdump's branches lead to the same addresses"""
    tools(module_dir, llvm_objdump)
    objdump = shutil.which("aarch64-linux-gnu-objdump")
    if not objdump:
        raise Skip("there is no objdump for AArch64")
    count = branches = 0
    for path in libraries()[:2]:
        listed = []
        for line in output(objdump, "-d", path).splitlines():
            match = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\s*([^<]*)", line)
            if match:
                listed.append(match.groups())
        wrong = []
        for mine, other in zip(ours(program, module_dir, [row[:2] for row in listed]), listed,
                               strict=True):
            name = mine[2].split("\t")[0]
            assert bool(BRANCHES.match(name)) == bool(BRANCHES.match(other[2])), (mine, other)
            if BRANCHES.match(name):
                branches += 1
                if int(mine[2].split()[-1], 16) != int(other[3].split()[-1], 16):
                    wrong.append((mine, other))
        count += len(listed)
        assert not wrong, wrong[:5]
    assert branches > 2000, branches
    return f"{branches} branches among {count} instructions"


tap.run(*sys.argv[1:])
