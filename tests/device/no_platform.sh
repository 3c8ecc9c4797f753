#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 30
#
# Without an OpenCL platform the command line says which package to install; the CPU's own target is there.
set -euo pipefail
vendors=$(mktemp -d)
trap 'rm -rf "$vendors"' EXIT

status=0
text=$(OCL_ICD_VENDORS=$vendors "$PARTITA_BIN_DIR/partita" devices 2>&1) || status=$?
[[ $status == 0 && $text == *"cpu: "* ]] || { echo "expected target cpu alone, found status $status: $text"; exit 1; }
[[ $text == *pocl-opencl-icd* ]] || { echo "expected the package to install, found: $text"; exit 1; }
