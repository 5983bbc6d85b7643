echo '{"schema": "epochcast.profile/1", "device": "t4"}' > p.json
epochcast predict resnet50 --device t4 --profile p.json
