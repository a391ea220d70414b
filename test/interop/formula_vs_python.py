#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how Plumb and Python evaluate formulas.

    formula_vs_python.py FORMULA_VALUES

FORMULA_VALUES is the program of that name. Python's own parser and floats give the expected value;
values must be equal to the last bit.
"""
import ast
import json
import math
import os
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path

sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402

tap = Tap()
SEED = 109542
warnings.simplefilter("ignore", SyntaxWarning)


class NoValue(Exception):
    """A division by zero, an operand without a value, a result that is not finite."""


class NotFormula(Exception):
    """Something that Python accepts, or nearly, but formulas do not."""


def shift(value, places):
    if not math.isfinite(places):
        return math.nan
    try:
        return math.ldexp(value, int(max(-5000, min(5000, places))))
    except OverflowError:
        return math.copysign(math.inf, value)


def divide(left, right):
    if right == 0:
        raise NoValue
    return left / right


OPERATIONS = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: divide,
    ast.LShift: shift,
    ast.RShift: lambda left, right: shift(left, -right),
}


def judge(node, counts):
    """Returns the value of a Python syntax tree, with floats only."""
    if isinstance(node, ast.Expression):
        return judge(node.body, counts)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name):
        value = counts[node.id.upper()]
        if math.isnan(value):
            raise NoValue
        return value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        # Evaluate both sides first: a formula has no value if any part has none.
        left, right = judge(node.left, counts), judge(node.right, counts)
        return OPERATIONS[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = judge(node.operand, counts)
        return -value if isinstance(node.op, ast.USub) else value
    raise NotFormula(type(node).__name__)


def expected(text, counts):
    """Returns the value as a float, or "none" or "error"."""
    try:
        value = judge(ast.parse(text.strip(), mode="eval"), counts)
    except NoValue:
        return "none"
    except (SyntaxError, NotFormula):
        return "error"
    return value if math.isfinite(value) else "none"


class Asked:
    """Lines for the program, and the expected answer to each."""

    def __init__(self):
        self.lines, self.answers = [], []

    def counts(self, counts):
        self.lines += [f"count {name} {value!r}" for name, value in counts.items()]

    def ask(self, line, answer):
        self.lines.append(line)
        self.answers.append((line, answer))

    def check(self, program, specification):
        """Compares; returns the number of values, and of each other answer."""
        done = subprocess.run([program, str(specification)], input="\n".join(self.lines) + "\n",
                              text=True, capture_output=True, timeout=100)
        if done.returncode:
            raise AssertionError(f"status {done.returncode}: {done.stderr}")
        said = done.stdout.splitlines()
        if len(said) != len(self.answers):
            raise AssertionError(f"{len(said)} answers to {len(self.answers)} questions")
        tally = {}
        for (line, answer), ours in zip(self.answers, said):
            kind = answer if isinstance(answer, str) else "value"
            tally[kind] = tally.get(kind, 0) + 1
            if kind == "value":
                same = ours not in ("none",) and not ours.startswith("error") \
                    and float(ours) == answer
            else:
                same = ours.split()[0] == answer.split()[0] if kind == "error" else ours == answer
            if not same:
                raise AssertionError(f"{line}: {ours}, Python has {answer!r}")
        return tally


def random_count(source):
    """Returns zero, no value, or any value of a 64-bit counter, often a small one."""
    kind = source.random()
    if kind < 0.03:
        return 0.0
    if kind < 0.04:
        return math.nan
    return float(source.getrandbits(source.choice((3, 10, 30, 48, 64))))


def specifications():
    folder = os.environ.get("PLUMB_REFERENCE")
    return sorted(Path(folder).glob("mrs/cpu/*_pmu.json")) if folder else []


@tap.test
def arms_formulas(program):
    """Every metric of all of Arm's files, with random counts"""
    source = random.Random(SEED)
    tallies, metrics = {}, 0
    for path in specifications():
        data = json.loads(path.read_text(encoding="utf-8"))
        asked = Asked()
        for _ in range(20):
            counts = {name: random_count(source) for name in data["events"]}
            asked.counts(counts)
            for name, metric in data["metrics"].items():
                asked.ask(f"metric {name}", expected(metric["formula"], counts))
        for name, metric in data["metrics"].items():
            used = set(re.findall(r"[A-Za-z_]\w*", metric["formula"]))
            asked.ask(f"events {name}", " ".join(e for e in data["events"] if e in used))
            metrics += 1
        for kind, count in asked.check(program, path).items():
            if kind in ("value", "none", "error"):
                tallies[kind] = tallies.get(kind, 0) + count
    if "error" in tallies or tallies["value"] < 10 * metrics or metrics < 17 * 30:
        raise AssertionError(f"{metrics} metrics: {tallies}")
    return f"{metrics} metrics of {len(specifications())} files: {tallies['value']} values, " \
           f"{tallies['none']} without"


def random_formula(source, names, depth):
    """Returns random text of the grammar, with optional signs, parentheses and blanks."""
    blank = source.choice(("", "", " ", "  ", "\t"))
    kind = source.random()
    if depth == 0 or kind < 0.25:
        text = source.choice((
            source.choice(names), source.choice(names).lower(), str(source.randrange(100)),
            hex(source.randrange(1 << 20)), repr(source.random() * 100), f"{source.random():e}",
            str(source.randrange(1 << 70))))
    elif kind < 0.35:
        text = source.choice("-+") + blank + random_formula(source, names, depth - 1)
    elif kind < 0.55:
        text = "(" + random_formula(source, names, depth - 1) + blank + ")"
    else:
        text = random_formula(source, names, depth - 1) + blank + \
            source.choice(("+", "-", "*", "/", "+", "-", "*", "/", "<<", ">>")) + blank + \
            random_formula(source, names, depth - 1)
    return blank + text


@tap.test
def random_formulas(program):
    """Formulas of every shape in the grammar"""
    source = random.Random(SEED)
    specification = specifications()[0]
    events = list(json.loads(specification.read_text(encoding="utf-8"))["events"])
    asked = Asked()
    for _ in range(20):
        names = source.sample(events, 8)
        counts = {name: random_count(source) for name in names}
        asked.counts(counts)
        for _ in range(250):
            text = random_formula(source, names, source.randrange(1, 9))
            asked.ask(f"formula {text}", expected(text, counts))
    tally = asked.check(program, specification)
    if "error" in tally or tally["value"] < 3000 or tally["none"] < 100:
        raise AssertionError(f"{tally}")
    return f"{tally['value']} values, {tally['none']} without"


@tap.test
def random_tokens(program):
    """Random sequences of tokens: which are formulas and which are not"""
    source = random.Random(SEED)
    specification = specifications()[0]
    events = list(json.loads(specification.read_text(encoding="utf-8"))["events"])[:3]
    counts = {name: random_count(source) for name in events}
    asked = Asked()
    asked.counts(counts)
    operands = events + ["1", "0x2f", "2.5", "1e-3"]
    operators = ["+", "-", "*", "/", "<<", ">>", "(", ")"]
    for _ in range(8000):
        text = " ".join(source.choice(operands if source.random() < 0.5 else operators)
                        for _ in range(source.randrange(1, 10)))
        asked.ask(f"formula {text}", expected(text, counts))
    tally = asked.check(program, specification)
    if tally["error"] < 1000 or tally["value"] < 300:
        raise AssertionError(f"{tally}")
    return f"{tally['value']} values, {tally.get('none', 0)} without, {tally['error']} not formulas"


@tap.test
def metrics_within_formulas(program):
    """A metric in a formula stands for its own formula in parentheses"""
    source = random.Random(SEED)
    asked_for = 0
    for path in specifications():
        data = json.loads(path.read_text(encoding="utf-8"))
        asked = Asked()
        counts = {name: float(source.randrange(1, 1 << 48)) for name in data["events"]}
        asked.counts(counts)
        for _ in range(30):
            first, second = source.choices(list(data["metrics"]), k=2)
            text = f"-{first} / {second} - {first}"
            spelt_out = re.sub(r"\w+", lambda m: f"({data['metrics'][m[0]]['formula']})", text)
            asked.ask(f"formula {text}", expected(spelt_out, counts))
        asked_for += sum(asked.check(program, path).values())
    return f"{asked_for} formulas"


if __name__ == "__main__":
    if not specifications():
        tap.skip_all("no PLUMB_REFERENCE with Arm's files")
    tap.run(sys.argv[1])
