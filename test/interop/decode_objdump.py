#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the decoder with binutils on every instruction of Debian's arm64 libraries, and on random
words.

    decode_objdump.py DECODE_WORDS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from decode_check import Comparison, decode  # noqa: E402
from decode_llvm_words import sample  # noqa: E402
from tap import Skip, Tap  # noqa: E402

OBJDUMP = "aarch64-linux-gnu-objdump"
FOLDERS = ("/usr/aarch64-linux-gnu/lib", "/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu")
LINE = re.compile(r"\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(.*)")
# Constants between the instructions of a text section.
NOT_CODE = re.compile(r"\.(word|inst|byte|short)|udf\t|<unknown>|undefined")

tap = Tap()


def find(library):
    for folder in FOLDERS:
        path = os.path.join(folder, library)
        if os.path.exists(path):
            return path
    raise Skip(f"no {library} for arm64: apt-get install libc6-arm64-cross, "
               "libstdc++6-arm64-cross, libssl-dev:arm64")


def compare(program, options, at_least):
    """Compares what objdump with these options disassembles."""
    if not shutil.which(OBJDUMP):
        raise Skip(f"no {OBJDUMP}: apt-get install binutils-aarch64-linux-gnu")
    texts = {}  # by word: one address and text is enough, as what is compared is relative
    total = 0
    with subprocess.Popen([OBJDUMP, *options], stdout=subprocess.PIPE, text=True) as objdump:
        for line in objdump.stdout:
            match = LINE.match(line)
            if match and not NOT_CODE.search(match[3]):
                total += 1
                texts.setdefault(int(match[2], 16), (int(match[1], 16), match[3]))
    comparison = Comparison()
    for ours in decode(program, list(texts)):
        pc, text = texts[ours.word]
        comparison.add(ours, text, pc)
    return f"{comparison.done(at_least)} of {total}"


def compare_library(program, name, at_least):
    path = find(name)
    return f"{compare(program, ['-d', path], at_least)} in {os.path.realpath(path)}"


@tap.test
def libc(program):
    """The instructions of the C library are decoded as binutils does"""
    return compare_library(program, "libc.so.6", 50000)


@tap.test
def libcrypto(program):
    """The instructions of OpenSSL are decoded as binutils does"""
    return compare_library(program, "libcrypto.so.3", 100000)


@tap.test
def libstdcxx(program):
    """The instructions of the C++ library are decoded as binutils does"""
    return compare_library(program, "libstdc++.so.6", 40000)


@tap.test
def libm(program):
    """The instructions of the mathematical library are decoded as binutils does"""
    return compare_library(program, "libm.so.6", 20000)


@tap.test
def random_words(program):
    """Random words that binutils names are known, and are what it says they are."""
    with tempfile.NamedTemporaryFile() as file:
        for word in sample(400000):
            file.write(word.to_bytes(4, "little"))
        file.flush()
        return compare(program, ["-D", "-b", "binary", "-m", "aarch64", file.name], 120000)


tap.run(sys.argv[1])
