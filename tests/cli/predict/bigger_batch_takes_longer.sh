for batch in 1 8 64 512; do
    epochcast predict resnet50 --device a100-sxm4-40gb --batch $batch --json
done | python3 -c '
import json, sys
text, steps = sys.stdin.read(), []
decoder, at = json.JSONDecoder(), 0
while text[at:].strip():
    at += len(text[at:]) - len(text[at:].lstrip())
    answer, at = decoder.raw_decode(text, at)
    steps.append(answer["step_time_ns"]["p50"])
print(steps == sorted(steps), len(steps))'
