#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""source_lines.py SOURCE_LINES FILE: lines of source and inlined functions, beside addr2line of binutils and LLVM.

FILE is a large program with DWARF; others are compiled here, in the forms that compilers and
distributions leave debug information in.
"""
import ctypes
import glob
import http.server
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

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


# The main program of SOURCE as another unit's function, and one that is inlined.
PLAIN = """
#include <stdio.h>
#include <string.h>
int begin(int count, char **arguments);
static inline __attribute__((always_inline)) int halved(const char *text)
{
	return (int)strlen(text) / 2;
}
int main(int count, char **arguments)
{
	if (halved(arguments[0]) == 77)
		puts(arguments[0]);
	return begin(count, arguments) + halved(arguments[0]);
}
"""

# What two programs have from one header, dwz moves into a file: methods refer to their declarations there.
HEADER = """
#include <cstdlib>
namespace outer { template <typename T> struct Counter {
	T sum; T most; int count;
	__attribute__((always_inline)) void add(T value)
	{
		sum += value;
		if (value > most)
			most = value;
		count += rand() & 1;
	}
	__attribute__((noinline)) T mean() const { return count ? sum / count : most; }
}; }
"""
COUNTERS = """
#include "../counter.h"
int main(int grown, char **)
{
	outer::Counter<int> ints{};
	outer::Counter<double> doubles{};
	for (int i = 0; i < grown * 3; i++) {
		ints.add(i);
		doubles.add(i / 3.0);
	}
	return ints.mean() + doubles.mean();
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
            file = "-" if path == "??" else os.path.basename(path)
            frames.append((function, file, line.replace("?", "0")))
        yield frames


def same(ours, theirs):
    """LLVM takes what it can from the symbol table, and a constructor's plain name if it has none."""
    return ours[1:] == theirs[1:] and (ours[0] in (theirs[0], theirs[0].split(".")[0]) or
                                       re.search(f"{len(theirs[0])}{theirs[0]}[CD]4", ours[0]))


def equal(ours, theirs):
    return len(ours) == len(theirs) and all(map(same, ours, theirs))


def compare(path, judged=None, step=None, judge="addr2line"):
    """Every `step`-th place in its code, or 3,000 at random; `judged`: the file that `judge` reads."""
    address, offset, size = code_of(path)
    chance = random.Random(1)
    places = (list(range(offset, offset + size, step)) if step else
              [offset + chance.randrange(size) for _ in range(3000)])
    ours = run(reader, path, text="\n".join(map(hex, places))).splitlines()
    known, disputed = 0, []
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
        if not equal(frames, theirs) and judge == "addr2line":
            disputed.append((place, frames, theirs))
            continue
        assert equal(frames, theirs), f"{place:#x}: {frames}, and {judge} {theirs}"
        known += 1
    # addr2line names the file of another row here and there: see judge_of_headers().
    if disputed:
        assert len(disputed) <= len(places) / 500, disputed
        second = judge_of_headers()
        for (place, frames, theirs), answer in zip(disputed, frames_of_judge(
                second, judged or path, [place - offset + address for place, *_ in disputed])):
            assert equal(frames, answer), \
                f"{place:#x}: {frames}, {judge} {theirs}, and {second} {answer}"
    # What starts a program, and libraries linked in, have no debug information.
    assert known >= len(places) / 4, f"only {known} of {len(places)} known"
    return f"{known} of {len(places)} places known, all equal; {len(disputed)} more to another judge"


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
def by_clang4():
    """DWARF 4 of clang"""
    return compare(compiled("by_clang4", "clang", SOURCE, "-gdwarf-4"), step=1)


def compare_split(name, compiler, version):
    """The same program's lines, split off and not."""
    whole = compiled(name + "-whole", compiler, SOURCE, f"-gdwarf-{version}")
    path = compiled(name, compiler, SOURCE, f"-gdwarf-{version}", "-gsplit-dwarf")
    assert code_of(whole) == code_of(path), "not the same code"
    return compare(path, judged=whole, step=1)


@tap.test
def split():
    """Split DWARF"""
    return compare_split("split", "gcc", 5)


@tap.test
def split4():
    """Split DWARF 4"""
    return compare_split("split4", "gcc", 4)


@tap.test
def split_by_clang():
    """Split DWARF of clang"""
    return compare_split("split_by_clang", "clang", 5)


@tap.test
def split_missing():
    """What was split off is missing, or is in a package that cannot be read"""
    path = compiled("split_missing", "gcc", SOURCE, "-gdwarf-5", "-gsplit-dwarf")
    known, warnings = answers_of(path)
    assert not warnings, warnings
    (split,) = glob.glob(os.path.join(os.path.dirname(path), "*.dwo"))
    os.remove(split)
    answers, warnings = answers_of(path)
    assert warnings.count(os.path.basename(split)) == 1, warnings
    assert warnings.count("inlined functions are missing") == 1, warnings
    assert answers != known and sum(line != "-" for line in answers) > 20
    with open(path + ".dwp", "wb") as file:
        file.write(b"junk")
    again, warnings = answers_of(path)
    assert warnings.count(path + ".dwp cannot be read") == 1, warnings
    assert again == answers


def libdw_version():
    """(0, 188), for instance."""
    libdw = ctypes.CDLL("libdw.so.1")
    libdw.dwfl_version.restype = ctypes.c_char_p
    return tuple(map(int, libdw.dwfl_version(None).decode().split(".")))


def in_package(name, compiler, version, tool):
    """The same program's lines, unsplit and from a package; before libdw 0.191, a warning that names it."""
    if not shutil.which(tool):
        raise Skip(f"there is no {tool}")
    whole = compiled(name + "-whole", compiler, SOURCE, f"-gdwarf-{version}")
    path = compiled(name, compiler, SOURCE, f"-gdwarf-{version}", "-gsplit-dwarf")
    place = os.path.dirname(path)
    subprocess.run([tool, "-e", path, "-o", path + ".dwp"], check=True, cwd=place, timeout=60,
                   capture_output=True)
    for split in glob.glob(os.path.join(place, "*.dwo")):
        os.remove(split)
    assert code_of(whole) == code_of(path), "not the same code"
    expected = [line.replace(os.path.dirname(whole), place) for line in answers_of(whole)[0]]
    answers, warnings = answers_of(path)
    if libdw_version() < (0, 191):
        assert warnings.count(path + ".dwp cannot be read: that requires elfutils") == 1, warnings
        assert answers != expected and not any("\t" in line for line in answers)
        return "named, because libdw cannot read it"
    assert not warnings, warnings
    assert answers == expected and any("\t" in line for line in answers)
    return f"{len(answers)} places"


@tap.test
def packaged4():
    """Split DWARF 4 in a package (.dwp) of binutils' dwp"""
    return in_package("packaged4", "gcc", 4, "dwp")


@tap.test
def packaged_by_clang():
    """Split DWARF 5 in a package (.dwp) of llvm-dwp"""
    return in_package("packaged_by_clang", "clang", 5, "llvm-dwp")


@tap.test
def package():
    """A package of split DWARF that would never end, which libdw 0.191 and later open"""
    path = compiled("package", "gcc", SOURCE, "-gdwarf-5", "-gsplit-dwarf")
    os.mkfifo(path + ".dwp")
    answers, _ = answers_of(path)
    assert sum(line != "-" for line in answers) > 20, "no lines at all"


def judge_of_headers():
    """LLVM's: addr2line 2.40 names the unit's own file for lines that are a header's."""
    judge = next(filter(shutil.which, ["llvm-addr2line-19", "llvm-addr2line"]), None)
    if not judge:
        raise Skip("there is no llvm-addr2line")
    return judge


def shared_by_dwz(name, compiler, *options, version=5, source=SOURCE):
    """Two programs whose common debug information dwz has moved into a file."""
    if not shutil.which("dwz"):
        raise Skip("there is no dwz")
    one = compiled(name, compiler, source, f"-gdwarf-{version}")
    other = compiled(name + "-other", compiler, source.replace("grown", "other"),
                     f"-gdwarf-{version}")
    common = os.path.join(folder.name, name, "common")
    shutil.copy(one, one + ".whole")
    run("dwz", *options, "-m", common, one, other)
    assert os.path.exists(common), "dwz found nothing in common"
    return one, one + ".whole", common


@tap.test
def dwz4():
    """DWARF 4 in a file that dwz made"""
    path, whole, _ = shared_by_dwz("dwz4", "gcc", version=4)
    return compare(path, judged=whole, step=1)


@tap.test
def dwz5():
    """DWARF 5 in a file that dwz made"""
    path, whole, _ = shared_by_dwz("dwz5", "gcc")
    return compare(path, judged=whole, step=1)


@tap.test
def supplementary():
    """DWARF 5 with the standard's section, .debug_sup"""
    path, whole, _ = shared_by_dwz("supplementary", "gcc", "--dwarf-5")
    assert ".debug_sup" in run("objdump", "-h", path), "dwz wrote no .debug_sup"
    return compare(path, judged=whole, step=1)


@tap.test
def dwz_references():
    """Names of functions that are declared in a file that dwz made, by GNU's references and the standard's"""
    with open(os.path.join(folder.name, "counter.h"), "w", encoding="utf-8") as out:
        out.write(HEADER)
    told = []
    for name, options, form in (("alt", (), "GNU_ref_alt"), ("sup", ("--dwarf-5",), "ref_sup4")):
        path, whole, _ = shared_by_dwz("references-" + name, "g++", *options, source=COUNTERS)
        assert "DW_FORM_" + form in run("objdump", "--dwarf=abbrev", path), "dwz wrote no " + form
        told.append(compare(path, judged=whole, step=1, judge=judge_of_headers()))
    return "; ".join(told)


def split_and_shared(name, *options):
    """A program of two units, one of them split off, whose other one dwz has moved in part; and the
    same program with all debug information in it."""
    if not shutil.which("dwz"):
        raise Skip("there is no dwz")
    place = os.path.join(folder.name, name)
    os.mkdir(place)

    def make(program, source, *how):
        for file, text, flags in (("split.c", SOURCE.replace("main", "begin"), how),
                                  ("plain.c", source, ())):
            with open(os.path.join(place, file), "w", encoding="utf-8") as out:
                out.write(text)
            subprocess.run(["gcc", "-O2", "-gdwarf-4", *flags, "-c", file, "-o", program + file[:-1] + "o"],
                           check=True, cwd=place)
        subprocess.run(["gcc", "-o", program, program + "split.o", program + "plain.o"], check=True,
                       cwd=place)
        return os.path.join(place, program)

    programs = [make("one", PLAIN, "-gsplit-dwarf"),
                make("two", PLAIN.replace("halved", "other"), "-gsplit-dwarf")]
    whole = make("whole", PLAIN)
    # dwz does not know the addresses of split units, and need not.
    for program in programs:
        run("objcopy", "--rename-section", ".debug_addr=.hidden", program)
    run("dwz", *options, "-m", os.path.join(place, "common"), *programs)
    for program in programs:
        run("objcopy", "--rename-section", ".hidden=.debug_addr", program)
    assert os.path.exists(os.path.join(place, "common")), "dwz found nothing in common"
    return programs[0], whole


@tap.test
def split_beside_supplementary():
    """Split DWARF beside units that refer to a file that dwz made, by GNU's references and the standard's"""
    told = []
    for name, options, section in (("split-alt", (), ".gnu_debugaltlink"),
                                   ("split-sup", ("--dwarf-5",), ".debug_sup")):
        path, whole = split_and_shared(name, *options)
        assert section in run("objdump", "-h", path), "dwz wrote no " + section
        assert code_of(path) == code_of(whole), "not the same code"
        answers, warnings = answers_of(path)
        assert not warnings, warnings
        for function in "fourfold", "halved", "begin":
            assert any(function in answer for answer in answers), function
        assert answers == [answer.replace(whole, path) for answer in answers_of(whole)[0]]
        told.append(compare(path, judged=whole, step=1, judge=judge_of_headers()))
    return "; ".join(told)


@tap.test
def package_beside_supplementary():
    """A package of split DWARF (.dwp) beside units that refer to a file that dwz made"""
    if not shutil.which("dwp"):
        raise Skip("there is no dwp")
    path, whole = split_and_shared("package-sup", "--dwarf-5")
    place = os.path.dirname(path)
    subprocess.run(["dwp", "-e", path, "-o", path + ".dwp"], check=True, cwd=place, timeout=60,
                   capture_output=True)
    for split in glob.glob(os.path.join(place, "*.dwo")):
        os.remove(split)
    answers, warnings = answers_of(path)
    if libdw_version() < (0, 191):
        assert warnings.count(path + ".dwp cannot be read: that requires elfutils") == 1, warnings
        assert any("halved" in answer for answer in answers)
        return "named, because libdw cannot read it"
    assert not warnings, warnings
    return compare(path, judged=whole, step=1, judge=judge_of_headers())


@tap.test
def dwz_aarch64():
    """AArch64 in a file that dwz made"""
    path, whole, _ = shared_by_dwz("dwz_aarch64", "aarch64-linux-gnu-gcc")
    return compare(path, judged=whole, step=4)


def answers_of(path):
    """Lines of all its code, and what the reader warns of; soon, or not at all."""
    _, offset, size = code_of(path)
    places = "\n".join(map(hex, range(offset, offset + size)))
    done = subprocess.run([reader, path], input=places, text=True, check=True, timeout=60,
                          capture_output=True)
    return done.stdout.splitlines(), done.stderr


@tap.test
def dwz_missing():
    """What dwz moved is missing, is another's, or would never end"""
    for name, options in ("dwz_missing", ()), ("sup_missing", ("--dwarf-5",)):
        path, whole, common = shared_by_dwz(name, "gcc", *options)
        known = answers_of(whole)[0]

        def check():
            answers, warnings = answers_of(path)
            assert warnings.count("common") == 1, f"no warning, or several: {warnings}"
            assert sum(line != "-" for line in answers) > 20, "no lines at all"
            assert answers != known, "nothing is missing"

        os.remove(common)
        check()
        shutil.copy(whole, common)
        check()
        os.remove(common)
        os.mkfifo(common)
        check()


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
def separate_by_crc():
    """The same without build-ids: the CRC tells whether it is the right file"""
    path = compiled("by_crc", "gcc", SOURCE, "-g", "-Wl,--build-id=none")
    whole, debug = path + ".whole", path + ".debug"
    shutil.copy(path, whole)
    run("objcopy", "--only-keep-debug", path, debug)
    run("strip", path)
    subprocess.run(["objcopy", "--add-gnu-debuglink=program.debug", path], check=True,
                   cwd=os.path.dirname(path))
    told = compare(path, judged=whole, step=1)
    assert answers_of(path)[1] == "", "a warning of the right file"
    with open(debug, "ab") as file:
        file.write(b"changed")
    answers, warnings = answers_of(path)
    assert set(answers) == {"-"}, "the lines of another file"
    assert "CRC" in warnings and debug in warnings, warnings
    return told


@tap.test
def cplusplus():
    """C++ with templates inlined"""
    return compare(compiled("cplusplus", "g++", CPLUSPLUS, "-g"), step=3, judge=judge_of_headers())


@tap.test
def aarch64():
    """An AArch64 program"""
    return compare(compiled("aarch64", "aarch64-linux-gnu-gcc", SOURCE, "-g"), step=4)


@tap.test
def aarch64_dwarf4():
    """An AArch64 program, DWARF 4"""
    return compare(compiled("aarch64_4", "aarch64-linux-gnu-gcc", SOURCE, "-gdwarf-4"), step=4)


class Server(http.server.BaseHTTPRequestHandler):
    """A debuginfod with one file."""
    path_served, file, asked = None, None, []

    def do_GET(self):
        Server.asked.append(self.path)
        if self.path != Server.path_served:
            self.send_error(404)
            return
        with open(Server.file, "rb") as file:
            body = file.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


@tap.test
def debuginfod():
    """A server's debug information, if the user's environment names the server"""
    path = compiled("debuginfod", "gcc", SOURCE, "-g", "-Wl,--build-id=sha1")
    whole = path + ".whole"
    shutil.copy(path, whole)
    run("strip", path)
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", path)).group(1)
    Server.path_served, Server.file = f"/buildid/{build_id}/debuginfo", whole
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert set(answers_of(path)[0]) == {"-"}, "lines without a server"
        assert not Server.asked, f"asked without being told to: {Server.asked}"
        os.environ["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.server_port}/"
        os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.join(folder.name, "cache")
        if "libdebuginfod.so.1 is missing" in answers_of(path)[1]:
            raise Skip("there is no libdebuginfod")
        told = compare(path, judged=whole, step=1)
        # Another program, of which no server knows, has none.
        other = compiled("unserved", "gcc", SOURCE.replace("grown", "other"))
        assert set(answers_of(other)[0]) == {"-"}, "lines of another program"
        return told
    finally:
        os.environ.pop("DEBUGINFOD_URLS", None)
        server.shutdown()
        server.server_close()


@tap.test
def debuginfod_is_silent():
    """A server that never answers is asked once"""
    path = compiled("silent", "gcc", SOURCE, "-g", "-Wl,--build-id=sha1")
    run("strip", path)
    listener = socket.create_server(("127.0.0.1", 0))
    os.environ["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.join(folder.name, "silent-cache")
    os.environ["DEBUGINFOD_TIMEOUT"] = "1"
    os.environ["DEBUGINFOD_RETRY_LIMIT"] = "0"
    try:
        lines, said = answers_of(path)
        if "libdebuginfod.so.1 is missing" in said:
            raise Skip("there is no libdebuginfod")
        assert set(lines) == {"-"}, "lines of a server that does not answer"
        assert said.count("did not answer in time") == 1, said
        listener.settimeout(0)
        listener.accept()[0].close()
        try:
            listener.accept()
        except BlockingIOError:
            return "asked once"
        raise AssertionError("asked again")
    finally:
        for name in "URLS", "CACHE_PATH", "TIMEOUT", "RETRY_LIMIT":
            os.environ.pop(f"DEBUGINFOD_{name}", None)
        listener.close()


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
