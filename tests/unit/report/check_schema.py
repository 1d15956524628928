#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""check_schema.py SCHEMA DOCUMENT…: exit status 0 valid, 1 not valid, 77 when python3-jsonschema is missing."""
import json
import sys

try:
    import jsonschema
except ImportError:
    # A python3 of another origin may come first on the path; Debian's own has Debian's package.
    if sys.executable != "/usr/bin/python3":
        import os

        try:
            os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
        except OSError:
            pass
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
validator = jsonschema.Draft7Validator(schema)
validator.check_schema(schema)
valid = True
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        problems = list(validator.iter_errors(json.load(file)))
    for problem in problems[:10]:
        print(path, "/".join(str(part) for part in problem.absolute_path), problem.message[:300])
    valid = valid and not problems
sys.exit(0 if valid else 1)
