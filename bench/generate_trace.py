#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large PyTorch trace of a small one, for benchmarks.

The events are repeated in the text of the original, so that layout and mixture stay real; times, correlation ids and
external ids move on from copy to copy, so that nothing is a duplicate.

    generate_trace.py train.trace.json.gz big.json --size 300M
"""
import argparse
import gzip
import re
import sys

FIELDS = re.compile(r'"(ts|correlation|External id|external id|Ev Idx|Sequence number|id)":\s*(\d+(?:\.\d+)?)')
TIMES = ("ts",)


def read_text(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")


def split_document(text):
    """Head up to and with the bracket of traceEvents, the events, and the tail from the closing bracket on."""
    start = text.index("[", text.index('"traceEvents"')) + 1
    depth, in_string, at = 1, False, start
    for match in re.finditer(r'\\.|["\[\]]', text[start:]):
        token = match.group()
        if token == '"':
            in_string = not in_string
        elif not in_string and token in "[]":
            depth += 1 if token == "[" else -1
            if depth == 0:
                at = start + match.start()
                break
    return text[:start], text[start:at].rstrip(), text[at:]


def template(events):
    """The text between the numbers that move, and the numbers: (parts, [(field, integer, decimals)])."""
    parts, values, last = [], [], 0
    for match in FIELDS.finditer(events):
        number = match.group(2)
        whole, _, fraction = number.partition(".")
        parts.append(events[last:match.start(2)])
        values.append((match.group(1), int(whole + fraction), len(fraction)))
        last = match.end(2)
    return parts, values, events[last:]


def copy(parts, values, end, number, steps):
    out = []
    for part, (field, value, decimals) in zip(parts, values):
        out.append(part)
        if decimals:
            value += number * steps[field] * 10**decimals
            scale = 10**decimals
            out.append(f"{value // scale}.{value % scale:0{decimals}d}")
        else:
            out.append(str(value + number * steps[field]))
    out.append(end)
    return "".join(out)


def steps_of(values):
    """How far each field must move so that copies do not touch."""
    ranges = {}
    for field, value, decimals in values:
        low, high = ranges.get(field, (value, value)) if not decimals else ranges.get(field, (None, None))
        value = value // 10**decimals
        low = value if low is None else min(low, value)
        high = value if high is None else max(high, value)
        ranges[field] = (low, high)
    return {field: (high - low) + (1000 if field in TIMES else 1) for field, (low, high) in ranges.items()}


def parse_size(text):
    units = {"K": 10**3, "M": 10**6, "G": 10**9}
    return int(float(text[:-1]) * units[text[-1]]) if text[-1] in units else int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a trace, plain or .gz")
    parser.add_argument("target", help="the file to write, plain or .gz")
    parser.add_argument("--size", type=parse_size, default=300 * 10**6, help="of the text, in bytes (K, M, G)")
    options = parser.parse_args()
    head, events, tail = split_document(read_text(options.source))
    parts, values, end = template(events)
    steps = steps_of(values)
    opener = (lambda path: gzip.open(path, "wb", 6)) if options.target.endswith(".gz") else (lambda path: open(path, "wb"))
    written, number = 0, 0
    with opener(options.target) as file:
        file.write(head.encode("utf-8", "surrogateescape"))
        while written < options.size:
            text = ("," if number else "") + copy(parts, values, end, number, steps)
            written += file.write(text.encode("utf-8", "surrogateescape"))
            number += 1
        file.write(("\n" + tail).encode("utf-8", "surrogateescape"))
    print(f"{options.target}: {number} copies, {written} bytes of events", file=sys.stderr)


if __name__ == "__main__":
    main()
