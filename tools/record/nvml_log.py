# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Logs a GPU's energy counter, power, clocks and the driver's 20 ms samples. Reads only; never sets anything.

nvml_log.py NAME [INDEX]   logs GPU INDEX (as NVML counts, default 0) until SIGINT or SIGTERM, then writes
                           NAME.power.csv.gz and NAME.power.samples.csv
Run it beside the program, not in it: a thread of a busy Python program is starved for a second at a time.
"""
import ctypes
import gzip
import signal
import subprocess
import sys
import threading
import time


class FieldValue(ctypes.Structure):
    _fields_ = [("fieldId", ctypes.c_uint), ("scopeId", ctypes.c_uint), ("timestamp", ctypes.c_longlong),
                ("latencyUsec", ctypes.c_longlong), ("valueType", ctypes.c_int), ("nvmlReturn", ctypes.c_int),
                ("value", ctypes.c_ulonglong)]


class Sample(ctypes.Structure):
    _fields_ = [("timeStamp", ctypes.c_ulonglong), ("value", ctypes.c_ulonglong)]


class PowerReader:
    """Reads until stop() is called, then writes the two files."""
    COLUMNS = ("time_ns,energy_mj,power_avg_mw,power_instant_mw,sm_mhz,mem_mhz,temp_c,mem_temp_c,util_gpu,util_mem,"
               "event_reasons")

    def __init__(self, name, index=0, period_s=0.010):
        self.name, self.period_s = name, period_s
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self._check(self.nvml.nvmlInit_v2())
        self.device = ctypes.c_void_p()
        self._check(self.nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self.device)))
        self.rows, self.samples, self.stop = [], {}, threading.Event()

    @staticmethod
    def _check(code):
        if code:
            raise RuntimeError(f"NVML error {code}")

    def _row(self):
        energy = ctypes.c_ulonglong()
        self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(energy))
        now = time.time_ns()
        fields = (FieldValue * 2)()
        fields[0].fieldId, fields[1].fieldId = 185, 186
        self.nvml.nvmlDeviceGetFieldValues(self.device, 2, fields)
        power = [str(f.value & 0xffffffff) if f.nvmlReturn == 0 else "" for f in fields]
        number = ctypes.c_uint()
        clocks = []
        for kind in (1, 2):
            ok = self.nvml.nvmlDeviceGetClockInfo(self.device, kind, ctypes.byref(number)) == 0
            clocks.append(str(number.value) if ok else "")
        ok = self.nvml.nvmlDeviceGetTemperature(self.device, 0, ctypes.byref(number)) == 0
        temperature = str(number.value) if ok else ""
        reasons = ctypes.c_ulonglong()
        self.nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self.device, ctypes.byref(reasons))
        return ",".join([str(now), str(energy.value), *power, *clocks, temperature, "", "", "", hex(reasons.value)])

    def _take_samples(self):
        count, kind = ctypes.c_uint(0), ctypes.c_int()
        call = self.nvml.nvmlDeviceGetSamples
        if call(self.device, 0, ctypes.c_ulonglong(0), ctypes.byref(kind), ctypes.byref(count), None):
            return
        buffer = (Sample * count.value)()
        if call(self.device, 0, ctypes.c_ulonglong(0), ctypes.byref(kind), ctypes.byref(count), buffer):
            return
        for s in buffer[:count.value]:
            if s.timeStamp:
                self.samples[s.timeStamp] = s.value & 0xffffffff

    def _loop(self):
        next_time, next_samples = time.monotonic(), 0.0
        while not self.stop.is_set():
            self.rows.append(self._row())
            if time.monotonic() > next_samples:
                self._take_samples()
                next_samples = time.monotonic() + 1.0
            next_time += self.period_s
            time.sleep(max(0.0, next_time - time.monotonic()))
        self._take_samples()

    def run(self):
        self._loop()
        with gzip.open(f"{self.name}.power.csv.gz", "wt") as f:
            f.write(self.COLUMNS + "\n" + "\n".join(self.rows) + "\n")
        with open(f"{self.name}.power.samples.csv", "w") as f:
            f.write("time_us,power_mw\n")
            f.writelines(f"{t},{p}\n" for t, p in sorted(self.samples.items()))


class PowerLog:
    """with PowerLog("name"): … logs in a process of its own."""

    def __init__(self, name, index=0):
        self.command = [sys.executable, __file__, name, str(index)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()  # "logging": the first reading is done
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def main():
    reader = PowerReader(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: reader.stop.set())
    print("logging", flush=True)
    reader.run()


if __name__ == "__main__":
    main()
