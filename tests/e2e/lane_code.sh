#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# Where there is no C compiler, target cpu gives what the interpreter gives: programs with known results,
# over poisoned memory, and random ones.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
export PARTITA_CC=/nowhere/cc PARTITA_CACHE_DIR=
"$partita" check --target cpu --poison "$PARTITA_SOURCE_DIR"/tests/{e2e/programs,regress}/*.mlir
"$PARTITA_BIN_DIR/fuzz_differential" --target cpu --tier 0 --seconds 4 --seed 5
