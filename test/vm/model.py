# SPDX-License-Identifier: Apache-2.0
"""The model on an Arm machine without a PMU: it runs in Debian's own QEMU for arm64, as elsewhere."""

import os

from machine import PLACES, Script
from programs import BRIEF, CHILD

STAT = "/plumb stat --no-progress "
# What a program does besides: it ends with a system call, from cold caches and predictors.
MARGIN = 4000


class Engine:
    """QEMU's user-mode emulator with its libraries, and the plugin that runs in it."""

    def __init__(self, folder, plugin):
        home = os.path.join(folder, "engine")
        self.path = os.path.join(home, "usr/bin/qemu-aarch64")
        self.exists = os.path.exists(self.path) and bool(plugin)
        self.places = [os.path.join(home, place.lstrip("/")) for place in PLACES] + PLACES
        # Beside each other, where a program in / looks for them: ../lib/plumb.
        self.files = {"lib/plumb/qemu-aarch64": self.path,
                      "lib/plumb/" + os.path.basename(plugin): plugin} if self.exists else {}


def script():
    vm = Script("no PMU, with QEMU", "neoverse-n1,pmu=off")
    counted = vm.run(STAT + "--json -e INST_RETIRED,CPU_CYCLES /brief")
    vm.expect("without --source the model counts", lambda o: o.status == 7 and
              o.result()["source"] == "model", counted)
    vm.expect("the model counts each instruction", lambda o: o.count("INST_RETIRED") == BRIEF,
              counted)
    # Two instructions, of which the branch needs the other's flags, a cycle.
    vm.expect("the model counts the cycles of a loop", lambda o:
              BRIEF // 2 <= o.count("CPU_CYCLES") <= BRIEF // 2 + MARGIN, counted)
    vm.expect("the model says that it is one", lambda o: o.status == 7 and
              "model" in o.err and "no Arm PMU" in o.err, vm.run(STAT + "/brief"))
    vm.expect("the model diagnoses", lambda o: o.status == 7 and
              o.result()["diagnosis"] is not None, vm.run(STAT + "--json /brief"))
    vm.expect("the model counts threads", lambda o: o.status == 7 and
              o.count("INST_RETIRED") == BRIEF + CHILD,
              vm.run(STAT + "--json -e INST_RETIRED /thread"))
    recorded = vm.run("/plumb record --no-progress -e INST_RETIRED -c 10000 -o /tmp/model.data "
                      "/brief")
    vm.expect("the model samples", lambda o, p: o.status == 7 and
              len(p.out.splitlines()) in (BRIEF // 10000 - 1, BRIEF // 10000), recorded,
              vm.run("/plumb script -i /tmp/model.data -F ip,sym"))
    vm.expect("doctor says that the model works", lambda o: o.status == 0 and
              o.checks()["engine"]["state"] == "works", vm.run("/plumb doctor --json"))
    return vm
