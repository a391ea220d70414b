#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often the 95 % intervals of sampled runs hold what the whole model counts.

    coverage.py [--seeds N] [--error PERCENT] [--jobs N] [--packages FOLDER] [--keep FILE]
                [--only NAME,...] [--kept] PLUMB

Runs 25 programs of 20 to 100 million instructions once in the whole model, and sampled with each
seed: five of bench/programs, sixteen of bench/programs/workloads.c, and four of Debian's arm64
packages, which are fetched into FOLDER if it lacks them. Looks at the cycles per instruction and the
shares of level 1. Prints a row per program: for each value how often its interval held, then for the
cycles the bias (the mean error over the seeds, with its standard error) beside half an interval.
All programs run with a seed before the next seed does. "--keep" adds each result to a file as soon
as it is there, and takes those that are there already. "--kept" runs nothing, and prints what the file
has.
"""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "validation"))
import programs  # noqa: E402

OWN = {"compress": [], "hash": [], "interpret": ["-DUP_TO=60000"], "matrix": ["-DSIZE=256"],
       "sort": ["-DCOUNT=(1u<<18)"]}
WORKLOADS = ("stream", "chase", "tree", "transform", "bodies", "sieve", "sparse", "common",
             "mandelbrot", "graph", "scanner", "churn", "phases", "cipher", "search", "life")
# Packages of Debian's programs, beside those of bench/validation.
PACKAGES = ("brotli", "libbrotli1", "sqlite3", "libsqlite3-0", "libtinfo6")
NEEDED = f"{programs.NEEDED}|^libreadline8(t64)?$"
SHARES = ("frontend_bound", "backend_bound", "retiring", "bad_speculation")
PYTHON = """
words = {}
for i in range(6000):
    word = str(i * 7919 % 1009)
    words[word] = words.get(word, 0) + len(word)
sieve = [True] * 10000
for i in range(2, 100):
    if sieve[i]:
        for j in range(i * i, 10000, i):
            sieve[j] = False
print(sum(sieve), sorted(words.items(), key=lambda item: item[1])[-1])
"""
# Objects, exceptions and text at random, which no predictor knows.
PYTHON_MIXED = """
state = 1
def number(limit):
    global state
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % limit
class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None
root, text = Node(50000), []
for _ in range(1500):
    at, key = root, number(100000)
    while True:
        side = 'left' if key < at.key else 'right'
        below = getattr(at, side)
        if below is None:
            setattr(at, side, Node(key))
            break
        at = below
    try:
        text.append(str(int('x' * (key % 3 == 0) + str(key))))
    except ValueError:
        text.append(chr(97 + number(26)) * (1 + number(5)))
text.sort(key=lambda word: (word[-1], word))
print(len(','.join(text).split('a')))
"""
SQL = """
create table item (id integer primary key, name text, price real, kind integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into item select i, 'item ' || (i * 7919 % 20011), i * 0.37, i % 97 from n;
create index by_name on item (name);
select kind, count(*), avg(price) from item group by kind order by 3 limit 3;
select count(*) from item where name like '%77%';
update item set price = price * 1.1 where kind < 50;
"""


def compiled(folder, *flags):
    """Compiles our own programs. Returns the command of each."""
    compiler = os.environ.get("AARCH64_CC", "aarch64-linux-gnu-gcc")
    source = os.path.join(HERE, "..", "programs")
    commands = {}
    for name, options in [*OWN.items(), ("workloads", ["-fno-math-errno"])]:
        out = os.path.join(folder, name)
        subprocess.run([compiler, "-O2", "-static", *flags, *options, "-o", out,
                        os.path.join(source, name + ".c")], check=True)
        commands[name] = [out]
    workloads = commands.pop("workloads")
    commands.update({name: [*workloads, name] for name in WORKLOADS})
    return commands


def packaged(packages):
    """Returns the commands of Debian's programs, with the options before them.

    Their inputs always have the same paths: where a program keeps these strings changes what misses.
    """
    root = os.path.join(packages, "root")
    if not os.path.isdir(root):
        error = programs.fetch(packages, PACKAGES, NEEDED)
        if error:
            print(error, file=sys.stderr)
            return {}
    binaries = os.path.join(root, "usr", "bin")
    python = sorted(name for name in os.listdir(binaries) if name.startswith("python3."))[-1]
    folder = os.path.join(packages, "inputs")
    os.makedirs(folder, exist_ok=True)
    text = os.path.join(folder, "text")
    with open(os.path.join(packages, "text"), "rb") as file, open(text, "wb") as out:
        out.write(file.read(1 << 18))
    for name, words in (("work.py", PYTHON), ("mixed.py", PYTHON_MIXED), ("work.sql", SQL)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(words)
    commands = {
        "python": [python, "-S", os.path.join(folder, "work.py")],
        "sqlite": ["sqlite3", ":memory:", ".read " + os.path.join(folder, "work.sql")],
        "python-mixed": [python, "-S", os.path.join(folder, "mixed.py")],
        "brotli": ["brotli", "-q", "7", "-c", text],
    }
    return {name: ["-L", root, "--", os.path.join(binaries, words[0]), *words[1:]]
            for name, words in commands.items()}


def values_of(result):
    """The cycles per instruction and the shares: of each the value, and the interval's ends."""
    counted = {event["name"]: event for event in result["events"]}
    instructions = counted["INST_RETIRED"]["count"]
    cycles = counted["CPU_CYCLES"]
    values = {"CPI": (cycles["count"] / instructions,
                      [end / instructions for end in cycles.get("interval") or []])}
    for metric in result["metrics"]:
        if metric["name"] in SHARES:
            values[metric["name"]] = metric["value"], metric.get("interval") or []
    return instructions, values


def run(plumb, command, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        separator = [] if "--" in command else ["--"]
        words = [plumb, "stat", "--source", "model", "--cpu", "neoverse-n3", "--no-progress", "-s", "1",
                 "-l", "1", "-e", "CPU_CYCLES,INST_RETIRED", "--json", "-o", path, *options,
                 *separator, *command]
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False, env={**os.environ, "PYTHONHASHSEED": "0"})
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    instructions, values = values_of(result)
    return {"instructions": instructions, "values": values,
            "windows": result.get("sampled", {}).get("windows")}


class Study:
    """What the sampled runs of a program say, beside the run of the whole model."""

    def __init__(self, whole, runs):
        self.whole, self.runs = whole, runs

    def held(self, name):
        """How many intervals held the value, and how many there are."""
        exact = self.whole["values"][name][0]
        slack = 1e-9 * abs(exact)
        intervals = [run["values"][name][1] for run in self.runs]
        return (sum(i[0] - slack <= exact <= i[1] + slack for i in intervals if i),
                sum(bool(i) for i in intervals))

    def bias(self, name):
        """The mean error, its standard error, and the mean half of an interval."""
        exact = self.whole["values"][name][0]
        errors = [run["values"][name][0] - exact for run in self.runs]
        halves = [(i[1] - i[0]) / 2 for i in (run["values"][name][1] for run in self.runs) if i]
        mean = sum(errors) / len(errors)
        spread = sum((e - mean) ** 2 for e in errors) / max(len(errors) - 1, 1)
        return (mean, math.sqrt(spread / len(errors)),
                sum(halves) / len(halves) if halves else math.nan)

    def row(self, name):
        exact = self.whole["values"]["CPI"][0]
        held = [self.held(value) for value in ("CPI", *SHARES)]
        bias, error, half = (100 * x / exact for x in self.bias("CPI"))
        windows = sum(run["windows"] for run in self.runs) / len(self.runs)
        cells = [f"`{name}`", f"{self.whole['instructions'] / 1e6:.0f}", f"{windows:.0f}",
                 *(f"{a} of {b}" for a, b in held), f"{bias:+.3f} ± {error:.3f}", f"{half:.2f}"]
        return "| " + " | ".join(cells) + " |"


def summary(studies):
    """The rates over all programs, with standard errors that count each program as one draw."""
    for name in ("CPI", *SHARES, None):
        rates = []
        for study in studies:
            held = [study.held(n) for n in ([name] if name else ("CPI", *SHARES))]
            if sum(b for _, b in held):
                rates.append(sum(a for a, _ in held) / sum(b for _, b in held))
        mean = sum(rates) / len(rates)
        error = math.sqrt(sum((r - mean) ** 2 for r in rates) / max(len(rates) - 1, 1) / len(rates))
        print(f"{name or 'all of them'}: held in {100 * mean:.1f} ± {100 * error:.1f} %")
    parts = sorted(abs(bias) / half for bias, _, half in (s.bias("CPI") for s in studies))
    print(f"bias of CPI, in parts of half an interval: median {parts[len(parts) // 2]:.2f}, "
          f"highest {parts[-1]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--error", default="2")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--packages")
    parser.add_argument("--keep")
    parser.add_argument("--only")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("plumb")
    options = parser.parse_args()
    kept = {}
    if options.keep and os.path.exists(options.keep):
        with open(options.keep, encoding="utf-8") as file:
            for line in file:
                name, seed, result = json.loads(line)
                kept[name, seed] = result
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.kept:
            commands = dict.fromkeys(name for name, _ in kept)
        else:
            packages = options.packages or os.path.join(folder, "packages")
            commands = {**compiled(folder), **packaged(packages)}
        chosen = options.only.split(",") if options.only else list(commands)

        def find(name, seed):
            extra = ["--sampled=" + options.error, "--seed", str(seed)] if seed else []
            kept[name, seed] = run(options.plumb, commands[name], *extra)
            if options.keep:
                with open(options.keep, "a", encoding="utf-8") as file:
                    file.write(json.dumps([name, seed, kept[name, seed]]) + "\n")

        if not options.kept:
            list(pool.map(lambda pair: find(*pair),
                          [(name, seed) for seed in range(options.seeds + 1) for name in chosen
                           if (name, seed) not in kept]))
    print("| program | million instructions | windows | CPI held | "
          + " | ".join(share + " held" for share in SHARES) + " | bias of CPI, % "
          "| half an interval, % |")
    print("|" + "---|" * 10)
    studies = []
    for name in chosen:
        runs = [kept[name, seed] for seed in range(1, options.seeds + 1) if (name, seed) in kept]
        if runs and (name, 0) in kept:
            studies.append(Study(kept[name, 0], runs))
            print(studies[-1].row(name))
    summary(studies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
