#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates C constants from the cores' data (model/cores/NAME.json).

    generate.py PARAMS_H CLASSES_DEF TABLES_C LISTING_C CORE_JSON...

TABLES_C is used by the model. LISTING_C is listed by the library: each figure with its source.

A core's file has these members. Every figure in it names its source.

  "sources"  short names for the sources of figures
  "core"     each field of struct core_params (params.h) that is not made from the members below,
             as {"value": ..., "source": NAME}; a field that is a struct is an object of these;
             hundredths may have two decimals
  "ports"    {"value": [names of the issue ports], "source": NAME}: an operation with a choice
             takes the first free port, so ports that the fewest classes depend on come first
  "groups"   sets of ports that an operation can choose from: {"NAME": "PORT PORT ..."}
  "queues"   the issue queues: [{"name": ..., "entries": {"value": ..., "source": NAME}}, ...].
             With "each": ["PORT PORT ...", ...] there is one of these for each list of ports; then
             all have it, and operations wait in the queues of the ports that they can use
  "halves"   {"value": {"GROUP": "GROUP", ...}, "source": NAME}: see "wide"; no slots are counted
             for these parts
  "writeback" the additional part of an instruction that writes its base register back: the
             class X_WB costs as much as X and this part
  "classes"  the costs of each operation class of classes.def; a subclass that is missing costs as
             much as the class that it is of:
             {"latency": cycles, "parts": "...", "queue": NAME, "source": NAME} and optionally
             "accumulator": cycles to the accumulator operand of the next one,
             "accumulates": the class of that next one (default: the same),
             "operations": rename slots (default: two parts per slot),
             "serializes": true,
             "wide": true: each part also takes a port of the other half of what it can take, as
             "halves" says: a vector that is as long as two ports together.
             "parts" lists the parts issued: "L" is one part to any port of group (or port) L,
             "2*V" is two such parts, "V0/7" is a part that keeps V0 busy for 7 cycles.

A core may be "like" another core, whose file comes before: it has what that one has where its own
file says nothing, marked as inferred. A platform's file (model/platforms) has "name", "of", a core,
and "sources" and "core" with the figures of the machine around the cores, or of its make of them.

A source whose name begins with "assumed" is of what nobody has published; one whose text begins
with "inference" is of what was concluded from another core.

The build fails if a field or class is missing, unknown, out of range for its C type, or without a
source; the error names it.
"""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))

from text_pool import TextPool  # noqa: E402  (after the lines above)

INTEGER_MAX = {"uint8_t": 2**8 - 1, "uint16_t": 2**16 - 1, "uint32_t": 2**32 - 1}
HUNDREDTHS_MAX = 2**16 - 1
# Fields of struct core_params that are made from other parts of the file, or left 0.
MADE = {"name", "classes", "queue_entries", "queue_names", "queue_ports", "queue_count", "port_names", "port_count",
        "ideal", "is_anonymous", "conditions"}
INFERRED = "inference"  # begins the text of a source of what was concluded from another core
PARTS_A_SLOT = 2  # a macro-operation splits into at most two micro-operations


class DataError(Exception):
    pass


def read_structs(path):
    """Reads the structs of a header: {struct: [(type, field, array length or None)]}."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    defines = dict(re.findall(r"#define\s+(\w+)\s+(\d+)", text))
    structs = {}
    for name, body in re.findall(r"struct (\w+) \{(.*?)\n\};", text, flags=re.S):
        fields = []
        for declaration in body.split(";"):
            match = re.match(r"\s*((?:const )?(?:struct )?\w+)\s+(.*)", declaration, flags=re.S)
            if not match:
                continue
            for item in match[2].split(","):
                field = re.match(r"\s*(\*?)(\w+)(?:\[(\w+)\])?", item)
                length = field[3] and int(defines.get(field[3], field[3]) if
                                          not field[3].startswith("CLASS") else 0)
                fields.append((match[1] + field[1], field[2], length))
        structs[name] = fields
    return structs


def read_classes(path):
    """Reads classes.def: [(class, the class to which it adds base write-back, or None, and the
    class whose costs these have where the core's data has none, or None)]."""
    classes = []
    with open(path, encoding="utf-8") as file:
        for kind, name, of in re.findall(r"^(CLASS|MEMORY_CLASS|SUBCLASS|MEMORY_SUBCLASS)"
                                         r"\((\w+), (\w+)?", file.read(), flags=re.M):
            classes.append((name, None, of or None))
            if kind.startswith("MEMORY"):
                classes.append((name + "_WB", name, of or None))
    return classes


def inherited(data, of):
    """Marks what a core has from another one as inferred, unless it is assumed of that one, too."""
    def mark(entry):
        if isinstance(entry, list):
            return [mark(item) for item in entry]
        if not isinstance(entry, dict):
            return entry
        entry = {name: mark(member) for name, member in entry.items()}
        if "source" in entry:
            entry["source"] = f"{of}:{entry['source']}"
        return entry

    sources = {f"{of}:{name}": text if name.startswith("assumed") or text.startswith(INFERRED)
               else f"{INFERRED}: as of {of}: {text}" for name, text in data["sources"].items()}
    return {"sources": sources, **{name: mark(member) for name, member in data.items()
                                   if name != "sources"}}


def merge(base, own):
    """Replaces what `own` has in a copy of `base`; a figure or a class as a whole."""
    if not isinstance(base, dict) or not isinstance(own, dict) or "source" in own:
        return own
    return {**base, **{name: merge(base.get(name), member) for name, member in own.items()}}


def complete(data, cores):
    """Adds what a file has from the core that it is like, or that is in its platform."""
    like, of = data.pop("like", None), data.pop("of", None)
    if (like or of) and (like or of) not in cores:
        raise DataError(f"{like or of!r} is not a core named before")
    if like:
        data = merge(inherited(cores[like], like), data)
    elif of:
        data = merge(cores[of], data)
    cores[data["name"]] = data
    return data


class Core:
    def __init__(self, data, structs):
        self.data = data
        self.structs = structs

    def sourced(self, where, entry):
        if not isinstance(entry, dict) or "value" not in entry:
            raise DataError(f"{where}: not an object with a value and a source")
        if entry.get("source") not in self.data["sources"]:
            raise DataError(f"{where}: source {entry.get('source')!r} is not among the sources")
        return entry["value"]

    def integer(self, where, ctype, value):
        if ctype == "bool":
            if not isinstance(value, bool):
                raise DataError(f"{where}: {value!r} is not true or false")
            return "true" if value else "false"
        if ctype == "hundredths":
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise DataError(f"{where}: {value!r} is not a number")
            scaled = round(100 * value)
            if abs(scaled - 100 * value) > 1e-6 or not 0 < scaled <= HUNDREDTHS_MAX:
                raise DataError(f"{where}: {value} is not between 0.01 and "
                                f"{HUNDREDTHS_MAX / 100}, in hundredths")
            return str(scaled)
        if isinstance(value, str) and re.fullmatch(r"0x[0-9a-f]+", value):
            value = int(value, 16)
        if not isinstance(value, int) or isinstance(value, bool):
            raise DataError(f"{where}: {value!r} is not a number")
        if not 0 <= value <= INTEGER_MAX[ctype]:
            raise DataError(f"{where}: {value} does not fit {ctype}")
        return str(value)

    def struct(self, where, struct, data, made=frozenset()):
        """Returns an initializer from an object that must have exactly the struct's fields."""
        fields = [field for field in self.structs[struct] if field[1] not in made]
        unknown = set(data) - {name for _, name, _ in fields}
        if unknown:
            raise DataError(f"{where}: unknown {', '.join(sorted(unknown))}")
        out = []
        for ctype, name, length in fields:
            place = f"{where}.{name}"
            if name not in data:
                raise DataError(f"{place}: missing")
            if ctype.startswith("struct "):
                out.append(f".{name} = {{ {self.struct(place, ctype[7:], data[name])} }}")
                continue
            value = self.sourced(place, data[name])
            if length is not None:
                if not isinstance(value, list) or len(value) > length:
                    raise DataError(f"{place}: not a list of at most {length}")
                items = ", ".join(self.integer(place, ctype, item) for item in value)
                out.append(f".{name} = {{ {items} }}")
            elif ctype == "const char*":
                out.append(f".{name} = {json.dumps(value)}")
            else:
                out.append(f".{name} = {self.integer(place, ctype, value)}")
        return ", ".join(out)

    def ports_of(self, where, name):
        groups = self.data["groups"]
        names = groups[name].split() if name in groups else [name]
        mask = 0
        for port in names:
            if port not in self.ports:
                raise DataError(f"{where}: unknown port or group {port!r}")
            mask |= 1 << self.ports.index(port)
        return mask

    def parts(self, where, text):
        """["2*L01", "V0/7"] -> [(mask, busy, count)]"""
        parts = []
        for part in text.split():
            match = re.fullmatch(r"(?:(\d+)\*)?(\w+)(?:/(\d+))?", part)
            if not match:
                raise DataError(f"{where}: part {part!r}")
            parts.append((self.ports_of(where, match[2]), int(match[3] or 1), int(match[1] or 1)))
        limit = self.constants["PIECES_MAX"]
        if len(parts) > limit:
            raise DataError(f"{where}: more than {limit} parts")
        return parts

    def other_halves(self, where, text):
        """The other halves of the parts that have one: "L01 2*V01" -> "2*V23"."""
        halves = self.sourced("halves", self.data.get("halves"))
        found = []
        for part in text.split():
            count, ports, busy = re.fullmatch(r"(\d+\*)?(\w+)(/\d+)?", part).groups("")
            if ports in halves:
                found.append(count + halves[ports] + busy)
        if not found:
            raise DataError(f"{where}: wide, but no part has another half")
        return " ".join(found)

    def cost_entry(self, where, name):
        """The costs of a class, or else of the one that it is a subclass of."""
        while name and name not in self.data["classes"]:
            name = self.of.get(name)
        if not name:
            raise DataError(f"{where}: missing")
        return self.data["classes"][name]

    def class_cost(self, name, base, names):
        where = f"classes.{base or name}"
        entry = self.cost_entry(where, base or name)
        known = {"latency", "parts", "queue", "source", "accumulator", "accumulates", "operations",
                 "serializes", "wide"}
        if set(entry) - known:
            raise DataError(f"{where}: unknown {', '.join(sorted(set(entry) - known))}")
        if entry.get("source") not in self.data["sources"]:
            raise DataError(f"{where}: source {entry.get('source')!r} is not among the sources")
        text = entry["parts"]
        if base:
            text += " " + self.sourced("writeback", self.data["writeback"])
        parts = self.parts(where, text)
        operations = entry.get("operations")
        if operations is None:
            operations = max(1, -(-sum(count for _, _, count in parts) // PARTS_A_SLOT))
        if entry.get("wide"):
            parts = self.parts(where, f"{text} {self.other_halves(where, entry['parts'])}")
        if entry["queue"] not in self.queues:
            raise DataError(f"{where}: unknown queue {entry['queue']!r}")
        number = lambda key, value: self.integer(f"{where}.{key}", "uint8_t", value)
        pieces = ", ".join(f"{{ 0x{mask:x}, {number('busy', busy)}, {number('count', count)} }}"
                           for mask, busy, count in parts)
        fields = [f".operations = {number('operations', operations)}",
                  f".latency = {number('latency', entry['latency'])}",
                  f".accumulator_latency = {number('accumulator', entry.get('accumulator', 0))}",
                  f".queue = {self.queues.index(entry['queue'])}",
                  f".piece_count = {len(parts)}"]
        if "accumulates" in entry:
            if entry["accumulates"] not in names:
                raise DataError(f"{where}: unknown class {entry['accumulates']!r}")
            fields.append(f".accumulates = CLASS_{entry['accumulates']}")
        else:
            fields.append(f".accumulates = CLASS_{name}")
        if parts:
            fields.append(f".pieces = {{ {pieces} }}")
        if entry.get("serializes"):
            fields.append(".serializes = true")
        return f"[CLASS_{name}] = {{ {', '.join(fields)} }}"

    def expand_queues(self, queues):
        """One queue for each list of ports, or one of the kind."""
        self.queues, self.queue_entries, self.queue_ports = [], [], []
        each = [queue for queue in queues if "each" in queue]
        if each and len(each) != len(queues):
            raise DataError("queues: some have ports, others do not")
        taken = 0
        for queue in queues:
            where = f"queues.{queue['name']}"
            entries = self.integer(where, "uint16_t", self.sourced(where, queue["entries"]))
            for ports in queue.get("each", [""]):
                mask = 0
                for port in ports.split():
                    mask |= self.ports_of(where, port)
                if mask & taken or ("each" in queue and not mask):
                    raise DataError(f"{where}: no port, or one of another queue: {ports!r}")
                taken |= mask
                self.queues.append(queue["name"])
                self.queue_entries.append(entries)
                self.queue_ports.append(f"0x{mask:x}")
        if len(self.queues) > self.constants["QUEUES_MAX"]:
            raise DataError(f"queues: more than {self.constants['QUEUES_MAX']}")

    def generate(self, classes, constants):
        data = self.data
        self.constants = constants
        self.ports = self.sourced("ports", data["ports"])
        kinds = [queue["name"] for queue in data["queues"]]
        self.expand_queues(data["queues"])
        for what, items, limit in (("ports", self.ports, "PORTS_MAX"),
                                   ("queues", kinds, "QUEUES_MAX")):
            if len(items) > constants[limit] or len(set(items)) != len(items):
                raise DataError(f"{what}: more than {constants[limit]}, or duplicates")
        names = {name for name, _, _ in classes}
        self.of = {base or name: of for name, base, of in classes}
        unknown = set(data["classes"]) - {base or name for name, base, _ in classes}
        if unknown:
            raise DataError(f"classes: unknown {', '.join(sorted(unknown))}")
        quoted = lambda items: ", ".join(json.dumps(item) for item in items)
        lines = [f".name = {json.dumps(data['name'])}",
                 self.struct("core", "core_params", data["core"], MADE),
                 f".queue_names = {{ {quoted(self.queues)} }}",
                 f".queue_entries = {{ {', '.join(self.queue_entries)} }}",
                 f".queue_ports = {{ {', '.join(self.queue_ports)} }}",
                 f".queue_count = {len(self.queues)}",
                 f".port_names = {{ {quoted(self.ports)} }}",
                 f".port_count = {len(self.ports)}",
                 ".classes = {\n\t\t" + ",\n\t\t".join(self.class_cost(name, base, names)
                                                       for name, base, _ in classes) + " }"]
        symbol = re.sub(r"\W", "_", data["name"])
        return symbol, (f"static const struct core_params {symbol} = {{\n\t" +
                        ",\n\t".join(lines) + ",\n};\n")


    def figures(self, where, data):
        """Yields each figure below `data` as (name, text, source)."""
        if "value" in data:
            value = data["value"]
            if isinstance(value, bool):
                text = "yes" if value else "no"
            else:
                text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield where, text, data["source"]
            return
        for name, inner in data.items():
            yield from self.figures(f"{where}.{name}" if where else name, inner)

    def listing(self):
        """Returns the texts of each parameter: its name, value, source and basis."""
        data = self.data
        figures = list(self.figures("", data["core"]))
        figures += self.figures("ports", data["ports"])
        for queue in data["queues"]:
            figures += self.figures(f"queues.{queue['name']}.entries", queue["entries"])
            if "each" in queue:
                figures.append((f"queues.{queue['name']}.each", ", ".join(queue["each"]),
                                queue["entries"]["source"]))
        for name, entry in data["classes"].items():
            text = ", ".join(f"{key} {value}" for key, value in entry.items() if key != "source")
            figures.append((f"classes.{name}", text, entry["source"]))
        return [(name, text, data["sources"][source], self.basis(source))
                for name, text, source in figures]

    def basis(self, source):
        if source.split(":")[-1].startswith("assumed"):
            return "assumed"
        return "inferred" if self.data["sources"][source].startswith(INFERRED) else "published"

    def listed(self):
        core = {name: self.sourced(f"core.{name}", self.data["core"][name])
                for name in ("spec", "midr", "frequency_mhz", "slots")}
        return (f"\t{{ {json.dumps(self.data['name'])}, {json.dumps(core['spec'])}, {core['midr']}, "
                f"{core['frequency_mhz']}, {core['slots']} }},\n")


def write_listing(output, cores):
    texts, parameters, listings = TextPool(), [], []
    for core in cores:
        listing = core.listing()
        listings.append(f"\t{{ {len(parameters)}, {len(listing)} }},\n")
        parameters += listing
    rows = "".join("\t{ " + ", ".join(str(texts.offset(text)) for text in parameter) + " },\n"
                   for parameter in parameters)
    with open(output, "w", encoding="utf-8") as file:
        file.write("/* Generated by model/cores/generate.py from the cores' data. */\n")
        file.write('#include "source/model/listing.h"\n\n')
        file.write(texts.definition("model_listing_text"))
        file.write(f"\nconst struct packed_parameter model_parameters[] = {{\n{rows}}};\n\n")
        file.write(f"struct plumb_model_parameter model_parameter_room[{len(parameters)}];\n")
        file.write("\nconst struct plumb_model_core model_listed_cores[] = {\n")
        file.write("".join(core.listed() for core in cores))
        file.write("};\n\nconst struct model_listing model_listings[] = {\n")
        file.write("".join(listings))
        file.write(f"}};\n\natomic_bool model_listing_is_made[{len(cores)}];\n")
        file.write(f"const size_t model_listed_count = {len(cores)};\n")


def main(params_h, classes_def, output, listing, *paths):
    structs = read_structs(params_h)
    classes = read_classes(classes_def)
    with open(params_h, encoding="utf-8") as file:
        constants = {name: int(value)
                     for name, value in re.findall(r"#define\s+(\w+_MAX)\s+(\d+)", file.read())}
    symbols, text, cores, known = [], [], [], {}
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                core = Core(complete(json.load(file), known), structs)
            symbol, definition = core.generate(classes, constants)
        except (DataError, KeyError, ValueError) as error:
            what = f"{error.args[0]}: missing" if isinstance(error, KeyError) else str(error)
            print(f"{path}: {what}", file=sys.stderr)
            return 1
        symbols.append(symbol)
        text.append(definition)
        cores.append(core)
    write_listing(listing, cores)
    with open(output, "w", encoding="utf-8") as file:
        file.write("/* Generated by model/cores/generate.py from the cores' data. */\n")
        file.write('#include "params.h"\n\n')
        file.write("\n".join(text))
        pointers = "".join(f"&{symbol}, " for symbol in symbols)
        file.write(f"\nconst struct core_params *const model_cores[] = {{ {pointers}NULL }};\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
