#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 120
#
# gcc turns the loop over each vector math function, in both precisions, into vectors of 32 bytes.
set -euo pipefail
cd "$PARTITA_SOURCE_DIR"
compiler=${PARTITA_CC:-gcc}
if ! "$compiler" --version 2>/dev/null | grep -q "Free Software Foundation"; then
  echo "skipped: $compiler is not gcc"
  exit 77
fi
if [ "$(uname -m)" != x86_64 ]; then
  echo "skipped: the instruction set is one of x86-64"
  exit 77
fi
report=$("$compiler" -std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math \
  -march=x86-64-v3 -I. -DPARTITA_LEVEL=v3 -include backend-cpu/kernels/vector_math_f64.c \
  -include backend-cpu/kernels/vector_math_f32.c -c benchmarks/vector_math/loops.c -o /dev/null \
  -fopt-info-vec-optimized 2>&1)
status=0
while IFS=: read -r line _; do
  found=$(grep -c "functions.def:$line:.*vectorized using 32 byte" <<<"$report" || true)
  if [ "$found" -lt 2 ]; then
    echo "expected 2 vectorised loops, found $found: $(sed -n "${line}p" benchmarks/vector_math/functions.def)"
    status=1
  fi
done < <(grep -n '^PARTITA_FUNCTION' benchmarks/vector_math/functions.def)
exit $status
