#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Times the Kineto reader against what everybody has: Python's json.load, and for .gz zlib's own decompression.

Both read the same file in the same run, by turns, on one core; the best of the rounds counts. Make large inputs with
bench/generate_trace.py.

    read_kineto.py build/ci/bench/bench_read_trace big.json [big.json.gz] --rounds 3
"""
import argparse
import json
import os
import subprocess
import sys
import time
import zlib


def on_core(core):
    return lambda: os.sched_setaffinity(0, {core}) if core is not None else None


def ours(program, path, core):
    done = subprocess.run([program, path], capture_output=True, text=True, check=True, preexec_fn=on_core(core))
    return json.loads(done.stdout)


JSON_LOAD = """import json, sys, time
wall, cpu = time.perf_counter(), time.process_time()
data = json.load(open(sys.argv[1]))
print(time.perf_counter() - wall, time.process_time() - cpu)"""


def json_load(path, core):
    """Wall and processor seconds."""
    done = subprocess.run([sys.executable, "-c", JSON_LOAD, path], capture_output=True, text=True, check=True,
                          preexec_fn=on_core(core))
    return tuple(map(float, done.stdout.split()))


def inflate(path):
    """Seconds and bytes of decompressing with zlib alone, block by block."""
    start, size = time.perf_counter(), 0
    stream = zlib.decompressobj(31)
    with open(path, "rb") as file:
        while block := file.read(1 << 18):
            size += len(stream.decompress(block))
    return time.perf_counter() - start, size


def compare_plain(program, path, rounds, core):
    size = os.path.getsize(path) / 1e6
    runs, loads = [], []
    for _ in range(rounds):
        runs.append(ours(program, path, core))
        loads.append(json_load(path, core))
    best, load = min(run["seconds"] for run in runs), min(wall for wall, _ in loads)
    # On a machine that does other things too, processor time is the fairer of the two.
    best_cpu, load_cpu = min(run["cpu_seconds"] for run in runs), min(cpu for _, cpu in loads)
    print(f"{path}: {size:.1f} MB, {runs[0]['launches']} launches")
    print(f"  kernwatt   {best:7.3f} s  {size / best:7.1f} MB/s  processor {best_cpu:7.3f} s  "
          f"peak {max(r['peak_rss_mib'] for r in runs):.0f} MiB")
    print(f"  json.load  {load:7.3f} s  {size / load:7.1f} MB/s  processor {load_cpu:7.3f} s")
    print(f"  ratio      {load / best:7.1f}                processor {load_cpu / best_cpu:7.1f}")


def compare_gzip(program, path, rounds):
    runs, inflates = [], []
    for _ in range(rounds):
        runs.append(ours(program, path, None))
        inflates.append(inflate(path))
    best, (zlib_best, size) = min(run["seconds"] for run in runs), min(inflates)
    print(f"{path}: {size / 1e6:.1f} MB decompressed, {runs[0]['launches']} launches")
    print(f"  kernwatt   {best:7.3f} s  {size / 1e6 / best:7.1f} MB/s  peak {max(r['peak_rss_mib'] for r in runs):.0f} MiB")
    print(f"  zlib alone {zlib_best:7.3f} s  {size / 1e6 / zlib_best:7.1f} MB/s")
    print(f"  ratio      {zlib_best / best:7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="bench_read_trace")
    parser.add_argument("files", nargs="+", help="traces, plain or .gz")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=0, help="the core for plain files; .gz files may use two")
    options = parser.parse_args()
    for path in options.files:
        if path.endswith(".gz"):
            compare_gzip(options.program, path, options.rounds)
        else:
            compare_plain(options.program, path, options.rounds, options.core)


if __name__ == "__main__":
    main()
