epochcast calibrate --device t4 --row 'resnet50 batch=64 precision=amp' --samples-per-s 240 \
  --row 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1 phase=forward time_ms=1.9' --out p.json \
  --source bench | sed -E -f "$SRC/tests/cli/predict/hide.sed" | cut -c 1-40
grep -E '"(schema|device|operators|networks|source|name)"' p.json
epochcast predict resnet50 --device t4 --batch 32 --profile p.json --json | grep '"basis"'
