#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e corpus simt
# timeout: 900
#
# The conformance corpus as it is compiled for GPUs, on the OpenCL device that is here: check_corpus.sh.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
has_device || exit 77
PARTITA_OPENCL_CLASS=gpu PARTITA_TARGETS=opencl "$(dirname "${BASH_SOURCE[0]}")/check_corpus.sh"
