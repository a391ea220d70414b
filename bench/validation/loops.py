# SPDX-License-Identifier: Apache-2.0
"""Loops of integer instructions whose time was measured, from loops.json.

  "clocks"  GHz of each core's machine
  "loops"   [{"loop": a name, "body": instructions that are repeated until there are 32 or more,
            "measured": {core: nanoseconds per instruction}, "sets": cores whose costs follow it,
            "tried": {core: an experiment}}]

A body's {r} is one of 16 registers in turn, {before} the one before it. An experiment has "says", and a
"body" to execute instead, or another "core" to execute it on.
"""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
REGISTERS = [*range(3, 18), 19]
LEAST = 32  # instructions
END = ["sub x0, x0, #1", "nop", "nop"]  # the counter, and for each of two branches what takes a slot, too


def instructions(body, times=None):
    """The instructions of a loop: a body `times` times, or as often as those measured."""
    parts, code = body.split("; "), []
    number = 0
    while times is None and len(code) < LEAST or times:
        for part in parts:
            code.append(part.format(r=f"x{REGISTERS[number % len(REGISTERS)]}",
                                    before=f"x{REGISTERS[number % len(REGISTERS) - 1]}"))
            number += "{r}" in part
        times = times and times - 1
    return code


def repeats(loop):
    """How often the body of a measured loop is in it."""
    return len(instructions(loop["body"])) // len(loop["body"].split("; "))


def read():
    """({core: GHz}, loops)"""
    with open(os.path.join(HERE, "loops.json"), encoding="utf-8") as file:
        known = json.load(file)
    return known["clocks"], known["loops"]


def measured(loop, core, clocks):
    """How many cycles a loop took, without its end; None if nobody measured it."""
    if core not in loop["measured"]:
        return None
    return loop["measured"][core] * clocks[core] * len(instructions(loop["body"]))
