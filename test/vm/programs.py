# SPDX-License-Identifier: Apache-2.0
"""The programs that counted.S becomes: how many instructions each executes in user code."""

LONG = 100_000_000
BRIEF = 1_000_000
CHILD = 20_000
FORKS = 100
CHILDREN = 3

# name: the macros of counted.S
PROGRAMS = {
    "counted": {"COUNTED": LONG},
    "brief": {"COUNTED": BRIEF},
    "waits": {"COUNTED": BRIEF, "WAITS": 400},
    "forks": {"COUNTED": BRIEF, "FORKS": CHILDREN, "CHILD": CHILD},
    "storm": {"COUNTED": BRIEF, "FORKS": FORKS, "CHILD": CHILD},
    "thread": {"COUNTED": BRIEF, "THREAD": None, "CHILD": CHILD},
    "becomes": {"COUNTED": BRIEF, "BECOMES": None},
    "crashes": {"COUNTED": BRIEF, "CRASHES": None},
    "endless": {"ENDLESS": None},
}


def options(name):
    """What the compiler is told."""
    return ["-D" + (macro if value is None else f"{macro}={value}")
            for macro, value in PROGRAMS[name].items()]
