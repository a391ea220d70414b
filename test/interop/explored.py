#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Judges plumb explore: its first finding is the known cause of small programs, and the line with it.

    explored.py [--all] PLUMB TESTS SIZES_OF_CORE

TESTS is the folder of the tests. The guilty line has the mark /* guilty */ in the source: in
test/guilty, in test/explored, in the programs of a thousand lines that planted.py there writes, and
in test/kernels, or a header of those. A kernel's own file of figures says which node its cause is.
--all tries all kernels.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

MARK = "/* guilty */"
# What the first finding's node or cause has to be, worked out from the source.
PROGRAMS = {
    "guilty/false_sharing.c": ["sharing"],
    "guilty/unpredictable_branch.c": ["bad_speculation"],
    "guilty/heap.c": ["bad_speculation"],
    "guilty/hot_divide.c": ["dependency_chain"],
    "guilty/icache_thrasher.c": ["frontend_cache_l2i_bound", "frontend_cache_l1i_bound"],
    "explored/column_major.c": ["backend_cache_l2d_bound"],
    "explored/pages.c": ["backend_mem_tlb_bound"],
    "explored/store_forward.c": ["failed_forwarding"],
    "explored/atomics.c": ["sharing"],
    "explored/neighbours.c": ["sharing"],
    "explored/lock.c": ["sharing"],
    "explored/divisions.c": ["backend_core_rename_bound"],
    "explored/hash_table.c": ["backend_cache_l2d_bound"],
    "explored/random_walk.c": ["backend_cache_l2d_bound"],
}
PLANTED = {"list": "backend_cache_l2d_bound", "branch": "bad_speculation",
           "divide": "dependency_chain"}
# What the finding's data must be called.
DATA = {"guilty/false_sharing.c": "shared", "explored/column_major.c": "matrix",
        "explored/pages.c": "pages", "explored/store_forward.c": "both",
        "explored/atomics.c": "counter", "explored/neighbours.c": "left and right",
        "explored/lock.c": "lock",
        "explored/hash_table.c": "slots",
        "explored/random_walk.c": "table"}
# What kind of operation must hold most of it.
WAITS = {"hot_divide.c": "integer division", "divisions.c": "integer division",
         "divide.c": "integer division", "chain_div64.S": "integer division"}
# What the finding must be called by the code at its lines.
BRIEFS = {"list.c": "a chain of loads that miss", "chase_l2.S": "a chain of loads that miss",
          "misses_dram.S": "data from memory",
          "branch_indirect_random.S": "mispredicted indirect branches",
          "branch_random.S": "work thrown away"}
# Of the kernels with the mark, those that are tried each time.
KERNELS = ["barrier_isb", "branch_indirect_random", "branch_random", "chain_div64", "chase_dram",
           "chase_l2", "misses_dram", "rename_flags", "store_forward_page", "store_miss",
           "stream_nop"]
KERNELS_WITH_THREADS = ["together_stores_2"]

# Kernels without the mark, and why; of the others without a mark, most slots do useful work.
UNMARKED = {
    "code_itlb": "the program writes its hot code itself, so that it has no lines",
    "branch_taken_pairs": "two limits coincide", "tie_chain_fetch": "two limits coincide",
    "tie_chain_ports": "two limits coincide", "tie_none": "any line of the loop may come late",
    "tie_walks_chain": "two limits coincide",
}
# Which root the first finding may have instead of the node if two limits coincide.
TIES = {"branch_taken_pairs": "frontend_bound"}
USEFUL = 70  # percent

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


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def explore(plumb, program, *options):
    """Returns the findings."""
    with tempfile.TemporaryFile() as out:
        done = subprocess.run([plumb, "explore", "--source", "model", "--json", "--log-fd",
                               str(out.fileno()), *options, "--", program], check=False,
                              capture_output=True, text=True, pass_fds=[out.fileno()])
        assert done.returncode == 0, f"{program}: {done.stderr}"
        out.seek(0)
        return json.load(out)


def marked(source):
    """Returns the lines with the mark, as pairs of file and number, of a source and its header."""
    folder, found = os.path.dirname(source), []
    for name in [source] + glob.glob(os.path.join(folder, "*.h")):
        with open(name, encoding="utf-8") as file:
            found += [(os.path.realpath(name), number) for number, line in enumerate(file, 1)
                      if MARK in line]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    return [(name, number) for name, number in found
            if name == os.path.realpath(source) or f'#include "{os.path.basename(name)}"' in text]


def judge(found, source, causes, data=None):
    """Returns what the first finding says, and whether that is right."""
    if causes == ["retiring"]:
        return f"{found['work']:.0f} % retiring", found["work"] >= USEFUL
    if not found["findings"]:
        return f"nothing, {found['work']:.0f} % retiring", False
    name = os.path.splitext(os.path.basename(source))[0]
    first = found["findings"][0]
    lines = first["lines"]["places"]
    # What plumb explore prints: if most of it is in code without source, who called.
    if 2 * sum(p["share"] for p in lines) < sum(p["share"] for p in first["functions"]["places"]):
        lines = first.get("callers", {"places": []})["places"]
    text = f"{first['cause']} {first['slots']:.0f} %"
    if name in UNMARKED:
        assert not marked(source), f"{name} has a mark"
        return text, bool({first["node"], first["cause"]} & {*causes, TIES.get(name)})
    if not lines:
        return text, False
    text += f", {os.path.basename(lines[0]['file'])}:{lines[0]['line']} {lines[0]['share']:.0f} %"
    place = (os.path.realpath(lines[0]["file"]), lines[0]["line"])
    right = bool({first["node"], first["cause"]} & set(causes)) and place in marked(source) and \
        MARK in lines[0]["text"]
    if data:
        places = first["data"]["places"]
        text += f", {places[0]['name'] if places else 'no data'}"
        right = right and places and places[0]["name"] == data
    brief = BRIEFS.get(os.path.basename(source))
    if brief:
        text += f", {first['brief']}"
        right = right and first["brief"] == brief
    waits = WAITS.get(os.path.basename(source))
    if waits:
        places = first.get("waits", {"places": []})["places"]
        text += f", {places[0]['name'] if places else 'no operations'}"
        right = right and places and places[0]["name"] == waits
        # Of an exact profile it is most, and so named first.
        if first["lines"]["exact"]:
            right = right and places[0]["share"] > 50 and first["brief"] == f"waits for {waits}"
    return text, right


def try_all(plumb, sources, options, causes, data, *how):
    """Builds each source, explores it, and judges; returns a text on all."""
    gcc = compiler(plumb)
    said, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            name = os.path.splitext(os.path.basename(source))[0]
            built = os.path.join(folder, name)
            run(gcc, "-g", "-static", *options, "-o", built, source)
            text, right = judge(explore(plumb, built, *how), source, causes[source],
                                data.get(source))
            said.append(f"{name}: {text}")
            if not right:
                wrong.append(said[-1])
    assert said and not wrong, "\n".join(wrong)
    return "; ".join(said)


def programs(plumb, tests, *how):
    causes = {os.path.join(tests, name): cause for name, cause in PROGRAMS.items()}
    data = {os.path.join(tests, name): text for name, text in DATA.items()}
    return causes, data


@tap.test
def each_program(plumb, tests, _core):
    """The first finding of each program with a known cause is that, its line and its data"""
    causes, data = programs(plumb, tests)
    return try_all(plumb, list(causes), ["-O2", "-pthread"], causes, data)


@tap.test
def each_program_sampled(plumb, tests, _core):
    """So it is if the model counts in one run, and samples in the next"""
    causes, data = programs(plumb, tests)
    # A lock's line may be where it is taken or where it is given back: called_sampled().
    sources = [s for s in causes if not s.endswith("lock.c")]
    return try_all(plumb, sources, ["-O2", "-pthread"], causes, {}, "--sampled")


@tap.test
def called_sampled(plumb, tests, _core):
    """Who called is known of SPE records as well, from the chains of samples of the node's event"""
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, "lock")
        run(compiler(plumb), "-g", "-static", "-O2", "-pthread", "-o", built,
            os.path.join(tests, "explored", "lock.c"))
        first = explore(plumb, built, "--sampled")["findings"][0]
    callers = first["callers"]
    assert not callers["exact"] and "shared among callers by samples of " in callers["basis"]
    assert all(p["interval"] is None for p in callers["places"]), callers
    # Which waits are sampled depends on the environment: some samples are of take()'s own accesses.
    in_take = [p for p in callers["places"] if p["name"] == "take" and "&lock" in p["text"]]
    share = sum(p["share"] for p in in_take)
    others = sum(p["share"] for p in callers["places"]) - share
    assert first["cause"] == "sharing" and callers["places"][0] in in_take, first
    assert share > 3 * others, first
    return ", ".join(f"{os.path.basename(p['file'])}:{p['line']} {p['share']:.0f} %" for p in in_take)


@tap.test
def planted(plumb, tests, _core):
    """So it is for a fault in a program of a thousand lines"""
    with tempfile.TemporaryDirectory() as folder:
        causes = {}
        for fault, cause in PLANTED.items():
            source = os.path.join(folder, fault + ".c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(run(sys.executable, os.path.join(tests, "explored", "planted.py"),
                               fault))
            with open(source, encoding="utf-8") as file:
                assert len(file.readlines()) >= 1000
            causes[source] = [cause]
        return try_all(plumb, list(causes), ["-O2"], causes, {})


def try_kernels(plumb, tests, core, kind, names, options):
    """Tries `names` of the kernels of a language, or all, with the node that their figures name."""
    folder = os.path.join(tests, "kernels")
    causes = {}
    for source in sorted(glob.glob(os.path.join(folder, kind))):
        name = os.path.splitext(os.path.basename(source))[0]
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            path = json.load(file).get("path")
        if path and (tried_all or name in names):
            causes[source] = [path[-1]]
    assert tried_all or len(causes) == len(names)
    with tempfile.TemporaryDirectory() as made:
        sizes = os.path.join(made, "sizes.h")
        run(sys.executable, os.path.join(folder, "sizes.py"), core, sizes)
        return try_all(plumb, list(causes),
                       ["-march=armv8.5-a+sve2+crypto+fp16", "-include", sizes, *options], causes,
                       {})


@tap.test
def kernels(plumb, tests, core):
    """So it is for each kernel, by the node that its figures say"""
    return try_kernels(plumb, tests, core, "*.S", KERNELS, ["-nostdlib", "-Wl,-z,noexecstack"])


@tap.test
def kernels_with_threads(plumb, tests, core):
    """So it is for kernels with threads"""
    return try_kernels(plumb, tests, core, "*.c", KERNELS_WITH_THREADS, ["-O2", "-pthread"])


@tap.test
def nothing_to_win(plumb, tests, _core):
    """A program without a bottleneck has no findings"""
    with tempfile.TemporaryDirectory() as folder:
        built = os.path.join(folder, "useful")
        run(compiler(plumb), "-g", "-static", "-O2", "-o", built,
            os.path.join(tests, "explored", "useful.c"))
        found = explore(plumb, built)
        assert not found["findings"] and found["work"] > 85, found
        return f"{found['work']:.0f} % retiring"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    tried_all = "--all" in arguments
    tap.run(*[a for a in arguments if a != "--all"])
