# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Records a mix of operators in random bursts, and each of them alone in the same run: the truth for attribution.

burst_mix.py OUT_FOLDER NAME SEED OPERATOR… -> NAME.kernels.csv.gz, NAME.power.*, NAME_alone.power.*, NAME.meta.json
Reads the GPU only; clocks stay automatic.
"""
import csv
import gzip
import json
import os
import random
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

from nvml_log import PowerLog

D = "cuda"


def r(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device=D, dtype=dtype)


def operators():
    big = r(8192, 8192)
    out = torch.empty_like(big)
    f32 = r(8192, 4096, dtype=torch.float32)
    f32_out = torch.empty_like(f32)
    a, b = r(8192, 2048), r(2048, 8192)
    a32, b32 = r(4096, 2048, dtype=torch.float32), r(2048, 2048, dtype=torch.float32)
    a16, b16 = r(4096, 4096, dtype=torch.float16), r(4096, 4096, dtype=torch.float16)
    vec, w = r(1, 8192), r(8192, 28672)
    skinny = r(32, 8192)
    q = r(4, 16, 2048, 128)
    ids = torch.randint(0, 50304, (32768,), device=D)
    table = r(50304, 2048)
    norm = r(16384, 4096)
    weight = torch.ones(4096, device=D, dtype=torch.bfloat16)
    logits, target = r(8192, 50304), torch.randint(0, 50304, (8192,), device=D)
    return {
        "gemm_bf16": lambda: torch.mm(a, b),
        "gemm_fp16": lambda: torch.mm(a16, b16),
        "gemm_fp32": lambda: torch.mm(a32, b32),
        "gemv_bf16": lambda: torch.mm(vec, w),
        "gemm_m32": lambda: torch.mm(skinny, w),
        "attention": lambda: F.scaled_dot_product_attention(q, q, q, is_causal=True),
        "layernorm": lambda: F.layer_norm(norm, (4096,), weight, weight),
        "add": lambda: torch.add(big, out, out=out),
        "mul_fp32": lambda: torch.mul(f32, 1.5, out=f32_out),
        "silu": lambda: F.silu(big),
        "sum_rows": lambda: norm.sum(-1),
        "gather": lambda: F.embedding(ids, table),
        "transpose": lambda: big.t().contiguous(),
        "copy": lambda: out.copy_(big),
        "fill": lambda: out.fill_(1.0),
        "softmax": lambda: torch.softmax(logits, -1),
        "argmax": lambda: logits.argmax(-1),
        "exp": lambda: torch.exp(big, out=out),
    }


def burst(op, seconds, per_call):
    """Queues about `seconds` of work, then waits for it."""
    for _ in range(max(1, round(seconds / per_call))):
        op()
    torch.cuda.synchronize()


def time_per_call(op):
    for _ in range(3):
        op()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(20):
        op()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / 20


def write_kernels(profile, path):
    with tempfile.TemporaryDirectory() as folder:
        trace_path = os.path.join(folder, "trace.json")
        profile.export_chrome_trace(trace_path)
        with open(trace_path) as f:
            trace = json.load(f, parse_float=str, parse_int=str)
    base = int(trace.get("baseTimeNanoseconds", 0))
    ns = lambda text: int(text.partition(".")[0]) * 1000 + int((text.partition(".")[2] + "000")[:3])
    rows = []
    for e in trace["traceEvents"]:
        if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            dims = lambda key: "x".join(e["args"][key]) if key in e["args"] else ""
            rows.append((e["name"], e["cat"], base + ns(e["ts"]), ns(e["dur"]), e["args"].get("stream", ""),
                         dims("grid"), dims("block")))
    rows.sort(key=lambda row: row[2])
    with gzip.open(path, "wt", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(["name", "category", "start_ns", "duration_ns", "stream", "grid", "block"])
        writer.writerows(rows)


def main():
    folder, name, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chosen = sys.argv[4:]
    ops = {k: v for k, v in operators().items() if k in chosen}
    seconds = {k: time_per_call(op) for k, op in ops.items()}
    base = os.path.join(folder, name)
    meta = {"gpu": torch.cuda.get_device_name(0), "seed": seed, "alone": {}, "schedule": []}
    with PowerLog(base + "_alone"):
        time.sleep(1.0)
        for k, op in ops.items():
            start, calls, end_at = time.time_ns(), 0, time.perf_counter() + 2.5
            while time.perf_counter() < end_at:
                n = max(1, round(0.1 / seconds[k]))
                for _ in range(n):
                    op()
                calls += n
                torch.cuda.synchronize()
            meta["alone"][k] = {"start_ns": start, "end_ns": time.time_ns(), "calls": calls}
        time.sleep(1.0)
    rng = random.Random(seed)
    with PowerLog(base):
        time.sleep(2.0)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            end_at = time.perf_counter() + 20.0
            while time.perf_counter() < end_at:
                k = rng.choice(list(ops))
                length = rng.uniform(0.004, 0.050)
                meta["schedule"].append([k, time.time_ns()])
                burst(ops[k], length, seconds[k])
                if rng.random() < 0.15:
                    time.sleep(rng.uniform(0.005, 0.030))
        time.sleep(2.0)
    write_kernels(profile, base + ".kernels.csv.gz")
    with open(base + ".meta.json", "w") as f:
        json.dump(meta, f)


if __name__ == "__main__":
    main()
