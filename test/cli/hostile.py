#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py OUT [function]: writes a recording in which every name tries to drive the terminal: one
sample, with control characters of ASCII, of C1 in UTF-8 and of C1 as single bytes. With "function",
there is a sample of the kernel's, too, in a function whose name tries to be several."""
import struct
import sys

# Each would clear the screen on some terminal; the last turns text around.
EVIL = b"x\x1b[2J\x9b2J\xc2\x9b2J\x7f\x08\xe2\x80\xae"
# Each part would end a name in some format.
FUNCTION = b"f\";a'b,\\n\n{c}\r\td 12\x1b[2J\x9b\xff;g 7"
FUNCTION_AT = 0xffffffff81000100
IP, TID, TIME = 1 << 0, 1 << 1, 1 << 2
HEADER, ATTR = 104, 128
HOSTNAME, OSRELEASE, CPUDESC, CMDLINE, EVENT_DESC = 3, 4, 8, 11, 12
FREQ_COMM_MMAP2 = 1 << 8 | 1 << 9 | 1 << 23


def string(text):
    room = (len(text) + 1 + 63) // 64 * 64
    return struct.pack("<I", room) + text.ljust(room, b"\0")


def record(kind, body, mode=2):
    body = body.ljust((len(body) + 7) // 8 * 8, b"\0")
    return struct.pack("<IHH", kind, mode, 8 + len(body)) + body


def name(text):
    return text.ljust((len(text) + 8) // 8 * 8, b"\0")


def main(path, *more):
    attr = struct.pack("<IIQQQQQ", 1, ATTR, 0, 1000, IP | TID | TIME, 0,
                       FREQ_COMM_MMAP2).ljust(ATTR, b"\0")
    data = record(3, struct.pack("<ii", 10, 10) + name(EVIL[:15]))
    data += record(10, struct.pack("<iiQQQIIQQII", 10, 10, 0x400000, 0x1000, 0, 0, 0, 0, 0, 5, 0) +
                   name(b"/tmp/" + EVIL))
    data += record(9, struct.pack("<QiiQ", 0x400100, 10, 10, 1000000000))
    if more:
        data += record(17, struct.pack("<QIHH", FUNCTION_AT, 256, 1, 0) + name(FUNCTION), 1)
        data += record(9, struct.pack("<QiiQ", FUNCTION_AT + 16, 10, 10, 2000000000), 1)
    features = {HOSTNAME: string(EVIL), OSRELEASE: string(EVIL), CPUDESC: string(EVIL),
                CMDLINE: struct.pack("<I", 1) + string(EVIL),
                EVENT_DESC: struct.pack("<II", 1, ATTR) + attr + struct.pack("<I", 0) +
                string(EVIL)}
    data_at = HEADER + ATTR + 16
    at = data_at + len(data) + 16 * len(features)
    sections = b""
    for feature in sorted(features):
        sections += struct.pack("<QQ", at, len(features[feature]))
        at += len(features[feature])
    bits = sum(1 << feature for feature in features)
    header = b"PERFILE2" + struct.pack("<12Q", HEADER, ATTR + 16, HEADER, ATTR + 16, data_at,
                                       len(data), 0, 0, bits, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(header + attr + struct.pack("<QQ", 0, 0) + data + sections +
                   b"".join(features[feature] for feature in sorted(features)))


main(*sys.argv[1:])
