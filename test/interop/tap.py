# SPDX-License-Identifier: Apache-2.0
"""Shared by the Python tests: prints TAP; nothing can pass by accident."""
import os
import sys
import tempfile

# perf keeps copies of what it records in ~/.debug: they are the test's own, and end with it.
home = tempfile.TemporaryDirectory(prefix="plumb-test-home-")
os.environ["HOME"] = home.name


class Skip(Exception):
    """Raised by a test that cannot run here; the message gives the reason."""


class Tap:
    """Runs tests and prints TAP. A test is a function that returns a remark or None, or raises."""

    def __init__(self):
        self.tests = []
        self.skipped = None
        self.recover = None  # called with the tests' arguments after one that failed

    def test(self, function):
        """A decorator; the first line of the function's docstring is the name of the test."""
        self.tests.append(function)
        return function

    def skip_all(self, why):
        self.skipped = why

    def run(self, *arguments):
        print(f"1..{len(self.tests)}")
        failed = 0
        for number, function in enumerate(self.tests, 1):
            name = (function.__doc__ or function.__name__).split("\n")[0].rstrip(".")
            if self.skipped:
                print(f"ok {number} - {name} # SKIP {self.skipped}")
                continue
            try:
                remark = function(*arguments)
            except Skip as why:
                print(f"ok {number} - {name} # SKIP {why}")
            except Exception as error:  # any exception fails the test
                failed += 1
                print(f"not ok {number} - {name}")
                for line in f"{type(error).__name__}: {error}".split("\n"):
                    print(f"# {line}")
                if self.recover:
                    self.recover(*arguments)
            else:
                print(f"ok {number} - {name}")
                if remark:
                    print(f"# {remark}")
            sys.stdout.flush()
        sys.exit(1 if failed else 0)


class Facts:
    """Compares and counts facts; reports all differences at once."""

    def __init__(self):
        self.count = 0
        self.differences = []

    def same(self, what, ours, theirs):
        self.count += 1
        if ours != theirs:
            self.differences.append(f"{what}: ours {ours!r}, the document's {theirs!r}")

    def done(self, at_least):
        if self.differences:
            raise AssertionError("\n".join(self.differences))
        if self.count < at_least:
            raise AssertionError(f"only {self.count} facts were found, {at_least} are there")
        return f"compared {self.count} facts"
