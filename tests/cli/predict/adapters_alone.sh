# Options of adapters without adapters, and adapters in float32 beside what is float32 already; one rank for what has adapters and what has none.
run="epochcast predict gpt2_small -d h100-sxm5-80gb -b 4"
$run --rank 16 || echo $?
$run --tuning full --rank 8 || echo $?
$run --tuning full --targets attention || echo $?
$run --fp32-adapters || echo $?
$run --tuning lora -p amp --fp32-adapters || echo $?
$run --tuning full,lora --rank 8 --csv | cut -d , -f 35-37
for more in '"rank": 8' '"targets": "attention"' '"fp32_adapters": true' '"tuning": "lora", "fp32_adapters": true, "precision": "amp"'; do
    echo "{\"model\": \"gpt2_small\", \"device\": \"h100-sxm5-80gb\", $more}"
done | epochcast predict --requests -
