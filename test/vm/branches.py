# SPDX-License-Identifier: Apache-2.0
"""
Branch stacks, with a stand-in for BRBE: branch_unit.ko makes up those of each sample from its number, so
what a recording must have is known to the entry. Debian's perf records beside plumb, if there is one.
"""

import json
import os

from counting import PARANOID
from machine import PLACES, Script
from mesh import Mesh
from spe import runs

SAMPLES, MOST = 200, 64
ASKED = "/sys/module/branch_unit/parameters/asked"
PLUMB = "/plumb record --no-progress --source perf -c 10000 --per-thread "
BASE = 0x400000
COND, CALL, RET, UNCOND = "COND", "CALL", "RET", "UNCOND"


def branches(n, wanted):
    """What the unit reports with sample `n` of branches of a kind (None: any): fill() in branch_unit.c."""
    for i in range(n * 7 % (MOST + 1)):
        kind = (COND, CALL, RET, UNCOND)[(n + i) % 4]
        if wanted in (None, kind):
            yield (f"0x{BASE + 4 * ((n + 3 * i) % 16):x}/0x{BASE + 4 * ((n * 5 + i) % 16):x}/"
                   f"{'M' if (n + i) % 5 == 0 else 'P'}/-/-/{(n * 31 + i) % 1000}")


def stacks(wanted=None):
    return [list(branches(n, wanted)) for n in range(SAMPLES)]


def read(outcome):
    """The branches of each sample that `script -F ip,brstack` prints, without what newer perf adds."""
    return [["/".join(word.split("/")[:6]) for word in line.split()[1:]]
            for line in outcome.out.splitlines() if line.strip()]


def whole():
    """{(from, to): (times taken, times mispredicted)} of all samples."""
    found = {}
    for entry in (entry for stack in stacks() for entry in stack):
        at, to, predicted = entry.split("/")[:3]
        taken, missed = found.get((at, to), (0, 0))
        found[at, to] = taken + 1, missed + (predicted == "M")
    return found


def sums(outcome):
    rows = json.loads(outcome.out)["events"][0]["rows"]
    return {(row["ip"], row["branch_target"]):
            (row["samples"], round(row["samples"] * row["mispredictions"] / 100)) for row in rows}


class Unit:
    """The stand-in, built for a kernel, and perf if there is one."""

    def __init__(self, folder, age):
        self.name = "BRBE stand-in" + (", newest kernel" if age else "")
        module = os.path.join(folder, f"branch_unit{age}.ko")
        perf = os.path.join(folder, "perf" + age, "usr/bin/perf")
        self.is_built = os.path.exists(module)
        self.places = [os.path.join(folder, "perf" + age, place.lstrip("/"))
                       for place in PLACES] + PLACES
        self.has_perf = runs(perf, self.places)
        self.mesh = Mesh(folder, age)
        self.files = {"branch_unit.ko": module} | self.mesh.files
        if self.has_perf:
            self.files["perf"] = perf


# plumb's option, perf's, and the kind of branches that pass.
FILTERS = (("-b", "-b", None), ("-j any_call", "-j any_call,u", CALL), ("-j any_ret", "-j any_ret,u", RET),
           ("-j cond", "-j cond,u", COND))


def script(unit):
    vm = Script(unit.name, "neoverse-n1,pmu=off")
    vm.write(PARANOID, "-1")
    vm.expect("the stand-in loads", lambda o: o.status == 0, vm.run("load /branch_unit.ko"))
    vm.expect("doctor finds its branch records",
              lambda o: f"{MOST}" in o.checks()["branches"]["text"] and
              o.checks()["branches"]["state"] == "works", vm.run("/plumb doctor --json"))
    for i, (mine, theirs, kind) in enumerate(FILTERS):
        record = vm.run(f"{PLUMB} -e CPU_CYCLES:u {mine} -o /tmp/mine{i} /counted")
        asked = vm.run(f"send {ASKED}")
        own = vm.run(f"/plumb script -i /tmp/mine{i} -F ip,brstack")
        vm.expect(f"{mine}: each sample has its branches",
                  lambda a, b, kind=kind: a.status == 7 and read(b) == stacks(kind), record, own)
        if not unit.has_perf:
            continue
        vm.expect(f"{mine}: perf records", lambda o: o.status == 7, vm.run(
            f"/perf record -q -e armv8_pmuv3_0/event=0x11/u -c 10000 {theirs} --per-thread "
            f"-o /tmp/theirs{i} /counted"))
        vm.expect(f"{mine}: perf asks for the same branches", lambda a, b: a.sent == b.sent and a.sent,
                  asked, vm.run(f"send {ASKED}"))
        vm.expect(f"{mine}: plumb reads the same branches from perf's recording",
                  lambda a, b: read(a) == read(b) and len(read(a)) == SAMPLES, own,
                  vm.run(f"/plumb script -i /tmp/theirs{i} -F ip,brstack"))
        for which in ("mine", "theirs"):
            vm.expect(f"{mine}: perf reads the same branches from {which}",
                      lambda o, kind=kind: read(o) == stacks(kind),
                      vm.run(f"/perf script -i /tmp/{which}{i} -F ip,brstack"))
    report = vm.run("/plumb report -i /tmp/mine0 --branch --json")
    vm.expect("report adds up the branches, and those mispredicted", lambda o: sums(o) == whole(),
              report)
    # The same machine, to save the time that another one takes to boot.
    unit.mesh.add(vm, unit.has_perf)
    return vm
