epochcast predict --requests - --batch 32
