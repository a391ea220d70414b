# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests beside perf: labels in functions, where perf finds the label or the function."""
import functools
import re
import shutil
import subprocess
from pathlib import Path


def readelf(option, path):
    return subprocess.run(["readelf", option, path], capture_output=True, check=True).stdout.decode(
        "utf-8", "replace")


@functools.lru_cache
def inner_labels():
    """The labels without a size in functions of the C library: {name: (function, how far in it)}."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        library = next((line.split()[-1] for line in maps if "/libc.so" in line), None)
    if not library or not shutil.which("readelf"):
        return {}
    build_id = re.search(r"Build ID: (\w\w)(\w+)", readelf("-n", library))
    debug = Path("/usr/lib/debug/.build-id", build_id[1], build_id[2] + ".debug") if build_id else None
    functions, labels = [], []
    for line in readelf("-sW", debug if debug and debug.exists() else library).splitlines():
        words = line.split()
        if len(words) == 8 and words[6].isdigit():
            start, size = int(words[1], 16), int(words[2], 0)
            if words[3] == "FUNC" and size:
                functions.append((start, size, words[7]))
            elif words[3] == "NOTYPE" and not size:
                labels.append((start, words[7]))
    return {label: (function, at - start) for at, label in labels
            for start, size, function in functions if start < at < start + size}
