#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""mixed_events.py OUT: writes a recording of events that differ in kind: two have the same name, one
has no times, and one is exact. The process changes its name, as exec() does."""
import struct
import sys

IDENTIFIER, IP, TID, TIME, CHAIN, PERIOD = 1 << 16, 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 8
HEADER, ATTR = 104, 128
EVENT_DESC, PMU_MAPPINGS = 12, 15
EXACT = 12
USER = 2
CONTEXT_USER = (1 << 64) - 512
UNTIMED = IDENTIFIER | IP | TID | PERIOD | CHAIN
EVENTS = [(b"twice", 1, 0, UNTIMED | TIME), (b"untimed", 1, 1, UNTIMED),
          (b"twice", 1, 2, UNTIMED | TIME), (b"exact/CPU_CYCLES/", EXACT, 0, UNTIMED | TIME)]


def string(text):
    room = (len(text) + 1 + 63) // 64 * 64
    return struct.pack("<I", room) + text.ljust(room, b"\0")


def record(kind, body, misc=USER):
    body = body.ljust((len(body) + 7) // 8 * 8, b"\0")
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def comm(name, misc=0):
    return record(3, struct.pack("<ii", 10, 10) + name + b"\0", misc)


def sample(event, tid, time, period, stack):
    has = EVENTS[event][3]
    body = struct.pack("<QQii", event + 1, stack[0], 10, tid)
    body += struct.pack("<Q", time) if has & TIME else b""
    body += struct.pack(f"<QQQ{len(stack)}Q", period, len(stack) + 1, CONTEXT_USER, *stack)
    return record(9, body)


def samples(first):
    data = b""
    for i in range(first, first + 12):
        data += sample(i % 4, 10 + i // 4 % 2, 5_000_000_000 + 1000 * i, i + 1,
                       [0x400000 + 16 * (i % 5), 0x400100 + 16 * (i % 3)])
    return data


def main(path):
    attrs = [struct.pack("<IIQQQQQ", kind, ATTR, config, 1000, has, 0, 0).ljust(ATTR, b"\0")
             for _, kind, config, has in EVENTS]
    data = comm(b"before")
    data += record(10, struct.pack("<iiQQQIIQQII", 10, 10, 0x400000, 0x1000, 0, 0, 0, 0, 0, 5, 0) +
                   b"/tmp/nowhere\0")
    data += sample(1, 10, 0, 50, [0x400000])
    data += samples(0) + comm(b"after", 1 << 13) + samples(12)
    features = {EVENT_DESC: struct.pack("<II", len(attrs), ATTR) + b"".join(
        attr + struct.pack("<I", 1) + string(EVENTS[i][0]) + struct.pack("<Q", i + 1)
        for i, attr in enumerate(attrs)),
                PMU_MAPPINGS: struct.pack("<II", 1, EXACT) + string(b"exact")}
    ids = struct.pack(f"<{len(attrs)}Q", *range(1, len(attrs) + 1))
    table = b"".join(attr + struct.pack("<QQ", HEADER + 8 * i, 8) for i, attr in enumerate(attrs))
    data_at = HEADER + len(ids) + len(table)
    at, sections = data_at + len(data) + 16 * len(features), b""
    for feature in sorted(features):
        sections += struct.pack("<QQ", at, len(features[feature]))
        at += len(features[feature])
    header = b"PERFILE2" + struct.pack("<12Q", HEADER, ATTR + 16, HEADER + len(ids), len(table),
                                       data_at, len(data), 0, 0,
                                       sum(1 << feature for feature in features), 0, 0, 0)
    with open(path, "wb") as file:
        file.write(header + ids + table + data + sections +
                   b"".join(features[feature] for feature in sorted(features)))


main(sys.argv[1])
