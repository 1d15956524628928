#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large export of Nsight Systems, for benchmarks: training steps on a few processes, each with a GPU, with
launches, nested NVTX ranges and operators as PyTorch's emit_nvtx names them.

    generate_nsys.py big.sqlite --kernels 5000000 --ranges 2000000 --processes 2
"""
import argparse
import os
import sqlite3

TABLES = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=4096;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
  globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
  gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
  localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
  sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
  callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
  int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT, systemClockNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426, '2026-05-24T13:40:14', '2026-05-24T13:40:14', 1);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, busLocation TEXT, smCount INTEGER, uuid TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');
"""
MACHINE = 1 << 48
KERNELS_PER_STEP = 1000
KERNEL_NS = 20_000


def numbers(count):
    return f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1 < {count}) "


def fill(database, process, kernels, ranges, names):
    """Kernel i runs in [20i, 20i+18) us and was launched 10 us before. Ranges: a step of 1000 kernels holds a forward
    and a backward, these hold layers of 50 kernels, and operators take what is left of the number of ranges."""
    pid = 1000 + process
    tid = MACHINE + (pid << 24) + pid
    database.execute("INSERT INTO TARGET_INFO_GPU VALUES (?,?,?,132,?)",
                     (process, "NVIDIA H100 80GB HBM3", f"0000:{process:02x}:00.0", f"{process:08x}-0000-1111-2222-333333333333"))
    database.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?,0,?)", (process, pid))
    database.execute(numbers(kernels) + f"""INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT
      {KERNEL_NS}*i+20000, {KERNEL_NS}*i+38000 + i % 997, 0, 1, 0, 7, i+1, {MACHINE + (pid << 24)},
      100 + (i % {names}), 100 + (i % {names}), 100 + (i % {names}), 1, 1, 32, 1 + i % 132, 1, 1, 128, 1, 1, 0, 1024,
      0, 250871808, i, 32768, NULL, 0 FROM n""")
    database.execute(numbers(kernels) + f"""INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT
      {KERNEL_NS}*i+10000, {KERNEL_NS}*i+14000, 0, {tid}, i+1, 1, 0, NULL FROM n""")
    insert = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT "
    made = 0
    for size, gap, text in ((KERNELS_PER_STEP, 0, "'step ' || i"),
                            (KERNELS_PER_STEP // 2, 1, "CASE WHEN i % 2 = 0 THEN 'forward' ELSE 'backward' END"),
                            (50, 2, "'layer ' || (i % 10)")):
        count = kernels // size
        database.execute(numbers(count) + insert +
                         f"{KERNEL_NS * size}*i + {gap}, {KERNEL_NS * size}*(i+1) - {gap + 1}, 59, {text}, {tid}, 0 FROM n")
        made += count
    count = max(1, ranges - made)
    width = max(1, kernels // count)
    database.execute(numbers(count) + insert +
                     f"{KERNEL_NS * width}*i + 3, {KERNEL_NS * width}*(i+1) - 5, 59, "
                     f"'aten::op' || (i % 40) || ', seq = ' || i || ', op_id = ' || i || ', sizes = [[8192, 2048], [' || "
                     f"(i % 12) || ', 2048]]', {tid}, 0 FROM n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--kernels", type=int, default=5_000_000)
    parser.add_argument("--ranges", type=int, default=2_000_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--names", type=int, default=300, help="distinct kernels")
    arguments = parser.parse_args()
    if os.path.exists(arguments.output):
        parser.error(f"{arguments.output} exists")
    database = sqlite3.connect(arguments.output)
    database.executescript(TABLES)
    for i in range(arguments.names):
        database.execute("INSERT INTO StringIds VALUES (?,?)",
                         (100 + i, f"void at::native::vectorized_elementwise_kernel<{i}, at::native::AddFunctor<float>>(int)"))
    for process in range(arguments.processes):
        fill(database, process, arguments.kernels // arguments.processes, arguments.ranges // arguments.processes,
             arguments.names)
    database.commit()
    database.close()


if __name__ == "__main__":
    main()
