#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Shows pages of plumb report --html in Debian's Chromium, and compares them with what plumb prints.

    page.py PLUMB PROGRAM_SOURCE
"""
import base64
import gzip
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from page_data import documents_of, split, stacks  # noqa: E402
from page_inputs import Pages  # noqa: E402
from page_read import HOSTILE, TEXT, VIEWS, column, number, quiet, report_of, row_of, rows_of, tap  # noqa: E402
from tap import Skip  # noqa: E402

# Each adds its tests.
import page_compared  # noqa: E402,F401
import page_findings  # noqa: E402,F401
import page_flame  # noqa: E402,F401
import page_people  # noqa: E402,F401
import page_saves  # noqa: E402,F401
import page_time  # noqa: E402,F401

LIMIT = 400 << 10  # bytes of a page without its data
ROWS = 100000


@tap.test
def size(pages):
    """A page is small: everything but its data."""
    with open(pages.page, encoding="utf-8") as file:
        head, data, tail = split(file.read())
    bytes_without = len((head + tail).encode())
    assert 20000 < bytes_without <= LIMIT, bytes_without
    packed = base64.b64decode(data)
    # Without the spaces that people need.
    text = gzip.decompress(packed).decode()
    short = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    assert len(packed) > 1000 and len(text) <= 1.05 * len(short), (len(text), len(short))
    return f"{bytes_without} bytes"


@tap.test
def keys(pages):
    """Every view is reached by its key, says something, and loads and complains about nothing."""
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(pages.page)
    shown = browser.evaluate("[...document.querySelectorAll('nav button')].map((b) => b.dataset.view)")
    assert shown == VIEWS, shown
    seen = set()
    for i, view in enumerate(VIEWS, 1):
        browser.press(str(i))
        browser.wait(f"document.querySelector('[aria-current]').dataset.view === '{view}'")
        text = browser.evaluate(TEXT)
        assert len(text) > 40, f"{view}: {text}"
        assert text not in seen, f"{view} shows what another view shows"
        assert "NaN" not in text and "undefined" not in text, text
        seen.add(text)
    browser.press("?")
    browser.wait("document.getElementById('help').open")
    browser.press("Escape")
    quiet(browser, os.path.basename(pages.page))


@tap.test
def top(pages):
    """What was measured, and by what, stands on top."""
    browser = pages.browser
    browser.open(pages.page)
    text = browser.evaluate("document.querySelector('header').innerText")
    for part in ("paged", "by the model, not a measurement", "samples", "perf.data"):
        assert part in text, text


@tap.test
def same_slots(pages):
    """Functions have the slots, shares and causes of plumb report --topdown."""
    text = pages.run(pages.plumb, "report", "-i", pages.exact, "--topdown", "--stdio")
    want = [re.split(r"  +", line.strip()) for line in text.splitlines()
            if re.match(r" *[0-9.]+%", line)]
    browser = pages.browser
    browser.open(pages.page, "#view=functions", width=1800, height=1000)
    places = [column(browser, title) for title in
              ("Slots", "Retiring", "Bad spec.", "Frontend", "Backend", "Largest cause",
               "Function")]
    rows = rows_of(browser)
    assert len(rows) >= 15 and len(want) >= 15
    for line, row in zip(want, rows[:15]):
        ours = [row[place].replace(" %", "%") for place in places]
        assert ours == line, f"{ours}, plumb report has {line}"
    return f"compared {15 * len(places)} figures"


@tap.test
def same_shares(pages):
    """Functions have the shares and intervals of plumb report."""
    made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json"))
    want = sorted(made["events"][0]["rows"], key=lambda row: -row["share"])
    browser = pages.browser
    browser.open(pages.timed, "#view=functions", width=1800, height=1000)
    share, total, interval, samples, symbol = (
        column(browser, title) for title in
        ("Share", "With callees", "95 % interval", "Samples", "Function"))
    rows = rows_of(browser)
    assert len(rows) > 10
    for row, line in zip(rows[:10], want):
        low, high = line["interval"]
        assert row[share] == f"{line['share']:.2f} %", (row, line)
        assert row[total] == f"{line['children']:.2f} %", (row, line)
        assert row[interval].lstrip("~ ") == f"{low:.2f}–{high:.2f} %", (row, line)
        assert number(row[samples]) == line["samples"], (row, line)
        assert row[symbol] == line["symbol"], (row, line)
    # Each share has its interval; those that overlap are marked in the order of that share only.
    browser.open(pages.timed, "#view=functions&sort=-children", width=1800, height=1000)
    own, callees, symbol = (column(browser, title) for title in
                            ("95 % interval", "95 %, callees", "Function"))
    by_name = {line["symbol"]: line for line in want}
    rows = rows_of(browser)[:10]
    for row in rows:
        low, high = by_name[row[symbol]]["children_interval"]
        assert row[callees].lstrip("~ ") == f"{low:.2f}–{high:.2f} %", row
        assert not row[own].startswith("~"), row
    intervals = [by_name[row[symbol]]["children_interval"] for row in rows]
    for i in range(1, 9):
        near = any(intervals[i][0] <= other[1] and other[0] <= intervals[i][1]
                   for other in (intervals[i - 1], intervals[i + 1]))
        assert rows[i][callees].startswith("~") == near, (rows[i], near)


@tap.test
def saturated(pages):
    """Latencies that counters were too small for have >=, and ties are rounded as C does."""
    documents = stacks(["slow", "fast"], [3, 1])
    percentiles = {"p50": 2.5, "p90": 3796, "p99": 4095, "saturated": 1}
    documents["functions"] = documents["memory"] = report_of("loads", [
        row_of("slow", 75, 3, latency=2190.25, saturated=1, total_latency=percentiles,
               data_source="DRAM"),
        row_of("fast", 25, 1, latency=7.5, saturated=0, data_source="L1D")], saturated=1)
    documents["latencies"] = {"events": [{"name": "loads", "saturated": 1, "total": [
        {"low": 4, "high": 7, "samples": 3}, {"low": 2048, "high": None, "samples": 1}]}]}
    # With several events, types have the events' names.
    documents["functions"]["events"].append({**documents["functions"]["events"][0],
                                             "name": "others", "rows": []})
    data = documents["stacks"]
    data["types"][0].update(name="loads samples", kind="samples")
    data["types"].append({**data["types"][0], "name": "others samples", "total": 5})
    data["rows"]["source"] = ["DRAM", "L1D"]
    data["cells"] = {"row": [0, 1, 0], "type": [0, 0, 1], "value": [3, 1, 5]}
    page = pages.made("saturated.html", documents)
    browser = pages.browser
    browser.open(page, width=1800)
    for view in ("functions", "memory"):
        browser.follow("#view=" + view)
        latency, three = column(browser, "Latency"), column(browser, "p50 / p90 / p99")
        first, second = rows_of(browser)
        assert first[latency] == ">=2190.2" and second[latency] == "7.5", (first, second)
        assert first[three] == "2 / 3796 / >=4095", first
    browser.follow("#view=memory&part=latencies")
    assert "1 record took 4095 cycles or more" in browser.evaluate(TEXT)
    assert browser.evaluate("document.querySelector('#search, #metric') === null")
    # What is chosen by thread is of that thread.
    browser.open(page, "#view=memory&thread=0")
    text = browser.evaluate(TEXT)
    assert "in this thread" in text and re.search(r"DRAM\s+100.00 %\s+3\b", text), text
    browser.open(page, "#view=overview&thread=0")
    assert "the chosen thread does not apply" in browser.evaluate(
        "document.querySelector('#unranged').innerText")


@tap.test
def summed(pages):
    """Findings have each function once, and nothing is said of an unknown source."""
    documents = stacks(["slow", "fast"], [3, 1])
    documents["about"].update(modelled=False, incomplete=True, samples=1)
    documents["functions"] = report_of("cycles", [
        row_of("slow", 40, 2), row_of("fast", 35, 1), row_of("slow", 24.97, 1),
        row_of("small", 0.03, 1)])
    documents["annotations"] = {"basis": None, "event": None, "core": None, "disassembler": None,
                                "functions": [{"symbol": "slow", "file": "a", "weight": 1,
                                               "share": 1, "loops": [], "lines": []}]}
    page = pages.made("summed.html", documents)
    browser = pages.browser
    browser.open(page)
    shown = browser.evaluate("[...document.querySelectorAll('.place')].map((p) =>"
                             " [p.querySelector('.where').innerText, p.querySelector('b').innerText])")
    assert shown == [["slow", "65.0 %"], ["fast", "35.0 %"]], shown
    # Long names lose the arguments of templates; the whole name is the title.
    long = "std::map<int, std::vector<a> >::operator<< <std::pair<int, char> >(int (*)(char))"
    documents["functions"]["events"][0]["rows"][0]["symbol"] = long
    browser.open(pages.made("long.html", documents))
    shown = browser.evaluate("(() => { const name = document.querySelector('.place .name');"
                             " return [name.innerText, name.title]; })()")
    assert shown == ["std::map<…>::operator<< <…>(int (*)(char))", long], shown
    browser.open(page)
    header = browser.evaluate("document.querySelector('header').innerText")
    assert "measured" not in header and "its end is missing" in header, header
    assert "1 sample" in header and "1 samples" not in header, header
    # A function without an annotation opens Source with its message.
    browser.open(page, "#view=functions&search=fast")
    assert browser.evaluate("document.querySelector('.count').innerText") == "1 of 4 rows"
    browser.evaluate("document.querySelector('.tr').click()")
    browser.wait("document.querySelector('[aria-current]').dataset.view === 'source'")
    assert "fast has too small a share" in browser.evaluate(TEXT)
    # Callers say that they do not know a name.
    browser.open(pages.timed, "#view=callers&fn=nothing")
    assert "nothing has no" in browser.evaluate("document.querySelector('.warn').innerText")


@tap.test
def focus(pages):
    """The focus stays on what was used, and digits do nothing while the keys are shown."""
    browser = pages.browser
    focused = ("(() => { const e = document.activeElement;"
               " return e.id || e.dataset.view || e.dataset.key || e.innerText; })()")
    browser.open(pages.page, "#view=functions", width=1800)
    browser.settle()
    browser.evaluate("document.querySelector('[data-key=symbol]').focus()")
    browser.press("Enter")
    browser.wait("location.hash.includes('sort=symbol')")
    browser.settle()
    assert browser.evaluate(focused) == "symbol"
    browser.evaluate("(() => { const e = document.querySelector('#metric'); e.focus();"
                     " e.selectedIndex = 1; e.dispatchEvent(new Event('change')); })()")
    browser.wait("location.hash.includes('metric=')")
    assert browser.evaluate(focused) == "metric"
    browser.evaluate("document.querySelector('nav [data-view=flame]').focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('[aria-current]').dataset.view === 'flame'")
    assert browser.evaluate(focused) == "flame"
    browser.press("?")
    browser.wait("document.getElementById('help').open")
    browser.press("1")
    assert browser.evaluate("document.querySelector('[aria-current]').dataset.view") == "flame"
    browser.press("Escape")
    # On a narrow screen, the current tab is in sight.
    browser.open(pages.page, "#view=timeline", width=360)
    right = browser.evaluate("document.querySelector('[aria-current]').getBoundingClientRect().right")
    assert right <= 360, right


@tap.test
def ranges(pages):
    """A range of time gives the shares that plumb report --time gives."""
    data = documents_of(pages.timed)["stacks"]["moments"]
    length = sum(data["step"])
    first, last = length // 4, length * 3 // 5
    begin, end = data["start"] + first, data["start"] + last
    made = json.loads(pages.run(
        pages.plumb, "report", "-i", pages.sampled, "--json", "--time",
        f"{begin // 10**9}.{begin % 10**9:09},{end // 10**9}.{end % 10**9:09}"))
    want = {}
    for row in made["events"][0]["rows"]:
        want[row["symbol"]] = want.get(row["symbol"], 0) + row["period"]
    browser = pages.browser
    browser.open(pages.timed, f"#view=functions&from={first}&to={last}", width=1800, height=1000)
    assert "to" in browser.evaluate("document.querySelector('.chip').innerText")
    value = column(browser, browser.evaluate(
        "document.querySelector('#metric')?.selectedOptions[0].text ?? 'cycles'"))
    symbol = column(browser, "Function")
    ours = {row[symbol]: number(row[value]) for row in rows_of(browser) if number(row[value])}
    assert len(ours) >= 2, ours
    whole = documents_of(pages.timed)["stacks"]["types"][0]["total"]
    assert sum(want.values()) < whole, "the range has everything"
    for name, period in ours.items():
        assert period == want.get(name), f"{name}: {period}, plumb report has {want.get(name)}"
    # A view that a range does not change says so.
    browser.open(pages.page, f"#view=tree&from={first}&to={last}")
    assert "whole recording" in browser.evaluate("document.querySelector('#unranged').innerText")
    browser.open(pages.page, "#view=tree")
    assert browser.evaluate("document.querySelector('#unranged') === null")
    # What was counted exactly has no times, and says so.
    browser.open(pages.page, f"#view=functions&metric=slots&from={first}&to={last}")
    assert "has no times" in browser.evaluate("document.querySelector('#timeless').innerText")
    assert not rows_of(browser)
    # The same by keys, in the timeline.
    browser.open(pages.timed, "#view=timeline")
    browser.evaluate("document.querySelector('.time').focus()")
    browser.press("ArrowRight")
    browser.wait("location.hash.includes('from=')")
    browser.press("Escape")
    browser.wait("!location.hash.includes('from=')")


def part_of(path, share_from, share_to):
    """Returns a part of a recording: its ends after the first sample, and for --time."""
    moments = documents_of(path)["stacks"]["moments"]
    length = sum(moments["step"])
    first, last = int(length * share_from), int(length * share_to)
    return first, last, ",".join(f"{(moments['start'] + at) // 10**9}."
                                 f"{(moments['start'] + at) % 10**9:09}" for at in (first, last))


@tap.test
def ranged_memory(pages):
    """Tables, latencies and shared lines of a range are those of plumb report --time."""
    first, last, when = part_of(pages.spe_page, 0.1, 0.9)
    browser = pages.browser

    def report(*options):
        return json.loads(pages.run(pages.plumb, "report", "-i", pages.spe, "--time", when,
                                    "--json", *options))

    compared = 0
    for part, keys, options in (
            ("sources", ("Data source", "Function"), ("--mem",)),
            ("pages", ("Page", "Function"), ("--mem", "--no-children", "-s", "page,symbol")),
            ("branches", ("ip", "Function"), ("--branch",)),
            ("mix", ("op", "subclass"), ("--mix",))):
        browser.open(pages.spe_page, f"#view=memory&part={part}&from={first}&to={last}", width=2400,
                     height=1400)
        titles = [column(browser, "Address" if key == "ip" else key)
                  for key in (*keys, "Samples", "Latency" if part == "mix" else "Samples")]
        ours = {(row[titles[0]], row[titles[1]]): (number(row[titles[2]]), row[titles[3]])
                for row in rows_of(browser)}
        names = {"Data source": "data_source", "Function": "symbol", "Page": "page"}
        want = {}
        for row in report(*options)["events"][0]["rows"]:
            texts = tuple(row[names.get(key, key)] or
                          ("(none given)" if key == "Data source" else "(unknown)") for key in keys)
            want[texts] = (row["samples"], f"{row['latency']:.1f}" if part == "mix"
                           else f"{row['samples']:,}")
        assert len(want) >= 3 and ours == want, (part, ours, want)
        whole = json.loads(pages.run(pages.plumb, "report", "-i", pages.spe, "--json", *options))
        assert sum(w[0] for w in want.values()) < whole["events"][0]["samples"], part
        compared += len(want)
    browser.open(pages.spe_page, f"#view=memory&part=latencies&from={first}&to={last}")
    ours = browser.evaluate(
        "[...document.querySelector('.histogram').querySelectorAll('tr')].map((row) =>"
        " [row.cells[0].innerText, row.cells[2].innerText])")
    want = [[str(b["low"]) if b["low"] == b["high"] else f"{b['low']:,}–{b['high']:,}",
             f"{b['samples']:,}"] for b in report("--latency-histogram")["events"][0]["total"]]
    while want[0][1] == "0":
        want.pop(0)
    while want[-1][1] == "0":
        want.pop()
    assert ours == want, (ours, want)
    want = report("--sharing")["accesses"]
    browser.open(pages.spe_page, f"#view=memory&part=lines&from={first}&to={last}", width=2400)
    ours = browser.evaluate("[...document.querySelectorAll('tbody tr')].map((row) =>"
                            " [...row.cells].map((cell) => cell.innerText.replace(/,/g, '')))")
    titles = browser.evaluate("[...document.querySelectorAll('thead th')].map((c) => c.innerText)")
    assert len(want) >= 2, want
    assert sorted(ours) == sorted([str(access[title.replace(" ", "_")] or "") for title in titles]
                                  for access in want), (titles, ours, want)
    return f"compared {compared + len(ours)} rows"


@tap.test
def ranged_source(pages):
    """Source has the samples of each instruction in a range, as plumb report --time has them."""
    browser = pages.browser
    for page, recording in ((pages.spe_page, pages.spe), (pages.timed, pages.sampled)):
        first, last, when = part_of(page, 0.2, 0.6)
        made = json.loads(pages.run(pages.plumb, "report", "-i", recording, "--time", when,
                                    "--json", "--no-children", "-s", "symbol,ip"))
        rows = made["events"][0]["rows"]
        function = max({row["symbol"] for row in rows},
                       key=lambda name: sum(r["period"] for r in rows if r["symbol"] == name))
        want = {row["ip"]: row["samples"] for row in rows if row["symbol"] == function}
        browser.open(page, f"#view=source&code=address&fn={function}&from={first}&to={last}")
        ours = browser.evaluate(
            "Object.fromEntries([...document.querySelectorAll('.asm')].map((row) => [row.querySelector("
            "'.address').innerText, /([0-9,]+) samples?/.exec(row.innerText)?.[1] ?? '0']))")
        # The address in this file is that in memory.
        assert {a: number(n) for a, n in ours.items() if n != "0"} == want, (function, ours, want)
        assert browser.evaluate("document.querySelector('#unranged') === null")
        assert "in the chosen range" in browser.evaluate(TEXT)


@tap.test
def intervals(pages):
    """Counts of intervals are in the timeline, and a range of them adds up in the tree."""
    lines = []
    cycles = [500, 1500, 1000]
    bound = [10.0, 70.0, 40.0]
    below = [50.0, 30.0, 20.0]
    for i in range(3):
        metrics = [{"name": "backend_bound", "title": "Backend Bound", "group": "Topdown_L1",
                    "stage": 1, "level": 1, "parent": None, "value": bound[i],
                    "units": "percent of slots"},
                   {"name": "backend_core_bound", "title": "Core", "group": "Topdown_L2", "stage": 1,
                    "level": 2, "parent": "backend_bound", "value": below[i],
                    "units": "percent of stalls"},
                   # A name that every object of the page's language has.
                   {"name": "odd", "title": "Odd", "group": "Odd", "stage": 9, "level": 5,
                    "parent": "toString", "value": 1.0, "units": "MPKI"}]
        lines.append({"time": (i + 1) / 1000, "summary": False, "cpu": {"name": "N3"},
                      "source": "perf", "metrics": metrics,
                      "events": [{"name": "CPU_CYCLES", "count": cycles[i]},
                                 {"name": HOSTILE[0], "count": None if i else 5}]})
    lines.append({**lines[2], "time": 0.004, "summary": True})
    counts = pages.path("intervals.json")
    with open(counts, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    page = pages.path("intervals.html")
    pages.run(pages.plumb, "report", "-i", pages.spe, "--html", page, "--intervals", counts)
    browser = pages.browser
    browser.messages, browser.requests = [], []
    # The middles of the last two intervals are in the range.
    browser.open(page, "#view=tree&from=1200000&to=2600000")
    nodes = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.tree .node')]"
                             ".map((n) => [n.querySelector('code').textContent,"
                             " n.querySelector('b').textContent]))")
    mean = (1500 * 70 + 1000 * 40) / 2500
    core = (1500 * 70 * 30 + 1000 * 40 * 20) / (1500 * 70 + 1000 * 40)
    assert nodes == {"backend_bound": f"{mean:.1f} %", "backend_core_bound": f"{core:.1f} %"}, nodes
    assert "2 intervals" in browser.evaluate("document.querySelector('#means').innerText")
    browser.open(page, "#view=timeline&from=1200000&to=2600000")
    text = browser.evaluate("document.querySelector('#intervals').innerText")
    assert "2 of 3 intervals" in text and "2.50 k" in text and f"{mean:.1f} %" in text, text
    # Below it are round times, where they belong; beside it, what its height stands for.
    ticks = browser.evaluate("[...document.querySelectorAll('#intervals .ticks span')].map((t) =>"
                             " [t.innerText, parseFloat(t.style.left)])")
    assert [text for text, _ in ticks][:3] == ["0", "0.5 ms", "1 ms"], ticks
    assert abs(ticks[2][1] - 100 / 3) < 0.1, ticks
    assert "100 percent of slots" in browser.evaluate(
        "document.querySelector('#intervals .marks').innerText")
    heights = "[...document.querySelectorAll('#intervals rect')].map((r) => r.height.baseVal.value)"
    high = browser.evaluate(heights)
    assert [round(h / high[1], 3) for h in high] == [round(b / 70, 3) for b in bound], high
    browser.open(page, "#view=timeline&part=event:CPU_CYCLES")
    high = browser.evaluate(heights)
    assert [round(h / high[1], 3) for h in high] == [round(c / 1500, 3) for c in cycles], high
    assert HOSTILE[0] in browser.evaluate("document.querySelector('#interval').innerText")
    browser.evaluate("document.querySelector('#intervals .time').focus()")
    browser.press("ArrowRight")
    browser.wait("location.hash.includes('from=')")
    quiet(browser, "intervals.html")
    # What plumb stat itself prints.
    pages.run(pages.plumb, "report", "-i", pages.spe, "--html", page, "--intervals", pages.counts)
    with open(pages.counts, encoding="utf-8") as file:
        made = [json.loads(line) for line in file]
    made = [line for line in made if not line["summary"]]
    ours = documents_of(page)["intervals"]
    assert made and ours["times"] == [line["time"] for line in made]
    for event in made[0]["events"]:
        assert ours["events"][event["name"]][0] == event["count"], event
    assert documents_of(pages.explored_intervals)["intervals"] == ours
    for wrong, why in ((pages.exact, "stat -I MS --json -o FILE writes intervals"), ("/nonexistent", "cannot read")):
        done = subprocess.run([pages.plumb, "report", "-i", pages.spe, "--html", page, "--intervals",
                               wrong], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and why in done.stderr, done


@tap.test
def flame_graph(pages):
    """The flame graph has the callers' shares, and is in the order of time as well."""
    made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json"))
    want = {row["symbol"]: row["children"] for row in made["events"][0]["rows"]}
    browser = pages.browser
    browser.open(pages.timed, "#view=flame", width=1800)
    boxes = browser.evaluate("[...document.querySelectorAll('.box')].map((box) =>"
                             " [box.innerText, parseFloat(box.style.width)])")
    # A function that is called by several has a box below each.
    same = {name for name, width in boxes if name and abs(width - want.get(name, -1)) < 0.01}
    assert "_start" in same and len(same) >= 3, boxes
    browser.evaluate("[...document.querySelectorAll('button')].find((b) =>"
                     " b.innerText === 'By time').click()")
    browser.wait("location.hash.includes('order=time')")
    ordered = browser.evaluate("[...document.querySelectorAll('.box')].map((box) =>"
                               " [box.innerText, parseFloat(box.style.left)])")
    left = {name.split(".")[0]: left for name, left in reversed(ordered) if name}
    assert left["_start"] < left["chase"] < left["branches"], left
    browser.evaluate("document.querySelector('.flame').focus()")
    browser.press("ArrowDown")
    browser.press("Enter")
    browser.wait("location.hash.includes('zoom=')")


@tap.test
def colours(pages):
    """The flame graph has the colours that the data allows: the event that a path has most of."""
    documents = stacks(["misses", "branches", "neither", "few"], [5000, 4000, 900, 100])
    data = documents["stacks"]
    data["types"] = [{"name": name, "unit": "count", "kind": "period", "main": True, "exact": False,
                      "slots": None, "total": total}
                     for name, total in (("cycles", 10000), ("L1D", 200), ("BR", 100))]
    # Of the L1D misses, "misses" has far more than its half; "few" has more by chance only.
    data["cells"] = {"row": [0, 1, 2, 3, 0, 1, 2, 3, 1], "type": [0, 0, 0, 0, 1, 1, 1, 1, 2],
                     "value": [5000, 4000, 900, 100, 180, 0, 16, 4, 100]}
    del data["moments"]
    browser = pages.browser
    browser.open(pages.made("colours.html", documents), "#view=flame", width=1800)
    kinds = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.box')].map((box) =>"
                             " [box.innerText, box.className]))")
    titles = browser.evaluate("[...document.querySelectorAll('.flameview .legend > span')]"
                              ".map((s) => [s.querySelector('i').className, s.innerText])")
    titles = {text: kind for kind, text in titles}
    assert titles["L1D"] in kinds["misses"] and titles["BR"] in kinds["branches"], (titles, kinds)
    assert all(titles["None stands out"] in kinds[n] for n in ("neither", "few") if n in kinds), kinds
    ways = browser.evaluate("[...document.querySelector('#colour').options].map((o) => o.value)")
    assert ways == ["event", "function", "code"], ways
    browser.open(pages.page, "#view=flame")
    ways = browser.evaluate("[...document.querySelector('#colour').options].map((o) => o.value)")
    assert ways == ["cause", "function", "code"], ways
    browser.open(pages.spe_page, "#view=flame&colour=event", width=1800)
    kinds = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.box')].map((box) =>"
                             " [box.innerText, box.ariaLabel]))")
    assert "l1d-miss" in kinds["chase.constprop.0"], kinds


@tap.test
def source_lines(pages):
    """Source has the lines and the shares of plumb annotate."""
    made = json.loads(pages.run(pages.plumb, "annotate", "-i", pages.exact, "--json"))
    function = made["functions"][0]
    line = function["lines"][0]
    browser = pages.browser
    browser.open(pages.page, "#view=source", width=1800)
    hot = browser.evaluate("[...document.querySelectorAll('.line.hot > summary')].map((l) =>"
                           " [...l.children].map((c) => c.innerText))")
    shares = {int(cells[2]): cells[0] for cells in hot}
    same = sum(other["share"] for other in function["lines"]
               if (other["file"], other["line"]) == (line["file"], line["line"]))
    assert shares[line["line"]] == f"{same:.2f} %", (shares, line)
    texts = " ".join(cells[3] for cells in hot)
    assert "node->next" in texts or "node->pad" in texts, texts
    heaviest = max(line["instructions"], key=lambda i: i["share"])
    text = browser.evaluate(TEXT)
    assert heaviest["address"] in text, text
    # Its words have colours, and are the file's.
    with open(line["file"], encoding="utf-8") as file:
        want = file.read().expandtabs(1).replace(" ", "").split("\n")
    shown = browser.evaluate("[...document.querySelectorAll('.line')].map((l) =>"
                             " [l.querySelector('.number').innerText,"
                             " l.querySelector('code.text').textContent])")
    numbered = [(int(n), text) for n, text in shown if n]
    assert len(numbered) > 8
    for n, text in numbered:
        assert text.replace(" ", "") == want[n - 1], (n, text, want[n - 1])
    assert browser.evaluate("[...document.querySelectorAll('.y-word')].some((w) => w.innerText ==="
                            " 'for' || w.innerText === 'while' || w.innerText === 'return')")
    # A function of many lines has buttons for the hottest, in files of which the one with most is first.
    documents = documents_of(pages.page)
    of = documents["annotations"]["functions"][0]
    like = {**line, "instructions": [], "interval": None}
    of["lines"] = [{**like, "file": f"/a/{n % 2}.h", "line": 10 * n, "share": 40 if n == 7 else n / 2}
                   for n in range(1, 12)]
    browser.open(pages.made("many.html", documents), "#view=source", width=1800)
    assert browser.evaluate("document.querySelector('.hottest').innerText") == (
        "Hottest 1.h:70 40.0 % · 1.h:110 5.5 % · 0.h:100 5.0 %")
    assert browser.evaluate("[...document.querySelectorAll('.code h3')].map((h) => h.innerText)") == [
        "/a/1.h 54.5 %", "/a/0.h 15.0 %"]
    browser.evaluate("(() => { const to = document.querySelector('[data-line=\"line 70 /a/1.h\"]');"
                     " to.scrollIntoView = () => { window.led = to.innerText; };"
                     " document.querySelector('.hottest button').click(); })()")
    assert "70" in browser.evaluate("window.led")
    # Intervals stand beside the code.
    browser.open(pages.timed, "#view=source")
    over = browser.evaluate("[...document.querySelectorAll('.line > summary')].filter((line) => {"
                            " const at = (name) => line.querySelector(name).getBoundingClientRect();"
                            " return at('small').right > at('.number').left"
                            " || at('.number').right > at('code').left; }).length")
    assert over == 0 and "–" in browser.evaluate(TEXT), over
    browser.open(pages.page, "#view=source", width=1800)
    browser.evaluate("[...document.querySelectorAll('button')].find((b) =>"
                     " b.innerText === 'By address').click()")
    browser.wait("document.querySelectorAll('.asm').length >= 8")


@tap.test
def links(pages):
    """A link leads to the same view, function, order and search."""
    browser = pages.browser
    browser.open(pages.page, "#view=functions")
    browser.press("/")
    browser.wait("document.activeElement.id === 'search'")
    for letter in "chase":
        browser.press(letter)
    browser.wait("document.querySelector('.count').innerText.startsWith('1 of')")
    browser.evaluate("document.querySelectorAll('.thead button')[1].click()")
    browser.wait("location.hash.includes('sort=')")
    browser.settle()
    text, state = browser.evaluate(TEXT), browser.evaluate("location.hash")
    browser.open(pages.page, state)
    browser.settle()
    again = browser.evaluate(TEXT)
    assert again == text, (again, text)
    browser.evaluate("document.querySelector('.table').focus()")
    browser.press("ArrowDown")
    browser.press("Enter")
    browser.wait("location.hash.includes('view=source')")
    assert "chase" in browser.evaluate(TEXT)


@tap.test
def many_rows(pages):
    """A hundred thousand functions can be sorted and searched."""
    names = [f"function_{i * 7919 % ROWS}" for i in range(ROWS)]
    values = [1 + i * 31 % ROWS for i in range(ROWS)]
    page = pages.made("many.html", stacks(names, values))
    browser = pages.browser
    browser.open(page, "#view=functions", width=1800)
    symbol = column(browser, "Function")
    by_value = sorted(range(ROWS), key=lambda i: -values[i])
    assert [row[symbol] for row in rows_of(browser)][:5] == [names[i] for i in by_value[:5]]
    assert browser.evaluate("document.querySelectorAll('.tr').length") < 200
    browser.press("/")
    for letter in "_9999":
        browser.press(letter)
    want = [i for i in by_value if "_9999" in names[i]]
    browser.wait(f"document.querySelector('.count').innerText === '{len(want)} of 100,000 rows'")
    assert [row[symbol] for row in rows_of(browser)] == [names[i] for i in want]
    browser.press("Escape")
    browser.wait("document.querySelector('.count').innerText === '100,000 rows'")
    browser.evaluate(f"document.querySelectorAll('.thead button')[{symbol}].click()")
    browser.wait("location.hash.includes('sort=symbol')")
    assert [row[symbol] for row in rows_of(browser)][:5] == sorted(names)[:5]
    # What was found stays found in another order, and in a longer search after that.
    browser.press("/")
    for letter in "_9999":
        browser.press(letter)
    browser.wait(f"document.querySelector('.count').innerText === '{len(want)} of 100,000 rows'")
    browser.evaluate(f"document.querySelectorAll('.thead button')[{symbol}].click()")
    browser.wait("location.hash.includes('sort=-symbol')")
    assert [row[symbol] for row in rows_of(browser)] == sorted((names[i] for i in want), reverse=True)
    browser.press("7")
    browser.wait("document.querySelector('.count').innerText === '1 of 100,000 rows'")
    assert [row[symbol] for row in rows_of(browser)] == ["function_99997"]


@tap.test
def damaged(pages):
    """A page with damaged data says so."""
    with open(pages.page, encoding="utf-8") as file:
        head, data, tail = split(file.read())
    with open(pages.path("damaged.html"), "w", encoding="utf-8") as file:
        file.write(head + data[:len(data) // 2 // 4 * 4] + tail)
    browser = pages.browser
    browser.call("Page.navigate", url="file://" + pages.path("damaged.html"))
    browser.wait("(document.body?.innerText ?? '').includes('This page cannot be shown')")
    browser.messages = []


def main():
    plumb, source = sys.argv[1:]
    pages = None
    try:
        pages = Pages(plumb, source)
    except Skip as why:
        tap.skip_all(str(why))
    tap.recover = Pages.recover
    try:
        tap.run(pages)
    finally:
        if pages:
            pages.close()


main()
