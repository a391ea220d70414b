# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: the timeline, its tracks, and the part of the time that it shows."""
import json
import re

from page_data import documents_of, stacks
from page_read import HOSTILE, column, number, quiet, rows_of, tap

SHOWN = ("[...new URLSearchParams(location.hash.slice(1))]"
         ".filter(([k]) => k === 'start' || k === 'stop').map(([, v]) => +v)")
DRAWN = "[...document.querySelectorAll('#time-samples path')].map((p) => p.getAttribute('d')).join()"
# What each track adds up to, in pixels: its paths are bars.
TRACKS = """[...document.querySelectorAll('#time-samples svg.lane')].map((lane, i) => [
    document.querySelectorAll('.lanelabel')[i].innerText.replace(/\\s+/g, ' '),
    [...lane.querySelectorAll('path')].map((p) => p.getAttribute('d').matchAll(/M\\S+ (\\S+?)V(\\S+?)h/g))
        .flatMap((bars) => [...bars].map(([, low, high]) => low - high)).reduce((a, b) => a + b, 0)])"""
CTRL, SHIFT = 2, 8


def length_of(page):
    return sum(documents_of(page)["stacks"]["moments"]["step"])


def box_of(browser):
    """Returns where the chart is: left, middle, and width."""
    return browser.evaluate("((b) => [b.left, b.top + 100, b.width])"
                            "(document.getElementById('time-samples').getBoundingClientRect())")


def mouse(browser, kind, x, y, **values):
    browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **values)


def drag(browser, x, to, y, modifiers=0):
    mouse(browser, "mousePressed", x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
    for at in ((x + to) / 2, to):
        mouse(browser, "mouseMoved", at, y, button="left", buttons=1, modifiers=modifiers)
    mouse(browser, "mouseReleased", to, y, button="left", clickCount=1, modifiers=modifiers)


@tap.test
def tracks(pages):
    """Each thread and each CPU has a track, with what plumb report has of it, also zoomed."""
    moments = documents_of(pages.timed)["stacks"]["moments"]
    length = length_of(pages.timed)
    browser = pages.browser
    compared = 0
    browser.open(pages.timed, width=1800)
    for start, stop in ((0, length), (length // 5, length * 2 // 5)):
        when = ",".join(f"{(moments['start'] + at) // 10**9}.{(moments['start'] + at) % 10**9:09}"
                        for at in (start, stop))
        for way, key in (("thread", "pid,tid"), ("cpu", "cpu")):
            made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json", "--time", when,
                                        "--no-children", "-s", key))
            want = {}
            for row in made["events"][0]["rows"]:
                name = str(row["tid"]) if way == "thread" else f"CPU {row['cpu']}"
                want[name] = want.get(name, 0) + row["period"]
            assert len(want) == 2, want
            browser.follow(f"#view=timeline&tracks={way}"
                           + (f"&start={start}&stop={stop}" if start else ""))
            ours = {label.split(" ")[-1] if way == "thread" else label: high
                    for label, high in browser.evaluate(TRACKS) if high}
            assert ours.keys() == want.keys(), (ours, want)
            for name, period in want.items():
                share, wanted = ours[name] / sum(ours.values()), period / sum(want.values())
                assert abs(share - wanted) < 0.002, (way, name, share, wanted)
                compared += 1
    # A track's name chooses its thread, and says so.
    browser.follow("#view=timeline")
    assert browser.evaluate("document.querySelectorAll('.lanelabel[aria-pressed=true]').length") == 0
    browser.evaluate("document.querySelectorAll('.lanelabel')[1].click()")
    browser.wait("location.hash.includes('thread=')")
    assert browser.evaluate("document.querySelectorAll('.lanelabel[aria-pressed=true]').length") == 1
    # So does a CPU's: the sums are then of that CPU.
    browser.open(pages.timed, "#view=timeline&tracks=cpu")
    browser.evaluate("document.querySelectorAll('.lanelabel.track')[1].click()")
    browser.wait("location.hash.includes('cpu=1')")
    assert browser.evaluate("document.querySelector('.lanelabel[aria-pressed=true]').innerText") == "CPU 1"
    for cpu in (0, 1):
        made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json", "-C", str(cpu)))
        want = {}
        for row in made["events"][0]["rows"]:
            want[row["symbol"]] = want.get(row["symbol"], 0) + row["period"]
        browser.open(pages.timed, f"#view=functions&cpu={cpu}", width=1800, height=1000)
        value = column(browser, browser.evaluate(
            "document.querySelector('#metric')?.selectedOptions[0].text ?? 'cycles'"))
        symbol = column(browser, "Function")
        ours = {row[symbol]: number(row[value]) for row in rows_of(browser) if number(row[value])}
        assert ours and all(want.get(name) == period for name, period in ours.items()), (ours, want)
    assert browser.evaluate("document.querySelector('.choices .chip').innerText").startswith("CPU 1")
    return f"compared {compared} tracks"


@tap.test
def zooms(pages):
    """Keys, buttons and the wheel zoom and move the timeline; a link has the part that is shown."""
    length = length_of(pages.timed)
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(pages.timed, "#view=timeline", width=1400)
    whole = browser.evaluate(DRAWN)
    browser.evaluate("document.getElementById('time-samples').focus()")
    browser.press("+")
    browser.wait(f"{SHOWN}.length === 2")
    start, stop = browser.evaluate(SHOWN)
    assert abs((stop - start) - length / 1.25) <= 1 and abs(start - (length - stop)) <= 1, (start, stop)
    zoomed = browser.evaluate(DRAWN)
    assert zoomed != whole
    browser.press("d")
    browser.wait(f"{SHOWN}[0] > {start}")
    moved = browser.evaluate(SHOWN)
    assert abs(moved[0] - start - (stop - start) / 10) <= 1, (start, stop, moved)
    browser.press("a")
    browser.wait(f"{SHOWN}[0] === {start}")
    assert browser.evaluate(DRAWN) == zoomed
    # The link leads to the same.
    browser.open(pages.timed, browser.evaluate("location.hash"), width=1400)
    assert browser.evaluate(DRAWN) == zoomed
    ticks = browser.evaluate("[...document.querySelectorAll('#samples .ticks span')].map((t) =>"
                             " [t.innerText, parseFloat(t.style.left)])")
    for text, left in ticks:
        figure, unit = text.split()
        want = 100 * (float(figure) * {"ns": 1, "µs": 1e3, "ms": 1e6}[unit] - start) / (stop - start)
        assert abs(left - want) < 0.01, (text, left, want)
    assert len(ticks) >= 2, ticks
    browser.evaluate("document.getElementById('time-samples').focus()")
    browser.press("0")
    browser.wait(f"{SHOWN}.length === 0")
    assert browser.evaluate(DRAWN) == whole
    # A wheel zooms with Ctrl, around the pointer; without, it scrolls the page.
    left, middle, width = box_of(browser)
    at = 0.75
    mouse(browser, "mouseMoved", left + at * width, middle)
    mouse(browser, "mouseWheel", left + at * width, middle, deltaX=0, deltaY=30)
    mouse(browser, "mouseWheel", left + at * width, middle, deltaX=0, deltaY=-100, modifiers=CTRL)
    browser.wait(f"{SHOWN}.length === 2")
    start, stop = browser.evaluate(SHOWN)
    assert abs(stop - start - length / 1.25) <= 1, (start, stop, length)
    assert abs(start + at * (stop - start) - at * length) < length / 200, (start, stop, length)
    # Dragging with Shift moves; what is beyond the ends is not shown.
    drag(browser, left + width / 2, left + width / 2 + 10000, middle, SHIFT)
    browser.wait(f"{SHOWN}[0] === 0")
    assert browser.evaluate(SHOWN)[1] == stop - start
    # It never shows less than there is to see, nor more than everything.
    browser.evaluate("document.getElementById('time-samples').focus()")
    for _ in range(80):
        browser.press("w")
    browser.wait(f"{SHOWN}[1] - {SHOWN}[0] === 20")
    for _ in range(90):
        browser.press("s")
    browser.wait(f"{SHOWN}.length === 0")
    browser.evaluate("document.querySelector('.zoom [aria-label=\\'Zoom in\\']').click()")
    browser.wait(f"{SHOWN}.length === 2")
    quiet(browser, "timed.html")


@tap.test
def zoomed_range(pages):
    """A range that is dragged in a zoomed timeline is of the times below the pointer."""
    length = length_of(pages.timed)
    start, stop = length // 4, length * 3 // 4
    browser = pages.browser
    browser.open(pages.timed, f"#view=timeline&start={start}&stop={stop}", width=1400)
    left, middle, width = box_of(browser)
    drag(browser, left + width * 0.2, left + width * 0.6, middle)
    browser.wait("location.hash.includes('from=')")
    ranged = browser.evaluate("new URLSearchParams(location.hash.slice(1)).get('from') + ' '"
                              " + new URLSearchParams(location.hash.slice(1)).get('to')").split()
    for ours, part in zip(ranged, (0.2, 0.6)):
        assert abs(int(ours) - (start + part * (stop - start))) < length / 400, (ours, part)
    # It stays chosen and shown in other parts; Enter shows it.
    browser.evaluate("document.getElementById('time-samples').focus()")
    browser.press("Enter")
    browser.wait(f"{SHOWN}[0] === {ranged[0]} && {SHOWN}[1] === {ranged[1]}")
    place = "(([r, t]) => [r.left - t.left, r.width / t.width])([document.querySelector('.range'),"\
        " document.getElementById('time-samples')].map((e) => e.getBoundingClientRect()))"
    at, wide = browser.evaluate(place)
    assert abs(at) < 1.5 and abs(wide - 1) < 0.01, (at, wide)
    browser.open(pages.timed, f"#view=timeline&start=0&stop={int(ranged[0]) // 2}&from={ranged[0]}&to={ranged[1]}")
    assert browser.evaluate("document.querySelector('.range').hidden")


@tap.test
def moments(pages):
    """The timeline says what is at the pointer; damaged parts of the time show everything."""
    documents = stacks(["early", "late", HOSTILE[0]], [6, 3, 1])
    documents["stacks"]["moments"].update(step=[0, 1000, 1000], row=[0, 1, 2], value=[6, 3, 1])
    page = pages.made("moments.html", documents)
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(page, "#view=timeline", width=1400)
    left, middle, width = box_of(browser)
    for part, want in ((0.001, "early 100 %"), (0.5015, "late 100 %"), (0.999, HOSTILE[0] + " 100 %"),
                       (0.25, "no samples")):
        mouse(browser, "mouseMoved", left + part * width, middle)
        text = browser.evaluate("document.getElementById('moment').innerText")
        assert text.endswith(": " + want), (part, text)
    mouse(browser, "mouseMoved", 5, 5)
    assert browser.evaluate("document.getElementById('moment').innerText") == "All 2.00 µs"
    whole = browser.evaluate(DRAWN)
    assert re.match(r"M0 240|M0 220", whole), whole
    for start, stop in (("1e99", "2e99"), ("-5", "-2"), ("700", "7"), ("x", "<b>"), ("Infinity", "-Infinity")):
        browser.open(page, f"#view=timeline&start={start}&stop={stop}", width=1400)
        assert browser.evaluate(DRAWN) == whole, (start, stop)
    quiet(browser, "moments.html")
