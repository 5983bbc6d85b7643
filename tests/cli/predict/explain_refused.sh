# Where there is nothing to tell, or no place for it.
epochcast predict resnet18 --device t4 --explain --csv
epochcast predict resnet18 --device t4 --explain --method roofline
echo '{"model": "lenet5", "device": "t4", "explain": 3}' >q.jsonl
epochcast predict --requests q.jsonl
