#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""viewers.py FORMAT EXPORTED PLUMB RECORDING: reads what plumb export wrote for another viewer, and
compares it with plumb report and plumb script, to the sample: the periods of each function alone,
of each function with what it called, of inlined functions, and what records say beyond that.
FORMAT is folded, speedscope, firefox, pprof, or raw: what go tool pprof -raw prints.

viewers.py --names FORMAT EXPORTED: prints the names of all frames as JSON."""
import collections
import gzip
import json
import re
import subprocess
import sys

# A value of a sample. `stack` has (function, whether it is inlined), the outermost first.
Sample = collections.namedtuple("Sample", "type stack value labels")
INLINED = " (inlined)"


def check(true, *what):
    if not true:
        sys.exit("viewers.py: " + " ".join(str(word) for word in what))


def frame(name):
    """Of formats that tell inlined functions by their names."""
    return (name.removesuffix(INLINED), True) if name.endswith(INLINED) else (name, False)


# ---- Formats -----------------------------------------------------------------------------------


def read_folded(path, types):
    """`types`: the events' names; one alone is not part of the lines."""
    for line in open(path, encoding="utf-8"):
        names, value = line.rstrip("\n").rsplit(" ", 1)
        words = names.split(";")
        kind = words.pop(0) if len(types) > 1 else types[0]
        yield Sample(kind, [frame(name) for name in words[1:]], int(value), {"thread": words[0]})


def read_speedscope(path):
    file = json.load(open(path, encoding="utf-8"))
    frames = file["shared"]["frames"]
    check(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
    for profile in file["profiles"]:
        check(profile["type"] == "sampled" and profile["unit"] == "none", "type", profile["type"])
        check(len(profile["samples"]) == len(profile["weights"]), "samples without weights")
        check(sum(profile["weights"]) == profile["endValue"] - profile["startValue"], "end")
        for sample, weight in zip(profile["samples"], profile["weights"]):
            names = [frames[i]["name"] for i in sample]
            yield Sample(profile["name"], [frame(name) for name in names[1:]], weight,
                         {"thread": names[0]})


def check_table(table, ranges):
    """All columns have the table's length, and indexes are of the tables that they lead to."""
    for name, column in table.items():
        if name != "length" and isinstance(column, list):
            check(len(column) == table["length"], name, len(column), table["length"])
    for name, count in ranges.items():
        for value in table[name]:
            check(value is None or value == -1 or 0 <= value < count, name, value, count)


def check_firefox(file, thread):
    strings = len(file["shared"]["stringArray"])
    stacks, frames, funcs = thread["stackTable"], thread["frameTable"], thread["funcTable"]
    resources, symbols, samples = (thread[name] for name in ("resourceTable", "nativeSymbols",
                                                             "samples"))
    check_table(samples, {"stack": stacks["length"]})
    check_table(stacks, {"frame": frames["length"]})
    check_table(frames, {"func": funcs["length"], "nativeSymbol": symbols["length"],
                         "category": len(file["meta"]["categories"])})
    check_table(funcs, {"name": strings, "resource": resources["length"],
                        "source": file["shared"]["sources"]["length"]})
    check_table(resources, {"lib": len(file["libs"]), "name": strings})
    check_table(symbols, {"libIndex": len(file["libs"]), "name": strings})
    check_table(thread["markers"], {})
    for i, prefix in enumerate(stacks["prefix"]):
        check(prefix is None or prefix < i, "prefix", i, prefix)
    for i, category in enumerate(frames["category"]):
        of = file["meta"]["categories"][category]
        check(frames["subcategory"][i] < len(of["subcategories"]), "subcategory")
    check(samples["time"] == sorted(samples["time"]), "times go back")


def read_firefox(path):
    file = json.load(open(path, encoding="utf-8"))
    strings, categories = file["shared"]["stringArray"], file["meta"]["categories"]
    check_table(file["shared"]["sources"], {"filename": len(strings)})
    tids = [thread["tid"] for thread in file["threads"]]
    check(len(set(tids)) == len(tids), "threads with the same number")
    for thread in file["threads"]:
        check_firefox(file, thread)
        stacks, frames, funcs = (thread[name] for name in ("stackTable", "frameTable",
                                                           "funcTable"))
        kind = thread["name"][len(thread["processName"]) + 2:-1]
        for at, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            own, stack = stacks["frame"][at], []
            while at is not None:
                f = stacks["frame"][at]
                stack.insert(0, (strings[funcs["name"][frames["func"][f]]],
                                 frames["inlineDepth"][f] > 0))
                at = stacks["prefix"][at]
            name = kind
            if kind == "slots":
                of = categories[frames["category"][own]]
                name = of["subcategories"][frames["subcategory"][own]]
            yield Sample(name, stack, weight, {
                "thread": thread["processName"], "pid": thread["pid"],
                "tid": thread["tid"].split(":")[0]})


def fields(message):
    """The fields of a message of Protocol Buffers."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            check(key & 7 == 2, "wire type", key & 7)
            size = varint()
            check(at + size <= len(message), "length")
            yield key >> 3, message[at:at + size]
            at += size


def packed(data):
    """The values of a packed list: each as a field without a key."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def read_pprof(path):
    profile = collections.defaultdict(list)
    for field, value in fields(gzip.open(path).read()):
        profile[field].append(value)
    strings = [text.decode("utf-8") for text in profile[6]]
    check(strings[0] == "", "the first string is not empty")
    names = {}
    for function in profile[5]:
        of = dict(fields(function))
        names[of[1]] = strings[of.get(2, 0)]
    mappings = {}
    for mapping in profile[3]:
        of = dict(fields(mapping))
        mappings[of[1]] = (of.get(2, 0), of.get(3, 0))
    locations = {}
    for location in profile[4]:
        of = dict(fields(location))
        lines = [names[dict(fields(value))[1]] for field, value in fields(location) if field == 4]
        locations[of[1]] = [(name, i < len(lines) - 1) for i, name in enumerate(lines)][::-1]
        if of.get(2):
            low, high = mappings[of[2]]
            check(low <= of.get(3, 0) <= high, "address outside its mapping")
    types = [strings[dict(fields(value))[1]] for value in profile[1]]
    for sample in profile[2]:
        labels, stack = {}, []
        for field, value in fields(sample):
            if field == 1:
                for location in packed(value):
                    stack[:0] = locations[location]
            elif field == 2:
                values = list(packed(value))
            else:
                of = dict(fields(value))
                labels[strings[of[1]]] = strings[of[2]]
        check(len(values) == len(types), "values")
        for kind, value in zip(types, values):
            if value:
                yield Sample(kind, stack, value, labels)


def read_raw(path):
    section, types, values, samples, locations, last = None, [], [], [], {}, None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line in ("Samples:", "Locations", "Mappings"):
            section = line
        elif section == "Samples:" and not types:
            types = [word.removesuffix("[dflt]").rsplit("/", 1)[0]
                     for word in re.split(r" (?=[^ ]*(?: samples)?/)", line)]
        elif section == "Samples:" and (found := re.match(r"^ *(\d[\d ]*): ([\d ]+)$", line)):
            values = [int(word) for word in found[1].split()]
            samples.append((values, [int(word) for word in found[2].split()], {}))
        elif section == "Samples:":
            for key, value in re.findall(r"(\w+):\[([^\]]*)\]", line):
                samples[-1][2][key] = value
        elif section == "Locations":
            found = re.match(r"^ *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*)$", line)
            last = int(found[1]) if found else last
            text = found[2] if found else line.strip()
            name = re.sub(r" \S*:\d+(?::\d+)? s=\d+$", "", text)
            locations.setdefault(last, []).append(name)
    for values, path_ids, labels in samples:
        stack = []
        for location in path_ids:
            lines = locations[location]
            stack[:0] = [(name, i < len(lines) - 1) for i, name in enumerate(lines)][::-1]
        for kind, value in zip(types, values):
            if value:
                yield Sample(kind, stack, value, labels)


# ---- What it must be ---------------------------------------------------------------------------


def plumb_json(plumb, *arguments):
    return subprocess.run([plumb, *arguments], check=True, stdout=subprocess.PIPE).stdout


def report(plumb, recording, key, *options):
    return json.loads(plumb_json(plumb, "report", "--json", "-i", recording, "-s", key,
                                 *options))["events"]


def short(event):
    return re.sub(r"^exact/(.*)/$", r"\1", event["name"])


def main_types(events):
    """The names of the main values; of events with the same name, the second is name#2."""
    times = collections.Counter()
    for event in events:
        name = "samples" if event["spe"] else short(event)
        times[name] += 1
        yield f"{name}#{times[name]}" if times[name] > 1 else name


def sums(rows, key, member):
    total = collections.Counter()
    for row in rows:
        total[row[key]] += row[member]
    return +total


def compare(what, kind, ours, theirs):
    for name in sorted(set(ours) | set(theirs)):
        check(ours[name] == theirs[name], f"{kind}, {what}, {name!r}: exported {ours[name]}, "
              f"expected {theirs[name]}")


def outer(stack):
    return [name for name, inlined in stack if not inlined]


def compare_events(samples, plumb, recording):
    """The sums by function, with and without inlining and callers."""
    by_symbol = report(plumb, recording, "symbol", "--no-children")
    by_inline = report(plumb, recording, "inline", "--no-children")
    with_callers = report(plumb, recording, "symbol", "--children")
    by_comm = report(plumb, recording, "comm", "--no-children")
    by_type = collections.defaultdict(list)
    for sample in samples:
        by_type[sample.type].append(sample)
    for event, kind, inline, callers, comm in zip(by_symbol, main_types(by_symbol), by_inline,
                                                  with_callers, by_comm):
        check(event["given_up"] == 0, "the report gave up rows")
        own, inner, threads, within = (collections.Counter() for _ in range(4))
        for sample in by_type[kind]:
            own[outer(sample.stack)[-1]] += sample.value
            name, inlined = sample.stack[-1]
            inner[name + INLINED * inlined] += sample.value
            threads[sample.labels["thread"]] += sample.value
            for name in set(outer(sample.stack)):
                within[name] += sample.value
        check(sum(own.values()) == event["period"], kind, "total")
        compare("alone", kind, +own, sums(event["rows"], "symbol", "period"))
        compare("inlined", kind, +inner, sums(inline["rows"], "inline", "period"))
        compare("threads", kind, +threads, sums(comm["rows"], "comm", "period"))
        names = collections.Counter(row["symbol"] for row in callers["rows"])
        once = [row for row in callers["rows"] if names[row["symbol"]] == 1]
        compare("with callees", kind, collections.Counter(
            {name: within[name] for name in within if names[name] == 1 and within[name]}),
                sums(once, "symbol", "children_period"))
        if not event["exact"] and not event["spe"] and by_type["samples"]:
            counts = collections.Counter()
            for sample in by_type["samples"]:
                counts[outer(sample.stack)[-1]] += sample.value
            compare("alone", "samples", +counts, sums(event["rows"], "symbol", "samples"))


EVENTS = {"l1d-miss": "L1D-REFILL", "llc-miss": "LLC-REFILL", "tlb-miss": "TLB-REFILL",
          "branch-miss": "MISPRED"}


def compare_records(samples, plumb, recording, labels):
    """Sums over SPE records by function, thread, CPU and source of data, as far as a format has
    them."""
    expected = collections.defaultdict(collections.Counter)
    for line in plumb_json(plumb, "script", "-i", recording, "--itrace=i1i",
                           "--json").splitlines():
        record = json.loads(line)
        symbol = record["symbol"]
        key = tuple(str(record[name]) for name in labels)
        if record["total_latency"]:
            expected["latency"][(symbol, key)] += record["total_latency"]
        expected["samples"][(symbol, key)] += 1
        for kind, event in EVENTS.items():
            if event in record["events"]:
                expected[kind][(symbol, key)] += 1
    check(sum(expected["latency"].values()) > 0, "no latencies")
    check(sum(expected["l1d-miss"].values()) > 0, "no misses")
    known = {name for sums_of in expected.values() for name, _ in sums_of}
    found = collections.defaultdict(collections.Counter)
    for sample in samples:
        symbol = outer(sample.stack)[-1]
        key = tuple(sample.labels.get(name, "None") for name in labels)
        if sample.value and symbol in known:
            found[sample.type][(symbol, key)] += sample.value
    for kind in ("samples", "latency", *EVENTS):
        compare(labels, kind, found[kind],
                collections.Counter({k: v for k, v in expected[kind].items() if k[0]}))


READERS = {"speedscope": read_speedscope, "firefox": read_firefox, "pprof": read_pprof,
           "raw": read_raw}


def main():
    if sys.argv[1] == "--names":
        kind, exported = sys.argv[2:]
        found = read_folded(exported, ["x"]) if kind == "folded" else READERS[kind](exported)
        print(json.dumps([[[name for name, _ in s.stack], s.labels] for s in found if s.value]))
        return
    kind, exported, plumb, recording = sys.argv[1:]
    events = report(plumb, recording, "symbol", "--no-children")
    samples = list(read_folded(exported, list(main_types(events)))
                   if kind == "folded" else READERS[kind](exported))
    compare_events(samples, plumb, recording)
    if events[0]["spe"] and kind != "folded":
        compare_records(samples, plumb, recording,
                        {"pprof": ["pid", "tid", "cpu", "data_source"],
                         "raw": ["pid", "tid", "cpu", "data_source"],
                         "firefox": ["pid", "tid"], "speedscope": []}[kind])
    print(f"{len(events)} events, {len(samples)} values")


main()
