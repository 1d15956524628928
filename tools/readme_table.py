#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Puts what `scripts/demo --top 8` prints into the README, up to the quality ledger. Run it when the table changes."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = ["scripts/demo", "--top", "8"]


def main():
    said = subprocess.run(COMMAND, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    table = said[said.index("\n\n") + 2:said.index("\nQuality of these numbers")].rstrip()
    readme = ROOT / "README.md"
    text, count = re.subn(r"```\n\$ scripts/demo.*?\n```", lambda _: f"```\n$ {' '.join(COMMAND)}\n{table}\n```",
                          readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    if count != 1:
        sys.exit("README.md has no block that starts with $ scripts/demo")
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
