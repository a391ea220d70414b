# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: comparisons."""
import json

from page_data import documents_of
from page_read import TEXT, column, quiet, rows_of, tap


@tap.test
def compared(pages):
    """The page of plumb diff has its headline and its changes."""
    made = json.loads(pages.run(pages.plumb, "diff", "--json", pages.exact, pages.other))
    made = made["comparisons"][0]
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(pages.diff_page, width=1800)
    text = browser.evaluate(TEXT)
    assert made["explanation"]["text"] in text, text
    header = browser.evaluate("document.querySelector('header').innerText")
    assert " · by the model, not a measurement · compared by plumb diff" in header, header
    for kind in ("metrics", "events", "functions", "lines"):
        # Functions and lines are those of one event: that of the headline, if they have it.
        events = [row["by"] for row in made[kind] if row.get("by")]
        of = made["explanation"]["of"] if made["explanation"]["of"] in events else (events or [None])[0]
        count = sum(row.get("by") in (None, of) for row in made[kind])
        if made[kind]:
            assert f"{kind.capitalize()} ({count})" in text, text
    kind = "functions" if made["functions"] else "events"
    rows = rows_of(browser)
    assert min(len(rows), len(made[kind])) >= 1
    name = column(browser, "Name")
    assert {row[name] for row in rows} <= {change["name"] for change in made[kind]}
    quiet(browser, "diff.html")


@tap.test
def differences(pages):
    """Both sides of a comparison have their stacks and their source; colours say what grew."""
    changes = json.loads(pages.run(pages.plumb, "diff", "--json", pages.first, pages.other))
    changes = changes["comparisons"][0]
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(pages.sides_page, width=1800)
    shown = browser.evaluate("[...document.querySelectorAll('nav button')].map((b) => b.dataset.view)")
    assert shown == ["compare", "difference", "both"], shown
    browser.press("2")
    browser.wait("!!document.querySelector('.flame')")
    boxes = browser.evaluate("[...document.querySelectorAll('.box')].map((box) =>"
                             " [box.innerText, box.className, box.ariaLabel])")
    colours = {name: kind for name, kind, _ in boxes if name}
    assert "d-more" in colours["chase.constprop.0"] and "d-same" in colours["start_thread"], colours
    # What the model's deterministic counts say: slots of all functions, on each side.
    text = browser.evaluate(TEXT)
    sums = [sum(row["slots"] for row in json.loads(pages.run(
        pages.plumb, "report", "-i", path, "--topdown", "--json"))["rows"])
        for path in (pages.first, pages.other)]
    want = [f"{value / 1e6:.2f} M" for value in sums]
    assert f"{want[0]} before, {want[1]} after" in text, (want, text)
    browser.open(pages.sides_page, "#view=difference&metric=CPU_CYCLES&search=chase")
    cycles = [change for change in changes["functions"]
              if change["name"] == "chase.constprop.0" and change["by"] == "CPU_CYCLES"][0]
    label = [label for name, kind, label in browser.evaluate(
        "[...document.querySelectorAll('.box')].map((b) => [b.innerText, b.className, b.ariaLabel])")
        if name == "chase.constprop.0"][0]
    assert f"(+{100 * cycles['relative']:.1f} %)" in label, (label, cycles)
    browser.evaluate("document.querySelector('.flame').focus()")
    browser.press("ArrowDown")
    browser.press("Enter")
    browser.wait("location.hash.includes('zoom=')")
    # Functions open their source, on both sides.
    browser.open(pages.sides_page, "#view=compare&part=functions&search=chase", width=1800)
    browser.evaluate("document.querySelector('.tr').click()")
    browser.wait("location.hash.includes('view=both')")
    texts = browser.evaluate("[...document.querySelectorAll('.both > section')].map((s) => s.innerText)")
    assert len(texts) == 2 and all("node->next" in text for text in texts), texts
    for path, text in zip((pages.first, pages.other), texts):
        made = json.loads(pages.run(pages.plumb, "annotate", "-i", path, "--json"))
        function = [f for f in made["functions"] if f["symbol"] == "chase.constprop.0"][0]
        assert f"{function['share']:.2f} % of everything" in text, text
    for width in (360, 3840):
        browser.open(pages.sides_page, "", width, 800)
        for view in shown:
            browser.follow("#view=" + view)
            wide = browser.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{view} at {width}: {wide} pixels"
    # Of samples, what may be noise has no colour.
    browser.open(pages.diff(pages.sampled, pages.sampled, "noise.html"), "#view=difference", width=1800)
    kinds = browser.evaluate("[...new Set([...document.querySelectorAll('.box')].map((box) =>"
                             " box.className.split(' ')[1]))]")
    assert kinds == ["d-same"], kinds
    assert "this may be noise" in browser.evaluate(TEXT)
    assert not browser.messages, browser.messages


@tap.test
def changes(pages):
    """What is new comes first, large ratios are short, and limits say what decided."""
    def change(name, before, after, **values):
        return {"name": name, "units": "events", "before": before, "after": after,
                "change": after - before, "relative": after / before - 1 if before else None,
                "method": "exact", "p": None, "adjusted_p": None, "effect": None,
                "interval": None, "more_than_noise": after != before, **values}
    events = [change("double", 100, 200), change("huge", 2, 12938), change("same", 5, 5),
              change("new", 0, 7), change("noise", 10, 11, method="unknown",
                                          more_than_noise=None)]
    documents = {"diff": {"plumb": "0", "comparisons": [{
        "before": "a", "after": "b", "explanation": {"text": "double", "of": None},
        "gates": [{"limit": "5%", "direction": "above", "verdict": "failed", "worst": events[0]}],
        "notes": [], "metrics": [], "events": events, "functions": [], "lines": []}]}}
    browser = pages.browser
    browser.open(pages.made("changes.html", documents), width=1800)
    name, evidence, real = (column(browser, title) for title in
                            ("Name", "Evidence", "More than noise"))
    rows = rows_of(browser)
    assert [row[name] for row in rows] == ["new", "huge", "double", "noise", "same"], rows
    rows = {row[name]: row for row in rows}
    assert "x6469" in rows["huge"] and "new" in rows["new"] and "+100.0 %" in rows["double"], rows
    assert rows["same"][real] == "unchanged" and rows["noise"][evidence] == "unknown", rows
    # What became of the slots stands above it, if both sides have counted that.
    assert browser.evaluate("document.querySelector('.sides') === null")
    documents["diff"]["comparisons"][0]["metrics"] = [
        {**change(name, before, after), "units": "percent of slots"} for name, before, after in
        (("retiring", 20, 50), ("bad_speculation", 10, 10), ("frontend_bound", 30, 15),
         ("backend_bound", 40, 25))]
    browser.open(pages.made("changes.html", documents), width=1800)
    widths = browser.evaluate("[...document.querySelectorAll('.sides .bar')].map((bar) =>"
                              " [...bar.children].map((part) => part.style.width))")
    assert widths == [["20%", "10%", "30%", "40%"], ["50%", "10%", "15%", "25%"]], widths
    assert "50.0 % +30.0 points" in browser.evaluate("document.querySelector('.sides').innerText")
    text = browser.evaluate(TEXT)
    assert "above 5%" in text and "100 → 200 events: +100.0 % (exact)" in text, text


@tap.test
def systems(pages):
    """A comparison has both systems, and says what differs."""
    browser = pages.browser
    rows = ("Object.fromEntries([...document.querySelectorAll('#systems tbody tr')].map((row) =>"
            " [row.cells[0].innerText, [1, 2, 3].map((i) => row.cells[i].innerText)]))")
    page = pages.diff_page
    documents = documents_of(page)
    browser.open(page, width=1800)
    shown = browser.evaluate(rows)
    version = pages.run(pages.plumb, "--version").split()[1]
    assert shown["Recorded by"] == ["plumb " + version] * 2 + [""], shown
    before, after, said = shown["Recorded with"]
    assert before != after and said == "differs", shown
    for i, side in enumerate(documents["sides"]):
        side["about"].update(modelled=False, cpu="<b>", system=f"6.{i}", cpus_online=4, cpus_available=4,
                             memory_kb=None if i else 1 << 20)
    browser.open(pages.made("systems.html", documents), width=1800)
    shown = browser.evaluate(rows)
    assert shown["Kernel"] == ["6.0", "6.1", "differs"] and shown["CPU"] == ["<b>", "<b>", ""], shown
    assert shown["Memory"] == ["1 GiB", "unknown", "differs"], shown
    assert shown["CPUs"] == ["4 CPUs online", "4 CPUs online", ""], shown
    # Counts alone have no system.
    for side in documents["sides"]:
        side.clear()
    browser.open(pages.made("systemless.html", documents), width=1800)
    assert browser.evaluate("document.querySelector('#systems') === null")
