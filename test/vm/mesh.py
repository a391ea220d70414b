# SPDX-License-Identifier: Apache-2.0
"""
Events of PMUs outside the cores, with a stand-in for two mesh interconnects: mesh_unit.ko counts what a
parameter says, so what must be counted is known. Debian's perf counts beside plumb, if there is one.
"""

import os

MODULE = "mesh_unit.ko"
PARAMETERS = "/sys/module/mesh_unit/parameters/"
TRAFFIC = PARAMETERS + "traffic"
MISSES = "arm_cmn/hnf_cache_miss/"
PLUMB = "/plumb stat --no-progress --source perf --json "
# An event counts the traffic times its eventid; the second mesh ten times as much.
FIRST, SECOND = 1, 10
# Of steady traffic, 6 to 9 in a millisecond. Plumb takes 30 milliseconds to start.
STEPS = 20


def fields(outcome):
    """{event: count} of `perf stat -x,`."""
    rows = (line.split(",") for line in outcome.err.splitlines() if line.count(",") > 4)
    return {row[2]: int(row[0]) for row in rows}


def bounds(outcome, factor):
    """
    Of a count of steady traffic: whether it has what passed while the program ran, and at most a few
    steps more, which passed between its start and its first look, or between its last and its end.
    """
    before, after = map(int, outcome.out.split()[-2:])
    counted = (outcome.events() if outcome.results() else
               {name: {"count": count} for name, count in fields(outcome).items()})
    (count,) = (event["count"] for event in counted.values())
    return after - before > 1000 and after - before <= count / factor <= after - before + STEPS


def in_module(outcome):
    """
    Of the samples that `script -F ip,sym,dso` printed, those in the module. perf says that those are in
    the kernel if the module's file is not where distributions keep it.
    """
    return [words[:2] for words in map(str.split, outcome.out.splitlines())
            if words[-1] == "([mesh_unit])" or words[1].startswith(("mesh_work", "set_work"))]


class Mesh:
    """The stand-in, built for a kernel."""

    def __init__(self, folder, age):
        path = os.path.join(folder, f"mesh_unit{age}.ko")
        self.files = {MODULE: path} if os.path.exists(path) else {}
        self.passed = 0
        self.newest = bool(age)

    def during(self, vm, amount, command):
        """Runs a command, which counts a program; meanwhile so much passes through the meshes."""
        self.passed += amount
        return vm.run(f"/with later 150 write {TRAFFIC} {self.passed} {command} /with after 500 /brief")

    def add(self, vm, has_perf):
        """Adds its commands to those of a machine."""
        if not self.files:
            return
        vm.expect("mesh: the stand-in loads", lambda o: o.status == 0, vm.run("load /" + MODULE))
        vm.expect("mesh: doctor names it", lambda o:
                  "arm_cmn_0: mesh interconnect" in o.checks()["other-pmus"]["text"],
                  vm.run("/plumb doctor --json"))
        both = f"-e {MISSES} -e arm_cmn_1/type=5,eventid=2/ -e task-clock "
        for option, machine in (("", False), ("-a ", True), ("-a -A ", True)):
            vm.expect(f"mesh: {option}counts both, one, and beside software events", lambda o, m=machine:
                      o.status == 7 and o.count(MISSES) == 5000 * (FIRST + SECOND) and
                      o.count("arm_cmn_1/type=5,eventid=2/") == 5000 * SECOND * 2 and
                      o.count("task-clock") > 0 and ("whole machine" in o.warnings()) != m,
                      self.during(vm, 5000, PLUMB + option + both))
        vm.expect("mesh: what passed before is not counted",
                  lambda o: o.count("arm_cmn_0/hnf_cache_miss/") == 0,
                  vm.run(PLUMB + "-e arm_cmn_0/hnf_cache_miss/ /brief"))
        vm.expect("mesh: -D and --timeout limit what is counted", lambda o:
                  o.status == 0 and o.count("arm_cmn_0/hnf_cache_miss/") == 0,
                  self.during(vm, 70, PLUMB + "-D 300 --timeout 50 -e arm_cmn_0/hnf_cache_miss/"))
        vm.expect("mesh: an unknown event is an error with a hint", lambda o:
                  o.status == 2 and "did you mean hnf_cache_miss?" in o.err,
                  vm.run(PLUMB + "-e arm_cmn/hnf_cache_mis/ /brief"))
        vm.write("/proc/sys/kernel/perf_event_paranoid", "2")
        vm.expect("mesh: a user who may not count whole CPUs is refused, with the level that permits it",
                  lambda o: o.status == 3 and "perf_event_paranoid=0" in o.err,
                  vm.user(PLUMB + f"-e {MISSES} /brief"))
        vm.write("/proc/sys/kernel/perf_event_paranoid", "-1")
        if has_perf:
            event = "arm_cmn_1/hnf_cache_miss/"
            vm.expect("mesh: perf counts the same as plumb", lambda a, b:
                      fields(a)[event] == fields(b)[event] == 3000 * SECOND,
                      self.during(vm, 3000, f"/perf stat -a -x, -e {event}"),
                      self.during(vm, 3000, f"/plumb stat --no-progress --source perf -a -x, -e {event}"))
        steady = f"/with noting {TRAFFIC} /waits"
        for name, tool in [("plumb", PLUMB)] + ([("perf", "/perf stat -a -x, ")] if has_perf else []):
            vm.expect(f"mesh: {name} counts what passes while the program runs, not before or after",
                      lambda o: bounds(o, SECOND),
                      vm.run(f"/with steadily {TRAFFIC} {tool} -e arm_cmn_1/hnf_cache_miss/ {steady}"))
        vm.write(TRAFFIC, str(self.passed))
        self.work(vm, has_perf)

    def work(self, vm, has_perf):
        """Samples of code in a module have its symbols, in the recordings of both."""
        tools = [("mine", "/plumb record --no-progress --source perf")]
        # Newer versions take longer.
        if has_perf and not self.newest:
            tools.append(("theirs", "/perf record -q -B"))
        printed = {}
        for which, tool in tools:
            vm.run(f"{tool} -e cpu-clock:k -c 50000 -o /tmp/module.{which} /with write {PARAMETERS}work "
                   "3000000 /brief")
            printed[which, "plumb"] = vm.run(f"/plumb script -i /tmp/module.{which} -F ip,sym,dso")
            vm.expect(f"samples in a module have its symbol: {which}", lambda o:
                      len(in_module(o)) > 100 and
                      sum(words[1].startswith(("mesh_work", "set_work")) for words in in_module(o)) >=
                      0.95 * len(in_module(o)), printed[which, "plumb"])
            if has_perf:
                printed[which, "perf"] = vm.run(f"/perf script -i /tmp/module.{which} -F ip,sym,dso")
                vm.expect(f"samples in a module have the symbol that perf finds: {which}", lambda a, b:
                          in_module(a) == in_module(b), printed[which, "plumb"],
                          printed[which, "perf"])
