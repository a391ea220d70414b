#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report's shares by page sizes, sockets, control groups and sizes of code equal those of perf
report --stdio: of a recording made up here, as of an Arm machine, and of one that perf makes.
report_keys.py PLUMB"""
import json
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from perf_tool import run_perf
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()

# Address, process and thread, time, data address, CPU, period, data source, control group, page sizes.
SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x100 | 0x8000 | 7 << 21
LOAD = 2
SIZES = (4 << 10, 16 << 10, 64 << 10, 2 << 20, 32 << 20, 512 << 20, 1 << 30, 0)
GROUPS = {1: b"/", 4711: b"/system.slice/one.service"}
SOCKETS = (0, 36, 36)


def record(kind, body, misc=2):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value):
    return value + bytes(8 - len(value) % 8)


def counted_text(value):
    padded = value + bytes(64 - len(value) % 64)
    return struct.pack("<I", len(padded)) + padded


def features():
    """The architecture, the number of CPUs, and where they are, by the numbers that perf gives these."""
    cpus = len(SOCKETS)
    siblings = struct.pack("<I", 1) + counted_text(b"0-2")
    places = b"".join(struct.pack("<II", core, socket) for core, socket in enumerate(SOCKETS))
    return {6: counted_text(b"aarch64"), 7: struct.pack("<II", cpus, cpus),
            13: siblings + siblings + places}


def write_recording(path):
    attribute = struct.pack("<IIQQQQQ", 1, 128, 0, 1, SAMPLE_TYPE, 0, 0)
    attribute = attribute.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
    data = b"".join(record(3, struct.pack("<ii", 7, tid) + text(b"worker")) for tid in (7, 8, 9))
    data += record(1, struct.pack("<iIQQQ", 7, 7, 0x400000, 0x3000, 0) + text(b"/nowhere/one"))
    data += record(1, struct.pack("<iIQQQ", 7, 7, 0x500000, 0x11000, 0) + text(b"/nowhere/two"))
    for number, name in GROUPS.items():
        data += record(19, struct.pack("<Q", number) + text(name))
    # The seventh namespace is that of control groups. Thread 9 has none.
    for tid in (7, 8):
        data += record(16, struct.pack("<iiQ", 7, tid, 7) +
                       b"".join(struct.pack("<QQ", 4 + tid, 0xefffff00 + i) for i in range(7)))
    for i in range(500):
        group = (1, 4711, 4712, 1, 0)[i % 5]
        address = (0x400010, 0x500010, 0x500020, 0x900000)[i % 4]
        data += record(9, struct.pack("<QiiQQIIQQQQQ", address, 7, 7 + i % 3, 1000 + i, 0x7000 + i,
                                      i % 7 % len(SOCKETS), 0, 1, LOAD, group,
                                      SIZES[i * 5 % 11 % len(SIZES)], SIZES[i * 3 % len(SIZES)]))
    header = b"PERFILE2" + struct.pack("<QQ", 104, len(attribute))
    header += struct.pack("<QQQQQQ", 104, len(attribute), 104 + len(attribute), len(data), 0, 0)
    parts, table, content = features(), b"", b""
    header += struct.pack("<QQQQ", sum(1 << number for number in parts), 0, 0, 0)
    place = 104 + len(attribute) + len(data) + 16 * len(parts)
    for part in parts.values():
        table += struct.pack("<QQ", place + len(content), len(part))
        content += part
    path.write_bytes(header + attribute + data + table + content)


def perf_rows(path, key, *options):
    """Counts rows (share, cell), without what perf writes for nothing; or samples by the size of their
    functions: perf has a row for each of these."""
    done = run_perf(["perf", "report", "--stdio", "-n", "--no-children", "-t", "|", "-s", key, *options, "-i", path],
                    capture_output=True)
    done.check_returncode()
    rows = Counter()
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if not line or line.startswith("#"):
            continue
        share, samples, cell = (cell.strip() for cell in line.split("|")[:3])
        if key == "socket":
            cell = str(int(cell))
        nothing = cell in ("N/A", "-1", "0/0x0") or (cell == "unknown" and key.endswith("_size"))
        cell = None if nothing else cell
        if key == "symbol_size":
            rows[cell] += int(samples)
        else:
            rows[float(share.rstrip("%")), cell] += 1
    return rows


def plumb_rows(plumb, path, key, *options):
    done = subprocess.run([plumb, "report", "--json", *perf.options(), "--no-children", "-s", key, *options,
                           "-i", path], capture_output=True, check=True)
    (event,) = json.loads(done.stdout)["events"]
    if key == "symbol_size":
        return Counter({row[key]: row["samples"] for row in event["rows"]})
    return Counter((float(f"{row['share']:.2f}"), row[key]) for row in event["rows"])


def compare(plumb, path, keys, least):
    count, wrong = 0, []
    for key in keys:
        its = perf_rows(path, key, *(["--mem-mode"] if key == "data_page_size" else []))
        mine = plumb_rows(plumb, path, key)
        wrong += [f"{key}: only {who} has {row}" for who, rows in (("plumb", mine - its), ("perf", its - mine))
                  for row in list(rows)[:4]]
        count += len(its)
    if wrong:
        raise AssertionError("\n".join(wrong))
    if count < least:
        raise AssertionError(f"perf has only {count} rows")
    return f"{count} rows"


@tap.test
def made_up(work):
    """a recording of a machine with sockets, several page sizes and control groups"""
    path = work.folder / "made.data"
    write_recording(path)
    return compare(work.plumb, path, ("code_page_size", "data_page_size", "socket", "cgroup", "cgroup_id",
                                      "dso_size"), 25)


@tap.test
def recorded(work):
    """sizes of functions and of mappings, and what the kernel says of the pages and the groups"""
    path = work.folder / "perf.data"
    for more in (["--code-page-size", "--all-cgroups", "--namespaces"], []):
        done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "4000", *more, "-o", path, "--",
                               sys.executable, "-c", "import json\nfor i in range(60000): json.dumps({i: [i]})"],
                              capture_output=True)
        if done.returncode == 0:
            break
    else:
        raise Skip("perf cannot record here")
    keys = ("code_page_size", "cgroup", "cgroup_id") if more else ()
    return compare(work.plumb, path, (*keys, "symbol_size", "dso_size"), 10)


class Work:
    def __init__(self, plumb, folder):
        self.plumb, self.folder = plumb, folder


if perf.absent:
    tap.skip_all(perf.absent)
with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], Path(scratch)))
