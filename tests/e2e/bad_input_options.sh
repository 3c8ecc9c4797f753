#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# Wrong commands, values of options and outputs that cannot be written: one line that names the option, before anything is
# computed, and no file. What `run` says about its own options is in run_command.cpp.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
cp "$PARTITA_SOURCE_DIR/examples/c_host/average.mlir" p.mlir
"$partita" compile p.mlir -o p.pta --target opencl >log
mkdir folder

compile() { # compile WORDS OPTION...
  local words=$1
  shift
  refused 2 "$words" "$partita" compile p.mlir -o "$out/p.pta" --target opencl "$@"
}
run() { # run WORDS OPTION...
  local words=$1
  shift
  refused 2 "$words" "$partita" run p.pta --inputs random --outputs "$out/y.npz" "$@"
}

refused 2 "expected a command (|compile|run|), found none" "$partita"
refused 2 "expected a command (|), found frobnicate" "$partita" frobnicate
refused 2 "--error-format|xml|text|json" "$partita" --error-format xml devices
refused 2 "--target is required" "$partita" compile p.mlir -o "$out/p.pta"
refused 2 "--target: 'cuda' is not built in; built in: |opencl|cpu" "$partita" compile p.mlir -o "$out/p.pta" --target cuda
refused 2 "--cpu: expected some of native|x86-64-v3|found 'z80'" "$partita" compile p.mlir -o "$out/p.pta" --target cpu --cpu z80
refused 3 "PARTITA_CC: expected a C compiler, found no program /nowhere/cc" \
  env PARTITA_CC=/nowhere/cc "$partita" compile p.mlir -o "$out/p.pta" --target cpu --tier 1
compile "--nonsense" --nonsense
compile "--layout: expected loop, batch, batch:B or auto, found 'foo'" --layout foo
compile "--layout: expected loop, batch, batch:B or auto, found 'batch:0'" --layout batch:0
compile "--layout: expected loop, batch, batch:B or auto, found 'batch:x'" --layout batch:x
compile "--gemm: expected auto, library (or clblast) or generated, found 'foo'" --gemm foo
compile "--memory-budget: expected at most 1 bytes on one shard, found|block(" --memory-budget 1B
compile "--memory-budget: expected a size such as 8GiB, found lots" --memory-budget lots
compile "expected a function @nobody, found public functions @main" --function nobody
compile "--dump-after: expected one of all, inline, |, found 'nothing'" --dump-after nothing
compile "--dump-after|1 required" --dump-after
compile "p.mlir/x/|expected a writable file, found: Not a directory" --dump-after all --dump-dir p.mlir/x

run "--rounds|0 not in range 1 to 2147483647" --rounds 0
run "--rounds|-1 not in range" --rounds -1
run "--rounds|99999999999 not in range" --rounds 99999999999
run "--repeat|x not in range" --repeat x
run "--devices-per-rank|0 not in range 1 to 1024" --devices-per-rank 0
run "--carry: expected a number from 0 to |, found 9" --carry out9:in9
run "--carry: expected outN:inM, found x" --carry x
run "--carry: expected out0, out1, …, found in0" --carry in0:out0
run "--print: expected out0, out1, …, found in0" --print in0
run "--timeout|0 not in range" --timeout 0
run "--memory-budget: expected a size such as 8GiB, found -1" --memory-budget -1
refused 2 "--inputs random: expected a number" "$partita" run p.pta --inputs random:-1 --outputs "$out/y.npz"

rounds() { # rounds WORDS OPTION...
  local words=$1
  shift
  refused 2 "$words" "$partita" bench rounds "$@"
}
refused 2 "bench: expected programs or rounds, found none" "$partita" bench
rounds "--case is required" --n 8
rounds "--n is required" --case mlp
rounds "--case|mlp" --case cnn --n 8
rounds "--n|0 not in range" --case mlp --n 0
rounds "--turns|6 not in range 7 to" --case mlp --n 8 --turns 6
rounds "--ranks|1 not in range" --case mlp --n 8 --ranks 1
rounds "--ranks: expected no --compare" --case mlp --n 8 --ranks 2 --compare drjax
rounds "--target: 'cuda' is not built in; built in: |opencl" --case mlp --n 8 --target cuda
rounds "--compare: expected some of drjax, scan, iree, blas, found 'torch'" --case mlp --n 8 --compare drjax,torch
rounds "--compare: expected blas with the case mlp alone, found lm-s" --case lm-s --n 8 --compare blas
rounds "missing/x: expected a writable file" --case mlp --n 8 --json missing/x
rounds "--peers: expected jax_peer.py in folder" --case mlp --n 8 --peers folder
rounds "--work: expected a folder, found p.mlir" --case mlp --n 8 --work p.mlir

# A folder that is missing, read-only (/sys is, even for root), a file, full; a folder where a file should be.
unwritable() { # unwritable COMMAND...: with the path as last argument
  refused 2 "missing/x: expected a writable file, found: No such file or directory" "$@" missing/x
  refused 2 "/sys/x: expected a writable file, found: " "$@" /sys/x
  refused 2 "p.mlir/x: expected a writable file, found: Not a directory" "$@" p.mlir/x
  refused 2 "folder: expected a writable file, found: Is a directory" "$@" folder
}
unwritable "$partita" compile p.mlir --target opencl -o
refused 2 "/dev/full: expected a writable file, found: No space left on device" "$partita" compile p.mlir --target opencl -o /dev/full
for command in "opt p.mlir" "inspect p.pta" "compile p.mlir --target opencl -o p2.pta"; do
  # shellcheck disable=SC2016,SC2086
  refused 2 "standard output: expected a writable file, found: No space left on device" \
    bash -c '"$0" "$@" >/dev/full' "$partita" $command
done
for option in --outputs --stats --trace; do unwritable "$partita" run p.pta --inputs random "$option"; done
unwritable "$partita" opt p.mlir -o
[[ -z $(ls -A folder) ]] || complain "expected an empty folder"
# The program is not read before: a long compilation does not end in this.
refused 2 "missing/x: expected a writable file" "$partita" compile none.mlir --target opencl -o missing/x

finish_refusals
