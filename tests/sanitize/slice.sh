#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 250
# processors: 2
#
# As much of run.py as fits into three minutes: small programs first, each in another configuration.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/run.py" --budget "${PARTITA_SANITIZE_SECONDS:-150}"
