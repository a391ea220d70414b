#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the library's public functions: each is used by a command or an example, each is
documented in its header, and the libraries export these functions and nothing else; and its public
structs: each says whether it may grow, and none that may grow is allocated by callers, as
doc/library.md promises. public_api.py TOP SHARED STATIC, where SHARED and STATIC are the libraries
that were built"""
import functools
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

# A struct with visible members, and what stands between its braces.
STRUCT = re.compile(r"^struct (plumb_\w+) \{\n(.*?)^\};", re.M | re.S)
# What a header with structs that neither have a size nor may grow says of them.
FIXED = "Structs change only when the soname does, except those that may grow (doc/library.md)."

tap = Tap()


@functools.cache
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


def comment_above(lines, at):
    """The text of the comment about line `at`: it ends right above the lines without a blank one
    that `at` is among, as that of several functions does."""
    code = without(COMMENT, "\n".join(lines)).split("\n")
    while at > 0 and code[at - 1].strip():
        at -= 1
    if not at or not lines[at - 1].rstrip().endswith("*/"):
        return ""
    first = at - 1
    while "/*" not in lines[first]:
        first -= 1
    return " ".join(line.strip(" \t/*") for line in lines[first:at])


@functools.cache
def structs(header):
    """{name: (members, "sized", "grows" or "fixed")} of the structs of a header's text."""
    code, lines, found = without(COMMENT, header), header.split("\n"), {}
    for struct in STRUCT.finditer(code):
        about = comment_above(lines, code.count("\n", 0, struct.start()))
        sized = re.match(r"\s*size_t size;", struct[2])
        found[struct[1]] = (struct[2], "sized" if sized else
                            "grows" if re.search(r"\bmay grow\b", about, re.I) else "fixed")
    return found


def unstated(header):
    """The structs of a header's text that do not say what they are."""
    text = " ".join(line.strip(" \t/*") for line in header.split("\n"))
    return [] if FIXED in text else [name for name, (_, kind) in structs(header).items()
                                     if kind == "fixed"]


def allocated(name, headers):
    """Where the headers let a caller allocate a struct that may grow, or place it where it cannot:
    in another struct, unless that grows with it; in an array; as a value; to be filled in."""
    made = re.compile(rf"\bstruct {name} \*\*")  # the library makes it: functions may change it
    codes = {header: without(COMMENT, text) for header, text in headers.items()}
    own = any(made.search(code) for code in codes.values())
    for header, code in codes.items():
        for holder, (members, kind) in structs(headers[header]).items():
            inside = re.search(rf"\bstruct {name} (\w+)(\[?)", members)
            # Only members of a union may follow, which is the last member.
            last = inside and "union {" in members[:inside.start()] and \
                re.fullmatch(r"[^}]*\};\s*", members[inside.end():])
            if inside and (inside[2] or not (last and kind == "grows")):
                yield f"{header}: struct {holder} has one"
            # One thing has a name in the singular; several of them are an array.
            if re.search(rf"\bstruct {name} \*\w+s;", members):
                yield f"{header}: struct {holder} points to several"
        for found in re.finditer(rf"\b(const )?struct {name} (\*?)(\w+)(\(?)", code):
            if found[4] and not found[2]:
                yield f"{header}: {found[3]}() returns one"
            elif found[2] and not found[1] and not own:
                yield f"{header}: it may be filled in ({found[3]})"


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
def checker_sees_what_grows(_):
    """the checker tells structs apart, and finds those that grow where callers allocate them"""
    header = ("/* Made by the library; may grow. */\nstruct plumb_a {\n\tint a;\n};\n\n"
              "struct plumb_b {\n\tsize_t size; /* its own */\n\tint b;\n};\n\n"
              "/* Of records. May grow. */\nstruct plumb_c {\n\tint c;\n};\n"
              "struct plumb_d {\n\tint d;\n};\n\nstruct plumb_e {\n\tint e;\n};\n"
              "/* Only beside one. */ int x; /* may grow */\nstruct plumb_opaque;\n")
    kinds = {name: kind for name, (_, kind) in structs(header).items()}
    assert kinds == {"plumb_a": "grows", "plumb_b": "sized", "plumb_c": "grows", "plumb_d": "grows",
                     "plumb_e": "fixed"}, kinds
    assert unstated(header) == ["plumb_e"]
    assert unstated("/*\n * " + FIXED.replace("soname does", "soname\n * does") + "\n */\n" +
                    header) == []
    good = ("PLUMB_API const struct plumb_a *plumb_get(void);\n"
            "PLUMB_API void plumb_take(const struct plumb_a *a);\n"
            "/* May grow. */\nstruct plumb_f {\n\tint f;\n\tunion {\n\t\tstruct plumb_a a;\n"
            "\t\tint b;\n\t};\n\tconst struct plumb_a *one;\n};\n").replace(
                "\t};\n\tconst struct plumb_a *one;\n", "\t};\n")
    assert list(allocated("plumb_a", {"h": header, "good": good})) == []
    made = good + ("PLUMB_API int plumb_new(struct plumb_a **a);\n"
                   "PLUMB_API void plumb_free(struct plumb_a *a);\n")
    assert list(allocated("plumb_a", {"h": header, "made": made})) == []
    for bad in ("PLUMB_API void plumb_fill(struct plumb_a *a);",
                "PLUMB_API struct plumb_a plumb_get(void);",
                "struct plumb_g {\n\tstruct plumb_a a;\n\tint b;\n};",
                "/* May grow. */\nstruct plumb_g {\n\tstruct plumb_a a;\n\tint b;\n};",
                "/* May grow. */\nstruct plumb_g {\n\tunion {\n\t\tstruct plumb_a a;\n\t};\n"
                "\tint b;\n};",
                "/* May grow. */\nstruct plumb_g {\n\tconst struct plumb_a *as;\n};",
                "/* May grow. */\nstruct plumb_g {\n\tstruct plumb_a a[2];\n};"):
        assert list(allocated("plumb_a", {"h": header, "bad": bad + "\n"})), bad


@tap.test
def each_struct_says_whether_it_grows(library):
    """each public struct has a size, may grow, or is in a header that says it does not"""
    bare = {f"{header}: {name}" for header, text in library.headers.items()
            for name in unstated(text)}
    assert not bare, f"say \"{FIXED}\" of " + ", ".join(sorted(bare))
    kinds = [kind for text in library.headers.values() for _, kind in structs(text).values()]
    assert set(kinds) == {"sized", "grows", "fixed"}
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("sized", "grows", "fixed"))


@tap.test
def callers_allocate_none_that_grows(library):
    """by the headers, and in Plumb's own programs, callers allocate no struct that may grow"""
    wrong = []
    sources = {file: without(STRING, without(COMMENT, file.read_text(encoding="utf-8")))
               for file in library.sources("cli", "examples", "test/install")}
    for text in library.headers.values():
        for name, (_, kind) in structs(text).items():
            if kind != "grows":
                continue
            wrong += [f"{name}: {place}" for place in allocated(name, library.headers)]
            # A copy of one is the program's own.
            value = re.compile(rf"\bstruct {name} \w+(?! = \*)\b\s*[;,=\[]|"
                               rf"\bstruct {name}\)\s*\{{|sizeof\(struct {name}\)")
            wrong += [f"{name}: {file}" for file, code in sources.items() if value.search(code)]
    assert not wrong, "; ".join(wrong)


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
