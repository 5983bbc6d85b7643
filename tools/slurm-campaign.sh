#!/usr/bin/env bash
# A measuring campaign as a job array of Slurm: each job measures its share and keeps it in a store of its
# own; when all have ended, the stores are merged.
#
#   tools/slurm-campaign.sh --jobs N --out FOLDER [--epochcast PATH] [--sbatch "OPTIONS"] -- WHAT...
#
# WHAT is what stands behind `epochcast measure`, without --out, --store, --shard and --resume:
#
#   tools/slurm-campaign.sh --jobs 8 --out campaign --sbatch "--time=2:00:00 --exclusive" -- layers --count 5000
#
# FOLDER holds part-I.csv and part-I.sqlite of each job, its log, and in the end store.sqlite. A job that was
# killed, requeued or hit its time limit goes on where it stopped: submit the same again.
# FOLDER must be seen by all nodes. tools/slurm-campaign.sh --merge FOLDER merges by hand.
set -euo pipefail

usage() {
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

merge() {
    local out=$1 store=$1/store.sqlite part
    for part in "$out"/part-*.sqlite; do
        [ -e "$part" ] || { echo "slurm-campaign: $out holds no part-*.sqlite" >&2; exit 1; }
        "$epochcast" data merge --store "$store" "$part"
    done
}

epochcast=${EPOCHCAST:-epochcast} out= jobs= options= what=
while [ $# -gt 0 ]; do
    case $1 in
        --jobs) jobs=$2 ;;
        --out) out=$2 ;;
        --epochcast) epochcast=$2 ;;
        --sbatch) options=$2 ;;
        --merge) out=$2 what=merge ;;
        --) shift; break ;;
        *) usage ;;
    esac
    shift 2 || usage
done
[ -n "$out" ] || usage

if [ "$what" = merge ]; then
    merge "$out"
    exit
fi

# In a job of the array. exec: the signal at the time limit reaches the program, which ends after its row.
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    part=$out/part-$SLURM_ARRAY_TASK_ID
    exec "$epochcast" measure "$@" --out "$part.csv" --store "$part.sqlite" --resume \
        --shard "$SLURM_ARRAY_TASK_ID/$jobs"
fi

[ -n "$jobs" ] && [ $# -gt 0 ] || usage
command -v sbatch >/dev/null || { echo "slurm-campaign: no sbatch here (Debian: slurm-client)" >&2; exit 1; }
mkdir -p "$out"
out=$(realpath "$out")
epochcast=$(realpath "$(command -v "$epochcast")")
common=(--parsable --chdir="$out" --output="$out/%x-%A_%a.log")
# shellcheck disable=SC2086 # options are words
array=$(sbatch "${common[@]}" --job-name=epochcast --signal=B:TERM@60 $options --array="0-$((jobs - 1))" "$0" \
    --jobs "$jobs" --out "$out" --epochcast "$epochcast" -- "$@")
# shellcheck disable=SC2086
merging=$(sbatch "${common[@]}" --job-name=epochcast-merge $options --dependency="afterany:${array%%;*}" "$0" \
    --merge "$out" --epochcast "$epochcast")
echo "jobs ${array%%;*}, then ${merging%%;*} merges into $out/store.sqlite"
