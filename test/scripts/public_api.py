#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the library's public functions: each is used by a command or an example, each is
documented in its header, and the libraries export these functions and nothing else.
public_api.py TOP SHARED STATIC, where SHARED and STATIC are the libraries that were built"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "interop"))
from tap import Tap  # noqa: E402

COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# A function's name, with what stands before it in its declaration.
FUNCTION = re.compile(r"^(?:PLUMB_API|static inline)\b[^;{}()]*?\b(plumb_\w+)\s*\(", re.M)

tap = Tap()


def without(pattern, text):
    """The text with matches blanked: lines and columns stay the same."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def functions(header):
    """{name: the line it is declared in, from 0} of a header's text."""
    code = without(COMMENT, header)
    return {found[1]: code.count("\n", 0, found.start()) for found in FUNCTION.finditer(code)}


def undocumented(header):
    """The functions of a header's text that no comment is about. A comment stands before its
    functions, which follow one another without a blank line, or beside one; or it names another
    function by the way, as plumb_x_free() in "Free with"."""
    comments = " ".join(COMMENT.findall(header))
    lines, code = header.split("\n"), without(COMMENT, header).split("\n")
    bare = []
    for name, at in functions(header).items():
        before = at
        while before > 0 and code[before - 1].strip():
            before -= 1
        above = lines[before - 1].strip() if before else ""
        beside = lines[at:at + next(i for i, line in enumerate(code[at:], 1) if ";" in line
                                    or "{" in line)]
        if not (above.endswith("*/") or "*/" in beside[-1] or f"{name}()" in comments):
            bare.append(name)
    return bare


def used(files):
    """The names that source files use, other than in comments and strings."""
    names = set()
    for file in files:
        code = without(STRING, without(COMMENT, file.read_text(encoding="utf-8")))
        names.update(re.findall(r"\bplumb_\w+", code))
    return names


def exported(library, *options):
    """The names of the global functions and variables that a library defines."""
    listed = subprocess.run(["nm", "--defined-only", *options, library], check=True,
                            capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in listed.splitlines() if len(line.split()) == 3}
    return {name for name in names if not name.startswith("_")}  # those are the compiler's


class Library:
    def __init__(self, top, shared, static):
        self.top, self.shared, self.static = Path(top), shared, static
        folder = self.top / "include" / "plumb"
        self.headers = {file.name: file.read_text(encoding="utf-8")
                        for file in sorted(folder.iterdir()) if file.suffix in (".h", ".in")}
        self.names = {name for text in self.headers.values() for name in functions(text)}

    def sources(self, *folders):
        return [file for folder in folders for file in sorted((self.top / folder).rglob("*.[ch]"))]


@tap.test
def checker_sees_what_is_wrong(_):
    """the checker finds functions, and those without a comment"""
    header = ("/* About one() and plumb_three(). */\nPLUMB_API int plumb_one(void);\n"
              "PLUMB_API const struct x *\nplumb_two(int (*f)(int), /* a remark */\n\t  int b);\n\n"
              "PLUMB_API void plumb_three(int a);\n\nPLUMB_API void plumb_four(int a);\n"
              "PLUMB_API void plumb_five(void); /* beside */\n\n"
              "static inline int plumb_six(int a)\n{\n\treturn plumb_one() + a;\n}\n"
              "/* PLUMB_API int plumb_seven(void); */\n")
    assert set(functions(header)) == {"plumb_" + name for name in
                                      ("one", "two", "three", "four", "five", "six")}
    assert undocumented(header) == ["plumb_four", "plumb_six"], undocumented(header)


@tap.test
def each_is_used(library):
    """a command or an example uses each public function"""
    unused = library.names - used(library.sources("cli", "examples"))
    assert not unused, "make these private, or delete them: " + " ".join(sorted(unused))
    return f"{len(library.names)} functions"


@tap.test
def each_is_documented(library):
    """a comment in its header is about each public function"""
    bare = {f"{header}: {name}" for header, text in library.headers.items()
            for name in undocumented(text)}
    assert not bare, "no comment is about " + ", ".join(sorted(bare))


@tap.test
def exports_are_declared(library):
    """both libraries export the functions of the headers, and nothing else"""
    inline = {name for text in library.headers.values()
              for name in re.findall(r"^static inline\b[^;{}()]*?\b(plumb_\w+)\s*\(", text, re.M)}
    declared = library.names - inline
    for exports in exported(library.shared, "--dynamic"), exported(library.static, "--extern-only"):
        assert exports == declared, (f"not declared: {sorted(exports - declared)}, "
                                     f"not exported: {sorted(declared - exports)}")
    return f"{len(declared)} functions"


tap.run(Library(*sys.argv[1:]))
