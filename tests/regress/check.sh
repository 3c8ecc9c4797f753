#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: regress
# timeout: 360
#
# Every program of this folder holds its own checks, and passes on every target that is built, over poisoned
# memory where it is compiled.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=tests/e2e/_device.sh
source "$PARTITA_SOURCE_DIR/tests/e2e/_device.sh"

programs=("$PARTITA_SOURCE_DIR"/tests/regress/*.mlir)
if ! has_device; then
  "$partita" check --target interpreter "${programs[@]}"
  exit 77
fi
"$partita" check --target all --poison "${programs[@]}"
# What the host transforms otherwise.
"$partita" check --target all --poison --gemm generated "$PARTITA_SOURCE_DIR"/tests/regress/*fft*.mlir
