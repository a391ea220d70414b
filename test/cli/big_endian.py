#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""big_endian.py OUT: writes a recording of a big-endian machine: eleven samples of cpu-clock at
1.0, 1.1, ... 2.0 seconds, and the feature SAMPLE_TIME."""
import struct
import sys

IP, TID, TIME = 1 << 0, 1 << 1, 1 << 2
HEADER, ATTR = 104, 128
HOSTNAME, SAMPLE_TIME = 3, 21


def number(value, size=8):
    return value.to_bytes(size, "big")


def attribute(sample_type):
    return struct.pack(">IIQQQ", 1, ATTR, 0, 1000, sample_type).ljust(ATTR, b"\0")


def sample(time):
    body = struct.pack(">QiiQ", 0x4000, 10, 10, time)
    return struct.pack(">IHH", 9, 2, 8 + len(body)) + body


def main(path):
    times = [1000000000 + i * 100000001 for i in range(11)]
    data = b"".join(sample(time) for time in times)
    attrs_at = HEADER
    data_at = attrs_at + ATTR + 16
    features = {HOSTNAME: number(64, 4) + b"big".ljust(64, b"\0"),
                SAMPLE_TIME: number(times[0]) + number(times[-1])}
    at = data_at + len(data) + 16 * len(features)
    sections = b""
    for feature in sorted(features):
        sections += number(at) + number(len(features[feature]))
        at += len(features[feature])
    bits = sum(1 << feature for feature in features)
    header = (number(int.from_bytes(b"PERFILE2", "little")) + number(HEADER) + number(ATTR + 16) +
              number(attrs_at) + number(ATTR + 16) + number(data_at) + number(len(data)) +
              number(0) * 2 + number(bits) + number(0) * 3)
    with open(path, "wb") as file:
        file.write(header + attribute(IP | TID | TIME) + number(0) * 2 + data + sections +
                   b"".join(features[feature] for feature in sorted(features)))


main(sys.argv[1])
