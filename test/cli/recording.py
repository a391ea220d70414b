#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""recording.py FILE [TYPE CONFIG FLAGS [nobody] [guest]]: writes a recording as perf does, with one
event of these attributes that has no name in the file, and a sample of it in a module of the
kernel. The module is listed with its build-id if the event is not given. With "nobody", the sample has no
process. With "guest", a guest's kernel was sampled."""
import struct
import sys

SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x100  # address, process and thread, time, period
KERNEL = 1
GUEST_KERNEL = 4
MODULE = 0xFFFFFFFFC0000000
PATH = b"/lib/modules/6.1.0/kernel/net/mac80211/mac80211.ko"


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value, to):
    return value + bytes(to - len(value) % to)


def mapping(address, length, path):
    return record(1, KERNEL, struct.pack("<iIQQQ", -1, 0, address, length, 0) + text(path, 8))


def main():
    kind, config, flags = (int(word, 0) for word in sys.argv[2:5] or ("0", "0", "0"))
    process = -1 if "nobody" in sys.argv else 7
    attribute = struct.pack("<IIQQQQQ", kind, 128, config, 100, SAMPLE_TYPE, 0, flags)
    attribute = attribute.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
    data = mapping(0xFFFFFFFF81000000, 0x1000000, b"[kernel.kallsyms]_text")
    data += mapping(MODULE, 0x10000, PATH)
    mode = GUEST_KERNEL if "guest" in sys.argv else KERNEL
    data += record(9, mode, struct.pack("<QiiQQ", MODULE + 0x100, process, process, 1000, 100))
    features, sections = 0, b""
    if len(sys.argv) == 2:
        listed = record(67, KERNEL, struct.pack("<i", -1) + bytes(range(1, 21)) + bytes(4) +
                        text(PATH, 64))
        features = 1 << 2
        sections = struct.pack("<QQ", 104 + len(attribute) + len(data) + 16, len(listed)) + listed
    header = b"PERFILE2" + struct.pack("<QQ", 104, len(attribute))
    header += struct.pack("<QQQQ", 104, len(attribute), 104 + len(attribute), len(data))
    header += struct.pack("<QQ", 0, 0) + struct.pack("<QQQQ", features, 0, 0, 0)
    with open(sys.argv[1], "wb") as file:
        file.write(header + attribute + data + sections)


main()
