#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the decoder with LLVM on random words: which are instructions, and what they do.

    decode_llvm.py DECODE_WORDS [HOW_MANY]
"""
import sys

sys.dont_write_bytecode = True

from decode_check import Comparison, decode  # noqa: E402
from decode_llvm_words import disassemble, sample  # noqa: E402
from tap import Tap  # noqa: E402

# What `qemu-aarch64 -cpu max` of QEMU 7.2 has, and a little more where LLVM has one name for it.
QEMU = ("+v8.7a,+fullfp16,+fp16fml,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+f32mm,"
        "+f64mm,+sme,+sme-f64f64,+sme-i16i64,+mte,+aes,+sha2,+sha3,+sm4,+bf16,+i8mm,+rand,+mops,"
        "+hbc,+tme,+predres,+sb,+ssbs,+wfxt,+xs,+flagm,+altnzcv")

tap = Tap()


@tap.test
def agreement(program, count):
    """Random instructions that QEMU runs are decoded as LLVM does"""
    words = sample(count)
    texts = disassemble(words, QEMU)
    comparison = Comparison()
    more = 0
    for ours in decode(program, words):
        if ours.word in texts:
            comparison.add(ours, texts[ours.word])
        else:
            more += ours.known
    return (f"{comparison.done(count // 4)}, {comparison.unparsed} known but not compared, of "
            f"{count} words; {more} others are known too: later extensions, or not allocated")


@tap.test
def later(program, count):
    """Random instructions of all extensions LLVM has are known, and are what LLVM says they are."""
    words = sample(count // 4)
    texts = disassemble(words, "+all")
    comparison = Comparison()
    for ours in decode(program, words):
        if ours.word in texts:
            comparison.add(ours, texts[ours.word])
    return (f"{comparison.done(count // 16)}, {comparison.unparsed} known but not compared, of "
            f"{count // 4} words")


tap.run(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300000)
