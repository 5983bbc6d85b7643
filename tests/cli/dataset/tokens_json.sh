epochcast dataset synthetic:task=tokens,shape=16,vocab=64 --json --val-split 0.2 --limit 1000
