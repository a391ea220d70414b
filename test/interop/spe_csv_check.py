#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of `plumb export --format spe-csv`: cell by cell against what `perf report -D` says of
the same recording, put into spe-parser's columns by this script, and against rows worked out by
hand. spe_csv_check.py PLUMB MAKE_SPE_RECORDING"""
import csv
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import Facts, Skip, Tap

tap = Tap()

# The columns of spe-parser 0.5.
START = ["cpu", "op", "pc", "el"]
COLUMNS = {
    "ldst": START + ["atomic", "excl", "ar", "subclass", "sve_evl", "sve_pred", "sve_sg", "event",
                     "issue_lat", "total_lat", "vaddr", "xlat_lat", "paddr", "data_source",
                     "context", "ts"],
    "br": START + ["condition", "indirect", "event", "issue_lat", "total_lat", "br_tgt",
                   "br_tgt_lvl", "pbt", "pbt_lvl", "context", "ts"],
    "other": START + ["subclass", "sve_evl", "sve_pred", "sve_fp", "condition", "event",
                      "issue_lat", "total_lat", "context", "ts"],
}
NUMBERS = {"el", "sve_evl", "issue_lat", "total_lat", "xlat_lat", "br_tgt_lvl", "pbt_lvl", "ts"}
TRUTHS = {"atomic", "excl", "ar", "sve_pred", "sve_sg", "sve_fp", "condition", "indirect"}
SOURCES = {0: "L1D", 8: "L2D", 9: "PEER-CPU", 10: "LOCAL-CLUSTER", 11: "LL-CACHE",
           12: "PEER-CLUSTER", 13: "REMOTE", 14: "DRAM"}
# spe-parser does not list these of other operations.
OF_MEMORY = {"REMOTE-ACCESS", "LLC-REFILL", "LLC-ACCESS", "TLB-REFILL", "TLB-ACCESS", "L1D-REFILL",
             "L1D-ACCESS"}


def export(plumb, path, folder, *options):
    """What plumb writes: table -> rows, the head among them; none: no file."""
    done = subprocess.run([plumb, "export", "--format", "spe-csv", "-o", f"{folder}/", *options,
                           path], capture_output=True, text=True)
    if done.returncode or done.stderr:
        raise AssertionError(f"status {done.returncode}: {done.stderr}")
    tables = {}
    for name in COLUMNS:
        file = Path(folder) / f"spe-{name}.csv"
        if file.exists():
            text = file.read_text()
            if text.split("\n")[0] != ",".join(f'"{c}"' for c in COLUMNS[name]):
                raise AssertionError(f"the head of {file.name} is wrong")
            tables[name] = list(csv.reader(text.splitlines()))
    return tables


def kernel(address, level):
    """An address as spe-parser has it: of EL2, with the 0xff that packets leave out."""
    return f"0xff{address:x}" if level == 2 and address >> 48 == 0xff else f"0x{address:x}"


class Record:
    """Lines of perf's dump, by the word each begins with; latencies by the last one."""

    def __init__(self):
        self.said = {}

    def add(self, raw, text):
        words = text.split()
        key = words[2] if words[0] == "LAT" else words[0]
        if raw[0] & 0xfc == 0x48:
            key = "OP"
            words = [raw[0] & 3, raw[1], *words]
        self.said[key] = words

    def code(self, key):
        if key not in self.said:
            return "", "0"
        words = self.said[key]
        level = int(words[2][2:])
        return kernel(int(words[1], 16), level), str(level)

    def row(self, cpu):
        """The table it belongs to, and its cells."""
        if "OP" not in self.said:
            return None, None
        kind, payload, *text = self.said["OP"]
        cells = {"cpu": cpu}
        cells["pc"], cells["el"] = self.code("PC")
        for column, key in (("issue_lat", "ISSUE"), ("total_lat", "TOT"), ("xlat_lat", "XLAT")):
            if key in self.said:
                cells[column] = self.said[key][1]
        events = self.said.get("EV", ["EV"])[1:]
        if "CONTEXT" in self.said:
            cells["context"] = self.said["CONTEXT"][1]
        if "TS" in self.said:
            cells["ts"] = self.said["TS"][1]
        if kind == 0:
            table = "other"
            events = sorted(set(events) - OF_MEMORY)
            cells["op"] = cells["subclass"] = "OTHER"
            if text[0] == "SVE-OTHER":
                cells.update(subclass="SVE", sve_evl=text[2], sve_fp="FP" in text,
                             sve_pred="PRED" in text)
            else:
                cells["condition"] = "COND-SELECT" in text
        elif kind == 1:
            table = "ldst"
            self.access(cells, payload, text)
        elif kind == 2:
            table = "br"
            cells.update(op="B", condition=bool(payload & 1), indirect=bool(payload & 2))
            cells["br_tgt"], cells["br_tgt_lvl"] = self.code("TGT")
            cells["pbt"], cells["pbt_lvl"] = self.code("PBT")
        else:
            return None, None
        cells["event"] = ":".join(events)
        return table, cells

    def access(self, cells, payload, text):
        cells.update(op=text[0], atomic="AT" in text, excl="EXCL" in text, ar="AR" in text)
        if "EVLEN" in text:
            cells.update(subclass="SVE", sve_evl=text[text.index("EVLEN") + 1],
                         sve_pred="PRED" in text, sve_sg="SG" in text)
        elif len(text) > 1 and payload & 0xe2 != 2:
            cells["subclass"] = text[1]
        if "VA" in self.said:
            address = int(self.said["VA"][1], 16)
            high = cells["el"] == "2" and address >> 55 & 1
            cells["vaddr"] = f"0x{address | 0xff << 56 if high else address:x}"
        if "PA" in self.said:
            cells["paddr"] = self.said["PA"][1]
        if "DATA-SOURCE" in self.said:
            source = int(self.said["DATA-SOURCE"][1])
            cells["data_source"] = SOURCES.get(source, str(source))


def cells_in_order(table, cells):
    row = []
    for column in COLUMNS[table]:
        default = "0" if column in NUMBERS else False if column in TRUTHS else ""
        value = cells.get(column, default)
        row.append(str(value).lower() if isinstance(value, bool) else value)
    return row


def tables_of_perf(path):
    """The same from the text of perf's dump."""
    dump = subprocess.run(["perf", "report", "-D", "-i", path], capture_output=True, text=True,
                          check=True).stdout
    tables = {}
    cpu, record = None, Record()
    for line in dump.split("\n"):
        head = re.search(r"PERF_RECORD_AUXTRACE size:.* cpu: (-?\d+)", line)
        if head:
            cpu = str(int(head[1]) & 0xffffffff)
            continue
        packet = re.match(r"\.  [0-9a-f]{8}:  ((?:[0-9a-f]{2} )+) *(\S.*)$", line)
        if not packet or packet[2] == "PAD":
            continue
        raw = bytes.fromhex(packet[1])
        record.add(raw, packet[2])
        if packet[2].split()[0] in ("TS", "END"):
            table, cells = record.row(cpu)
            record = Record()
            if table:
                tables.setdefault(table, [COLUMNS[table]]).append(cells_in_order(table, cells))
    return tables


def compare(facts, ours, theirs):
    facts.same("tables", sorted(ours), sorted(theirs))
    for name, rows in theirs.items():
        facts.same(f"{name}: rows", len(ours.get(name, [])), len(rows))
        for number, (mine, row) in enumerate(zip(ours.get(name, []), rows)):
            for column, a, b in zip(COLUMNS[name], mine, row):
                facts.same(f"{name}, row {number}, {column}", a, b)
                if len(facts.differences) > 20:
                    return


def generated(plumb, make, *options):
    if not shutil.which("perf"):
        raise Skip("no perf")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/made.data"
        subprocess.run([make, path, "7", "6000", "3", *options], check=True)
        facts = Facts()
        compare(facts, export(plumb, path, f"{folder}/out"), tables_of_perf(path))
        return facts.done(60000)


@tap.test
def per_cpu(plumb, make):
    """a recording of CPUs, with physical addresses and contexts: every cell as perf's dump says"""
    return generated(plumb, make, "contexts", "physical")


@tap.test
def per_thread(plumb, make):
    """a recording of threads: no CPU"""
    return generated(plumb, make, "thread", "timeless")


@tap.test
def compact(plumb, make):
    """records without padding, in chunks of odd sizes"""
    return generated(plumb, make, "compact", "chunk=1000", "clock")


def header(byte, payload, size):
    return bytes([byte]) + payload.to_bytes(size, "little")


def code(index, address, level):
    return header(0xb0 + index, 1 << 63 | level << 61 | address, 8)


# By hand: packets of a record, and the row they make.
USER = code(0, 0x401000, 0)
KERNEL = code(0, 0xff800008000a00, 2)
END = b"\x01"
HAND = {
    "ldst": [
        (USER + b"\x49\x15" + END, "0,ST,0x401000,0,false,false,false,MTE-TAG,0,false,false,,0,0,"
                                   ",0,,,,0"),
        (USER + b"\x49\x04" + END, "0,LD,0x401000,0,false,false,false,SIMD-FP,0,false,false,,0,0,"
                                   ",0,,,,0"),
        (USER + b"\x49\x10" + END, "0,LD,0x401000,0,false,false,false,UNSPEC-REG,0,false,false,,0,"
                                   "0,,0,,,,0"),
        (USER + b"\x49\x20" + END, "0,LD,0x401000,0,false,false,false,MEMCPY,0,false,false,,0,0,,"
                                   "0,,,,0"),
        (USER + b"\x49\x25" + END, "0,ST,0x401000,0,false,false,false,MEMSET,0,false,false,,0,0,,"
                                   "0,,,,0"),
        (USER + b"\x49\x30" + END, "0,LD,0x401000,0,false,false,false,NV-SYSREG,0,false,false,,0,"
                                   "0,,0,,,,0"),
        (USER + b"\x49\x1f" + END, "0,ST,0x401000,0,true,true,true,,0,false,false,,0,0,,0,,,,0"),
        (USER + b"\x49\x02" + END, "0,LD,0x401000,0,false,false,false,,0,false,false,,0,0,,0,,,,"
                                   "0"),
        # SVE: 128 bits, predicated, gathering.
        (USER + b"\x49\xac" + END, "0,LD,0x401000,0,false,false,false,SVE,128,true,true,,0,0,,0,,,"
                                   ",0"),
        (USER + b"\x49\x40" + END, "0,LD,0x401000,0,false,false,false,GCS,0,false,false,,0,0,,0,,,"
                                   ",0"),
        # A load of the kernel at EL2, with all there is.
        (KERNEL + header(0x65, 0x1234, 4) + b"\x49\x00" + header(0x52, 0x0f3f, 2) +
         header(0x99, 3, 2) + header(0x98, 4095, 2) + header(0xb2, 0x05ff083e7fccbca8, 8) +
         header(0x9a, 7, 2) + header(0xb3, 1 << 63 | 0x90d7a28a, 8) + b"\x43\x0d" +
         header(0x71, 20685196992003, 8),
         "0,LD,0xffff800008000a00,2,false,false,false,GP-REG,0,false,false,EXCEPTION-GEN:RETIRED:"
         "L1D-ACCESS:L1D-REFILL:TLB-ACCESS:TLB-REFILL:LLC-ACCESS:LLC-REFILL:REMOTE-ACCESS:"
         "ALIGNMENT,3,4095,0xffff083e7fccbca8,7,0x90d7a28a,REMOTE,0x1234,20685196992003"),
        # EL2 reads what is the user's; a number that is no source of data.
        (KERNEL + b"\x49\x00" + header(0xb2, 0xaaaab0001000, 8) + b"\x43\x05" + END,
         "0,LD,0xffff800008000a00,2,false,false,false,GP-REG,0,false,false,,0,0,0xaaaab0001000,0,,"
         "5,,0"),
    ],
    "br": [
        (USER + b"\x4a\x00" + END, "0,B,0x401000,0,false,false,,0,0,,0,,0,,0"),
        (USER + b"\x4a\x01" + header(0x42, 0xc2, 1) + END,
         "0,B,0x401000,0,true,false,RETIRED:NOT-TAKEN:MISPRED,0,0,,0,,0,,0"),
        (USER + b"\x4a\x02" + code(1, 0x402000, 0) + END,
         "0,B,0x401000,0,false,true,,0,0,0x402000,0,,0,,0"),
        (USER + b"\x4a\x03" + END, "0,B,0x401000,0,true,true,,0,0,,0,,0,,0"),
        # A return is indirect.
        (USER + b"\x4a\x12" + END, "0,B,0x401000,0,false,true,,0,0,,0,,0,,0"),
        (KERNEL + b"\x4a\x00" + code(1, 0xff800008000b00, 2) + code(4, 0x403000, 0) + END,
         "0,B,0xffff800008000a00,2,false,false,,0,0,0xffff800008000b00,2,0x403000,0,,0"),
    ],
    "other": [
        (USER + b"\x48\x00" + END, "0,OTHER,0x401000,0,OTHER,0,false,false,false,,0,0,,0"),
        (USER + b"\x48\x01" + END, "0,OTHER,0x401000,0,OTHER,0,false,false,true,,0,0,,0"),
        # SVE: 256 bits, floating point, predicated; events by name, those of memory left out.
        (USER + b"\x48\x3e" + header(0x62, 0x1 << 17 | 0x0f3f, 4) + END,
         "0,OTHER,0x401000,0,SVE,256,true,true,false,"
         "ALIGNMENT:EXCEPTION-GEN:RETIRED:SVE-PARTIAL-PRED,0,0,,0"),
    ],
}


@tap.test
def by_hand(plumb, _make):
    """a raw buffer: every kind of operation, rows worked out by hand"""
    facts = Facts()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spe.data"
        # A record without an operation is in none of the tables.
        path.write_bytes(USER + END + b"".join(bytes_ for rows in HAND.values()
                                               for bytes_, _ in rows))
        ours = export(plumb, path, f"{folder}/out", "--raw")
    theirs = {name: [COLUMNS[name]] + [row.split(",") for _, row in rows]
              for name, rows in HAND.items()}
    compare(facts, ours, theirs)
    return facts.done(300)


# One that spe-parser's own tests have: a branch of WindowsPerf's, without a timestamp.
@tap.test
def windows_perf(plumb, _make):
    """a branch as spe-parser's documentation of raw buffers has it; no other file"""
    record = (code(0, 0x7ffdbf2143e0, 0) + b"\x4a\x01" + header(0x42, 2, 1) + header(0x99, 39, 2) +
              header(0x98, 40, 2) + code(1, 0x7ffdbf214408, 0) + b"\x01")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spe.data"
        path.write_bytes(record + struct.pack("10x"))
        ours = export(plumb, path, f"{folder}/out", "--raw")
    row = "0,B,0x7ffdbf2143e0,0,true,false,RETIRED,39,40,0x7ffdbf214408,0,,0,,0"
    if ours != {"br": [COLUMNS["br"], row.split(",")]}:
        raise AssertionError(ours)


tap.run(*sys.argv[1:])
