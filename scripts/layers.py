#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the includes of the tree against the table of layers in doc/architecture.md: each file
includes only what its layer may use, layers use only what stands below them, and the files of a
folder do not include each other in circles. The library does not know the program either: no text
of lib/ names an option or a command, and cli/tool/hints.c has a text for each of its remedies.
layers.py [TOP]: by default, of the current folder."""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
CODE = re.compile(r"`([^`]+)`")

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:[^"\\\n]|\\.)*)"', re.S)
OPTION = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|-[A-Za-z](?![\w%-]))")
COMMAND = re.compile(r"\bplumb (?:annotate|calibrate|diff|explore|export|import|list|record|report|script|spe|spec|stat)\b")
# Options of others: of a shell's command, of perf, and of QEMU, whose arguments are whole strings.
OTHERS = re.compile(r"\bulimit -\w|\bapt-get install --\w+|`perf [^`]*`|\bperf stat -[jx](?: or -x)?")
ARGUMENT = re.compile(r"-\w|--(?:help|version)")
REMEDY = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')


def read_table(page):
    """Layers in their order: (folder, public headers, what it may use)."""
    layers = []
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and CODE.match(cells[0]):
            folder, headers, uses = (CODE.findall(cell) for cell in cells[:3])
            layers.append((folder[0].rstrip("/"), headers, uses))
    return layers


class Tree:
    def __init__(self, top):
        self.top = top
        self.layers = read_table(top / "doc" / "architecture.md")
        self.uses = {folder: set(uses) for folder, _, uses in self.layers}
        self.public = {header: folder for folder, headers, _ in self.layers for header in headers}
        self.wrong = []

    def layer_of(self, path):
        """The layer of a folder or file of the tree: the longest folder that it is in."""
        inside = [folder for folder in self.uses
                  if path == folder or path.startswith(folder + "/")]
        return max(inside, key=len) if inside else None

    def target(self, path, kind, name):
        """The layer that an include leads to; None: it is the system's, or of the same folder."""
        if kind == "<":
            if not name.startswith("plumb/"):
                return None
            return self.public.get(name[len("plumb/"):], f"include/{name}")
        if "/" not in name:
            return None
        for base in ("cli", "lib", "model") if path.startswith("cli") else ("lib", "model"):
            if (self.top / base / name).exists():
                return self.layer_of(f"{base}/{name}")
        return None  # made when building

    def check_order(self):
        below = {folder for folder, _, _ in self.layers}
        for folder, _, uses in self.layers:
            below.discard(folder)
            for used in sorted(set(uses) - below):
                self.wrong.append(f"doc/architecture.md: {folder} uses {used}, which does not "
                                  "stand below it")

    def check_file(self, file):
        path = str(file.relative_to(self.top))
        layer = self.public.get(file.name) if path.startswith("include/") else self.layer_of(path)
        if not layer:
            self.wrong.append(f"{path}: belongs to no layer of doc/architecture.md")
            return
        for kind, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if kind == '"' and path.startswith("include/"):
                self.wrong.append(f"{path}: a public header includes \"{name}\"")
            target = self.target(path, kind, name)
            if target and target != layer and target not in self.uses[layer]:
                self.wrong.append(f"{path}: {layer} may not use {target} ({name})")

    def check_words(self, file):
        path = str(file.relative_to(self.top))
        text = file.read_text(encoding="utf-8")
        for token in TOKEN.finditer(text):
            words = OTHERS.sub("", token[1] or "")
            if ARGUMENT.fullmatch(words):
                continue
            for found in OPTION.findall(words) + COMMAND.findall(words):
                line = text.count("\n", 0, token.start()) + 1
                self.wrong.append(f"{path}:{line}: the library names the program's '{found}'; "
                                  "use diagnostics_remedy()")

    def check_remedies(self, files):
        """A remedy stands in the call or in a row of a table beside its hint, so all words of a
        file that uses them count; what the program has must be among them."""
        hints = self.top / "cli" / "tool" / "hints.c"
        known = set(re.findall(r'^\t\{"([^"]+)",', hints.read_text(encoding="utf-8"), re.M)) \
            if hints.exists() else set()
        words = set()
        for file in files:
            text = file.read_text(encoding="utf-8")
            if "diagnostics_remedy(" not in text:
                continue
            words |= set(REMEDY.findall(text))
            for name in re.findall(r'diagnostics_remedy\([^,;]*,\s*"([^"]+)"', text):
                if name not in known:
                    self.wrong.append(f"{file.relative_to(self.top)}: cli/tool/hints.c has no "
                                      f"hint for '{name}'")
        for name in sorted(known - words):
            self.wrong.append(f"cli/tool/hints.c: nothing in lib/ has the remedy '{name}'")

    def check_circles(self, files):
        """Within each folder, by the names of files without their ending. A header without a source
        of its own belongs to those that include it."""
        sources = {str(file.relative_to(self.top).with_suffix("")) for file in files
                   if file.suffix == ".c"}
        graph = {}
        for file in files:
            stem = str(file.relative_to(self.top).with_suffix(""))
            for kind, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
                if kind == "<":
                    continue
                for base in (self.top / "lib", self.top / "cli", file.parent):
                    found = base / name
                    if found.exists() and found.parent == file.parent:
                        other = str(found.relative_to(self.top).with_suffix(""))
                        if {stem, other} <= sources:
                            graph.setdefault(stem, set()).add(other)
        done = set()

        def visit(stem, path):
            if stem in path:
                circle = path[path.index(stem):] + [stem]
                self.wrong.append("a circle of includes: " + " -> ".join(circle))
                return
            if stem in done:
                return
            for other in sorted(graph.get(stem, ())):
                if other != stem:
                    visit(other, path + [stem])
            done.add(stem)

        # The parts of the model are one machine, each of which knows those it is wired to.
        for stem in sorted(stem for stem in graph if not stem.startswith("model/")):
            visit(stem, [])


def main(top):
    tree = Tree(Path(top))
    if not tree.layers:
        print("doc/architecture.md: no table of layers")
        return 1
    tree.check_order()
    files = [file for root in ("cli", "include", "lib", "model")
             for file in sorted((tree.top / root).rglob("*.[ch]"))]
    for file in files:
        tree.check_file(file)
    library = sorted(path for path in (tree.top / "lib").rglob("*")
                     if path.suffix in (".c", ".h", ".def"))
    for file in library:
        tree.check_words(file)
    tree.check_remedies(library)
    tree.check_circles(files)
    for line in tree.wrong:
        print(line)
    return bool(tree.wrong)


sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
