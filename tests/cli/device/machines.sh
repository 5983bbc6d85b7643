# Types of machines, and one of them in place of a device.
epochcast device machines --csv | head -4
epochcast device show p5.48xlarge | grep -E 'devices per machine|network'
epochcast predict resnet50 --device p4d.24xlarge --devices 16 --batch 64 --samples 1e6 --prices p4d.24xlarge=16 --json | python3 -c '
import json, sys
a = json.load(sys.stdin)
print(a["device"], a["machines"], a["network_bytes_per_s"], a["usd_per_hour"])'
