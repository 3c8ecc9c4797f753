#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 300
# processors: 2
#
# What an interval of streaming DiLoCo sends travels while its workers compute: over slow links at least 80 % of what the
# same sums take alone is hidden, 1 - waited / alone; without a delay little is.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
# shellcheck source=tests/e2e/_timing.sh
source "$(dirname "${BASH_SOURCE[0]}")/_timing.sh"
cd "$work"

text=$PARTITA_SOURCE_DIR/examples/diloco_lm/gettysburg.txt
for delay in 16 0; do
  quiet "$PARTITA_BIN_DIR/diloco_lm" --text "$text" --steps 32 --interval 32 --layers 2 --width 64 --fragments 2 --delay $delay --by-interval \
    --emit "delay$delay.mlir"
  quiet "$partita" compile "delay$delay.mlir" -o "delay$delay.pta" --target cpu
done
# The sums alone: as many elements in as many calls.
mapfile -t elements < <("$partita" inspect delay16.pta | sed -n 's/.*start all_reduce sum f32 .* \([0-9]*\) elements.*/\1/p')
[[ ${#elements[@]} == 2 ]] || failed "expected the sums of two fragments, found ${#elements[@]}"
cat >sums.mlir <<END
module @sums attributes {mr.placements = {workers = 4}} {
  func.func public @main(%a: tensor<4x${elements[0]}xf32>, %b: tensor<4x${elements[1]}xf32>) -> (tensor<${elements[0]}xf32>, tensor<${elements[1]}xf32>) {
    %0 = "mr.reduce_sum"(%a) {placement = "workers"} : (tensor<4x${elements[0]}xf32>) -> tensor<${elements[0]}xf32>
    %1 = stablehlo.optimization_barrier %b : tensor<4x${elements[1]}xf32>
    %2 = "mr.reduce_sum"(%1) {placement = "workers"} : (tensor<4x${elements[1]}xf32>) -> tensor<${elements[1]}xf32>
    return %0, %2 : tensor<${elements[0]}xf32>, tensor<${elements[1]}xf32>
  }
}
END
quiet "$partita" compile sums.mlir -o sums.pta --target cpu

# Links on which the sums take half an interval: each of the two fragments has as long to travel.
measure() {
  time_of compute delay16.pta ""
  local net
  net=$(half_of compute $((32 * (elements[0] + elements[1]))))
  time_of sums sums.pta "$net"
  time_of streamed delay16.pta "$net"
  time_of at_once delay0.pta "$net"
}
# At least 80 % of the communication behind the computation, and without a delay less than half.
hidden() {
  python3 - "${taken[compute]}" "${taken[streamed]}" "${taken[sums]}" "${waited[streamed]}" "${waited[at_once]}" <<'END'
import sys
compute, streamed, sums, *waits = map(float, sys.argv[1:])
hidden, hidden_at_once = (max(0, 1 - wait / sums) for wait in waits)
print(f"interval {compute * 1e3:.2f} ms, sums alone {sums * 1e3:.2f} ms, together {streamed * 1e3:.2f} ms: "
      f"overlap {hidden:.2f}, without delay {hidden_at_once:.2f}")
sys.exit(not (hidden >= 0.8 and hidden_at_once < 0.5))
END
}
by_turns 7 measure hidden
