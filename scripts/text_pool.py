# SPDX-License-Identifier: Apache-2.0
"""
Collects the texts of generated tables in one array of characters. Tables refer to them by offset, as
a pointer would have to be relocated each time the program starts.

Generators import it; it is no program.
"""


def literal(text):
    """Returns a C string literal in ASCII."""
    escaped = "".join(
        "\\" + c if c in '\\"' else c if " " <= c <= "~" else
        "".join(f"\\{byte:03o}" for byte in c.encode()) for c in text)
    return f'"{escaped}"'


class TextPool:
    """Each text is in it once; offset 0 is that of no text."""

    def __init__(self):
        self.offsets = {}
        self.size = 1

    def offset(self, text):
        """Returns where `text` begins, or 0 if it is None."""
        if text is None:
            return 0
        if "\0" in text:
            raise ValueError(f"{text!r} has a NUL")
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.size += len(text.encode()) + 1
        return self.offsets[text]

    def definition(self, name):
        """Returns the C definition of the array `name`."""
        lines = ['"\\0"', *(literal(text)[:-1] + '\\0"' for text in self.offsets)]
        return f"const char {name}[] =\n" + "".join(f"\t{line}\n" for line in lines) + "\t;\n"
