# A graph is launched once: the host no longer limits the step.
for host in graphs reference; do
    epochcast predict resnet50 -d h100 -b 8 -p amp --layout channels-last --host $host --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["host"], a["limit"], a["parts"]["host_ns"] < 0.05 * a["parts"]["device_ns"],
      [x["value"] for x in a["advice"] if x["option"] == "host"])'
done
epochcast predict mnist_cnn -d cpu-i9-14900hx --host graphs
