epochcast op relu --json
