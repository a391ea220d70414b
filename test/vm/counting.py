# SPDX-License-Identifier: Apache-2.0
"""What `plumb stat` counts on one CPU, where QEMU's instructions are exact."""

import json

from machine import Script
from programs import BRIEF, CHILD, CHILDREN, FORKS, LONG

STAT = "/plumb stat --no-progress "
COUNT = STAT + "--source perf --json "
USER = COUNT + "-e INST_RETIRED:u "
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
PERMITTED = {-1: "works", 0: "works", 1: "limited", 2: "limited", 3: "missing"}


def near(value, expected, share):
    return abs(value - expected) <= share * expected


def exactly(count, item="INST_RETIRED:u"):
    return lambda outcome: outcome.count(item) == count


def tells_apart(outcome):
    """Whether `plumb list` knows what this PMU lacks."""
    counted = {event["name"]: event["counted"] for event in json.loads(outcome.out)["events"]}
    return (counted["CPU_CYCLES"] and counted["INST_RETIRED"] and not counted["L1D_CACHE"] and
            not counted["BR_RETIRED"])


def programs(vm):
    """Which tasks are counted."""
    vm.expect("a program is counted to the instruction", exactly(BRIEF),
              vm.run(USER + "/brief"))
    vm.expect("a program that forks is counted without its children", exactly(BRIEF),
              vm.run(USER + "/forks"))
    vm.expect("--children adds each child to the instruction", exactly(BRIEF + CHILDREN * CHILD),
              vm.run(USER + "--children /forks"))
    vm.expect("--children and --no-inherit contradict each other", lambda o: o.status == 2,
              vm.run(USER + "--no-inherit --children /forks"))
    vm.expect(f"{FORKS} children are counted to the instruction", exactly(BRIEF + FORKS * CHILD),
              vm.run(USER + "--children /storm"))
    vm.expect("a thread is counted to the instruction", exactly(BRIEF + CHILD),
              vm.run(USER + "/thread"))
    vm.expect("--no-inherit leaves the thread out", exactly(BRIEF),
              vm.run(USER + "--no-inherit /thread"))
    vm.expect("counting goes on after execve(2)", exactly(2 * BRIEF), vm.run(USER + "/becomes"))
    # The last instruction faults: it executes, but does not retire.
    vm.expect("a program that crashes is counted up to then",
              lambda o: o.status == 139 and o.result()["exit_status"] == 139 and
              o.count("INST_RETIRED:u") in (BRIEF - 1, BRIEF), vm.run(USER + "/crashes"))
    vm.expect("a missing program is an error", lambda o: o.status == 127,
              vm.run(USER + "/missing"))
    vm.expect("repeats count the same",
              lambda o: [o.events()["INST_RETIRED:u"][k] for k in ("count", "low", "high")] ==
              [BRIEF] * 3, vm.run(USER + "-r 3 /brief"))
    vm.expect("user and kernel code add up to the whole",
              lambda o: o.count("INST_RETIRED:u") == BRIEF and
              o.count("INST_RETIRED:u") + o.count("INST_RETIRED:k") == o.count("INST_RETIRED"),
              vm.run(COUNT + "-e {INST_RETIRED:u,INST_RETIRED:k,INST_RETIRED} /brief"))
    vm.expect("--all-user counts user code only", exactly(BRIEF, "INST_RETIRED"),
              vm.run(COUNT + "--all-user -e INST_RETIRED /brief"))
    vm.expect("software events are counted in the same run",
              lambda o: o.count("INST_RETIRED:u") == BRIEF and o.count("task-clock") > 0 and
              o.count("page-faults") > 0,
              vm.run(USER + "-e task-clock,page-faults /brief"))
    vm.expect("a delay that outlasts the program is said",
              lambda o: o.count("INST_RETIRED:u") is None and "the delay" in o.warnings(),
              vm.run(USER + "-D 5000 /brief"))
    vm.expect("--timeout ends the program, and that is no error",
              lambda o: o.status == 0 and o.count("INST_RETIRED:u") > 1_000_000,
              vm.run(USER + "--timeout 50 /endless"))
    vm.expect("SIGINT to plumb ends the program; the counts are printed",
              lambda o: o.status == 130 and o.count("INST_RETIRED:u") > 1_000_000,
              vm.run("/with later 150 kill 2 " + USER + "/endless"))
    vm.expect("SIGTERM to plumb ends both; the counts are printed",
              lambda o: o.status == 143 and o.count("INST_RETIRED:u") > 1_000_000,
              vm.run("/with later 150 kill 15 " + USER + "/endless"))


def running(vm):
    """Processes, threads and control groups that run already."""
    for option, what in (("-p", "process"), ("-t", "thread")):
        vm.expect(f"a running {what} is counted to the instruction until it ends",
                  lambda o: o.status == 0 and o.count("INST_RETIRED:u") == BRIEF,
                  vm.run(f"/with beside /waits : {USER}{option} PID"))
    vm.expect("--per-thread prints the thread",
              lambda o: [(unit["name"].startswith("waits-"), unit["events"][0]["count"])
                         for unit in o.result()["units"]] == [(True, BRIEF)],
              vm.run(f"/with beside /waits : {USER}--per-thread -p PID"))
    vm.expect("SIGINT ends the counting of a process that goes on",
              lambda o: o.status == 0 and o.count("INST_RETIRED:u") > 1_000_000,
              vm.run(f"/with beside /endless : /with later 150 kill 2 {USER}-p PID"))
    vm.expect("a process that does not exist is an error",
              lambda o: o.status != 0 and "no process 30000" in o.err, vm.run(USER + "-p 30000"))
    vm.expect("another user's process is refused with a reason",
              lambda o: o.status == 3 and "another user's process" in o.err,
              vm.run(f"/with beside /endless : /with user {USER}-p PID --timeout 20"))
    vm.run("mkdir /groups/a")
    vm.expect("without a controller a control group cannot be counted, and that is said",
              lambda o: o.status == 3 and "control group a: " in o.err and "+pids" in o.err,
              vm.run(USER + "-G a /brief"))
    vm.write("/groups/cgroup.subtree_control", "+pids")
    vm.run("mkdir /groups/b")
    vm.run("mkdir /groups/c")
    vm.run("mkdir /groups/c/d")
    # The program joins its group before it is executed: some of /with counts, too.
    vm.expect("control groups are counted apart, with those below them",
              lambda o: [unit["cgroup"] for unit in o.result()["units"]] == ["b", "c", "c/d"] and
              o.result()["units"][0]["events"][0]["count"] is None and
              all(BRIEF <= unit["events"][0]["count"] < BRIEF + 1000
                  for unit in o.result()["units"][1:]),
              vm.run(USER + "-G b,c,c/d /with cgroup /groups/c/d /brief"))
    vm.expect("a control group that does not exist is an error",
              lambda o: o.status != 0 and "no control group none below /groups" in o.err,
              vm.run(USER + "-G none /brief"))


def scarce(vm):
    """Few counters, memory, descriptors."""
    pinned = vm.run("/with pin 4 /plumb doctor --json")
    vm.expect("doctor finds two counters if another program has four",
              lambda o: o.checks()["counters"]["text"] ==
              "2 for any event, one more for cycles" and
              o.checks()["counters"]["state"] == "limited", pinned)
    vm.expect("with two counters, groups take turns",
              lambda o: near(o.count("INST_RETIRED:u"), LONG, 0.05) and
              all(0 < e["running_ns"] < e["enabled_ns"] for e in o.events().values()),
              vm.run("/with pin 4 " + USER + "-e INST_RETIRED:k,INST_RETIRED /counted"))
    vm.expect("with two counters, a pass each is exact",
              lambda o: o.count("INST_RETIRED:u") == BRIEF and
              all(e["running_ns"] == e["enabled_ns"] for e in o.events().values()),
              vm.run("/with pin 4 " + USER + "--no-multiplex -e INST_RETIRED:k,INST_RETIRED "
                     "/brief"))
    vm.expect("a group that does not fit beside another program's events is an error",
              lambda o: o.status == 2 and "requires 3 counters, but there are only 2" in o.err,
              vm.run("/with pin 4 " + COUNT + "-e {INST_RETIRED:u,INST_RETIRED:k,INST_RETIRED} "
                     "/brief"))
    vm.expect("doctor says that no counter is free",
              lambda o: o.checks()["counters"]["state"] == "limited" and
              o.checks()["counters"]["text"].startswith("0 "),
              vm.run("/with pin 6 /plumb doctor --json"))
    vm.expect("without a free counter, that is said",
              lambda o: o.count("INST_RETIRED:u") is None and
              "INST_RETIRED:u never got a counter" in o.warnings(), vm.run("/with pin 6 " + USER + "/brief"))
    vm.expect("too few descriptors are an error with a hint",
              lambda o: o.status == 3 and "ulimit -n" in o.err,
              vm.run("/with limit files 6 " + COUNT + "-e r8:u,r8:k,r8,r11:u /brief"))
    vm.expect("without locked memory, a user's buffers are smaller",
              lambda o: o.status == 7 and "cannot lock more memory" in o.err,
              vm.run("/with limit locked 0 /with user /plumb record --no-progress --source perf "
                     "-c 100000 -e INST_RETIRED:u -m 1024 -o /tmp/small.data /brief"))


def permission(vm):
    """Every level of perf_event_paranoid as an ordinary user, and filters of system calls."""
    for level, state in PERMITTED.items():
        vm.write(PARANOID, str(level))
        program = vm.user(COUNT + "-e INST_RETIRED /brief")
        whole = vm.user(COUNT + "-a -e INST_RETIRED /brief")
        if level >= 3:
            vm.expect(f"level {level}: a program is refused with the level", lambda o, n=level:
                      o.status == 3 and f"perf_event_paranoid is {n}" in o.err, program)
        elif level == 2:
            vm.expect(f"level {level}: a program's user code is counted", lambda o:
                      o.count("INST_RETIRED") == BRIEF and "CAP_PERFMON" in o.warnings(), program)
        else:
            vm.expect(f"level {level}: a program is counted with the kernel's part", lambda o:
                      o.count("INST_RETIRED") > BRIEF and not o.warnings(), program)
        if level >= 1:
            vm.expect(f"level {level}: whole CPUs are refused with the level that permits them",
                      lambda o: o.status == 3 and "perf_event_paranoid=0" in o.err, whole)
        else:
            vm.expect(f"level {level}: whole CPUs are counted",
                      lambda o: o.count("INST_RETIRED") > BRIEF, whole)
        vm.expect(f"level {level}: doctor says the same", lambda o, s=state, n=level:
                  o.checks()["permission"]["state"] == s and
                  (s == "works" or f"paranoid is {n}" in o.checks()["permission"]["why"]),
                  vm.user("/plumb doctor --json"))
    vm.write(PARANOID, "2")
    for number, name in ((1, "EPERM"), (38, "ENOSYS")):
        vm.expect(f"a filter that returns {name} is recognized",
                  lambda o: o.status == 3 and "seccomp" in o.err,
                  vm.run(f"/with deny {number} {USER}/brief"))
        vm.expect(f"doctor recognizes a filter that returns {name}",
                  lambda o: o.checks()["permission"]["state"] == "missing" and
                  "seccomp" in o.checks()["permission"]["why"],
                  vm.run(f"/with deny {number} /plumb doctor --json"))


def direct(vm):
    """Counters that a program reads itself, with and without system calls: plumb_region_read()."""
    def reads(outcome):
        return json.loads(outcome.out)

    def is_exact(outcome):
        return (outcome.status == 0 and reads(outcome)["loop"] == 200_000 and
                reads(outcome)["cycles"] > 0 and 0 <= reads(outcome)["end"] <= 400)

    access = "/proc/sys/kernel/perf_user_access"
    vm.expect("a program reads its counters exactly by system calls unless the kernel permits more",
              lambda o: is_exact(o) and not reads(o)["direct"], vm.run("/reads"))
    vm.write(access, "1")
    vm.expect("a program reads its counters exactly, in at most 60 instructions, without system calls",
              lambda o: is_exact(o) and reads(o)["direct"] and 5 < reads(o)["read"] <= 60,
              vm.run("/reads"))
    vm.expect("doctor says so", lambda o: o.checks()["user-access"]["state"] == "works",
              vm.run("/plumb doctor --json"))
    vm.write(access, "0")


def script(name="one CPU"):
    vm = Script(name, "neoverse-n1")
    refused = vm.user(STAT + "--source perf -e CPU_CYCLES /counted")
    vm.expect("without permission nothing is counted, and that is said",
              lambda o: o.status == 3 and "perf_event_paranoid is 3" in o.err, refused)
    vm.write(PARANOID, "2")
    user = vm.user(COUNT + "-e INST_RETIRED,CPU_CYCLES /counted")
    vm.expect("the CPU is found by its MIDR",
              lambda o: o.result()["source"] == "perf" and
              o.result()["cpu"]["name"] == "Neoverse N1" and
              o.result()["cpu"]["midr"] == "0x414fd0c1", user)
    vm.expect("the exit status is the program's",
              lambda o: o.status == 7 and o.result()["exit_status"] == 7, user)
    vm.expect("without the kernel's part, instructions are counted exactly",
              exactly(LONG, "INST_RETIRED"), user)
    vm.expect("cycles are counted", lambda o: o.count("CPU_CYCLES") > 0, user)
    vm.expect("that the kernel's part is missing is said",
              lambda o: len(o.result()["warnings"]) == 1 and "CAP_PERFMON" in o.warnings(), user)
    lacking = vm.run(COUNT + "-e CPU_CYCLES,INST_RETIRED,L1D_CACHE,BR_RETIRED,LL_CACHE_RD /counted")
    vm.expect("with the kernel's part there are some more",
              lambda o: LONG < o.count("INST_RETIRED") < 1.05 * LONG, lacking)
    vm.expect("what the PMU lacks is null",
              lambda o: sorted(o.events()) == ["CPU_CYCLES", "INST_RETIRED"] and
              len(o.result()["events"]) == 5, lacking)
    vm.expect("what the PMU lacks is named",
              lambda o: len(o.result()["warnings"]) == 1 and
              "L1D_CACHE, BR_RETIRED, LL_CACHE_RD" in o.warnings(), lacking)
    vm.expect("the others are counted all the same", lambda o: o.status == 7, lacking)
    vm.expect("if the PMU lacks all that is asked for, that is an error",
              lambda o: o.status == 3 and "L1D_CACHE" in o.err,
              vm.run(COUNT + "-e L1D_CACHE /counted"))
    turns = vm.run(COUNT + "/counted")
    vm.expect("groups take turns on the counters",
              lambda o: o.status == 7 and 0 < o.events()["CPU_CYCLES"]["running_ns"] <
              0.9 * o.events()["CPU_CYCLES"]["enabled_ns"], turns)
    vm.expect("what took turns is scaled to the whole",
              lambda o: near(o.count("INST_RETIRED"), LONG, 0.05), turns)
    vm.expect("no group is too large for the counters", lambda o: "same time" not in o.warnings(),
              turns)
    vm.expect("a run for each pass needs no turns",
              lambda o: o.status == 7 and 0 < o.events()["CPU_CYCLES"]["running_ns"] ==
              o.events()["CPU_CYCLES"]["enabled_ns"],
              vm.run(COUNT + "--no-multiplex --stages 1 /counted"))
    vm.expect("without --source the PMU counts, and is named",
              lambda o: "counting on this machine's Neoverse N1" in o.err and
              "armv8_pmuv3" in o.err, vm.run(STAT + "-e CPU_CYCLES,INST_RETIRED /counted"))
    # In an interval in which the program did not run, its events have no count.
    vm.expect("intervals add up", lambda o: len(o.results()) > 3 and
              sum(r["events"][0]["count"] or 0 for r in o.results() if not r["summary"]) ==
              o.results()[-1]["events"][0]["count"] == LONG,
              vm.run(COUNT + "-I 5 -e INST_RETIRED:u /counted"))
    vm.expect("doctor finds the counters that QEMU's Neoverse N1 has",
              lambda o: o.checks()["core-pmu"]["text"] == "armv8_pmuv3 (Neoverse N1)" and
              o.checks()["counters"]["text"] == "6 for any event, one more for cycles",
              vm.run("/plumb doctor --json"))
    vm.expect("plumb list knows the core",
              lambda o: o.status == 0 and '"neoverse-n1-r4p1"' in o.out,
              vm.run("/plumb list --json cores"))
    vm.expect("plumb list knows what the PMU lacks", tells_apart,
              vm.run("/plumb list --json events"))
    programs(vm)
    running(vm)
    scarce(vm)
    direct(vm)
    permission(vm)
    return vm

