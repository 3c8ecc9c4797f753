#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# The federated round of mlp differentiated by partita beside the round that JAX has differentiated and exported: results
# compared, then both compiled by the same passes and run by turns.
#
#   benchmarks/derivatives/rounds.sh [--clients N] [--target T] [--rounds R] [--python PYTHON] [--bin DIR] [arguments of `partita bench`]
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
clients=512 target=cpu rounds=21 python=python3 bin=$here/../../build/release/bin
more=()
while (($# > 0)); do
  case $1 in
    --clients) clients=$2 ;;
    --target) target=$2 ;;
    --rounds) rounds=$2 ;;
    --python) python=$2 ;;
    --bin) bin=$2 ;;
    *) more+=("$1" "${2:-}") ;;
  esac
  shift $(($# > 1 ? 2 : 1))
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" "$here/../peers/jax_peer.py" --case mlp --n "$clients" --export "$work" >/dev/null 2>&1
mv "$work/round.mlir" "$work/jax.mlir"
"$bin/derivatives_round" "$clients" >"$work/ours.mlir"
"$python" - "$work" <<'PYTHON'
import sys
import numpy as np
work = sys.argv[1]
np.savez(f"{work}/round.io.npz", **np.load(f"{work}/inputs.npz"), **np.load(f"{work}/outputs.npz"))
PYTHON
"$bin/partita" check "$work/ours.mlir" --target "$target" --io "$work/round.io.npz" --rtol 1e-3 --atol 1e-5
"$bin/partita" bench "$work/jax.mlir" "$work/ours.mlir" --target "$target" --placement "clients=$clients" \
  --inputs "$work/inputs.npz" --compiles 1 --rounds "$rounds" "${more[@]}"
