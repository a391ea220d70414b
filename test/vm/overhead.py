# SPDX-License-Identifier: Apache-2.0
"""
What counting and sampling by the PMU's events cost: how many instructions plumb and perf execute, in user
code and in the kernel, for the same job. The program that is counted executes equally many in both.
QEMU counts instructions exactly, so that other work of the machine that runs it does not matter.
"""

INSTRUCTIONS, CYCLES = "armv8_pmuv3/event=0x8/", "armv8_pmuv3/event=0x11/"
COUNT = f"/perf stat -x, -o /tmp/cost -e {INSTRUCTIONS}u,{INSTRUCTIONS}k "
BOTH = f"-e {INSTRUCTIONS},{CYCLES} "
SECONDS = 10
JOBS = (
    ("stat of a short program", "stat", BOTH + "/brief"),
    (f"stat -a -I 10 for {SECONDS} s", "stat", f"-a -I 10 {BOTH}/with after {1000 * SECONDS} /brief"),
    ("record -F 10000", "record", f"-F 10000 -e {CYCLES}u /counted"),
)


def cost(outcome):
    """Instructions in user code and in the kernel."""
    rows = [line.split(",") for line in outcome.sent.decode().splitlines() if line.count(",") > 4]
    return [int(row[0]) for row in rows]


def costs_no_more(name, theirs, ours):
    for tool, of in (("perf", theirs), ("plumb", ours)):
        user, kernel = cost(of)
        print(f"# {name}: {tool}: {user / 1e6:.2f} million instructions in user code, "
              f"{kernel / 1e6:.2f} million in the kernel", flush=True)
    return 0 < sum(cost(ours)) <= sum(cost(theirs))


def add(vm, tools):
    """Adds its commands to those of a machine with perf. `tools` are the beginnings of commands."""
    for name, command, options in JOBS:
        sent = []
        for tool in ("perf", "plumb"):
            vm.run(COUNT + tools[command, tool].lstrip() + options)
            sent.append(vm.run("send /tmp/cost"))
        vm.expect(f"plumb executes no more instructions than perf: {name}",
                  lambda a, b, name=name: costs_no_more(name, a, b), *sent)
