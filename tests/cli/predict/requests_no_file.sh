epochcast predict --requests nowhere.jsonl
