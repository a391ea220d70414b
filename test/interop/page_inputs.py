# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages show: recordings, their pages, and the browser."""
import functools
import os
import shutil
import subprocess
import tempfile

import engine
from chromium import Browser
from page_data import with_documents
from tap import Skip


class Pages:
    """What all tests share; what only some of them need is made when the first of them asks for it."""

    def __init__(self, plumb, source):
        self.plumb = plumb
        self.folder = tempfile.mkdtemp(prefix="plumb-page-")
        compiler = shutil.which("gcc" if os.uname().machine == "aarch64"
                                else "aarch64-linux-gnu-gcc")
        if not compiler:
            raise Skip("there is no compiler for AArch64")
        if not engine.find(plumb):
            raise Skip("there is no engine")
        self.run(compiler, "-O2", "-g", "-static", "-pthread", "-o", self.path("paged"), source)
        self.run(plumb, "explore", "--source", "model", "-o", self.path("results"),
                 self.path("paged"))
        self.run(plumb, "record", "--source", "model", "-e", "cycles", "-c", "97", "-g", "-o",
                 self.path("sampled.data"), self.path("paged"))
        self.run(compiler, "-O2", "-g", "-static", "-pthread", "-DALIGNED=64", "-o",
                 self.path("sharing"), source)
        self.run(plumb, "record", "--source", "model", "-e", "spe", "-c", "256", "-o",
                 self.path("spe.data"), self.path("sharing"))
        self.exact = self.path("results/perf.data")
        self.sampled = self.path("sampled.data")
        self.spe = self.path("spe.data")
        self.page = self.report(self.exact, "exact.html")
        self.timed = self.report(self.sampled, "timed.html")
        self.spe_page = self.report(self.spe, "spe.html")
        self.browser = Browser()

    def close(self):
        self.browser.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def recover(self):
        """Starts another browser after a failed test, which may have left this one in any state."""
        self.browser.close()
        self.browser = Browser()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    @functools.cached_property
    def other(self):
        """The exact recording of a run that takes longer."""
        self.run(self.plumb, "record", "--source", "model", "--exact", "-o", self.path("other.data"),
                 self.path("paged"), "more")
        return self.path("other.data")

    @functools.cached_property
    def first(self):
        """An exact recording by plumb record, beside that of plumb explore."""
        self.run(self.plumb, "record", "--source", "model", "--exact", "-o", self.path("first.data"),
                 self.path("paged"))
        return self.path("first.data")

    @functools.cached_property
    def diff_page(self):
        return self.diff(self.exact, self.other, "diff.html")

    @functools.cached_property
    def sides_page(self):
        return self.diff(self.first, self.other, "sides.html")

    @functools.cached_property
    def explored(self):
        """The page of what plumb explore left in a folder, and what it printed."""
        page = self.path("folder.html")
        return page, self.run(self.plumb, "explore", "--html", page, self.path("results"))

    @functools.cached_property
    def explored_directly(self):
        """The page of a program that plumb explore ran, and what it printed."""
        page = self.path("direct.html")
        done = subprocess.run([self.plumb, "explore", "--source", "model", "--html", page,
                               self.path("paged")], capture_output=True, text=True, check=True)
        return page, done.stderr

    @functools.cached_property
    def counts(self):
        """Counts of intervals of the program."""
        self.run(self.plumb, "stat", "--source", "model", "-I", "1", "--json", "-o",
                 self.path("counts.json"), self.path("paged"))
        return self.path("counts.json")

    @functools.cached_property
    def explored_intervals(self):
        """The page of plumb explore with the counts of intervals."""
        page = self.path("wide.html")
        self.run(self.plumb, "explore", "--html", page, "--intervals", self.counts, self.path("results"))
        return page

    def diff(self, before, after, name):
        self.run(self.plumb, "diff", "--html", self.path(name), before, after)
        return self.path(name)

    def report(self, recording, name):
        self.run(self.plumb, "report", "-i", recording, "--html", self.path(name))
        return self.path(name)

    def made(self, name, documents):
        """Writes a page with other data."""
        return with_documents(self.page, documents, self.path(name))
