# SPDX-License-Identifier: Apache-2.0
"""
Two CPUs, and none of them with a PMU.

QEMU counts the instructions of all CPUs together while an event counts on one of them, so counts are
exact only if the other CPU is off.
"""

from counting import COUNT, PARANOID, STAT, USER
from machine import Script
from programs import BRIEF, LONG
from sampling import RECORD, STROBED, is_strobed

ONLINE = "/sys/devices/system/cpu/cpu1/online"


def units(outcome):
    """The count of the first event in each unit."""
    return {unit["name"]: unit["events"][0]["count"] for unit in outcome.result()["units"]}


def strobes(vm):
    """Strobed samples where only one of both CPUs may be used, as in containers."""
    vm.write("/groups/cgroup.subtree_control", "+cpuset")
    vm.run("mkdir /groups/one")
    vm.write("/groups/one/cpuset.cpus", "1")
    kept = "/with cgroup /groups/one " + RECORD + "-e " + STROBED + " "
    vm.run(kept + "-o /tmp/strobed.data /counted")
    vm.expect("the strobed samples of a program that may use one CPU stay as far apart as they began",
              is_strobed, vm.run("/plumb script -D -i /tmp/strobed.data"))
    vm.expect("strobed samples of a CPU that may not be used are refused with the CPUs that may be",
              lambda o: o.status == 3 and "CPU 0" in o.err and "-C 1" in o.err,
              vm.run(kept + "-a -o /tmp/all.data /counted"))
    vm.run(kept + "-C 1 -o /tmp/strobed.data /counted")
    vm.expect("the strobed samples of that CPU stay as far apart as they began", is_strobed,
              vm.run("/plumb script -D -i /tmp/strobed.data"))


def two():
    vm = Script("two CPUs", "neoverse-n1", cpus=2)
    vm.write(PARANOID, "2")
    # In the kernel, the idle CPU would count what the other one executes. In user mode, a CPU counts
    # what the other one's kernel does, too: with 6.12 up to a third of this program, though nothing
    # runs there in user mode. It only adds, so the lowest of some runs is nearest.
    vm.expect("-a counts the program on whichever CPU it runs",
              lambda o: LONG <= o.events()["INST_RETIRED:u"]["low"] < 1.1 * LONG,
              vm.run(USER + "-r 5 -a /counted"))
    for cpu in (0, 1):
        vm.expect(f"-C {cpu} counts what runs there",
                  lambda o: LONG <= o.count("INST_RETIRED:u") < 1.3 * LONG,
                  vm.run(USER + f"-C {cpu} /with on {cpu} /counted"))
        vm.expect(f"-C {cpu} leaves out what runs elsewhere",
                  lambda o: o.count("INST_RETIRED:u") < 0.3 * LONG,
                  vm.run(USER + f"-C {cpu} /with on {1 - cpu} /counted"))
    vm.expect("-A prints each CPU's part",
              lambda o: list(units(o)) == ["CPU0", "CPU1"] and
              units(o)["CPU0"] < 0.3 * LONG < LONG <= units(o)["CPU1"] and
              sum(units(o).values()) == o.count("INST_RETIRED:u"),
              vm.run(USER + "-a -A /with on 1 /counted"))
    vm.expect("--per-core prints each core's part",
              lambda o: len(units(o)) == 2 and
              sum(units(o).values()) == o.count("INST_RETIRED:u"),
              vm.run(USER + "-a --per-core /with on 1 /brief"))
    for option in ("--per-socket", "--per-node"):
        vm.expect(f"{option} adds up both CPUs",
                  lambda o: len(units(o)) == 1 and o.result()["units"][0]["combines"] == 2 and
                  sum(units(o).values()) == o.count("INST_RETIRED:u"),
                  vm.run(USER + f"-a {option} /with on 1 /brief"))
    vm.expect("-p with -C counts the process only there",
              lambda o: not o.count("INST_RETIRED:u"),
              vm.run(f"/with beside /with on 0 /endless : {USER}-C 1 --timeout 30 -p PID"))
    # The program may keep the counting one from a CPU for several intervals: two are enough.
    vm.expect("intervals of -a -A add up for each CPU",
              lambda o: len(o.results()) >= 3 and all(
                  sum(r["units"][cpu]["events"][0]["count"] for r in o.results()
                      if not r["summary"]) == o.results()[-1]["units"][cpu]["events"][0]["count"]
                  for cpu in (0, 1)),
              vm.run(COUNT + "-a -A -I 20 -e INST_RETIRED:u /counted"))
    strobes(vm)
    vm.expect("a CPU that goes offline during -a is said; its count is kept",
              lambda o: o.status == 7 and o.count("INST_RETIRED:u") >= LONG and
              "went offline" in o.warnings(),
              vm.run(f"/with later 200 write {ONLINE} 0 {USER}-a /with on 1 /with after 600 "
                     "/counted"))
    vm.write(ONLINE, "0")
    vm.expect("-C of a CPU that is offline is an error",
              lambda o: o.status == 2 and "CPU 1 does not exist or is offline" in o.err,
              vm.run(USER + "-C 1 /brief"))
    vm.expect("with the other CPU offline, -a is exact",
              lambda o: o.count("INST_RETIRED:u") >= BRIEF and
              o.count("INST_RETIRED:u") < BRIEF + 400_000, vm.run(USER + "-a /brief"))
    vm.expect("doctor works with a CPU offline", lambda o:
              o.checks()["counters"]["text"] == "6 for any event, one more for cycles",
              vm.run("/plumb doctor --json"))
    vm.expect("a CPU that comes online during -a is counted",
              lambda o: o.status == 7 and "came online" in o.warnings() and
              o.count("INST_RETIRED:u") >= 1.5 * LONG,
              vm.run(f"/with later 200 write {ONLINE} 1 {USER}-a "
                     "/with beside /endless : /with after 300 /counted"))
    vm.expect("a CPU that goes offline and comes back during -a is said twice",
              lambda o: o.status == 7 and "went offline" in o.warnings(),
              vm.run(f"/with later 200 write {ONLINE} 0 /with later 500 write {ONLINE} 1 "
                     f"{USER}-a -A /with after 900 /brief"))
    vm.expect("a CPU that goes offline while it is sampled is said",
              lambda o: o.status == 7 and "offline" in o.err,
              vm.run(f"/with later 200 write {ONLINE} 0 /plumb record --no-progress "
                     "--source perf -c 100000 -e {INST_RETIRED:u,CPU_CYCLES:u} -a "
                     "-o /tmp/off.data /with after 600 /brief"))
    vm.write(ONLINE, "1")
    vm.expect("doctor finds both CPUs",
              lambda o: o.checks()["permission"]["state"] == "works",
              vm.run("/plumb doctor --json"))
    return vm


def none():
    vm = Script("no PMU", "neoverse-n1,pmu=off")
    vm.write(PARANOID, "2")
    doctor = vm.run("/plumb doctor --json")
    vm.expect("doctor says that there is none, and why",
              lambda o: o.checks()["core-pmu"]["state"] == "missing" and
              "hypervisor" in o.checks()["core-pmu"]["why"], doctor)
    vm.expect("doctor says what works without it",
              lambda o: "software events" in o.checks()["core-pmu"]["instead"] and
              o.checks()["sampling"]["state"] == "limited", doctor)
    vm.expect("counting on the PMU is an error that names a way",
              lambda o: o.status == 3 and "does not have" in o.err and "model" in o.err,
              vm.run(COUNT + "-e INST_RETIRED /brief"))
    vm.expect("stat without --source says why it cannot use the model either",
              lambda o: o.status == 3 and "qemu" in o.err.lower(), vm.run(STAT + "/brief"))
    vm.expect("software events are counted",
              lambda o: o.status == 7 and o.count("task-clock") > 0 and
              o.count("page-faults") > 0,
              vm.run(STAT + "--json -e task-clock,page-faults /brief"))
    vm.expect("software events are counted on whole CPUs",
              lambda o: o.status == 7 and o.count("cpu-clock") > 0,
              vm.run(STAT + "--json -a -e cpu-clock /brief"))
    vm.run("/plumb record --no-progress --source perf -e cpu-clock:u -c 1000000 "
           "-o /tmp/clock.data /counted")
    vm.expect("samples by time have the program's symbol",
              lambda o: len(o.out.splitlines()) > 5 and
              {line.split()[1] for line in o.out.splitlines()} == {"_start"},
              vm.run("/plumb script -i /tmp/clock.data -F ip,sym"))
    vm.expect("sampling by an event of the PMU is an error",
              lambda o: o.status == 3 and "plumb doctor" in o.err,
              vm.run("/plumb record --no-progress --source perf -e INST_RETIRED "
                     "-o /tmp/none.data /brief"))
    return vm
