# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share: what a page shows, and made-up reports."""
import re

from tap import Tap

# Names that would end an element, an attribute or a string, or turn text around.
HOSTILE = ["<script>window.hostile = 1</script>", "</script><img src=x onerror='window.hostile = 2'>",
           "\" onmouseover=\"window.hostile = 3", "'); window.hostile = 4; ('", "a\u202ebackwards\u2066",
           "\u0000\u001b[31mred\u0085", "&lt;b&gt;", "x" * (10 << 20)]
VIEWS = ["overview", "tree", "functions", "source", "flame", "callers", "memory", "timeline"]
TEXT = "document.getElementById('view').innerText"

tap = Tap()


def rows_of(browser):
    """Returns the texts of the visible rows of a table, cell by cell."""
    return browser.evaluate("[...document.querySelectorAll('#view .tr')].map((row) =>"
                            " [...row.children].map((cell) => cell.innerText))")


def column(browser, title):
    titles = browser.evaluate("[...document.querySelectorAll('#view .thead > span')].map((cell) =>"
                              " cell.innerText.replace(/ [▾▴]$/, ''))")
    assert title in titles, f"no column {title}: {titles}"
    return titles.index(title)


def number(text):
    return float(re.sub(r"[^0-9.]", "", text))


def quiet(browser, page):
    assert not browser.messages, f"messages: {browser.messages[:3]}"
    loaded = {url for url in browser.requests if url != "about:blank"}
    assert all(url.startswith("file://") and page in url for url in loaded), loaded


def report_of(name, rows, **values):
    """Returns a report with one event, as plumb report --json has it."""
    samples = sum(row["samples"] for row in rows)
    event = {"name": name, "exact": False, "spe": True, "samples": samples, "period": samples,
             "row_count": len(rows), "left_out": 0, "given_up": 0, "given_up_most": 0,
             "rows": rows, **values}
    return {"keys": ["comm", "symbol"], "incomplete": False, "events": [event]}


def row_of(symbol, share, samples, **values):
    return {"comm": "a", "dso": "a", "symbol": symbol, "share": share, "samples": samples,
            "period": samples, "interval": [share - 1, share + 1], **values}
