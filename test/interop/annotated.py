#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Judges plumb annotate: the guilty line of small programs comes first, from exact profiles and from
SPE samples; addresses, words and branch targets are objdump's, and lines are addr2line's.

    annotated.py PLUMB KERNELS SIZES_OF_CORE
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

# The line of each kernel that its comment says it is about, as a regular expression.
GUILTY = {
    "atomic_chain": r"ldadd ",
    "atomic_swap": r"cas ",
    "branch_indirect_random": r"br x4",
    "branch_random": r"tbnz ",
    "chain_div64": r"chain .* sdiv ",
    "chain_fsqrt_double": r"chain .* fsqrt ",
    "chase_dram": r"ldr x1, ",
    "chase_l2": r"walk_ring ",
    "chase_llc": r"walk_ring ",
}
SOURCE = """
#include <stdio.h>
#include <string.h>
static char text[40];
static inline __attribute__((always_inline)) int twice(int x)
{
	return x * 2 +
	       (int)strlen(text);
}
static inline __attribute__((always_inline)) int fourfold(int x) { return twice(twice(x)); }
__attribute__((noinline)) static int grown(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++) {
		sum += fourfold(i);
		if (sum == 12345)
			printf("%d\\n", sum);
	}
	return sum;
}
int main(int count, char **arguments)
{
	memset(text, 'x', sizeof(text) - 1);
	return grown(count * 3000) == 1 && !arguments;
}
"""

tap = Tap()


def compiler(plumb):
    found = shutil.which("aarch64-linux-gnu-gcc")
    if os.uname().machine == "aarch64":
        found = shutil.which("gcc")
    if not found:
        raise Skip("there is no compiler for AArch64")
    if not engine.find(plumb):
        raise Skip("there is no engine")
    return found


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def record(plumb, folder, program, *how):
    """Records a program in the model. Returns the recording's path."""
    recording = os.path.join(folder, "recording.data")
    run(plumb, "record", "-q", "--source", "model", *how, "-o", recording, "--", program)
    return recording


def annotate(plumb, recording, *symbol):
    """Returns what is said of a function, the hottest by default."""
    functions = json.loads(run(plumb, "annotate", "-i", recording, "--json", *symbol))["functions"]
    assert len(functions) == 1
    return functions[0]


def first_line(annotated):
    """The text of the line with the largest share, and the next one's."""
    lines = annotated["lines"][:2]
    texts = []
    for line in lines:
        with open(line["file"], encoding="utf-8") as file:
            texts.append(f"{file.read().split(chr(10))[line['line'] - 1].strip()} "
                         f"({line['share']:.1f} %)")
    return texts


def guilty(plumb, kernels, core, *how):
    gcc = compiler(plumb)
    wrong, shares = [], []
    with tempfile.TemporaryDirectory() as folder:
        sizes, built = os.path.join(folder, "sizes.h"), os.path.join(folder, "kernel")
        run(sys.executable, os.path.join(kernels, "sizes.py"), core, sizes)
        for name, line in GUILTY.items():
            run(gcc, "-g", "-static", "-nostdlib", "-march=armv8.5-a+sve2+crypto+fp16",
                "-Wl,-z,noexecstack", "-include", sizes, "-o", built,
                os.path.join(kernels, name + ".S"))
            texts = first_line(annotate(plumb, record(plumb, folder, built, *how)))
            shares.append(f"{name}: {texts[0]}")
            if not re.match(line, texts[0]):
                wrong.append(f"{name}: {texts}")
    assert not wrong, "\n".join(wrong)
    return "; ".join(shares)


@tap.test
def exact(plumb, kernels, core):
    """The guilty line of each kernel is the first, from an exact profile"""
    return guilty(plumb, kernels, core, "--exact")


@tap.test
def sampled(plumb, kernels, core):
    """So it is from SPE samples"""
    return guilty(plumb, kernels, core, "-e", "spe", "-c", "1024")


@tap.test
def addresses(plumb, kernels, core):
    """Instructions and their lines are those of objdump and addr2line"""
    gcc = compiler(plumb)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "grown.c"), os.path.join(folder, "grown")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        run(gcc, "-O2", "-g", "-static", "-o", program, source)
        recording = record(plumb, folder, program, "--exact")
        functions = [annotate(plumb, recording, symbol)
                     for symbol in ("main", "grown")]
        functions.append(annotate(plumb, recording))
        listed = {}
        for line in run(gcc.replace("gcc", "objdump"), "-d", program).splitlines():
            match = re.match(r"\s*([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\s*([^<]*)", line)
            if match:
                listed[int(match[1], 16)] = match.groups()[1:]
        ours = [(instruction, line, function["symbol"]) for function in functions
                for line in function["lines"] for instruction in line["instructions"]]
        lines = run(gcc.replace("gcc", "addr2line"), "-e", program, "-f",
                    input="".join(instruction["address"] + "\n" for instruction, _, _ in ours))
    lines = [re.sub(r" \(discriminator \d+\)", "", line) for line in lines.splitlines()]
    with_lines = branches = 0
    for (instruction, line, symbol), function, place in zip(ours, lines[::2], lines[1::2],
                                                            strict=True):
        word, mnemonic, operands = listed[int(instruction["address"], 16)]
        assert instruction["word"] == word, (instruction, word)
        if instruction["target"]:
            branches += 1
            assert int(instruction["target"], 16) == int(operands.split()[-1], 16), instruction
        else:
            assert not re.match(r"(b|bl|b\.\w+|cbn?z|tbn?z)$", mnemonic), (instruction, mnemonic)
        theirs = place.rsplit(":", 1)
        if line["file"]:
            with_lines += 1
            assert (os.path.basename(theirs[0]), theirs[1]) == \
                (os.path.basename(line["file"]), str(line["line"] or "?")), (line, place)
            assert line["function"] == function, (line["function"], function)
        else:
            assert theirs[0] in ("??", "") or symbol not in ("main", "grown"), (symbol, place)
    assert with_lines > 30 and branches > 10, (with_lines, branches)
    return f"{len(ours)} instructions, {branches} branches, {with_lines} with lines"


tap.run(*sys.argv[1:])
