#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Times the reader of Nsight Systems' exports, NVTX ranges joined to kernels, against two ways that people use: the
interval join in SQL (indexed as well as it can be), and fetching the same rows with Python's sqlite3 without any join.

All on inputs of bench/generate_nsys.py, in the same run. The join in SQL is quadratic in places, so it gets a smaller
file; its time per kernel is compared.

    read_nsys.py build/ci/bench/bench_read_trace --kernels 5000000 --ranges 2000000 --sql-kernels 20000
"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

JOIN = """
SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
JOIN NVTX_EVENTS n ON n.globalTid = r.globalTid AND n.start <= r.start AND n.end >= r.end
"""


def generate(path, kernels, ranges):
    script = pathlib.Path(__file__).resolve().parent.parent / "generate_nsys.py"
    subprocess.run([sys.executable, script, path, "--kernels", str(kernels), "--ranges", str(ranges)], check=True)


def ours(program, path):
    return json.loads(subprocess.run([program, path], capture_output=True, text=True, check=True).stdout)


def fetch(path):
    start = time.perf_counter()
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    rows = 0
    for table, columns in (
            ("CUPTI_ACTIVITY_KIND_KERNEL", "start,end,deviceId,contextId,streamId,correlationId,globalPid,demangledName,"
             "gridX,gridY,gridZ,blockX,blockY,blockZ,registersPerThread"),
            ("CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,globalTid,correlationId,nameId"),
            ("NVTX_EVENTS", "start,end,eventType,text,globalTid")):
        for _ in database.execute(f"SELECT {columns} FROM {table}"):
            rows += 1
    return time.perf_counter() - start, rows


def join(path):
    database = sqlite3.connect(path)
    start = time.perf_counter()
    database.execute("CREATE INDEX by_correlation ON CUPTI_ACTIVITY_KIND_RUNTIME(correlationId)")
    database.execute("CREATE INDEX by_thread ON NVTX_EVENTS(globalTid, start)")
    pairs = database.execute(JOIN).fetchone()[0]
    return time.perf_counter() - start, pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kernels", type=int, default=5_000_000)
    parser.add_argument("--ranges", type=int, default=2_000_000)
    parser.add_argument("--sql-kernels", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        big, small = os.path.join(folder, "big.sqlite"), os.path.join(folder, "small.sqlite")
        generate(big, arguments.kernels, arguments.ranges)
        share = arguments.sql_kernels / arguments.kernels
        generate(small, arguments.sql_kernels, max(1, int(arguments.ranges * share)))
        run = ours(arguments.program, big)
        print(f"kernwatt, read and joined: {run['seconds']:.2f} s ({run['cpu_seconds']:.2f} s of processor), "
              f"{run['launches']} launches, peak {run['peak_rss_mib']:.0f} MiB")
        seconds, rows = fetch(big)
        print(f"Python sqlite3, the rows fetched and not joined: {seconds:.2f} s, {rows} rows: "
              f"{seconds / run['seconds']:.1f} times as long")
        seconds, pairs = join(small)
        per_kernel = seconds / arguments.sql_kernels * 1e6
        own_per_kernel = run["seconds"] / run["launches"] * 1e6
        print(f"interval join in SQL, {arguments.sql_kernels} kernels, {pairs} pairs: {seconds:.2f} s, "
              f"{per_kernel:.1f} us per kernel; kernwatt {own_per_kernel:.2f}")


if __name__ == "__main__":
    main()
