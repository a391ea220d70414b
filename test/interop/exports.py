# SPDX-License-Identifier: Apache-2.0
"""What the tests of exporting share: what to export, and doing it."""
import json
import os
import subprocess
from pathlib import Path

ARM_FILES = 17  # CPU specifications among the reference


def reference_folder():
    """Where Arm's files are, or None."""
    folder = Path(os.environ.get("PLUMB_REFERENCE", ""), "mrs")
    return folder if os.environ.get("PLUMB_REFERENCE") and folder.is_dir() else None


def arm_files():
    """Arm's CPU specifications, none if they are not here."""
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
    """What is written for a CPU: an id or a file's path."""
    return run(plumb, "export", "--cpu", cpu, "--format", form, *options)


def built_in(plumb):
    """The ids of the built-in specifications."""
    return [cpu["name"] for cpu in json.loads(run(plumb, "list", "cpus", "--json"))["cpus"]]


def cpus(plumb):
    """Everything there is to export: built-in ids, then Arm's files."""
    return built_in(plumb) + arm_files()


def facts(plumb, cpu):
    """What a specification says: Arm's own file as it is, or the JSON of a built-in one."""
    if isinstance(cpu, Path):
        return json.loads(cpu.read_bytes())
    return json.loads(export(plumb, cpu, "mrs"))


def name_of(cpu):
    return cpu.name if isinstance(cpu, Path) else cpu


def expect(condition, message):
    if not condition:
        raise AssertionError(message)
