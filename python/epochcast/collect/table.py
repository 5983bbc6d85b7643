"""Measurement files: docs/measurement-format.md, written and taken up again after a kill."""
import csv
import fcntl
import hashlib
import io
import json
import os
import platform
import random
import re
import subprocess
import time

COLUMNS = (
    "run key measured_utc kind what family phase method outcome note batch image_px seq_len precision inputs layout "
    "execution optimizer threads num_devices activation device device_name machine engine engine_version framework cuda cudnn "
    "driver onednn blas allocator n_warm_up calls_per_sample stop samples_ns device_samples_ns memory_peak_bytes "
    "memory_reserved_bytes held_out seed flags tool tool_version").split()
KEY_COLUMNS = (
    "kind what phase method batch image_px seq_len precision layout execution optimizer threads num_devices "
    "activation").split()
ITERATION_COLUMNS = (
    "env model method batch_size image_px seq_len precision layout execution optimizer threads num_devices device "
    "device_name machine engine engine_version framework onednn n_warm_up seed flags data iteration time_ms "
    "thread_time_ms wait_ms images_per_s timestamp").split()
ITERATION_NAMES = {"model": "what", "batch_size": "batch"}  # of what measurement files call otherwise
LATER = ("activation",)  # tables of earlier versions lack it; no part of the key where there is none
HELD_OUT_SHARE = {"operator": 0.1, "network": 0.2}


class TableError(Exception):
    """A file that cannot be taken up; the text is a sentence for the user."""


def row_key(row):
    """What identifies a row: the same conditions give the same key on every machine."""
    names = [name for name in KEY_COLUMNS if name not in LATER or row.get(name)]
    text = "|".join(str(row.get(name, "")) for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def held_out(kind, what):
    """1 for cases and networks that are never fitted to; decided by name alone."""
    name = what.split(":")[0] if kind == "network" else what
    digest = hashlib.sha256(("epochcast-held-out:" + name).encode()).hexdigest()
    return int(int(digest[:8], 16) < HELD_OUT_SHARE.get(kind, 0) * 2**32)


def csv_line(cells):
    out = io.StringIO()
    clean = [re.sub(r"[\r\n]+", " ", str(cell)) for cell in cells]
    csv.writer(out, lineterminator="\n").writerow(clean)
    return out.getvalue().encode()


class Lines:
    """A CSV file that rows are appended to. Each row is on the disk when write_row() returns."""

    def __init__(self, path, columns, resume, later=()):
        """later: columns that a file that is taken up may lack; its rows go on without them."""
        self.path, self.columns, self.later = path, columns, later
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            self._open(resume)
        except TableError:
            os.close(self.fd)
            raise

    def take_up(self, rows):
        """Rows that the file holds already."""

    def _open(self, resume):
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TableError(f"{self.path}: another collector writes to it") from None
        whole = self._whole_lines()
        if not whole:
            self.write_row(self.columns)
            self._sync_folder()
        elif not resume:
            raise TableError(f"{self.path}: is there already; --resume takes it up, or name another file")
        else:
            rows = csv.reader(io.StringIO(whole))
            header = next(rows)
            if header == [name for name in self.columns if name not in self.later]:
                self.columns = header
            if header != self.columns:
                raise TableError(f"{self.path}: has other columns than this collector writes: name another file")
            self.take_up(row for row in rows if len(row) == len(self.columns))

    def _whole_lines(self):
        """The text up to the last newline; what a kill tore is cut off."""
        with open(self.path, "rb") as f:
            data = f.read()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            os.ftruncate(self.fd, end)
            os.fsync(self.fd)
        return data[:end].decode()

    def write_row(self, cells):
        self.write(csv_line(cells))

    def write(self, data):
        while data:
            data = data[os.write(self.fd, data):]
        os.fsync(self.fd)

    def _sync_folder(self):
        folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def close(self):
        os.close(self.fd)


class Table(Lines):
    """A measurement file."""

    def __init__(self, path, resume):
        self.keys = set()
        self.run = os.urandom(6).hex()
        super().__init__(path, COLUMNS, resume, LATER)

    def take_up(self, rows):
        key, run = self.columns.index("key"), self.columns.index("run")
        for row in rows:
            self.keys.add(row[key])
            self.run = row[run]

    def has(self, row):
        return row_key(row) in self.keys

    def append(self, row):
        row = dict(row, run=self.run, key=row_key(row), held_out=held_out(row["kind"], row["what"]),
                   measured_utc=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        unknown = set(row) - set(COLUMNS)
        assert not unknown, unknown
        self.write_row([row.get(name, "") for name in self.columns])
        self.keys.add(row["key"])


class IterationTable(Lines):
    """A row for each iteration of a run. Those of a run are written when it has ended: one that was cut short leaves
    none."""

    def __init__(self, path, resume, env, data):
        self.env, self.data, self.runs = env, data, set()
        super().__init__(path, ITERATION_COLUMNS, resume)

    def run_of(self, cells):
        return tuple(cells[:self.columns.index("iteration")])

    def take_up(self, rows):
        self.runs = {self.run_of(cells) for cells in rows}

    def add_run(self, row, m, wait_ns, thread_clock):
        """row: that of the measurement file; wait_ns: of each iteration, or empty."""
        own = {"env": self.env, "data": self.data}
        shared = [own.get(name, row.get(ITERATION_NAMES.get(name, name), "")) for name in self.columns]
        shared = [str(cell) for cell in self.run_of(shared)]
        if tuple(shared) in self.runs:
            return
        text = b""
        for i, ended_s in enumerate(m.ended_s):
            ms = (m.device_ns if thread_clock else m.host_ns)[i] / 1e6
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ended_s)) + f".{int(ended_s % 1 * 1000):03d}Z"
            text += csv_line(shared + [i] + (["", f"{ms:.6g}"] if thread_clock else [f"{ms:.6g}", ""]) +
                             [f"{wait_ns[i] / 1e6:.6g}" if wait_ns else "",
                              f"{row['batch'] * row['num_devices'] / ms * 1e3:.6g}", stamp])
        self.write(text)
        self.runs.add(tuple(shared))


def shuffled_share(jobs, seed, shard):
    """In an order drawn from the seed, the shard's part."""
    random.Random(seed).shuffle(jobs)
    index, count = shard
    return jobs[index - 1::count]


# ----------------------------------------------------------------------------------------------
# The machine

def command_output(args):
    try:
        done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def cpu_model():
    found = re.search(r"^Model name:\s*(.+)$", command_output(["lscpu"]), re.M)
    return found.group(1).strip() if found else platform.processor() or platform.machine()


def memory_bytes(key):
    try:
        with open("/proc/meminfo", encoding="ascii") as f:
            found = re.search(rf"^{key}:\s+(\d+) kB", f.read(), re.M)
    except OSError:
        found = None
    return int(found.group(1)) * 1024 if found else None


def gpus_by_smi():
    fields = "name,memory.total,driver_version,clocks.max.sm,clocks.max.mem,power.limit"
    text = command_output(["nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader,nounits"])
    return [dict(zip(fields.split(","), [cell.strip() for cell in line.split(",")])) for line in text.splitlines()]


def machine_record(epochcast):
    """The record of this machine, without what changes from minute to minute."""
    text = command_output([epochcast, "device", "probe", "--json"]) if epochcast else ""
    if text:
        record = json.loads(text)
        record.get("memory", {}).pop("available_bytes", None)
        return record
    return {
        "schema": "epochcast.machine/1",
        "cpu": {"model": cpu_model(), "threads": os.cpu_count()},
        "memory": {"total_bytes": memory_bytes("MemTotal")},
        "gpus": gpus_by_smi(),
        "software": {"kernel": platform.release(), "arch": platform.machine()},
    }


CHANGING = ("used_bytes", "numa_node_bytes", "swap_used_bytes")  # of the memory, from one run to the next


def write_machine(record, folder):
    """Writes machine-<id>.json once, unless there is no folder; returns the id, which is the machine's own."""
    text = json.dumps(record, indent=2, sort_keys=True) + "\n"
    memory = {name: value for name, value in (record.get("memory") or {}).items() if name not in CHANGING}
    lasting = json.dumps(dict(record, memory=memory), sort_keys=True)
    name = hashlib.sha256(lasting.encode()).hexdigest()[:12]
    path = os.path.join(folder, f"machine-{name}.json")
    if folder and not os.path.exists(path):
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        os.replace(path + ".new", path)
    return name
