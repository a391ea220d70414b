#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_names.py KERNEL_NAMES PLUMB: names and lines of a kernel's own file and of modules, beside nm and
addr2line, and reports of samples in them, beside perf's. The kernel is a program linked like one and loaded
elsewhere; modules are as Debian and others compress them."""
import collections
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
reader, plumb = map(os.path.abspath, sys.argv[1:3])
folder = tempfile.TemporaryDirectory()
KERNEL = """
static __attribute__((noinline, used)) int grow(int x) { return x * 3; }
int start_kernel(int x)
{
	return grow(x) + 1;
}
"""
SLIDE = 0x12400000
HIGH = 0xFFFFFFFF80000000  # where perf expects a kernel to be
BASE = 0xFFFFFFFFC0350000
PATH = "/lib/modules/6.1/kernel/net/own.ko"


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, check=True, cwd=folder.name,
                          capture_output=True).stdout


def build_id(path):
    return re.search(r"Build ID: (\w+)", run("readelf", "-n", path)).group(1)


def functions(path):
    """(address, size, name) of functions in .text."""
    for line in run("nm", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            yield int(words[0], 16), int(words[1], 16), words[3]


def make():
    """The kernel, a module and another one; once."""
    if os.path.exists(os.path.join(folder.name, "vmlinux")):
        return
    for name, text in (("kernel.c", KERNEL), ("module.c", KERNEL.replace("start_kernel", "own_init")),
                       ("other.c", KERNEL.replace("grow", "other"))):
        with open(os.path.join(folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)
    options = ("-O2", "-g", "-ffreestanding", "-fno-pic", "-fno-asynchronous-unwind-tables")
    for name in "kernel", "other":
        run("gcc", *options, "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=sha1", "-Wl,-e0",
            "-Wl,-Ttext=0x1000000", "-Wl,--defsym=_text=0x1000000", "-o",
            "vmlinux" if name == "kernel" else "other", name + ".c")
    run("gcc", *options, "-c", "-o", "module.o", "module.c")
    run("ld", "-r", "--build-id=sha1", "-o", "own.ko", "module.o")
    os.makedirs(folder.name + "/system" + os.path.dirname(PATH))


def ask(vmlinux, addresses, ending="", kernel_id=None):
    """Names, lines and warnings for addresses as they were when the kernel ran."""
    done = subprocess.run(
        [reader, vmlinux, folder.name + "/system", kernel_id or build_id("vmlinux"),
         hex(0x1000000 + SLIDE), PATH + ending, build_id("own.ko"), hex(BASE)],
        input="\n".join(map(hex, addresses)), text=True, check=True, capture_output=True)
    return [line.split() for line in done.stdout.splitlines()], done.stderr


def check_kernel(vmlinux):
    """Each byte has nm's name and addr2line's line, though the kernel was loaded elsewhere."""
    known = {start + i: name for start, size, name in functions("vmlinux") for i in range(size)}
    assert len(known) > 10, known
    lines = run("addr2line", "-e", "vmlinux", *map(hex, known)).splitlines()
    answers, warnings = ask(vmlinux, [address + SLIDE for address in known])
    assert not warnings, warnings
    for (address, name), line, answer in zip(known.items(), lines, answers):
        line = re.sub(r" \(discriminator \d+\)", "", line).rsplit(":", 1)[1]
        assert answer == [name, line], f"{address:#x}: {answer}, and nm {name}, addr2line {line}"
    return f"{len(known)} addresses, all equal"


@tap.test
def named():
    """A kernel that the user names"""
    make()
    return check_kernel(folder.name + "/vmlinux")


@tap.test
def found():
    """A kernel found by its build-id"""
    make()
    identity = build_id("vmlinux")
    assert {name for name, _ in ask("-", [0x1000000 + SLIDE])[0]} == {"-"}
    place = f"{folder.name}/system/usr/lib/debug/.build-id/{identity[:2]}"
    os.makedirs(place)
    shutil.copy(folder.name + "/vmlinux", f"{place}/{identity[2:]}.debug")
    return check_kernel("-")


@tap.test
def missing():
    """A kernel that the user names and that does not exist"""
    make()
    warnings = ask(folder.name + "/missing", [0x1000000 + SLIDE])[1]
    assert warnings == f"{folder.name}/missing is not used: it does not exist\n", warnings
    return "said"


@tap.test
def another():
    """Another kernel is not used"""
    make()
    answers, warnings = ask(folder.name + "/other", [0x1000000 + SLIDE])
    assert answers == [["-", "0"]], answers
    assert "not the recorded kernel" in warnings, warnings


def check_module(ending):
    known = {start + i: name for start, size, name in functions("own.ko") for i in range(size)}
    assert len(known) > 10, known
    answers, warnings = ask("-", [address + BASE for address in known], ending)
    assert not warnings, warnings
    for (address, name), answer in zip(known.items(), answers):
        assert answer[0] == name, f"{address:#x}: {answer}, and nm {name}"
    return f"{len(known)} addresses, all equal"


@tap.test
def modules():
    """A module, plain and compressed"""
    make()
    plain = folder.name + "/system" + PATH
    shutil.copy(folder.name + "/own.ko", plain)
    told = [check_module("")]
    with open(plain, "rb") as file, open(plain + ".xz", "wb") as out:
        out.write(lzma.compress(file.read()))
    told.append(check_module(".xz"))
    if shutil.which("zstd"):
        run("zstd", "-q", plain, "-o", plain + ".zst")
        told.append(check_module(".zst"))
    return "; ".join(told)


@tap.test
def changed_module():
    """A module that has changed is not used, and damage is none"""
    make()
    path = folder.name + "/system" + PATH + ".1"
    with open(path, "wb") as out, open(folder.name + "/own.ko", "rb") as file:
        data = file.read()
        identity = bytes.fromhex(build_id("own.ko"))
        assert data.count(identity) == 1
        out.write(data.replace(identity, bytes(20)))
    answers, warnings = ask("-", [BASE], ".1")
    assert answers == [["-", "0"]] and "has changed" in warnings, (answers, warnings)
    packed = lzma.compress(data)
    for bad in packed[:len(packed) // 2], lzma.compress(b"none"), b"", b"\xfd7zXZ\0":
        with open(path, "wb") as out:
            out.write(bad)
        answers, _ = ask("-", [BASE], ".1")
        assert answers == [["-", "0"]], answers


def record(kind, mode, body):
    return struct.pack("<IHH", kind, mode, 8 + len(body)) + body


def padded(name):
    return name.encode() + bytes(8 - len(name) % 8)


def recording(samples, identity=None):
    """Writes a recording to a pipe: the kernel, the module and another one, and `samples`: counts by
    address. `identity`: the module's build-id, or none."""
    kernel, user, mmap, comm, sample, attributes, build_id = 1, 2, 1, 3, 9, 64, 67
    ip, tid, time, period, id_all = 1, 2, 4, 0x100, 1 << 18
    attr = struct.pack("<IIQQQQQ", 0, 136, 0, 1, ip | tid | time | period, 0, id_all)
    out = b"PERFILE2" + struct.pack("<Q", 16) + record(attributes, 0, attr.ljust(136, b"\0"))
    if identity:
        out += record(build_id, kernel | 1 << 15, struct.pack("<i", -1) +
                      bytes.fromhex(identity).ljust(20, b"\0") + b"\x14\0\0\0" + padded(PATH))
    for start, length, name in ((HIGH + 0x1000000, 0x1000000, "[kernel.kallsyms]_text"),
                                (BASE, 0x1000, PATH), (BASE + 0x10000, 0x1000, "[inner]")):
        offset = start if name.startswith("[kernel") else 0
        out += record(mmap, kernel, struct.pack("<iIQQQ", -1, 0, start, length, offset) +
                      padded(name) + bytes(16))
    out += record(comm, user, struct.pack("<II", 77, 77) + padded("program") + bytes(16))
    moment = 1000
    for address, count in samples.items():
        for moment in range(moment + 1, moment + 1 + count):
            out += record(sample, kernel, struct.pack("<QIIQQ", address, 77, 77, moment, 1))
    with open(os.path.join(folder.name, "recorded.data"), "wb") as file:
        file.write(out)


def shares(text, pattern):
    """Shares by file and function; what has no name in a file counts together."""
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(pattern, line)
        if match:
            share, dso, name = match.groups()
            found[dso, "-" if re.match(r"0x|\[", name) else name] += round(float(share) * 100)
    return found


def compare_reports(samples, *options):
    perf = shares(run("perf", "report", "-i", "recorded.data", "--stdio", "-s", "dso,sym", *options),
                  r"\s+([\d.]+)%\s+(\S+)\s+\[k\] (\S+)")
    own = shares(run(plumb, "report", "-i", "recorded.data", "--stdio", "-s", "dso,sym", *options),
                 r"\s*([\d.]+)%\s+~?\s*[\d.]+\.\.[\d.]+\s+\d+\s+(\S+)\s+(\S+)")
    assert abs(sum(perf.values()) - 10000) <= len(samples), perf
    assert own == perf, f"{own}, and perf {perf}"
    return perf


@tap.test
def recorded():
    """Samples in modules: by kallsyms, and by the modules below --symfs, with and without build-id"""
    make()
    if not shutil.which("perf"):
        raise Skip("there is no perf")
    shutil.copy(folder.name + "/own.ko", folder.name + "/system" + PATH)
    inside = {start + i: start + i + 1 for start, size, _ in functions("own.ko") for i in range(size)}
    samples = {BASE + address: count for address, count in inside.items()}
    outside = {BASE + 0x800: 3, BASE + 0x10004: 9}
    kernel = {HIGH + start: 20 for start, _, _ in functions("vmlinux")}
    with open(folder.name + "/kallsyms", "w", encoding="utf-8") as file:
        file.write(f"{HIGH + 0x1000000:x} T _text\n")
        for start, _, name in functions("vmlinux"):
            file.write(f"{start + HIGH:x} T {name}\n")
        for start, _, name in functions("own.ko"):
            file.write(f"{start + BASE:x} t {name}\t[own]\n")
        file.write(f"{BASE + 0x10000:x} t inner_read\t[inner]\n")
    # perf reads kallsyms for the kernel's first sample, too late for modules before it.
    samples = kernel | samples | outside
    told = []
    for identity in None, build_id("own.ko"):
        recording(samples, identity)
        named = compare_reports(samples, "--kallsyms", "kallsyms")
        assert ("[inner]", "inner_read") in named and ("[own]", "own_init") in named, named
        told.append(len(named))
        named = compare_reports(samples, "--symfs", folder.name + "/system")
        assert ("[own]", "own_init") in named and ("[inner]", "-") in named, named
        told.append(len(named))
    return f"{told} rows, all equal"


if os.uname().machine != "x86_64":
    tap.skip_all("the kernel's program is x86-64's")
with folder:
    tap.run()
