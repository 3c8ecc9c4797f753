#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 900
# processors: 2
#
# Programs of JAX on platform partita with 8 devices (programs.py). Skipped where JAX cannot be had.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/_venv.sh
source "$PARTITA_SOURCE_DIR/tests/support/_venv.sh"
jax_venv "$work/log"
export PARTITA_LIBRARY_FOLDER=$PARTITA_BIN_DIR/../lib
export PYTHONPATH=$PARTITA_SOURCE_DIR/python PARTITA_NUM_DEVICES=8 PARTITA_TARGET=cpu
export XLA_FLAGS=--xla_force_host_platform_device_count=8 JAX_PLATFORMS=partita,cpu
"$venv/bin/python" "$PARTITA_SOURCE_DIR/tests/plugin/programs.py" "$@"
