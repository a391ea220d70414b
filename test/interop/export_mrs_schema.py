#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks specifications exported as Arm's JSON with Arm's schema and Arm's files.

    export_mrs_schema.py PLUMB

Requires the reference (PLUMB_REFERENCE) and Debian's python3-jsonschema.
"""
import json
import sys

sys.dont_write_bytecode = True

from exports import arm_files, built_in, expect, export, reference_folder  # noqa: E402
from tap import Tap  # noqa: E402

tap = Tap()


def validator():
    import jsonschema
    schema = json.loads((reference_folder() / "schema" / "cpu-v1.0.schema.json").read_bytes())
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    kind.check_schema(schema)
    return kind(schema)


def reject_repeats(pairs):
    members = dict(pairs)
    expect(len(members) == len(pairs), f"repeated members among {[name for name, _ in pairs]}")
    return members


@tap.test
def built_in_are_valid(plumb):
    """Built-in specifications are valid by Arm's schema"""
    schema = validator()
    ids = built_in(plumb)
    for cpu in ids:
        data = json.loads(export(plumb, cpu, "mrs").decode("utf-8"),
                          object_pairs_hook=reject_repeats)
        errors = [f"{cpu}: {error.json_path}: {error.message}"
                  for error in schema.iter_errors(data)]
        expect(not errors, "\n".join(errors[:10]))
    expect(ids, "nothing is built in")
    return f"{len(ids)} specifications"


@tap.test
def schema_can_refuse(plumb):
    """The schema rejects invalid specifications"""
    schema = validator()
    data = json.loads(export(plumb, built_in(plumb)[0], "mrs"))
    first = next(iter(data["events"].values()))
    for member, value in (("code", 17), ("accesses", ["CPU"]), ("title", None)):
        good, first[member] = first[member], value
        expect(not schema.is_valid(data), f"{member} may be {value!r}")
        first[member] = good
    expect(schema.is_valid(data), "not valid after all")


def read_with_codes(text):
    """Parses JSON with codes as numbers: Arm's files have 0xa, 0x000a and 0x000A."""
    data = json.loads(text, object_pairs_hook=reject_repeats)
    for event in data["events"].values():
        event["code"] = int(event["code"], 16)
    return data


@tap.test
def neoverse_files_come_back(plumb):
    """Arm's files of Neoverse cores, read and exported, are the same byte for byte"""
    files = [path for path in arm_files() if path.name.startswith("neoverse")]
    for path in files:
        ours, theirs = export(plumb, path, "mrs"), path.read_bytes()
        if ours != theirs:
            lines = zip(ours.split(b"\n"), theirs.split(b"\n"))
            line, pair = next((n, p) for n, p in enumerate(lines, 1) if p[0] != p[1])
            raise AssertionError(f"{path.name}:{line}: ours {pair[0]}, Arm's {pair[1]}")
    expect(len(files) == 7, f"{len(files)} files")
    return f"{len(files)} files, {sum(path.stat().st_size for path in files)} bytes"


@tap.test
def arm_files_come_back(plumb):
    """All of Arm's files, read and exported, have the same contents in the same order"""
    files = arm_files()
    for path in files:
        ours = read_with_codes(export(plumb, path, "mrs"))
        theirs = read_with_codes(path.read_bytes())
        for things in ("document", "product_configuration", "events", "metrics", "groups",
                       "methodologies"):
            expect(ours[things] == theirs[things], f"{path.name}: other {things}")
        expect(ours == theirs, path.name)
        for things in ("events", "metrics"):
            expect(list(ours[things]) == list(theirs[things]), f"{path.name}: order of {things}")
        for things in ("function", "metrics"):
            expect(list(ours["groups"][things]) == list(theirs["groups"][things]),
                   f"{path.name}: order of {things} groups")
    return f"{len(files)} files, {sum(path.stat().st_size for path in files)} bytes"


if not reference_folder():
    tap.skip_all("no reference: Arm's schema and files are not here")
tap.run(sys.argv[1])
