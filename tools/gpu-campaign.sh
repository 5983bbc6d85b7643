#!/usr/bin/env bash
# One measuring campaign on a machine with an NVIDIA GPU; on one without, of its CPU.
#
#   tools/gpu-campaign.sh --plan 8min|25min|test [--out FOLDER] [--python PYTHON] [--epochcast PATH]
#                         [--device cuda|cpu] [--threads N] [--parts ceilings,layers,marginal,compiled,networks,grid]
#
# Writes FOLDER (measured/<device> unless told): the machine record, ceilings.csv, layers.csv, marginal.csv,
# compiled.csv, networks.csv in the form of docs/measurement-format.md, and the table of a grid in grids/. Run it
# again with the same FOLDER and it goes on where it stopped, also after a kill; --parts takes some of them. What is
# missing is told and left out: without PyTorch only the machine record is taken, without a build the cases of
# measured/cases.txt are measured.
set -euo pipefail
cd "$(dirname "$0")/.."

plan= out= python= epochcast= device= threads=1 parts=ceilings,layers,marginal,compiled,networks,grid
while [ $# -gt 0 ]; do
    case $1 in
        --plan) plan=$2 ;;
        --out) out=$2 ;;
        --python) python=$2 ;;
        --epochcast) epochcast=$2 ;;
        --device) device=$2 ;;
        --threads) threads=$2 ;;
        --parts) parts=$2 ;;
        *)
            sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
            exit 2
            ;;
    esac
    shift 2 || { echo "gpu-campaign: $1 needs a value" >&2; exit 2; }
done

# Seconds for each part, and cases of operators.
case $plan in
    test) ceilings_s=3 layers_s=8 marginal_s=4 compiled_s=2 networks_s=8 grid_samples=64 row_s=0.03 network_s=0.05 count=40 ;;
    8min) ceilings_s=40 layers_s=200 marginal_s=25 compiled_s=40 networks_s=150 grid_samples=2000 row_s=0.08 network_s=0.4 count=3000 ;;
    25min) ceilings_s=90 layers_s=620 marginal_s=40 compiled_s=120 networks_s=510 grid_samples=10000 row_s=0.08 network_s=0.4 count=3000 ;;
    *)
        echo "gpu-campaign: --plan 8min, 25min or test" >&2
        exit 2
        ;;
esac

say() { echo "gpu-campaign: $*" >&2; }

# Weights by repeating: what takes most of a training step is drawn most often.
operators=conv2d,conv2d,conv2d,conv2d,conv2d,conv2d,linear,linear,linear,linear,conv1d,conv3d,conv_transpose2d
operators+=,matmul,matmul,attention,multi_head_attention,multi_head_attention,embedding,embedding,positional_encoding
operators+=,lstm,lstm,gru,gru,rnn,rnn,batch_norm,batch_norm,layer_norm,layer_norm,group_norm,rms_norm,instance_norm
operators+=,max_pool2d,max_pool2d,avg_pool2d,adaptive_avg_pool,global_avg_pool,softmax,softmax,log_softmax,cross_entropy
operators+=,relu,relu,gelu,silu,sigmoid,tanh,hard_swish,leaky_relu,add,add,mul,sub,div,dropout,scale_scalar,mse

# network_jobs: one line per network, batch and precision; larger batches where the image is small.
network_jobs() {
    local name batch precision optimizer layout size
    for name in resnet18 resnet34 resnet50 resnet101 vgg11 vgg16 alexnet googlenet inception_v3 densenet121 densenet169 \
        mobilenet_v2 mobilenet_v3_large mobilenet_v3_small shufflenet_v2_x1_0 squeezenet1_1 mnasnet1_0 efficientnet_b0 \
        efficientnet_b3 regnet_y_400mf regnet_x_3_2gf resnext50_32x4d wide_resnet50_2 convnext_tiny vit_b_16 swin_t; do
        for batch in 1 8 32 64 128 256; do
            for precision in fp32 tf32 amp amp-bf16; do
                optimizer=momentum layout=channels-first
                if [ $precision != fp32 ]; then layout=channels-last; fi
                if [ $batch = 8 ]; then optimizer=adam; fi
                echo "$name batch=$batch precision=$precision layout=$layout optimizer=$optimizer"
            done
        done
    done
    for name in mnist_cnn cifar10_cnn cifar_cnn:depth=2,base_filters=32 cifar_cnn:depth=3,base_filters=32 \
        cifar_cnn:depth=4,base_filters=32 cifar_cnn:depth=2,base_filters=64 cifar_cnn:depth=3,base_filters=64 \
        cifar_cnn:depth=4,base_filters=64 patchcamelyon_cnn mlp; do
        for batch in 32 64 128 512; do
            for precision in fp32 tf32; do
                for optimizer in sgd rmsprop adam; do
                    echo "$name batch=$batch precision=$precision optimizer=$optimizer"
                done
            done
        done
    done
    for name in bert_tiny bert_base gpt2 transformer_base lstm_lm gru_lm rnn_lm; do
        for batch in 2 8 32; do
            for size in 64 128 512; do
                for precision in fp32 tf32 amp-bf16; do
                    echo "$name batch=$batch size=$size precision=$precision optimizer=adamw"
                done
            done
        done
    done
}

compiled_jobs() {
    local job
    for job in "mnist_cnn batch=64" "resnet18 batch=32" "cifar_cnn:depth=3,base_filters=32 batch=64" \
        "bert_tiny batch=8 size=128" "resnet50 batch=32 precision=amp" "mobilenet_v2 batch=32 precision=amp" \
        "bert_base batch=8 size=128 precision=amp-bf16" "vgg16 batch=32 precision=tf32"; do
        echo "$job optimizer=adam execution=compiled"
        echo "$job optimizer=adam"
    done
}

test_jobs() {
    echo "mnist_cnn batch=8"
    echo "cifar_cnn:depth=2,base_filters=8 batch=4 optimizer=adam"
    echo "lstm_lm:vocab=100,hidden=16,embed=16 batch=2 size=8 precision=amp-bf16"
    echo "bert_tiny:vocab=100 batch=1 size=16 precision=tf32 optimizer=adamw"
}

find_epochcast() {
    if [ -z "$epochcast" ] && [ ! -x build/epochcast ]; then
        say "building (build.log)"
        { meson setup build && ninja -C build; } >build.log 2>&1 || say "no build: ./quickstart tells what is missing"
    fi
    if [ -z "$epochcast" ] && [ -x build/epochcast ]; then
        epochcast=$PWD/build/epochcast
    fi
}

find_python() {
    local candidate
    for candidate in ${python:+"$python"} python3 /usr/bin/python3; do
        if "$candidate" -c 'import torch' >/dev/null 2>&1; then
            python=$candidate
            return 0
        fi
    done
    python=
}

gpu_tests() {
    if [ -n "$epochcast" ] && [ -d build ] && meson test -C build --list --suite gpu 2>/dev/null | grep -q .; then
        say "tests of the GPU"
        meson test -C build --suite gpu --print-errorlogs || say "a test of the GPU FAILED: see above"
    fi
}

wanted() { [[ ,$parts, == *,$1,* ]]; }

# collect PART SECONDS ARGUMENT...: goes on where the file ends; a broken device gets a new process.
collect() {
    local part=$1 seconds=$2 tries=0 status=0
    shift 2
    wanted "${part##*/}" || return 0
    while :; do
        status=0
        "$python" python/epochcast/collect "$@" --out "$out/$part.csv" --resume --time-budget "$seconds" --seed 1 \
            --device "$device" --threads "$threads" --epochcast "$epochcast" || status=$?
        tries=$((tries + 1))
        if [ $status != 4 ] || [ $tries = 5 ]; then break; fi
        say "$part: the device broke, a new process goes on"
    done
    [ $status != 130 ] || exit $status # Ctrl-C is for all parts
    if [ $status != 0 ] && [ $status != 3 ]; then say "$part ended with status $status"; fi
    return 0
}

summary() {
    local file store
    [ -n "$epochcast" ] || { say "no epochcast: import the files where there is one"; return 0; }
    store=$(mktemp -d)
    for file in "$out"/*.csv; do
        "$epochcast" data import "$file" --store "$store/store.sqlite"
    done
    "$epochcast" data check --store "$store/store.sqlite"
    rm -r "$store"
}

main() {
    local precisions=fp32,tf32,amp,amp-bf16 formats=channels-first,channels-last cases name
    local products=fp32,tf32,fp16,bf16 optimizers=sgd,momentum,rmsprop,adam,adamw,adagrad max_bytes=4e9 max_flop=2e12 jobs
    find_epochcast
    find_python
    name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 || true)
    if [ -z "$device" ]; then device=$([ -n "$name" ] && echo cuda || echo cpu); fi
    if [ "$device" = cpu ]; then
        name=$(lscpu | sed -n 's/^Model name: *//p')
        precisions=fp32 products=fp32 formats=channels-first max_bytes=5e8 max_flop=2e10
        say "measuring the CPU, with $threads threads"
    fi
    name=$(echo "$name" | tr 'A-Z' 'a-z' | sed 's/nvidia //; s/[^a-z0-9]\+/-/g; s/^-//; s/-$//')
    out=${out:-measured/$name}
    mkdir -p "$out"
    if [ $plan = test ]; then max_bytes=4e6 max_flop=1e8; fi
    if [ -z "$python" ]; then
        say "no Python here has PyTorch: nothing can be measured with it (Debian: python3-torch)"
        [ -z "$epochcast" ] || "$epochcast" device probe --json >"$out/machine.json"
        return 0
    fi
    gpu_tests
    jobs=$(mktemp -d)
    if [ -n "$epochcast" ]; then
        cases=$jobs/cases
        "$epochcast" op sample --op $operators --count $count --seed 20 --max-bytes $max_bytes --max-flop $max_flop >"$cases"
    else
        cases=measured/cases.txt
        say "no epochcast: measuring the cases of $cases"
    fi
    collect ceilings $ceilings_s ceilings --precision $products --row-budget $row_s
    collect layers $layers_s layers --cases "$cases" --conditions draw --precision $precisions --layout $formats \
        --optimizer $optimizers --row-budget $row_s
    collect marginal $marginal_s layers --cases "$cases" --conditions draw --method marginal,isolated,justus \
        --optimizer $optimizers --row-budget $row_s
    if [ $plan = test ]; then test_jobs; else network_jobs; fi >"$jobs/networks"
    collect networks $networks_s networks --jobs "$jobs/networks" --phases step,forward --row-budget $network_s
    compiled_jobs >"$jobs/compiled"
    if "$python" -c 'import torch; torch.compile' 2>/dev/null; then
        collect compiled $compiled_s networks --jobs "$jobs/compiled" --phases step --row-budget $network_s
    else
        say "this PyTorch has no torch.compile: compiled.csv is left out"
    fi
    mkdir -p "$out/grids"
    collect grids/grid $networks_s grid --samples $grid_samples
    rm -r "$jobs"
    summary
}

main
