#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how perf and Plumb parse events: Plumb accepts what perf accepts, with the same meaning.

events_vs_perf.py READER

`perf stat -vv` shows what perf requests from the kernel. On a machine without a PMU, perf still
parses the names of hardware events, and reports that they are not supported.
"""

import functools
import random
import re
import shutil
import subprocess
import sys

import tap

suite = tap.Tap()
reader = sys.argv[1]

SOFTWARE = ["cpu-clock", "task-clock", "page-faults", "faults", "context-switches", "cs",
            "cpu-migrations", "migrations", "minor-faults", "major-faults", "alignment-faults",
            "emulation-faults", "dummy", "bpf-output", "1:1", "1:2"]
GENERIC = ["cycles", "cpu-cycles", "instructions", "cache-references", "cache-misses", "branches",
           "branch-instructions", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
           "idle-cycles-frontend", "stalled-cycles-backend", "idle-cycles-backend", "r11", "r1b",
           "rC3", "4:0x11", "4:17", "0:0", "0:1", "3:0", "3:0x10000"]
CACHES = ["L1-dcache", "l1-d", "l1d", "L1-data", "L1-icache", "l1-i", "l1i", "L1-instruction",
          "LLC", "L2", "dTLB", "d-tlb", "Data-TLB", "iTLB", "i-tlb", "Instruction-TLB", "branch",
          "bpu", "btb", "bpc", "node"]
WORDS = ["load", "loads", "read", "store", "stores", "write", "prefetch", "prefetches",
         "speculative-read", "speculative-load", "refs", "Reference", "ops", "access", "misses",
         "miss"]
# Of perf alone: Plumb names them in what it says.
REFUSED = ["duration_time", "mem:0x1000:rw", "mem:0x1000", "sched:sched_switch", "ref-cycles",
           "L1-dcache-stores", "node-loads"]


def perf_exists():
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-e", "task-clock", "true"], capture_output=True,
                          check=False)
    return done.returncode == 0 and b"<not supported>" not in done.stderr


def attributes(err):
    """Returns what perf -vv requests from the kernel: a dictionary for each event. Newer versions
    of perf print the names of some values behind them, in parentheses."""
    field = r"^  (\{ sample_period, sample_freq \}|\w+) +(\w+)(?: \(\w+\))?$"
    return [dict(re.findall(field, block, re.M))
            for block in re.split(r"^-+$", err, flags=re.M) if "perf_event_attr:" in block]


def ask_perf(text):
    """Returns whether perf accepts a text, and what it requests from the kernel for each event."""
    done = subprocess.run(["perf", "stat", "-vv", "-e", text, "true"], capture_output=True,
                          text=True, errors="replace", check=False)
    return done.returncode == 0, attributes(done.stderr), done.stderr


def parses_in_perf(text):
    """Whether perf can parse a text, whatever this machine supports."""
    _, _, err = ask_perf(text)
    return "event syntax error" not in err and "Run 'perf list'" not in err, err


def ask_plumb(texts, *how):
    done = subprocess.run([reader, *how], input="".join(text + "\n" for text in texts),
                          capture_output=True, text=True, check=True)
    answers = done.stdout.split("\n")[:-1]
    assert len(answers) == len(texts), f"{len(answers)} answers to {len(texts)} texts"
    return answers


def fields(answer):
    """The events of an answer, each a dictionary."""
    events = []
    for part in answer.split(";"):
        kind, rest = part.split(":", 1)
        config, rest = rest.split(" ", 1)
        event = dict(pair.split("=", 1) for pair in rest.split(" ", 9))
        event.update(kind=kind, config=int(config))
        events.append(event)
    return events


@functools.lru_cache
def weak_events():
    """Whether perf takes W after an event; newer versions take it only after a group."""
    return parses_in_perf("faults:W")[0]


@functools.lru_cache
def precise_groups_forget_guests():
    """Whether p after a group makes perf leave out guests that an event in it names, as 6.12 does."""
    _, asked, _ = ask_perf("{faults:GH}:p")
    return bool(asked) and "exclude_guest" in asked[0]


def some_modifiers(chance, after_group=False):
    letters = [letter for letter in "ukhGHISDW" if chance.random() < 0.3]
    if not after_group and not weak_events():
        letters = [letter for letter in letters if letter != "W"]
    letters += ["p"] * chance.randrange(4) if chance.random() < 0.3 else []
    chance.shuffle(letters)
    return "".join(letters)


def some_event(chance, names, grouped):
    name = chance.choice(names)
    modifiers = some_modifiers(chance)
    if grouped:
        # The kernel takes these of leaders alone.
        modifiers = modifiers.replace("D", "")
    if chance.random() < 0.25:
        terms = [term for term in (f"period={chance.randrange(1, 100000)}", f"name=n{chance.randrange(99)}")
                 if chance.random() < 0.7]
        return f"{name}/{','.join(terms)}/{modifiers}"
    return f"{name}:{modifiers}" if modifiers else name


def some_list(chance, names):
    items = []
    for _ in range(chance.randrange(1, 4)):
        if chance.random() < 0.3:
            members = [some_event(chance, names, True) for _ in range(chance.randrange(1, 4))]
            modifiers = some_modifiers(chance, after_group=True)
            if any("G" in member for member in members) and precise_groups_forget_guests():
                modifiers = modifiers.replace("p", "")
            items.append("{" + ",".join(members) + "}" + (":" + modifiers if modifiers else ""))
        else:
            items.append(some_event(chance, names, False))
    return ",".join(items)


@suite.test
def names_are_read():
    """Every name of perf, by itself"""
    texts = SOFTWARE + GENERIC + CACHES + ["cgroup-switches"]
    for cache in CACHES:
        texts += [f"{cache}-{word}" for word in WORDS]
        texts += [f"{cache}-{a}-{b}" for a in WORDS[:10] for b in WORDS[10:]]
    taken = refused = 0
    for text, answer in zip(texts, ask_plumb(texts)):
        # A tenth of the cache events is enough: perf is slow.
        if "-" in text and text not in GENERIC + SOFTWARE and hash_of(text) % 10:
            continue
        parses, err = parses_in_perf(text)
        if not parses:
            continue
        if answer.startswith("error not supported: "):
            assert "Linux maps this to no event of Arm PMUs" in answer, f"{text}: {answer}"
            refused += 1
            continue
        assert not answer.startswith("error"), f"{text}: perf takes it; {answer}\n{err}"
        taken += 1
    assert taken >= 60 and refused >= 20, (taken, refused)
    return f"{taken} names accepted, {refused} that Linux does not map"


def hash_of(text):
    return sum(ord(c) * (i + 1) for i, c in enumerate(text))


@suite.test
def what_is_perfs_alone_is_named():
    """What perf accepts and Plumb does not is rejected by name"""
    for text, answer in zip(REFUSED, ask_plumb(REFUSED)):
        assert answer.startswith("error not supported: "), f"{text}: {answer}"


@suite.test
def nonsense_is_refused_by_both():
    """Truncated or misspelled text is rejected by both"""
    texts = ["cycles:uu", "cycles:pppp", "cycles:q", "cycles,", ",cycles", "cycles,,cs", "rxyz",
             "cycles/foo/", "cs}", "cycles/period=1", "cyclesx", "foo:u", "L1-dcache-",
             "L1-dcache-foo", "", "cycles/period=x/", "cs:uxk", "/period=3/", "{}", "cycles:u:k"]
    for text, answer in zip(texts, ask_plumb(texts)):
        assert not parses_in_perf(text)[0], f"perf takes '{text}'"
        assert answer.startswith("error"), f"'{text}': {answer}"


@suite.test
def hardware_lists_are_read():
    """Random lists of hardware events: Plumb has the grammar of perf"""
    chance = random.Random(2)
    texts = [some_list(chance, GENERIC + SOFTWARE[:4]) for _ in range(150)]
    taken = 0
    for text, answer in zip(texts, ask_plumb(texts)):
        parses, err = parses_in_perf(text)
        assert parses != answer.startswith("error"), f"{text}: {answer}\n{err}"
        taken += parses
    assert taken > 100
    return f"{taken} of {len(texts)} lists accepted"


@suite.test
def software_lists_mean_the_same():
    """Random lists of software events: perf requests from the kernel what Plumb parsed"""
    chance = random.Random(1)
    texts = [some_list(chance, SOFTWARE) for _ in range(200)]
    facts = tap.Facts()
    for text, answer in zip(texts, ask_plumb(texts)):
        fine, asked, err = ask_perf(text)
        if answer.startswith("error"):
            assert "event syntax error" in err, f"perf takes {text}; {answer}"
            continue
        ours = fields(answer)
        if not fine or len(asked) != len(ours):
            # The kernel refused it, and perf said so or asked for less.
            assert "event syntax error" not in err, f"perf does not take {text}: {err}"
            continue
        for event, attr in zip(ours, asked):
            excluded = "".join(str(int("exclude_" + mode in attr))
                               for mode in ("user", "kernel", "hv"))
            host, guest = event["guest"]
            facts.same(f"{text}: config", event["config"], int(attr.get("config", "0"), 16))
            facts.same(f"{text}: modes", event["exclude"], excluded)
            # Where neither is named, it is the source that chooses; perf's way has changed.
            if guest + host != "00":
                facts.same(f"{text}: guest left out", guest == "0", "exclude_guest" in attr)
            facts.same(f"{text}: host left out", guest == "1" and host == "0",
                       "exclude_host" in attr)
            facts.same(f"{text}: idle left out", event["idle"] == "1", "exclude_idle" in attr)
            facts.same(f"{text}: pinned", event["pinned"] == "1", "pinned" in attr)
            facts.same(f"{text}: precise", int(event["precise"]), int(attr.get("precise_ip", "0")))
    return facts.done(2000)


@suite.test
def periods_mean_the_same():
    """Periods and frequencies of sampled events: perf requests from the kernel what Plumb parsed"""
    texts = ["cpu-clock/period=100000/", "cpu-clock/period=0x1000,name=x/u", "cs/freq=99/",
             "{cs/period=5/,faults/freq=7/}", "page-faults/freq=50/,cpu-clock/period=9999999/k"]
    facts = tap.Facts()
    for text, answer in zip(texts, ask_plumb(texts, "record")):
        done = subprocess.run(["perf", "record", "-vv", "-o", "/dev/null", "-e", text, "true"],
                              capture_output=True, text=True, errors="replace", check=True)
        asked = attributes(done.stderr)
        for event, attr in zip(fields(answer), asked):
            number = int(attr["{ sample_period, sample_freq }"])
            facts.same(f"{text}: period", int(event["period"]), 0 if "freq" in attr else number)
            facts.same(f"{text}: frequency", int(event["freq"]), number if "freq" in attr else 0)
    return facts.done(14)


if not perf_exists():
    suite.skip_all("no perf that counts")
suite.run()
