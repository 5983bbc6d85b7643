epochcast fit . --out here.inc 2>&1 | tail -n 1
ls
