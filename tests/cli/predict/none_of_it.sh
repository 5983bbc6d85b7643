# A job of nothing is refused; what joins devices or machines says so where there is one.
run="epochcast predict gpt2_small -d h100-sxm5-80gb -b 4"
for option in epochs samples tokens steps global-batch; do
    epochcast predict gpt2_small -d h100-sxm5-80gb --$option 0 || echo $?
done
for more in "" "--devices 2" "--devices 2 --devices-per-machine 1" "--devices 2,16"; do
    echo "with: $more"
    $run $more --network-rate 200Gb/s --interconnect pcie | grep 'no effect'
done
echo '{"model": "gpt2_small", "device": "h100-sxm5-80gb", "epochs": 0, "samples": 10}' | epochcast predict --requests -
