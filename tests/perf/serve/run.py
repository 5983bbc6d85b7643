#!/usr/bin/env python3
"""Requests per second of `epochcast serve`, over kept connections and over loopback, beside what one process answers from a
file: run.py BUILD [SECONDS]. No test checks it."""
import http.client
import json
import multiprocessing
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
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


def client(port, seconds, rate, times):
    """Asks over one connection: as fast as answers come, or at a rate, whatever the answers do; a wait counts from when it was to begin."""
    s = socket.create_connection(("127.0.0.1", port))
    question = f"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}".encode()
    seen, begin, n = [], time.monotonic(), 0
    while (now := time.monotonic()) < begin + seconds:
        due = begin + n / rate if rate else now
        if due > now:
            time.sleep(due - now)
        s.sendall(question)
        data = b""
        while not data.endswith(b"}\n"):
            more = s.recv(65536)
            if not more:
                raise RuntimeError("the connection was closed")
            data += more
        seen.append(time.monotonic() - due)
        n += 1
    times.put(seen)


def clients(port, n, rate=0):
    """Answers per second and 99 % of the waits, of n processes."""
    times = multiprocessing.Queue()
    all_of_them = [multiprocessing.Process(target=client, args=(port, SECONDS, rate / n, times)) for _ in range(n)]
    for p in all_of_them:
        p.start()
    seen = sorted(t for _ in all_of_them for t in times.get())
    for p in all_of_them:
        p.join()
    return len(seen) / SECONDS, seen[len(seen) * 99 // 100] * 1e3


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
    for n, wanted in (1, 0), (2, 0), (8, 0), (4, 2500):
        seen, p99 = clients(port, n, wanted)
        name = f"serve, {n} client{'s'[:n > 1]}" + f" at {wanted} /s together" * (wanted > 0)
        print(f"{name:40} {seen:8.0f} /s {seen / rate:6.2f} of it, p99 {p99:.1f} ms")
    server.terminate()
    server.wait()


main()
