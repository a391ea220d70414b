#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Real AArch64 programs under `plumb stat --source model`.

    running.py PLUMB PROGRAMS

The input, output and exit status of a program must not change. Every kind of program must be
counted. Programs that cannot be run must be rejected with a hint.
"""
import fcntl
import glob
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()


class Stat:
    """One run of plumb stat: the program's output, and what was counted."""

    def __init__(self, plumb, program, *arguments, options=(), input="", env=None, check=True):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counts.json")
            command = [plumb, "stat", "--source", "model", "--json", "-o", out, *options, "--",
                       program, *arguments]
            run = subprocess.run(command, input=input, capture_output=True, text=True,
                                 env={**os.environ, **(env or {})}, timeout=480)
            self.status, self.out, self.err = run.returncode, run.stdout, run.stderr
            self.result = None
            if os.path.exists(out):
                with open(out, encoding="utf-8") as file:
                    self.text = file.read()
                self.result = json.loads(self.text)
        if check:
            assert self.result, f"nothing was counted: status {self.status}, {self.err}"
            self.counts = {event["name"]: event["count"] for event in self.result["events"]}
            self.warnings = " ".join(map(str, self.result["warnings"]))

    def same_counts(self, other):
        return self.counts == other.counts


def near(what, value, expected, spare):
    """`value` exceeds `expected` by at most `spare`, for what surrounds the work."""
    assert expected <= value <= expected + spare, \
        f"{what} is {value}, not between {expected} and {expected + spare}"


EXPECTED = """argument 0: [{name}]
argument 1: [one two]
argument 2: [,=]
PLUMB_TEST: [set]
input: a line
input: another
"""
# Events that every run below asks for.
ALL = ("-e", "INST_RETIRED,CPU_CYCLES,L1D_CACHE_RD,L1D_CACHE_WR,L1D_CACHE_REFILL,L1D_TLB,"
             "L1D_CACHE_REFILL_HWPRF,BR_RETIRED,LD_SPEC,ST_SPEC")


def basics(plumb, folder, name):
    run = Stat(plumb, f"{folder}/{name}", "one two", ",=", options=ALL,
               input="a line\nanother\n", env={"PLUMB_TEST": "set"})
    assert run.out == EXPECTED.format(name=name), run.out
    assert "to stderr" in run.err, run.err
    assert run.status == 7, f"status {run.status}"
    assert run.result["exit_status"] == 7
    assert run.result["source"] == "model"
    assert run.counts["INST_RETIRED"] > 1000
    assert run.result["command"] == [f"{folder}/{name}", "one two", ",="], run.result["command"]


@tap.test
def static(plumb, folder):
    """A static program's input, output, arguments, environment and status pass through"""
    basics(plumb, folder, "running-basics")


@tap.test
def dynamic(plumb, folder):
    """A dynamic program finds its loader and libraries by itself"""
    basics(plumb, folder, "running-basics-dynamic")


@tap.test
def position_independent(plumb, folder):
    """A position-independent program"""
    basics(plumb, folder, "running-basics-pie")


@tap.test
def static_position_independent(plumb, folder):
    """A static position-independent program"""
    basics(plumb, folder, "running-basics-static-pie")


def install(plumb, place):
    """Installs a copy in `place`. Returns its path."""
    build = os.path.dirname(os.path.dirname(plumb))
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir",
                    place], check=True, capture_output=True)
    return next(f"{top}/plumb" for top, _, files in os.walk(place)
                if "plumb" in files and top.endswith("/bin"))


@tap.test
def odd_path(plumb, folder):
    """A program whose path has a space, a comma and an equals sign"""
    with tempfile.TemporaryDirectory(prefix="a b,c=d") as place:
        shutil.copy(f"{folder}/running-basics", place)
        basics(plumb, place, "running-basics")


@tap.test
def odd_plugin_path(plumb, folder):
    """Plumb itself in a folder with a space, a comma and an equals sign"""
    with tempfile.TemporaryDirectory(prefix="a b,c=d") as place:
        basics(install(plumb, place), folder, "running-basics")


@tap.test
def found_in_path(plumb, folder):
    """A program is looked up in PATH"""
    run = Stat(plumb, "running-threads", options=ALL,
               env={"PATH": f"{folder}:{os.environ['PATH']}"})
    assert run.status == 0, run.err


@tap.test
def threads(plumb, folder):
    """Every thread is counted"""
    # The program's start and end, which depend on the C library.
    none = Stat(plumb, f"{folder}/running-threads", "0", options=ALL).counts
    for number in (1, 8):
        counts = Stat(plumb, f"{folder}/running-threads", str(number), options=ALL).counts
        for name, work, spare in (("INST_RETIRED", 4000000, 10000), ("BR_RETIRED", 1000000, 2000)):
            near(f"{name} of {number} threads", counts[name], none[name] + number * work,
                 number * spare)


@tap.test
def children(plumb, folder):
    """A forked child is counted only when that is asked for"""
    alone = Stat(plumb, f"{folder}/running-forks", options=ALL)
    both = Stat(plumb, f"{folder}/running-forks", options=[*ALL, "--children"])
    assert alone.out == both.out == "child: 3\n", alone.out
    assert alone.counts["INST_RETIRED"] < 200000
    near("INST_RETIRED with the child", both.counts["INST_RETIRED"],
         alone.counts["INST_RETIRED"] + 2000000, 5000)


@tap.test
def many_children(plumb, folder):
    """There may be more processes than the model has room for at the same time"""
    program = f"{folder}/running-spawns"
    none, many = (Stat(plumb, program, count, options=[*ALL, "--children"])
                  for count in ("0", "530"))
    assert many.status == 0 and "gave up" not in many.warnings, (many.status, many.warnings)
    work = none.counts["INST_RETIRED"] + 530 * 4000
    # What a child or its parent executes around the work; a killed one lacks its last 1024 cycles.
    assert work - 265 * 1024 * 5 < many.counts["INST_RETIRED"] < work + 530 * 3000, many.counts
    with tempfile.TemporaryDirectory() as place:
        run = subprocess.run([plumb, "record", "-q", "--source", "model", "-e", "INST_RETIRED:u",
                              "-c", "1000", "-o", f"{place}/perf.data", program, "530"],
                             capture_output=True, text=True, timeout=480)
        assert run.returncode == 0 and not run.stderr, run
        run = subprocess.run([plumb, "script", "-D", "-i", f"{place}/perf.data"],
                             capture_output=True, text=True, timeout=480)
    for kind, count in (("FORK", 530), ("EXIT", 531)):
        assert run.stdout.count(f"PERF_RECORD_{kind}(") == count, \
            (kind, run.stdout.count(f"PERF_RECORD_{kind}("))


@tap.test
def execve(plumb, folder):
    """A program that becomes another is counted on, arguments and status and all"""
    run = Stat(plumb, f"{folder}/running-execs", f"{folder}/running-basics", "one two", ",=",
               options=ALL, input="a line\nanother\n", env={"PLUMB_TEST": "set"})
    assert run.out == EXPECTED.format(name="running-basics"), run.out
    assert run.status == 7, run.status
    child = Stat(plumb, f"{folder}/running-forks", f"{folder}/running-threads", "1",
                 options=ALL)
    assert child.out == "child: 0\n", child.out
    assert child.counts["INST_RETIRED"] < 200000
    child = Stat(plumb, f"{folder}/running-forks", f"{folder}/running-threads", "1",
                 options=[*ALL, "--children"])
    assert child.out == "child: 0\n", child.out
    assert child.counts["INST_RETIRED"] > 4000000


def become(plumb, folder, how, *arguments, options=(), **more):
    program = os.path.join(folder, "running-becomes")
    return Stat(plumb, program, how, "list", *arguments, options=options, **more)


@tap.test
def becomes(plumb, folder):
    """Programs become others with all descriptors closed, by /proc/self/exe, and by descriptor"""
    # This test's own, which the program inherits, are not open in it: subprocess closes them.
    for how in ("close", "range", "dup", "self", "fexecve", "at"):
        run = become(plumb, folder, how, "a")
        more = " " + " ".join(map(str, range(490, 520))) if how == "dup" else ""
        assert run.status == 77, (how, run.err)
        assert run.out == f"[{os.path.join(folder, 'running-becomes')}][list][a] open: 0 1 2" \
            f"{more}\n", (how, run.out)
        assert run.counts["INST_RETIRED"] > 40000, how
    for options in ((), ("--children",)):
        run = become(plumb, folder, "child", options=options)
        assert "child: 77" in run.out, run.out


@tap.test
def out_of_reach(plumb, folder):
    """After a change of user or root folder, what is not run or not counted is named"""
    if os.geteuid() != 0:
        raise Skip("requires root")
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        program = shutil.copy(os.path.join(folder, "running-becomes"), f"{place}/becomes")
        os.chmod(place, 0o755)
        run = Stat(plumb, program, "user", "list", options=ALL)
        assert run.status == 77 and "[list]" in run.out, (run.status, run.out, run.err)
        assert "1 program ran uncounted" in run.warnings, run.warnings
        os.chdir(place)
        try:
            run = Stat(plumb, "./becomes", "chroot", "list", options=ALL)
        finally:
            os.chdir(before)
        # The kernel's own error, which the program prints.
        assert run.status == 3 and "chroot: " in run.err, (run.status, run.err)
        assert "could not run ./becomes" in run.warnings, run.warnings
        assert run.counts["INST_RETIRED"] > 10000


@tap.test
def plugin_replaced(plumb, folder):
    """A program that execs after the plugin was replaced runs on, and is said to be uncounted"""
    with tempfile.TemporaryDirectory() as place:
        copy, file = install(plumb, place), f"{place}/plugin"
        for content in (b"junk", None):
            # Which one it is depends on the engine: all of them are replaced, one after the other.
            for plugin in sorted(glob.glob(f"{place}/**/plumb-model-?.so", recursive=True)):
                if content:
                    with open(file, "wb") as out:
                        out.write(content)
                else:  # one that works, but is not the same
                    shutil.copy(os.path.join(os.path.dirname(os.path.dirname(plumb)), "model",
                                             "qemu", os.path.basename(plugin)), file)
                before = shutil.copy(plugin, f"{place}/before")
                run = become(copy, folder, "replace", plugin, file, options=ALL)
                os.rename(before, plugin)
                if "ran uncounted" in run.warnings:
                    break
            assert run.status == 77 and "[list]" in run.out, (run.status, run.out, run.err)
            assert "1 program ran uncounted" in run.warnings, run.warnings
            assert "or after its plugin was replaced" in run.warnings, run.warnings
            assert run.counts["INST_RETIRED"] > 10000


@tap.test
def plugin_unreadable(plumb, folder):
    """A program that execs as another user, who cannot read the plugin, runs on uncounted"""
    if os.geteuid() != 0:
        raise Skip("requires root")
    with tempfile.TemporaryDirectory() as place:
        copy = install(plumb, place)
        program = shutil.copy(os.path.join(folder, "running-becomes"), f"{place}/becomes")
        os.chmod(place, 0o755)
        plugins = glob.glob(f"{place}/**/plumb-model-?.so", recursive=True)
        assert plugins
        for plugin in plugins:
            os.chmod(plugin, 0o600)
        run = Stat(copy, program, "user", "list", options=ALL)
        assert run.status == 77 and "[list]" in run.out, (run.status, run.out, run.err)
        assert "1 program ran uncounted" in run.warnings, run.warnings
        assert run.counts["INST_RETIRED"] > 10000


@tap.test
def scripts(plumb, folder):
    """Scripts run under interpreters that are AArch64 programs"""
    program = os.path.join(folder, "running-becomes")
    with tempfile.TemporaryDirectory() as place:
        script, nested = os.path.join(place, "script"), os.path.join(place, "nested")
        for path, line in ((script, f"#! {program} list\n"), (nested, f"#!{script} x y \n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(line)
            os.chmod(path, 0o755)
        run = become(plumb, folder, script, "a")
        assert run.out == f"[{program}][list][{script}][list][a] open: 0 1 2\n", run.out
        run = become(plumb, folder, nested)
        assert run.out == f"[{program}][list][{script}][x y][{nested}][list] open: 0 1 2\n", \
            run.out
        assert run.status == 77


@tap.test
def engine_fails(plumb, folder):
    """If QEMU fails before the program begins, there are no counts, and the status is 3"""
    run = subprocess.run(["bash", "-c", 'ulimit -v 200000; exec "$@"', "-", plumb, "stat",
                          "--source", "model", os.path.join(folder, "running-becomes"), "list"],
                         capture_output=True, text=True, timeout=120, check=False)
    if run.returncode == 77:
        raise Skip("QEMU needs less than 200 MB")
    assert run.returncode == 3, run
    assert "INST_RETIRED" not in run.stderr and "Summary" not in run.stderr, run.stderr


@tap.test
def signals(plumb, folder):
    """Signals are handled, and handlers counted"""
    few = Stat(plumb, f"{folder}/running-faults", "raise", "10", options=ALL)
    many = Stat(plumb, f"{folder}/running-faults", "raise", "1010", options=ALL)
    assert (few.out, many.out) == ("raised 10\n", "raised 1010\n"), many.out
    each = (many.counts["INST_RETIRED"] - few.counts["INST_RETIRED"]) / 1000
    assert 30 < each < 300, f"{each} instructions a signal"


@tap.test
def faults(plumb, folder):
    """An instruction that faults has not retired, and those before it in its block have"""
    few = Stat(plumb, f"{folder}/running-faults", "handled", "10", options=ALL)
    many = Stat(plumb, f"{folder}/running-faults", "handled", "1010", options=ALL)
    assert many.out == "handled 1010\n", many.out
    counted = many.counts["INST_RETIRED"] - few.counts["INST_RETIRED"]
    exact = steps(plumb, f"{folder}/running-faults", "handled", "1010") - \
        steps(plumb, f"{folder}/running-faults", "handled", "10")
    # A block of one instruction at a time tells how many began; each fault began one more.
    assert counted == exact - 1000, f"{counted} retired, {exact} began"


def steps(plumb, program, *arguments, status=0):
    """How many instructions began to execute: QEMU's own log of blocks, one instruction each."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        qemu = engine.find(plumb)
        one = "-one-insn-per-tb" if engine.version(qemu) >= (8, 1) else "-singlestep"
        counter = os.path.join(os.path.dirname(program), "../model/count-%d.so")
        run = subprocess.run([*engine.command(qemu, f"{counter},out=/dev/null"), one,
                              "-d", "exec,nochain", "-D", log, program, *arguments],
                             check=False, capture_output=True,
                             # As plumb passes them: the loader looks at every variable.
                             env={**{name: value for name, value in os.environ.items()
                                     if name != "_"}, "_": program})
        assert run.returncode == status, run.returncode
        with open(log, encoding="utf-8", errors="replace") as file:
            return sum(line.startswith("Trace ") for line in file)


@tap.test
def self_modifying(plumb, folder):
    """Code that is written over is decoded anew"""
    run = Stat(plumb, f"{folder}/running-writes_code", options=ALL)
    assert run.out == f"{sum(range(200))}\n", run.out
    assert run.counts["INST_RETIRED"] == steps(plumb, f"{folder}/running-writes_code"), \
        run.counts["INST_RETIRED"]


@tap.test
def hidden_addresses(plumb, folder):
    """SVE accesses and dc zva reach the caches at their own addresses"""
    run = Stat(plumb, f"{folder}/running-hidden", options=ALL)
    assert "address" not in run.warnings, run.warnings
    assert run.counts["L1D_CACHE_RD"] == 4096, run.counts["L1D_CACHE_RD"]
    assert run.counts["L1D_CACHE_WR"] == 4096 + 1024, run.counts["L1D_CACHE_WR"]
    refills = run.counts["L1D_CACHE_REFILL"] + run.counts["L1D_CACHE_REFILL_HWPRF"]
    near("lines that came to L1D", refills, 1024, 64)  # the stores stream past it


@tap.test
def crash(plumb, folder):
    """What a program counted before it crashed is shown"""
    run = Stat(plumb, f"{folder}/running-faults", "die", options=ALL)
    assert run.status == 128 + signal.SIGSEGV, run.status
    assert run.result["exit_status"] == 128 + signal.SIGSEGV
    # All but the block with the fault, which is fault()'s first.
    began = steps(plumb, f"{folder}/running-faults", "die", status=-signal.SIGSEGV)
    assert began - 8 < run.counts["INST_RETIRED"] < began, \
        f"{run.counts['INST_RETIRED']} of {began}"


@tap.test
def interrupted(plumb, folder):
    """Ctrl-C at a terminal ends the program, and shows what was counted"""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        raise Skip("no terminal can be opened: is devpts mounted?") from None
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "counts.json")
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(plumb, [plumb, "stat", "--source", "model", "--json", "-o", out, *ALL, "--",
                             f"{folder}/running-waits"])
        said = b""
        while b"running" not in said:
            said += os.read(terminal, 1000)
        time.sleep(0.5)
        os.write(terminal, b"\x03")
        fcntl.fcntl(terminal, fcntl.F_SETFL, os.O_NONBLOCK)
        deadline = time.time() + 30
        while time.time() < deadline:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            try:
                said += os.read(terminal, 1000)
            except OSError:
                pass
            time.sleep(0.05)
        else:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("did not end")
        with open(out, encoding="utf-8") as file:
            result = json.load(file)
    counts = {event["name"]: event["count"] for event in result["events"]}
    assert counts["INST_RETIRED"] > 100000, counts
    assert result["exit_status"] == 128 + signal.SIGINT, result["exit_status"]
    # Plumb ends as the program did, so that a script around it stops, too.
    assert os.waitstatus_to_exitcode(status) == -signal.SIGINT, status


@tap.test
def terminated(plumb, folder):
    """A signal to plumb is passed on to the program, which is then reported"""
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "counts.json")
        run = subprocess.Popen([plumb, "stat", "--source", "model", "--json", "-o", out, *ALL,
                                "--", f"{folder}/running-waits"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert run.stdout.readline() == b"running\n"
        run.send_signal(signal.SIGTERM)
        assert run.wait(30) == -signal.SIGTERM, run.returncode
        run.stdout.close()
        with open(out, encoding="utf-8") as file:
            assert json.load(file)["exit_status"] == 128 + signal.SIGTERM


@tap.test
def deterministic(plumb, folder):
    """Two runs of a single-threaded program count the same, byte for byte"""
    first = Stat(plumb, f"{folder}/running-writes_code", options=["--stages", "all"])
    second = Stat(plumb, f"{folder}/running-writes_code", options=["--stages", "all"])
    for part in "events", "metrics", "diagnosis":
        assert json.dumps(first.result[part]) == json.dumps(second.result[part]), part
    assert len(first.result["events"]) > 50


@tap.test
def at_once(plumb, folder):
    """Two runs at once do not disturb each other, and nothing is left behind"""
    before = set(os.listdir("/tmp")) | set(os.listdir("/dev/shm"))
    alone = Stat(plumb, f"{folder}/running-writes_code", options=ALL)
    with tempfile.TemporaryDirectory() as place:
        runs = [subprocess.Popen([plumb, "stat", "--source", "model", "--json", "-o",
                                  f"{place}/{i}", *ALL, "--", f"{folder}/running-writes_code"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
                for i in range(3)]
        for i, run in enumerate(runs):
            run.communicate(timeout=60)
            assert run.returncode == 0
            with open(f"{place}/{i}", encoding="utf-8") as file:
                counts = {event["name"]: event["count"] for event in json.load(file)["events"]}
            assert counts == alone.counts, i
    left = {name for name in (set(os.listdir("/tmp")) | set(os.listdir("/dev/shm"))) - before
            if "plumb" in name}
    assert not left, left


def refused(plumb, program, *words, options=(), status=126):
    run = Stat(plumb, program, options=options, check=False)
    assert run.status == status, f"status {run.status}: {run.err}"
    assert run.result is None, "something was counted"
    lines = [line for line in run.err.strip().split("\n") if line]
    assert any(line.startswith("plumb: ") for line in lines), run.err
    for word in words:
        assert word in run.err, f"{word!r} is not in: {run.err}"


@tap.test
def refusals(plumb, folder):
    """What cannot be run is refused, with the hint"""
    with tempfile.TemporaryDirectory() as place:
        script = f"{place}/script"
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
        os.chmod(script, 0o755)
        plain = f"{place}/plain"
        shutil.copy(f"{folder}/running-basics", plain)
        os.chmod(plain, 0o644)
        short = f"{place}/short"
        with open(f"{folder}/running-basics-pie", "rb") as whole, open(short, "wb") as file:
            file.write(whole.read(100))
        os.chmod(short, 0o755)
        refused(plumb, f"{place}/none", "No such file", status=127)
        refused(plumb, place, "regular file")
        refused(plumb, script, "ELF", "interpreter")
        refused(plumb, plain, "not executable", "chmod")
        refused(plumb, short, "damaged", "again")
        refused(plumb, "/bin/true", "x86-64" if os.uname().machine == "x86_64" else "", "AArch64")
        refused(plumb, f"{folder}/running-basics", "QEMU", "No such file",
                options=["--qemu", f"{place}/none"], status=3)
        refused(plumb, f"{folder}/running-basics-pie", "loader", "libc6-arm64-cross",
                options=["--sysroot", place], status=3)
        fake = f"{place}/qemu"
        with open(fake, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'qemu-aarch64 version 7.2.0'\n")
        os.chmod(fake, 0o755)
        refused(plumb, f"{folder}/running-basics", "does not support plugins",
                options=["--qemu", fake], status=3)
        refused(plumb, f"{folder}/running-basics", "EXC_UNDEF", options=["-e", "EXC_UNDEF"], status=2)


def main():
    plumb, folder = map(os.path.abspath, sys.argv[1:])
    if not os.path.exists(f"{folder}/running-basics"):
        tap.skip_all("no aarch64-linux-gnu-gcc to build programs with")
    elif engine.absent(plumb):
        tap.skip_all(engine.absent(plumb))
    tap.run(plumb, folder)


if __name__ == "__main__":
    main()
