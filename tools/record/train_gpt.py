# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT for some steps under PyTorch's profiler and a power log: the recording behind examples/.

train_gpt.py OUT_FOLDER NAME LAYERS D BATCH STEPS [--modules]
Reads the GPU only; clocks stay automatic.
"""
import gzip
import os
import shutil
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, record_function

from nvml_log import PowerLog

SEQUENCE, VOCABULARY = 1024, 50304


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.fc, self.fc_proj = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln_1(x)).split(d, dim=2)
        q, k, v = (y.view(b, t, self.heads, d // self.heads).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.fc_proj(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, layers, d):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, d), nn.Embedding(SEQUENCE, d)
        self.h = nn.ModuleList(Block(d, d // 128) for _ in range(layers))
        self.ln_f, self.head = nn.LayerNorm(d), nn.Linear(d, VOCABULARY, bias=False)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.h:
            x = block(x)
        return F.cross_entropy(self.head(self.ln_f(x)).reshape(-1, VOCABULARY), targets.reshape(-1))


def main():
    folder, name = sys.argv[1:3]
    layers, d, batch, steps = map(int, sys.argv[3:7])
    modules = "--modules" in sys.argv
    model = Gpt(layers, d).to("cuda", torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    ids = torch.randint(0, VOCABULARY, (batch, SEQUENCE + 1), device="cuda")

    def step():
        with record_function("forward"):
            loss = model(ids[:, :-1], ids[:, 1:])
        with record_function("backward"):
            loss.backward()
        with record_function("optimizer"):
            optimizer.step()
            optimizer.zero_grad()

    for _ in range(8):
        step()
    torch.cuda.synchronize()
    base = os.path.join(folder, name)
    with PowerLog(base):
        time.sleep(1.5)
        with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                                    with_stack=modules, with_modules=modules,
                                    schedule=torch.profiler.schedule(wait=0, warmup=1, active=steps, repeat=1)) as profile:
            for _ in range(steps + 1):
                step()
                torch.cuda.synchronize()
                profile.step()
        time.sleep(1.5)
    profile.export_chrome_trace(base + ".trace.json")
    with open(base + ".trace.json", "rb") as f, gzip.open(base + ".trace.json.gz", "wb", 9) as g:
        shutil.copyfileobj(f, g)
    os.remove(base + ".trace.json")


if __name__ == "__main__":
    main()
