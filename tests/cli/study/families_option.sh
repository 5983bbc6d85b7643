epochcast study families DIR --batch 4
