#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""firefox_profile.py FILE: checks a processed profile of the Firefox Profiler against a schema,
which follows the types of version 58 in that project's src/types/profile.ts. Nothing else may be in
a profile: a misspelt column would be one that the viewer never finds."""
import json
import sys

import jsonschema

TEXT, BOOL, INDEX, NULL = ({"type": kind} for kind in ("string", "boolean", "integer", "null"))
NUMBER = {"type": "number", "minimum": 0}
INDEX["minimum"] = 0
COLORS = ["transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown",
          "magenta", "red", "lightred", "darkgrey", "grey"]


def either(*schemas):
    return {"anyOf": list(schemas)}


def listing(of):
    return {"type": "array", "items": of}


def struct(optional=(), **members):
    return {"type": "object", "properties": members, "additionalProperties": False,
            "required": [name for name in members if name not in optional]}


def table(**columns):
    """A struct of arrays: check_table() in viewers.py compares their lengths."""
    return struct(length=INDEX, **{name: listing(of) for name, of in columns.items()})


OR_NONE = {"type": "integer", "minimum": -1}
SAMPLES = struct(length=INDEX, stack=listing(either(INDEX, NULL)), time=listing(NUMBER),
                 weight=listing({"type": "number"}),
                 weightType={"enum": ["samples", "tracing-ms", "bytes"]})
MARKERS = table(data={}, name=INDEX, startTime=either(NUMBER, NULL), endTime=either(NUMBER, NULL),
                phase=INDEX, category=INDEX)
STACKS = table(frame=INDEX, prefix=either(INDEX, NULL))
FRAMES = table(address=OR_NONE, inlineDepth=INDEX, category=either(INDEX, NULL),
               subcategory=either(INDEX, NULL), func=INDEX, nativeSymbol=either(INDEX, NULL),
               innerWindowID=either(INDEX, NULL), line=either(INDEX, NULL),
               column=either(INDEX, NULL))
FUNCS = table(name=INDEX, isJS=BOOL, relevantForJS=BOOL, resource=OR_NONE,
              source=either(INDEX, NULL), lineNumber=either(INDEX, NULL),
              columnNumber=either(INDEX, NULL))
RESOURCES = table(lib=either(INDEX, NULL), name=INDEX, host=either(INDEX, NULL),
                  type={"enum": [0, 1, 2, 3, 4, 5]})
SYMBOLS = table(libIndex=INDEX, address=OR_NONE, name=INDEX, functionSize=either(INDEX, NULL))
THREAD = struct(processType=TEXT, processStartupTime=NUMBER,
                processShutdownTime=either(NUMBER, NULL), registerTime=NUMBER,
                unregisterTime=either(NUMBER, NULL), pausedRanges=listing({}), name=TEXT,
                isMainThread=BOOL, processName=TEXT, pid=TEXT, tid=either(INDEX, TEXT),
                samples=SAMPLES, markers=MARKERS, stackTable=STACKS, frameTable=FRAMES,
                funcTable=FUNCS, resourceTable=RESOURCES, nativeSymbols=SYMBOLS)
CATEGORY = struct(name=TEXT, color={"enum": COLORS},
                  subcategories={"type": "array", "items": TEXT, "minItems": 1})
META = struct(["CPUName"], interval={"type": "number", "exclusiveMinimum": 0}, startTime=NUMBER,
              processType=INDEX, product=TEXT, importedFrom=TEXT, stackwalk={"enum": [0, 1]},
              version=INDEX, preprocessedProfileVersion={"const": 58}, symbolicated=BOOL,
              usesOnlyOneStackType=BOOL, sourceCodeIsNotOnSearchfox=BOOL,
              keepProfileThreadOrder=BOOL, CPUName=TEXT, markerSchema=listing({}),
              categories={"type": "array", "items": CATEGORY,
                          "contains": {"properties": {"color": {"const": "grey"}}}},
              sampleUnits=struct(time={"enum": ["ms", "bytes"]}, eventDelay={"const": "ms"},
                                 threadCPUDelta={"enum": ["ns", "µs", "variable CPU cycles"]}))
LIB = struct(arch=TEXT, name=TEXT, path=TEXT, debugName=TEXT, debugPath=TEXT, breakpadId=TEXT,
             codeId=either(TEXT, NULL))
SHARED = struct(stringArray=listing(TEXT),
                sources=table(uuid=either(TEXT, NULL), filename=INDEX))
PROFILE = struct(meta=META, libs=listing(LIB), shared=SHARED,
                 threads={"type": "array", "items": THREAD, "minItems": 1})

with open(sys.argv[1], encoding="utf-8") as file:
    jsonschema.validate(json.load(file), PROFILE)
