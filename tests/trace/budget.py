#!/usr/bin/env python3
"""budget.py EPOCHCAST: the budget of each step of real traces, computed here once more by marking every instant between two
events, is that of `epochcast trace --csv` within 0.1 %; the figures counted by hand too. The traces are ../shared/data/traces;
without them the test is skipped (77)."""
import bisect
import csv
import gzip
import io
import json
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data", "traces")
FILES = ("kineto_resnet50_v100_workers0", "kineto_resnet50_v100_workers4", "tracelens_resnet_ddp_mi300x", "hta_cnn_ddp_a100_rank0",
         "tracelens_qwen15_05b_h100", "tracelens_vit_nsfw_h100")
PARTS = ("compute", "exposed_communication", "exposed_copies", "idle_loader", "idle_synchronising", "idle_profiler", "idle_host",
         "idle_other")


def read(path):
    """(start, end, name, correlation, stream) in ns, by kind."""
    events = {"kernel": [], "nccl": [], "copy": [], "launch": {}, "sync": [], "read": [], "loader": [], "steps": [], "profiler": []}
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for e in json.load(f)["traceEvents"]:
            if e.get("ph") != "X":
                continue
            cat, name, args = e["cat"].lower(), e["name"], e.get("args", {})
            span = (round(e["ts"] * 1000), round(e["ts"] * 1000) + round(e["dur"] * 1000))
            device = span + (args.get("correlation"), (e["pid"], e["tid"]))
            if cat == "kernel":
                events["nccl" if "nccl" in name else "kernel"].append(device)
            elif cat in ("gpu_memcpy", "gpu_memset", "memcpy", "memset"):
                events["copy"].append(device)
            elif cat in ("cuda_runtime", "cuda_driver", "runtime"):
                if "ynchronize" in name:
                    events["sync"].append(span)
                elif "aunch" in name or "emcpy" in name or "emset" in name:
                    events["launch"][args["correlation"]] = span
            elif cat == "overhead":
                events["profiler"].append(span)
            elif name.startswith("ProfilerStep#") and cat != "gpu_user_annotation":
                events["steps"].append(span)
            elif "DataLoader" in name and "next" in name and cat in ("operator", "user_annotation"):
                events["loader"].append(span)
            elif name in ("aten::item", "aten::_local_scalar_dense", "aten::nonzero"):
                events["read"].append(span)
    return events


def borders(events, device):
    """Where steps begin and end: the host's mark, or the end of what was launched before it, whichever is later."""
    begins = sorted(events["steps"])
    last = {}
    ends = [float("-inf")] * (len(begins) + 1)  # of what was launched before step i, step by step
    for start, end, correlation, stream in device:
        launch = events["launch"].get(correlation)
        if launch:
            step = len(begins) if launch[0] >= begins[-1][1] else bisect.bisect_right([b for b, _ in begins], launch[0]) - 1
            last[stream] = step
        step = last.get(stream, -1)
        if step < len(begins):
            ends[step + 1] = max(ends[step + 1], end)
    marks, latest = [], float("-inf")
    for i, end in enumerate(ends):
        latest = max(latest, end)
        marks.append(max(latest, begins[i][0] if i < len(begins) else begins[-1][1]))
    return marks


def budget(path):
    events = read(path)
    device = sorted(events["kernel"] + events["nccl"] + events["copy"], key=lambda e: (e[0], -e[1]))
    marks = borders(events, device)
    busy_until, late = marks[0], []
    for start, end, correlation, _ in device:
        launch = events["launch"].get(correlation)
        if start > busy_until and launch and launch[0] >= busy_until:
            late.append((busy_until, min(launch[1], start)))
        busy_until = max(busy_until, end)
    kinds = [events["kernel"], events["nccl"], events["copy"], events["loader"], events["sync"] + events["read"], events["profiler"],
             late]
    # Changes of how many of each kind are open, in time order.
    changes = sorted([(e[end], k, -1 if end else 1) for k, spans in enumerate(kinds) for e in spans for end in (0, 1)]
                     + [(m, len(kinds), 0) for m in marks])
    open_now, steps, before = [0] * len(kinds), [[0.0] * len(PARTS) for _ in marks], marks[0]
    for at, kind, change in changes:
        step = bisect.bisect_right(marks, before) - 1
        if at > before and 0 <= step < len(marks) - 1:
            part = next((k for k, n in enumerate(open_now) if n > 0), len(PARTS) - 1)
            steps[step][part] += at - before
        before = max(before, at)
        if kind < len(kinds):
            open_now[kind] += change
    return steps[:-1]


def check(program, name):
    path = os.path.join(FOLDER, name + ".json.gz")
    out = subprocess.run([program, "trace", path, "--csv"], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    ours = budget(path)
    assert len(rows) == len(ours), (name, len(rows), len(ours))
    for row, step in zip(rows, ours):
        whole = float(row["step_time_ns"])
        assert abs(sum(step) - whole) <= 0.001 * whole, (name, row, step)
        for part, want in zip(PARTS, step):
            assert abs(float(row[part + "_ns"]) - want) <= 0.001 * whole, (name, part, row[part + "_ns"], want)
    return rows


def main():
    if not os.path.isdir(FOLDER):
        print("skipped: no ../shared/data/traces")
        sys.exit(77)
    rows = {name: check(sys.argv[1], name) for name in FILES}
    for name, hand_ms in (("kineto_resnet50_v100_workers0", 69.3), ("kineto_resnet50_v100_workers4", 1.4)):
        mean = sum(float(row["loading_ns"]) for row in rows[name]) / len(rows[name]) / 1e6
        assert abs(mean - hand_ms) < 0.1, (name, mean)
    print("%d traces, %d steps" % (len(rows), sum(map(len, rows.values()))))


if __name__ == "__main__":
    main()
