#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the core model's ports and latencies by llvm-mca: cycles an iteration of real code.

    mca.py LOOP_CYCLES [--blocks N] [--outliers N] [PROGRAM...]

LOOP_CYCLES is the program made from loop_cycles.c. Straight-line blocks of Debian's arm64
libraries, and of the AArch64 programs named, are taken as loop bodies that fall through to their
own start, with loads that hit L1 and no branches. llvm-mca knows the ports and latencies, but no
slots: its dispatch is as wide as the ports together. So a block counts only where dispatch is the
limit of neither; those where it is are compared with that limit instead, so that nothing is lost
from sight.
"""

import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess

OBJDUMP = "aarch64-linux-gnu-objdump"
MC = "llvm-mc-19"
MCA = "llvm-mca-19"
FOLDERS = ("/usr/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib", "/lib/aarch64-linux-gnu")
LIBRARIES = ("libc.so.6", "libcrypto.so.3", "libstdc++.so.6", "libm.so.6")
CRYPTOGRAPHY = "+aes,+sha2,+sha3,+sm4,+sve2-aes,+sve2-sha3,+sve2-sm4"
# Our cores, which LLVM knows by the same names, and the operations that they rename a cycle.
CORES = {"neoverse-n2": 5, "neoverse-n3": 5, "neoverse-v1": 6, "neoverse-v2": 6, "neoverse-v3": 10}
# Older LLVM has Neoverse N2's costs for N3, and for N2 and V1 those of their guides' first issues.
NEWER = {"neoverse-n2": range(40, 21, -1), "neoverse-n3": range(40, 19, -1),
         "neoverse-v1": range(40, 21, -1), "neoverse-v3": range(40, 20, -1)}
# Since version 22, LLVM dispatches as many micro-operations a cycle as the guides have
# macro-operations, which are up to twice as many micro-operations.
DISPATCH = {"neoverse-n2": ["-dispatch=10"], "neoverse-n3": ["-dispatch=10"],
            "neoverse-v1": ["-dispatch=16"], "neoverse-v3": ["-dispatch=20"]}
# Where moves between general registers were measured to take a pipe, although the guide has none.
MOVES_TAKE_PIPES = ("neoverse-v1",)

SHORTEST, LONGEST = 4, 128  # instructions of a block
ITERATIONS = (80, 180)  # the difference is the steady state
MARGIN = 1.02  # this near its limit, dispatch is the limit
FAR, NEAR = 0.25, 0.1  # an error that wants a reason, and one that a reason may leave
REGIONS = 400  # a run of llvm-mca

BRANCHES = re.compile(r"b|bl|b\..*|bc\..*|cbn?z|tbn?z|br.*|blr.*|ret.*|eret.*|udf|brk|svc|hlt|\.inst.*")
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)(?:\t(.*))?$")
SYMBOL = re.compile(r"^[0-9a-f]+ <(.*)>:$")
TARGET = re.compile(r"\b([0-9a-f]+) <")
CATEGORIES = (
    ("cryptography", re.compile(r"CRYPTO_|SIMD_POLY")),
    ("SVE", re.compile(r"SVE_")),
    ("floating point and vectors", re.compile(r"FP_|SIMD_|BF16_|VLOAD|VSTORE")),
    ("integer with memory", re.compile(r"LOAD|STORE|PREFETCH")),
    ("integer", re.compile(r"")),
)

Block = collections.namedtuple("Block", "place words")
# cycles an iteration, ours and llvm-mca's, and the least that dispatch allows
Figure = collections.namedtuple("Figure", "block category ours theirs limit text classes")


def run(command, text=None):
    """Runs a program; returns what it prints."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} fails: {done.stderr[:500]}")
    return done.stdout


def lacking():
    """What is not there of what this needs, or None."""
    for program, package in ((OBJDUMP, "binutils-aarch64-linux-gnu"), (MCA, "llvm-19"),
                             (MC, "llvm-19")):
        if not shutil.which(program):
            return f"no {program}: apt-get install {package}"
    if len(find_libraries()) < len(LIBRARIES):
        return (f"not all of {', '.join(LIBRARIES)} for arm64: apt-get install libc6-arm64-cross, "
                "libstdc++6-arm64-cross, libssl-dev:arm64")
    return None


def find_libraries():
    found = []
    for name in LIBRARIES:
        paths = [os.path.join(folder, name) for folder in FOLDERS]
        found += [path for path in paths if os.path.exists(path)][:1]
    return found


def disassemble(path):
    """[(address, word, None or where a branch goes to, the symbol that stands there)]"""
    code, symbol = [], ""
    for line in run([OBJDUMP, "-d", path]).split("\n"):
        match = LINE.match(line)
        if match:
            address, word, mnemonic, operands = match.groups()
            target = None
            if BRANCHES.fullmatch(mnemonic):
                found = TARGET.search(operands or "")
                target = int(found[1], 16) if found else -1
            code.append((int(address, 16), word, target, symbol))
            symbol = ""
            continue
        match = SYMBOL.match(line)
        if match:
            symbol = match[1]
    return code


def blocks_of(path):
    """The straight-line blocks of a library, without the branches that end them."""
    code = disassemble(path)
    targets = {target for _, _, target, _ in code}
    name, function, place, words = os.path.basename(path), "", "", []
    for address, word, target, symbol in code:
        function = symbol or function
        if words and (symbol or target is not None or address in targets):
            yield Block(place, tuple(words))
            words = []
        if target is None:
            if not words:
                place = f"{name}:{function} {address:x}"
            words.append(word)
    if words:
        yield Block(place, tuple(words))


def blocks_in(paths):
    """{hash: block} of the different blocks of some ELF files."""
    blocks = {}
    for path in paths:
        for block in blocks_of(path):
            if SHORTEST <= len(block.words) <= LONGEST:
                key = hashlib.sha1(" ".join(block.words).encode()).digest()
                blocks.setdefault(key, block)
    return blocks


def choose(count, programs=()):
    """All blocks of the programs, and `count` of the libraries', the same ones each time, each as
    likely as any other to be among them."""
    own, libraries = blocks_in(programs), blocks_in(find_libraries())
    return list(own.values()) + [libraries[key] for key in sorted(libraries)[:count]]


def tools(core):
    """The llvm-mc and llvm-mca that know a core's costs; None if there are none."""
    for version in NEWER.get(core, (19,)):
        programs = [f"{name}-{version}" for name in ("llvm-mc", "llvm-mca")]
        if all(shutil.which(program) for program in programs):
            return programs
    return None


def with_base_apart(text):
    """A body in which what writes its base back is an access and an addition, as the cores have it.
    llvm-mca writes a base back only when the whole instruction issues: when the stored data is
    there, and a load port is free. That would make a chain of `stp x29, x30, [sp, #-32]!` and
    `mov x29, sp`."""
    access = r"^((?:st|ld)\w+\t.*)"
    text = re.sub(access + r", \[(\w+), (#-?\w+)\]!$", r"add\t\2, \2, \3\n\1, [\2]", text,
                  flags=re.M)
    return re.sub(access + r", \[(\w+)\], (#?-?\w+)$", r"\1, [\2]\nadd\t\2, \2, \3", text,
                  flags=re.M)


def with_moves_executed(text):
    """A body with additions of 0 instead of moves between general registers."""
    return re.sub(r"^mov\t([wx]\d+), ([wx]\d+)$", r"add\t\1, \2, #0", text, flags=re.M)


class Judge:
    """What our model of a core and llvm-mca's say about loop bodies."""

    def __init__(self, loop_cycles, core):
        self.program = loop_cycles
        self.core = core
        self.width = CORES[core]
        self.mc_program, self.mca_program = tools(core) or (MC, MCA)
        self.options = [f"-mcpu={core}", f"-mattr={CRYPTOGRAPHY}"]

    def assembly_of(self, words):
        """{word: its assembly as LLVM writes it}, without those that the processor lacks."""
        lines = [",".join(f"0x{word[i:i + 2]}" for i in (6, 4, 2, 0)) for word in words]
        out = run([self.mc_program, "--disassemble", "-triple=aarch64", *self.options, "--show-encoding"],
                  "\n".join(lines))
        texts = {}
        for text, octets in re.findall(r"^\t(.*?)\s*// encoding: \[([^\]]*)\]$", out,
                                       flags=re.M):
            texts["".join(octet[2:] for octet in reversed(octets.split(",")))] = text
        return texts

    def ours(self, blocks):
        """[[cycles an iteration, operations, classes]]; the first is "-" of what is not measured."""
        text = "".join(" ".join(block.words) + "\n" for block in blocks)
        return [line.split() for line in
                run([self.program, self.core], text).splitlines()]

    def mca(self, bodies, iterations, view):
        """What llvm-mca says of each body; and of the processor."""
        regions, target = [], {}
        for start in range(0, len(bodies), REGIONS):
            text = "".join(f"# LLVM-MCA-BEGIN\n{body}\n# LLVM-MCA-END\n"
                           for body in bodies[start:start + REGIONS])
            out = json.loads(run([self.mca_program, "-mtriple=aarch64", *self.options, "-json",
                                  "-all-views=false", view, f"-iterations={iterations}",
                                  *DISPATCH.get(self.core, []), "-"],
                                 text))
            regions += out["CodeRegions"]
            target = out["TargetInfo"]
        if len(regions) != len(bodies):
            raise RuntimeError(f"{self.mca_program} tells of {len(regions)} regions, not of {len(bodies)}")
        return regions, target

    def cycles(self, bodies):
        """[(llvm-mca's cycles an iteration, the least that its dispatch allows)]"""
        few, many = ([region["SummaryView"] for region in self.mca(bodies, times, "-summary-view")[0]]
                     for times in ITERATIONS)
        return [tuple((after[what] - before[what]) / (ITERATIONS[1] - ITERATIONS[0]) / by
                      for what, by in (("TotalCycles", 1), ("TotaluOps", after["DispatchWidth"])))
                for before, after in zip(few, many)]

    def as_executed(self, body):
        """A body that costs llvm-mca what the core's data say."""
        if self.core in MOVES_TAKE_PIPES:
            body = with_moves_executed(body)
        return with_base_apart(body)

    def held(self, unit, figures):
        """[for how many cycles of an iteration llvm-mca has that unit held]"""
        regions, target = self.mca([figure.text for figure in figures], 1, "-resource-pressure")
        index = [i for i, name in enumerate(target["Resources"]) if name.endswith("Unit" + unit)]
        return [sum(entry["ResourceUsage"]
                    for entry in region["ResourcePressureView"]["ResourcePressureInfo"]
                    if entry["ResourceIndex"] in index
                    and entry["InstructionIndex"] < len(region["Instructions"]))
                for region in regions]


def category_of(classes):
    return next(name for name, pattern in CATEGORIES if pattern.search(classes))


def compare(judge, blocks):
    """The figures of all blocks that both can judge."""
    texts = judge.assembly_of(sorted({word for block in blocks for word in block.words}))
    judged = [(block, line) for block, line in zip(blocks, judge.ours(blocks))
              if line[0] != "-" and all(word in texts for word in block.words)]
    bodies = ["\n".join(texts[word] for word in block.words) for block, _ in judged]
    return [Figure(block, category_of(classes), float(ours), theirs,
                   max(int(used) / judge.width, least), body, classes)
            for (block, (ours, used, classes)), body, (theirs, least)
            in zip(judged, bodies, judge.cycles([judge.as_executed(body) for body in bodies]))]


def error(figure):
    return abs(figure.ours - figure.theirs) / figure.theirs


def counts(figure):
    """Whether ports and latencies are the limit, rather than dispatch."""
    return figure.theirs > figure.limit * MARGIN


def held_in_mca(judge, figures):
    """LLVM's N2 lets an operation on M0 hold it for as long as its result takes: three cycles
    for a move to a vector register, five for the signing of a return address, where its V2 and
    ours take another one each cycle. Those of the figures where that is llvm-mca's limit."""
    if judge.core != "neoverse-n2":
        return []
    return [figure for figure, held in zip(figures, judge.held("M0", figures))
            if held >= (1 - NEAR) * figure.theirs]


def explain_held(judge, figures):
    return [figure for figure in held_in_mca(judge, figures) if figure.ours < figure.theirs]


def explain_divides(_, figures):
    """LLVM's divides hold their port for another time than ours: on N2 for the whole latency of
    scalar ones, on V1 for 5 cycles of a 64-bit integer's 20."""
    return [figure for figure in figures if re.search("FP_DIV|FP_SQRT|INT_DIV", figure.classes)]


def explain_forwarding(_, figures):
    """LLVM's N2 forwards no accumulator late; its V2 does."""
    return [figure for figure in figures if figure.ours < figure.theirs
            and re.search("FP_FMA|FP_CMLA|BF16_|_(MADD|MLA|DOT|ABA|SHIFT_LONG)", figure.classes)]


# Why a block may be far off, the first that fits: on which cores, and which blocks it explains.
# What is left: several operations are ready for a port. Ours takes the oldest, llvm-mca the one
# with the most users.
REASONS = (
    ("M0 is held there for as long as a result takes", ("neoverse-n2",), explain_held),
    ("divides hold their port for another time there", CORES, explain_divides),
    ("accumulators are not forwarded late there", ("neoverse-n2",), explain_forwarding),
    ("another of those that are ready goes first", CORES, lambda _, figures: figures),
)


def explain(judge, figures):
    """[(reason, figures)] of those that are far off."""
    left, explained = [figure for figure in figures if error(figure) > FAR], []
    for reason, cores, function in REASONS:
        here = function(judge, left) if judge.core in cores and left else []
        explained.append((reason, here))
        left = [figure for figure in left if figure not in here]
    return explained


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else float("nan")


def summary(figures):
    errors = [error(figure) for figure in figures]
    return len(errors), 100 * quantile(errors, 0.5), 100 * quantile(errors, 0.9)


def print_row(name, figures):
    number, median, p90 = summary(figures)
    if number:
        print(f"  {name:<44} {number:6} {median:8.1f} {p90:8.1f}")


def print_core(judge, figures, outliers):
    counting = [figure for figure in figures if counts(figure)]
    print(f"\n{judge.core} against {judge.mca_program}\n")
    print(f"  {'error in cycles an iteration':<44} {'blocks':>6} {'median %':>8} {'90th %':>8}")
    print_row("all where dispatch is not the limit", counting)
    for name, _ in CATEGORIES:
        print_row(name, [figure for figure in counting if figure.category == name])
    for library in LIBRARIES:
        print_row(library, [figure for figure in counting
                            if figure.block.place.startswith(library)])
    print_row("the programs named", [figure for figure in counting
                                     if not figure.block.place.startswith(LIBRARIES)])
    bound = [figure._replace(theirs=figure.limit) for figure in figures if not counts(figure)]
    print_row("dispatch is the limit: against that limit", bound)
    reasons = explain(judge, counting)
    print(f"\n  Off by more than {FAR:.0%}: {sum(len(far) for _, far in reasons)}, because")
    for reason, far in reasons:
        print(f"  {reason:<44} {len(far):6}")
    print_outliers(reasons, outliers)


def print_outliers(reasons, count):
    far = [(figure, reason) for reason, figures in reasons for figure in figures]
    far.sort(key=lambda pair: error(pair[0]), reverse=True)
    if far and count:
        print("\n  The furthest off: cycles, llvm-mca's, the least by dispatch, and why")
    for figure, reason in far[:count]:
        print(f"\n  {figure.ours:.2f} {figure.theirs:.2f} {figure.limit:.2f} {figure.block.place}: "
              f"{reason}")
        for text, name in zip(figure.text.split("\n"), figure.classes.split(",")):
            print(f"      {text.expandtabs(8):<48} {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("loop_cycles")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--blocks", type=int, default=2000, help="of the libraries, to be judged")
    parser.add_argument("--outliers", type=int, default=10, help="of each core, to be shown")
    options = parser.parse_intermixed_args()
    if lacking():
        print(f"mca: skipped, {lacking()}")
        return
    blocks = choose(options.blocks, options.programs)
    for core in CORES:
        if not tools(core):
            print(f"\n{core}: no llvm-mca that has its own costs")
            continue
        judge = Judge(options.loop_cycles, core)
        print_core(judge, compare(judge, blocks), options.outliers)


if __name__ == "__main__":
    main()
