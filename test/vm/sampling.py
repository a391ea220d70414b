# SPDX-License-Identifier: Apache-2.0
"""What `plumb record` samples on one CPU by overflows of a counter."""

import collections
import os
import re
import shutil
import struct
import subprocess

from programs import LONG

PERIOD = 100_000
STROBED_PERIOD = 1_000_000
STROBED = f"{{CPU_CYCLES/period={STROBED_PERIOD}/,INST_RETIRED,CPU_CYCLES/strobe=300/}}:uS"
RECORD = f"/plumb record --no-progress --source perf -c {PERIOD} "
# Alone, instructions make QEMU 7.2 interrupt at the next tick: it knows when cycles overflow.
EVENTS = "-e {INST_RETIRED:u,CPU_CYCLES:u} "


def inside(words):
    return words[0] == "counted" and 0x400000 <= int(words[2], 16) < 0x401000


def read_by_perf(report, name, path):
    title = f"{name}: perf reads a sample for each {PERIOD} instructions"
    if not shutil.which("perf"):
        report.skip(title, "there is no perf")
        return
    done = subprocess.run(["perf", "script", "-i", path, "-G", "-F", "comm,event,ip"],
                          capture_output=True, text=True, check=False)
    samples = [line.split() for line in done.stdout.splitlines()]
    samples = [words for words in samples if "INST_RETIRED" in words[1]]
    within = [words for words in samples if inside(words)]
    expected = LONG // PERIOD
    # The last ones may be taken on the way into the kernel.
    report.check(done.returncode == 0 and abs(len(samples) - expected) <= 1 and
                 len(within) >= len(samples) - 2, title,
                 f"{len(samples)} samples, {len(within)} of them in the program, of {expected}",
                 done.stderr, *samples[:3])


def listed(text):
    """The samples that `script -F comm,event,period` printed: program, count and event."""
    return sorted((words[0], int(words[1]), words[2].rstrip(":"))
                  for words in map(str.split, text.splitlines()))


def group_by_perf(report, path, ours):
    title = "perf and plumb read the same counts of a group"
    if not shutil.which("perf"):
        report.skip(title, "there is no perf")
        return
    done = subprocess.run(["perf", "script", "-i", path, "-G", "-F", "comm,event,period"],
                          capture_output=True, text=True, check=False)
    perfs = listed(done.stdout)
    report.check(perfs and perfs == ours, title, done.stderr, f"{len(perfs)} by perf", *perfs[:3],
                 f"{len(ours)} by plumb", *ours[:3])


def counts_all(outcome):
    """Whether the counts read with the samples of a group add up to the program's."""
    counts = [count for _, count, event in listed(outcome.out) if event == "INST_RETIRED:u"]
    return len(counts) > 900 and LONG - 2 * PERIOD < sum(counts) <= LONG


def samples_of(dump):
    """Of each sample in what `script -D` printed: the id of its event, and of what it read, by id."""
    samples, data = [], None
    for line in dump.splitlines():
        if "PERF_RECORD_" in line:
            data = bytearray() if "PERF_RECORD_SAMPLE" in line else None
            if data is not None:
                samples.append(data)
        elif data is not None and line.startswith(".  "):
            data += bytes(int(byte, 16) for byte in line.split()[2:18])
    return [(struct.unpack_from("<Q", data, 8)[0],
             [struct.unpack_from("<QQQ", data, len(data) - 72 + 24 * i)[:2] for i in range(3)])
            for data in samples]


def is_strobed(outcome):
    """
    Whether the leader and the strobed member sample equally often, as far apart as they began. QEMU 7.2
    interrupts for other counters than that of cycles only when it looks at them for another reason, so
    how wide the windows are it does not tell.
    """
    samples = samples_of(outcome.out)
    counts = collections.Counter(event for event, _ in samples)
    leader, member = samples[0][1][0][1], samples[0][1][2][1]
    apart = {reads[0][0] - reads[2][0] for _, reads in samples}
    expected = LONG // STROBED_PERIOD
    return (set(counts) == {leader, member} and len(apart) == 1 and min(apart) >= 150 and
            all(abs(count - expected) <= expected // 10 for count in counts.values()))


def script(vm):
    """Adds its commands to those of one CPU. Returns what is left to do when they have run."""
    files = {}
    for name, option in (("thread", "--per-thread"), ("cpu", "-g")):
        path = f"/tmp/{name}.data"
        record = vm.run(RECORD + EVENTS + f"{option} -o {path} /counted")
        files[name] = vm.run("send " + path)
        vm.expect(f"{name}: the exit status is the program's", lambda o: o.status == 7, record)
        vm.expect(f"{name}: says how many samples", lambda o:
                  int(re.search(r"(\d+) samples?,", o.err)[1]) >= LONG // PERIOD - 1, record)
    vm.run(RECORD + "-e {CPU_CYCLES:u,INST_RETIRED:u}:S -o /tmp/group.data /counted")
    files["group"] = vm.run("send /tmp/group.data")
    group = vm.run("/plumb script -i /tmp/group.data -F comm,event,period")
    vm.expect("a group's counts are read with each sample", counts_all, group)
    for name, option in (("thread", "--per-thread"), ("program", ""), ("CPU", "-a")):
        vm.run(RECORD + f"-e {STROBED} {option} -o /tmp/strobed.data /counted")
        vm.expect(f"the strobed samples of a {name} stay as far apart as they began", is_strobed,
                  vm.run("/plumb script -D -i /tmp/strobed.data"))
    # Where the kernel reads groups in a thread that starts later (6.12), nothing sets its events apart.
    newer = vm.name.endswith(("newer kernel", "newest kernel"))
    vm.expect("that a later thread has no strobed windows is said",
              lambda o: o.status == 7 and
              ("started later have no short windows" in o.err) == newer and
              ("new threads and processes are not sampled" in o.err) != newer,
              vm.run(RECORD + "-e {CPU_CYCLES/period=10000/,INST_RETIRED,CPU_CYCLES/strobe=300/}:uS "
                     "-o /tmp/late.data /thread"))
    vm.expect("strobed samples of the kernel are refused",
              lambda o: o.status == 2 and "require the modifier u" in o.err,
              vm.run(RECORD + "-e {CPU_CYCLES,CPU_CYCLES/strobe=300/}:S -o /tmp/strobed.data /counted"))
    vm.expect("--topdown says that this CPU has no metrics of slots, and what works",
              lambda o: o.status == 3 and "Neoverse N1 has no metrics of slots" in o.err and
              "{cycles,stall_frontend,stall_backend}:S" in o.err,
              vm.run(RECORD + "--topdown -o /tmp/topdown.data /counted"))
    vm.expect("samples have the program's symbol",
              lambda o: sum("_start" in line for line in o.out.splitlines()) >=
              0.99 * len(o.out.splitlines()) > 900,
              vm.run("/plumb script -i /tmp/thread.data -F ip,sym"))
    vm.run("/with beside /endless : " + RECORD + EVENTS +
           "-o /tmp/running.data --timeout 100 -p PID")
    vm.expect("a running process is sampled",
              lambda o: len(o.out.splitlines()) > 100 and
              {(line.split()[0], line.split()[2]) for line in o.out.splitlines()} ==
              {("endless", "_start")},
              vm.run("/plumb script -i /tmp/running.data -F comm,ip,sym"))
    vm.expect("a user samples user code",
              lambda o: o.status == 7 and int(re.search(r"(\d+) samples?,", o.err)[1]) > 900,
              vm.user(RECORD + "-e {INST_RETIRED,CPU_CYCLES} -o /tmp/user.data /counted"))
    vm.expect("without SPE nothing is sampled, and who knows more is said",
              lambda o: o.status == 3 and "arm_spe" in o.err and "plumb doctor" in o.err,
              vm.run(RECORD + "-e spe -o /tmp/spe.data /counted"))
    vm.expect("doctor says why there is no SPE",
              lambda o: o.checks()["spe"]["state"] == "missing" and
              "virtual machine" in o.checks()["spe"]["why"], vm.run("/plumb doctor --json"))

    def finish(report, folder):
        for name, sent in files.items():
            path = os.path.join(folder, name + ".data")
            with open(path, "wb") as file:
                file.write(sent.sent)
            if name == "group":
                group_by_perf(report, path, listed(group.out))
            else:
                read_by_perf(report, name, path)
    return finish
