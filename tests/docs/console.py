# SPDX-License-Identifier: Apache-2.0
# usage: console.py STELE TRACES DOCUMENT... [--write]
# Runs the commands of the documents' `console` blocks, each document's in one folder that holds
# TRACES and, in order, what the commands make; their output must be what stands below them. A line
# '...' stands for all further output of a command. --write puts the output into the documents.
import os
import re
import shutil
import subprocess
import sys
import tempfile

arguments = [a for a in sys.argv[1:] if a != "--write"]
writes = "--write" in sys.argv
stele, traces, *documents = arguments
environment = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", COLUMNS="80")
for name in ("NO_COLOR", "STELE_DUCKDB"):
    environment.pop(name, None)


def run(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return [line.rstrip() for line in done.stdout.splitlines()]


def block(lines, folder):
    """The lines of a block as they should be."""
    made, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            sys.exit(f"a block begins with '{lines[at]}', expected '$ COMMAND'")
        command, end = lines[at], at + 1
        while end < len(lines) and not lines[end].startswith("$ "):
            end += 1
        shown = lines[at + 1:end]
        output = run(command[2:], folder)
        if shown and shown[-1] == "...":
            output = [*output[:len(shown) - 1], "..."]
        made += [command, *output]
        at = end
    return made


failures = commands = 0
for document in documents:
    with open(document, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as top:
        folder = top + "/traces"
        shutil.copytree(traces, folder)
        os.mkdir(top + "/bin")
        os.symlink(stele, top + "/bin/stele")
        environment["PATH"] = top + "/bin:" + os.environ["PATH"]

        def checked(found):
            global failures, commands
            lines = found[1].splitlines()
            made = block(lines, folder)
            commands += sum(line.startswith("$ ") for line in made)
            if made != lines and not writes:
                failures += 1
                print(f"{document}: expected\n{found[1]}got\n" + "\n".join(made))
            return "```console\n" + "\n".join(made) + "\n```"

        text = re.sub(r"^```console\n(.*?)^```$", checked, text, flags=re.M | re.S)
    if writes:
        with open(document, "w", encoding="utf-8") as file:
            file.write(text)
print(f"{commands} commands, {failures} blocks differ")
sys.exit(failures != 0 or commands == 0)
