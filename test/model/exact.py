#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks exact profiles, as real perf reads them, against the counts of another run.

For each program, named NAME.CORE: the sums over all instructions must equal the totals of `plumb
stat`, for each event and for the slots. For some kernels, the instruction that is to blame must
come first. Some with threads are recorded again, on one processor and on a busy host, and some with one
thread on one host thread, which charges each time that a loop repeats itself alone: the samples
must be the same, whatever their order.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "interop"))
import engine  # noqa: E402
from modelled import ENVIRONMENT, run, stat  # noqa: E402
from tap import Skip, Tap  # noqa: E402
from threads import busy_host, digits_changed, last_tid  # noqa: E402

# Slots and cycles in terms of the recording's own events.
SUMS = {
    "STALL_SLOT": r"slots_(frontend|backend)_\w+",
    "STALL_SLOT_FRONTEND": r"slots_frontend_\w+",
    "STALL_SLOT_BACKEND": r"slots_backend_\w+",
    "OP_SPEC": r"OP_RETIRED|slots_bad_speculation",
    "STALL_FRONTEND": r"STALL_FRONTEND_\w+",
    "STALL_FRONTEND_CPUBOUND": "STALL_FRONTEND_(FLOW|FLUSH)",
    "STALL_FRONTEND_MEMBOUND": "STALL_FRONTEND_(TLB|L1I|MEM)",
    "STALL_BACKEND": r"STALL_BACKEND_(CPUBOUND|L1D|MEM|TLB|ST)",
    "STALL_BACKEND_MEMBOUND": "STALL_BACKEND_(L1D|MEM|TLB|ST)",
    # The model mispredicts only branches that retire.
    "BR_MIS_PRED": "BR_MIS_PRED_RETIRED",
    "L1D_CACHE": "L1D_CACHE_(RD|WR)",
    "L2D_CACHE": "L2D_CACHE_(RD|WR|PRF)",
    "L2D_CACHE_REFILL": "L2D_CACHE_REFILL_(RD|PRF)",
    "MEM_ACCESS": "MEM_ACCESS_(RD|WR)",
}

# Kernel: the event, and the instruction that has the most of it.
GUILTY = {
    "atomic_chain": ("slots_backend_.*", "ldadd"),
    "barrier_isb": ("STALL_FRONTEND_FLUSH", "isb"),
    "branch_indirect_random": ("slots_bad_speculation|STALL_FRONTEND_F.*", "br"),
    "branch_random": ("slots_bad_speculation", "tb[nz]+|cb[nz]+|b\\..*"),
    "chain_div64": ("slots_backend_.*", "[su]div"),
    "chain_fsqrt_double": ("slots_backend_.*", "fsqrt"),
    "chase_dram": ("STALL_BACKEND_MEM", "ldr"),
    "chase_l2": ("STALL_BACKEND_L1D", "ldr"),
    "rename_vector": ("IMP_STALL_BACKEND_RENAME_VRF", "[su]div|ldr"),
    "store_miss": ("STALL_BACKEND_ST", "str"),
    "stream_fdiv_double": ("slots_backend_.*", "fdiv"),
    "tlb_walk": ("DTLB_WALK|STALL_BACKEND_TLB", "ldr"),
}

# With several threads that contend, or have lines that move.
SAME = ["sharing_false", "together_lines_2", "together_mutex_4", "together_spin_lock_4"]

# Loops that repeat themselves: branches, calls, stores that loads wait for, accesses of two lines.
REPEATED = ["branch_return_shallow", "branch_taken_near", "chain_add", "load_page",
            "store_crossing", "store_forward_middle"]

SAMPLE = re.compile(r"^\s*(\d+)\s+exact/(\w+)/:\s+([0-9a-f]+)\s*$")


def record(plumb, core, program, sysroot, path, before=(), options=()):
    run([*before, plumb, "record", "--exact", "-q", "--source", "model", "--cpu", core, "-o", path,
         *options, *(["-L", sysroot] if sysroot else []), "--", program])


class Profile:
    """The sums of an exact recording: by event, and by event and address."""

    def __init__(self, plumb, core, program, sysroot, folder):
        path = os.path.join(folder, "exact.data")
        record(plumb, core, program, sysroot, path)
        text = subprocess.run(["perf", "script", "-i", path, "-G", "-F", "period,event,ip"],
                              env=ENVIRONMENT, check=True, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        self.events = collections.Counter()
        self.places = collections.defaultdict(collections.Counter)
        for line in text.splitlines():
            match = SAMPLE.match(line)
            if not match:
                raise AssertionError(f"perf script: {line!r}")
            count, event, address = int(match[1]), match[2], int(match[3], 16)
            self.events[event] += count
            self.places[event][address] += count

    def sum(self, pattern):
        return sum(count for event, count in self.events.items() if re.fullmatch(pattern, event))

    def first(self, pattern):
        """Returns the address that has most of the events."""
        places = collections.Counter()
        for event, counts in self.places.items():
            if re.fullmatch(pattern, event):
                places.update(counts)
        if not places:
            raise AssertionError(f"nothing counted {pattern}")
        return places.most_common(1)[0][0]


def samples_of(path):
    """How often each sample is in a recording: thread, time, period, event and call chain."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "tid,time,period,event,ip"],
                          env=ENVIRONMENT, check=True, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return collections.Counter(text.split("\n\n"))


def compare_runs(arguments, program):
    """Compares the samples of three recordings of a program."""
    core = os.path.basename(program).rsplit(".", 1)[1]
    one_processor = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    with tempfile.TemporaryDirectory() as folder:
        def recorded(*before):
            path = os.path.join(folder, "exact.data")
            record(arguments.plumb, core, program, arguments.sysroot, path, before)
            return samples_of(path)

        first, others = recorded(), [recorded(*one_processor)]
        with busy_host():
            others.append(recorded())
    if len(first) < 1000:
        raise AssertionError(f"{len(first)} samples")
    for samples in others:
        if samples != first:
            differ = list((samples - first).items())[:3], list((first - samples).items())[:3]
            raise AssertionError(f"differ: {differ[0]}, before {differ[1]}")
    return f"{sum(first.values())} samples, three times"


def check_repeated(arguments, program):
    core = os.path.basename(program).rsplit(".", 1)[1]
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "exact.data")
        for threads in "1", "2":
            record(arguments.plumb, core, program, arguments.sysroot, path,
                   options=["--host-threads", threads])
            samples.append(samples_of(path))
    if samples[0] != samples[1]:
        raise AssertionError(f"differ: {list((samples[1] - samples[0]).items())[:3]}, with one "
                             f"host thread {list((samples[0] - samples[1]).items())[:3]}")
    return f"{sum(samples[0].values())} samples, twice"


def check_same(arguments, program):
    before = last_tid()
    try:
        return compare_runs(arguments, program)
    except AssertionError:
        if not digits_changed(before, last_tid()):  # see check_program()
            raise
    return compare_runs(arguments, program)


def instruction_at(program, address):
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn",
                           f"--start-address={address:#x}", f"--stop-address={address + 4:#x}",
                           program], check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.search(rf"^\s*{address:x}:\s+(\S+)", text, re.MULTILINE)[1]


def known_events(plumb, core):
    """Returns the events of the CPU that `core` models: others cannot be asked for."""
    listing = json.loads(run([plumb, "spec", "list", "events", "--cpu", core, "--json"]))
    return {event["name"] for event in listing["events"]}


def check_sums(profile, result):
    wrong = [f"{name}: {profile.events[name]} in the profile, {result.events[name]} counted"
             for name in profile.events
             if name in result.events and profile.events[name] != result.events[name]]
    wrong += [f"{name}: {profile.sum(pattern)} in the profile, {result.events[name]} counted"
              for name, pattern in SUMS.items()
              if name in result.events and profile.sum(pattern) != result.events[name]]
    missing = [name for name in EVENTS
               if result.events.get(name) and not profile.events[name]]
    wrong += [f"{name}: nothing in the profile, {result.events[name]} counted" for name in missing]
    return wrong


def check_slots(profile, slots):
    total = profile.sum(r"slots_\w+|OP_RETIRED")
    if total != slots * profile.events["CPU_CYCLES"]:
        return [f"{total} slots in {profile.events['CPU_CYCLES']} cycles of {slots}"]
    return []


def compare(arguments, program):
    """Returns a program's profile, and how its sums differ from the counts."""
    core = os.path.basename(program).rsplit(".", 1)[1]
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile(arguments.plumb, core, program, arguments.sysroot, folder)
    events = (set(EVENTS) | set(SUMS)) & known_events(arguments.plumb, core)
    result = stat(arguments.plumb, core, [program], events, arguments.sysroot)
    return profile, check_slots(profile, result.slots) + check_sums(profile, result)


def check_program(arguments, program):
    name = os.path.basename(program).rsplit(".", 1)[0]
    before = last_tid()
    profile, wrong = compare(arguments, program)
    # Some C libraries print the numbers of threads, 10 instructions per digit.
    if wrong and digits_changed(before, last_tid()):
        profile, wrong = compare(arguments, program)
    if name in GUILTY:
        event, expected = GUILTY[name]
        found = instruction_at(program, profile.first(event))
        if not re.fullmatch(expected, found):
            wrong.append(f"most {event} is of {found}, not of {expected}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{len(profile.events)} events, {len(profile.places['INST_RETIRED'])} instructions"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--absent", metavar="WHY", help="skip everything, because this is missing")
    parser.add_argument("--sysroot")
    parser.add_argument("plumb")
    parser.add_argument("events", help="model/exact.def")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


def main(arguments):
    tap = Tap()
    absent = arguments.absent or engine.absent(arguments.plumb)
    if not absent and not shutil.which("perf"):
        absent = "there is no perf"
    for program in arguments.programs:
        name = os.path.basename(program)

        def test(program=program):
            if absent:
                raise Skip(absent)
            return check_program(arguments, program)
        test.__doc__ = f"{name}: the profile's sums"
        tap.test(test)
        for names, check, what in ((SAME, check_same, "on every run"),
                                   (REPEATED, check_repeated, "with one host thread")):
            if name.rsplit(".", 1)[0] not in names:
                continue

            def test_same(program=program, check=check):
                if absent:
                    raise Skip(absent)
                return check(arguments, program)
            test_same.__doc__ = f"{name}: the same profile {what}"
            tap.test(test_same)
    tap.run()


if __name__ == "__main__":
    ARGUMENTS = parse_arguments()
    with open(ARGUMENTS.events, encoding="utf-8") as FILE:
        EVENTS = re.findall(r"^EXACT_EVENT\((\w+)\)", FILE.read(), re.MULTILINE)
    main(ARGUMENTS)
