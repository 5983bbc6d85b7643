#!/usr/bin/env python3
"""terminal.py EPOCHCAST: on a terminal `epochcast trace` says how far it is, on one line that is gone at the end; an interrupt
ends it between blocks of the file, and while SQLite reads a database, with a sentence and the status of a signal."""
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

EVENT = '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":5,"args":{"correlation":%d}},\n'


def write(path, size):
    chunk = "".join(EVENT % (10 * i, i) for i in range(10000))
    with open(path, "w", encoding="ascii") as f:
        f.write('{"traceEvents":[\n')
        while f.tell() < size:
            f.write(chunk)
        f.write('{"ph":"M"}]}\n')


def write_database(path, n):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, [end], deviceId, streamId, correlationId, globalPid, demangledName)")
    db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 10 * i, 10 * i + 5, 0, 7, i, 0, 0 FROM n", (n,))
    db.commit()
    db.close()


def run(program, path, interrupt):
    """Exit status and what came to the terminal. interrupt: at the first sign of progress."""
    terminal, side = pty.openpty()
    process = subprocess.Popen([program, "trace", path, "--csv"], stdout=subprocess.DEVNULL, stderr=side)
    os.close(side)
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # its other side is closed
            break
        if not part:
            break
        said += part
        if interrupt and b"%" in said:
            process.send_signal(signal.SIGINT)
            interrupt = False
    os.close(terminal)
    return process.wait(), said.decode()


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        size = 64 << 20
        write(path, size)
        status, said = run(program, path, False)
        shares = [int(n) for n in re.findall(r"trace\.json: (\d+) % of \d+ MB", said)]
        assert status == 0, (status, said)
        assert len(shares) >= 3 and shares == sorted(shares) and shares[-1] <= 100, said
        assert said.endswith("\r\033[K") and "\n" not in said, repr(said)
        for file, make, size in ((path, write, size), (os.path.join(folder, "trace.sqlite"), write_database, 1 << 20)):
            for _ in range(5):  # a fast machine may be done before the signal comes
                make(file, size)
                status, said = run(program, file, True)
                if status:
                    break
                os.unlink(file)
                size *= 2
            assert status == 128 + signal.SIGINT, (file, status, said)
            assert "interrupted; nothing is kept" in said, (file, said)
    print("%d lines of progress; interrupted with status %d" % (len(shares), status))


if __name__ == "__main__":
    main()
