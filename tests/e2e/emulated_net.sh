#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 300
# processors: 2
#
# PARTITA_EMULATE_NET: sums over ranks take what the links would, and give the same; other text is refused.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
# shellcheck source=tests/e2e/_timing.sh
source "$(dirname "${BASH_SOURCE[0]}")/_timing.sh"
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

# outputs_over NAME TEXT: NAME.npz has what two ranks give over such links.
outputs_over() {
  on_ranks 2 env PARTITA_EMULATE_NET="$2" "$partita" run sum.pta --inputs random:1 --outputs "$1.npz" >log 2>&1 ||
    failed "links of '$2'"
}
declare -A nets=([plain]="" [slow]=bw:100Mbit [far]=lat:30ms)
for name in plain slow far; do outputs_over "$name" "${nets[$name]}"; done
cmp plain.npz slow.npz && cmp plain.npz far.npz || failed "results differ"

# Two megabytes come to each rank, a half of the sum and a half of the result; one message at least for either.
measure_links() {
  local name
  for name in plain slow far; do time_of "$name" sum.pta "${nets[$name]}" 3; done
}
links_take_their_time() {
  python3 - "${taken[plain]}" "${taken[slow]}" "${taken[far]}" <<'END'
import sys
plain, slow, far = map(float, sys.argv[1:])
print(f"plain {plain:.4f} s, slow {slow:.4f} s, far {far:.4f} s")
assert slow >= 0.16 and far >= 0.06, "no run is faster than what 2e6 bytes at 100 Mbit/s and two messages take"
sys.exit(not (slow <= 0.16 * 1.3 + plain and far <= 0.3 + plain))
END
}
by_turns 4 measure_links links_take_their_time

# A sum of 800 kB in each of 20 iterations that needs nothing of what is computed there: it travels meanwhile.  Values stay
# around 1: subnormal ones would make some iterations several times as long as others.
cat >stream.mlir <<'END'
module @stream attributes {mr.placements = {clients = 2}} {
  func.func public @main(%model: tensor<200000xf32>, %x: tensor<2x768x768xf32>, %d: tensor<2x200000xf32>) -> (tensor<200000xf32>, tensor<2x768x768xf32>, tensor<2x200000xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:4 = stablehlo.while(%i = %zero, %m = %model, %s = %x, %delta = %d) : tensor<i32>, tensor<200000xf32>, tensor<2x768x768xf32>, tensor<2x200000xf32>
    cond {
      %n = stablehlo.constant dense<20> : tensor<i32>
      %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %mean = "mr.reduce_mean"(%delta) {placement = "clients"} : (tensor<2x200000xf32>) -> tensor<200000xf32>
      %t = "mr.map"(%s) ({
      ^bb0(%v: tensor<768x768xf32>):
        %c = stablehlo.constant dense<2.5e-01> : tensor<768x768xf32>
        %0 = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<768x768xf32>, tensor<768x768xf32>) -> tensor<768x768xf32>
        %1 = stablehlo.multiply %0, %c : tensor<768x768xf32>
        %a = stablehlo.tanh %1 : tensor<768x768xf32>
        %2 = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<768x768xf32>, tensor<768x768xf32>) -> tensor<768x768xf32>
        %3 = stablehlo.multiply %2, %c : tensor<768x768xf32>
        %b = stablehlo.tanh %3 : tensor<768x768xf32>
        %4 = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<768x768xf32>, tensor<768x768xf32>) -> tensor<768x768xf32>
        %5 = stablehlo.multiply %4, %c : tensor<768x768xf32>
        %e = stablehlo.tanh %5 : tensor<768x768xf32>
        %6 = stablehlo.dot_general %e, %v, contracting_dims = [1] x [0] : (tensor<768x768xf32>, tensor<768x768xf32>) -> tensor<768x768xf32>
        %7 = stablehlo.multiply %6, %c : tensor<768x768xf32>
        %f = stablehlo.tanh %7 : tensor<768x768xf32>
        "mr.return"(%f) : (tensor<768x768xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<2x768x768xf32>) -> tensor<2x768x768xf32>
      %ms = "mr.broadcast"(%mean) {placement = "clients"} : (tensor<200000xf32>) -> tensor<2x200000xf32>
      %dn = "mr.map"(%delta, %ms) ({
      ^bb0(%v: tensor<200000xf32>, %w: tensor<200000xf32>):
        %h = stablehlo.constant dense<5.0e-01> : tensor<200000xf32>
        %q = stablehlo.multiply %v, %h : tensor<200000xf32>
        %p = stablehlo.add %q, %w : tensor<200000xf32>
        "mr.return"(%p) : (tensor<200000xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<2x200000xf32>, tensor<2x200000xf32>) -> tensor<2x200000xf32>
      %m2 = stablehlo.add %m, %mean : tensor<200000xf32>
      %i2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %i2, %m2, %t, %dn : tensor<i32>, tensor<200000xf32>, tensor<2x768x768xf32>, tensor<2x200000xf32>
    }
    return %r#1, %r#2, %r#3 : tensor<200000xf32>, tensor<2x768x768xf32>, tensor<2x200000xf32>
  }
}
END
quiet "$partita" compile stream.mlir -o stream.pta --target cpu
# Each sum, of whose bits half come to each rank twice, takes half of an iteration.
measure_stream() {
  time_of alone stream.pta "" 3
  time_of together stream.pta "$(half_of alone $((20 * 200000 * 32)))" 3
}
most_is_hidden() {
  python3 - "${taken[alone]}" "${taken[together]}" "${waited[together]}" <<'END'
import sys
alone, together, waited = map(float, sys.argv[1:])
overlap = max(0, 1 - waited / (alone / 2))
print(f"alone {alone * 1e3:.2f} ms, over the net {together * 1e3:.2f} ms, overlap {overlap:.2f}")
sys.exit(not overlap > 0.5)
END
}
by_turns 6 measure_stream most_is_hidden

for text in fast bw:10 bw:0Gbit bw:-1Mbit lat:5 lat:1us, bw:1Gbit,loss:1 bw:nanMbit; do
  status=0
  on_ranks 2 env PARTITA_EMULATE_NET="$text" "$partita" run sum.pta --inputs random:1 >log 2>&1 || status=$?
  [[ $status == 2 ]] || { cat log; failed "'$text': expected status 2, found $status"; }
  grep -qF "error: PARTITA_EMULATE_NET: expected bw:NUMBER" log || { cat log; failed "'$text': no such line"; }
done
echo passed
