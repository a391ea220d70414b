#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the page's template: checks the TypeScript, bundles it, and writes both halves as C.

    template.py ESBUILD TSC SOURCE SCRATCH OUTPUT

The halves stand before and behind the data. The content security policy names the digests of the
style and the script, so that a browser runs and loads nothing else. Without ESBUILD and TSC, both
halves are empty.
"""
import base64
import hashlib
import os
import subprocess
import sys

DATA = "@DATA@"


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def bundle(esbuild, tsc, source, scratch):
    os.makedirs(scratch, exist_ok=True)
    subprocess.run([tsc, "--noEmit", "-p", os.path.join(source, "tsconfig.json")], check=True,
                   stdout=sys.stderr)
    made = {}
    for name, out in (("main.ts", "page.js"), ("page.css", "page.css")):
        path = os.path.join(scratch, out)
        subprocess.run([esbuild, os.path.join(source, name), "--bundle", "--minify", "--charset=utf8",
                        "--target=es2020", "--log-level=warning", f"--outfile={path}"], check=True)
        with open(path, encoding="utf-8") as file:
            made[out] = file.read().strip()
    if "</script" in made["page.js"].lower():
        sys.exit("the script would end its own element")
    return made["page.js"], made["page.css"]


def template(source, script, style):
    with open(os.path.join(source, "page.html"), encoding="utf-8") as file:
        page = file.read()
    page = page.replace("@POLICY@", "default-src 'none'; base-uri 'none'; form-action 'none'; "
                        f"script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'")
    return page.replace("@STYLE@", style).replace("@SCRIPT@", script).split(DATA)


def as_c(name, text):
    data = text.encode()
    lines = [",".join(str(byte if byte < 128 else byte - 256) for byte in data[i:i + 32]) + ","
             for i in range(0, len(data), 32)]
    return (f"extern const char {name}[];\nextern const size_t {name}_size;\n"
            f"const char {name}[] = {{\n" + "\n".join(lines) + "\n0};\n"
            f"const size_t {name}_size = {len(data)};\n")


def main():
    esbuild, tsc, source, scratch, output = sys.argv[1:]
    head = tail = ""
    if esbuild and tsc:
        head, tail = template(source, *bundle(esbuild, tsc, source, scratch))
    with open(output, "w", encoding="ascii") as file:
        file.write("/* Made by web/template.py. */\n#include <stddef.h>\n"
                   + as_c("html_head", head) + as_c("html_tail", tail))


main()
