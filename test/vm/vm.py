#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests plumb stat and record on a virtual machine with an Arm PMU and a real kernel. Prints TAP.

vm.py KERNEL PLUMB INIT COUNTED-PROGRAM NUMBER-OF-ITS-INSTRUCTIONS FOLDER

QEMU's Neoverse N1 has six counters. With one instruction per nanosecond it counts instructions
exactly, and PMCEID shows that it counts little else. It has no SPE. If perf is installed, it reads
the recordings.
"""

import json
import os
import re
import shutil
import subprocess
import sys

PLACES = ["/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib"]
STAT = "/plumb stat --no-progress "
PERIOD = 100000
RECORD = f"/plumb record --no-progress --source perf -c {PERIOD} "
COMMANDS = {
    "refused": "user " + STAT + "--source perf -e CPU_CYCLES /counted",
    "permit": "write /proc/sys/kernel/perf_event_paranoid 2",
    "user": "user " + STAT + "--source perf --json -e INST_RETIRED,CPU_CYCLES /counted",
    "lacking": STAT + "--source perf --json "
               "-e CPU_CYCLES,INST_RETIRED,L1D_CACHE,BR_RETIRED,LL_CACHE_RD /counted",
    "nothing": STAT + "--source perf --json -e L1D_CACHE /counted",
    "turns": STAT + "--source perf --json /counted",
    "runs": STAT + "--source perf --no-multiplex --json --stages 1 /counted",
    "auto": STAT + "-e CPU_CYCLES,INST_RETIRED /counted",
    "intervals": STAT + "--source perf --json -I 5 -e INST_RETIRED /counted",
    # Alone, instructions make QEMU 7.2 interrupt at the next tick: of cycles it knows when.
    "thread": RECORD + "-e {INST_RETIRED:u,CPU_CYCLES:u} --per-thread -o /tmp/thread.data /counted",
    "thread file": "send /tmp/thread.data",
    "cpu": RECORD + "-e {INST_RETIRED:u,CPU_CYCLES:u} -g -o /tmp/cpu.data /counted",
    "cpu file": "send /tmp/cpu.data",
    "doctor": "/plumb doctor --json",
    "spe": RECORD + "-e spe -o /tmp/spe.data /counted",
    "cores": "/plumb list --json cores",
    "events": "/plumb list --json events",
}
# Long enough for a busy machine; it takes seconds.
LIMIT = 150

points = 0


def check(fine, name, *why):
    global points
    points += 1
    print(f"{'ok' if fine else 'not ok'} {points} - {name}")
    if not fine:
        for what in why:
            for line in str(what).splitlines():
                print("#", line)
    return fine


def entry(name, mode, data, number):
    """One file of an archive in cpio's format "newc", as Linux unpacks it at its start."""
    name = name.encode() + b"\0"
    head = b"070701" + b"".join(
        b"%08x" % field for field in
        (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def library(name):
    for place in PLACES:
        path = os.path.join(place, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(name)


def libraries(program):
    """The paths of the libraries that a program is linked with, and theirs."""
    found, unread = {}, [program]
    while unread:
        told = subprocess.run(["readelf", "-d", unread.pop()], check=True, capture_output=True,
                              text=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", told):
            if name not in found:
                found[name] = library(name)
                unread.append(found[name])
    return found


def write_archive(path, plumb, init, counted):
    programs = {"init": init, "plumb": plumb, "counted": counted}
    programs.update({"lib/" + name: path for name, path in libraries(plumb).items()})
    with open(path, "wb") as out:
        number = 1
        for folder in ("dev", "lib"):
            out.write(entry(folder, 0o040755, b"", number))
            number += 1
        for name, source in programs.items():
            with open(source, "rb") as file:
                out.write(entry(name, 0o100755, file.read(), number))
            number += 1
        commands = "".join(line + "\n" for line in COMMANDS.values())
        out.write(entry("commands", 0o100644, commands.encode(), number))
        out.write(entry("TRAILER!!!", 0, b"", 0))


def run_machine(kernel, archive):
    command = ["qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1", "-smp", "1",
               "-m", "512", "-icount", "shift=0", "-nographic", "-nodefaults", "-serial", "stdio",
               "-no-reboot", "-kernel", kernel, "-initrd", archive,
               "-append", "console=ttyAMA0 loglevel=1 panic=-1"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace") + "\n(it took too long)"


class Outcome:
    def __init__(self):
        self.status = None
        self.out = ""
        self.err = ""
        self.sent = b""

    def results(self):
        """What it printed as JSON: one object, or one a line. None if it is not that."""
        decoder, objects, rest = json.JSONDecoder(), [], self.err.strip()
        try:
            while rest:
                value, end = decoder.raw_decode(rest)
                objects.append(value)
                rest = rest[end:].lstrip()
        except ValueError:
            return []
        return objects

    def __str__(self):
        return f"status {self.status}\n{self.out}{self.err}"


def read_console(text):
    outcomes = []
    for line in text.replace("\r", "").split("\n"):
        if line.startswith("#begin "):
            outcomes.append(Outcome())
        elif line.startswith("#end ") and outcomes:
            outcomes[-1].status = int(line.split()[1])
        elif line.startswith("1 ") and outcomes:
            outcomes[-1].out += line[2:] + "\n"
        elif line.startswith("2 ") and outcomes:
            outcomes[-1].err += line[2:] + "\n"
        elif line.startswith("3 ") and outcomes:
            outcomes[-1].sent += bytes.fromhex(line[2:])
    return dict(zip(COMMANDS, outcomes))


def counts(result):
    """Of each event that was counted: how often, and for how much of the time."""
    return {event["name"]: event for event in result["events"] if event["count"] is not None}


def near(value, expected, share):
    return abs(value - expected) <= share * expected


def skip(name, why):
    global points
    points += 1
    print(f"ok {points} - {name} # SKIP {why}")


def judge_recording(name, outcome, sent, instructions, folder):
    """One that has samples of the instructions, one for so many of them."""
    expected = instructions // PERIOD
    path = os.path.join(folder, name + ".data")
    with open(path, "wb") as file:
        file.write(sent.sent)
    check(outcome.status == 7, f"{name}: the exit status is the program's", outcome)
    said = re.search(r"(\d+) samples?,", outcome.err)
    check(said and int(said[1]) >= expected - 1, f"{name}: says how many samples", outcome)
    title = f"{name}: perf reads a sample for each {PERIOD} instructions"
    if not shutil.which("perf"):
        skip(title, "there is no perf")
        return
    done = subprocess.run(["perf", "script", "-i", path, "-G", "-F", "comm,event,ip"],
                          capture_output=True, text=True, check=False)
    samples = [line.split() for line in done.stdout.splitlines()]
    samples = [words for words in samples if "INST_RETIRED" in words[1]]
    inside = [words for words in samples
              if words[0] == "counted" and 0x400000 <= int(words[2], 16) < 0x401000]
    # The last ones may be taken on the way into the kernel.
    check(done.returncode == 0 and abs(len(samples) - expected) <= 1 and
          len(inside) >= len(samples) - 2, title,
          f"{len(samples)} samples, {len(inside)} of them in the program, of {expected}",
          done.stderr, *samples[:3])


def judge_recordings(outcomes, instructions, folder):
    for name in ("thread", "cpu"):
        judge_recording(name, outcomes[name], outcomes[name + " file"], instructions, folder)
    spe = outcomes["spe"]
    check(spe.status == 3 and "arm_spe" in spe.err and "plumb doctor" in spe.err,
          "without SPE nothing is sampled, and who knows more is said", spe)
    doctor = outcomes["doctor"]
    checks = {one["id"]: one for one in json.loads(doctor.out)["checks"]}
    check(checks["spe"]["state"] == "missing" and "arm_spe_pmu" in checks["spe"]["fix"],
          "doctor says what may be missing for SPE", doctor)
    check(checks["core-pmu"]["text"] == "armv8_pmuv3 of Neoverse N1" and
          checks["counters"]["text"] == "6 for any event, one more for cycles",
          "doctor finds the counters that QEMU's Neoverse N1 has", doctor)


def judge(outcomes, instructions):
    """One check after another; another error: one could not be made."""
    refused = outcomes["refused"]
    check(refused.status == 3 and "perf_event_paranoid is 3" in refused.err,
          "without permission nothing is counted, and that is said", refused)

    user = outcomes["user"]
    result = user.results()[0]
    check(result["source"] == "perf" and result["cpu"]["name"] == "Neoverse N1" and
          result["cpu"]["midr"] == "0x414fd0c1", "the CPU is found by its MIDR", user)
    check(user.status == 7 and result["exit_status"] == 7, "the exit status is the program's", user)
    check(counts(result)["INST_RETIRED"]["count"] == instructions,
          "without the kernel's part, instructions are counted exactly", user)
    check(counts(result)["CPU_CYCLES"]["count"] > 0, "cycles are counted", user)
    check(len(result["warnings"]) == 1 and "CAP_PERFMON" in result["warnings"][0],
          "that the kernel's part is missing is said", user)

    lacking = outcomes["lacking"]
    result = lacking.results()[0]
    check(instructions < counts(result)["INST_RETIRED"]["count"] < 1.05 * instructions,
          "with the kernel's part there are some more", lacking)
    check(sorted(counts(result)) == ["CPU_CYCLES", "INST_RETIRED"] and len(result["events"]) == 5,
          "what the PMU lacks is null", lacking)
    check(len(result["warnings"]) == 1 and
          "L1D_CACHE, BR_RETIRED, LL_CACHE_RD" in result["warnings"][0],
          "what the PMU lacks is named", lacking)
    check(lacking.status == 7, "the others are counted all the same", lacking)

    nothing = outcomes["nothing"]
    check(nothing.status == 3 and "L1D_CACHE" in nothing.err,
          "if the PMU lacks all that is asked for, that is an error", nothing)

    turns = outcomes["turns"]
    result = turns.results()[0]
    cycles = counts(result)["CPU_CYCLES"]
    check(turns.status == 7 and 0 < cycles["running_ns"] < 0.9 * cycles["enabled_ns"],
          "groups take turns on the counters", turns)
    check(near(counts(result)["INST_RETIRED"]["count"], instructions, 0.05),
          "what took turns is scaled to the whole", turns)
    check(not any("same time" in warning for warning in result["warnings"]),
          "no group is too large for the counters", turns)

    runs = outcomes["runs"]
    cycles = counts(runs.results()[0])["CPU_CYCLES"]
    check(runs.status == 7 and 0 < cycles["running_ns"] == cycles["enabled_ns"],
          "a run for each pass needs no turns", runs)

    auto = outcomes["auto"]
    check("counting on this machine's Neoverse N1" in auto.err and "armv8_pmuv3" in auto.err,
          "without --source the PMU counts, and is named", auto)

    intervals = outcomes["intervals"]
    results = intervals.results()
    parts = [counts(r)["INST_RETIRED"]["count"] for r in results if not r["summary"]]
    whole = [counts(r)["INST_RETIRED"]["count"] for r in results if r["summary"]]
    check(len(parts) > 5 and [sum(parts)] == whole, "intervals add up", intervals)

    cores = outcomes["cores"]
    check(cores.status == 0 and '"neoverse-n1-r4p1"' in cores.out, "plumb list knows the core",
          cores)
    events = outcomes["events"]
    counted = {event["name"]: event["counted"] for event in json.loads(events.out)["events"]}
    check(counted["CPU_CYCLES"] and counted["INST_RETIRED"] and not counted["L1D_CACHE"] and
          not counted["BR_RETIRED"], "plumb list knows what the PMU lacks", events)


def main():
    kernel, plumb, init, counted, instructions, folder = sys.argv[1:]
    archive = os.path.join(folder, "initramfs.cpio")
    write_archive(archive, plumb, init, counted)
    console = run_machine(kernel, archive)
    with open(os.path.join(folder, "console"), "w", encoding="utf-8") as log:
        log.write(console)
    outcomes = read_console(console)
    if check(len(outcomes) == len(COMMANDS) and "#done" in console, "the machine ran to its end",
             console[-4000:]):
        try:
            judge(outcomes, int(instructions))
            judge_recordings(outcomes, int(instructions), folder)
        except (KeyError, IndexError, ValueError) as error:
            check(False, "all that is expected is printed", repr(error), console[-20000:])
    print(f"1..{points}")


main()
