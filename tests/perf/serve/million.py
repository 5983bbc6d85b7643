#!/usr/bin/env python3
"""Memory of `epochcast serve` over very many requests: million.py EPOCHCAST [N=1000000]. Four clients send predictions of many
networks, devices and batches, refusals, lines, questions and networks; the resident memory is read at twenty points. Fails where
it grows by more than 16 MiB after the first fifth. Minutes; no test runs it."""
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import threading
import time

EPOCHCAST = sys.argv[1]
N = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
CLIENTS, TOGETHER = 4, 25  # requests that a client sends at once
GROWTH_KIB = 16 * 1024
MODELS = ["lenet5", "resnet18", "vgg11", "mobilenet_v2", "mlp", "alexnet"]
answered, statuses, lock = 0, {}, threading.Lock()


def listed(*words):
    text = subprocess.run([EPOCHCAST, *words, "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [d["key"] for d in json.loads(text)["devices"] if d["kind"] == "gpu"]


def http(path, body, kind="application/json"):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


def drawn(draw, devices):
    kind = draw.random()
    ask = {"model": draw.choice(MODELS), "device": draw.choice(devices), "batch": draw.randint(1, 512), "precision": draw.choice(["fp32", "amp"])}
    if kind < 0.9:
        return http("/v1/predict", json.dumps(ask))
    if kind < 0.96:  # refused, each in its way
        return http("/v1/predict", draw.choice(["{", "[]", '{"model":"no-such","device":"t4"}', json.dumps({**ask, "device": f"x{draw.random()}"}),
                                                '{"model":"/etc/passwd","device":"t4"}']))
    if kind < 0.98:
        return http("/v1/predict", (json.dumps(ask) + "\n") * 4, "application/x-ndjson")
    if kind < 0.99:
        return http("/v1/layers", json.dumps({"model": ask["model"], "totals": True}))
    return http("/v1/model", json.dumps({"layers": draw.randint(0, 10**9)}))


def client(port, seed, n, devices):
    global answered
    draw = random.Random(seed)
    s = socket.create_connection(("127.0.0.1", port))
    f = s.makefile("rb")
    for _ in range(n // TOGETHER):
        s.sendall(b"".join(drawn(draw, devices) for _ in range(TOGETHER)))
        for _ in range(TOGETHER):
            status, length = int(f.readline().split()[1]), 0
            while (line := f.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                if line.lower().startswith(b"transfer-encoding:"):
                    length = None
            f.read(length or 0)
            while length is None and (size := int(f.readline(), 16) + 2) > 2:  # answers to lines come in chunks
                f.read(size)
            if length is None:
                f.readline()
            with lock:
                answered += 1
                statuses[status] = statuses.get(status, 0) + 1


def rss_kib(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1))


def main():
    devices = listed("device", "list")
    server = subprocess.Popen([EPOCHCAST, "serve", "--listen", "127.0.0.1:0", "--no-log"], stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)$", server.stderr.readline().strip()).group(1))
    threads = [threading.Thread(target=client, args=(port, i, N // CLIENTS, devices)) for i in range(CLIENTS)]
    begin, seen = time.monotonic(), []
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        time.sleep(0.2)
        if answered >= N * (len(seen) + 1) // 20:
            seen.append(rss_kib(server.pid))
            print(f"{answered:9} requests {time.monotonic() - begin:8.1f} s {seen[-1] / 1024:7.1f} MiB", flush=True)
    server.terminate()
    ended = server.wait()
    print(f"statuses {statuses}, ended with {ended}")
    grown = max(seen[4:]) - seen[3]
    print(f"from a fifth on the memory grew by at most {grown / 1024:.1f} MiB")
    sys.exit(ended != 0 or answered < N // CLIENTS // TOGETHER * TOGETHER * CLIENTS or grown > GROWTH_KIB)


main()
