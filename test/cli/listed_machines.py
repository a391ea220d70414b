#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
Compares what plumb list says of copies of machines' files (test/machines) with those files.

listed_machines.py PLUMB FOLDER NAME...

A core's common events are counted if its PMU's files show them, and a metric if all its events are. Prints
how many of each there were.
"""

import functools
import glob
import json
import subprocess
import sys

# Without a PMU, or with cores of which there is no specification.
UNKNOWN = {"kunpeng920", "no-perf", "phone", "raspberrypi5", "vm-without-pmu", "vm-without-tables"}
COMMON = 0x40
CHAIN = 0x1e  # which Linux does not show


@functools.cache
def metrics_of(plumb, cpu):
    """The names of the events of each metric."""
    text = subprocess.run([plumb, "spec", "export", "--format", "mrs", "--cpu", cpu],
                          stdout=subprocess.PIPE, check=True).stdout
    return {name: metric["events"] for name, metric in json.loads(text)["metrics"].items()}


def shown(tree):
    """The codes of each core PMU's events."""
    for events in glob.glob(tree + "/sys/bus/event_source/devices/armv*/events"):
        yield {int(open(file, encoding="ascii").read().split("=")[1], 16)
               for file in glob.glob(events + "/*")}


def listed(plumb, tree, what):
    run = subprocess.run([plumb, "list", "--root", tree, "-v", "--json", what],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return run.returncode, json.loads(run.stdout or "{}")


def main():
    plumb, folder, *names = sys.argv[1:]
    said, lacking = 0, 0
    for name in names:
        status, events = listed(plumb, f"{folder}/{name}", "events")
        assert status == (3 if name in UNKNOWN else 0), (name, status)
        if status:
            continue
        counted = {event["name"]: event["counted"] for event in events["events"]}
        common = {int(event["code"], 16): event["counted"] for event in events["events"]
                  if int(event["code"], 16) < COMMON and int(event["code"], 16) != CHAIN}
        assert any(all(common[code] == (code in codes) for code in common)
                   for codes in shown(f"{folder}/{name}")), name
        status, metrics = listed(plumb, f"{folder}/{name}", "metrics")
        wanted = metrics_of(plumb, events["cpu"])
        assert {metric["name"] for metric in metrics["metrics"]} == set(wanted), name
        for metric in metrics["metrics"]:
            assert metric["counted"] == all(counted[event] for event in wanted[metric["name"]]), \
                (name, metric["name"])
            lacking += not metric["counted"]
        said += len(metrics["metrics"])
    assert said and lacking
    print(f"{len(names)} machines, {said} metrics, {lacking} of them not counted")


main()
