#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: simt
# timeout: 900
# processors: 2
#
# Another vendor's compiler: the conformance corpus and all forms of kernels, as compiled for CPUs and for GPUs, on
# Intel's OpenCL driver for CPUs (./dev drivers installs it).
set -euo pipefail
intel=$PARTITA_SOURCE_DIR/build/drivers/intel
[[ -e $intel/lib/libintelocl.so ]] || { echo "Intel's driver is not installed (./dev drivers installs it)"; exit 77; }
export LD_LIBRARY_PATH=$intel/lib OCL_ICD_VENDORS=$intel/vendors
"$PARTITA_BIN_DIR/partita" devices | grep -q '^opencl: .*Intel' || { echo "its driver does not start here"; exit 1; }
"$PARTITA_BIN_DIR/test_codegen" --gtest_brief=1 --gtest_filter='Group*.*:Contractions.*'
for class in cpu gpu; do
  PARTITA_OPENCL_CLASS=$class PARTITA_TARGETS=opencl "$PARTITA_SOURCE_DIR/tests/e2e/check_corpus.sh"
done
