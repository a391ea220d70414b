#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_calls.py PLUMB: compares what plumb and perf ask of the kernel.

strace prints the calls of both for the same command line: each perf_event_open() with all fields of
its perf_event_attr, the ioctls on these events, and prctl(). Differences must be in the table ALLOWED,
which gives their reasons; a row that no command line needs is an error, too.
"""
import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from perf_tool import run_perf
from perf_version import Perf
from tap import Tap

tap = Tap()

# What each tool is told beside the options of a command line.
TOOLS = {
    ("stat", "perf"): ["perf", "stat", "-o", "/dev/null"],
    ("stat", "plumb"): ["{plumb}", "stat", "--source", "perf", "--no-progress", "-o", "/dev/null"],
    # -B looks for no build-ids, and --no-bpf-event opens no event for BPF programs.
    ("record", "perf"): ["perf", "record", "-B", "--no-bpf-event", "-o", "{folder}/theirs"],
    ("record", "plumb"): ["{plumb}", "record", "--no-progress", "-o", "{folder}/ours"],
}

# {run} is a program that ends at once, {wait} one that takes a while; {pid} is a process that sleeps.
# Software events are the same on all machines.
LINES = """
stat -e task-clock {run}
stat -e cpu-clock {run}
stat -e page-faults,context-switches,cpu-migrations {run}
stat -e minor-faults,major-faults,alignment-faults,emulation-faults {run}
stat -e dummy {run}
stat -e task-clock:u {run}
stat -e page-faults:k {run}
stat -e page-faults:u,page-faults:k {run}
stat -e {{task-clock,page-faults}} {run}
stat -e {{task-clock,page-faults}},context-switches {run}
stat -e {{task-clock,page-faults}}:u {run}
stat -e {{task-clock,page-faults}},{{cpu-clock,minor-faults}} {run}
stat -i -e task-clock {run}
stat --no-inherit -e page-faults {run}
stat -I 10 -e task-clock {run}
stat -r 2 -e task-clock {run}
stat --all-user -e task-clock {run}
stat --all-kernel -e task-clock {run}
stat -a -e cpu-clock {run}
stat -a -e cpu-clock,context-switches {run}
stat -a -e {{cpu-clock,page-faults}} {run}
stat -a -A -e cpu-clock {run}
stat -a --per-core -e cpu-clock {run}
stat -a --per-socket -e cpu-clock {run}
stat -a --per-node -e cpu-clock {run}
stat -C 0 -e cpu-clock {run}
stat -C 0 -e context-switches:u {run}
stat -a -I 10 -e page-faults {run}
stat -p {pid} -e task-clock {run}
stat -t {pid} -e task-clock {run}
stat -p {pid} -e {{task-clock,page-faults}} {run}
stat -p {pid} -I 10 -e page-faults {run}
record -e cpu-clock -c 100000 {run}
record -e task-clock -c 100000 {run}
record -e cpu-clock -F 1000 {run}
record -e page-faults -c 1 {run}
record -e cpu-clock:u -c 100000 {run}
record -e cpu-clock:k -c 100000 {run}
record -e context-switches -c 1 {run}
record -e cpu-clock,page-faults -c 100000 {run}
record -e {{cpu-clock,page-faults}} -c 100000 {run}
record -e {{cpu-clock,page-faults}}:S -c 100000 {run}
record -g -e cpu-clock -c 100000 {run}
record -d -e page-faults -c 1 {run}
record --sample-cpu -e cpu-clock -c 100000 {run}
record --phys-data -e page-faults -c 1 {run}
record -i -e cpu-clock -c 100000 {run}
record --all-user -e cpu-clock -c 100000 {run}
record --all-kernel -e cpu-clock -c 100000 {run}
record -m 16 -e cpu-clock -c 100000 {run}
record --per-thread -e cpu-clock -c 100000 {run}
record -a -e cpu-clock -c 100000 {run}
record -D 5 -e cpu-clock -c 100000 {wait}
record -N -F 2000 -e cpu-clock {run}
stat -D 5 -e task-clock {wait}
record -a -g -e cpu-clock -c 100000 {run}
record -a -e cpu-clock,page-faults -c 100000 {run}
record -C 0 -e cpu-clock -c 100000 {run}
record -p {pid} -e cpu-clock -c 100000 {run}
record -t {pid} -e cpu-clock -c 100000 {run}
record -p {pid} -g -e task-clock -c 100000 {run}
record -k monotonic -e cpu-clock -c 100000 {run}
record --clockid monotonic -e cpu-clock -c 100000 {run}
"""

# (command, event, what, perf's, plumb's): the reason. All but the reason are regular expressions; "-" is
# absent.
ANY = ".*"
FORMAT = "PERF_FORMAT_TOTAL_TIME_ENABLED|PERF_FORMAT_TOTAL_TIME_RUNNING"
ALLOWED = {
    (ANY, "-", "PR_CAPBSET_READ", "called", "-"):
        "libcap asks which capabilities the kernel knows; plumb reads none",
    (ANY, "-", "PR_SET_NAME", "called", "-"):
        "perf names its child before exec; nothing is recorded by then",
    (ANY, "-", "PR_SET_PDEATHSIG", "-", "called"):
        "the program that plumb started must not wait for ever if plumb is killed before exec",
    ("stat", ANY, "sample_type", "PERF_SAMPLE_IDENTIFIER", "0"):
        "perf prepares for stat record; a counter that takes no samples needs none",
    ("stat", ANY, "exclude_guest", "1", "0"):
        "plumb stat counts guests unless :H leaves them out; perf stat needs :G for them",
    ("stat", ANY, "exclude_hv", "0", "1"):
        "only :h counts the hypervisor, whose cycles are not the program's",
    ("stat", ANY, "inherit_thread", "0", "1"):
        "a program's threads are counted, and its child processes only with --children",
    ("stat", ANY, "inherit", "1", "0"):
        "a counter of a CPU has no descendants; the kernel ignores it there",
    ("stat", ANY, "read_format", re.escape(FORMAT + "|PERF_FORMAT_ID|PERF_FORMAT_GROUP"),
     re.escape(FORMAT)):
        "perf reads a group at once, plumb each event with its own times, which it scales by",
    ("stat", ANY, "PERF_EVENT_IOC_ID -", "called", "-"):
        "tells the values of a group read apart",
    ("stat", "PERF_COUNT_SW_PAGE_FAULTS", r"PERF_EVENT_IOC_(EN|DIS)ABLE 0", "-", "called"):
        "members start and stop with their leader; plumb makes the call for each event, which is the same",
    ("record", ANY, "bpf_event", "0", "1"):
        "--no-bpf-event keeps perf from asking; it would ask, too",
    ("record", ANY, "PERF_EVENT_IOC_DISABLE 0", "-", "called"):
        "plumb stops the events before it reads what is left in the rings",
    ("record", ANY, "sample_type", r"(.*)\|PERF_SAMPLE_ID(\|.*)?", r".*\|PERF_SAMPLE_IDENTIFIER"):
        "IDENTIFIER is ID at a fixed place, so that records can be told apart without knowing the event",
    ("record", ANY, "sample_type", "PERF_SAMPLE_IP.*_TIME(\\|PERF_SAMPLE_CALLCHAIN)?",
     ".*\\|PERF_SAMPLE_IDENTIFIER"):
        "-p and -t open a second event for what is mapped, so the samples say whose they are",
    ("record", ANY, "sample_type", r"PERF_SAMPLE_IP\|PERF_SAMPLE_TID",
     r"PERF_SAMPLE_IP\|PERF_SAMPLE_TID\|PERF_SAMPLE_TIME"):
        "plumb always records times; perf's --per-thread leaves them out",
    ("record", "PERF_COUNT_SW_DUMMY", "sample_period", "100000", "1"):
        "the event that tracks maps takes no samples, whatever its period",
    ("record", "PERF_COUNT_SW_DUMMY", "exclude_(kernel|hv)", "0", "1"):
        "it needs no right to look at the kernel",
    ("record", "PERF_COUNT_SW_(CPU|TASK)_CLOCK", "exclude_hv", "0", "1"):
        "--all-user and --all-kernel leave the hypervisor out",
    ("record", ANY, "exclude_guest", "0", "1"):
        "perf samples guests with :k but not without; plumb samples them with :G only",
    ("record", ANY, "inherit", "1", "0"):
        "an event of a CPU has no descendants; the kernel ignores it there",
    ("record", ANY, "inherit", "0", "1"):
        "what a thread of -t starts is sampled unless -i is given, as with -p",
    ("record", "PERF_COUNT_SW_(CPU|TASK)_CLOCK", "(comm|comm_exec|ksymbol|mmap|mmap2|task)", "1", "0"):
        "-p and -t: a second event tracks maps from before /proc is read, so that none is missed",
    ("record", "PERF_COUNT_SW_DUMMY", "events task .*", "0", "1"): "that event",
    ("record", "PERF_COUNT_SW_DUMMY", "PERF_EVENT_IOC_(ID -|SET_OUTPUT .*|(EN|DIS)ABLE 0)", "-", "called"):
        "that event",
    ("record", "PERF_COUNT_SW_DUMMY", "(disabled|enable_on_exec)", "1", "0"):
        "--delay: maps are tracked from the start, samples later",
}


def fields(text):
    """The fields of a struct as strace prints it, without its comments."""
    found = {}
    for field in re.split(r", (?=\w+=)", re.sub(r"/\*.*?\*/", "", text)):
        name, _, value = field.partition("=")
        found[name.strip()] = value.strip()
    return found


OPEN = re.compile(r"^\d+ +perf_event_open\(\{(.*)\}, (-?\d+), (-?\d+), (-?\d+), ([^)]*)\) += (-?\d+)")
IOCTL = re.compile(r"^\d+ +ioctl\((\d+), (PERF_EVENT_IOC_\w+), (.*)\) += (-?\d+)")
CLOSE = re.compile(r"^\d+ +close\((\d+)\)")
PRCTL = re.compile(r"^\d+ +prctl\((\w+), ([^)]*)\)")


def whole_lines(lines):
    """Joins the two parts of calls during which another process made one."""
    begun, whole = {}, []
    for line in lines:
        pid = line.split(None, 1)[0]
        if line.endswith(" <unfinished ...>"):
            begun[pid] = line.removesuffix(" <unfinished ...>")
        elif (ended := re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line)) and pid in begun:
            whole.append(begun.pop(pid) + ended.group(1))
        else:
            whole.append(line)
    return whole


def read_calls(path):
    """Returns the events that were kept, and the calls: how often each was made, by name.

    perf first opens events of which it only wants to know whether they open; it closes them at once.
    Its child may close another file of the same number in between.
    """
    lines = whole_lines(Path(path).read_text().splitlines())
    events, by_fd, calls = [], {}, collections.Counter()
    for number, line in enumerate(lines):
        if opened := OPEN.match(line):
            attr, pid, cpu, group, flags, fd = opened.groups()
            caller = line.split(None, 1)[0]
            following = next((CLOSE.match(later) for later in lines[number + 1:]
                              if later.split(None, 1)[0] == caller), None)
            if int(fd) < 0 or (following and following.group(1) == fd):
                continue
            event = fields(attr)
            event["target"] = "all" if pid == "-1" else "self" if pid == "0" else "task"
            event["cpu"] = cpu
            event["leader"] = by_fd[group]["config"] if group in by_fd else group
            event["flags"] = flags
            events.append(event)
            by_fd[fd] = event
        elif called := IOCTL.match(line):
            fd, name, argument, _ = called.groups()
            if name == "PERF_EVENT_IOC_SET_OUTPUT":
                argument = by_fd[argument]["config"] if argument in by_fd else argument
            elif name == "PERF_EVENT_IOC_ID":
                argument = "-"
            if fd in by_fd:
                calls[by_fd[fd]["config"], f"{name} {argument}"] += 1
        elif called := PRCTL.match(line):
            calls["-", called.group(1)] += 1
    return events, calls


def key_of(event):
    return tuple(event.get(name, "-") for name in ("type", "config", "target", "cpu", "leader"))


def differences(theirs, ours):
    """Yields of what event what differs, with perf's and plumb's value."""
    (their_events, their_calls), (our_events, our_calls) = theirs, ours
    keys = [collections.defaultdict(list), collections.defaultdict(list)]
    for side, events in zip(keys, (their_events, our_events)):
        for event in events:
            side[key_of(event)].append(event)
    for key in sorted(keys[0].keys() | keys[1].keys()):
        sides = keys[0][key], keys[1][key]
        if len(sides[0]) != len(sides[1]):
            yield key[1], "events " + " ".join(key[2:]), str(len(sides[0])), str(len(sides[1]))
        for their, our in zip(*sides):
            for name in sorted(their.keys() | our.keys()):
                if their.get(name, "-") != our.get(name, "-"):
                    yield key[1], name, their.get(name, "-"), our.get(name, "-")
    for call in sorted(their_calls.keys() | our_calls.keys()):
        if bool(their_calls[call]) != bool(our_calls[call]):
            yield (*call, "called" if their_calls[call] else "-",
                   "called" if our_calls[call] else "-")


def trace(plumb, program, folder, line, tool, pid):
    command, *options = line.format(run=program, wait="sleep 0.1", pid=pid).split()
    words = [word.format(plumb=plumb, folder=folder) for word in TOOLS[command, tool]]
    path = Path(folder) / "calls"
    done = run_perf(["strace", "-f", "-v", "-qq", "-e", "signal=none", "-e",
                     "trace=perf_event_open,ioctl,prctl,close", "-o", path, *words, *options],
                    capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{line}: {tool}: {done.stderr}")
    return read_calls(path)


# Branch stacks: no PMU is here, and the kernel refuses them for software events; but it was asked.
BRANCHES = """
record -b -e cpu-clock {run}
record --branch-any -e cpu-clock -c 100000 {run}
record -j any,u -e cpu-clock {run}
record -j any_call,k -e cpu-clock {run}
record -j any_ret,save_type -e cpu-clock {run}
record -j ind_call,ind_jmp,call -e cpu-clock {run}
record -j cond,u,k,hv -e cpu-clock {run}
record -j stack,u -e cpu-clock {run}
record -j abort_tx,in_tx,no_tx,priv -e cpu-clock {run}
record -g -b -e cpu-clock {run}
record --branch-filter any_call -e cpu-clock:u {run}
record -a -b -e cpu-clock {run}
record -j u -e cpu-clock {run}
"""
# perf takes u by itself for any branch at any level: it forgets the u.
LEVEL_ALONE = ("PERF_SAMPLE_BRANCH_ANY", "PERF_SAMPLE_BRANCH_USER|PERF_SAMPLE_BRANCH_ANY")


def refused(plumb, program, folder, line, tool):
    """The event with a branch stack that a tool asked for first, which the kernel refused."""
    command, *options = line.format(run=program).split()
    words = [word.format(plumb=plumb, folder=folder) for word in TOOLS[command, tool]]
    path = Path(folder) / "calls"
    run_perf(["strace", "-f", "-v", "-qq", "-e", "signal=none", "-e", "trace=perf_event_open", "-o",
              path, *words, *options], capture_output=True, text=True, timeout=60)
    for call in map(OPEN.match, whole_lines(path.read_text().splitlines())):
        if call and "PERF_SAMPLE_BRANCH_STACK" in call.group(1):
            assert int(call.group(6)) < 0, call.group(0)
            return fields(call.group(1)) | {"target": call.group(2) == "-1", "flags": call.group(5)}
    raise AssertionError(f"{line}: {tool} asked for no branch stack")


@tap.test
def branch_stacks(plumb, program, folder):
    """plumb asks for the branch stacks that perf asks for"""
    lines = BRANCHES.strip().splitlines()
    wrong = []
    for line in lines:
        theirs, ours = (refused(plumb, program, folder, line, tool) for tool in ("perf", "plumb"))
        for name in sorted(theirs.keys() | ours.keys()):
            pair = theirs.get(name, "-"), ours.get(name, "-")
            if pair[0] == pair[1] or allowed_by("record", ours["config"], name, *pair):
                continue
            if name != "branch_sample_type" or pair != LEVEL_ALONE or "-j u " not in line:
                wrong.append(f"{line}: {name}: perf {pair[0]}, plumb {pair[1]}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{len(lines)} command lines"


def allowed_by(*difference):
    """The row that allows a difference, or None."""
    return next((row for row in ALLOWED if all(map(re.fullmatch, row, difference))), None)


@tap.test
def equal(plumb, program, folder):
    """plumb asks the kernel for what perf asks it for, with the differences that are explained."""
    lines = LINES.strip().splitlines()
    used, wrong, opened = collections.Counter(), [], 0
    sleeper = subprocess.Popen(["sleep", "1000"])
    try:
        for line in lines:
            try:
                theirs, ours = (trace(plumb, program, folder, line, tool, sleeper.pid)
                                for tool in ("perf", "plumb"))
            except AssertionError as error:
                wrong.append(str(error))
                continue
            opened += len(ours[0])
            if not ours[0] or not theirs[0]:
                wrong.append(f"{line}: no events of {'perf' if ours[0] else 'plumb'}")
            for event, what, their, our in sorted(set(differences(theirs, ours))):
                row = allowed_by(line.split()[0], event, what, their, our)
                used[row] += 1
                if not row:
                    wrong.append(f"{line}: {event}: {what}: perf {their}, plumb {our}")
    finally:
        sleeper.kill()
        sleeper.wait()
    wrong += [f"no command line needs {row}" for row in ALLOWED if not used[row]]
    if wrong:
        raise AssertionError("\n".join(wrong))
    return f"{len(lines)} command lines, {opened} events; {len(ALLOWED)} kinds of differences"


def why_not():
    """Why nothing can be compared here, or None."""
    for tool in ("perf", "strace"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    if Perf().version != (6, 1):
        return "the differences are those from perf 6.1"
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        return "strace may trace nothing here"
    if run_perf(["perf", "stat", "-a", "-e", "cpu-clock", "true"], capture_output=True).returncode != 0:
        return "perf may count nothing here"
    return None


def main():
    if why := why_not():
        tap.skip_all(why)
    with tempfile.TemporaryDirectory() as folder:
        tap.run(sys.argv[1], shutil.which("true"), folder)


if __name__ == "__main__":
    main()
