# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests beside perf: whose samples and text Plumb is to have, by the perf there is."""
import re
import shutil
import subprocess

# The first version of those that make samples as Plumb does by default.
NEWEST = (7, 3)


class Perf:
    """The perf that is found."""

    def __init__(self):
        self.version = None
        self.like = ""  # what --like-perf is to be
        self.absent = ""  # why it cannot be compared with
        text = ""
        if shutil.which("perf"):
            text = subprocess.run(["perf", "--version"], capture_output=True, text=True).stdout
        found = re.match(r"perf version (\d+)\.(\d+)", text)
        if not found:
            self.absent = "no perf"
            return
        self.version = int(found[1]), int(found[2])
        if self.version in ((6, 1), (6, 12)):
            self.like = f"{found[1]}.{found[2]}"
        elif self.version >= NEWEST:
            self.like = "7.3"
        else:
            self.absent = f"perf {found[1]}.{found[2]} is none of 6.1, 6.12, and 7.3 on"

    @property
    def newest(self):
        return self.version >= NEWEST

    def options(self):
        """For plumb script and plumb spe dump."""
        return [f"--like-perf={self.like}"]
