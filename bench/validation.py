#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes doc/validation.md: published figures of cores beside the model's.

    validation.py PLUMB [OUTPUT] [--jobs N]

bench/validation/figures.json has the published figures, one object per row:

  "figure", "core", "published", "unit", "source"   what was published, of which core or platform
  "probe" or "generated"   the microbenchmark that measures it (probe.c, generated.c), and its
                arguments; or "program": a program of Debian's arm64 packages (programs.py)
  "value"       the figure as an expression of counts, `work` (what the microbenchmark printed) and
                `GHz`; the default is that of the unit
  "search"      for sizes: {"from", "to"}: the largest number, put in place of "N" in the arguments,
                for which "value" is below "limit". "times" makes the limit a multiple of the value
                at "from"; "plus" is added to the number found
  "sets"        a parameter of the model was chosen by this figure
  "bound"       "above" or "below": only a bound was published
  "note"        explains an error
  "contradicts" why both cannot be true, of the other published figure, which the model follows, and
  "other"       {"published", "source", "says"}: that one, in the same unit
  "what_if"     the parts of the core to make perfect in an experiment; or
  "experiment"  members of the row to replace in an experiment, and "says", what that changes; also
  "changes"     {figure of the core: value}, as in the core files of plumb stat --core, or
  "interrupted" instructions, without anything of them in caches and predictors, that the kernel
                executes TICKS times a second beside a program

bench/validation/instructions.json has measured costs of instructions: "chain" and "independent" are
what was repeated, each after the one before, or side by side, and "measured" the latency and the
number per cycle by core, null if neither was measured. "sets" names cores whose costs follow it. "tried"
has experiments by core: what to repeat side by side "instead", and "says", what that shows.
bench/validation/loops.json has the times of loops of several kinds of instructions (loops.py).

Needs a compiler for AArch64. Programs need Debian's arm64 packages, which apt downloads. The paths of
programs move their stacks, which changes figures a little, so all of them are in PLACE.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL_TESTS = os.path.join(HERE, "..", "test", "model")
sys.path.insert(0, os.path.join(HERE, "validation"))
import loops  # noqa: E402
import programs  # noqa: E402

SOURCES = {
    "ASCT": "learn.arm.com, Arm System Characterization Tool on Graviton2 and Graviton4",
    "CC-N1": "Chips and Cheese on Ampere Altra, 22 Oct 2021",
    "CC-N2": "Chips and Cheese on Yitian 710, 18 Aug 2023",
    "CC-A710": "Chips and Cheese on Cortex-A710, whose core is nearly that of N2, 11 Aug 2023",
    "CC-V1": "Chips and Cheese on Graviton3, 29 May 2022",
    "CC-V2": "Chips and Cheese on Graviton4, 22 Jul 2024",
    "CC-A725": "Chips and Cheese on Cortex-A725, N3's nearest relative, 27 Jan 2026",
    "Arm-div": "learn.arm.com, \"Measure cross-platform performance with topdown-tool and Perf PMU "
               "counters\", and its earlier revisions",
    "RFC": "\"A mechanism for efficient support for per-function metrics\", Linux patches, on N1SDP",
    "Analyzer": "jhammant/arm-perf-analyzer, Feb 2026: counters of a cloud instance of Neoverse N1, user "
                "and kernel, most of them multiplexed",
    "LLVM": "LLVM's scheduling models, of Arm's guides",
    "Forms": "H. Suzuki, insn_bench_aarch64: latency and throughput of instructions on Ampere Altra and "
             "Graviton3",
    "Loops": "T. Lelegard, arm-instruction-time: loops of 32 integer instructions on Ampere Altra, Graviton3 and "
             "Grace, whose clock is the one at which it does two multiplications per cycle",
}
MUCH = 30  # per cent
TICKS = 250  # interrupts of Linux' timer a second
# What else is in it would move the stacks of programs, which changes figures of several cores.
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
               "PYTHONHASHSEED": "0"}
PLACE = "/tmp/plumb-validation"
KINDS = {"chain": "latency", "independent": "per cycle"}
SIDE_BY_SIDE = 8
VALUES = {"cycles": "CPU_CYCLES / work", "ns": "CPU_CYCLES / work / GHz",
          "GB/s": "GHz * work / CPU_CYCLES", "B/cycle": "work / CPU_CYCLES",
          "a cycle": "work / CPU_CYCLES"}


def evaluate(expression, names):
    """Evaluates an expression from figures.json, with only `names`."""
    return eval(expression, {"__builtins__": {}}, names)


def expression_of(row):
    return row.get("value") or VALUES[row["unit"]]


def events_of(expression):
    return sorted(set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", expression)) | {"CPU_CYCLES"})


def compiler():
    return "gcc" if os.uname().machine == "aarch64" else "aarch64-linux-gnu-gcc"


def build(folder):
    for source in (os.path.join(HERE, "validation", "probe.c"),
                   os.path.join(HERE, "validation", "generated.c"),
                   os.path.join(MODEL_TESTS, "programs", "stress.c")):
        name = os.path.splitext(os.path.basename(source))[0]
        subprocess.run([compiler(), "-O2", "-static", "-o",
                        os.path.join(folder, name), source], check=True)


def frequencies(plumb):
    """{core or platform: GHz}"""
    listed = json.loads(subprocess.run([plumb, "list", "cores", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    return {core["name"]: core["frequency_mhz"] / 1e3 for core in listed["cores"]}


def counts_of(result):
    return {event["name"]: event["count"] for event in result["events"]}


class Machine:
    """What runs the microbenchmarks and programs under the model."""

    def __init__(self, plumb, folder):
        self.plumb, self.folder = os.path.abspath(plumb), folder
        self.frequencies = frequencies(plumb)
        self.stored = {}  # a run has the counts of several rows
        self.program_events = sorted({name for row in figures() if "program" in row
                                      for name in events_of(expression_of(row))})

    def commands(self, row, number):
        """The options and the programs of a row."""
        if "program" in row:
            return programs.commands(row["program"], self.folder)
        name = "probe" if "probe" in row else "generated"
        arguments = [str(number) if word == "N" else word for word in row[name].split()]
        return [["--from", "measure", "--to", "measured", "--", os.path.join(self.folder, name),
                 *arguments]]

    def run(self, row, number=None):
        """The figure; and with parts of the core perfect. Of several runs, each counts as much."""
        runs = [self.run_one(row, words) for words in self.commands(row, number)]
        if len(runs) == 1 and "interrupted" not in row:
            return self.figures_of(row, *runs[0])
        counts = {}
        for result, _ in runs:
            events = counts_of(result)
            for name, count in events.items():
                counts[name] = counts.get(name, 0) + count / events["CPU_CYCLES"] / len(runs)
        if "interrupted" in row:
            cold, _ = self.run_one(row, ["--max-instructions", str(row["interrupted"]), "--",
                                         os.path.join(self.folder, programs.ANALYZER)])
            for name, count in counts_of(cold).items():
                counts[name] += count * TICKS / (self.frequencies[row["core"]] * 1e9)
        return [evaluate(expression_of(row), counts)]

    def which_core(self, row):
        """The options that choose the core, with the figures that are changed."""
        if "changes" not in row:
            return ["--cpu", row["core"]]
        changed = {}
        for name, value in row["changes"].items():
            *groups, last = name.split(".")
            members = changed
            for group in groups:
                members = members.setdefault(group, {})
            members[last] = {"value": value, "source": "tried"}
        path = os.path.join(self.folder, "-".join([row["core"], *(f"{name}={value}" for name, value
                                                                  in row["changes"].items())]) + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"name": "changed", "like": row["core"], "sources": {"tried": "an experiment"},
                       "core": changed}, file)
        return ["--core", path]

    def run_one(self, row, words):
        """What a run counted, as plumb says it, and what it printed."""
        expression = expression_of(row)
        out = os.path.join(self.folder, f"out-{os.getpid()}.json")
        events = self.program_events if "program" in row else events_of(expression)
        command = [self.plumb, "stat", "--source", "model", *self.which_core(row), "-e", ",".join(events),
                   "--json", "-o", out,
                   *(["--what-if=" + row["what_if"]] if "what_if" in row else []),
                   *words]
        key = tuple(word for word in command if word != out)
        if key not in self.stored:
            run = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 stdin=subprocess.DEVNULL, env=ENVIRONMENT, cwd=self.folder)
            with open(out, encoding="utf-8") as file:
                self.stored[key] = json.load(file), run.stdout
        return self.stored[key]

    def figures_of(self, row, result, printed):
        expression = expression_of(row)
        names = counts_of(result)
        names.update(GHz=self.frequencies[row["core"]])
        if "program" not in row:
            names.update(work=int(printed))
        return [evaluate(expression, names),
                *(evaluate(expression, {**names, "CPU_CYCLES": part["cycles"]})
                  for part in result.get("what_if", []))]

    def measure(self, row):
        """The figure; and with parts of the core perfect. A size is searched for."""
        if "search" not in row:
            return self.run(row)
        return [search(row["search"], lambda number: self.run(row, number)[0])]


    def diagnose(self, name):
        """The path of the diagnosis of a program of stress.c."""
        out = os.path.join(self.folder, f"out-{os.getpid()}.json")
        subprocess.run([self.plumb, "stat", "--source", "model", "--cpu", "neoverse-n3", "--stages", "all",
                        "--json", "-o", out, "--", os.path.join(self.folder, "stress"), name], check=True,
                       stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            return json.load(file)["diagnosis"]["path"]


def side_by_side(text):
    """The instructions of a text, for each of several registers."""
    return [part.replace("{i}", str(i)).replace("{j}", str(i + SIDE_BY_SIDE))
            for i in range(SIDE_BY_SIDE) for part in text.split(";")]


def bodies_of(forms):
    """[(form, kind, the instructions that are repeated)]"""
    bodies = []
    for form in forms:
        if "chain" in form:
            bodies.append((form, "chain", form["chain"].split(";")))
        if "independent" in form:
            bodies.append((form, "independent", side_by_side(form["independent"])))
    return bodies


def assemble(bodies, folder):
    """Each body's instruction words."""
    source, made, binary = (os.path.join(folder, "forms" + suffix) for suffix in (".s", ".o", ".bin"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(".arch armv8.3-a+crypto+fp16\n")
        for _, _, body in bodies:
            file.write("\n".join(body) + "\n.word 0\n")
    prefix = "" if os.uname().machine == "aarch64" else "aarch64-linux-gnu-"
    subprocess.run([prefix + "gcc", "-c", "-o", made, source], check=True)
    subprocess.run([prefix + "objcopy", "-O", "binary", "-j", ".text", made, binary], check=True)
    with open(binary, "rb") as file:
        words = [f"{word:08x}" for (word,) in struct.iter_unpack("<I", file.read())]
    return [body.split() for body in " ".join(words).split("00000000")[:-1]]


def cycles_of(loop_cycles, core, bodies, folder):
    """How many cycles a core takes for each of the bodies."""
    lines = "\n".join(" ".join(words) for words in assemble(bodies, folder)) + "\n"
    printed = subprocess.run([loop_cycles, core], input=lines, check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    return [float(line.split()[0]) for line in printed.splitlines()]


def measure_forms(loop_cycles, folder):
    """A row for each measured cost of an instruction."""
    with open(os.path.join(HERE, "validation", "instructions.json"), encoding="utf-8") as file:
        bodies = bodies_of(json.load(file))
    rows = []
    for core in ("neoverse-n1", "neoverse-v1"):
        for (form, kind, body), cycles in zip(bodies, cycles_of(loop_cycles, core, bodies, folder)):
            measured = form["measured"][core][kind == "independent"]
            if measured is None:
                continue
            row = {"figure": f"{form['instruction']}, {KINDS[kind]}", "core": core, "source": "Forms",
                   "unit": "cycles" if kind == "chain" else "a cycle", "published": measured,
                   "model": cycles if kind == "chain" else len(body) / cycles,
                   "sets": core in form.get("sets", []), "perfect": []}
            row["error"] = error(row, row["model"])
            tried = form.get("tried", {}).get(core)
            if tried and kind == "independent":
                instead = (form, kind, side_by_side(tried["instead"]))
                row["tried"] = SIDE_BY_SIDE / cycles_of(loop_cycles, core, [instead], folder)[0]
                row["says"] = tried["says"]
            rows.append(row)
    return rows


def measure_loops(loop_cycles, folder):
    """A row for each measured time of a loop, with the instructions that count and end its rounds."""
    clocks, known = loops.read()

    def cycles(core, bodies):
        return cycles_of(loop_cycles, core, [(None, None, body + loops.END) for body in bodies], folder)

    rows = []
    for core in clocks:
        some = [loop for loop in known if core in loop["measured"]]
        for loop, model in zip(some, cycles(core, [loops.instructions(loop["body"]) for loop in some])):
            row = {"figure": loop["loop"] + ", in a loop", "core": core, "source": "Loops", "unit": "cycles",
                   "published": loops.measured(loop, core, clocks), "model": model,
                   "sets": core in loop.get("sets", []), "perfect": []}
            row["error"] = error(row, model)
            tried = loop.get("tried", {}).get(core)
            if tried:
                body = loops.instructions(tried.get("body", loop["body"]), tried.get("times", loops.repeats(loop)))
                row["tried"] = cycles(tried.get("core", core), [body])[0]
                row["says"] = tried["says"]
            rows.append(row)
    return rows


def forms_tried(rows):
    """The experiments with costs that are off by much."""
    return "\n".join(f"- {row['figure']}, {row['core']} ({row['error']:+.0f} %): {row['says']}: "
                     f"{quantity(row['tried'], row['unit'])}, {error(row, row['tried']):+.0f} %."
                     if "tried" in row else f"- {row['figure']}, {row['core']} ({row['error']:+.0f} %): Not explained."
                     for row in rows if missed(row))


def forms_table(rows):
    """Those that are off by more than a tenth."""
    return table([row for row in rows if abs(row["error"]) > 10])


def search(how, value):
    """The largest number for which the value is below the limit."""
    low, high = how["from"], how["to"]
    limit = how["limit"] if "limit" in how else how["times"] * value(low)
    if value(high) < limit:
        low = high
    while high - low > max(1, low // 200):
        middle = (low + high) // 2
        if value(middle) < limit:
            low = middle
        else:
            high = middle
    return low + how.get("plus", 0)


def number(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def quantity(value, unit):
    return number(value) + (" " + unit if unit else "")


def error(row, value):
    """In per cent; of a range, from its nearer end."""
    low, high = limits(row)
    return 100 * (value / min(max(value, low), high) - 1)


def limits(row):
    published = row["published"]
    return published if isinstance(published, list) else (published, published)


def published(row):
    low, high = limits(row)
    text = quantity(high, row["unit"])
    if low != high:
        text = f"{number(low)} to {text}"
    return row["bound"] + " " + text if "bound" in row else text


def holds(row):
    return row["model"] > row["published"] if row["bound"] == "above" else row["model"] < row["published"]


def table(rows):
    lines = ["| figure | core | published | model | error | source |", "|---|---|---:|---:|---:|---|"]
    for row in rows:
        if "bound" in row:
            mark = "holds" if holds(row) else f"{row['error']:+.0f} %"
        else:
            mark = f"{row['error']:+.0f} %" + (" **(much)**" if abs(row["error"]) > MUCH else "")
        lines.append(f"| {row['figure']} | {row['core']} | "
                     f"{published(row)} | "
                     f"{quantity(row['model'], row['unit'])} | {mark} | {row['source']} |")
    return "\n".join(lines)


def stress_table(diagnoses):
    lines = ["| program | what it does | diagnosis |", "|---|---|---|"]
    for name, (by, path) in diagnoses.items():
        lines.append(f"| {name} | {by} | {' > '.join(path)} |")
    return "\n".join(lines)


def loop_cycles_of(plumb):
    return os.path.join(os.path.dirname(plumb), "..", "bench", "model", "loop_cycles")


def judge(plumb):
    """A table of what the test of llvm-mca says; or why there is none."""
    loop_cycles = loop_cycles_of(plumb)
    if not os.path.exists(loop_cycles):
        return "Not measured: `loop_cycles` is not built."
    test = os.path.join(HERE, "..", "test", "interop", "model_mca.py")
    done = subprocess.run([sys.executable, test, loop_cycles, os.path.join(HERE, "model"), "1500"], check=False,
                          stdout=subprocess.PIPE, text=True)
    return mca_table(done.stdout)


def mca_table(tap):
    """A table made from the test's output."""
    lines = ["| core | limit of the loops | loops | median error | 90th percentile |", "|---|---|---:|---:|---:|"]
    core = None
    for line in tap.splitlines():
        begins = re.match(r"(?:not )?ok \d+ - ([^:]+):.*?(# SKIP .*)?$", line)
        if begins:
            core = begins[1]
            if begins[2]:
                lines.append(f"| {core} | {begins[2][len('# SKIP '):]} | – | – | – |")
        found = re.match(r"# (\d+) blocks where (ports and latencies|dispatch).*: median ([\d.]+) %, "
                         r"90th percentile ([\d.]+) %", line)
        if found:
            lines.append(f"| {core} | {found[2]} | {found[1]} | {found[3]} % | {found[4]} % |")
    return "\n".join(lines)


def by_the_other(row):
    """A contradicted row, judged by the other published figure."""
    other = {**row, **row["other"]}
    return {**other, "error": error(other, row["model"])}


def contradicted_table(rows):
    lines = ["| figure | core | model | published | error | source | the other | error | source |",
             "|---|---|---:|---:|---:|---|---:|---:|---|"]
    for row in rows:
        other = by_the_other(row)
        lines.append(f"| {row['figure']} | {row['core']} | {quantity(row['model'], row['unit'])} | "
                     f"{published(row)} | {row['error']:+.0f} % | {row['source']} | {published(other)}: "
                     f"{other['says']} | {other['error']:+.0f} % | {other['source']} |")
    return "\n".join(lines)


def missed(row):
    return not holds(row) if "bound" in row else abs(row["error"]) > MUCH


def misses(rows):
    """The rows that something is said of."""
    lines = []
    for row in rows:
        note = row.get("note") or row.get("contradicts")
        if not note and "program" in row:
            continue  # the page says why, of all of them
        if not note and missed(row):
            note = "Not explained."
        if not note:
            continue
        perfect = "".join(f" With `--what-if={row['what_if']}`: {quantity(value, row['unit'])}, "
                          f"{error(row, value):+.0f} %." for value in row["perfect"])
        if "experiment" in row:
            perfect += (f" {row['experiment']['says']}: {quantity(row['tried'], row['unit'])}, "
                        f"{error(row, row['tried']):+.0f} %.")
        lines.append(f"- {row['core']}, {row['figure']} ({row['error']:+.0f} %): {note}{perfect}")
    return "\n".join(lines)


def summary(rows):
    """(number of rows, median error, rows that are off by much)"""
    errors = [abs(row["error"]) for row in rows]
    return len(errors), statistics.median(errors or [0]), sum(error > MUCH for error in errors)


def report(rows, diagnoses, judged, lacking="", forms=()):
    bounds = [row for row in rows if "bound" in row]
    figures = [row for row in rows if "bound" not in row]
    contradicted = [row for row in figures if "contradicts" in row]
    free = [row for row in figures
            if not row.get("sets") and "program" not in row and "contradicts" not in row]
    applications = [row for row in figures if "program" in row]
    chosen = [row for row in figures if row.get("sets")]
    count, median, much = summary(free)
    settled = [by_the_other(row) for row in contradicted]
    with_contradicted, contradicted_median, contradicted_much = summary(free + settled)
    counted = [row for row in applications if not row.get("sets")]
    all_count, all_median, all_much = summary(free + settled + counted)
    _, worse_median, worse_much = summary(free + contradicted + counted)
    free_forms = [row for row in forms if not row["sets"]]
    mixed = [row for row in forms if row["source"] == "Loops"]
    forms_count, forms_median, forms_much = summary([row for row in free_forms if row not in mixed])
    mixed_count, mixed_median, mixed_much = summary([row for row in free_forms if row in mixed])
    total, total_median, total_much = summary(free + contradicted + counted + free_forms)
    used = sorted({row["source"] for row in [*rows, *forms, *settled]})
    sources = "\n".join(f"- {name}: {SOURCES[name]}." for name in used)
    programs_table = table(applications) if applications else f"Not measured: {lacking}."
    return f"""# The model beside published figures

`make validate` makes this page from a run; [`bench/validation`](../bench/validation) has the published figures and
the microbenchmarks. The error is how much the model's figure is above the published one.

Figures by which no parameter was chosen:

| figures | number | median error | off by more than {MUCH} % |
|---|---:|---:|---:|
| without those that contradict another published one | {count} | {median:.0f} % | {much} |
| with those {len(contradicted)}, by the other figure | {with_contradicted} | {contradicted_median:.0f} % | {contradicted_much} |
| and with {len(counted)} counters of programs | {all_count} | {all_median:.0f} % | {all_much} |
| the same, by the figures that another one contradicts | {all_count} | {worse_median:.0f} % | {worse_much} |
| costs of instructions | {forms_count} | {forms_median:.0f} % | {forms_much} |
| loops of integer instructions | {mixed_count} | {mixed_median:.0f} % | {mixed_much} |
| all of these, by the same | {total} | {total_median:.0f} % | {total_much} |

Where only a bound was published, the model is within {sum(holds(row) for row in bounds)} of {len(bounds)}.
The rows of latencies within the core, and of additions, multiplications, loads and stores per cycle, are easy: these
parameters have another source, Arm's guides, which mostly agree. So are most costs of instructions, of which the
source is LLVM's models; they show where these and the cores differ.

## Figures that set no parameter

{table(free)}

## Figures that contradict others

These cannot be true together with another published figure of the same core, or of its twin, which the model follows;
[below](#misses) is why. No parameter follows the first figure, and none was changed to agree with both.

{contradicted_table(contradicted)}

## Instructions

Latencies and numbers per cycle of {len(forms) - len(mixed)} forms as measured on Ampere Altra and Graviton3, beside loops of the same
in the core model: one form of each kind that was measured, the plainest. Left out are branches, and vector loads and
stores, whose loops are not published in full; atomics, which set a parameter of their own; divisions, which depend on
unknown operands; and flags that are read and set. These are off by more than 10 %; the others agree:

{forms_table([row for row in forms if row not in mixed])}

Most costs are those of LLVM's models. Where these differ from what was measured of Cortex-X1, from which V1 is derived,
V1 has the latter: its reductions, pairwise additions, long multiplications and accumulators. Accumulators were measured
to take 2.3 cycles on average; the model has 2. `addv` of 8 elements was measured to take 1 cycle longer on Altra than in
LLVM's model of N1.

The measured rates of `ldp` and `stp` are below what the pipes in the guides allow, by limits that nobody names, and
which are the same on other machines with these cores (Graviton2, Cortex-X1). The model follows the guides, as LLVM does.
The loops of 32-bit `ldp` have an addition before each pair. All stores of a loop go to one place. The same author
measured 0.33 `str q` and 0.17 `stp q` a cycle on Altra, and 0.33 `stp q` on Graviton3, where `stp` and `str q` reached
1.99: three cycles for each time that the same 16 bytes are written on N1, or the same 32 bytes on V1. The model has no
such limit, since nobody has measured stores to different places.
These are off by more than {MUCH} %:

{forms_tried([row for row in forms if row not in mixed])}

## Loops of integer instructions

How many cycles loops of 32 or 33 integer instructions take, none of which waits for another but by the carry: {len(mixed)}
as measured on Altra, Graviton3 and Grace. Grace's clock is not published; at 3.29 GHz it does the two multiplications a
cycle which its core can do. These are off by more than 10 %; the others agree:

{forms_table(mixed)}

On N1, all agree but division. Both operands are known here, and the quotient is 224: all three cores take 6 cycles, where
the model has a typical 7. On V1, `umulh` leaves less room for other operations than `mul` does, as if it took a cycle of
another pipe as well. The model's V1 has that now, by the six loops that show it. It does not explain why a chain of carries
takes nearly a cycle longer for each `umulh` beside it, on V1 and V2 alike, and nobody has published why. So arithmetic of
long numbers takes longer than in the model. V2 takes as long for these loops as the model's V1, which has four pipes for
integer operations. V2's guide has six, which the model follows, as LLVM does; but four additions per cycle were measured on
Graviton4, too ([below](#misses)). These are off by more than {MUCH} %:

{forms_tried(mixed)}

## Programs

OpenSSL's and `log_analyzer`'s work is published, 7-Zip's and Python's is not: these are the same programs with other work.
So they show whether the model is of the right kind, not how exact it is. `programs.py` has our work, which begins 10 ms
after the program starts. [`access_log.c`](../bench/validation/access_log.c) stands in for `log_analyzer`: it was written
after a description of what that does with each line, and reads a log made likewise. Counters of Analyzer include the
kernel's work, a tenth of `log_analyzer`'s cycles: it reads the file in 11,000 calls for each pass. `access_log.c` does
that work itself: it copies each page of the file, from pages in no order, and reads 48 other pages before. The shares of
the frontend and backend are stalled cycles. The machine of Analyzer is assumed to be like Altra.

{programs_table}

## Bounds

{table(bounds)}

## Figures by which a parameter was chosen

These show that the rules lead to what the parameters say, no more. Sizes are found as those who published them found
theirs, by how long a loop takes as it grows; the loops know no parameter.

{table(chosen)}

## Misses

{misses(rows)}

The microbenchmarks use pages of 4 KiB. Beyond the reach of the TLBs each load also waits for a page walk; whether
that was so when the figures were measured is not published.

## ustress

Arm's ustress has 23 workloads, each of which stresses one part of a core. They are not in this tree.
[`stress.c`](../test/model/programs/stress.c) has programs of our own with their names, which stress the same parts; the
test `stress` asserts where the diagnosis of Neoverse N3's model ends:

{stress_table(diagnoses)}

`isb` flushes the pipeline, which Arm's level 1 counts as bad speculation. A load of what was just stored is forwarded:
it waits for no cache and no store buffer, so it is bound by the core; one that the core cannot forward waits for the
store.

Arm's own workloads were tried as well, by hand: they were rewritten from their published sources, and neither they nor
their figures below come from the script. On N3 four of 23 end elsewhere:

- `l1d_tlb` loads from 4 times as many pages as the L1 TLB has entries; the L2 TLB has all of them. Its loop in C, where
  each address depends on the load before, is nearly a tie: of its stalls, 45 % are the 5 cycles of the L2 TLB, and 54 %
  those of L1D and of the sum, which are the core's; the diagnosis names both halves of the chain as a tie. In assembly,
  the addresses are a chain of their own, which hides the TLB.
- `load_after_store` loads bytes that a store of 8 bytes cannot forward: 39 % of the stalls are the store's, 61 % those of
  the additions and divisions behind it.
- `memcpy` copies within L1D, and `store_buffer_full` stores to 52 lines of it. Both end in useful work.

On N1, N2, V1 and V2 the first two end likewise. Others, in short runs: `l2d_cache` ends in L1D misses that hit L2 on V1
and V2; `branch_direct` on V1 and V2, and `call_return` on N2, V1 and V2, end in refilling after a flush, a frontend node;
`store_buffer_full` ends in useful work on N2 and V1, and in the frontend on V2; `memcpy` in useful work on V1 and V2. On
N1, the diagnosis of `branch_indirect`, `int2double` and `store_buffer_full` names no path.

A summary of Arm's white paper on Neoverse V1 has figures of some: `l1d_tlb` is 61 % backend bound (model: 68 %), `memcpy`
63 % (23 %), `store_buffer_full` 52 % (2 %); `load_after_store` loses 36 % to bad speculation (1 %). The model has no loads
that run ahead of stores by mistake. That V1 writes one line per cycle to L1D would explain `store_buffer_full`; it is not
in the model.

## Not compared

- The model has no fusion of NOPs, no macro-operation cache and no second level of the return stack, so figures of
  these have no row.
- The system cache's bandwidth with 80 cores of Altra: their L2 caches together are larger than its system cache, so
  what was read from where is unknown.
- Analyzer's counters of SQLite and Brotli. A Python script of SQLite spent 45 % of its time in the kernel, whose
  instructions are counted. Those of Brotli are of the whole system for 15 ms, each counted for a part of that.
- Counts of programs whose input nobody has (SPEC CPU2017, ChampSim, AI Benchmark, `false_sharing`), and those of
  stride, which was measured on a Cortex-A76.
- The functions of the strobing benchmark other than the one of `isb`: their loops have an unpublished mix.
- V2's integer queue with 40 branches in it, N1's loads in flight by the second test (37 instead of 56).

## llvm-mca

LLVM's `llvm-mca` has the cores' ports and latencies from Arm's guides. Loops of real code, in cycles per iteration,
against it (the test `model_mca` asserts a median of 2 % and a 90th percentile of 10 %; `make bench-model` prints more):

{judged}

## Sources

{sources}
"""


def stress_programs():
    with open(os.path.join(MODEL_TESTS, "stress.json"), encoding="utf-8") as file:
        return json.load(file)


def figures():
    with open(os.path.join(HERE, "validation", "figures.json"), encoding="utf-8") as file:
        return json.load(file)


def measure_row(machine, row):
    """The row, with what was measured."""
    row["model"], *row["perfect"] = machine.measure(row)
    row["error"] = error(row, row["model"])
    if "experiment" in row:
        row["tried"] = machine.measure({**row, **row["experiment"]})[0]
    print(f"{row['core']}: {row['figure']}: {quantity(row['model'], row['unit'])}, published "
          f"{published(row)}", file=sys.stderr, flush=True)
    return row


def run_program(machine, row):
    """What the runs of a row counted."""
    machine.measure(row)
    return machine.stored


def program_runs(rows):
    """A row for each different run of a program, as several rows are of the same one."""
    runs = {}
    for row in rows:
        for one in (row, {**row, **row.get("experiment", {})}):
            if "program" in one:
                key = json.dumps([one.get(name) for name in ("core", "program", "what_if", "changes", "interrupted")])
                runs.setdefault(key, one)
    return list(runs.values())


def measure_all(machine, rows, jobs):
    """Measures rows, several at a time; programs, which take longest, first."""
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        runs = [pool.submit(run_program, machine, row) for row in program_runs(rows)]
        others = {number: pool.submit(measure_row, machine, row)
                  for number, row in enumerate(rows) if "program" not in row}
        for run in runs:
            machine.stored.update(run.result())
        return [others[number].result() if number in others else measure_row(machine, row)
                for number, row in enumerate(rows)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("plumb")
    parser.add_argument("output", nargs="?", default=os.path.join(HERE, "..", "doc", "validation.md"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: one a processor)")
    return parser.parse_args()


@contextlib.contextmanager
def place():
    """A folder that always has the same path."""
    try:
        os.mkdir(PLACE, 0o700)
    except FileExistsError as error:
        raise RuntimeError(f"{PLACE} exists: another run goes on, or was killed; remove the folder") from error
    try:
        yield PLACE
    finally:
        shutil.rmtree(PLACE)


def make_page(plumb, jobs):
    """All rows, those of instructions' costs, and the page."""
    rows, forms = figures(), []
    with place() as folder:
        build(folder)
        programs.build_analyzer(folder, compiler())
        lacking = programs.fetch(folder)
        if lacking:
            rows = [row for row in rows if row.get("program", programs.ANALYZER).startswith(programs.ANALYZER)]
        machine = Machine(plumb, folder)
        rows = measure_all(machine, rows, jobs)
        diagnoses = {name: (what["by"], machine.diagnose(name))
                     for name, what in stress_programs().items()}
        if os.path.exists(loop_cycles_of(plumb)):
            forms = [*measure_forms(loop_cycles_of(plumb), folder), *measure_loops(loop_cycles_of(plumb), folder)]
    return rows, forms, report(rows, diagnoses, judge(plumb), lacking, forms)


def main():
    arguments = parse_arguments()
    try:
        page = make_page(os.path.abspath(arguments.plumb), arguments.jobs)[2]
    except RuntimeError as error:
        sys.exit(f"validation: {error}")
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
