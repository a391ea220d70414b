# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the model: core data, kernels with their expectations, and runs under the
model and the independent count."""
import argparse
import collections
import json
import os
import re
import struct
import subprocess
import tempfile
import types


def merged(base, own):
    """What a core has, with what it has from the core that it is like; a figure is a whole."""
    if not isinstance(base, dict) or not isinstance(own, dict) or "source" in own:
        return own
    return {**base, **{name: merged(base.get(name), member) for name, member in own.items()}}


def core_data(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if "like" in data:
        data = merged(core_data(os.path.join(os.path.dirname(path), data["like"] + ".json")), data)
    return data


def classes_of(data, path):
    """The costs of each class; those of a subclass without any are the ones of its class."""
    with open(path, encoding="utf-8") as file:
        of = dict(re.findall(r"^(?:MEMORY_)?SUBCLASS\((\w+), (\w+), ", file.read(), flags=re.M))
    classes = dict(data["classes"])
    for name, like in of.items():
        while like not in data["classes"]:
            like = of[like]
        classes.setdefault(name, data["classes"][like])
    return classes


class Core:
    """A core's data (model/cores), with names for use in the kernels' expectations:
    everything in its "core" part, and for its classes

    latency.CLASS       cycles from one to the next that depends on it
    accumulator.CLASS   likewise, through the accumulator
    cycles.CLASS        cycles of one on its busiest ports, if distributed evenly
    ports("GROUP")      number of ports in a group
    parts("CLASS", "GROUP")  number of its parts that go to the ports of a group
    """

    def __init__(self, path):
        data = core_data(path)
        self.name = data["name"]
        self.groups = {name: len(ports.split()) for name, ports in data["groups"].items()}
        self.classes = classes_of(data, os.path.join(os.path.dirname(path), os.pardir, "classes.def"))
        self.names = vars(self.values(data["core"]))
        self.names.update(
            latency=self.of_classes(lambda cost: cost["latency"]),
            accumulator=self.of_classes(lambda cost: cost.get("accumulator")),
            cycles=self.of_classes(lambda cost: max(
                (cycles / self.ports(group) for group, cycles in cycles_of(cost).items()),
                default=None)),
            ports=self.ports, parts=self.parts, max=max)

    def values(self, members):
        return types.SimpleNamespace(**{
            name: member["value"] if "value" in member else self.values(member)
            for name, member in members.items()})

    def of_classes(self, value):
        return types.SimpleNamespace(**{name: value(cost) for name, cost in self.classes.items()})

    def ports(self, group):
        return self.groups.get(group, 1)  # a port by itself is a group, too

    def parts(self, name, group):
        return sum(count for of, count, _ in parts_of(self.classes[name]) if of == group)

    def value(self, expression):
        return evaluate(expression, self.names)


def parts_of(cost):
    """Parses the parts of a class, "2*L V0/7": [(group, count, cycles each keeps its port)]."""
    for count, group, busy in re.findall(r"(?:(\d+)\*)?(\w+)(?:/(\d+))?", cost["parts"]):
        yield group, int(count or 1), int(busy or 1)


def cycles_of(cost):
    """{group: cycles for which the parts of a class keep ports of the group}"""
    cycles = collections.Counter()
    for group, count, busy in parts_of(cost):
        cycles[group] += count * busy
    return cycles


def evaluate(expression, names):
    """Evaluates an expression from our own data files, with only `names`."""
    return eval(expression, {"__builtins__": {}}, names)


class Kernel:
    """A kernel built for a core, as NAME.CORE, and the expectations in NAME.json."""

    def __init__(self, program, folder):
        self.program = program
        self.name, self.core = os.path.basename(program).rsplit(".", 1)
        with open(os.path.join(folder, self.name + ".json"), encoding="utf-8") as file:
            self.expected = json.load(file)
        self.threads = os.path.exists(os.path.join(folder, self.name + ".c"))

    def work(self):
        return absolute_symbol(self.program, "kernel_work")


def absolute_symbol(path, name):
    """Returns the value of a symbol in a 64-bit little-endian ELF file."""
    with open(path, "rb") as file:
        data = file.read()
    sections, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size) for i in range(count)]
    for _, kind, _, _, offset, length, link, _, _, _ in headers:
        if kind != 2:  # SHT_SYMTAB
            continue
        strings = headers[link][4]
        for at in range(offset, offset + length, 24):
            text, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            if data[strings + text:data.index(b"\0", strings + text)].decode() == name:
                return value
    raise ValueError(f"{path}: no symbol {name}")


# The same environment for every run, since the C library reads it at start-up.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class Failed(Exception):
    """A run that failed; the message is its error output."""


def run(command, more=None):
    """Returns what a command prints; its environment may have `more` variables."""
    done = subprocess.run(command, env=ENVIRONMENT | (more or {}), stdin=subprocess.DEVNULL, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failed(f"{command[0]} ... {command[-1]}: status {done.returncode}: "
                     f"{done.stderr.decode(errors='replace').strip()}")
    return done.stdout


LEVEL_1 = ("frontend_bound", "backend_bound", "bad_speculation", "retiring")


class Result:
    """The result of `plumb stat`: events and metrics by name, and the path of the diagnosis."""

    def __init__(self, text):
        data = json.loads(text)
        self.text = text
        self.events = {event["name"]: event["count"] for event in data["events"]}
        self.metrics = {metric["name"]: metric["value"] for metric in data["metrics"]}
        self.valued = [(metric["name"], metric["value"], metric["units"])
                       for metric in data["metrics"] if metric["value"] is not None]
        self.path = data["diagnosis"]["path"]
        self.advice = data["diagnosis"]["brief"]
        self.ties = data["diagnosis"]["ties"]
        self.waits = [wait["node"] for wait in data["diagnosis"]["waits"]]
        self.slots = data["cpu"]["slots"]
        self.warnings = data["warnings"]

    def value(self, expression, **more):
        """Computes a figure from events, metrics (None if there is no value) and `more`."""
        return evaluate(expression, {**self.events, **self.metrics, **more})


def stat(plumb, core, command, events, sysroot=None):
    """Runs `command` under the model of `core`, with all metrics and these events."""
    options = ["--stages", "all", *(["-e", ",".join(sorted(events))] if events else []),
               *(["-L", sysroot] if sysroot else [])]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts.json")
        run([plumb, "stat", "--source", "model", "--cpu", core, "--json", "-o", out, *options,
             "--", *command])
        with open(out, encoding="utf-8") as file:
            return Result(file.read())


def kernel_arguments(description):
    """The command line of a test of kernels; the first line of `description` is its help."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("plumb")
    parser.add_argument("cores", help="folder of the cores' data")
    parser.add_argument("kernels", help="folder of the kernels' expectations")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()
