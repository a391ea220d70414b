# SPDX-License-Identifier: Apache-2.0
"""
SPE, with a stand-in for the unit: spe_unit.ko plays back a known stream of records, so what a
recording must have is known to the byte. Debian's perf records beside plumb, if there is one.
"""

import json
import os
import re
import struct

from counting import PARANOID
from machine import PLACES, Script, libraries
from programs import LONG

RECORD = 64
STAMP = slice(56, 64)  # the stand-in puts the time there
RECORDS = 3000
UNIT = "/sys/module/spe_unit/parameters/"
PLUMB = "/plumb record --no-progress --source perf "
AUX, AUXTRACE = 11, 71
# The headers of packets: DDI 0487, "Statistical Profiling Extension sample record format".
END, DATA_SOURCE, LOAD_STORE = 0x01, 0x43, 0x49
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


def told(outcome):
    """
    What `perf script -F ip,sym,event,addr` prints. In recordings without times perf 7.3 begins with a
    sample of an instruction at 0, for which no record is there (doc/samples.md).
    """
    return [line for line in outcome.out.splitlines()
            if line.split() != ["instructions:", "0", "0", "[unknown]"]]


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


class Unit:
    """A stand-in, built for a kernel, with its stream, and with perf if there is one."""

    def __init__(self, folder, age):
        self.name = "SPE stand-in" + (", newest kernel" if age else "")
        self.newest = bool(age)
        module = os.path.join(folder, f"spe_unit{age}.ko")
        stream = os.path.join(folder, "stream")
        perf = os.path.join(folder, "perf" + age, "usr/bin/perf")
        self.is_built = os.path.exists(module) and os.path.exists(stream)
        self.places = [os.path.join(folder, "perf" + age, place.lstrip("/"))
                       for place in PLACES] + PLACES
        self.has_perf = runs(perf, self.places)
        self.files = {"spe_unit.ko": module, "stream": stream}
        if self.has_perf:
            self.files["perf"] = perf
        self.stream = b""
        if self.is_built:
            with open(stream, "rb") as file:
                self.stream = file.read()


def script(unit):
    stream, has_perf = unit.stream, unit.has_perf
    vm = Script(unit.name, "neoverse-n1")
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
                  lambda a, b: told(a) == told(b) and a.out.count("\n") >= RECORDS,
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
              lambda o: o.status != 7 and "simd_filter" in o.err,
              vm.run(PLUMB + "-e spe/simd_filter=1/u --per-thread -o /tmp/none /counted"))
    if unit.newest:
        newest(vm, unit)
    else:
        vm.expect("a term that the kernel lacks is an error with its name",
                  lambda o: o.status != 7 and "inv_data_src_filter" in o.err,
                  vm.run(PLUMB + "-e spe/data_source=0xe/u --per-thread -o /tmp/none /counted"))
    return vm


def packets(record):
    """The packets of a record without extended ones: header, payload."""
    at = 0
    while at < len(record) and record[at] != END:
        size = 1 << (record[at] >> 4 & 3) if record[at] else 0
        yield record[at], record[at + 1:at + 1 + size]
        at += 1 + size


def packet(record, wanted):
    return next((payload for header, payload in packets(record) if header == wanted), None)


def source(record):
    payload = packet(record, DATA_SOURCE)
    return payload[0] if payload else None


def is_load(record):
    payload = packet(record, LOAD_STORE)
    return payload is not None and payload[0] & 1 == 0


def is_store(record):
    payload = packet(record, LOAD_STORE)
    return payload is not None and payload[0] & 1 == 1


# What each event lets pass, and the words of its attribute: config to config4.
ALL = 0xffff_ffff_ffff_ffff
TIMES, JITTER, LOAD, STORE, STORE_MASK = 1 << 0, 1 << 16, 1 << 33, 1 << 34, 1 << 38
FILTERS = (
    ("data sources by name", "spe/data_source=DRAM,name=spe/u",
     f"arm_spe_0/jitter=1,load_filter=1,inv_data_src_filter={ALL & ~(1 << 14):#x}",
     lambda record: is_load(record) and source(record) == 14,
     (LOAD, 0, 0, 0, ALL & ~(1 << 14))),
    ("data sources by mask", "spe/inv_data_src_filter=0xfffffffffffffff6,name=spe/u",
     "arm_spe_0/jitter=1,inv_data_src_filter=0xfffffffffffffff6",
     lambda record: source(record) in (None, 0, 3), (0, 0, 0, 0, ALL & ~9)),
    ("masks of operations", "spe/store_filter=1,store_filter_mask=1,name=spe/u",
     "arm_spe_0/jitter=1,store_filter=1,store_filter_mask=1",
     is_store, (STORE | STORE_MASK, 0, 0, 0, 0)),
)


def newest(vm, unit):
    """What the driver has since Linux 6.14 to 6.19, with perf of this age beside plumb."""
    wanted = without_stamps(unit.stream)
    vm.write(PARANOID, "-1")
    set_unit(vm, repeat=1, burst=10, interval_us=100)
    for i, (name, event, theirs, passes, words) in enumerate(FILTERS):
        path = f"/tmp/filter{i}"
        mine = Recording(vm, f"filter{i}", f"{PLUMB} -e {event} -o {path} --per-thread /counted")
        asked = vm.run(f"send {UNIT}asked")
        vm.expect(f"{name}: what passes is recorded, and nothing else",
                  lambda o, sent, passes=passes: o.status == 7 and without_stamps(aux_of(sent.sent))
                  == [record for record in wanted if passes(record)], *mine.outcomes())
        vm.expect(f"{name}: the kernel is asked for it", lambda o, words=words:
                  [int(word) & ~(TIMES | JITTER) if i == 0 else int(word)
                   for i, word in enumerate(o.sent.split(b","))] == list(words), asked)
        if not unit.has_perf:
            continue
        other = Recording(vm, f"theirs{i}", f"/perf record -q -e {theirs},ts_enable=1,name=spe/u -o /tmp/theirs{i} "
                          "--per-thread /counted")
        vm.expect(f"{name}: perf records the same",
                  lambda a, b: len(aux_of(a.sent)) > 0 and
                  without_stamps(aux_of(a.sent)) == without_stamps(aux_of(b.sent)),
                  mine.data, other.data)
        vm.expect(f"{name}: perf asks for the same", lambda a, b: a.sent == b.sent and a.sent,
                  asked, vm.run(f"send {UNIT}asked"))
        read = "-F ip,sym,event,addr"
        vm.expect(f"{name}: perf reads the same from both recordings",
                  lambda a, b: told(a) == told(b) and a.out,
                  vm.run(f"/perf script -i {path} {read}"),
                  vm.run(f"/perf script -i /tmp/theirs{i} {read}"))
    discarded = Recording(vm, "discarded",
                          PLUMB + "-e spe/discard/u -o /tmp/discarded --per-thread /counted")
    vm.expect("discard: the program runs, and nothing is recorded",
              lambda o, sent: o.status == 7 and not aux_of(sent.sent), *discarded.outcomes())
    counting = vm.run(PLUMB + "-e spe/discard/u -o /tmp/counting --per-thread -- /plumb stat --json "
                      "--no-progress --source perf -o /tmp/counts -e INST_RETIRED:u /counted")
    asked = vm.run(f"send {UNIT}asked")
    vm.expect("discard: events are counted while the unit is on, and nobody misses samples",
              lambda o, unit, counts: o.status == 7 and "0 samples" in o.err and
              "too few" not in o.err and int(unit.sent.split(b",")[0]) >> 35 & 1 == 1 and
              json.loads(counts.sent)["events"][0]["count"] == LONG,
              counting, asked, vm.run("send /tmp/counts"))
    both = vm.run("/plumb stat --json --no-progress --source perf -o /tmp/both "
                  "-e INST_RETIRED:u -e spe/discard/u /counted")
    asked = vm.run(f"send {UNIT}asked")
    vm.expect("discard: plumb stat runs the unit and counts beside it",
              lambda o, unit, counts: o.status == 7 and int(unit.sent.split(b",")[0]) >> 35 & 1 == 1
              and [event["count"] for event in json.loads(counts.sent)["events"]] == [LONG, None],
              both, asked, vm.run("send /tmp/both"))


def runs(perf, places):
    """Whether perf is there with all its libraries."""
    try:
        return os.path.exists(perf) and bool(libraries(perf, places))
    except FileNotFoundError:
        return False

