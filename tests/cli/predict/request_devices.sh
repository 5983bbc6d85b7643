printf '%s\n' '{"model": "lenet5", "device": "t4,l4", "batch": 8}' '{"model": "lenet5", "device": ["t4", "l4"], "batch": 8}' |
    epochcast predict --requests -
