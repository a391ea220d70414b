#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that errors in a core's data stop the build with a message that names the place.

    core_data.py MODEL

MODEL is the project's model/ folder. Each test puts one error into a copy of a core's data.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402

tap = Tap()


def generate(model, data, folder):
    path = folder / "core.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return subprocess.run([sys.executable, model / "cores" / "generate.py", model / "params.h",
                           model / "classes.def", folder / "out.c", folder / "listing.c", path],
                          text=True, capture_output=True, check=False)


def load(model):
    return json.loads((model / "cores" / "neoverse-n3.json").read_text(encoding="utf-8"))


def refused(name, message, change):
    """A test: after `change`, the generator fails with `message` in its error."""
    def test(model):
        with tempfile.TemporaryDirectory() as folder:
            data = load(model)
            change(data)
            done = generate(model, data, Path(folder))
            if done.returncode == 0:
                raise AssertionError("the generator accepted it")
            if message not in done.stderr or "Traceback" in done.stderr:
                raise AssertionError(f"the message is {done.stderr[-300:]!r}, without {message!r}")
    test.__doc__ = name
    tap.test(test)


@tap.test
def sound(model):
    """Unchanged data produces tables, the same every time"""
    with tempfile.TemporaryDirectory() as folder:
        texts = set()
        for _ in range(2):
            done = generate(model, load(model), Path(folder))
            if done.returncode:
                raise AssertionError(done.stderr[-300:])
            texts.add((Path(folder) / "out.c").read_text(encoding="utf-8"))
        if len(texts) != 1 or "CLASS_INT_ALU" not in texts.pop():
            raise AssertionError("two different tables, or none")


@tap.test
def subclass(model):
    """A subclass that is missing costs as much as the class that it is of"""
    with tempfile.TemporaryDirectory() as folder:
        data = load(model)
        data["classes"].pop("LOAD_PAIR_X")
        done = generate(model, data, Path(folder))
        if done.returncode:
            raise AssertionError(done.stderr[-300:])
        lines = (Path(folder) / "out.c").read_text(encoding="utf-8").splitlines()
        costs = [line.split("= {")[1].split(".accumulates")[0] for line in lines
                 for name in ("LOAD_PAIR", "LOAD_PAIR_X") if f"[CLASS_{name}]" in line]
        if len(costs) != 2 or costs[0] != costs[1]:
            raise AssertionError(f"different costs: {costs}")


def value(entry, new):
    entry["value"] = new


refused("A field is missing", "core.slots: missing", lambda d: d["core"].pop("slots"))
refused("A field of a cache is missing", "core.l2.ways: missing",
        lambda d: d["core"]["l2"].pop("ways"))
refused("A field is unknown", "unknown slotz",
        lambda d: d["core"].update(slotz={"value": 5, "source": "assumed"}))
refused("A value has no source", "core.slots: source None",
        lambda d: d["core"]["slots"].pop("source"))
refused("A source is not among the sources", "source 'hearsay'",
        lambda d: d["core"]["slots"].update(source="hearsay"))
refused("A value is too large for its type", "core.slots: 300 does not fit uint8_t",
        lambda d: value(d["core"]["slots"], 300))
refused("A value is not a number", "core.slots", lambda d: value(d["core"]["slots"], "five"))
refused("A value is a fraction", "core.slots: 4.5 is not a number",
        lambda d: value(d["core"]["slots"], 4.5))
refused("A value is negative", "core.slots", lambda d: value(d["core"]["slots"], -1))
refused("A list is too long", "core.predictor.history: not a list",
        lambda d: value(d["core"]["predictor"]["history"], list(range(17))))
refused("A class is missing", "classes.INT_ALU: missing", lambda d: d["classes"].pop("INT_ALU"))
refused("A class accumulates for one that is unknown", "unknown class 'FP_X'",
        lambda d: d["classes"]["FP_MUL"].update(accumulates="FP_X"))
refused("A class is unknown", "classes: unknown INT_ALL",
        lambda d: d["classes"].update(INT_ALL=d["classes"]["INT_ALU"]))
refused("A class has no source", "classes.INT_ALU: source None",
        lambda d: d["classes"]["INT_ALU"].pop("source"))
refused("A class has no latency", "latency: missing",
        lambda d: d["classes"]["INT_ALU"].pop("latency"))
refused("A class has an unknown property", "classes.INT_ALU: unknown latencies",
        lambda d: d["classes"]["INT_ALU"].update(latencies=1))
refused("A class needs an unknown port", "unknown port or group 'Y'",
        lambda d: d["classes"]["INT_ALU"].update(parts="Y"))
refused("A class's parts are malformed", "part '2**V'",
        lambda d: d["classes"]["INT_ALU"].update(parts="2**V"))
refused("A class is wide, but nothing says on which ports", "halves: not an object",
        lambda d: d["classes"]["SVE_FMA"].update(wide=True))
refused("A class is wide, but none of its ports has another half", "wide, but no part has another",
        lambda d: (d.update(halves={"value": {"V0": "V1"}, "source": "n3"}),
                   d["classes"]["INT_ALU"].update(wide=True)))
refused("A class has too many parts", "more than 6 parts",
        lambda d: d["classes"]["INT_ALU"].update(parts="B S M V L D B"))
refused("A class names an unknown queue", "unknown queue 'QX'",
        lambda d: d["classes"]["INT_ALU"].update(queue="QX"))
refused("A group names an unknown port", "unknown port or group 'V9'",
        lambda d: d["groups"].update(V="V0 V9"))
refused("A duplicate port", "ports: more than 24, or duplicates",
        lambda d: d["ports"]["value"].append("V0"))
refused("The queues are missing", "queues: missing", lambda d: d.pop("queues"))

tap.run(Path(sys.argv[1]))
