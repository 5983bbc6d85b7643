# Options that have no effect for want of another are refused, in requests too; in lists what the others need is left out where it has no effect.
run="epochcast predict gpt2_small -d h100-sxm5-80gb -b 4"
$run --virtual-stages 2 || echo $?
$run --shard-group 2 || echo $?
$run --keep-gathered || echo $?
$run --devices 4 --zero 1,2 --keep-gathered || echo $?
$run --overlap-experts 0.2 || echo $?
$run --devices 4 --pp 1,2 --virtual-stages 2 --csv | cut -d , -f 25-26
$run --devices 4 --pp 1,2 --virtual-stages 1,2 --csv | cut -d , -f 25-26
$run -p amp,fp32 --master-weights || echo $?
$run -p amp,bf16 --master-weights --memory
for more in '"virtual_stages": 2' '"shard_group": 2' '"keep_gathered": true'; do
    echo "{\"model\": \"gpt2_small\", \"device\": \"h100-sxm5-80gb\", $more}"
done | epochcast predict --requests -
