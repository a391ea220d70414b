# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: how they look, and who can use them."""
import base64
import re

from page_data import stacks
from page_read import HOSTILE, TEXT, VIEWS, column, quiet, report_of, row_of, rows_of, tap


@tap.test
def hostile(pages):
    """Hostile names are shown as text, in every view."""
    documents = stacks(HOSTILE, [2] * len(HOSTILE))
    documents["about"].update(arch=HOSTILE[0], cpuid=HOSTILE[1], caches=[
        {"level": 1, "type": HOSTILE[0], "size": HOSTILE[4], "cpus": HOSTILE[5]}])
    names = [*HOSTILE[:-1], "x" * 100000]
    places = {"basis": names[1], "exact": True, "samples": None, "places": [
        {"name": name, "file": name, "line": 1, "text": name, "share": 12, "interval": None}
        for name in names]}
    documents["findings"] = {
        "source": "perf", "label": None, "cpu": {"name": names[0], "midr": None},
        "command": names, "target": None, "seconds": 1, "runs": 1, "exit_status": 0,
        "interrupted": False, "whole": names[2], "verdict": "loss", "work": 10, "tie": names[7],
        "warnings": names, "findings": [
            {"node": name, "cause": name, "slots": 50, "brief": name, "means": name, "helps": name,
             "functions": places, "lines": places, "data": places, "waits": places} for name in names]}
    documents["commands"] = names
    documents["counts"] = {
        "source": "perf", "cpu": {"name": "", "midr": None, "slots": 5}, "elapsed_seconds": 1,
        "events": [], "warnings": [], "diagnosis": {"path": names, "next_groups": names,
                                                    "sample_events": names, "verdict": None,
                                                    "brief": names[0]},
        "metrics": [{"name": name, "title": name, "group": name, "stage": 1, "level": 1,
                     "parent": None, "value": 1, "units": name, "slots": 1} for name in names]}
    page = pages.made("hostile.html", documents)
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(page, width=1800)
    views = browser.evaluate("[...document.querySelectorAll('nav button')].map((b) => b.dataset.view)")
    for i, view in enumerate(views, 1):
        browser.press(str(i))
        browser.wait(f"document.querySelector('[aria-current]').dataset.view === '{view}'")
        page_text = browser.evaluate("document.getElementById('app').innerText")
        assert HOSTILE[0] in page_text, view
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u0000\u001b\u0085]", page_text), view
        assert len(page_text) < 1 << 20, f"{view}: {len(page_text)} characters"
        assert not browser.evaluate("document.querySelector('main img, main script, #app script')")
    browser.press(str(1 + views.index("functions")))
    text = browser.evaluate(TEXT)
    for name in HOSTILE[:4]:
        assert name in text, name
    assert "a<U+202E>backwards<U+2066>" in text and "&lt;b&gt;" in text, text
    assert "10,485,760 characters" in text, text[-2000:]
    assert browser.evaluate("window.hostile") is None
    quiet(browser, "hostile.html")


@tap.test
def widths(pages):
    """Every view fits 360 pixels and 4K, in light and in dark."""
    browser = pages.browser
    page = pages.explored_intervals
    colours = set()
    for width, height, dark in ((360, 740, False), (1280, 800, True), (3840, 2160, False)):
        browser.open(page, "", width, height, dark)
        for view in VIEWS:
            browser.follow("#view=" + view)
            wide = browser.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{view} at {width}: {wide} pixels"
            cut = browser.evaluate("[...document.querySelectorAll('#view .num, .sharecell b')]"
                                   ".filter((e) => e.scrollWidth > e.clientWidth + 1)"
                                   ".map((e) => e.innerText)")
            assert not cut, f"{view} at {width}: {cut[:4]} cut off"
        if width == 360:
            # A table has what its rows are of, and how much that is.
            browser.open(pages.spe_page, "#view=memory", width, height)
            titles = browser.evaluate("[...document.querySelectorAll('.thead > span')]"
                                      ".map((cell) => cell.innerText.replace(/ .$/, ''))")
            assert {"Share", "Data source", "Function"} <= set(titles), titles
        colours.add((dark, browser.evaluate(
            "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color")))
    assert len(colours) == 2, colours


@tap.test
def layout(pages):
    """On a wide screen, findings have the rest at their side, and lines their code; bars stand below each other."""
    browser = pages.browser
    page, _ = pages.explored
    places = """[...document.querySelectorAll('.finding, #ruled, #system')].map((e) =>
        (({left, right, top}) => [e.className.includes('finding'), left, right, top])(e.getBoundingClientRect()))"""
    for width in (3840, 1280, 360):
        browser.open(page, "#view=overview", width, 1200)
        shown = browser.evaluate(places)
        found = [place for place in shown if place[0]]
        rest = [place for place in shown if not place[0]]
        assert len(found) >= 2 and len(rest) == 2, shown
        assert len({left for _, left, _, _ in found}) == 1, found
        for _, left, _, top in rest:
            assert (left > found[0][2]) == (width == 3840), (width, shown)
            assert (top > found[-1][3]) == (width != 3840), (width, shown)
        # Names that have no room end with dots.
        over = browser.evaluate("[...document.querySelectorAll('.where > .link')].filter((e) =>"
                                " getComputedStyle(e).textOverflow !== 'ellipsis').length")
        assert not over, over
        browser.follow("#view=tree")
        browser.evaluate("document.querySelectorAll('.tree details').forEach((e) => { e.open = true; })")
        rights = browser.evaluate("[...document.querySelectorAll('.tree .bar')].map((e) =>"
                                  " (({left, right}) => Math.round(left) + ' ' + Math.round(right))"
                                  "(e.getBoundingClientRect()))")
        assert len(rights) > 8 and len(set(rights)) == 1, (width, set(rights))
        browser.follow("#view=source")
        # The first instruction of an open line, and the line: whether it is to its right, or below.
        beside, below = browser.evaluate("""(() => {
            const line = document.querySelector('.line[open]');
            const [own, code] = [line.querySelector('summary'), line.querySelector('.asm')].map((e) =>
                e.getBoundingClientRect());
            return [code.left >= own.right, code.top >= own.bottom]; })()""")
        assert (beside, below) == ((True, False) if width == 3840 else (False, True)), width


@tap.test
def readers(pages):
    """Screen readers get names, roles and levels: every control has a name."""
    browser = pages.browser
    browser.call("Accessibility.enable")
    for page, views in ((pages.page, VIEWS), (pages.explored[0], ["overview"]),
                        (pages.diff_page, ["compare", "difference", "both"])):
        browser.open(page)
        for view in views:
            browser.follow("#view=" + view)
            nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
            roles = {node["role"]["value"] for node in nodes if not node.get("ignored")}
            assert {"banner", "navigation", "main", "heading"} <= roles, (view, roles)
            for node in nodes:
                role = node.get("role", {}).get("value")
                if not node.get("ignored") and role in ("button", "columnheader", "combobox", "image",
                                                        "link", "searchbox", "tree", "treeitem"):
                    assert node.get("name", {}).get("value"), f"{view}: a {role} without a name"
    browser.call("Accessibility.disable")


@tap.test
def tabs(pages):
    """Tab leads to every view, and what has the focus can be seen."""
    browser = pages.browser
    browser.open(pages.page)
    reached = set()
    for _ in range(40):
        browser.press("Tab")
        name, outline, wide = browser.evaluate(
            "((e) => [e.dataset.view ?? e.className, getComputedStyle(e).outlineStyle,"
            " parseFloat(getComputedStyle(e).outlineWidth)])(document.activeElement)")
        assert outline != "none" and wide >= 2, (name, outline, wide)
        reached.add(name)
        if reached >= set(VIEWS):
            break
    assert reached >= {"skip", "theme", *VIEWS}, reached
    browser.press("Enter")
    browser.wait("document.querySelector('[aria-current]').dataset.view === 'timeline'")
    # The flame graph and tables are entered by Tab, and moved in by arrows.
    for view, inner in (("flame", "flame"), ("functions", "table"), ("timeline", "time")):
        browser.open(pages.timed, "#view=" + view)
        for _ in range(60):
            browser.press("Tab")
            if browser.evaluate("document.activeElement.className") == inner:
                break
        assert browser.evaluate("document.activeElement.className") == inner, view
        before = browser.evaluate("document.querySelector('.cursor')?.innerText + location.hash")
        browser.press("ArrowRight" if view == "timeline" else "ArrowDown")
        browser.wait(f"document.querySelector('.cursor')?.innerText + location.hash !== {before!r}")


@tap.test
def orders(pages):
    """Names sort by their characters and figures by size; what is unknown comes last."""
    names = ["b", "a", "prefix_one", "prefix_two", "prefix_", "préfixe", "prefix_\u3042", "prefix_\uff21",
             "prefix_longer_than_six_b", "prefix_longer_than_six_a", "", "A", "a"]
    latencies = [3.5, None, 12, 12, 0, 1e300, None, 2, 2, -2, -7, -0.5, -1e-300]
    documents = stacks(names, [1] * len(names))
    documents["functions"] = report_of(names[0], [
        row_of(name, 5, 1, latency=latency, place=str(i)) for i, (name, latency) in
        enumerate(zip(names, latencies))])
    documents["functions"]["keys"] = ["place", "symbol"]
    page = pages.made("orders.html", documents)
    browser = pages.browser
    places = list(range(len(names)))
    known = [i for i in places if latencies[i] is not None]
    unknown = [i for i in places if latencies[i] is None]
    browser.open(page, width=2200)
    for sort, want in (
            ("symbol", sorted(places, key=lambda i: names[i])),
            ("-symbol", sorted(places, key=lambda i: names[i], reverse=True)),
            ("latency", sorted(known, key=lambda i: latencies[i]) + unknown),
            ("-latency", sorted(known, key=lambda i: -latencies[i]) + unknown)):
        browser.follow("#view=functions&sort=" + sort)
        at = column(browser, "place")
        ours = [int(row[at]) for row in rows_of(browser)]
        if sort == "-symbol":  # equal names keep their order
            want = sorted(want, key=lambda i: ([-ord(c) for c in names[i]] + [1], i))
            ours_names = [names[i] for i in ours]
            assert ours_names == sorted(names, reverse=True), ours_names
            assert ours.index(1) < ours.index(12), ours
        else:
            assert ours == want, (sort, ours, want)
    # A search that grows finds what one from the beginning finds.
    browser.press("/")
    for letter in "prefix_ one":
        browser.press(letter)
    browser.wait("document.querySelector('.count').innerText.startsWith('1 of')")
    # A table takes no more room than its rows.
    assert browser.evaluate("document.querySelector('.table').offsetHeight") < 100


@tap.test
def prints(pages):
    """A printed page has the view without its controls."""
    browser = pages.browser
    browser.open(pages.page, "#view=functions")
    pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 5000
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.evaluate("document.querySelector('#view').offsetHeight") > 300
    browser.call("Emulation.setEmulatedMedia", media="")


@tap.test
def motion(pages):
    """Nothing moves for who prefers that; bars do for others, so the test would see it."""
    browser = pages.browser
    browser.open(pages.page)
    moving = """[...document.querySelectorAll("*")].filter((at) => {
        const style = getComputedStyle(at);
        return parseFloat(style.transitionDuration) > 0 || style.animationName !== "none";
    }).length"""
    for preference, moves in (("reduce", False), ("no-preference", True)):
        browser.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-reduced-motion", "value": preference}])
        assert (browser.evaluate(moving) > 0) is moves, preference
    browser.call("Emulation.setEmulatedMedia", media="")


@tap.test
def policy(pages):
    """The policy forbids other scripts, styles, images and connections."""
    browser = pages.browser
    browser.open(pages.page)
    browser.evaluate("""(() => {
        const script = document.createElement("script");
        script.textContent = "window.other = 1";
        document.body.append(script);
        const button = document.createElement("b");
        button.setAttribute("onclick", "window.other = 2");
        document.body.append(button);
        button.click();
        const style = document.createElement("style");
        style.textContent = "body { margin-top: 77px }";
        document.head.append(style);
    })()""")
    assert browser.evaluate("window.other") is None
    assert browser.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    assert browser.evaluate("fetch('data:text/plain,x').then(() => 'loaded', () => 'refused')") \
        == "refused"
    assert browser.evaluate("""new Promise((done) => {
        const image = new Image();
        image.onload = () => done("loaded");
        image.onerror = () => done("refused");
        image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    })""") == "refused"
    browser.messages = []
