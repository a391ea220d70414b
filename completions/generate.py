#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py SHELL TABLES TEMPLATE OUTPUT: plumb's completion for a shell.

TABLES is what the program `tables` prints: each command with its options and operands. TEMPLATE has the
functions that do not depend on them, and a line that stands for those that do.
"""
import json
import re
import sys

# What an argument is by its name, as cli/tool/options.h says. Of those not here nothing is known.
SOURCES = {
    "CPU": ["@cpus", "@files"],
    "CORE": ["@cores", "@files"],
    "DIR": ["@folders"],
    "EVENT": ["@events"],
    "FILE": ["@files"],
    "GROUP": ["@groups"],
    "METRIC": ["@metrics"],
    "NAME": ["@things"],
    "NODE": ["@metrics"],
    "PATH": ["@files"],
    "PID": ["@pids"],
    "PREFIX": ["@files"],
    "PROGRAM": ["@program"],
}
PLACE = re.compile(r"^# The tables: .*\n", re.MULTILINE)


class Argument:
    """What may stand in one place: words, and sources of words such as @events."""

    def __init__(self, name, choices=()):
        word = re.sub(r"^\[[^]]*\]", "", name).split("[")[0]
        self.several = word.endswith(",...")
        word = word.removesuffix(",...")
        kinds = word.split("|")
        word = kinds[0]
        # A list of CPUs is one of numbers.
        known = [] if (word, self.several) == ("CPU", True) else \
            [source for kind in kinds for source in SOURCES.get(kind, [])]
        self.words = list(dict.fromkeys([*choices, *known]))
        self.title = word if word in ("CPU", "PID", "TID") else word.lower()

    def spelt(self):
        """"several @events spe", for the function that offers them."""
        return " ".join(["several" if self.several else "one", *self.words])


class Option:
    def __init__(self, table):
        self.long = "--" + table["name"]
        self.letter = table["letter"] and "-" + table["letter"]
        self.help = table["help"]
        self.again = table["again"]
        self.takes = table["value"] != "none"
        self.attached = table["value"] == "attached"
        self.argument = Argument(table["argument"], table["choices"]) if self.takes else None

    def spellings(self):
        return [s for s in (self.letter, self.long) if s]


class Command:
    def __init__(self, table, path=()):
        self.path = path
        self.summary = table["summary"]
        self.options = [Option(o) for o in table["options"]]
        self.commands = [Command(c, (*path, c["name"])) for c in table["commands"]]
        self.runs = table["runs"]
        self.operands, self.rest = [], None
        for word in [] if self.commands else (table["operands"] or "").split():
            bare = word.removesuffix("...").strip("[]")
            if bare in ("ARGUMENT", "COMMAND"):
                continue
            if bare.islower():
                argument = Argument("what", bare.split("|"))
            else:
                argument = Argument(bare)
            if word.endswith("..."):
                self.rest = argument
            else:
                self.operands.append(argument)

    def names(self):
        return [c.path[-1] for c in self.commands]

    def all(self):
        yield self
        for command in self.commands:
            yield from command.all()


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def is_plain(word):
    """Whether it is itself in every shell."""
    return re.fullmatch(r"[@\w./,:+-]+", word)


def helped(root):
    """What may follow `plumb help`: paths, each with its commands."""
    return [(("help", *c.path), c.names()) for c in root.all() if c.commands]


# ---- bash -----------------------------------------------------------------------------------------


def bash_case(name, what, rows):
    """A shell function that prints by its arguments, and fails for those it does not know."""
    text = f"# {name} {what}\n{name}()\n{{\n\tcase \"$*\" in\n"
    for patterns, printed in rows:
        patterns = " | ".join(quoted(p).replace("@*@", "'*'") for p in patterns)
        text += f"\t{patterns}) echo {quoted(printed)} ;;\n"
    return text + "\t*) return 1 ;;\n\tesac\n}\n"


def bash(root):
    commands = [([" ".join(c.path)], " ".join(c.names())) for c in root.all() if c.commands]
    commands += [([" ".join(path)], " ".join(names)) for path, names in helped(root)]
    options = [([" ".join(c.path)], " ".join(o.long for o in c.options)) for c in root.all()]
    options += [([" ".join(path)], "--help") for path, _ in helped(root) if len(path) > 1]
    values = [([" ".join((*c.path, s)) for s in o.spellings()],
               ("=" if o.attached else "") + o.argument.spelt())
              for c in root.all() for o in c.options if o.takes]
    operands = []
    for c in root.all():
        for i, argument in enumerate(c.operands):
            operands.append(([" ".join((*c.path, str(i)))], argument.spelt()))
        if c.runs:
            operands.append(([" ".join(c.path) + " @*@"], "one @files"))
        elif c.rest:
            operands.append(([" ".join(c.path) + " @*@"], c.rest.spelt()))
    return "\n".join([
        bash_case("_plumb_commands", "PATH: the commands there.", commands),
        bash_case("_plumb_options", "PATH: its options.", options),
        bash_case("_plumb_value", "PATH OPTION: what its value may be; '=' if that has to be attached.",
                  values),
        bash_case("_plumb_operand", "PATH N: what its N-th operand may be.", operands)])


# ---- zsh ------------------------------------------------------------------------------------------


def zsh_action(argument):
    if not argument.words:
        return ""
    if argument.words == ["@files"]:
        return "_files"
    if argument.words == ["@program"]:
        return "_command_names -e"
    # Called by way of eval.
    return " _plumb_offer " + " ".join(w if is_plain(w) else quoted(w)
                                       for w in argument.spelt().split())


def zsh_text(text):
    return re.sub(r"([][:\\])", r"\\\1", text)


def zsh_options(command):
    for o in command.options:
        value = ""
        if o.takes:
            value = f"{':' if o.attached else ''}:{o.argument.title}:{zsh_action(o.argument)}"
        if o.long == "--help":
            before = "(- *)"
        elif o.again:
            before = "*"
        else:
            before = f"({' '.join(o.spellings())})" if o.letter else ""
        for s in o.spellings():
            mark = ""
            if o.takes:
                mark = "=" if s == o.long else "-" if o.attached else "+"
                mark += "-" if o.attached and s == o.long else ""
            yield quoted(f"{before}{s}{mark}[{zsh_text(o.help)}]{value}")


def zsh_operands(command):
    if command.commands:
        yield quoted(f"1:command:({' '.join(command.names())})")
    for i, argument in enumerate(command.operands, 1):
        yield quoted(f"{i}:{argument.title}:{zsh_action(argument)}")
    if command.runs:
        yield quoted("*::arguments:_normal")
    elif command.rest:
        yield quoted(f"*:{command.rest.title}:{zsh_action(command.rest)}")


def zsh(root):
    text = ""
    for c in root.all():
        operands = zsh_operands(c)
        if c.path == ("help",):
            operands = [quoted("*:command: _plumb_help")]
        lines = [*zsh_options(c), *operands]
        text += f"_plumb_command{''.join('_' + p for p in c.path)}()\n{{\n\t_arguments -s"
        text += " -S" if c.runs else ""
        text += "".join(f" \\\n\t\t{line}" for line in lines) + "\n}\n\n"
    text += "# _plumb_help: the commands that may follow `plumb help` and the words before the cursor.\n"
    text += "_plumb_help()\n{\n\tcase \"${words[2,CURRENT-1]}\" in\n"
    for path, names in helped(root):
        text += f"\t{quoted(' '.join(path[1:]))}) compadd {' '.join(names)} ;;\n"
    return text + "\tesac\n}\n"


# ---- fish -----------------------------------------------------------------------------------------


def fish_words(argument):
    """The options of `complete` for an argument."""
    offered = [w if is_plain(w) else f'"{w}"' for w in argument.words if not w.startswith("@")]
    offered += [f"(__plumb_{w[1:]})" for w in argument.words if w not in ("@files", "@folders", "@program")
                and w.startswith("@")]
    text = "" if not offered else f" -a {fish_quoted(' '.join(offered))}"
    if "@folders" in argument.words:
        return text + " -a '(__fish_complete_directories)'"
    if "@program" in argument.words:
        return text + " -F -a '(__fish_complete_command)'"
    return text + (" -F" if "@files" in argument.words else "")


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(root):
    lines = []

    def say(condition, rest, description=None):
        described = f" -d {fish_quoted(description)}" if description else ""
        lines.append(f"complete -c plumb -n {fish_quoted(condition)}{rest}{described}")

    for c in root.all():
        at = " ".join(c.path)
        # plumb's own options go before a command.
        for o in c.options:
            if o.long == "--help":
                continue
            letter = f" -s {o.letter[1:]}" if o.letter else ""
            rest = f"{letter} -l {o.long[2:]}"
            if o.takes:
                rest += fish_words(o.argument)
                # What has to be attached may be left out.
                rest += "" if o.attached else " -r" if " -F" in rest else " -x"
            say(f"__plumb_at {at}" if at else "__plumb_just_at", rest, o.help)
        for sub in c.commands:
            say(f"__plumb_just_at {at}".rstrip(), f" -a {sub.path[-1]}", sub.summary)
        for path, names in helped(root) if at == "help" else []:
            say("__plumb_just_at " + " ".join(path), f" -a {fish_quoted(' '.join(names))}")
        for i, argument in enumerate(c.operands):
            if argument.words:
                condition = "__plumb_at" if c.runs or "@files" in argument.words or len(c.operands) > 1 \
                    else "__plumb_just_at"
                say(f"{condition} {at}", fish_words(argument))
        if c.rest and c.rest.words:
            say(f"__plumb_at {at}", fish_words(c.rest))
    return "\n".join(dict.fromkeys(lines)) + "\n"


def main():
    shell, tables, template, output = sys.argv[1:]
    with open(tables, encoding="utf-8") as file:
        root = Command(json.load(file))
    with open(template, encoding="utf-8") as file:
        text = file.read()
    made = {"bash": bash, "zsh": zsh, "fish": fish}[shell](root)
    text, places = PLACE.subn(lambda _: made, text)
    assert places == 1, f"{template}: no one place for the tables"
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


main()
