# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: findings, the tree, and what they lead to."""
import json
import os
import re

from page_data import documents_of, stacks
from page_read import TEXT, quiet, tap


@tap.test
def tree_slots(pages):
    """The tree's bars and boxes are shares of all slots, as plumb stat has them."""
    page, _ = pages.explored
    documents = documents_of(page)
    browser = pages.browser
    # In the second, a root loses its slots a few per cycle, so its children divide little of it.
    documents["counts"]["metrics"] = [
        {"name": name, "title": name, "group": "g", "stage": 1, "level": 2 if above else 1,
         "parent": above, "value": value, "units": "percent", "slots": slots}
        for name, above, value, slots in (
            ("retiring", None, 60, 60), ("bad_speculation", None, 5, 5), ("backend_bound", None, 5, 5),
            ("frontend_bound", None, 30, 30), ("frontend_core_bound", "frontend_bound", 90, 0.9),
            ("unknown", "frontend_bound", None, None))]
    for of in (page, pages.made("partly.html", documents)):
        metrics = {m["name"]: m for m in documents_of(of)["counts"]["metrics"] if m["level"]}
        assert len(metrics) >= 6
        browser.open(of, "#view=tree")
        nodes = browser.evaluate(
            "[...document.querySelectorAll('.tree .node')].map((n) => [n.querySelector('code'),"
            " n.querySelector('small'), n.querySelector('.bar i').style.width, n.querySelector('b')]"
            ".map((e) => e.textContent ?? e))")
        assert {node[0] for node in nodes} == set(metrics), nodes
        for name, small, width, value in nodes:
            slots = metrics[name]["slots"]
            assert abs(float(width.rstrip("%")) - (slots or 0)) < 1e-3, (name, width, slots)
            if slots is None:
                assert value == "not counted" and "of slots" not in small, (value, small)
            elif metrics[name]["level"] > 1:
                assert small == f"{slots:.1f} % of slots", (name, small, slots)
        boxes = browser.evaluate("[...document.querySelectorAll('.ice')].map((box) =>"
                                 " [box.title, parseFloat(box.style.width)])")
        assert len(boxes) >= 4
        for title, width in boxes:
            share = float(re.search(r"([0-9.]+) % of the slots$", title)[1])
            assert abs(share - width) < 0.06, (title, width)


@tap.test
def explored(pages):
    """The page of plumb explore has the findings and the counts, also from the folder."""
    with open(pages.path("results/findings.json"), encoding="utf-8") as file:
        findings = json.load(file)
    with open(pages.path("results/counts.json"), encoding="utf-8") as file:
        counts = json.load(file)
    page, printed = pages.explored
    browser = pages.browser
    for of in (page, pages.explored_directly[0]):
        browser.messages, browser.requests = [], []
        browser.open(of)
        text = browser.evaluate(TEXT)
        first = findings["findings"][0]
        assert f"{first['slots']:.0f} % of the slots" in text and first["means"] in text, text
        # A place with next to nothing of a cause does not explain it.
        shares = browser.evaluate("[...document.querySelectorAll('.finding .place b')]"
                                  ".map((b) => parseFloat(b.innerText))")
        assert len(shares) >= 3 and min(shares) >= 0.5, shares
        line = first["lines"]["places"][0]
        assert first["helps"] in text and f"paged.c:{line['line']} in {line['name']}" in text, text
        assert f"{findings['work']:.0f} % of the slots do useful work" in text, text
        # The sentence that plumb explore prints, which may wrap.
        verdict = documents_of(of)["verdict"]
        assert verdict in text and verdict in " ".join(printed.split()), (verdict, text, printed)
        browser.press("2")
        browser.wait("!!document.querySelector('.treeview')")
        nodes = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.tree .node')]"
                                 ".map((n) => [n.querySelector('code').textContent,"
                                 " n.querySelector('b').textContent]))")
        for metric in counts["metrics"]:
            if metric["level"] == 1:
                assert nodes[metric["name"]] == f"{metric['value']:.1f} %", (metric, nodes)
        for node in counts["diagnosis"]["path"]:
            assert node in nodes, (node, nodes)
        quiet(browser, os.path.basename(of))


def commands_of(text):
    """Returns the commands that plumb explore prints, each in a line."""
    return [" ".join(command.replace("\\\n", " ").split()) for command in
            re.findall(r"^   More   ((?:.*\\\n)*.*)$", text, re.M)]


@tap.test
def next_steps(pages):
    """Findings have the command that shows more of them, and what the counts rule out."""
    page, printed = pages.explored
    browser = pages.browser
    for of, text, begin in ((page, printed, "plumb "),
                            (*pages.explored_directly, "plumb record --exact ")):
        browser.open(of)
        ours = browser.evaluate("[...document.querySelectorAll('.more code')].map((c) => c.innerText)")
        assert ours and ours == commands_of(text), (ours, text)
        assert all(command.startswith(begin) for command in ours), ours
    metrics = {m["name"]: m for m in documents_of(page)["counts"]["metrics"] if m["level"]}
    small = {}
    for name, metric in metrics.items():
        above = metric["parent"]
        while above and metrics[above]["slots"] >= 5:
            above = metrics[above]["parent"]
        if not above and metric["slots"] < 5 and name != "retiring":
            small[name] = f"{metric['slots']:.1f} %"
    browser.open(page)
    ours = browser.evaluate("Object.fromEntries([...document.querySelectorAll('#ruled li')]"
                            ".map((l) => [l.querySelector('code').innerText,"
                            " l.querySelector('b').innerText]))")
    assert len(small) >= 2 and ours == small, (ours, small)
    # A program that does useful work has findings from 10 % on; what was not counted is not ruled out.
    documents = documents_of(page)
    left = [{"node": "backend_bound", "slots": 20.25, "finding": None}]
    documents["findings"].update(work=75, findings=[], undivided=left)
    documents["verdict"] = "Said by the data: 75 % retiring."
    documents["counts"]["metrics"] = [
        {"name": name, "title": name, "group": "g", "stage": 1, "level": 1, "parent": None,
         "value": slots, "units": "percent of slots", "slots": slots}
        for name, slots in (("retiring", 75), ("frontend_bound", 9), ("backend_bound", 16),
                            ("bad_speculation", None))]
    browser.open(pages.made("useful.html", documents))
    text = browser.evaluate("document.querySelector('#ruled').innerText")
    assert "less than 10 %" in text and "9.0 %" in text and "16.0 %" not in text, text
    assert re.search(r"Not counted.*\n+bad_speculation", text), text
    assert "Said by the data: 75 % retiring." in browser.evaluate(TEXT)
    assert "20 % more of the slots: backend_bound, in cycles that" in browser.evaluate(TEXT)
    assert browser.evaluate("!!document.querySelector('#work')")


@tap.test
def work(pages):
    """The page has the callers of code without lines and, if there is little to win, where the work is."""
    def places(name, share):
        return {"basis": "retired operations", "exact": True, "samples": None, "places": [
            {"name": name, "file": "/a/x.c", "line": 7, "text": "f(<b>);", "share": share,
             "interval": None}]}
    at = {"functions": places("strcmp", 61.5), "lines": places("other", 1.5),
          "callers": places("look_up", 60.5)}
    documents = documents_of(pages.explored[0])
    documents["findings"].update(work=75, findings=[], work_at=at)
    browser = pages.browser
    browser.open(pages.made("work.html", documents))
    text = browser.evaluate("document.querySelector('#work').innerText").replace("\n", " ")
    assert re.search(r"retired operations, exactly 61\.5 % strcmp", text), text
    assert re.search(r"60\.5 % x\.c:7 in look_up f\(<b>\);", text), text
    # Where slots are lost, these are what can be won.
    documents["findings"].update(work=60)
    browser.open(pages.made("work.html", documents))
    assert browser.evaluate("!document.querySelector('#work')")
    documents["findings"]["findings"] = [
        {"node": "frontend_bound", "cause": "frontend_bound", "slots": 30, "brief": "b", "means": "m",
         "helps": "h", "functions": at["functions"], "lines": at["lines"], "callers": at["callers"]}]
    browser.open(pages.made("work.html", documents))
    text = browser.evaluate("document.querySelector('.finding').innerText").replace("\n", " ")
    assert re.search(r"(?i)called from of the retired operations, exactly 60\.5 % x\.c:7 in look_up", text), text


@tap.test
def when(pages):
    """A finding says when it costs most: by its node's intervals, or by its functions' samples."""
    documents = stacks(["slow"] * 90 + ["fast"] * 30, [1] * 120)
    documents["findings"] = {
        "source": "perf", "label": None, "cpu": {"name": "N3", "midr": None}, "command": ["x"],
        "target": None, "seconds": 1, "runs": 1, "exit_status": 0, "interrupted": False,
        "whole": "slots", "verdict": "loss", "work": 10, "warnings": [], "findings": [
            {"node": "backend_bound", "cause": "backend_bound", "slots": 50, "brief": "b", "means": "m",
             "helps": "h", "functions": {"basis": "x", "exact": True, "samples": None, "places": [
                 {"name": "slow", "file": "a", "share": 99, "interval": None},
                 {"name": "fast", "file": "a", "share": 1, "interval": None}]}}]}
    browser = pages.browser
    browser.open(pages.made("when.html", documents))
    text = browser.evaluate("document.querySelector('.when').innerText")
    assert "0 % to 100 % of the samples are in its functions; most from 0 ns" in text, text
    assert browser.evaluate("document.querySelectorAll('.when rect').length") == 45
    documents["intervals"] = {"source": "perf", "cpu": None, "times": [0.001, 0.002, 0.003],
                              "events": {}, "metrics": {"backend_bound": {
                                  "name": "backend_bound", "title": None, "group": None, "units": None,
                                  "parent": None, "stage": 1, "level": 1, "values": [20, 80, 50],
                                  "slots": [20, 80, None]}}}
    browser.open(pages.made("when.html", documents))
    text = browser.evaluate("document.querySelector('.when').innerText")
    assert "20 % to 80 % of the slots, backend_bound; most from 1.000 ms to 2.000 ms" in text, text
    browser.evaluate("document.querySelector('.when button').click()")
    browser.wait("location.hash === '#view=timeline&from=1000000&to=2000000'")
    # A cause that is there all the time leads nowhere.
    documents["intervals"]["metrics"]["backend_bound"]["slots"] = [50, 51, 52]
    browser.open(pages.made("when.html", documents))
    text = browser.evaluate("document.querySelector('.when').innerText")
    assert "All the time: 50 % to 52 % of the slots" in text, text
    assert browser.evaluate("document.querySelector('.when button') === null")


@tap.test
def waits(pages):
    """A finding has its time and the operations that the core waits for; the tree has the model's waits."""
    with open(pages.path("results/findings.json"), encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    page, _ = pages.explored
    browser = pages.browser
    browser.open(page)
    cards = browser.evaluate("[...document.querySelectorAll('.finding')].map((card) => card.innerText)")
    assert len(cards) == len(findings) and any(of.get("waits") for of in findings), findings
    for card, of in zip(cards, findings):
        assert ("Waits for" in card) == bool(of.get("waits")), (card, of)
        for place in (of.get("waits") or {"places": []})["places"]:
            if place["share"] >= 0.5:
                assert re.search(f"{place['share']:.1f} %\\s+{place['name']}\\b", card), (card, place)
        took = re.search(r"([0-9.]+) µs of ([0-9.]+) µs", card)
        assert abs(float(took[1]) - of["seconds"] * 1e6) < 0.01, (card, of["seconds"])
    documents = documents_of(page)
    documents["counts"]["diagnosis"]["waits"] = [
        {"node": "a", "brief": "long chains", "percent": 61.6}, {"node": "b", "brief": "<b>", "percent": 30},
        {"node": "c", "brief": "unknown", "percent": None}]
    browser.open(pages.made("told.html", documents), "#view=tree")
    assert "The model's core waits for long chains 62 %, <b> 30 %" in browser.evaluate(
        "document.querySelector('.next').innerText").replace("\n", ""), "no waits"


def system_of(browser):
    return browser.evaluate("Object.fromEntries([...document.querySelectorAll('#system dt')].map((dt) =>"
                            " [dt.innerText, dt.nextElementSibling.innerText]))")


@tap.test
def system(pages):
    """The page says what ran on which system, and which versions made it."""
    page, _ = pages.explored
    browser = pages.browser
    browser.open(page)
    shown = system_of(browser)
    version = pages.run(pages.plumb, "--version").split()[1]
    assert shown["Kernel"] == os.uname().release and shown["Host"] == os.uname().nodename, shown
    assert shown["Page made by"] == "plumb " + version, (shown, version)
    assert shown["Command"] == pages.path("paged") and "N3" in shown["CPU"], shown
    assert "pages of 4 KiB" in shown["Modelled memory"] and "QEMU" in shown["Engine"], shown
    # The CPUs of a modelled recording are the model's, so they say nothing of a machine.
    assert "CPUs" not in shown, shown
    documents = documents_of(page)
    del documents["findings"], documents["counts"]
    documents["about"].update(
        modelled=False, command=["perf", "record", "it's here"], cpuid="0x410fd490", arch="aarch64",
        cpus_online=3, cpus_available=4, memory_kb=3 << 19, cpu=None, caches=[
            {"level": 1, "type": "Data", "size": "64K", "cpus": cpu} for cpu in "01"] + [
            {"level": 2, "type": "Unified", "size": "1M", "cpus": "0"}])
    browser.open(pages.made("measured.html", documents))
    shown = system_of(browser)
    assert shown["CPUs"] == "3 CPUs online of 4" and shown["Memory"] == "1.5 GiB", shown
    assert shown["Caches"] == "L1 data 64K, L2 unified 1M", shown
    assert shown["CPU identifier"] == "0x410fd490" and shown["Architecture"] == "aarch64", shown
    assert shown["Recorded with"] == "perf record 'it'\\''s here'", shown
    # What nobody knows is not shown.
    documents["about"].update(cpus_online=None, cpus_available=None, memory_kb=None, caches=[], arch=None)
    browser.open(pages.made("unknown.html", documents))
    shown = system_of(browser)
    assert not {"CPUs", "Memory", "Caches", "Architecture", "CPU"} & set(shown), shown
