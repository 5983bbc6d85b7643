# The axis of the time is in hours, not in the nanoseconds of its numbers.
epochcast plan resnet50 --samples 100M --device t4,a100 --devices 1..8 --out plan.svg >/dev/null
grep -oE 'time of the job[^<]*' plan.svg
grep -cE '>[0-9.,]+ (ns|s)<' plan.svg
