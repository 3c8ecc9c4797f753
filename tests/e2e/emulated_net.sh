#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 120
# processors: 2
#
# PARTITA_EMULATE_NET: sums over ranks take what the links would, and give the same; other text is refused.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"

cat >sum.mlir <<'END'
module @sum attributes {mr.placements = {clients = 2}} {
  func.func public @main(%x: tensor<2x500000xf32>) -> tensor<500000xf32> {
    %0 = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<2x500000xf32>) -> tensor<500000xf32>
    return %0 : tensor<500000xf32>
  }
}
END
quiet "$partita" compile sum.mlir -o sum.pta --target cpu

# seconds_of FILE: the fastest of the repeated runs.
seconds_of() {
  python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); print(s["min_s"])' "$1"
}
# run_with NAME TEXT: on two ranks over such links.
run_with() {
  on_ranks 2 env PARTITA_EMULATE_NET="$2" "$partita" run sum.pta --inputs random:1 --repeat 3 --outputs "$1.npz" \
    --stats "$1.json" >log 2>&1 || { cat log; failed "links of '$2'"; }
}
run_with plain ""
run_with slow bw:100Mbit
run_with far lat:30ms
cmp plain.npz slow.npz && cmp plain.npz far.npz || failed "results differ"
# Two megabytes come to each rank, a half of the sum and a half of the result; one message at least for either.
python3 - "$(seconds_of plain.json)" "$(seconds_of slow.json)" "$(seconds_of far.json)" <<'END' || failed "times"
import sys
plain, slow, far = map(float, sys.argv[1:])
print(f"plain {plain:.4f} s, slow {slow:.4f} s, far {far:.4f} s")
assert 0.16 <= slow <= 0.16 * 1.3 + plain, "expected what 2e6 bytes take at 100 Mbit/s, 0.16 s"
assert 0.06 <= far <= 0.3 + plain, "expected the latency of two messages or a few more"
END

for text in fast bw:10 bw:0Gbit bw:-1Mbit lat:5 lat:1us, bw:1Gbit,loss:1 bw:nanMbit; do
  status=0
  on_ranks 2 env PARTITA_EMULATE_NET="$text" "$partita" run sum.pta --inputs random:1 >log 2>&1 || status=$?
  [[ $status == 2 ]] || { cat log; failed "'$text': expected status 2, found $status"; }
  grep -qF "error: PARTITA_EMULATE_NET: expected bw:NUMBER" log || { cat log; failed "'$text': no such line"; }
done
echo passed
