epochcast model gpt3_175b --batch 16777216 --seq-len 4194304 --totals
