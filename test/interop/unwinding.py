#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""unwinding.py UNWOUND SAMPLED PLUMB: call chains from copies of the stack, beside perf's and a compiler's.

SAMPLED is a program with a known call chain.
"""
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
unwound, sampled, plumb = sys.argv[1:4]
folder = tempfile.TemporaryDirectory()
programs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def chains_of(*arguments):
    """The chains, each a list of (address, symbol)."""
    text = subprocess.run([unwound, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [[(int(address, 16), symbol) for address, symbol in
             (frame.split("=", 1) for frame in line.split("\t") if frame)]
            for line in text.splitlines()]


def beside_perf(*command, recorder=("perf", "record", "--quiet", "-e", "cpu-clock:u")):
    """perf's addresses are places in files: of the same page, so the last 12 bits must agree.

    perf prints one less than each return address, so all bits are set in a chain's end, where it found
    a return address of 0.
    """
    recording = os.path.join(folder.name, "perf.data")
    try:
        subprocess.run([*recorder, "-F", "2000", "--call-graph", "dwarf,32768", "-o", recording, "--",
                        *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        text = subprocess.run(["perf", "script", "-i", recording, "-F", "ip,sym", "--no-inline"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Skip(f"perf cannot sample here: {error}") from None
    theirs = [[(int(address, 16) & 0xfff, symbol) for address, symbol in
               (line.split(None, 1) for line in chain.strip().splitlines())
               if int(address, 16) != 2**64 - 1]
              for chain in text.split("\n\n") if chain.strip()]
    ours = [[(address & 0xfff, symbol) for address, symbol in chain]
            for chain in chains_of(recording)]
    assert len(ours) == len(theirs), f"{len(ours)} chains, and {len(theirs)} of perf's"
    if len(ours) < 20:
        raise Skip(f"perf took {len(ours)} samples")
    for mine, other in zip(ours, theirs):
        assert mine == other, f"{mine}\nand perf\n{other}"
    return f"{len(ours)} chains of up to {max(map(len, ours))} frames, all equal"


@tap.test
def with_frame_pointers():
    """A program with frame pointers, as perf unwinds it"""
    return beside_perf(sampled, "100")


@tap.test
def without_frame_pointers():
    """Python, which has none, as perf unwinds it"""
    return beside_perf("/usr/bin/python3", "-c",
                       "import json; json.loads(json.dumps([list(range(100))] * 4000))")


@tap.test
def in_vdso():
    """Code that the kernel maps into every process ([vdso]), as perf unwinds it"""
    return beside_perf("/usr/bin/python3", "-c",
                       "import time\nfor _ in range(5_000_000): time.monotonic()")


@tap.test
def recorded_by_plumb():
    """Recorded by plumb, as perf unwinds it"""
    return beside_perf(sampled, "100", recorder=(
        plumb, "record", "--quiet", "--source", "perf", "-e", "cpu-clock:u"))


def built(name, source, *options):
    """A program for AArch64, and what it writes."""
    compiler = "aarch64-linux-gnu-gcc" if os.uname().machine != "aarch64" else "gcc"
    if not shutil.which(compiler):
        raise Skip("there is no compiler for AArch64")
    program = os.path.join(folder.name, name)
    subprocess.run([compiler, "-O2", "-static", *options, "-o", program,
                    os.path.join(programs, source)], check=True)
    emulator = [] if os.uname().machine == "aarch64" else ["qemu-aarch64"]
    if emulator and not shutil.which(emulator[0]):
        raise Skip("there is no qemu-aarch64")
    return program, subprocess.run([*emulator, program], stdout=subprocess.PIPE, check=True).stdout


def dumped(name, *options):
    """A dump of test/interop/programs/unwinds.c and the return addresses expected of it."""
    program, data = built(name, "unwinds.c", *options)
    dump = program + ".dump"
    with open(dump, "wb") as out:
        out.write(data)
    offset = 8 + 8 * struct.unpack_from("<Q", data)[0]
    offset += 8 + struct.unpack_from("<Q", data, offset)[0]
    count = struct.unpack_from("<Q", data, offset)[0]
    return program, dump, struct.unpack_from(f"<{count}Q", data, offset + 8)


def beside_compiler(name, *options):
    program, dump, expected = dumped(name, *options)
    chain, = chains_of(program, dump)
    symbols = [symbol.split(".")[0] for _, symbol in chain]
    assert symbols[0] == "take" and "main" in symbols and symbols.count("recurses") == 6, symbols
    # The first is where the registers were taken; of the others, the call's last byte.
    ours = [address + 1 for address, _ in chain[1:]]
    assert ours == list(expected[1:]), f"{list(map(hex, ours))}\nand {list(map(hex, expected[1:]))}"
    return f"{len(chain)} frames"


@tap.test
def aarch64():
    """AArch64, as its compiler's unwinder has it"""
    return beside_compiler("plain")


@tap.test
def aarch64_without_frame_pointers():
    """AArch64 without frame pointers"""
    return beside_compiler("no-frame-pointers", "-fomit-frame-pointer", "-O3")


@tap.test
def aarch64_signed():
    """AArch64 with signed return addresses"""
    return beside_compiler("signed", "-mbranch-protection=standard")


def words(path):
    """The lists of 64-bit words in a dump: registers, and the copy of the stack."""
    with open(path, "rb") as file:
        data = file.read()
    count, = struct.unpack_from("<Q", data)
    registers = struct.unpack_from(f"<{count}Q", data, 8)
    size, = struct.unpack_from("<Q", data, 8 + 8 * count)
    return registers, data[16 + 8 * count:16 + 8 * count + size]


def record_of(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def recording_of(program, dump):
    """A recording of one sample, as perf record --call-graph dwarf on AArch64 would leave it."""
    registers, stack = words(dump)
    stack += bytes(-len(stack) % 8)
    return recording_with(program, registers[32], (1 << 33) - 1, len(stack), 1 << 13,
                          struct.pack("<QQ", 1, 2 ** 64 - 512) +  # the user's part: not recorded
                          struct.pack("<Q33Q", 2, *registers) +
                          struct.pack("<Q", len(stack)) + stack + struct.pack("<Q", len(stack)))


def recording_with(program, pc, registers, stack_size, further, copies):
    """A recording of one sample of AArch64, with a call chain, and registers by this mask."""
    sample_type = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 8 | 1 << 12 | further
    attribute = struct.pack("<IIQQQQQ", 1, 128, 0, 1000000, sample_type, 0, 1 << 22)
    attribute += struct.pack("<4Q", 0, 0, 0, 0) + struct.pack("<QI", registers, stack_size)
    attribute = attribute.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
    name = program.encode() + b"\0"
    data = record_of(3, 0, struct.pack("<ii", 7, 7) + b"unwinds\0")
    data += record_of(10, 2, struct.pack("<iiQQQIIQQII", 7, 7, 0x400000, 0x200000, 0, 0, 0, 0, 0, 5,
                                         2) + name)
    data += record_of(9, 2, struct.pack("<QiiQQ", pc, 7, 7, 1000, 1000000) + copies)
    text = struct.pack("<I", 64) + b"aarch64".ljust(64, b"\0")
    features = 104 + len(attribute) + len(data)
    header = b"PERFILE2" + struct.pack("<8Q", 104, len(attribute), 104, len(attribute),
                                       104 + len(attribute), len(data), 0, 0)
    path = program + ".data"
    with open(path, "wb") as file:
        file.write(header + struct.pack("<4Q", 1 << 6, 0, 0, 0) + attribute + data +
                   struct.pack("<QQ", features + 16, len(text)) + text)
    return path


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def recorded(name, *options):
    """plumb script and plumb export of a recording with the copies."""
    program, dump, expected = dumped(name, *options)
    path = recording_of(program, dump)
    lines = output_of(plumb, "script", "-i", path, "-F", "ip,sym").strip().splitlines()
    ours = [int(line.split()[0], 16) for line in lines]
    assert [address + 1 for address in ours[1:]] == list(expected[1:]), lines
    symbols = [line.split()[1].split(".")[0] for line in lines]

    profile = output_of(plumb, "export", "--format", "callgrind", path)
    calls = set(re.findall(r"^cfn=(.*)\ncalls=1 0x\w+ 0\n0x(\w+) ", profile, re.M))
    for called, caller in zip(symbols, expected[1:]):
        if (called, f"{caller - 4:x}") not in {(n.split(".")[0], at) for n, at in calls}:
            raise AssertionError(f"no call of {called} before {caller:#x} in\n{profile}")
    return f"{len(lines)} frames, {len(calls)} calls"


@tap.test
def aarch64_recorded():
    """A recording of AArch64, as its compiler's unwinder has it: plumb script and plumb export"""
    return recorded("recorded")


@tap.test
def aarch64_recorded_without_frame_pointers():
    """A recording of AArch64 without frame pointers, with signed return addresses"""
    return recorded("recorded-signed", "-fomit-frame-pointer", "-O3",
                    "-mbranch-protection=standard")


def aarch64_perf():
    """The command of a perf for AArch64, which elsewhere runs under qemu-aarch64:
    PLUMB_AARCH64_PERF="qemu-aarch64 -L ROOT ROOT/usr/bin/perf", where ROOT has Debian's packages
    linux-perf:arm64 and what that depends on."""
    if "PLUMB_AARCH64_PERF" in os.environ:
        return shlex.split(os.environ["PLUMB_AARCH64_PERF"])
    if os.uname().machine != "aarch64" or not shutil.which("perf"):
        raise Skip("there is no perf for AArch64; PLUMB_AARCH64_PERF may hold the command of one")
    return ["perf"]


def beside_perf_of_aarch64(name, *options):
    """perf's libunwind finds the rules by .eh_frame_hdr, which static programs lack by default. It
    does not know signed return addresses."""
    perf = aarch64_perf()
    program, dump, _ = dumped(name, "-Wl,--eh-frame-hdr", *options)
    return equal_chains(recording_of(program, dump), perf, 10)


def equal_chains(path, perf, least):
    """perf prints places in files, of the same page."""
    ours, theirs = ([(int(address, 16) & 0xfff, symbol) for address, symbol in
                     (line.split(None, 1) for line in output_of(
                         *command, "script", "--no-inline", "-F", "ip,sym", "-i", path).split("\n")
                      if line)] for command in ([plumb], perf))
    assert len(theirs) > least, theirs
    assert ours == theirs, f"{ours}\nand perf\n{theirs}"
    return f"{len(ours)} frames, all equal"


@tap.test
def aarch64_as_perf():
    """A recording of AArch64, as perf for AArch64 unwinds it"""
    return beside_perf_of_aarch64("as-perf")


@tap.test
def aarch64_as_perf_without_frame_pointers():
    """A recording of AArch64 without frame pointers, as perf for AArch64 unwinds it"""
    return beside_perf_of_aarch64("as-perf-no-frame-pointers", "-fomit-frame-pointer", "-O3")


def leaf_recording(name, *options, lost=0):
    """
    A recording of one sample in a leaf function, as perf record -g on AArch64 would leave it: the
    frame pointers' chain, without its first `lost` callers, and the link register.
    """
    program, data = built(name, "leaf.c", "-fno-omit-frame-pointer", "-Wl,--eh-frame-hdr", *options)
    pc, link, *chain = struct.unpack(f"<{len(data) // 8}Q", data)
    # The kernel strips signatures from the chain.
    chain = [2 ** 64 - 512, pc, *(address & 2 ** 48 - 1 for address in chain[lost:])]
    return recording_with(program, pc, 1 << 30, 0, 0, struct.pack(
        f"<{len(chain) + 1}QQQ", len(chain), *chain, 2, link))


def leaf_symbols(path):
    return [line.split()[1] for line in output_of(
        plumb, "script", "--no-inline", "-F", "ip,sym", "-i", path).splitlines() if line]


LEAF = ["leaf", "calls_leaf", "calls_more", "main"]


@tap.test
def leaf_caller():
    """The caller of a leaf function without a frame is in the link register"""
    path = leaf_recording("leaf")
    assert leaf_symbols(path)[:4] == LEAF, leaf_symbols(path)
    report = output_of(plumb, "report", "--stdio", "--children", "-s", "symbol", "-i", path)
    assert re.search(r"^ *100.00%.* calls_leaf$", report, re.M), report
    # Where the chain ends with the leaf, as below a thread's first function.
    path = leaf_recording("leaf-alone", lost=99)
    assert leaf_symbols(path) == LEAF[:2], leaf_symbols(path)
    return "leaf, " + ", ".join(leaf_symbols(leaf_recording("leaf"))[1:])


@tap.test
def leaf_caller_signed():
    """The link register may be signed"""
    path = leaf_recording("leaf-signed", "-mbranch-protection=pac-ret+leaf")
    assert leaf_symbols(path)[:4] == LEAF, leaf_symbols(path)


@tap.test
def leaf_with_frame():
    """A leaf function with a frame of its own has its caller once"""
    path = leaf_recording("leaf-frame", "-mno-omit-leaf-frame-pointer")
    assert leaf_symbols(path)[:4] == LEAF, leaf_symbols(path)


@tap.test
def leaf_of_signal():
    """A signal's handler returns to the first instruction of a trampoline, which it is shown at"""
    path = leaf_recording("leaf-signal", "-DTRAMPOLINE")
    assert leaf_symbols(path)[:2] == ["leaf", "trampoline"], leaf_symbols(path)
    shown = output_of(plumb, "script", "--no-inline", "-F", "ip,sym,symoff", "-i", path)
    assert "trampoline+0x0" in shown, shown


@tap.test
def leaf_as_perf():
    """Callers of leaf functions, as perf for AArch64 finds them"""
    perf = aarch64_perf()
    return "; ".join(equal_chains(leaf_recording(name, *options), perf, 4) for name, *options in
                     (("leaf-perf",), ("leaf-perf-frame", "-mno-omit-leaf-frame-pointer"),
                      ("leaf-perf-signal", "-DTRAMPOLINE")))


@tap.test
def damaged():
    """A dump whose stack or registers are garbage ends, and within the copy"""
    program, dump, _ = dumped("damaged")
    with open(dump, "rb") as file:
        data = file.read()
    for at in range(8, 8 + 8 * 33 + 8 + 4096, 8):
        for word in (0, 1, 2 ** 64 - 1, 2 ** 63, struct.unpack_from("<Q", data, 8 + 8 * 31)[0]):
            if at == 8 + 8 * 33:
                continue  # the size of the copy
            with open(dump, "wb") as file:
                file.write(data[:at] + struct.pack("<Q", word) + data[at + 8:])
            if at % 64 == 0 or at < 8 + 8 * 33:
                assert len(chains_of(program, dump)) == 1


with folder:
    tap.run()
