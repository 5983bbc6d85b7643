#!/bin/sh
# testdata.sh COUNT: every model of Debian's libonnx-testdata is read, or refused with a sentence.
# COUNT is the program network-count. Exits 77 (skipped) when the package is absent.
set -eu
count=$1
folder=/usr/share/libonnx-testdata/data
if [ ! -d "$folder" ]; then
    echo "skipped: $folder is absent (package libonnx-testdata)"
    exit 77
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# one process for all: a crash anywhere loses the lines after it
find "$folder" -name '*.onnx' | LC_ALL=C sort | xargs -n 100000 "$count" >"$out" 2>/dev/null || true
wanted=$(find "$folder" -name '*.onnx' | wc -l)
lines=$(wc -l <"$out")
refused=$(grep -c '	refused	' "$out" || true)
mute=$(grep -c '	refused	[A-Z_]*	$' "$out" || true)
echo "$lines of $wanted models answered, $refused refused, $mute without a sentence"
grep '	refused	' "$out" | sed "s|$folder/||" || true
[ "$lines" -eq "$wanted" ] && [ "$mute" -eq 0 ] && [ $((refused * 20)) -le "$wanted" ]
