#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands in which one call fails: from each place that calls, the first and the last.

    faults.py PLUMB LIBRARY PROGRAM [all] [COMMAND]...

LIBRARY is faults.c, PROGRAM an AArch64 program, COMMAND how those commands begin that are to be run. A command must not crash or hang; if it ends with
success, its output must be as without the fault. Interrupted and partial calls are no reason to
fail. Without "all", of the many places some are taken, fewer the farther on; whatever fails is
reported with its number, to be run again by hand. PLUMB may be built with AddressSanitizer, which
then finds leaks and what is used after it was freed.
"""
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import engine  # noqa: E402
from tap import Skip, Tap  # noqa: E402

tap = Tap()
PATIENCE = 120  # seconds for what takes milliseconds
KINDS = ("malloc", "short", "EINTR", "ENOSPC", "EMFILE")
WRONG_SHOWN = 20
# What a command can do without, if it says so.
LACKING = (b"instructions are shown as numbers", b"cannot start QEMU: ")
HARMLESS = ("short", "EINTR")
# AddressSanitizer, if it is there: other statuses than ours, and no word on what comes before it.
SANITIZER = {"ASAN_OPTIONS": "exitcode=99:verify_asan_link_order=0:detect_leaks=1"}
# What glibc's loader says when it ends the process, within dlopen() of LLVM: it returns no error.
LOADER = (b"out of memory\n", b"cannot allocate memory for thread-local data: ABORT\n")
# The statuses of a command that failed, but for the program's own, which here are none.
FAILED = (1, 2, 3)


def events_of(folder):
    """The counts of plumb stat: its times differ from run to run."""
    with open(f"{folder}/out", encoding="utf-8") as file:
        result = json.load(file)
    return [(event["name"], event["count"]) for event in result["events"]]


def findings_of(folder):
    """What plumb explore keeps, which is whole or not there."""
    with open(f"{folder}/out/findings.json", encoding="utf-8") as file:
        findings = json.load(file)
    # Without memory for a warning, the rest is as good.
    del findings["warnings"]
    return findings


def bytes_of(folder):
    """The files that the command has written."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("out"):
            with open(f"{folder}/{name}", "rb") as file:
                found[name] = file.read()
    return found


class Fault:
    """One command, again and again."""

    def __init__(self, plumb, library, words, outcome):
        self.plumb, self.library = plumb, library
        self.words, self.outcome = words, outcome
        self.usual = None

    def places(self, kind):
        """Returns the numbers of the calls to fail."""
        with tempfile.NamedTemporaryFile() as file:
            self.run(kind, 0, {"FAULTS_PLACES": file.name})
            found = file.read()
        first, last = {}, {}
        for number, (place,) in enumerate(struct.iter_unpack("=Q", found), 1):
            first.setdefault(place, number)
            last[place] = number
        return sorted(set(first.values()) | set(last.values()))

    def run(self, kind, call, others=None):
        """Returns whether the call came, and the status."""
        with tempfile.TemporaryDirectory() as folder:
            mark = f"{folder}/failed"
            # As long each time: the program has it on its stack, which its counts depend on.
            environment = os.environ | SANITIZER | (others or {}) | {
                "LD_PRELOAD": self.library, "FAULTS_OF": self.plumb, "FAULTS_KIND": f"{kind:6}",
                "FAULTS_CALL": f"{call:09}", "FAULTS_MARK": mark}
            with subprocess.Popen([self.plumb, *self.words], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                  env=environment, start_new_session=True) as process:
                try:
                    out, said = process.communicate(timeout=PATIENCE)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    raise AssertionError(f"{kind} {call}: hangs") from None
            came = os.path.exists(mark)
            what = f"{' '.join(self.words)}: {kind} {call}: {said.decode(errors='replace')}"
            if process.returncode != 0:
                assert came, what
                assert (process.returncode in FAILED or
                        process.returncode == 127 and said in LOADER), f"status {process.returncode}: {what}"
                assert said, f"failed without a word: {what}"
                assert kind not in HARMLESS, f"status {process.returncode}: {what}"
                return came, process.returncode
            result = out, self.outcome(folder)
            # plumb doctor says it in its result.
            told = said + b"".join(result[1].values()) if self.outcome is bytes_of else said
            if any(words in told for words in LACKING):
                return came, 0
            self.usual = self.usual or result
            assert result == self.usual, f"a success that is none: {what}"
            return came, 0


def some(numbers, every):
    """All of them, or fewer and fewer."""
    at = 0
    while at < len(numbers):
        yield numbers[at]
        at += 1 if every else 1 + at // 3


def fail_all(command, every):
    """Each kind of fault in a command."""
    failed = survived = 0
    wrong = []
    for kind in KINDS:
        for number in some(command.places(kind), every):
            try:
                came, status = command.run(kind, number)
            except AssertionError as error:
                wrong.append(str(error))
                if len(wrong) == WRONG_SHOWN:
                    break
                continue
            failed += came and status != 0
            survived += came and status == 0
    assert not wrong, "\n".join(wrong)
    assert failed + survived > 10, "hardly any call was reached"
    return f"{failed + survived} faults, {survived} of them survived"


def check(words, outcome=bytes_of):
    """A test of one command. RECORDING is one of SPE records, EXACT an exact one."""
    def test(plumb, library, program, folder, every):
        here = {"PROGRAM": program, "RECORDING": f"{folder}/spe", "EXACT": f"{folder}/exact"}
        if set(here) & set(words.split()) and not os.path.exists(here["EXACT"]):
            raise Skip("no compiler for AArch64, or no engine")
        return fail_all(Fault(plumb, library, [here.get(word, word) for word in words.split()],
                              outcome), every)
    test.__doc__ = f"plumb {words}"
    if not only or words.startswith(only):
        tap.test(test)


def summary_of(plumb):
    """What a recording has."""
    def outcome(folder):
        run = subprocess.run([plumb, "script", "-i", f"{folder}/out"], capture_output=True,
                             check=False, timeout=PATIENCE)
        assert run.returncode == 0 and not run.stderr, run.stderr
        return run.stdout
    return outcome


def record(plumb, program, how, path):
    subprocess.run([plumb, "record", "-q", "--source", "model", *how.split(), "-o", path, program],
                   check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)


def main():
    plumb, library, program = (os.path.realpath(word) for word in sys.argv[1:4])
    every = sys.argv[4:5] == ["all"]
    check("stat --source model --json -o out PROGRAM", events_of)
    check("stat --source model --from _start --json -o out PROGRAM", events_of)
    check("explore --source model -o out PROGRAM", findings_of)
    check("record --source model -q -e CPU_CYCLES -c 10000 -o out PROGRAM", summary_of(plumb))
    check("script -F comm,tid,time,event,ip,addr,weight -i RECORDING")
    check("script -q --json -o out -i RECORDING")
    check("report --sort tid,event,ip --json -o out -i RECORDING")
    check("report --stdio --sort dso,symbol,srcline -i RECORDING")
    check("report --topdown --json -o out -i EXACT")
    check("report --mix --sort ip,op,subclass --json -o out -i EXACT")
    check("annotate --json -o out -i RECORDING")
    check("annotate --stdio -i EXACT")
    check("spec list events --json -o out")
    check("spec export --cpu neoverse-n3 --format markdown -o out")
    check("export --format spe-csv -o out RECORDING")
    check("export --format callgrind -o out EXACT")
    for form in "folded", "speedscope", "pprof", "firefox":
        check(f"export --format {form} -o out RECORDING")
        check(f"export --format {form} -o out EXACT")
    check("doctor --json -o out")
    check("diff --json -o out EXACT EXACT")
    check("diff -o out --markdown out.md --junit out.xml --write-baseline out.json RECORDING RECORDING")
    with tempfile.TemporaryDirectory() as folder:
        if os.path.exists(program) and not engine.absent(plumb):
            record(plumb, program, "-e spe -c 1024", f"{folder}/spe")
            record(plumb, program, "--exact", f"{folder}/exact")
        return tap.run(plumb, library, program, folder, every)


only = tuple(word for word in sys.argv[4:] if word != "all")
sys.exit(main())
