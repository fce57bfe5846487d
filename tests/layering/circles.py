# SPDX-License-Identifier: Apache-2.0
"""usage: circles.py ROOT
No two files of src/ need each other: a file needs those that define the functions that it names. Two
may, for what they make is recursive: the front end of TSDL, where declarations hold types and types
hold declarations; and the programs of classes, where a marked class holds classes. Nor does a header include one that
includes it, on whatever way."""

import os
import re
import subprocess
import sys

ALLOWED = [{"src/formats/ctf/metadata/tsdl" + part
            for part in ("", "_block", "_finish", "_role", "_scalar", "_scope", "_type", "_value")},
           {"src/formats/ctf/records/emit_class", "src/formats/ctf/records/emit_mark"}]
DEFINITION = re.compile(
    r"^(?!static|typedef|return|else|extern)[\w \*]+?\b(\w+)\([^;{}]*\)\s*\n\{", re.M)


def code_of(path):
    """Its text without comments and texts."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def files_of(root):
    for folder, folders, names in os.walk(os.path.join(root, "src")):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".c"):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, root)[:-2], code_of(path)


def needs_of(files):
    """Which file needs which, and the functions by which it does."""
    homes = {}
    for unit, text in files:
        for name in DEFINITION.findall(text):
            homes.setdefault(name, set()).add(unit)
    needs = {}
    for unit, text in files:
        of = needs.setdefault(unit, {})
        for word in set(re.findall(r"\b([a-z]\w+)\b(?=\s*\(|\s*[,;)}])", text)):
            home = homes.get(word, ())
            if len(home) == 1 and unit not in home:
                of.setdefault(next(iter(home)), []).append(word)
    return needs


def includes_of(root):
    """Which header of src/ and include/ includes which."""
    texts = {}
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(".h"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        texts[os.path.relpath(path, os.path.join(root, top))] = file.read()
    return {header: [other for other in
                     re.findall(r'^\s*#\s*include ["<]([^">]+)[">]', text, re.M) if other in texts]
            for header, text in texts.items()}


def circles_of(needs):
    """Strongly connected components of more than one file (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(unit):
        number[unit] = low[unit] = len(number)
        stack.append(unit)
        for other in needs[unit]:
            if other not in number:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == number[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for unit in needs:
        if unit not in number:
            visit(unit)
    return found


def main():
    files = list(files_of(sys.argv[1]))
    needs = needs_of(files)
    failed = 0
    for circle in circles_of(needs):
        if any(circle <= allowed for allowed in ALLOWED):
            continue
        failed = 1
        print("these files need each other:")
        for unit in sorted(circle):
            for other in sorted(needs[unit]):
                if other in circle:
                    print(f"    {unit}.c -> {other}.c: {', '.join(sorted(needs[unit][other]))}")
    for circle in circles_of(includes_of(sys.argv[1])):
        failed = 1
        print("these headers include each other:", ", ".join(sorted(circle)))
    if not failed:
        print(f"ok: {len(files)} files, no circle")
    return failed


sys.exit(main())
