#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 240
# processors: 2
#
# What the program cannot help: no OpenCL platform, memory that does not suffice, ranks that fail or are killed. Exit status
# 3 (or mpirun's), one line that says what to do or who was waited for, no output file, no process left.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"

cp "$PARTITA_SOURCE_DIR/examples/c_host/average.mlir" p.mlir
"$partita" compile p.mlir -o p.pta --target opencl >log
cat >checks.mlir <<'MLIR'
module {
  func.func public @main() {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    check.expect_eq_const %one, dense<1.0> : tensor<4xf32>
    return
  }
}
MLIR
none=$work/no_vendors
mkdir "$none"
without_platform() { # without_platform COMMAND...
  refused 3 "pocl-opencl-icd" env OCL_ICD_VENDORS="$none" "$@"
}
ranks() { # ranks R COMMAND...
  mpirun --bind-to none --oversubscribe -n "$@"
}
export -f ranks

without_platform "$partita" run p.pta --inputs random --outputs "$out/y.npz"
without_platform "$partita" check --target opencl checks.mlir
without_platform "$partita" bench p.mlir
without_platform bash -c 'ranks 2 "$@"' - "$partita" run p.pta --inputs random --outputs "$out/y.npz"
# Compiling needs no device, and gives the same artifact.
env OCL_ICD_VENDORS="$none" "$partita" compile p.mlir -o q.pta --target opencl >log
cmp p.pta q.pta || complain "expected the same artifact without a platform"
env OCL_ICD_VENDORS="$none" "$partita" compile p.mlir -o q.pta --target opencl --device pthread-haswell-abacus >log
refused 2 "--device: expected pocl-avx2, pocl-avx512 or another known device|found 'pocl-avx3'" \
  env OCL_ICD_VENDORS="$none" "$partita" compile p.mlir -o "$out/p.pta" --target opencl --device pocl-avx3

has_device || exit 77

# 2^38 elements in the result, in a temporary, in an argument.
size=131072x131072x16
cat >result.mlir <<MLIR
module {
  func.func public @main(%a: tensor<f32>) -> tensor<${size}xf32> {
    %b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<${size}xf32>
    return %b : tensor<${size}xf32>
  }
}
MLIR
cat >temporary.mlir <<MLIR
module {
  func.func public @main(%a: tensor<16xf32>) -> tensor<131072x16xf32> {
    %b = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<16xf32>) -> tensor<${size}xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %columns = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<${size}xf32>, tensor<f32>) -> tensor<131072x16xf32>
    %spread = stablehlo.broadcast_in_dim %columns, dims = [1, 2] : (tensor<131072x16xf32>) -> tensor<${size}xf32>
    %sorted = stablehlo.dot_general %spread, %b, batching_dims = [2] x [2], contracting_dims = [0] x [0] : (tensor<${size}xf32>, tensor<${size}xf32>) -> tensor<16x131072x131072xf32>
    %sum = stablehlo.reduce(%sorted init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<16x131072x131072xf32>, tensor<f32>) -> tensor<16x131072xf32>
    %back = stablehlo.transpose %sum, dims = [1, 0] : (tensor<16x131072xf32>) -> tensor<131072x16xf32>
    return %back : tensor<131072x16xf32>
  }
}
MLIR
cat >argument.mlir <<MLIR
module {
  func.func public @main(%a: tensor<${size}xf32>) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<${size}xf32>, tensor<f32>) -> tensor<16xf32>
    return %sum : tensor<16xf32>
  }
}
MLIR
for name in result temporary argument; do
  "$partita" compile $name.mlir -o $name.pta --target opencl >log 2>&1 || { cp log stderr; complain "compile $name.mlir"; }
done
refused 3 "out of device memory: |bytes planned" "$partita" run result.pta --inputs random --outputs "$out/y.npz"
refused 3 "out of device memory: |bytes planned" "$partita" run temporary.pta --inputs random --outputs "$out/y.npz"
refused 3 "memory" "$partita" run argument.pta --inputs random --outputs "$out/y.npz"
refused 3 "out of device memory: |bytes planned" bash -c 'ranks 2 "$@"' - "$partita" run result.pta --inputs random --outputs "$out/y.npz"

# A rank that is killed, and one that fails, in the third round of the digits.
python3 "$PARTITA_SOURCE_DIR/examples/fedavg_digits/make_round.py" --clients 8 >round.mlir
"$partita" compile round.mlir -o round.pta --target opencl >log
lost() { # lost FAULT WORDS
  local status=0 begin=$SECONDS
  cases=$((cases + 1))
  PARTITA_FAULT=$1 timeout -k 5 "$seconds_allowed" mpirun --bind-to none --oversubscribe -n 3 "$partita" run round.pta \
    --inputs random --rounds 500 --carry out0:in0,out1:in1,out2:in2,out3:in3 --outputs "$out/y.npz" \
    >stdout 2>stderr </dev/null || status=$?
  ((status != 0 && status != 124)) || complain "$1: expected mpirun to fail in time, found exit status $status"
  sed -i '/^round [0-9]*\/500$/d' stdout
  check_refusal "$2" 0 0
  ((SECONDS - begin < 40)) || complain "$1: expected an end within 40 s, found $((SECONDS - begin)) s"
  ! pgrep -f "$out/y.npz" >/dev/null || sleep 10
  ! pgrep -f "$out/y.npz" >/dev/null || complain "$1: expected no process left after 10 s"
}
lost kill@rank:1,call:7 "step '|waited for rank 1"
lost kill@rank:0,call:7 "step '|waited for rank 0"
lost fail@rank:2,call:7 "step '|rank 2"

finish_refusals
