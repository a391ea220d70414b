# SPDX-License-Identifier: Apache-2.0
"""Tests of pages: what is shown as SVG, PNG and CSV, and on the clipboard."""
import base64
import csv
import io
import json
import os
import struct
import time
import xml.etree.ElementTree as tree

from page_data import documents_of, stacks
from page_read import HOSTILE, VIEWS, quiet, report_of, row_of, tap

SVG = "{http://www.w3.org/2000/svg}"
TIMEOUT = 60
# The colours of an image at some points, each a part of its width and height.
COLOURS = """new Promise((done, failed) => {{
    const image = new Image();
    image.onerror = () => failed(new Error("no image"));
    image.onload = () => {{
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        done({points}.map(([x, y]) => [...context.getImageData(x * {scale}, y * {scale}, 1, 1).data].slice(0, 3)));
    }};
    image.src = "data:{kind};base64,{data}";
}})"""


def saved(pages, button):
    """Clicks, and returns the name and the bytes of the file that this saves."""
    folder = pages.path("saved")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    browser = pages.browser
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    browser.evaluate(f"document.querySelector({json.dumps(button)}).click()")
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        names = [name for name in os.listdir(folder) if not name.endswith(".crdownload")
                 and not name.startswith(".")]
        if names and os.path.getsize(os.path.join(folder, names[0])):
            with open(os.path.join(folder, names[0]), "rb") as file:
                return names[0], file.read()
        time.sleep(0.05)
    raise AssertionError(f"{button} saved nothing: {browser.messages}")


def picture_button(kind):
    return f".save [aria-label='Save this view as {kind}']"


@tap.test
def svg(pages):
    """Every view is saved as SVG, with its texts and nothing that runs or loads."""
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(pages.page, width=1400)
    for view in VIEWS:
        browser.follow("#view=" + view)
        name, data = saved(pages, picture_button("SVG"))
        assert name.startswith("plumb-") and name.endswith(".svg"), name
        root = tree.fromstring(data)
        tags = {element.tag for element in root.iter()}
        assert tags <= {SVG + tag for tag in ("svg", "title", "rect", "text", "path")}, (view, tags)
        assert not any("href" in key or key.startswith("on") for element in root.iter() for key in element.keys())
        texts = " ".join(element.text for element in root.iter(SVG + "text"))
        assert "paged" in texts and "by the model, not a measurement" in texts, (view, texts)
        assert len(list(root)) > 20, view
        width, height = float(root.get("width")), float(root.get("height"))
        for text in root.iter(SVG + "text"):
            assert 0 <= float(text.get("x")) and float(text.get("x")) + float(text.get("textLength")) <= width, view
            assert 0 < float(text.get("y")) <= height, (view, text.text)
    # Each box of the flame graph with its name, as wide as its share.
    browser.open(pages.timed, "#view=flame", width=1400)
    boxes = browser.evaluate("[...document.querySelectorAll('.box')].filter((b) => b.innerText).map((b) =>"
                             " [b.innerText, b.getBoundingClientRect().width, b.scrollWidth > b.clientWidth])")
    root = tree.fromstring(saved(pages, picture_button("SVG"))[1])
    texts = [element.text for element in root.iter(SVG + "text")]
    wides = [float(element.get("width")) for element in root.iter(SVG + "rect")]
    for text, wide, is_cut in boxes:
        assert is_cut or text in texts, (text, texts)
        assert any(abs(wide - other) < 1.1 for other in wides), (text, wide)
    quiet(browser, "html")


@tap.test
def pictures(pages):
    """SVG and PNG files have the colours that the page shows."""
    browser = pages.browser
    for page, view, what in ((pages.page, "flame", ".box"), (pages.page, "overview", ".place .bar i"),
                             (pages.timed, "flame", ".box")):
        browser.open(page, "#view=" + view, width=1400)
        # Points in boxes, beside their texts; relative to the first, because the picture has no controls.
        points = browser.evaluate(f"""[...document.querySelectorAll({json.dumps(what)})].map((e) =>
            e.getBoundingClientRect()).filter((b) => b.width > 12 && b.bottom < innerHeight).slice(0, 20)
            .map((b) => [b.right - 4, b.bottom - 3])""")
        assert len(points) >= 3, (view, points)
        shot = pages.path("shot.png")
        browser.picture(shot)
        svg_data, png_data = (saved(pages, picture_button(kind))[1] for kind in ("SVG", "PNG"))
        root = tree.fromstring(svg_data)
        wide, high = struct.unpack(">II", png_data[16:24])
        assert [wide, high] == [2 * int(root.get("width")), 2 * int(root.get("height"))], (wide, high)
        shown = [colour for colour in colours(browser, "image/png", open(shot, "rb").read(), points, 1)]
        assert len(set(map(tuple, shown))) >= 2 or view == "overview", shown
        lower = offset(browser, page, view, what, root)
        moved = [[x + lower[0], y + lower[1]] for x, y in points]
        for kind, data, scale in (("image/svg+xml", svg_data, 1), ("image/png", png_data, 2)):
            ours = colours(browser, kind, data, moved, scale)
            for point, want, colour in zip(points, shown, ours):
                assert max(abs(a - b) for a, b in zip(want, colour)) <= 3, (view, kind, point, want, colour)


def colours(browser, kind, data, points, scale):
    """Returns the colours of an image, as a page without a policy has them."""
    browser.call("Page.navigate", url="about:blank")
    return browser.evaluate(COLOURS.format(points=json.dumps(points), scale=scale, kind=kind,
                                           data=base64.b64encode(data).decode()))


def offset(browser, page, view, what, root):
    """Returns how far the picture has the first box from where the page has it."""
    browser.open(page, "#view=" + view, width=1400)
    x, y, wide, high = browser.evaluate(
        f"(({{x, y, width, height}}) => [x, y, width, height])(document.querySelector({json.dumps(what)})"
        ".getBoundingClientRect())")
    for rect in root.iter(SVG + "rect"):
        if abs(float(rect.get("width")) - wide) < 1.1 and abs(float(rect.get("height")) - high) < 1.1:
            return [float(rect.get("x")) - x, float(rect.get("y")) - y]
    raise AssertionError(f"{what} is not in the picture")


def copied(browser, button):
    browser.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    browser.evaluate(f"document.querySelector({json.dumps(button)}).click()")
    browser.wait("window.copied !== undefined")
    return browser.evaluate("window.copied")


@tap.test
def tables(pages):
    """Tables are copied and saved with all rows found and all columns, in full precision."""
    made = json.loads(pages.run(pages.plumb, "report", "-i", pages.sampled, "--json"))
    want = sorted(made["events"][0]["rows"], key=lambda row: -row["share"])
    browser = pages.browser
    # Narrow: columns without room are in the copy as well.
    browser.open(pages.timed, "#view=functions", width=500)
    name, data = saved(pages, "[aria-label^='Save Functions']")
    assert name.startswith("plumb-Functions") and name.endswith(".csv"), name
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert len(rows) == len(want) > 20, (len(rows), len(want))
    for row, line in zip(rows, want):
        assert float(row["Share"]) == line["share"] and float(row["With callees"]) == line["children"], (row, line)
        assert int(row["Samples"]) == line["samples"] and row["Function"] == line["symbol"], (row, line)
        assert [float(row["95 % interval from"]), float(row["95 % interval to"])] == line["interval"], (row, line)
    # Only what a search found, in the order that is shown.
    browser.open(pages.timed, "#view=functions&search=_dl&sort=symbol", width=1400)
    lines = copied(browser, "[aria-label^='Copy Functions']").splitlines()
    titles = lines[0].split("\t")
    names = [line.split("\t")[titles.index("Function")] for line in lines[1:]]
    assert names == sorted(row["symbol"] for row in want if "_dl" in row["symbol"]) and len(names) > 2, names
    browser.wait(f"document.getElementById('said').innerText === 'Copied {len(names)} rows.'")
    # Small tables, with the figures that they show.
    browser.open(pages.spe_page, "#view=memory", width=1400)
    lines = copied(browser, "[aria-label='Copy Where data came from']").splitlines()
    sources = {}
    for row in documents_of(pages.spe_page)["memory"]["events"][0]["rows"]:
        source = row["data_source"] or "(none given)"
        sources[source] = sources.get(source, 0) + row["samples"]
    assert lines[0].split("\t") == ["Source", "Share", "Samples", "Of the latency"], lines
    assert {line.split("\t")[0]: int(line.split("\t")[2]) for line in lines[1:]} == sources, (lines, sources)
    # Where a browser does not allow the clipboard, the old way, or else a word on it.
    for allowed, said in (("true", f"Copied {len(sources)} rows."), ("false", "Not copied: the browser does not allow it")):
        browser.open(pages.spe_page, "#view=memory", width=1400)
        browser.evaluate("navigator.clipboard.writeText = async () => { throw new Error('refused'); };"
                         " document.execCommand = () => { window.copied = document.activeElement.value;"
                         f" return {allowed}; }}")
        browser.evaluate("document.querySelectorAll('.tablebuttons button')[0].click()")
        browser.wait(f"document.getElementById('said').innerText === '{said}'")
        assert browser.evaluate("window.copied").splitlines() == lines
        assert not browser.evaluate("document.querySelector('textarea')")


@tap.test
def hostile_files(pages):
    """Hostile names are text in what is saved, and no formulas."""
    formulas = ["=1+1", "+cmd", "-2", "@SUM(A1)", 'a,"b"\n\tc']
    names = [*HOSTILE[:-1], *formulas, "x" * 100000]
    documents = stacks(names, [1] * len(names))
    documents["functions"] = report_of(names[0], [row_of(name, 4, 1) for name in names])
    page = pages.made("files.html", documents)
    browser = pages.browser
    browser.messages, browser.requests = [], []
    browser.open(page, "#view=functions", width=1400)
    name, data = saved(pages, "[aria-label^='Save Functions']")
    assert all(c.isalnum() or c in "._-" for c in name), name
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    ours = [row["Function"] for row in rows]
    assert len(ours) == len(names) and ours[:4] == HOSTILE[:4], ours
    for formula in formulas[:4]:
        assert "'" + formula in ours and formula not in ours, ours
    assert 'a,"b"<U+000A><U+0009>c' in ours, ours
    assert not any(char in data.decode() for char in "\u202e\u2066\x00\x1b\t"), data
    text = copied(browser, "[aria-label^='Copy Functions']")
    assert {line.count("\t") for line in text.splitlines()} == {text.splitlines()[0].count("\t")}
    for view in ("functions", "flame", "timeline", "overview"):
        browser.follow("#view=" + view)
        root = tree.fromstring(saved(pages, picture_button("SVG"))[1])
        texts = " ".join(element.text for element in root.iter(SVG + "text"))
        assert HOSTILE[0] in texts, (view, texts[:2000])
        assert {element.tag for element in root.iter()} <= {SVG + t for t in ("svg", "title", "rect", "text", "path")}
    assert browser.evaluate("window.hostile") is None
    quiet(browser, "html")
