#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi corpus simt
# timeout: 600
#
# Rounds over ranks as they are compiled for GPUs, with copies beside the work, on the OpenCL device that is here:
# corpus_ranks.sh.
set -euo pipefail
PARTITA_OPENCL_CLASS=gpu "$(dirname "${BASH_SOURCE[0]}")/corpus_ranks.sh"
