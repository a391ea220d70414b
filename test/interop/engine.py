# SPDX-License-Identifier: Apache-2.0
"""The engine that a plumb in its build tree runs the model in, unless told otherwise.

engine.py PLUMB prints its path; status 1 if there is none.
"""
import json
import os
import shutil
import subprocess
import sys

NAME = "qemu-aarch64"
CORES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../model/cores")


def takes_plugins(path):
    run = subprocess.run([path, "--help"], check=False, capture_output=True)
    return run.returncode == 0 and b"-plugin " in run.stdout


def candidates(plumb):
    """The paths of those that take plugins: the one beside the plugins, then those in PATH."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(plumb)))
    folders = [os.path.join(build, "model/qemu")] + os.get_exec_path()
    found = (shutil.which(NAME, path=folder) for folder in folders)
    return (path for path in found if path and takes_plugins(path))


def find(plumb):
    """The path of the first candidate; or None."""
    return next(candidates(plumb), None)


def interface(path):
    """The version of its plugin interface, by which plugins are named (model/qemu/qemu_plugin.h)."""
    return 1 if version(path) < (9, 0) else 2 if version(path) == (9, 0) else 3


def command(path, plugin):
    """
    How Plumb starts it for Neoverse N3, but for the plugin: "%d" in its path is the interface. With
    count_plugin.c programs have the same start as under the model (model/qemu/start.h).
    """
    with open(os.path.join(CORES, "neoverse-n3.json"), encoding="utf-8") as file:
        core = {name: figure["value"] for name, figure in json.load(file)["core"].items() if "value" in figure}
    cpu = f"midr={core['midr']},pauth-impdef=on"
    if version(path) >= (9, 0):
        cpu = f"{core['engine_cpu']},{cpu}"
    else:
        cpu = f"max,sve-max-vq={core['vector_bytes'] // 16},sme=off,{cpu}"
    return ["setarch", "--addr-no-randomize", path, "-cpu", cpu,
            "-seed", "1", *(["-R", "0xff00000000"] if version(path) >= (9, 0) else []),
            "-plugin", f"{plugin % interface(path)},features={core['features']}"]


def absent(plumb):
    """Why there is none, or None."""
    return None if find(plumb) else f"there is no {NAME} that takes plugins"


def version(path):
    """(major, minor)"""
    text = subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout
    major, minor = text.split(" version ")[1].split(".")[:2]
    return int(major), int(minor)


if __name__ == "__main__":
    print(find(sys.argv[1]) or sys.exit(1))
