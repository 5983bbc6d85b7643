# Longer than what is kept before it is written, and shorter: both say so.
epochcast help predict >/dev/full
echo $?
epochcast --version >/dev/full
echo $?
epochcast help predict | wc -c | awk '{ print ($1 > 4096) }'
