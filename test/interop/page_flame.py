# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: parts of the flame graph, and what a search in it finds."""
import json
import re
import urllib.parse

from page_data import stacks
from page_read import HOSTILE, TEXT, quiet, tap

# Each box with its depth and its percentage of the width, from left to right.
BOXES = """[...document.querySelectorAll('.box')].map((box) => [box.innerText, +box.ariaLevel,
    Math.round(parseFloat(box.style.width) * 100) / 100])"""
STATUS = "document.querySelector('.status').innerText"
TRAIL = "document.querySelector('.trail')?.innerText ?? ''"

# main calls a and b; both call f, which calls g, and itself once.
NAMES = ["main", "a", "b", "f", "g"]
PARENTS = [None, 0, 1, 2, 0, 4, 5, 6]
FUNCTIONS = [0, 1, 3, 4, 2, 3, 3, 4]
OWN = [10, 0, 5, 20, 30, 1, 4, 30]


def called(names):
    documents = stacks(names, [1] * len(names))
    data = documents["stacks"]
    data["nodes"] = {"parent": PARENTS, "function": FUNCTIONS}
    rows = list(range(len(OWN)))
    data["rows"] = {"node": rows, "thread": [0] * len(OWN), "cpu": [None] * len(OWN),
                    "source": [None] * len(OWN)}
    data["cells"] = {"row": rows, "type": [0] * len(OWN), "value": OWN}
    data["types"][0].update(name="cycles", total=sum(OWN))
    data["moments"].update(step=[0] + [10] * 7, row=rows, type=[0] * 8, value=OWN)
    return documents


def sixtieth(value):
    return round(value / 60 * 100, 2)


@tap.test
def merged(pages):
    """The flame graph merges what a function calls, wherever it is called, and who calls it."""
    page = pages.made("called.html", called(NAMES))
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(page, "#view=flame&focus=f", width=1800)
    # Of 100 samples, f and what it calls have 25 below a, and 35 below b.
    want = [["f", 1, 100], ["f", 2, sixtieth(34)], ["g", 3, sixtieth(30)], ["g", 2, sixtieth(20)]]
    assert browser.evaluate(BOXES) == want, browser.evaluate(BOXES)
    assert browser.evaluate(STATUS) == "f: 60.00 % with callees, 6.00 % itself (60 of cycles)"
    assert browser.evaluate(TRAIL) == "Everything › f, wherever it is called"
    # In the order of time: that of a comes first.
    browser.open(page, "#view=flame&focus=f&order=time", width=1800)
    lefts = browser.evaluate("[...document.querySelectorAll('.box')].map((box) =>"
                             " [box.innerText + box.ariaLevel, Math.round(parseFloat(box.style.left))])")
    assert sorted(lefts) == [["f1", 0], ["f2", 43], ["g2", 8], ["g3", 50]], lefts
    browser.open(page, "#view=flame&focus=f&direction=up", width=1800)
    want = [["f", 1, 100], ["b", 2, sixtieth(35)], ["main", 3, sixtieth(35)], ["a", 2, sixtieth(25)],
            ["main", 3, sixtieth(25)]]
    assert browser.evaluate(BOXES) == want, browser.evaluate(BOXES)
    assert browser.evaluate("[...document.querySelectorAll('button')].find((b) =>"
                            " b.innerText === 'By time').disabled")
    # Up from every function, by what it has itself.
    browser.open(page, "#view=flame&direction=up", width=1800)
    ours = browser.evaluate(BOXES)
    assert [box for box in ours if box[1] == 1] == [["g", 1, 50], ["b", 1, 30], ["main", 1, 10], ["f", 1, 10]], ours
    assert [box for box in ours if box[1] == 5] == [["main", 5, 30]], ours
    # A box of 1 % has no room for its name.
    assert sum(width for name, _, width in ours if name == "main") == 99, ours
    quiet(browser, "called.html")


@tap.test
def ways_back(pages):
    """A click zooms, a button or F merges, and the trail, Escape and links lead back."""
    page = pages.made("called.html", called(NAMES))
    browser = pages.browser
    browser.open(page, "#view=flame", width=1800)
    everything = browser.evaluate(BOXES)
    browser.evaluate("[...document.querySelectorAll('.box')].find((b) => b.innerText === 'f').click()")
    browser.wait("location.hash.includes('zoom=')")
    assert browser.evaluate(TRAIL) == "Everything › main › b › f", browser.evaluate(TRAIL)
    browser.evaluate("document.getElementById('merge').click()")
    browser.wait("location.hash.includes('focus=f')")
    assert browser.evaluate(STATUS).startswith("f: 60.00 %") and "zoom=" not in browser.evaluate("location.hash")
    browser.evaluate("[...document.querySelectorAll('.box')].filter((b) => b.innerText === 'f')[1].click()")
    browser.wait("location.hash.includes('zoom=')")
    assert browser.evaluate(TRAIL) == "Everything › f, wherever it is called › f"
    assert browser.evaluate(BOXES)[0][:2] == ["f", 1] and "34.00 %" in browser.evaluate(STATUS)
    # The same from a link, also when a range makes other nodes empty.
    address = browser.evaluate("location.hash")
    browser.open(page, address + "&from=60&to=70", width=1800)
    assert browser.evaluate(TRAIL) == "Everything › f, wherever it is called › f"
    assert [name for name, _, _ in browser.evaluate(BOXES)] == ["f", "g"], browser.evaluate(BOXES)
    browser.open(page, address, width=1800)
    browser.evaluate("document.querySelector('.flame').focus()")
    browser.press("Escape")
    browser.wait(f"({TRAIL}) === 'Everything › f, wherever it is called'")
    browser.press("Escape")
    browser.wait(f"({TRAIL}) === ''")
    assert browser.evaluate(BOXES) == everything
    # By keys alone: to main's first callee, and all calls of it.
    browser.press("ArrowDown")
    browser.press("f")
    browser.wait("location.hash.includes('focus=b')")
    browser.evaluate("document.querySelector('.trail button').click()")
    browser.wait(f"({TRAIL}) === ''")
    assert browser.evaluate(BOXES) == everything


@tap.test
def found(pages):
    """A search in the flame graph has the share of what it finds, as plumb report has it."""
    page = pages.made("called.html", called(NAMES))
    browser = pages.browser
    browser.open(page, width=1800)
    for state, want in (
            ("search=f", "1 function matches: 60.00 % with callees, 10.00 % itself."),
            ("search=F&direction=up", "1 function matches: 60.00 % with callees."),
            ("search=a&focus=f&direction=up", "2 functions match: 60.00 % called by them."),
            ("search=g&focus=f", "1 function matches: 50.00 % with callees, 50.00 % itself."),
            ("search=nothing", "No function matches.")):
        browser.follow("#view=flame&" + state)
        assert browser.evaluate(STATUS).split(" Merge")[0].strip() == want, browser.evaluate(STATUS)
    # a and main match, main is above a: all of it counts once.
    browser.follow("#view=flame&search=a")
    assert "2 functions match: 100.00 % with callees, 10.00 % themselves" in browser.evaluate(STATUS)
    browser.evaluate("document.getElementById('focusmatch').click()")
    browser.wait("location.hash.includes('focus=main')")
    # Of a recording, each function has the share of plumb report, and keeps it when its calls are merged.
    made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json"))
    rows = [row for row in made["events"][0]["rows"] if re.match("chase|branches|main|printf", row["symbol"])]
    assert len(rows) >= 3, rows
    browser.open(pages.timed, width=1800)
    for row in rows:
        share = f": {row['children']:.2f} % with callees"
        browser.follow(f"#view=flame&search={row['symbol']}")
        if browser.evaluate(STATUS).startswith("1 function"):
            assert "1 function matches" + share in browser.evaluate(STATUS), (row, browser.evaluate(STATUS))
        browser.follow(f"#view=flame&focus={row['symbol']}")
        assert row["symbol"] + share in browser.evaluate(STATUS), (row, browser.evaluate(STATUS))


@tap.test
def odd_functions(pages):
    """A function without samples or with a hostile name is said or merged as text."""
    browser = pages.browser
    browser.messages, browser.requests = [], []
    page = pages.made("odd.html", called([*HOSTILE[:4], "x" * 100000]))
    for name in HOSTILE[:4]:
        browser.open(page, "#view=flame&focus=" + urllib.parse.quote(name), width=1800)
        assert name in browser.evaluate(TRAIL) or "has nothing here" in browser.evaluate(TEXT), name
    assert f"{HOSTILE[3]}: 60.00 % with callees" in browser.evaluate(STATUS)
    browser.open(page, "#view=flame&focus=" + urllib.parse.quote(HOSTILE[4]))
    assert "a<U+202E>backwards<U+2066> has nothing here" in browser.evaluate(TEXT)
    browser.evaluate("document.querySelector('.warn button').click()")
    browser.wait("document.querySelectorAll('.box').length === 8")
    for zoom in ("-7", "1.5", "1e9", "x"):
        browser.open(page, "#view=flame&direction=up&zoom=" + zoom, width=1800)
        assert len(browser.evaluate(BOXES)) > 8, zoom
    assert browser.evaluate("window.hostile") is None
    quiet(browser, "odd.html")
