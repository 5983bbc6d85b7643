#!/usr/bin/env python3
"""tracks.py EPOCHCAST: the files of `epochcast trace --perfetto` are as Chrome's trace format wants them: complete events with
times in microseconds, slices of a track that never overlap, tracks that have names; the measured slices add up to the kernels
of the median step, the predicted ones to the prediction of the page. The traces are ../shared/data/traces; without them the test is
skipped (77)."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "traces")
FILES = ("kineto_resnet50_v100_workers4", "tracelens_resnet_ddp_mi300x", "tracelens_vit_nsfw_h100", "tracelens_gpu_only_mi210")


def answer(words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout


def check(path):
    """The slices by (process, thread)."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        doc = json.load(f)
    assert isinstance(doc["traceEvents"], list)
    names, tracks = set(), {}
    for e in doc["traceEvents"]:
        at = (e["pid"], e["tid"])
        assert isinstance(e["name"], str) and all(isinstance(v, int) for v in at), e
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name") and isinstance(e["args"]["name"], str), e
            names.add((e["name"], e["pid"] if e["name"] == "process_name" else at))
        else:
            assert e["ph"] == "X" and all(isinstance(e[k], (int, float)) for k in ("ts", "dur")) and e["dur"] >= 0, e
            tracks.setdefault(at, []).append(e)
    for at, slices in tracks.items():
        assert ("process_name", at[0]) in names and ("thread_name", at) in names, at
        slices.sort(key=lambda e: e["ts"])
        for a, b in zip(slices, slices[1:]):
            assert a["ts"] + a["dur"] <= b["ts"] + 1e-6, (a, b)
    return tracks


def total(slices):
    return sum(e["dur"] for e in slices)


def near(what, a, b, share):
    assert abs(a - b) <= share * max(abs(a), abs(b)), f"{what}: {a} and {b}"


def main():
    if not os.path.isdir(FOLDER):
        print("skipped: no traces at ../shared/data/traces")
        sys.exit(77)
    for name in FILES:
        trace = os.path.join(FOLDER, name + ".json.gz")
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json.gz")
            answer([sys.argv[1], "trace", trace, "--perfetto", out, "--json"])
            tracks = check(out)
        measured = [e for at, slices in tracks.items() if at[0] == 1 for e in slices]
        of = json.loads(answer([sys.argv[1], "trace", trace, "--json"]))["traces"][0]
        step = [s for s in of["steps"] if s["step"] == of["median_step"]][0]
        assert measured and max(e["ts"] + e["dur"] for e in measured) <= step["step_time_ns"] / 1e3 + 0.01, name
        calls = tracks[2, 1]
        kernels = [e for e in measured if "nccl" not in e["name"] and not e["name"].startswith("Mem")]
        near(f"{name}: kernels and calls", total(kernels), sum(e["args"]["measured_us"] for e in calls), 0.001)
        known = sum(e["dur"] for e in calls if e["cat"] == "predicted")
        if of["predicted_ns"] and of["by_bytes_ns"] == 0:
            near(f"{name}: predicted calls", known, of["predicted_ns"] / 1e3, 0.05)
        print(f"{name}: {len(measured)} measured slices, {len(calls)} calls")


main()
