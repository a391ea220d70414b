# SPDX-License-Identifier: Apache-2.0
"""
SPE, with a stand-in for the unit: spe_unit.ko plays back a known stream of records, so what a
recording must have is known to the byte. Debian's perf records beside plumb, if there is one.
"""

import os
import re
import struct

from counting import PARANOID
from machine import Script, libraries

RECORD = 64
STAMP = slice(56, 64)  # the stand-in puts the time there
RECORDS = 3000
UNIT = "/sys/module/spe_unit/parameters/"
PLUMB = "/plumb record --no-progress --source perf "
AUX, AUXTRACE = 11, 71
TRUNCATED, PARTIAL, COLLISION = 1, 4, 8


def read_records(data):
    """The records of a perf.data file: type, bytes; and the AUX data that follows one of them."""
    offset, size = struct.unpack_from("<QQ", data, 40)
    at, end = offset, offset + size
    while at + 8 <= end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        aux = b""
        if kind == AUXTRACE:
            trace = struct.unpack_from("<Q", data, at + 8)[0]
            aux = data[at + length:at + length + trace]
        yield kind, data[at:at + length], aux
        at += length + len(aux)


def aux_of(data):
    return b"".join(aux for _, _, aux in read_records(data))


def flags_of(data):
    """The flags of all PERF_RECORD_AUX."""
    return [struct.unpack_from("<Q", record, 24)[0]
            for kind, record, _ in read_records(data) if kind == AUX]


def without_stamps(aux):
    """The records of AUX data, without padding and without times."""
    parts = [aux[at:at + RECORD] for at in range(0, len(aux), RECORD)]
    return [part[:STAMP.start] for part in parts if any(part)]


def is_stream(aux, stream):
    return without_stamps(aux) == without_stamps(stream)


def said_samples(outcome):
    return int(re.search(r"(\d+) samples?,", outcome.err)[1])


class Recording:
    """A recording that is made in the machine, and sent."""

    def __init__(self, vm, name, command):
        self.name = name
        self.record = vm.run(command)
        self.data = vm.run(f"send /tmp/{name}")

    def outcomes(self):
        return (self.record, self.data)


def set_unit(vm, **parameters):
    for name, value in parameters.items():
        vm.write(UNIT + name, str(value))


def script(stream, has_perf):
    vm = Script("SPE stand-in", "neoverse-n1")
    vm.write(PARANOID, "-1")
    vm.expect("the stand-in loads", lambda o: o.status == 0, vm.run("load /spe_unit.ko"))
    vm.expect("its stream is loaded", lambda o: o.status == 0,
              vm.run("copy /stream /dev/spe_unit"))
    vm.expect("doctor finds the unit",
              lambda o: o.checks()["spe"]["state"] == "works" and
              o.checks()["spe"]["text"].startswith("one sample per 1024 operations"),
              vm.run("/plumb doctor --json"))
    set_unit(vm, repeat=1, burst=10, interval_us=100)
    whole = Recording(vm, "whole", PLUMB + "-e spe//u -o /tmp/whole --per-thread /counted")
    vm.expect("a recording has the stream, to the byte",
              lambda o, sent: o.status == 7 and is_stream(aux_of(sent.sent), stream),
              *whole.outcomes())
    vm.expect("plumb says how many samples there are", lambda o: said_samples(o) == RECORDS,
              whole.record)
    read = "-F ip,sym,event,addr"
    mine = vm.run("/plumb script -i /tmp/whole " + read)
    if has_perf:
        theirs = Recording(vm, "theirs", "/perf record -q -e arm_spe_0//u -o /tmp/theirs "
                           "--per-thread /counted")
        vm.expect("perf's recording has the same bytes",
                  lambda o, sent: is_stream(aux_of(sent.sent), stream), *theirs.outcomes())
        vm.expect("plumb reads the same from perf's recording as from its own",
                  lambda a, b: a.out == b.out and a.out.count("\n") >= RECORDS, mine,
                  vm.run("/plumb script -i /tmp/theirs " + read))
        vm.expect("perf reads the same from both recordings",
                  lambda a, b: a.out == b.out and a.out.count("\n") >= RECORDS,
                  vm.run("/perf script -i /tmp/whole " + read),
                  vm.run("/perf script -i /tmp/theirs " + read))
    # A burst is more than two pages hold.
    set_unit(vm, repeat=0, burst=200, interval_us=2000)
    small = Recording(vm, "small", PLUMB + "-e spe//u -m 64,2 -o /tmp/small --per-thread /counted")
    vm.expect("a small buffer wraps and is truncated, which is said",
              lambda o, sent: any(flags & TRUNCATED for flags in flags_of(sent.sent)) and
              "truncated" in o.err, *small.outcomes())
    vm.expect("sampling goes on after each truncation",
              lambda o, sent: len(aux_of(sent.sent)) > 10 * 8192 and
              sum(flags & TRUNCATED for flags in flags_of(sent.sent)) > 3, *small.outcomes())
    set_unit(vm, burst=4, interval_us=100, collide=10)
    collided = Recording(vm, "collided", PLUMB + "-e spe//u -o /tmp/collided --per-thread /counted")
    vm.expect("collisions are recorded and said",
              lambda o, sent: sum(flags & COLLISION != 0 for flags in flags_of(sent.sent)) > 50 and
              "collided" in o.err, *collided.outcomes())
    set_unit(vm, collide=0, lose=100)
    lost = Recording(vm, "lost", PLUMB + "-e spe//u -o /tmp/lost --per-thread /counted")
    vm.expect("sampling goes on after each loss of data",
              lambda o, sent: sum(flags & PARTIAL != 0 for flags in flags_of(sent.sent)) > 3 and
              "truncated" in o.err, *lost.outcomes())
    set_unit(vm, lose=0)
    vm.expect("whole CPUs are sampled",
              lambda o: o.status == 7 and said_samples(o) > 1000,
              vm.run(PLUMB + "-e spe -a -o /tmp/all /counted"))
    vm.expect("a running process is sampled",
              lambda o: said_samples(o) > 1000,
              vm.run("/with beside /endless : " + PLUMB + "-e spe//u -o /tmp/pid --timeout 100 "
                     "-p PID"))
    vm.expect("samples have the program's symbol",
              lambda o: o.out.count("_start") > 0.9 * RECORDS, mine)
    vm.write(PARANOID, "2")
    vm.expect("a user samples user code", lambda o: o.status == 7 and said_samples(o) > 1000,
              vm.user(PLUMB + "-e spe//u --per-thread -o /tmp/user /counted"))
    vm.expect("physical addresses are refused to a user with a reason",
              lambda o: o.status == 3 and "pa_enable" in o.err,
              vm.user(PLUMB + "-e spe/pa_enable=1/u --per-thread -o /tmp/user /counted"))
    vm.expect("a term that the unit lacks is an error with its name",
              lambda o: o.status != 7 and "discard" in o.err,
              vm.run(PLUMB + "-e spe/discard=1/u --per-thread -o /tmp/none /counted"))
    return vm


def runs(perf, places):
    """Whether perf is there with all its libraries."""
    try:
        return os.path.exists(perf) and bool(libraries(perf, places))
    except FileNotFoundError:
        return False


def is_built(folder):
    return os.path.exists(os.path.join(folder, "spe_unit.ko"))
