#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# Programs for several devices under `partita check`: on simulated shards by the interpreter, as lanes of one device by
# OpenCL; how many there are is in the program or comes from --shards.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
targets=(interpreter)
if has_device; then targets+=(opencl); fi
cd "$work"

# expect STATUS TEXT COMMAND...: exit status, and a line that holds the text.
expect() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >log 2>&1 || found=$?
  [[ $found == "$status" ]] || { echo "FAILED: $*: expected status $status, found $found"; cat log; exit 1; }
  grep -qF -- "$text" log || { echo "FAILED: $*: no '$text' in"; cat log; exit 1; }
}

cat >mesh.mlir <<'END'
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"y", "x"}, {}]>] manual_axes={"x", "y"} (%p: tensor<1x1xi32>) {
      %s = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<i32>, %v: tensor<i32>):
        %t = stablehlo.add %u, %v : tensor<i32>
        stablehlo.return %t : tensor<i32>
      }) : (tensor<1x1xi32>) -> tensor<1x1xi32>
      sdy.return %s, %p : tensor<1x1xi32>, tensor<1x1xi32>
    } : (tensor<2x2xi32>) -> (tensor<2x1xi32>, tensor<4x1xi32>)
    check.expect_eq_const %0#0, dense<[[3], [7]]> : tensor<2x1xi32>
    check.expect_eq_const %0#1, dense<[[1], [3], [2], [4]]> : tensor<4x1xi32>
    return
  }
}
END
cat >ids.mlir <<'END'
func.func @main() {
  %id = stablehlo.partition_id : tensor<ui32>
  %0 = "stablehlo.all_reduce"(%id) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%u: tensor<ui32>, %v: tensor<ui32>):
    %t = stablehlo.add %u, %v : tensor<ui32>
    stablehlo.return %t : tensor<ui32>
  }) : (tensor<ui32>) -> tensor<ui32>
  check.expect_eq_const %0, dense<10> : tensor<ui32>
  return
}
END
cat >parallel.mlir <<'END'
module {
  func.func @id() -> tensor<ui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
  func.func @main() {
    %0:2 = "interpreter.run_parallel"() {programs = [[@id], [@id]]} : () -> (tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %0#1, dense<1> : tensor<ui32>
    return
  }
}
END
sed '/func.func @main/i\  func.func @one() -> tensor<ui32> {\n    %0 = stablehlo.constant dense<1> : tensor<ui32>\n    return %0 : tensor<ui32>\n  }' parallel.mlir |
  sed 's/\[@id\], \[@id\]/[@id], [@one]/' >different.mlir
for target in "${targets[@]}"; do
  expect 0 "1 passed, 0 failed" "$partita" check --target "$target" mesh.mlir
  expect 0 "1 passed, 0 failed" "$partita" check --target "$target" --shards 5 ids.mlir
  expect 1 "0 passed, 1 failed" "$partita" check --target "$target" ids.mlir
  expect 0 "1 passed, 0 failed" "$partita" check --target "$target" parallel.mlir
done
expect 0 "1 passed, 0 failed" "$partita" check different.mlir
expect 2 "1024" "$partita" check --shards 5000 ids.mlir
[[ ${#targets[@]} == 1 ]] || expect 2 "interpreter.run_parallel" "$partita" check --target opencl different.mlir
