#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e corpus
# timeout: 900
# processors: 2
#
# `partita check --target all` on the conformance corpus: every program of the ops that exist gives JAX's results on the
# interpreter and on OpenCL (the interpreter alone where there is no device).
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
if [[ -z ${PARTITA_CORPUS:-} ]]; then
  echo "PARTITA_CORPUS is not set: the conformance corpus is not here"
  exit 77
fi
cd "$PARTITA_CORPUS"
target=all
has_device || target=interpreter
"$partita" check --target "$target" mlp_*.mlir drjax_*.mlir math_unary.mlir math_binary_int.mlir reductions_dots.mlir \
  control_flow.mlir lm_fwd.mlir rounds/mlp_8.mlir cnn_*.mlir conv_variants.mlir
large=opencl
[[ $target == all ]] || large=interpreter
"$partita" check --target "$large" rounds/lm-s_2.mlir
