#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 300
# processors: 2
#
# What an interval of streaming DiLoCo sends travels while its workers compute: over slow links at least 80 % of what the
# same sums take alone is hidden, 1 - (all - compute) / communication; without a delay little is.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"

text=$PARTITA_SOURCE_DIR/examples/diloco_lm/gettysburg.txt
for delay in 3 0; do
  quiet "$PARTITA_BIN_DIR/diloco_lm" --text "$text" --steps 8 --interval 8 --layers 2 --width 64 --fragments 2 --delay $delay --by-interval \
    --emit "delay$delay.mlir"
  quiet "$partita" compile "delay$delay.mlir" -o "delay$delay.pta" --target cpu
done
# The sums alone: as many elements in as many calls.
mapfile -t elements < <("$partita" inspect delay3.pta | sed -n 's/.*start all_reduce sum f32 .* \([0-9]*\) elements.*/\1/p')
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

# seconds ARTIFACT NET: the fastest of some runs on two ranks.
seconds() {
  on_ranks 2 env PARTITA_EMULATE_NET="$2" "$partita" run "$1" --inputs random:1 --repeat 12 --devices-per-rank 1 --stats stats.json \
    >log 2>&1 || { cat log; failed "$1 over '$2'"; }
  python3 -c 'import json; print(json.load(open("stats.json"))["min_s"])'
}
least() { python3 -c 'import sys; print(min(map(float, sys.argv[1:])))' "$@"; }

# measure: whether the communication of one attempt is hidden, over links on which the sums take half an interval: windows of
# 3 steps of 8 for each of the fragments are enough.
measure() {
  local compute net at_once streamed_net=1000 at_once_net=1000 communication=1000
  compute=$(seconds delay3.pta "")
  at_once=$(seconds delay0.pta "")
  net=$(python3 -c 'import sys
bits = 32 * (int(sys.argv[2]) + int(sys.argv[3]))
print(f"bw:{bits / (float(sys.argv[1]) / 2) / 1e6:.3f}Mbit,lat:100us")' "$compute" "${elements[@]}")
  for _ in 1 2; do
    compute=$(least "$compute" "$(seconds delay3.pta "")")
    streamed_net=$(least "$streamed_net" "$(seconds delay3.pta "$net")")
    at_once=$(least "$at_once" "$(seconds delay0.pta "")")
    at_once_net=$(least "$at_once_net" "$(seconds delay0.pta "$net")")
    communication=$(least "$communication" "$(seconds sums.pta "$net")")
  done
  python3 - "$compute" "$streamed_net" "$at_once" "$at_once_net" "$communication" <<'END'
import sys
compute, streamed, at_once, at_once_net, communication = map(float, sys.argv[1:])
hidden = max(0, 1 - (streamed - compute) / communication)
hidden_at_once = max(0, 1 - (at_once_net - at_once) / communication)
print(f"interval {compute * 1e3:.2f} ms, sums alone {communication * 1e3:.2f} ms, together {streamed * 1e3:.2f} ms: "
      f"overlap {hidden:.2f}, without delay {hidden_at_once:.2f}")
sys.exit(not (hidden >= 0.8 and hidden_at_once < 0.5))
END
}
# Other work on the machine disturbs single attempts.
measure || measure || measure || failed "expected 80 % of the communication behind the computation, and without a delay less than half"
