#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Judges plumb annotate: the guilty line of small programs comes first, from exact profiles and from
SPE samples; addresses, words and branch targets are objdump's, and lines are addr2line's.

    annotated.py [--all] PLUMB KERNELS SIZES_OF_CORE

The guilty line has the mark /* guilty */ in its source, in test/guilty and in test/kernels. --all
tries all kernels.
"""
import glob
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

MARK = "/* guilty */"
# Of the kernels whose guilty line has the mark, those that are tried each time; --all tries all.
KERNELS = ["atomic_chain", "atomic_swap", "branch_indirect_random", "branch_random", "chain_div64",
           "chase_l2", "misses_l2", "rename_flags", "store_miss"]
PROGRAMS = ["column_major", "false_sharing", "heap", "hot_divide", "icache_thrasher", "tlb_thrasher",
            "unpredictable_branch"]
SPE = ["-e", "spe", "-c", "1024"]
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

# Short functions in turns. What each takes is not what it would take alone: latencies are hidden, and a
# barrier waits for what came before.
TURNS = {
    "hidden": """
#include <stdint.h>
#define F __attribute__((noipa))
static int v[64];
volatile long out;
F int get(int i) { return v[i & 63]; }
F void set(int i, int x) { v[i & 63] = x; }
F int compare(int a, int b) { return a < b ? -1 : a > b; }
F int step(int a) { return a * 5 + 1; }
F int quotient(int a) { return a / ((a & 7) + 3); }
int main(void)
{
	long s = 0;
	for (int i = 0; i < 40000; i++) {
		int x = get(i);
		set(i * 7, step(x));
		s += compare(x, get(i + 1)) + quotient(x);
	}
	out = s;
}
""",
    "barriers": """
#include <stdint.h>
#define F __attribute__((noipa)) static void
volatile double d = 3.7;
volatile uint64_t u;
F divide(void) { double x = d; for (int i = 0; i < 4; i++) __asm__ volatile("fdiv %d0, %d0, %d1" : "+w"(x) : "w"(1.0001)); d = x > 1 ? x : 3.7; }
F nops(void) { __asm__ volatile(".rept 200\\n nop\\n .endr"); }
F barriers(void) { for (int i = 0; i < 2; i++) __asm__ volatile("isb"); }
F mix(void) { uint64_t x = u; for (int i = 0; i < 12; i++) x = x * 6364136223846793005ull + 1; u = x; }
int main(void) { for (int i = 0; i < 15000; i++) { divide(); nops(); barriers(); mix(); } }
"""}

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


def marked(source):
    """The numbers of the lines with the mark."""
    with open(source, encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if MARK in line]


def verdict(annotated, source):
    """Whether the marked line has the largest share; and the first lines, to be shown."""
    lines = [line for line in annotated["lines"] if line["file"]]
    texts = [f"{os.path.basename(line['file'])}:{line['line']} {line['share']:.1f} %"
             for line in lines[:2]]
    right = lines and os.path.samefile(lines[0]["file"], source) and \
        lines[0]["line"] in marked(source)
    return right, f"{annotated['symbol']}: {', '.join(texts)}"


def guilty(plumb, folder, sources, options, how):
    """Builds each program, records it, and looks for its guilty line."""
    gcc = compiler(plumb)
    wrong, shares = [], []
    for source in sources:
        name = os.path.splitext(os.path.basename(source))[0]
        built = os.path.join(folder, name)
        run(gcc, "-g", "-static", *options, "-o", built, source)
        right, text = verdict(annotate(plumb, record(plumb, folder, built, *how)), source)
        shares.append(f"{name} {text}")
        if not right:
            wrong.append(f"{name}: {text}")
    assert shares and not wrong, "\n".join(wrong)
    return "; ".join(shares)


def guilty_kernels(plumb, kernels, core, *how):
    with tempfile.TemporaryDirectory() as folder:
        sizes = os.path.join(folder, "sizes.h")
        run(sys.executable, os.path.join(kernels, "sizes.py"), core, sizes)
        paths = sorted(glob.glob(os.path.join(kernels, "*.S")))
        sources = [path for path in paths if marked(path) and
                   (tried_all or os.path.basename(path)[:-2] in KERNELS)]
        return guilty(plumb, folder, sources,
                      ["-nostdlib", "-march=armv8.5-a+sve2+crypto+fp16", "-Wl,-z,noexecstack",
                       "-include", sizes], how)


def guilty_program(plumb, kernels, name, *how):
    source = os.path.join(os.path.dirname(kernels), "guilty", name + ".c")
    with tempfile.TemporaryDirectory() as folder:
        return guilty(plumb, folder, [source], ["-O2", "-pthread"], how)


@tap.test
def exact_kernels(plumb, kernels, core):
    """The guilty line of each kernel is the first, from an exact profile"""
    return guilty_kernels(plumb, kernels, core, "--exact")


@tap.test
def sampled_kernels(plumb, kernels, core):
    """The guilty line of each kernel is the first, from SPE samples"""
    return guilty_kernels(plumb, kernels, core, *SPE)


@tap.test
def exact_programs(plumb, kernels, core):
    """The guilty line of each program is the first, from an exact profile"""
    return "; ".join(guilty_program(plumb, kernels, name, "--exact") for name in PROGRAMS)


@tap.test
def sampled_programs(plumb, kernels, core):
    """The guilty line of each program is the first, from SPE samples"""
    return "; ".join(guilty_program(plumb, kernels, name, *SPE)
                     for name in PROGRAMS)


@tap.test
def estimated_shares(plumb, kernels, core):
    """SPE samples share loads that overlap, and those longer than counters, as exactly counted"""
    shares = []
    for name in ("column_major", "false_sharing"):
        source = os.path.join(os.path.dirname(kernels), "guilty", name + ".c")
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, name)
            run(compiler(plumb), "-g", "-static", "-O2", "-pthread", "-o", program, source)
            exact, sampled = (annotate(plumb, record(plumb, folder, program, *how))["lines"][0]
                              for how in (["--exact"], SPE))
        assert exact["line"] == sampled["line"]
        # Four standard deviations of such a share.
        assert abs(exact["share"] - sampled["share"]) < 7, (name, exact["share"], sampled["share"])
        shares.append(f"{name}: {sampled['share']:.1f} %, exactly {exact['share']:.1f} %")
    return "; ".join(shares)


@tap.test
def turns(plumb, kernels, core):
    """the shares of short functions that take turns are within their intervals"""
    held, shown = 0, []
    for name, text in TURNS.items():
        with tempfile.TemporaryDirectory() as folder:
            source, program = (os.path.join(folder, file) for file in (name + ".c", name))
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            run(compiler(plumb), "-g", "-static", "-O2", "-o", program, source)
            functions = re.findall(r"^F (?:\w+ )?(\w+)\(|^int (main)", text, re.MULTILINE)
            functions = [own or main for own, main in functions]
            exact = record(plumb, folder, program, "--exact")
            truth = {function: annotate(plumb, exact, "-s", function)["share"] for function in functions}
            for seed in ("1", "2", "3"):
                recording = record(plumb, folder, program, *SPE, "--seed", seed)
                for function in functions:
                    found = annotate(plumb, recording, "-s", function)
                    low, high = found["interval"]
                    held += low <= truth[function] <= high
                    shown.append(f"{function}: {truth[function]:.1f} % in {low:.1f}..{high:.1f}")
    assert held >= 0.95 * len(shown), (held, shown)
    return f"{held} of {len(shown)} intervals"


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


tried_all = sys.argv[1] == "--all"
if __name__ == "__main__":
    tap.run(*sys.argv[2 if tried_all else 1:])
