#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""plumb report's shares equal those of perf report --stdio, row by row and to the printed digit: of
recordings that perf makes here, with and without callers, and of SPE recordings made by chance.
report_vs_perf.py PLUMB MAKE_SPE_RECORDING"""
import csv
import functools
import io
import json
import operator
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from inner_labels import inner_labels
from perf_tool import run_perf
from perf_version import Perf
from tap import Skip, Tap

tap = Tap()
perf = Perf()

PROGRAM = r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sum;

__attribute__((noipa)) static void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sum += i * 0.5;
}

__attribute__((noipa)) static void other(int n)
{
	for (int i = 0; i < n; i++)
		sum += i / 3.0;
	getppid();
}

__attribute__((noipa)) static void deeper(int depth)
{
	if (depth)
		deeper(depth - 1);
	else
		leaf(20000);
	other(1000);
}

static void *work(void *argument)
{
	for (int i = 0; i < 400; i++) {
		deeper(i % 7);
		other(argument ? 20000 : 3000);
	}
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, &thread);
	work(NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		leaf(20000000);
		_exit(0);
	}
	wait(NULL);
}
"""

EVENT = re.compile(r"# Samples: \S+\s+of events? '([^']*)'")
TOTAL = re.compile(r"# Event count \(approx\.\): (\d+)")
UNKNOWN = re.compile(r"(?:.*\+)?0x([0-9a-f]+)|([0-9a-f]{16})")


def function(text):
    """A function's name without spaces, where long ones are broken, or its address in its file."""
    text = re.sub(r"^\[[.kgHu]\] ", "", text.strip())
    found = UNKNOWN.fullmatch(text)
    return int(found[1] or found[2], 16) if found else text.replace(" ", "")


@functools.lru_cache
def ambiguous():
    """Labels in functions, and these functions."""
    labels = inner_labels()
    return set(labels) | {function for function, _ in labels.values()}


def overlaps(row):
    """Of symbols that overlap, as _init and the PLT behind it, perf finds either: script_vs_perf.py."""
    return any(isinstance(cell, str) and ("@plt" in cell or cell in ("_init", ".plt") or cell in ambiguous())
               for cell in row)


def perf_rows(path, keys, shares, options):
    """{event: Counter of rows}; events without periods, which perf has no shares of, are left out."""
    command = ["perf", "report", "--stdio", "--no-inline", "-t", "|", "-s", keys, "-i", path, *options]
    done = run_perf(command, capture_output=True)
    done.check_returncode()
    events, event, names = {}, None, keys.split(",")
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if EVENT.match(line):
            event = EVENT.match(line)[1]
        elif TOTAL.match(line):
            if TOTAL.match(line)[1] == "0":
                event = None
            else:
                events[event] = Counter()
        elif event and line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")]
            row = [float(cell.rstrip("%")) for cell in cells[:shares]]
            row += [function(cell) if name == "sym" else cell
                    for name, cell in zip(names, cells[shares:])]
            events[event][tuple(row)] += 1
    return events


def plumb_rows(plumb, path, keys, shares, options):
    """The same of plumb, from the text that a person sees."""
    fields = ["children", "share"][2 - shares:] + keys.split(",")
    command = [plumb, "report", "--stdio", *perf.options(), "-F", ",".join(fields), "-i", path, *options]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    # Columns begin where their headings do; the last one's rows may be longer.
    events, rows, event, columns, names = {}, [], None, None, keys.split(",")
    for line in text.splitlines():
        heading = re.match(r"(\S.*?): [\d,]+ (samples|SPE records)", line)
        if heading:
            event, columns = heading[1], None
            events[event] = Counter()
        elif event and columns is None and ("SHARE" in line or "CHILDREN" in line):
            columns = [m.start() for m in re.finditer(r"(?<!\S)[A-Z]", line)][shares:]
        elif columns and line:
            cells = [line[a:b].strip() for a, b in zip(columns, columns[1:] + [None])]
            numbers = line[:columns[0]].split()
            # What is too wide for its column goes on in the next line.
            if numbers:
                rows.append((event, [float(cell.rstrip("%")) for cell in numbers], cells))
            else:
                rows[-1][2][:] = map("".join, zip(rows[-1][2], cells))
    for event, row, cells in rows:
        row += [function(cell) if name == "sym" else cell for name, cell in zip(names, cells)]
        events[event][tuple(row)] += 1
    return events


def in_page(row):
    """The row with addresses as those within their pages: of callers without a symbol, perf prints the
    address in the process, Plumb that in the file."""
    return tuple(cell & 0xfff if isinstance(cell, int) else cell for cell in row)


def comparable(rows, callers):
    fair = Counter()
    for row, n in rows.items():
        if not overlaps(row):
            fair[in_page(row) if callers else row] += n
    return fair


def difference(ours, theirs, callers):
    """The first few rows that only one of them has."""
    wrong = []
    for event in theirs:
        mine = comparable(ours.get(event, Counter()), callers)
        its = comparable(theirs[event], callers)
        for what, rows in (("plumb", mine - its), ("perf", its - mine)):
            wrong += [f"{event}: only {what} has {row}" for row in list(rows)[:4]]
    return wrong


def compare(plumb, path, least, shares, ways, wanted=None):
    """Compares every list of keys; `least` rows must be there to compare: those with a cell `wanted`."""
    count, wrong = 0, []
    for keys, ours, theirs in ways:
        its = perf_rows(path, keys, shares, theirs)
        mine = plumb_rows(plumb, path, keys, shares, ours)
        for events in (its, mine) if wanted else ():
            for event in events:
                events[event] = Counter({row: n for row, n in events[event].items() if wanted in row})
        count += sum(sum(rows.values()) for rows in its.values())
        wrong += [f"-s {keys} {' '.join(ours)}: {text}" for text in difference(mine, its, shares == 2)]
    if wrong:
        raise AssertionError("\n".join(wrong[:12]))
    if count < least:
        raise AssertionError(f"perf has only {count} rows, {least} are expected")
    return f"{count} rows"


class Work:
    def __init__(self, plumb, make, folder):
        self.plumb, self.make, self.folder = plumb, make, folder

    def record(self, options):
        program, path = self.folder / "program", self.folder / "perf.data"
        if not program.exists():
            (self.folder / "program.c").write_text(PROGRAM)
            subprocess.run(["gcc", "-O1", "-g", "-fno-omit-frame-pointer",
                            "-fno-optimize-sibling-calls", "-pthread", "-o", program,
                            self.folder / "program.c"], check=True)
        done = subprocess.run(["perf", "record", "-q", *options, "-o", path, program],
                              capture_output=True, cwd=self.folder)
        if done.returncode:
            raise Skip("perf cannot record here")
        return str(path)

    def spe(self, words):
        path = str(self.folder / "spe.data")
        subprocess.run([self.make, path, *words.split()], check=True)
        return path


ALONE, CHILDREN = ["--no-children"], ["--children", "-g", "none"]
KEYS = ["sym,dso", "dso", "comm,dso", "dso,sym", "comm"]
CLOCK = ["-e", "cpu-clock", "-F", "4000"]


def event_test(name, options, least):
    def test(work):
        return compare(work.plumb, work.record(options), least, 1,
                       [(keys, ALONE, [*ALONE, "-g", "none"]) for keys in KEYS])
    test.__doc__ = f"samples of events {name}"
    tap.test(test)


event_test("plain", CLOCK, 10)
event_test("of two events", ["-e", "cpu-clock,page-faults", "-F", "2000"], 10)
event_test("with call chains, where they were taken", [*CLOCK, "-g"], 10)


@tap.test
def all_cpus(work):
    """samples of all CPUs: the program's, because files of others may change meanwhile"""
    ways = [(keys, ALONE, [*ALONE, "-g", "none"]) for keys in ("comm,sym,dso", "comm,dso", "comm")]
    return compare(work.plumb, work.record(["-a", *CLOCK]), 5, 1, ways, "program")


@tap.test
def children(work):
    """samples with call chains, counted for their callers"""
    return compare(work.plumb, work.record([*CLOCK, "-g"]), 40, 2,
                   [(keys, CHILDREN, CHILDREN) for keys in KEYS])


# Filters that choose what is shown; perf's shares are of all samples unless it is asked otherwise. It
# leaves out the column of a filter with a single name.
FILTERS = [["-S", "leaf,none"], ["-S", "leaf,other"], ["-d", "program,none"], ["-c", "program,none"],
           ["-c", "program,none", "-S", "leaf,none"]]


@tap.test
def percentage(work):
    """shares of what filters show: of all samples, or of those that match"""
    path = work.record([*CLOCK, "-g"])
    return compare(work.plumb, path, 20, 1,
                   [(keys, [*ALONE, *options], [*ALONE, "-g", "none", *options])
                    for keys in ("sym,dso", "comm,dso,sym") for chosen in FILTERS
                    for options in (chosen, [*chosen, "--percentage", "relative"],
                                    [*chosen, "--percentage", "absolute"])])


@tap.test
def percentage_of_callers(work):
    """likewise with callers: perf shows those whose first sample matches, Plumb all that have one"""
    path, count, wrong = work.record([*CLOCK, "-g"]), 0, []
    keys = "comm,sym,dso"
    (whole,) = perf_rows(path, keys, 2, CHILDREN).values()
    for chosen in FILTERS:
        ours = plumb_rows(work.plumb, path, keys, 2, [*CHILDREN, *chosen]).values()
        ours, theirs = (comparable(rows, True) for (rows,) in (
            ours, perf_rows(path, keys, 2, [*CHILDREN, *chosen]).values()))
        wrong += [f"{chosen}: only plumb has {row}" for row in ours - comparable(whole, True)]
        wrong += [f"{chosen}: only perf has {row}" for row in theirs - ours]
        count += sum(theirs.values())
    if wrong:
        raise AssertionError("\n".join(wrong[:12]))
    if count < 15:
        raise AssertionError(f"perf has only {count} rows")
    return f"{count} rows"


def spe_test(name, words):
    def test(work):
        ways = [(keys, [*ALONE, *itrace], [*ALONE, *itrace])
                for keys in KEYS for itrace in ([], ["--itrace=i1i"], ["--itrace=tM"])]
        return compare(work.plumb, work.spe(words), 500, 1, ways)
    test.__doc__ = f"SPE records {name}"
    tap.test(test)


spe_test("of CPUs, with contexts and all",
         "1 3000 3 contexts switches clock physical collisions code=40")
spe_test("of any version", "5 3000 3 new switches code=100")
spe_test("of threads", "2 2000 2 thread code=50")
spe_test("timeless", "3 2000 2 timeless compact code=50")


def perf_memory(path, keys):
    """Counter of (share of all latency, samples, *keys) of perf mem report, whose event is memory's."""
    done = run_perf(["perf", "mem", "report", "--stdio", "-s", ",".join(keys), "-i", path],
                    capture_output=True)
    done.check_returncode()
    rows, event = Counter(), None
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if EVENT.match(line):
            event = EVENT.match(line)[1]
        elif event == "memory" and line and not line.startswith("#"):
            share, samples, *cells = re.sub(r"\[[.kgHuX]\] ", "", line).split()
            rows[float(share.rstrip("%")), int(samples), *map(function, cells)] += 1
    return rows


def plumb_memory(plumb, path, keys):
    names = {"sym": "symbol", "dso": "dso", "dcacheline": "cache_line"}
    done = subprocess.run([plumb, "report", "--mem", "--json", *perf.options(), "--itrace=M", "-s",
                           ",".join(keys), "-i", path], capture_output=True, check=True)
    (event,) = (event for event in json.loads(done.stdout)["events"] if event["name"] == "memory")
    return Counter((float(f"{row['latency_share']:.2f}"), row["samples"],
                    *(function(row[names[key]]) for key in keys)) for row in event["rows"])


@tap.test
def memory(work):
    """perf mem report's samples and shares of latency, by function, file and cache line"""
    count, wrong = 0, []
    for words in ("1 3000 3 contexts switches clock physical code=40", "2 2000 2 thread code=50",
                  "3 2000 2 timeless compact code=50"):
        path = work.spe(words)
        # perf has several rows for a cache line by itself, one for each process and its mapping.
        for keys in (["sym"], ["dso"], ["sym", "dcacheline"]):
            theirs, ours = perf_memory(path, keys), plumb_memory(work.plumb, path, keys)
            count += sum(theirs.values())
            for who, rows in (("plumb", ours - theirs), ("perf", theirs - ours)):
                wrong += [f"{words}: only {who} has {row}" for row in list(rows)[:3]]
    if wrong:
        raise AssertionError("\n".join(wrong[:12]))
    if count < 3000:
        raise AssertionError(f"perf has only {count} rows")
    return f"{count} rows"


# perf 6.1's names for where data came from, and whether another cache had it, by Plumb's sources.
SOURCES_OF_PERF = {
    None: ("N/A or N/A", "N/A"), "0x3": ("N/A", "N/A"), "L1D": ("L1 or L1 hit", "None"),
    "L2": ("L2 or L2 hit", "None"), "peer core": ("L2 or L2 hit", "N/A"),
    "local cluster": ("L3 or L3 hit", "N/A"), "peer cluster": ("L3 or L3 hit", "N/A"),
    # perf adds what is remote to what has no level, and what a peer had to what nobody is known to have had.
    "system cache": ("L3 or L3 hit", "Hit"), "remote socket": ("N/A or N/A", "N/A"),
    "DRAM": ("Local RAM or RAM hit", "None"),
}


def perf_data_rows(path, key):
    """(share of all latency, samples, cell) of the rows of perf report --mem-mode."""
    done = run_perf(["perf", "report", "--mem-mode", "-n", "--stdio", "-t", "|", "-s", key, "-i", path],
                    capture_output=True)
    done.check_returncode()
    rows, event = [], None
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if EVENT.match(line):
            event = EVENT.match(line)[1]
        elif event == "memory" and line and not line.startswith("#"):
            share, samples, cell = (cell.strip() for cell in line.split("|"))
            # Addresses come with their level, and 0x unless they are 0.
            cell = re.sub(r"^\[.\] (0x)?", "", cell)
            rows.append((float(share.rstrip("%")), int(samples), cell))
    return rows


def plumb_data_rows(plumb, path, key, cell):
    """Likewise of plumb report, whose rows `cell` gives perf's text."""
    done = subprocess.run([plumb, "report", "--mem", "--json", *perf.options(), "--itrace=M", "-s", key,
                           "-i", path], capture_output=True, check=True)
    (event,) = (event for event in json.loads(done.stdout)["events"] if event["name"] == "memory")
    return [(float(f"{row['latency_share']:.2f}"), row["samples"], cell(row)) for row in event["rows"]]


def samples_by_cell(rows):
    """perf has rows of the same text whose values differ."""
    counts = Counter()
    for _, samples, cell in rows:
        counts[cell] += samples
    return counts


def latency_of(row):
    return str(int(row["latency"] or 0))


@tap.test
def data_keys(work):
    """what perf 6.1's keys of data say, and Plumb's keys that say it"""
    if perf.like != "6.1":
        raise Skip("later versions of perf print other columns")
    count, wrong = 0, []
    for words in ("1 3000 3 contexts switches clock physical code=40", "2 2000 2 thread code=50"):
        path = work.spe(words)
        ways = (
            ("local_weight", "local_weight", latency_of),
            # perf multiplies what the samples of a row have in common by their number.
            ("weight", "weight", lambda row: str(int(latency_of(row)) * row["samples"])),
            ("mem", "mem", lambda row: SOURCES_OF_PERF[row["data_source"]][0]),
            ("snoop", "data_source", lambda row: SOURCES_OF_PERF[row["data_source"]][1]),
            *((key, key, operator.itemgetter(key)) for key in ("tlb", "locked", "blocked")),
            ("snoop", "snoop", lambda row: re.sub("(N/A or )?Peer", "N/A", row["snoop"])),
            ("phys_daddr", "phys_daddr", lambda row: f"{int(row['physical_address'] or '0', 16):016x}"),
            # The addresses that the records have are in no file.
            ("dso_daddr", "dso_daddr", lambda row: row["data_dso"] or "[unknown]"),
        )
        for theirs, ours, cell in ways:
            count_rows = Counter if "weight" in theirs else samples_by_cell
            its = count_rows(perf_data_rows(path, theirs))
            mine = count_rows(plumb_data_rows(work.plumb, path, ours, cell))
            wrong += [f"{words}: {theirs}: only {who} has {row}" for who, rows in
                      (("plumb", mine - its), ("perf", its - mine)) for row in list(rows)[:3]]
            count += len(its)
    if wrong:
        raise AssertionError("\n".join(wrong[:12]))
    if count < 2000:
        raise AssertionError(f"perf has only {count} rows")
    return f"{count} rows"


@tap.test
def separated(work):
    """CSV and JSON have the shares that the text has"""
    path = work.spe("7 1000 1 contexts code=10")
    rows = subprocess.run([work.plumb, "report", "--csv", "-s", "sym", "-i", path],
                          capture_output=True, check=True).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(rows)))
    total = sum(int(row["samples"]) for row in rows)
    if total != 1000 or abs(sum(float(row["share"]) for row in rows) - 100) > 1e-6:
        raise AssertionError(f"{total} samples of 1000, in {len(rows)} rows")
    for row in rows:
        if not float(row["low"]) < float(row["share"]) < float(row["high"]):
            raise AssertionError(f"the share is not within its interval: {row}")
    return f"{len(rows)} rows"


def perf_folded(text):
    """{function of the row: Counter of (share, path)} of perf report -g folded."""
    rows, row = {}, None
    for line in text.splitlines():
        heading = re.match(r"\s+[0-9.]+%\s+\[[.k]\] (.*)", line)
        path = re.match(r"([0-9.]+)% (.+)", line)
        if heading:
            row = rows.setdefault(function(heading[1]), Counter())
        elif path and row is not None:
            row[float(path[1]), path[2]] += 1
    return rows


def plumb_folded(text):
    rows, row = {}, None
    for line in text.splitlines():
        path = re.match(r"([0-9.]+)% (.+)", line)
        if not path:
            # The title of a row stands behind an empty line.
            row = None
        elif row is None:
            row = rows.setdefault(function(path[2]), Counter())
        else:
            row[float(path[1]), path[2]] += 1
    return rows


@tap.test
def folded(work):
    """call stacks, folded: those of perf, and the sum of all samples"""
    path, count = work.record([*CLOCK, "-g"]), 0
    for order in ("callee", "caller"):
        theirs = subprocess.run(["perf", "report", "--stdio", "--no-inline", "--no-children", "-s", "sym",
                                 "-g", f"folded,0,{order}", "-i", path], capture_output=True, check=True)
        ours = subprocess.run([work.plumb, "report", *perf.options(), "--no-children", "-s", "sym", "-g",
                               f"folded,0,{order}", "-i", path], capture_output=True, check=True)
        theirs = perf_folded(theirs.stdout.decode())
        ours = plumb_folded(ours.stdout.decode())
        # Stacks with names that perf and plumb choose differently among symbols that overlap, and
        # addresses without one, are left out.
        for name in ("leaf", "other"):
            mine, its = ours.get(name, Counter()), theirs.get(name, Counter())
            plain = [{key: n for key, n in rows.items() if "0x" not in key[1] and "0000" not in key[1]}
                     for rows in (mine, its)]
            if plain[0] != plain[1]:
                raise AssertionError(f"{order} {name}: only plumb {list((mine - its).items())[:3]}, "
                                     f"only perf {list((its - mine).items())[:3]}")
            count += len(plain[0])
    lines = subprocess.run([work.plumb, "report", "--folded", "-i", path], capture_output=True,
                           check=True).stdout.decode().splitlines()
    text = subprocess.run([work.plumb, "report", "-s", "comm", "--json", "-i", path], capture_output=True,
                          check=True).stdout
    total = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
    if total != json.loads(text)["events"][0]["period"]:
        raise AssertionError(f"the stacks' sum is {total}")
    if count < 10:
        raise AssertionError(f"only {count} stacks")
    return f"{count} stacks"


def tree_nodes(text, title):
    """{function of a row: {(level, function): share}} of a call tree; a node without one has 100 %."""
    rows, row = {}, None
    for line in text.splitlines():
        heading = title.match(line)
        node = re.match(r"([ |`-]*?|[ │├└─]*)(?:--)?([0-9.]+)%[- ]+(?:--)?([A-Za-z_].*)$", line)
        if heading:
            row = rows.setdefault(function(heading[1]), Counter())
        elif node and row is not None:
            row[float(node[2]), node[3].strip()] += 1
    return rows


@tap.test
def fractal(work):
    """call trees whose shares are those of the function above, as perf's"""
    path, count = work.record([*CLOCK, "-g"]), 0
    # With --children, perf gives a function with samples of its own both its callers and its callees.
    for order, children, names in (("callee", "--no-children", ("leaf", "other")),
                                   ("caller", "--children", ("main",))):
        options = [children, "-s", "sym", "-g", f"fractal,1,{order}", "-i", path]
        theirs = subprocess.run(["perf", "report", "--stdio", "--no-inline", *options], capture_output=True,
                                check=True).stdout.decode()
        ours = subprocess.run([work.plumb, "report", *perf.options(), *options], capture_output=True,
                              check=True).stdout.decode()
        theirs = tree_nodes(theirs, re.compile(r" +[0-9.]+%.*\[[.k]\] (.*)"))
        ours = tree_nodes(ours, re.compile(r"[0-9.]+% (.*)"))
        for name in names:
            # Only children have no share in perf's trees, nor do those that have all in Plumb's.
            mine, its = ({key: n for key, n in rows[name].items() if key[0] < 100} for rows in (ours, theirs))
            if mine != its:
                raise AssertionError(f"{order} {name}: plumb {mine}, perf {its}")
            count += len(mine)
    if count < 4:
        raise AssertionError(f"only {count} functions")
    return f"{count} shares"


@tap.test
def batches(work):
    """SPE records give the same in batches as one by one"""
    count = 0
    for words in ("1 20000 3 contexts switches clock code=400", "2 9000 2 thread", "3 9000 2 timeless",
                  "4 9000 2 new odd"):
        path = work.spe(words)
        for keys in ("sym", "comm,dso,sym", "ip,pid,tid", "cpu,op", "srcline,group", "symbol_to,latency"):
            both = [subprocess.run([work.plumb, "report", "-i", path, "-s", keys, "--json", *options],
                                   capture_output=True, check=True).stdout
                    # All times pass, but each sample is looked at.
                    for options in ([], ["--time", "0,"])]
            if both[0] != both[1]:
                raise AssertionError(f"{words}: -s {keys}: they differ")
            count += len(both[0])
    return f"{count} bytes"


if perf.absent:
    tap.skip_all(perf.absent)
with tempfile.TemporaryDirectory() as scratch:
    tap.run(Work(sys.argv[1], sys.argv[2], Path(scratch)))
