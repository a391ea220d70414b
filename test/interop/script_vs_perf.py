#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb script and plumb spe dump print what perf does, line by line: of recordings that perf makes
here of a C++ program with threads, processes and call chains, and of recordings of SPE made by
chance. script_vs_perf.py PLUMB MAKE_SPE_RECORDING"""
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from inner_labels import inner_labels
from perf_tool import run_perf
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()

PROGRAM = r"""
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

template <typename T> struct Box {
	T value;
	__attribute__((noinline)) T twist(T x) const
	{
		T sum = value;
		for (int i = 0; i < 2000; i++)
			sum = sum * 31 + x;
		return sum;
	}
};

namespace deep {
struct Sine {
	__attribute__((noinline)) double operator()(double x) const
	{
		double sum = 0;
		for (int i = 1; i < 3000; i++)
			sum += std::sin(x / i);
		return sum;
	}
};
}

__attribute__((noinline)) unsigned long words(int n)
{
	std::map<std::string, int> seen;
	for (int i = 0; i < n; i++)
		seen[std::to_string(rand() % 1000)]++;
	return seen.size();
}

/*
 * The compiler inlines it into itself, and into no other function. Like those below, it is not
 * static: GCC 14 gives static ones no linkage name, and addr2line takes their names from elsewhere.
 */
unsigned long nodes(unsigned long n)
{
	return n < 2 ? n : nodes(n - 1) * 3 + nodes(n - 2) + (n & 7);
}

static unsigned long (*volatile count_nodes)(unsigned long) = nodes;

__attribute__((noinline)) unsigned long tree(int n)
{
	unsigned long sum = 0;
	for (int i = 0; i < 200; i++)
		sum += count_nodes(12 + (n & 3));
	return sum;
}

void work(int n)
{
	Box<unsigned long> whole{3};
	Box<double> real{1.5};
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += (double)whole.twist(i) + real.twist(i) + deep::Sine()(i) + words(200) +
		       tree(i);
	printf("%f\n", sum);
}

int main(int count, char **)
{
	if (count > 1) {
		work(300);
		return 0;
	}
	std::thread one(work, 120), two(work, 120);
	one.join();
	two.join();
	if (!fork()) {
		work(60);
		_exit(0);
	}
	wait(nullptr);
	if (!fork())
		execl("/bin/ls", "ls", "-lR", "/usr/share/doc", nullptr);
	wait(nullptr);
	for (int i = 0; i < 5000; i++) {
		FILE *file = fopen("/proc/self/stat", "r");
		if (file)
			fclose(file);
	}
}
"""

# What perf is asked for as well.
PMU_LISTS = [
    "", "-F comm,tid,pid,time,event,ip,sym,symoff,dso", "-F tid,ip,sym", "-F -sym,-symoff", "-F ip",
    "-F comm,misc,time,period", "-F sw:ip,sym", "-F +flags", "--ns", "--reltime",
    "--deltatime -F +pid", "-G", "--show-task-events", "--show-mmap-events", "-c program",
    "--comms ls,perf-exec", "-S words", "--dsos program", "--dsos [kernel.kallsyms]",
    "--time 10%-20%", "--time 50%", "--time 10%/2,10%/4", "-F event",
]
SPE_LISTS = [
    "", "--itrace=i1i", "--itrace=i10i -F ip,addr,data_src", "--itrace=tM -F +phys_addr",
    "--itrace=i1i -F comm,pid,tid,event,ip,sym,symoff,dso,addr,phys_addr,data_src,weight,period",
    "--itrace=i1i -F +addr,+flags,+data_src,+weight", "-F hw:ip,event", "--itrace=i1i --ns",
    "-F +misc", "-F -period,-event", "--itrace=bx",
]
# Lines of source and unwound chains; since 6.12, offsets in files. Of ls, which is stripped, perf
# unwinds some chains into what is no code.
SOURCE_LISTS = ["-F ip,sym,dso,srcline", "-F comm,tid,ip,sym,symoff,srcline", "-F ip,srcline"]
OFFSET_LISTS = [] if perf.like in ("", "6.1") else ["-F ip,sym,dsoff", "-F +dsoff"]
UNWOUND_LISTS = ["-c program " + words for words in ["", "-F ip,sym", "-F ip,sym,dso", "-G",
                                                     *OFFSET_LISTS]]
# Functions inlined into those of unwound chains, and their lines.
INLINE_LISTS = ["-c program --inline" + words for words in [
    "", " -F ip,sym", " -F ip,sym,symoff,dso", " -F ip,dso", " -F ip,sym,srcline"]]
# Since 7.3, records become branches.
if perf.like == "7.3":
    SPE_LISTS += ["--itrace=bl2 -F ip,brstack", "--itrace=i1il1 -F +brstack,+dso", "-F +flags"]
SPE = {
    "of any version": "5 3000 3 new switches",
    "of CPUs, with contexts and all": "1 3000 3 contexts switches clock physical collisions",
    "of threads": "2 2000 2 thread",
    "timeless": "3 2000 2 timeless compact",
    "in small chunks": "4 2000 4 midr=0x410fd8e0 chunk=777",
}
PLT = re.compile(r"(\S*@plt|_init|\[unknown\])(\+0x[0-9a-f]+)?(?= \(|$| )")
NAME, NAMELESS = re.compile(r"^ *\S+"), re.compile(r"^ *:\d+ ")
TRANSACTION = re.compile(r" *\(x?\) +")
# Lines of SPE's packets, and of the buffer that they are in.
PACKETS = re.compile(r"^\.  [0-9a-f]{8}: |^\. \.\.\. ARM SPE")


# The PID namespace that Linux boots with: PROC_PID_INIT_INO in include/linux/proc_ns.h.
INITIAL_NAMESPACE = "pid:[4026531836]"
OUTSIDE = re.compile(r"^ *\S+ +0(/0)? ")


def in_function(line):
    """The line with the functions that inner labels are in instead of them."""
    def replace(match):
        function, distance = inner_labels()[match[1]]
        return function + (f"+{int(match[2], 16) + distance:#x}" if match[2] else "")
    known = "|".join(map(re.escape, inner_labels()))
    return re.sub(rf"\b({known})\b(?:\+(0x[0-9a-f]+))?", replace, line) if known else line


def output(*command):
    done = run_perf(command, capture_output=True)
    return done.stdout.decode("utf-8", "replace").splitlines(), done.returncode


def same(our, their):
    """Where symbols overlap, as _init without a size and the PLT behind it, or a label in a function
    of the C library, perf finds either, as its tree happens to lie; Plumb the inner one. perf 6.1
    names the PLT's entries in the order of their relocations, and some not at all, Plumb by the slots
    they jump through. Newer perfs have lost the names of some threads, name more of the PLT, and
    print transactions as nothing at a place of its own."""
    if our == their or in_function(our) == their:
        return True
    if perf.like == "6.1":
        return bool("@plt" in our and re.search(r"@plt|_init|\[unknown\]", their)) and \
            PLT.sub("", our) == PLT.sub("", their)
    if NAMELESS.match(their):
        our, their = NAME.sub("", our), NAME.sub("", their)
    if "@plt" in their:
        our, their = PLT.sub("", our), PLT.sub("", their)
    return TRANSACTION.sub(" ", our) == TRANSACTION.sub(" ", their)


# The lines of source that debug information tells; what else is printed is perf's guess, and of
# libraries whose information is not installed it depends on what perf tried before.
SOURCE_LINE, OWN_LINE = re.compile(r"^  \S"), re.compile(
    r"^  (program\.cc|(stl|std|new|basic|alloc)_\w+\.h):\d+( \(inlined\))?$")


def known_lines(lines):
    return [line for line in lines if OWN_LINE.match(line) or not SOURCE_LINE.match(line)]


def difference(ours, theirs):
    """The first lines that are not the same, as text; empty if there are none."""
    for number, (our, their) in enumerate(zip(ours, theirs), 1):
        if not same(our, their):
            return f"line {number}:\nplumb: {our}\nperf:  {their}"
    if len(ours) != len(theirs):
        return f"{len(ours)} lines of plumb, {len(theirs)} of perf"
    return ""


def lacking(words, theirs):
    """What perf was asked for and does not print, as text."""
    if any("srcline" in word for word in words) and not any(map(OWN_LINE.match, theirs)):
        return "line of source"
    if "--inline" in words and not any(line.endswith(" (inlined)") for line in theirs):
        return "inlined function"
    return ""


def compare_once(ours, our_status, words, path):
    # perf's default is --inline.
    theirs, their_status = output("perf", "script", *([] if "--inline" in words else ["--no-inline"]),
                                  *words, "-i", path)
    if bool(our_status) != bool(their_status):
        return f"status {our_status}, perf's {their_status}"
    missing = lacking(words, theirs)
    if missing:
        return f"perf has no {missing}"
    if any("srcline" in word for word in words):
        ours, theirs = known_lines(ours), known_lines(theirs)
    return difference(ours, theirs)


def compare(plumb, path, words):
    """The same lines; or an error of both. For inlined functions and lines, perf asks addr2line; if
    that does not answer in time, on a busy machine, perf does without, so it is asked again."""
    ours, our_status = output(plumb, "script", *perf.options(), *words, "-i", path)
    asks = "--inline" in words or any("srcline" in word for word in words)
    for _ in range(5 if asks else 1):
        wrong = compare_once(ours, our_status, words, path)
        if not wrong:
            break
    return wrong


def compare_all(plumb, path, lists, least):
    """Every list of options on one recording."""
    lines, _ = output("perf", "script", "-i", path)
    if len(lines) < least:
        raise AssertionError(f"perf finds {len(lines)} lines, {least} are expected")
    if os.readlink("/proc/self/ns/pid") != INITIAL_NAMESPACE and any(map(OUTSIDE.match, lines)):
        raise Skip("in this PID namespace, all that runs outside is thread 0, which perf forgets when "
                   "one of them ends")
    wrong = []
    nameless = any(NAMELESS.match(line) for line in lines)
    for words in lists:
        if nameless and words.startswith(("-c", "--comms")):
            continue
        difference_here = compare(plumb, path, words.split())
        if difference_here:
            wrong.append(f"plumb script {words}: {difference_here}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{len(lines)} lines, {len(lists)} ways to print them"


def packets(lines):
    return [line for line in lines if PACKETS.match(line)]


class Work:
    """Where the recordings are made, and by what."""

    def __init__(self, plumb, make, folder):
        self.plumb, self.make, self.folder = plumb, make, folder

    def program(self):
        program = self.folder / "program"
        if not program.exists():
            (self.folder / "program.cc").write_text(PROGRAM)
            subprocess.run(["g++", "-O2", "-g", "-fno-omit-frame-pointer", "-pthread", "-o",
                            program, self.folder / "program.cc"], check=True)
        return program

    def record(self, options, *arguments):
        path = self.folder / "perf.data"
        command = ["perf", "record", "-q", *options, "-o", path, self.program(), *arguments]
        recorded = subprocess.run(command, capture_output=True, cwd=self.folder)
        if recorded.returncode:
            raise Skip("perf cannot record here")
        return str(path)


CLOCK = ["-e", "cpu-clock", "-F", "2000"]


def pmu_test(name, options, lists, *arguments):
    def test(work):
        return compare_all(work.plumb, work.record(options, *arguments), lists, 50)
    test.__doc__ = f"what perf records, {name}"
    tap.test(test)


def spe_test(name, words):
    def script(work):
        path = str(work.folder / "spe.data")
        subprocess.run([work.make, path, *words.split()], check=True)
        return compare_all(work.plumb, path, SPE_LISTS, 1000)

    def dump(work):
        path = str(work.folder / "spe.data")
        subprocess.run([work.make, path, *words.split()], check=True)
        ours = packets(output(work.plumb, "spe", "dump", *perf.options(), path)[0])
        theirs = packets(output("perf", "report", "-D", "-i", path)[0])
        wrong = difference(ours, theirs)
        if wrong or len(ours) < 1000:
            raise AssertionError(wrong or f"only {len(ours)} packets")
        return f"{len(ours)} lines"
    script.__doc__ = f"SPE samples {name}"
    dump.__doc__ = f"SPE packets {name}"
    tap.test(script)
    tap.test(dump)


AUXTRACE, FINISHED_ROUND = 71, 68
AUXTRACE_INDEX, DIR_FORMAT = 18, 24  # features


def records_of(data):
    """Each record with the AUX data behind it: its kind and its bytes."""
    while data:
        kind, _, size = struct.unpack_from("<IHH", data)
        if kind == AUXTRACE:
            size += struct.unpack_from("<Q", data, 8)[0]
        yield kind, data[:size]
        data = data[size:]


def make_folder(path, folder, parts):
    """Writes a recording as perf record --threads would: AUX data and samples by recording threads,
    without rounds and without an index; the rest by perf itself."""
    file = path.read_bytes()
    start, size = struct.unpack_from("<QQ", file, 40)
    bits = int.from_bytes(file[72:104], "little")
    table, features = file[start + size:], {}
    for i, number in enumerate(n for n in range(256) if bits >> n & 1):
        at, length = struct.unpack_from("<QQ", table, 16 * i)
        features[number] = file[at:at + length]
    features.pop(AUXTRACE_INDEX, None)
    features[DIR_FORMAT] = struct.pack("<Q", 1)
    data = [b""] * (parts + 1)
    for i, (kind, record) in enumerate(records_of(file[start:start + size])):
        if kind != FINISHED_ROUND:
            # AUX and ITRACE_START, and samples, are of the rings, too.
            data[1 + i % parts if kind in (AUXTRACE, 9, 11, 12) else 0] += record
    at = start + len(data[0]) + 16 * len(features)
    table = b""
    for number in sorted(features):
        table += struct.pack("<QQ", at, len(features[number]))
        at += len(features[number])
    header = bytearray(file[:start])
    struct.pack_into("<Q", header, 48, len(data[0]))
    header[72:104] = sum(1 << number for number in features).to_bytes(32, "little")
    folder.mkdir(exist_ok=True)
    (folder / "data").write_bytes(bytes(header) + data[0] + table +
                                  b"".join(features[number] for number in sorted(features)))
    for i, part in enumerate(data[1:]):
        (folder / f"data.{i}").write_bytes(part)


@tap.test
def spe_in_a_folder(work):
    """SPE samples, whose data several recording threads wrote, are those of a single file; perf 6.1
    finds none"""
    path, folder = work.folder / "whole.data", work.folder / "folder.data"
    subprocess.run([work.make, path, *next(iter(SPE.values())).split()], check=True)
    make_folder(path, folder, 3)
    for words in (["script", "-i"], ["script", "-q", "-i"], ["report", "--mem", "-t,", "-i"],
                  ["report", "--time", "10%-60%", "-t,", "-i"]):
        whole, parts = (output(work.plumb, *words, str(one))[0] for one in (path, folder))
        if whole != parts or not whole:
            raise AssertionError(f"plumb {' '.join(words)}: {len(whole)} lines of one file, "
                                 f"{len(parts)} of a folder: {difference(parts, whole)}")
    compare_all(work.plumb, str(path), SPE_LISTS[:1], 1000)
    # A file that ends early, and one that is no recording's.
    last = folder / "data.2"
    last.write_bytes(last.read_bytes()[:-100])
    done = subprocess.run([work.plumb, "script", "-q", "-i", folder], capture_output=True, text=True)
    if done.returncode or f"{last}: " not in done.stderr:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    last.write_bytes(b"\1" * 1000)
    done = subprocess.run([work.plumb, "script", "-q", "-i", folder], capture_output=True, text=True)
    if done.returncode == 0 and str(last) not in done.stderr:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    return f"{len(whole)} lines"


pmu_test("plain", CLOCK, PMU_LISTS)
pmu_test("by several recording threads", CLOCK + ["--threads=cpu"], PMU_LISTS[:4])
pmu_test("by several recording threads, compressed, with call chains",
         CLOCK + ["-g", "-z", "--threads=core"], PMU_LISTS[:4])
pmu_test("with call chains", CLOCK + ["-g"], PMU_LISTS)
pmu_test("with lines of source", CLOCK, SOURCE_LISTS + OFFSET_LISTS)
pmu_test("with stacks to unwind", CLOCK[:2] + ["-F", "200", "--call-graph", "dwarf,16384"],
         UNWOUND_LISTS)
pmu_test("with inlined functions", CLOCK[:2] + ["-F", "200", "--call-graph", "dwarf,16384"],
         INLINE_LISTS, "computing")
pmu_test("of all CPUs, with addresses", CLOCK + ["-a", "-d"], PMU_LISTS + ["-F +addr", "-C 0"])
pmu_test("compressed", CLOCK + ["-z"], PMU_LISTS[:4])
pmu_test("of page faults", ["-e", "page-faults", "-c", "1", "-d"], PMU_LISTS[:4] + ["-F +addr"])
pmu_test("of two events", ["-e", "cpu-clock,page-faults", "-F", "1000"], PMU_LISTS[:8])
pmu_test("of a group with its counts", ["-a", "-e", "{cpu-clock,page-faults}:S", "-F",
                                        "1000"], PMU_LISTS[:8])
for spe_name, spe_words in SPE.items():
    spe_test(spe_name, spe_words)

if perf.absent:
    tap.skip_all(perf.absent)
with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], sys.argv[2], Path(scratch)))
