# tolerance: 0.15
# A database as nsys export writes it, by the schema that Nsight Systems documents.
cat >make.py <<'END'
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
old = len(sys.argv) > 2
db.executescript("""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
""")
db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER" +
           (")" if old else ", textId INTEGER)"))
names = {"gemm": 0, "ncclDevKernel_AllReduce": 1, "cudaLaunchKernel_v7000": 2, "cudaDeviceSynchronize_v3020": 3, "cudaMemcpyAsync_v3020": 4,
         "step 7": 5, "void flash::flash_fwd_kernel<cutlass::bfloat16_t>()": 6}
db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, name) for name, i in names.items()])
db.execute("INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA A100-SXM4-40GB')")
ms, thread = 1000000, 281474976710656


def runtime(name, start, end, link):
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0)", (start, end, thread, link, names[name]))


def kernel(name, start, end, stream, link):
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, ?, ?, 0, ?, ?, 1)",
               (start, end, stream, link, names[name], names[name]))


def nvtx(text, start, end):
    name = None if old or text not in names else names[text]
    row = (start, end, 59, None if name is not None else text, thread)
    db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?" + (")" if old else ", ?)"), row if old else row + (name,))


for i in range(1, 4):
    at = 100 * ms * i
    nvtx("step 7", at, at + 100 * ms)
    nvtx("aten::mm, seq = 5, op_id = 8, sizes = [[4096, 1024], [1024, 1024]]", at + ms, at + 20 * ms)
    runtime("cudaLaunchKernel_v7000", at + 2 * ms, at + 3 * ms, 10 * i + 1)
    kernel("gemm", at + 30 * ms, at + 60 * ms, 7, 10 * i + 1)
    nvtx("layer1", at + 20 * ms, at + 21 * ms)
    runtime("cudaLaunchKernel_v7000", at + 20 * ms, at + 20 * ms + 9, 10 * i + 4)
    kernel("void flash::flash_fwd_kernel<cutlass::bfloat16_t>()", at + 28 * ms, at + 29 * ms, 7, 10 * i + 4)
    runtime("cudaLaunchKernel_v7000", at + 21 * ms, at + 22 * ms, 10 * i + 2)
    kernel("ncclDevKernel_AllReduce", at + 55 * ms, at + 70 * ms, 9, 10 * i + 2)
    runtime("cudaMemcpyAsync_v3020", at + 23 * ms, at + 24 * ms, 10 * i + 3)
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 7, ?, 4096, 1)", (at + 70 * ms, at + 75 * ms, 10 * i + 3))
    runtime("cudaDeviceSynchronize_v3020", at + 74 * ms, at + 80 * ms, 0)
nvtx("open", 100 * ms, None)
db.commit()
END
python3 make.py new.sqlite
python3 make.py old.sqlite old
COLUMNS=100 epochcast trace new.sqlite
COLUMNS=100 epochcast trace new.sqlite --kernels | tail -4
for file in new old; do epochcast trace $file.sqlite --csv; done | cut -d, -f2-
epochcast evaluate new.sqlite >out.txt
gzip -k new.sqlite
epochcast trace new.sqlite.gz
head -c 9000 new.sqlite >cut.sqlite
epochcast trace cut.sqlite | head -3
python3 -c "
import sqlite3
db = sqlite3.connect('view.sqlite')
db.execute('CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start FROM n')
db.execute('CREATE TABLE StringIds (id TEXT, value BLOB)')
db.commit()
db = sqlite3.connect('odd.sqlite')
db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, finish)')
db.commit()"
epochcast trace view.sqlite
epochcast trace odd.sqlite
