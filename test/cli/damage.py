#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""damage.py RECORDING OUT: a copy of a little-endian recording in which the record in the middle of
the samples says that it has no bytes."""
import struct
import sys

SAMPLE = 9


def main(path, out):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    samples = []
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            samples.append(at)
        at += length
    struct.pack_into("<H", data, samples[len(samples) // 2] + 6, 0)
    with open(out, "wb") as file:
        file.write(data)


main(*sys.argv[1:])
