#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes doc/validation.md: published figures of cores beside the model's, of our own microbenchmarks.

    validation.py PLUMB [OUTPUT]

bench/validation/figures.json has the published figures; `sets`: a parameter of the model was chosen
by it. bench/validation/probe.c has the microbenchmarks. Needs a compiler for AArch64.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = {
    "ASCT": "learn.arm.com, Arm System Characterization Tool on Graviton2 and Graviton4",
    "CC-N1": "Chips and Cheese on Ampere Altra, 22 Oct 2021",
    "CC-N2": "Chips and Cheese on Yitian 710, 18 Aug 2023",
    "CC-V1": "Chips and Cheese on Graviton3, 29 May 2022",
    "CC-V2": "Chips and Cheese on Graviton4, 22 Jul 2024",
    "CC-A725": "Chips and Cheese on Cortex-A725, N3's nearest relative, 27 Jan 2026",
    "Arm-div": "learn.arm.com, \"Measure cross-platform performance with topdown-tool and Perf PMU "
               "counters\"; its operations per iteration over its IPC",
}
MUCH = 30  # per cent


def build(folder):
    probe = os.path.join(folder, "probe")
    native = os.uname().machine == "aarch64"
    subprocess.run(["gcc" if native else "aarch64-linux-gnu-gcc", "-O2", "-static", "-o", probe,
                    os.path.join(HERE, "validation", "probe.c")], check=True)
    return probe


def frequencies(plumb):
    """{core or platform: Hz}"""
    listed = json.loads(subprocess.run([plumb, "list", "cores", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    return {core["name"]: core["frequency_mhz"] * 1e6 for core in listed["cores"]}


def measure(plumb, probe, row, folder):
    """Returns cycles per operation of the probe; and those with a part of the core perfect."""
    out = os.path.join(folder, "out.json")
    run = subprocess.run([plumb, "stat", "--source", "model", "--cpu", row["core"], "-e", "CPU_CYCLES",
                          "--from", "measure", "--to", "measured", "--json", "-o", out,
                          *(["--what-if=" + row["what_if"]] if "what_if" in row else []), "--",
                          probe, *row["probe"].split()], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        result = json.load(file)
    counts = [event["count"] for event in result["events"] if event["name"] == "CPU_CYCLES"]
    counts += [part["cycles"] for part in result.get("what_if", [])]
    addition = row["probe"].startswith("chase")  # of an address
    return [count / int(run.stdout) - addition for count in counts]


def convert(cycles, unit, hertz):
    return {"cycles": cycles, "ns": cycles * 1e9 / hertz, "GB/s": hertz / cycles / 1e9,
            "B/cycle": 1 / cycles, "a cycle": 4 / cycles}[unit]


def table(rows):
    lines = ["| figure | core | published | model | error | source |", "|---|---|---:|---:|---:|---|"]
    for row in rows:
        much = " **(much)**" if abs(row["error"]) > MUCH else ""
        lines.append(f"| {row['figure']} | {row['core']} | {row['published']:g} {row['unit']} | "
                     f"{row['model']:.3g} {row['unit']} | {row['error']:+.0f} %{much} | "
                     f"{row['source']} |")
    return "\n".join(lines)


def misses(rows):
    """The rows that something is said of."""
    lines = []
    for row in rows:
        perfect = "".join(f" With `--what-if={row['what_if']}`: {value:.3g} {row['unit']}, "
                          f"{100 * (value / row['published'] - 1):+.0f} %."
                          for value in row["perfect"])
        note = row.get("note")
        if not note and abs(row["error"]) > MUCH:
            note = "Not explained."
        if note:
            lines.append(f"- {row['core']}, {row['figure']} ({row['error']:+.0f} %): {note}{perfect}")
    return "\n".join(lines)


def report(rows):
    free = [row for row in rows if not row.get("sets")]
    errors = [abs(row["error"]) for row in free]
    used = sorted({row["source"] for row in rows})
    sources = "\n".join(f"- {name}: {SOURCES[name]}." for name in used)
    return f"""# The model beside published figures

`make validate` makes this page from a run; [`bench/validation`](../bench/validation) has the published figures and
the microbenchmarks. The error is how much the model's figure is above the published one.

Of {len(free)} figures by which no parameter was chosen, the median error is {statistics.median(errors):.0f} %;
{sum(error > MUCH for error in errors)} are off by more than {MUCH} %.
The rows of additions, multiplications and loads per cycle are easy: the cores' pipes have other sources, Arm's
guides, which mostly agree. Sizes of structures, branches and counters of whole programs are not compared yet.

## Figures that set no parameter

{table(free)}

## Figures by which a parameter was chosen

These show that the rules lead to what the parameters say, no more.

{table([row for row in rows if row.get("sets")])}

## Misses

{misses(rows)}

The microbenchmarks use pages of 4 KiB. Beyond the reach of the TLBs each load also waits for a page walk; whether
that was so when the figures were measured is not published.

## Sources

{sources}
"""


def main():
    plumb = sys.argv[1]
    with open(os.path.join(HERE, "validation", "figures.json"), encoding="utf-8") as file:
        rows = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        probe, hertz = build(folder), frequencies(plumb)
        for row in rows:
            figures = [convert(cycles, row["unit"], hertz[row["core"]])
                       for cycles in measure(plumb, probe, row, folder)]
            row["model"], row["perfect"] = figures[0], figures[1:]
            row["error"] = 100 * (row["model"] / row["published"] - 1)
            print(f"{row['core']}: {row['figure']}: {row['model']:.4g} {row['unit']}, published "
                  f"{row['published']:g}", file=sys.stderr)
    path = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "doc", "validation.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(report(rows))


if __name__ == "__main__":
    main()
