# SPDX-License-Identifier: Apache-2.0
"""Boots a virtual Arm machine, runs commands in it, and judges how each went."""

import json
import os
import re
import subprocess

PLACES = ["/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/aarch64-linux-gnu/lib"]
# Of what a failed command printed.
SHOWN_LINES = 40
# Long enough for a busy machine; it takes seconds.
LIMIT = int(os.environ.get("VM_LIMIT", "300"))


class Outcome:
    """How a command went: filled in once the machine has run."""

    def __init__(self, command):
        self.command = command
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

    def result(self):
        """The JSON object after what the program itself printed."""
        found = self.results() or [json.loads(self.err[self.err.index("{"):])]
        return found[0]

    def events(self):
        """The events that were counted, by name."""
        return {event["name"]: event for event in self.result()["events"]
                if event["count"] is not None}

    def count(self, name):
        """The count of an event; None: not counted."""
        return self.events().get(name, {}).get("count")

    def warnings(self):
        return " / ".join(self.result()["warnings"])

    def checks(self):
        """The answers of `doctor --json`, by name."""
        return {one["id"]: one for one in json.loads(self.out)["checks"]}

    def __str__(self):
        return f"{self.command}\nstatus {self.status}\n{self.out}{self.err}"


class Script:
    """Commands for one boot, and what is expected of them."""

    def __init__(self, name, options, cpus=1, parameters=""):
        self.name, self.options, self.cpus, self.parameters = name, options, cpus, parameters
        self.outcomes = []
        self.expected = []

    def run(self, command):
        self.outcomes.append(Outcome(command))
        return self.outcomes[-1]

    def user(self, command):
        return self.run("user " + command)

    def write(self, path, text):
        return self.run(f"write {path} {text}")

    def expect(self, name, judge, *outcomes):
        """Adds a check: `judge` gets the outcomes, and returns whether it is fulfilled."""
        self.expected.append((name, judge, outcomes))


class Report:
    """Prints TAP."""

    def __init__(self):
        self.points = 0

    def check(self, fine, name, *why):
        self.points += 1
        print(f"{'ok' if fine else 'not ok'} {self.points} - {name}", flush=True)
        if not fine:
            for what in why:
                for line in str(what).splitlines()[:SHOWN_LINES]:
                    print("#", line[:400])
        return fine

    def skip(self, name, why):
        self.points += 1
        print(f"ok {self.points} - {name} # SKIP {why}")

    def judge(self, script, console):
        """Checks one after another; an error means that one cannot be made."""
        done = read_console(script, console)
        if not self.check(done == len(script.outcomes) and "#done" in console,
                          f"{script.name}: the machine ran to its end",
                          f"{done} of {len(script.outcomes)} commands", console[-2000:]):
            return
        for name, judge, outcomes in script.expected:
            why = list(outcomes)
            try:
                fine = judge(*outcomes)
            except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
                fine = False
                why.append(repr(error))
            self.check(fine, f"{script.name}: {name}", *why)


# ---- the archive of its files --------------------------------------------------------------------


def entry(name, mode, data, number):
    """One file of an archive in cpio's format "newc", as Linux unpacks it at its start."""
    name = name.encode() + b"\0"
    head = b"070701" + b"".join(
        b"%08x" % field for field in
        (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def library(name, places):
    for place in places:
        path = os.path.join(place, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(name)


def libraries(program, places):
    """The paths of the libraries that a program is linked with, and theirs."""
    found, unread = {}, [program]
    while unread:
        told = subprocess.run(["readelf", "-d", unread.pop()], check=True, capture_output=True,
                              text=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", told):
            if name not in found:
                found[name] = library(name, places)
                unread.append(found[name])
    return found


def write_archive(path, files, script, places):
    """`files` maps paths in the machine to files here. Libraries are added."""
    files = dict(files)
    for source in list(files.values()):
        with open(source, "rb") as file:
            if file.read(4) == b"\x7fELF" and not source.endswith(".ko"):
                files.update({"lib/" + name: at for name, at in
                              libraries(source, places).items()})
    with open(path, "wb") as out:
        number = 1
        for folder in ("dev", "lib", "lib/plumb", "root"):
            out.write(entry(folder, 0o040755, b"", number))
            number += 1
        for name, source in files.items():
            with open(source, "rb") as file:
                out.write(entry(name, 0o100755, file.read(), number))
            number += 1
        commands = "".join(outcome.command + "\n" for outcome in script.outcomes)
        out.write(entry("commands", 0o100644, commands.encode(), number))
        out.write(entry("TRAILER!!!", 0, b"", 0))


# ---- the machine ---------------------------------------------------------------------------------


def boot(kernel, archive, script, console):
    """Starts the machine. It writes to a file what it prints."""
    command = ["qemu-system-aarch64", "-machine", "virt", "-cpu", script.options,
               "-smp", str(script.cpus), "-m", "512", "-icount", "shift=0,sleep=off", "-nographic",
               "-nodefaults", "-serial", "stdio", "-no-reboot", "-kernel", kernel,
               "-initrd", archive,
               "-append", "console=ttyAMA0 loglevel=1 panic=-1 cryptomgr.notests " + script.parameters]
    with open(console, "wb") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                stderr=subprocess.STDOUT)


def wait(machine, console):
    """Returns what it printed."""
    late = ""
    try:
        machine.wait(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        machine.kill()
        machine.wait()
        late = "\n(it took too long)"
    with open(console, encoding="utf-8", errors="replace") as log:
        return log.read() + late


def read_console(script, text):
    """Fills in the outcomes. Returns how many commands have begun."""
    begun = 0
    outcome = None
    for line in text.replace("\r", "").split("\n"):
        if line.startswith("#begin ") and begun < len(script.outcomes):
            outcome = script.outcomes[begun]
            begun += 1
        elif not outcome:
            continue
        elif line.startswith("#end "):
            outcome.status = int(line.split()[1])
        elif line.startswith("1 "):
            outcome.out += line[2:] + "\n"
        elif line.startswith("2 "):
            outcome.err += line[2:] + "\n"
        elif line.startswith("3 "):
            outcome.sent += bytes.fromhex(line[2:])
    return begun
