#!/usr/bin/env python3
"""Requests per second of `epochcast serve`, over kept connections and over loopback, beside what one process answers from a
file: run.py BUILD [SECONDS]. No test checks it."""
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

EPOCHCAST = pathlib.Path(sys.argv[1]).resolve() / "epochcast"
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5
BODY = json.dumps({"model": "resnet18", "device": "t4", "batch": 64})


def by_file(n=20000):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write((BODY + "\n") * n)
        f.flush()
        begin = time.monotonic()
        subprocess.run([EPOCHCAST, "predict", "--requests", f.name], stdout=subprocess.DEVNULL, check=True)
        return n / (time.monotonic() - begin)


def client(port, times, end):
    c = http.client.HTTPConnection("127.0.0.1", port)
    while time.monotonic() < end:
        begin = time.monotonic()
        c.request("POST", "/v1/predict", BODY)
        c.getresponse().read()
        times.append(time.monotonic() - begin)


def lines(port, n=20000):
    c = http.client.HTTPConnection("127.0.0.1", port)
    begin = time.monotonic()
    c.request("POST", "/v1/predict", (BODY + "\n") * n, {"Content-Type": "application/x-ndjson"})
    c.getresponse().read()
    return n / (time.monotonic() - begin)


def main():
    rate = by_file()
    print(f"{'predict --requests, one process':40} {rate:8.0f} /s")
    server = subprocess.Popen([EPOCHCAST, "serve", "--listen", "127.0.0.1:0", "--no-log", "--threads", "2"], stderr=subprocess.PIPE,
                              text=True)
    port = int(re.search(r":(\d+)$", server.stderr.readline().strip()).group(1))
    seen = lines(port)
    print(f"{'serve, a body of 20,000 lines':40} {seen:8.0f} /s {seen / rate:6.2f} of it")
    for n in 1, 2, 8:
        times = []
        threads = [threading.Thread(target=client, args=(port, times, time.monotonic() + SECONDS)) for _ in range(n)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        times.sort()
        p99 = times[len(times) * 99 // 100] * 1e3
        print(f"{f'serve, {n} clients in Python':40} {len(times) / SECONDS:8.0f} /s {len(times) / SECONDS / rate:6.2f} of it, p99 {p99:.1f} ms")
    server.terminate()
    server.wait()


main()
