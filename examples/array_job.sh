#!/bin/sh
# A campaign as an array job: every task makes its part of the plan into one shared folder.
# No scheduler of ours is needed; tasks that die are started again with the same command.
#
#   sbatch --array=1-20 examples/array_job.sh results plan.toml        (SLURM)
#   SHARD=2 SHARDS=4 sh examples/array_job.sh results plan.toml        (by hand)
#
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
set -eu

out=$1
plan=$2
shard=${SLURM_ARRAY_TASK_ID:-${SHARD:?give SHARD and SHARDS, or start as an array job}}
shards=${SLURM_ARRAY_TASK_COUNT:-${SHARDS:?give SHARDS, the number of parts}}
workers=${SLURM_CPUS_PER_TASK:-1}

exec rdex bench run "$plan" --out "$out" --shard "$shard/$shards" --workers "$workers"
