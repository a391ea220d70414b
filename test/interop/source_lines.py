#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""source_lines.py SOURCE_LINES FILE: lines of source and inlined functions, beside addr2line of binutils and LLVM.

FILE is a large program with DWARF; others are compiled here, in the forms that compilers and
distributions leave debug information in.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
reader, large = sys.argv[1:3]
folder = tempfile.TemporaryDirectory()

SOURCE = """
#include <stdlib.h>
static inline __attribute__((always_inline)) int twice(int x)
{
	return x * 2 +
	       rand();
}
static inline __attribute__((always_inline)) int fourfold(int x) { return twice(twice(x)); }
__attribute__((noinline)) static int grown(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++) {
		sum += fourfold(i);
		if (sum & 1)
			abort();
	}
	return sum;
}
int main(int count, char **arguments) { return grown(count) + !arguments; }
"""
CPLUSPLUS = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace outer { struct Thing { std::string name; int size;
	bool operator<(const Thing &other) const { return size < other.size; } }; }
int main(int count, char **)
{
	std::vector<outer::Thing> things;
	std::map<std::string, int> sizes;
	for (int i = 0; i < count * 10; i++)
		things.push_back({std::to_string(i), i ^ 5});
	std::sort(things.begin(), things.end());
	for (auto &thing : things)
		sizes[thing.name] += thing.size;
	return sizes.size();
}
"""


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def code_of(path):
    """Address, offset in the file and size of its code."""
    for line in run("objdump", "-h", path).splitlines():
        words = line.split()
        if len(words) > 5 and words[1] == ".text":
            return int(words[3], 16), int(words[5], 16), int(words[2], 16)
    raise AssertionError(f"{path} has no .text")


def frames_of_judge(judge, path, addresses):
    answers = []
    for line in run(judge, "-aife", path, text="\n".join(map(hex, addresses))).splitlines():
        if line.startswith("0x"):
            answers.append([])
        else:
            answers[-1].append(line)
    for words in answers:
        frames = []
        for function, place in zip(words[::2], words[1::2]):
            path, line = re.sub(r" \(discriminator \d+\)", "", place).rsplit(":", 1)
            frames.append((function, os.path.basename(path), line.replace("?", "0")))
        yield frames


def same(ours, theirs):
    """LLVM takes what it can from the symbol table, and a constructor's plain name if it has none."""
    return ours[1:] == theirs[1:] and (ours[0] == theirs[0].split(".")[0] or
                                       re.search(f"{len(theirs[0])}{theirs[0]}[CD]4", ours[0]))


def compare(path, judged=None, step=None, judge="addr2line"):
    """Every `step`-th place in its code, or 3,000 at random; `judged`: the file that `judge` reads."""
    address, offset, size = code_of(path)
    chance = random.Random(1)
    places = (list(range(offset, offset + size, step)) if step else
              [offset + chance.randrange(size) for _ in range(3000)])
    ours = run(reader, path, text="\n".join(map(hex, places))).splitlines()
    known = 0
    assert len(ours) == len(places), f"{len(ours)} answers to {len(places)}"
    for place, line, theirs in zip(places, ours, frames_of_judge(
            judge, judged or path, [place - offset + address for place in places])):
        if line == "-":
            # The judges fall back to the symbol table, which has no lines.
            assert theirs[0][2] == "0", f"{place:#x}: nothing, and {judge} {theirs}"
            continue
        frames = []
        for frame in line.split("\t"):
            function, where = frame.rsplit(" ", 1)
            file, number = where.rsplit(":", 1)
            frames.append((function, os.path.basename(file), number))
        if frames[0][0] == "-" and len(theirs) == 1:
            theirs = [("-",) + theirs[0][1:]]  # padding between functions: the symbol table again
        assert len(frames) == len(theirs) and all(map(same, frames, theirs)), \
            f"{place:#x}: {frames}, and {judge} {theirs}"
        known += 1
    # What starts a program, and libraries linked in, have no debug information.
    assert known >= len(places) / 4, f"only {known} of {len(places)} known"
    return f"{known} of {len(places)} places known, all equal"


def compiled(name, compiler, source, *options):
    if not shutil.which(compiler):
        raise Skip(f"there is no {compiler}")
    place = os.path.join(folder.name, name)
    os.mkdir(place)
    file = "source.cc" if compiler.endswith("++") else "source.c"
    with open(os.path.join(place, file), "w", encoding="utf-8") as out:
        out.write(source)
    # In the folder, where split DWARF is left and looked for.
    subprocess.run([compiler, "-O2", *options, "-o", "program", file], check=True, cwd=place)
    return os.path.join(place, "program")


@tap.test
def large_program():
    """A large program"""
    return compare(large)


@tap.test
def dwarf4():
    """DWARF 4"""
    return compare(compiled("dwarf4", "gcc", SOURCE, "-gdwarf-4"), step=1)


@tap.test
def dwarf5():
    """DWARF 5, position-dependent"""
    return compare(compiled("dwarf5", "gcc", SOURCE, "-gdwarf-5", "-no-pie"), step=1)


@tap.test
def by_clang():
    """DWARF of clang"""
    return compare(compiled("by_clang", "clang", SOURCE, "-g"), step=1)


@tap.test
def split():
    """Split DWARF"""
    whole = compiled("whole", "gcc", SOURCE, "-gdwarf-5")
    path = compiled("split", "gcc", SOURCE, "-gdwarf-5", "-gsplit-dwarf")
    assert code_of(whole) == code_of(path), "not the same code"
    return compare(path, judged=whole, step=1)


@tap.test
def separate():
    """A file of debug information beside a stripped program"""
    path = compiled("separate", "gcc", SOURCE, "-g")
    whole = path + ".whole"
    shutil.copy(path, whole)
    run("objcopy", "--only-keep-debug", path, path + ".debug")
    run("strip", path)
    subprocess.run(["objcopy", "--add-gnu-debuglink=program.debug", path], check=True,
                   cwd=os.path.dirname(path))
    return compare(path, judged=whole, step=1)


@tap.test
def cplusplus():
    """C++ with templates inlined"""
    # addr2line 2.40 names the unit's own file for lines that are a header's.
    judge = next(filter(shutil.which, ["llvm-addr2line-19", "llvm-addr2line"]), None)
    if not judge:
        raise Skip("there is no llvm-addr2line")
    return compare(compiled("cplusplus", "g++", CPLUSPLUS, "-g"), step=3, judge=judge)


@tap.test
def aarch64():
    """An AArch64 program"""
    return compare(compiled("aarch64", "aarch64-linux-gnu-gcc", SOURCE, "-g"), step=4)


@tap.test
def none():
    """A program without debug information has no lines"""
    path = compiled("none", "gcc", SOURCE)
    address, offset, size = code_of(path)
    answers = run(reader, path, text="\n".join(map(hex, range(offset, offset + size)))).split()
    assert set(answers) == {"-"}, f"{set(answers)}"


if not shutil.which("addr2line"):
    tap.skip_all("there is no addr2line")
with folder:
    tap.run()
