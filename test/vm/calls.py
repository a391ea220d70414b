# SPDX-License-Identifier: Apache-2.0
"""
What plumb and perf ask the kernel for to count and sample events of a PMU: each perf_event_open() with all
fields, and the ioctls, as Debian's strace prints them. Differences must be explained, as those of software
events are in test/interop/kernel_calls.py, or below.
"""

import os
import re
import sys
import tempfile

import overhead
from counting import PARANOID
from machine import PLACES, Script, libraries

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
import kernel_calls  # pylint: disable=wrong-import-position

KPTR_RESTRICT = "/proc/sys/kernel/kptr_restrict"
STRACE = ("/strace -f -v -qq -e signal=none -e trace=perf_event_open,ioctl,prctl,close -o /tmp/calls ")
TOOLS = {
    ("stat", "perf"): "/perf stat -o /dev/null ",
    ("stat", "plumb"): "/plumb stat --source perf --no-progress -o /dev/null ",
    ("record", "perf"): "/perf record -B --no-bpf-event -o /tmp/theirs ",
    ("record", "plumb"): "/plumb record --source perf --no-progress -o /tmp/ours ",
}
INSTRUCTIONS, CYCLES = "armv8_pmuv3/event=0x8/", "armv8_pmuv3/event=0x11/"
LINES = tuple(line.format(i=INSTRUCTIONS, c=CYCLES, run="/brief") for line in (
    "stat -e {i} {run}",
    "stat -e {i}u {run}",
    "stat -e {i}k {run}",
    "stat -e {i},{c} {run}",
    "stat -e {{{i},{c}}} {run}",
    "stat -e {{{i},{c}}}:u {run}",
    "stat -e {i},task-clock {run}",
    "stat -I 10 -e {i}u {run}",
    "stat -a -e {i}u {run}",
    "stat -C 0 -e {i}u {run}",
    "stat -i -e {i}u {run}",
    "stat -e {i}G {run}",
    "stat -e {i}uH {run}",
    "record -e {i} -c 100000 {run}",
    "record -e {i}u -c 100000 {run}",
    "record -e {c}u -F 1000 {run}",
    "record -e {{{c},{i}}}:u -c 100000 {run}",
    "record -e {{{c},{i}}}:S -c 100000 {run}",
    "record -g -e {c}u -c 100000 {run}",
    "record -a -e {c}u -c 100000 {run}",
    "record -C 0 -e {c}u -c 100000 {run}",
    "record -e {c}H -c 100000 {run}",
    "record --per-thread -e {c}u -c 100000 {run}",
))
# Differences that software events do not have: as kernel_calls.ALLOWED.
ALLOWED = {
    ("stat", "0x11", "events task -1 (-1|0x8)", "[01]", "[01]"):
        "the plan counts events together that fit the counters, also without a group around them",
}
# plumb first finds out how many counters are free, by groups of this event, of itself.
PROBED = "0x1b"


class Tools:
    """strace and perf with their libraries."""

    def __init__(self, folder):
        self.files = {name: os.path.join(folder, name, "usr/bin", name) for name in ("strace", "perf")}
        self.places = [os.path.join(folder, name, place.lstrip("/"))
                       for name in self.files for place in PLACES] + PLACES
        self.exist = all(map(self.runs, self.files.values()))

    def runs(self, path):
        try:
            return os.path.exists(path) and bool(libraries(path, self.places))
        except FileNotFoundError:
            return False


def read(outcome):
    with tempfile.NamedTemporaryFile() as file:
        file.write(outcome.sent)
        file.flush()
        events, asked = kernel_calls.read_calls(file.name)
    for call in [call for call in asked if call[0] == PROBED]:
        del asked[call]
    return [event for event in events if event["target"] != "self"], asked


def unexplained(line, theirs, ours):
    """What differs, and is not explained, in words; and the rows of ALLOWED that were needed."""
    sides, needed = (read(theirs), read(ours)), set()
    wrong = [] if all(events for events, _ in sides) else ["no events were opened"]
    for event, what, their, our in sorted(set(kernel_calls.differences(*sides))):
        command = line.split()[0]
        # The hardware's events stand where the table has the kernel's.
        names = (event, "PERF_COUNT_SW_CPU_CLOCK", "PERF_COUNT_SW_PAGE_FAULTS")
        rows = [row for row in ALLOWED
                if all(map(re.fullmatch, row, (command, event, what, their, our)))]
        needed.update(rows)
        if not rows and not any(kernel_calls.allowed_by(command, name, what, their, our)
                                for name in names):
            wrong.append(f"{event}: {what}: perf {their}, plumb {our}")
    return wrong, needed


def script():
    vm = Script("PMU events asked for", "neoverse-n1")
    vm.write(PARANOID, "-1")
    # perf record would read all of the kernel's symbols each time, which takes longer than all else.
    vm.write(KPTR_RESTRICT, "2")
    needed = set()
    for line in LINES:
        command, options = line.split(" ", 1)
        sent = []
        for tool in ("perf", "plumb"):
            vm.run(STRACE + TOOLS[command, tool] + options)
            sent.append(vm.run("send /tmp/calls"))

        def judge(theirs, ours, line=line):
            wrong, rows = unexplained(line, theirs, ours)
            needed.update(rows)
            if wrong:
                raise ValueError("; ".join(wrong))
            return True

        vm.expect(f"plumb asks for what perf asks for: {line}", judge, *sent)
    vm.expect("each difference that is explained is there", lambda: needed == set(ALLOWED))
    vm.write(KPTR_RESTRICT, "0")
    overhead.add(vm, TOOLS)
    return vm
