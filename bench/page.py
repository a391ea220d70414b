#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long the page of plumb report --html takes to answer in Debian's Chromium, with a hundred
thousand functions: each key typed into the search, each click that sorts, each change of view; the
same of a hundred thousand rows of data sources; and a range of time, chosen and cleared.

    page.py PLUMB MAKE_SPE_RECORDING MEASURE

A time is from the event until the browser has drawn the frame after it, so it includes the wait for
that frame: up to 17 ms at 60 frames per second. 100 ms are wanted. Beside it stands the CPU time of the
page's main thread, which other work on the machine does not change. The data is made up here.
"""
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/interop"))
from chromium import Browser  # noqa: E402
from page_data import stacks, with_documents  # noqa: E402
from page_read import report_of, row_of  # noqa: E402
from tap import Skip  # noqa: E402

from recording import print_machine  # noqa: E402

ROWS = 100000
TURNS = 5
TIMED = """new Promise((done) => {{
    const begin = performance.now();
    {action};
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
}})"""
TYPE = """const search = document.getElementById("search");
    search.value = "{text}";
    search.dispatchEvent(new Event("input"))"""
KEY = """document.querySelector(".time").dispatchEvent(new KeyboardEvent("keydown", {{key: "{key}"}}))"""
CLICK = """document.querySelectorAll("{what}")[{number}].click()"""


def cpu(browser):
    """Returns the milliseconds of CPU time that the page's main thread has taken."""
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def timed(browser, action):
    """Returns how long an action takes, and its CPU time, both in milliseconds."""
    before = cpu(browser)
    return browser.evaluate(TIMED.format(action=action)), cpu(browser) - before


def typed(browser, text):
    """Times each key of a word, and emptying the field again."""
    for end in [*range(1, len(text) + 1), 0]:
        yield timed(browser, TYPE.format(text=text[:end]))


def clicked(browser, what):
    for number in range(browser.evaluate(f"document.querySelectorAll('{what}').length")):
        yield timed(browser, CLICK.format(what=what, number=number))


def opened(browser, page, view):
    """Opens the page anew, so that nothing is sorted or prepared, TURNS times."""
    for _ in range(TURNS):
        browser.open(page, "#view=" + view, width=1800)
        yield True


def loaded(browser, page):
    """Times loading; each page may have another process, so the CPU time is not known."""
    browser.open(page, "#view=functions", width=1800)
    return (browser.evaluate("performance.now()"),)


def measure(browser, page):
    browser.call("Performance.enable", timeDomain="threadTicks")
    yield "loading", [loaded(browser, page) for _ in range(TURNS)]
    for view, what in (("functions", ""), ("memory", ", in Memory"), ("flame", ", in the flame graph")):
        yield "a key of a search" + what, [ms for _ in opened(browser, page, view)
                                           for ms in typed(browser, "function_9999")]
        if view != "flame":
            yield "sorting by a column" + what, [ms for _ in opened(browser, page, view)
                                                 for ms in clicked(browser, ".thead button")]
    yield "opening a view", [ms for _ in range(TURNS) for ms in clicked(browser, "nav button")]
    yield "a step of zooming", [ms for _ in opened(browser, page, "timeline")
                                for ms in [timed(browser, KEY.format(key="+")) for _ in range(8)]]
    yield "choosing a range", [timed(browser, KEY.format(key="ArrowRight"))
                               for _ in opened(browser, page, "timeline")]
    yield "clearing a range", [
        timed(browser, CLICK.format(what=".chip button", number=0))
        for _ in opened(browser, page, f"functions&from=0&to={5 * ROWS}")]


def main():
    plumb, make_spe_recording = sys.argv[1:3]
    names = [f"function_{i * 7919 % ROWS}" for i in range(ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        recording, page = os.path.join(folder, "recording"), os.path.join(folder, "page.html")
        subprocess.run([make_spe_recording, recording, "1", "1000", "8"], check=True)
        made = subprocess.run([plumb, "report", "-i", recording, "--html", page], check=False,
                              stderr=subprocess.PIPE, text=True)
        if made.returncode:
            print(f"not measured: {made.stderr}")
            return
        documents = stacks(names, [1 + i * 31 % ROWS for i in range(ROWS)])
        documents["memory"] = report_of(names[0], [
            row_of(name, 100 / ROWS, 1 + i % 7, data_source=("L1D", "L2", "DRAM")[i % 3],
                   latency=4 + i * 31 % 1000) for i, name in enumerate(names)])
        documents["memory"]["keys"] = ["data_source", "symbol"]
        with_documents(page, documents, page)
        print_machine()
        with Browser() as browser:
            print(f"{'with 100,000 functions':<38} {'median':>8} {'longest':>8} {'CPU':>8} {'longest':>8}  ms")
            for what, times in measure(browser, page):
                figures = [figure(column) for column in zip(*times) for figure in (statistics.median, max)]
                print(f"{what:<38} " + " ".join(f"{ms:8.0f}" for ms in figures), flush=True)


try:
    main()
except Skip as why:
    print(f"not measured: {why}")
