"""Tables in forms that ask much of a program that reads them, and the commands that read tables."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent.parent / "python" / "epochcast"))
from collect import table  # noqa: E402

HEAD = "env,device,model,batch_size,iteration,time_ms\n"


def rows(n, **change):
    """n iterations of one run; change: a function of the row's number for each column that differs"""
    rng = random.Random(1)
    columns = {"env": lambda i: "envA", "device": lambda i: "t4", "model": lambda i: "resnet18",
               "batch_size": lambda i: 32, "iteration": lambda i: i}
    columns.update(change)
    if change:  # each row is a run of its own
        columns["iteration"] = lambda i: 0
    yield HEAD
    for i in range(n):
        yield ",".join(str(f(i)) for f in columns.values()) + f",{100 + rng.random():.4f}\n"


def grid(n):
    """Configurations of one family, each of its own width."""
    rng = random.Random(1)
    yield "depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size\n"
    for i in range(n):
        depth, width, batch = 2 + i % 3, 16 + i // 9, 32 << i // 3 % 3
        yield f"{depth},{width},{batch},{1000 * width * depth},{depth * width / batch + rng.random():.4f},50000\n"


def measured(n):
    """A measurement file, each row a case of its own."""
    fixed = {"run": "0123456789ab", "measured_utc": "2026-01-02T03:04:05Z", "kind": "operator", "family": "relu",
             "phase": "forward", "method": "separated", "outcome": "ok", "precision": "fp32", "layout": "channels-first",
             "execution": "eager", "optimizer": "none", "threads": 1, "num_devices": 1, "device": "t4",
             "engine": "epochcast", "engine_version": "0.1.0", "framework": "epochcast", "samples_ns": "900 1000 1100",
             "tool": "epochcast", "tool_version": "0.1.0"}
    yield ",".join(table.COLUMNS) + "\n"
    for i in range(n):
        row = dict(fixed, key=f"{i:016x}", what=f"relu x={i + 1}")
        yield ",".join(str(row.get(name, "")) for name in table.COLUMNS) + "\n"


def long_cell(n):
    yield HEAD
    yield f"envA,t4,{'x' * (300 * n)},32,0,100\n"
    yield "envA,t4,resnet18,32,0,100\n" * 3


def many_columns(n):
    yield HEAD[:-1] + "," + ",".join(f"c{i}" for i in range(3 * n)) + "\n"
    for i in range(3):
        yield f"envA,t4,resnet18,32,{i},100" + ",1" * (3 * n) + "\n"


def commas(n):
    yield HEAD + "envA,t4,resnet18,32,0,100\n" + "," * (100 * n) + "\n"


def open_quote(n):
    yield HEAD + "envA,t4,resnet18,32,0,100\n" + 'envA,t4,"resnet18,32,0,100\n' + "envA,t4,resnet18,32,1,100\n" * n


# n of 100,000 makes a cell of 30 MB, 300,000 columns, 10 million commas
ROWS = {
    "alike": rows,
    "environments": lambda n: rows(n, env=lambda i: f"env{i}"),
    "models": lambda n: rows(n, model=lambda i: f"net{i}"),
    "batches": lambda n: rows(n, batch_size=lambda i: i + 1),
    "devices": lambda n: rows(n, device=lambda i: f"Some GPU {i}"),
}
ODD = {"cell": long_cell, "columns": many_columns, "commas": commas, "quote": open_quote}
FORMS = {**ROWS, **ODD}

# {table} and {dir}, an empty folder. A command may refuse a form, with status 1 or 2.
COMMANDS = {
    "analyse": "analyse {table}",
    "analyse csv": "analyse {table} --no-predict --csv",
    "analyse plots": "analyse {table} --no-predict --plots {dir}/plots",
    "report": "report {table} --out {dir}/report",
    "import": "data import {table} --store {dir}/store.sqlite",
    "evaluate": "evaluate {table}",
    "calibrate": "calibrate --device t4 --table {table} --out {dir}/profile.json",
    "fit": "fit table {table} --target time_ms --features batch_size,iteration --family linear",
    "whatif": "whatif {table} --target time_ms --features batch_size,iteration",
    "plot line": "plot line {table} --x iteration --y time_ms --group env,model",
    "plot bars": "plot bars {table} --x env,model --y time_ms",
    "plot box": "plot box {table} --x model --y time_ms",
    "plot heat": "plot heat {table} --x batch_size --y time_ms --group env,model",
    "resume": "measure layers --op relu --count 1 --max-bytes 1e5 --methods separated --precision fp32 --budget 0.01 "
              "--out {table} --resume",
    "roofline": "roofline resnet18 --device t4 --measured {table}",
}
GRID_COMMANDS = {
    "fit grid": "fit table {table} --target time_per_epoch --features depth,base_filters,batch_size --family linear,power",
    "whatif grid": "whatif {table} --target time_per_epoch --features depth,base_filters,batch_size --budget 10",
    "report grid": "report {table} --out {dir}/report",
    "plot grid": "plot heat {table} --x batch_size --y time_per_epoch --group depth,base_filters",
}
# fit networks, or measure, whose number of steps does not depend on the rows: only timed
SLOW = {"report grid", "resume file"}


def cases():
    """(command's name, its line, the form's name, the form)"""
    for name, line in COMMANDS.items():
        for form, make in FORMS.items():
            yield name, line, form, make
    for name, line in GRID_COMMANDS.items():
        yield name, line, "grid", grid
    yield "resume file", COMMANDS["resume"], "measured", measured


def write(path, make, n):
    with open(path, "w") as f:
        f.writelines(make(n))
