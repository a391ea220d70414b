#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report --sharing of an exact profile has the accesses that a program of two threads is known
to make, and perf reads the same from the recording.

    sharing.py PLUMB
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from annotated import compiler, record, run  # noqa: E402
from perf_tool import run_perf  # noqa: E402
from tap import Tap  # noqa: E402

ROUNDS = 700
# Each thread counts in words of its own beside the other's; both count in one word by atomics; one
# reads a pair of words of which the other writes the second. Each has a line to itself, too.
SOURCE = r"""
#include <pthread.h>
#include <stdint.h>
#define LINE __attribute__((aligned(64)))
struct words { volatile uint64_t at[8]; };
LINE struct words beside, pair, own[2];
LINE uint32_t together, started;
static void *count(void *argument)
{
	const uintptr_t n = (uintptr_t)argument;
	uint64_t first, second;
	__atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < 2)
		;
	for (int i = 0; i < ROUNDS; i++) {
		beside.at[n]++; /* beside */
		__atomic_fetch_add(&together, 1, __ATOMIC_RELAXED); /* together */
		own[n].at[1]++;
		if (n)
			__asm__ volatile("ldp %0, %1, [%2]" : "=r"(first), "=r"(second) : "r"(&pair)); /* read */
		else
			pair.at[1] = 7; /* write */
	}
	return 0;
}
int main(void)
{
	pthread_t other;
	if (pthread_create(&other, 0, count, (void *)1))
		return 1;
	count(0);
	return pthread_join(other, 0);
}
""".replace("ROUNDS", str(ROUNDS))

SAMPLE = re.compile(r"PERF_RECORD_SAMPLE\(IP, 0x2\): \d+/(\d+): (0x[0-9a-f]+) period: (\d+) "
                    r"addr: (0x[0-9a-f]+)\s*\n . data_src: 0x(\w+)")
LOAD, STORE, HIT_MODIFIED = 2, 4, 0x10 << 19
tap = Tap()


def expected(places, numbers):
    """(sharing, offset, bytes, access, tid, line of source) of all accesses to each line."""
    return {
        places["beside"]: {("false", n * 8, 8, access, 1001 + n, numbers["beside"])
                           for n in (0, 1) for access in ("load", "store")},
        places["together"]: {("true", 0, 4, "atomic", 1001 + n, numbers["together"])
                             for n in (0, 1)},
        places["pair"]: {("true", 8, 8, "store", 1001, numbers["write"]),
                         ("true", 0, 16, "load", 1002, numbers["read"])},
    }


def perf_sums(path):
    """What perf reads: by thread, address and kind of access, how many there were, and moves."""
    text = run_perf(["perf", "report", "-D", "-i", path], check=True, text=True, timeout=120,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    sums = (collections.Counter(), collections.Counter())
    for tid, _, period, address, source in SAMPLE.findall(text):
        source = int(source, 16)
        access = {LOAD: "load", STORE: "store", LOAD | STORE: "atomic"}[source & 31]
        sums[bool(source & HIT_MODIFIED)][int(tid), int(address, 16), access] += int(period)
    return sums


@tap.test
def known_accesses(plumb):
    """Accesses to lines that two threads share are those that the program makes, and perf's"""
    gcc = compiler(plumb)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "shared.c"), os.path.join(folder, "shared")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        run(gcc, "-O2", "-g", "-static", "-pthread", "-march=armv8.1-a", "-o", program, source)
        path = record(plumb, folder, program, "--exact")
        view = json.loads(run(plumb, "report", "-i", path, "--sharing", "--json"))
        accesses, moves = perf_sums(path)
        symbols = run(gcc.replace("gcc", "nm"), program)
    places = {name: int(address, 16) for address, name in
              re.findall(r"(\w+) \w (beside|together|pair|own)$", symbols, re.MULTILINE)}
    numbers = {mark: f"shared.c:{number}" for number, line in enumerate(SOURCE.split("\n"), 1)
               for mark in re.findall(r"/\* (\w+) \*/", line)}
    assert view["exact"] is True
    found = collections.defaultdict(set)
    for row in view["accesses"]:
        line, offset = int(row["cache_line"], 16), int(row["offset"], 16)
        key = int(row["tid"]), line + offset, row["access"]
        assert row["moves"] <= row["accesses"], row
        if line not in (places["beside"], places["together"], places["pair"]):
            continue
        assert (row["accesses"], row["threads"]) == (ROUNDS, 2), row
        assert (accesses[key], moves[key]) == (row["accesses"], row["moves"]), (row, moves[key])
        found[line].add((row["sharing"], offset, int(row["bytes"]), row["access"],
                         int(row["tid"]), row["srcline"]))
    assert found == expected(places, numbers), found
    listed = {int(row["cache_line"], 16) for row in view["accesses"]}
    assert not listed & {places["own"], places["own"] + 64}, "a line that one thread uses alone"
    # Those lines go to and fro all the time; what else threads share moves at their ends.
    first = [int(row["cache_line"], 16) for row in view["accesses"]]
    assert set(first[:8]) == set(found), first
    lines = {row["cache_line"]: row["line_moves"] for row in view["accesses"]}
    # Each round has one addition to the common word, for which its line goes round both cores, and
    # the line of neighbours does so meanwhile.
    for name in ("beside", "together"):
        assert lines[hex(places[name])] >= 0.9 * 2 * ROUNDS, (name, lines[hex(places[name])])
    return ", ".join(f"{name}: {lines[hex(places[name])]} moves"
                     for name in ("beside", "together", "pair"))


# Each thread counts in a word of its own, and both in a third one of the same line, more seldom.
MIXED = r"""
#include <pthread.h>
#include <stdint.h>
__attribute__((aligned(64))) volatile uint64_t line[8];
static uint32_t started;
static void *count(void *argument)
{
	const uintptr_t n = (uintptr_t)argument;
	__atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < 2)
		;
	for (int i = 0; i < 3000; i++) {
		line[n]++;
		if (i % 4 == 0)
			__atomic_fetch_add(&line[2], 1, __ATOMIC_RELAXED);
	}
	return 0;
}
int main(void)
{
	pthread_t other;
	if (pthread_create(&other, 0, count, (void *)1))
		return 1;
	count(0);
	return pthread_join(other, 0) || line[0] + line[1] != 6000;
}
"""


def kinds_of(plumb, folder, source, *symbols):
    """The kinds of sharing, and the moves, that the view has for the lines of a program's data."""
    gcc, program = compiler(plumb), os.path.join(folder, "program")
    run(gcc, "-O2", "-g", "-static", "-pthread", "-march=armv8.1-a", "-o", program, source)
    path = record(plumb, folder, program, "--exact")
    view = json.loads(run(plumb, "report", "-i", path, "--sharing", "--json"))
    table = run(gcc.replace("gcc", "nm"), program)
    places = [int(re.search(rf"(\w+) \w {symbol}$", table, re.MULTILINE)[1], 16)
              for symbol in symbols]
    return [{(row["sharing"], row["line_moves"]) for row in view["accesses"]
             if int(row["cache_line"], 16) == place} for place in places]


@tap.test
def rare_reads(plumb):
    """A thread that once reads what others counted does not make a line's sharing true"""
    source = os.path.join(os.path.dirname(__file__), "..", "guilty", "false_sharing.c")
    with tempfile.TemporaryDirectory() as folder:
        (kinds,) = kinds_of(plumb, folder, source, "shared")
    ((kind, moves),) = kinds
    # Two moves per access by main to what the other thread wrote: 2 of these.
    assert kind == "false" and moves > 1000, kinds
    return f"{moves} moves"


@tap.test
def mixed(plumb):
    """A line with words of each thread and a common one has mixed sharing"""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "mixed.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(MIXED)
        (kinds,) = kinds_of(plumb, folder, source, "line")
    ((kind, moves),) = kinds
    assert kind == "mixed", kinds
    return f"{moves} moves"


# Each thread goes through 32 MiB of its own, twice, and counts in every seventeenth line.
PRIVATE = r"""
#include <pthread.h>
#include <stdint.h>
#define BYTES (32u << 20)
__attribute__((aligned(65536))) volatile uint8_t buffers[2][BYTES];
static void *fill(void *own)
{
	volatile uint8_t *bytes = own;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < BYTES; i += 17 * 64)
			bytes[i]++;
	return 0;
}
int main(void)
{
	pthread_t other;
	if (pthread_create(&other, 0, fill, (void *)buffers[1]))
		return 1;
	fill((void *)buffers[0]);
	return pthread_join(other, 0);
}
"""


@tap.test
def private(plumb):
    """Large buffers that threads have to themselves are not shared"""
    gcc = compiler(plumb)
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "private.c"), os.path.join(folder, "private")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PRIVATE)
        run(gcc, "-O2", "-static", "-pthread", "-o", program, source)
        path = record(plumb, folder, program, "--exact")
        view = json.loads(run(plumb, "report", "-i", path, "--sharing", "--json"))
        begin = int(re.search(r"(\w+) \w buffers$", run(gcc.replace("gcc", "nm"), program),
                              re.MULTILINE)[1], 16)
    lines = {int(row["cache_line"], 16) for row in view["accesses"]}
    assert lines, "nothing at all is shared, not even what the C library waits for"
    assert not any(begin <= line < begin + (64 << 20) for line in lines), lines
    return f"{len(lines)} lines of the C library are"


if __name__ == "__main__":
    tap.run(*sys.argv[1:])
