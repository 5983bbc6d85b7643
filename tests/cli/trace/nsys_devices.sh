# tolerance: 0.15
# Two processes with a device each in one database: correlation ids are the same numbers, and device 1 comes later.
python3 - <<'END'
import sqlite3

db = sqlite3.connect("two.sqlite")
db.executescript("""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
    nameId INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
INSERT INTO StringIds VALUES (0, 'gemm'), (1, 'ncclDevKernel_AllReduce'), (2, 'cudaLaunchKernel_v7000');
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA A100-SXM4-40GB');
""")
ms = 1000000
for device in (1, 0):
    pid = (1 << 48) + (144 + device << 24)
    for i in range(1, 4):
        at, late = 100 * ms * i, 20 * ms * device
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 'step', ?, NULL)", (at, at + 100 * ms, pid + 7))
        for k, (name, start, end) in enumerate(((0, 10 * ms, 30 * ms + late), (1, 30 * ms + late, 60 * ms))):
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 2)", (at + start - 2 * ms, at + start - ms, pid + 7, 2 * i + k))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 7, ?, ?, ?)", (at + start, at + end, device, 2 * i + k, pid, name))
db.commit()
END
epochcast trace two.sqlite | grep -A99 '^trace'
epochcast trace two.sqlite --csv | cut -d, -f2-6
epochcast trace two.sqlite --perfetto out.json | head -1
