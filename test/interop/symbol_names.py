#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""symbol_names.py SYMBOL_NAMES PLUMB: names of functions and of PLT entries, and addresses for objdump, beside
binutils' nm and objdump; of files as distributions strip them."""
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Skip, Tap

tap = Tap()
reader, plumb = sys.argv[1:3]
folder = tempfile.TemporaryDirectory()

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static __attribute__((noinline)) int hidden(int x) { return rand() + x; }
__attribute__((noinline)) int shown(int x) { return hidden(x) * 3; }
int main(int count, char **arguments)
{
	void (*through_pointer)(void *) = count > 3 ? free : (void (*)(void *))abort;
	if (count > 1)
		through_pointer(malloc(strlen(arguments[1])));
	return shown(count) + puts(arguments[0]);
}
"""


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout


def compiled(name, compiler, *options):
    if not shutil.which(compiler):
        raise Skip(f"there is no {compiler}")
    source, path = (os.path.join(folder.name, name + end) for end in (".c", ""))
    with open(source, "w", encoding="utf-8") as out:
        out.write(SOURCE)
    run(compiler, "-O2", "-o", path, source, *options)
    return path


def tool(path, name):
    """binutils' program for the file's machine."""
    return "aarch64-linux-gnu-" + name if "AArch64" in run("readelf", "-h", path) else name


def segments(path):
    """File offset, address and size of what is executable."""
    for line in run("readelf", "-lW", path).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in words[6:-1]:
            yield int(words[1], 16), int(words[2], 16), int(words[4], 16)


def places(path, addresses):
    """Where these addresses are in the file."""
    executable = list(segments(path))
    for address in addresses:
        for offset, start, size in executable:
            if start <= address < start + size:
                yield address - start + offset
                break
        else:
            raise AssertionError(f"{address:#x} is in no segment of {path}")


def place(path, address):
    return next(places(path, [address]))


def names_at(path, addresses, at=None, root=()):
    """Plumb's names at addresses of `path`, mapped as `at`; and what it warns of."""
    done = subprocess.run([reader, *root, at or path], check=True, text=True, capture_output=True,
                          input="\n".join(f"{at_file:x}" for at_file in places(path, addresses)))
    lines = [line.split() for line in done.stdout.splitlines()]
    for (_, link), address in zip(lines, addresses):
        assert link in ("-", f"{address:x}"), f"{address:#x} is {link} of its file"
    return [name for name, _ in lines], done.stderr


def functions(path):
    """nm's functions: name by each of their addresses, and their sizes."""
    for line in run(tool(path, "nm"), "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            yield int(words[0], 16), int(words[1], 16), words[3]


def check_functions(path, whole, at=None, root=()):
    """Each function's first and last byte have its name, of which there may be several."""
    expected = {}
    for start, size, name in functions(whole):
        for address in start, start + size - 1:
            expected.setdefault(address, set()).add(name.split("@")[0])
    assert len(expected) >= 6, f"only {len(expected)} functions"
    names, warnings = names_at(path, list(expected), at, root)
    assert not warnings, warnings
    for (address, known), name in zip(expected.items(), names):
        assert name in known, f"{address:#x}: {name}, and nm {known}"
    return f"{len(expected)} ends of functions, all named"


def chosen_names(path):
    """The names of functions that are chosen when a program starts (STT_GNU_IFUNC), by address."""
    names = {}
    for line in run(tool(path, "readelf"), "-sW", path).splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "IFUNC":
            names.setdefault(int(words[1], 16), set()).add(words[7] + "@plt")
    return names


def check_plt(path, least):
    """Each entry that objdump names has its name, to its last byte."""
    expected = {}
    objdump = tool(path, "objdump")
    sections = re.findall(r" (\.i?plt\S*) ", run(objdump, "-h", path))
    text = run(objdump, "-d", *(f"--section={name}" for name in sections), path)
    for start, name in re.findall(r"^([0-9a-f]+) <(\S+@plt)>:$", text, re.M):
        expected[int(start, 16)] = name
        expected[int(start, 16) + 7] = name
    assert len(expected) >= least, f"only {len(expected)} entries"
    names, _ = names_at(path, list(expected))
    for (address, known), name in zip(expected.items(), names):
        assert name == known, f"{address:#x}: {name}, and objdump {known}"
    return f"{len(expected)} bytes of entries, all named"


@tap.test
def large():
    """Functions and PLT entries of a large program"""
    return check_functions(plumb, plumb) + "; " + check_plt(plumb, 100)


@tap.test
def libraries():
    """PLT entries of the system's programs and libraries"""
    told = []
    for path in "/bin/ls", "/usr/bin/python3", "/bin/bash":
        told.append(check_plt(os.path.realpath(path), 20))
    return "; ".join(told)


@tap.test
def landing_pads():
    """PLT entries with landing pads (IBT): .plt.sec"""
    path = compiled("ibt", "gcc", "-fcf-protection=full", "-Wl,-z,ibtplt")
    assert ".plt.sec" in run("objdump", "-h", path)
    return check_plt(path, 10)


@tap.test
def bound_at_once():
    """PLT entries of a program that is bound when it starts: .plt.got"""
    return check_plt(compiled("now", "gcc", "-Wl,-z,now"), 10)


@tap.test
def by_lld():
    """PLT entries that LLVM's linker made"""
    if not shutil.which("ld.lld"):
        raise Skip("there is no ld.lld")
    return check_plt(compiled("lld", "clang", "-fuse-ld=lld"), 10)


@tap.test
def aarch64():
    """Functions and PLT entries of an AArch64 program"""
    path = compiled("aarch64", "aarch64-linux-gnu-gcc")
    return check_functions(path, path) + "; " + check_plt(path, 10)


@tap.test
def static():
    """Entries of static programs are called after the function that is chosen"""
    told = []
    for name, compiler in ("static", "gcc"), ("static_aarch64", "aarch64-linux-gnu-gcc"):
        path = compiled(name, compiler, "-static")
        chosen = chosen_names(path)
        slots = {}
        for line in run(tool(path, "readelf"), "-rW", path).splitlines():
            words = line.split()
            if "IRELATIV" in line and len(words) == 4:
                slots[int(words[0], 16)] = int(words[3], 16)
        text = run(tool(path, "objdump"), "-d", "--section=.plt", "--section=.iplt", path)
        expected = {}
        for start, page, offset in re.findall(
                r"^ *([0-9a-f]+):.*\tadrp\tx16, ([0-9a-f]+) .*\n.*\tldr\tx17, \[x16(?:, #(\d+))?\]", text, re.M):
            expected[int(start, 16)] = chosen[slots[int(page, 16) + int(offset or 0)]]
        for start, slot in re.findall(r"^ *([0-9a-f]+):.*\tjmp +\*0x[0-9a-f]+\(%rip\) +# ([0-9a-f]+) ", text, re.M):
            expected[int(start, 16)] = chosen[slots[int(slot, 16)]]
        assert len(expected) >= 5, text
        names, _ = names_at(path, list(expected))
        for (address, known), found in zip(expected.items(), names):
            assert found in known, f"{address:#x}: {found}, and not {known}"
        told.append(f"{len(expected)} entries, such as {found}")
    return "; ".join(told)


@tap.test
def aarch64_landing_pads():
    """AArch64 PLT entries with landing pads and authentication (BTI, PAC)"""
    for name, options in (("bti", ["-Wl,-z,force-bti", "-no-pie"]),
                          ("pac", ["-Wl,-z,pac-plt", "-no-pie"]),
                          ("both", ["-Wl,-z,force-bti,-z,pac-plt"])):
        told = check_plt(compiled(name, "aarch64-linux-gnu-gcc",
                                  "-mbranch-protection=standard", *options), 10)
    return told


def with_mini(path):
    """As distributions do it (gdb's manual, "MiniDebugInfo"): strips all but packed symbols of functions."""
    whole, mini = path + ".whole", path + ".mini"
    shutil.copy(path, whole)
    objcopy = tool(path, "objcopy")
    run(objcopy, "--only-keep-debug", "--strip-debug", "--remove-section=.comment", whole, mini)
    run(tool(path, "strip"), path)
    with open(mini, "rb") as file:
        packed = lzma.compress(file.read())
    with open(mini + ".xz", "wb") as file:
        file.write(packed)
    run(objcopy, f"--add-section=.gnu_debugdata={mini}.xz", path)
    return path, whole


@tap.test
def mini():
    """Stripped programs with MiniDebugInfo"""
    told = []
    for name, compiler in ("mini", "gcc"), ("mini_aarch64", "aarch64-linux-gnu-gcc"):
        path, whole = with_mini(compiled(name, compiler))
        assert "no symbols" in subprocess.run([tool(path, "nm"), path], text=True, check=False,
                                              capture_output=True).stderr
        told.append(check_functions(path, whole) + "; " + check_plt(path, 10))
    return "; ".join(told)


@tap.test
def mini_damaged():
    """MiniDebugInfo that is cut off, no ELF file, or larger than can be"""
    path, whole = with_mini(compiled("damaged", "gcc"))
    addresses = [start for start, _, name in functions(whole) if name == "hidden"]
    assert names_at(path, addresses)[0] == ["hidden"]
    with open(path + ".mini.xz", "rb") as file:
        good = file.read()
    for bad in good[:len(good) // 2], lzma.compress(b"no ELF file"), lzma.compress(
            bytes(100 << 20)), b"":
        with open(path + ".bad", "wb") as file:
            file.write(bad)
        run("objcopy", f"--update-section=.gnu_debugdata={path}.bad", path)
        assert names_at(path, addresses)[0] == ["-"], "a name of damage"


@tap.test
def below_a_root():
    """Files of another machine, below a root"""
    path = compiled("rooted", "gcc")
    root, whole = os.path.join(folder.name, "root"), path + ".whole"
    os.makedirs(root + "/usr/bin")
    os.makedirs(root + "/usr/lib/debug/usr/bin")
    shutil.copy(path, whole)
    run("strip", path)
    shutil.copy(path, root + "/usr/bin/rooted")
    known = [start for start, _, name in functions(whole) if name == "hidden"]
    assert names_at(path, known, "/usr/bin/rooted", [root])[0] == ["-"]
    run("objcopy", "--only-keep-debug", whole, root + "/usr/lib/debug/usr/bin/rooted.debug")
    return check_functions(path, whole, "/usr/bin/rooted", [root])


@tap.test
def other_debug_file():
    """A separate debug file of another build is named, and not used"""
    ids = "0a" * 20, "0b" * 20
    path, other = (compiled(name, "gcc", "-Wl,--build-id=0x" + id) for name, id in zip(("linked", "other"), ids))
    known = [start for start, _, name in functions(path) if name == "hidden"]
    own = path + ".own"
    run("objcopy", "--only-keep-debug", path, own)
    debug = path + ".debug"
    shutil.copy(own, debug)
    run("strip", path)
    run("objcopy", f"--add-gnu-debuglink={debug}", path)
    assert names_at(path, known) == (["hidden"], "")
    run("objcopy", "--only-keep-debug", other, debug)
    names, warnings = names_at(path, known)
    assert names == ["-"], names
    assert f"{debug} is not the debug information of {path}, " in warnings and all(id in warnings for id in ids), warnings


@tap.test
def stripped():
    """Addresses of a stripped program, which objdump takes"""
    for name, options in ("pie", []), ("fixed", ["-no-pie", "-static"]):
        path = compiled("stripped-" + name, "gcc", *options)
        address = next(start for start, _, name in functions(path) if name == "main")
        run("strip", path)
        done = run(reader, path, text=f"{place(path, address):x}")
        assert done == f"- {address:x}\n", done
        code = run("objdump", "-d", f"--start-address={address:#x}",
                   f"--stop-address={address + 16:#x}", path)
        with open(path, "rb") as file:
            file.seek(place(path, address))
            first = file.read(2).hex(" ")
        assert re.search(rf"^ *{address:x}:\t{first}", code, re.M), code


with folder:
    tap.run()
