# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of exporting: what to export, and how."""
import json
import os
import subprocess
from pathlib import Path

ARM_FILES = 17  # CPU specifications among the reference


def reference_folder():
    """Returns the folder of Arm's files, or None."""
    folder = Path(os.environ.get("PLUMB_REFERENCE", ""), "mrs")
    return folder if os.environ.get("PLUMB_REFERENCE") and folder.is_dir() else None


def arm_files():
    """Returns Arm's CPU specifications; none if they are not available."""
    folder = reference_folder()
    files = sorted(folder.glob("cpu/*_pmu.json")) if folder else []
    if folder and len(files) != ARM_FILES:
        raise AssertionError(f"{len(files)} files instead of {ARM_FILES} in {folder}")
    return files


def run(plumb, *arguments):
    done = subprocess.run([plumb, "spec", *arguments], capture_output=True)
    if done.returncode or done.stderr:
        raise AssertionError(f"{' '.join(map(str, arguments))}: {done.stderr.decode()}")
    return done.stdout


def export(plumb, cpu, form, *options):
    """Returns the export of a CPU: an id or the path of a file."""
    return run(plumb, "export", "--cpu", cpu, "--format", form, *options)


def built_in(plumb):
    """The ids of the built-in specifications."""
    return [cpu["name"] for cpu in json.loads(run(plumb, "list", "cpus", "--json"))["cpus"]]


def cpus(plumb):
    """Returns everything to export: built-in ids, then Arm's files."""
    return built_in(plumb) + arm_files()


def facts(plumb, cpu):
    """Returns a specification as JSON: Arm's own file, or the export of a built-in one."""
    if isinstance(cpu, Path):
        return json.loads(cpu.read_bytes())
    return json.loads(export(plumb, cpu, "mrs"))


def name_of(cpu):
    return cpu.name if isinstance(cpu, Path) else cpu


def expect(condition, message):
    if not condition:
        raise AssertionError(message)
