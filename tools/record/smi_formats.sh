#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
# tools/record/smi_formats.sh FOLDER: every form in which nvidia-smi writes power and clocks, from GPUs under a short
# load. Reads only. The files are for testing the readers against a real driver.
set -uo pipefail
export KERNWATT_READ_ONLY=1
out=${1:?folder}
mkdir -p "$out"
fields=timestamp,index,uuid,pci.bus_id,name,power.draw,power.draw.average,power.draw.instant,clocks.sm,clocks.mem
fields+=,temperature.gpu,clocks_event_reasons.active,power.limit,enforced.power.limit,utilization.gpu
load() { # a product for SECONDS, then nothing
  python3 - "$1" <<'PY'
import sys, time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
end = time.time() + float(sys.argv[1])
while time.time() < end:
    for _ in range(20): a @ a
    torch.cuda.synchronize()
PY
}
nvidia-smi --query-gpu="$fields" --format=csv -lms 50 >"$out/query.csv" &
nvidia-smi --query-gpu="$fields" --format=csv,noheader -lms 100 >"$out/query_noheader.csv" &
nvidia-smi --query-gpu="$fields" --format=csv,nounits -lms 100 >"$out/query_nounits.csv" &
nvidia-smi --query-gpu="timestamp,power.draw" --format=csv,noheader,nounits -lms 100 >"$out/query_two_bare.csv" &
nvidia-smi -q -x -lms 500 >"$out/q_loop.xml" &
nvidia-smi -q -d POWER,CLOCK,TEMPERATURE -lms 500 >"$out/q_power_loop.txt" &
nvidia-smi dmon -s pucvmet -o DT -d 1 >"$out/dmon_all_DT.txt" &
nvidia-smi dmon -s pc -o T -d 1 >"$out/dmon_pc_T.txt" &
nvidia-smi dmon -s p -d 1 >"$out/dmon_p.txt" &
nvidia-smi dmon -s pucm -o TD --format csv,nounit -d 1 >"$out/dmon_csv_nounit.csv" &
nvidia-smi dmon -s p --format csv,noheader -o DT -d 1 >"$out/dmon_csv_noheader.csv" &
nvidia-smi pmon -s um -o DT -d 1 >"$out/pmon.txt" &
(while :; do nvidia-smi; sleep 1; done) >"$out/table_loop.txt" &
sleep 4
load 8
sleep 5
# shellcheck disable=SC2046
kill $(jobs -p) 2>/dev/null
wait 2>/dev/null
nvidia-smi -q >"$out/q.txt"
nvidia-smi -q -x >"$out/q.xml"
nvidia-smi -q -d SUPPORTED_CLOCKS >"$out/supported_clocks.txt"
nvidia-smi -q -d SUPPORTED_CLOCKS -x >"$out/supported_clocks.xml"
nvidia-smi >"$out/table.txt"
# One unknown field refuses them all, so each is tried by itself.
for field in $(nvidia-smi --help-query-gpu | grep -o '^"[a-z_0-9.]*' | tr -d '"' | sort -u); do
  nvidia-smi --query-gpu="$field" --format=csv >/dev/null 2>&1 && echo "$field"
done >"$out/all_fields.txt"
nvidia-smi --query-gpu="$(paste -sd, "$out/all_fields.txt")" --format=csv >"$out/query_all.csv" 2>&1
python3 - "$out/driver.txt" <<'PY' || true
import subprocess, sys
open(sys.argv[1], "w").write(subprocess.run(["nvidia-smi", "--version"], capture_output=True, text=True).stdout)
PY
ls -la "$out"
