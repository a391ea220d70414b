# SPDX-License-Identifier: Apache-2.0
"""Every option of perf 6.1 works in plumb's command of the same name, or says what there is instead.

Usage: perf_options.py PLUMB
"""
import re
import shutil
import subprocess
import sys

from tap import Skip, Tap

COMMANDS = ("stat", "record", "report", "annotate", "diff", "script", "list")
# Accepted, with no effect, without a word in the help: they ask for what happens anyway.
SAME = {"report": {"--demangle", "--full-source-path", "--group", "--skip-empty"},
        "annotate": {"--demangle", "--full-paths", "-P", "--group", "--skip-missing", "--source"},
        "diff": {"--force", "-f"},
        "script": {"--all-cpus", "-a", "--demangle", "--force", "-f", "--full-source-path"}}
tap = Tap()


def text_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=60, check=False)
    return done.stdout + done.stderr


def perf_rows(command):
    """The options that perf's help lists, as the names of each: ["-a", "--all-cpus"]."""
    rows = []
    for line in text_of("perf", command, "-h").splitlines():
        match = re.match(r"    (?:(-\S), )?\s*(--[A-Za-z0-9-]+)", line) or \
            re.match(r"    (-\S) ()", line)
        if match:
            rows.append([name for name in match.groups() if name])
    return rows


def plumb_names(plumb, command):
    """The options that plumb's help lists."""
    options = re.search(r"^Options\n(.*?)^$", text_of(plumb, command, "--help"), re.M | re.S)[1]
    return set(re.findall(r"^  +(-\S)(?:, | )", options, re.M)) | \
        set(re.findall(r"^  +(?:-\S, )?(--[a-z-]+)", options, re.M))


def check_command(plumb, command):
    known = plumb_names(plumb, command)
    rows = perf_rows(command)
    missing, works, told = [], 0, 0
    for row in rows:
        works += bool(known.intersection(row))
        told += not known.intersection(row)
        for name in row:
            if name in known:
                continue
            text = text_of(plumb, command, name)
            if name in SAME.get(command, ()) and "unknown option" not in text:
                continue
            if f"unknown option '{name}'" not in text or f"perf's {name} is " not in text:
                missing.append(name)
    if missing:
        raise AssertionError(f"{command} lacks a word on {' '.join(missing)}")
    return len(rows), works, told


@tap.test
def each_option_works_or_has_a_word(plumb):
    """each option of perf works, or says what there is instead"""
    if not shutil.which("perf"):
        raise Skip("no perf")
    version = text_of("perf", "--version").strip()
    if not version.startswith("perf version 6.1."):
        raise Skip(f"the table is of perf 6.1, and this is {version}")
    counts = [check_command(plumb, command) for command in COMMANDS]
    total, works, told = map(sum, zip(*counts))
    # As many as perf 6.1's help has.
    if total < 300:
        raise AssertionError(f"only {total} options were found")
    return f"{total} options in {len(COMMANDS)} commands: {works} work, {told} say what there is"


tap.run(sys.argv[1])
