# What ships, the text of a mapping, by its file or a section, and what is not there.
epochcast data mappings --csv | cut -d, -f1-3 | sed -n '1p;/deepbench/p'
epochcast data mappings --csv | sed -n '/^mamf/p'
epochcast data mappings deepbench-gemm | head -3
epochcast data mappings mamf words | sed -n '1p;/^# Words/p'
epochcast data mappings depbench
epochcast data mappings mamf --json
