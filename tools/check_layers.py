#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that each module includes only what the table of layers allows.

check_layers.py [ROOT]

ROOT has tools/layers.txt: a line per module, "module: modules that it may include". The module x lives in kernwatt/x,
apps/x in apps/x. Prints one line per violation, as file:line, and exits 1; a table that is wrong itself exits 2.
"""
import pathlib
import re
import sys

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".in"}
# Other people's headers are angled and none of our business; ours are quoted and named from the root.
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]((?:kernwatt|apps)/[^">]+)[">]')
RELATIVE = re.compile(r'^\s*#\s*include\s*"(\.\.?/[^"]+)"')


class TableError(Exception):
    """The table of layers cannot be used."""


def read_table(text):
    """{module: modules that it may include}, itself included."""
    table = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        module, colon, allowed = line.partition(":")
        module = module.strip()
        if not colon or not module:
            raise TableError(f'tools/layers.txt:{number}: "{line}" is not "module: modules that it may include"')
        if module in table:
            raise TableError(f"tools/layers.txt:{number}: {module} stands here twice")
        table[module] = {module, *allowed.split()}
    for module, allowed in table.items():
        for name in sorted(allowed - table.keys()):
            raise TableError(f"tools/layers.txt: {module} may include {name}, which has no line of its own")
    return table


def module_of(path, table):
    """The most specific module of the table that a path from the root lies in, or None."""
    parts = path.split("/")
    names = parts[1:] if parts[0] == "kernwatt" else parts
    for length in range(len(names) - 1, 0, -1):
        name = "/".join(names[:length])
        if name in table:
            return name
    return None


def sources(root):
    for folder in ("kernwatt", "apps"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def violations_in(path, name, module, table):
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if match := RELATIVE.match(line):
            yield f'{name}:{number}: includes "{match[1]}": name it from the root, as users do'
        if not (match := INCLUDE.match(line)):
            continue
        target = module_of(match[1], table)
        if target is None:
            yield f"{name}:{number}: includes {match[1]}, which is in no module of tools/layers.txt"
        elif target not in table[module]:
            yield f"{name}:{number}: {module} may not include {target} ({match[1]})"


def check(root):
    """The violations of a tree, as lines to print."""
    table = read_table((root / "tools/layers.txt").read_text(encoding="utf-8"))
    found, files = [], 0
    for path in sources(root):
        files += 1
        name = path.relative_to(root).as_posix()
        module = module_of(name, table)
        if module is None:
            found.append(f"{name}:1: is in no module of tools/layers.txt; add a line for it")
        else:
            found.extend(violations_in(path, name, module, table))
    if not files:
        raise TableError(f"{root} has no sources under kernwatt/ or apps/")
    return found, files


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    try:
        found, files = check(root)
    except (OSError, TableError) as error:
        print(error, file=sys.stderr)
        return 2
    for line in found:
        print(line)
    print(f"{files} files, {len(found)} violations of tools/layers.txt")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
