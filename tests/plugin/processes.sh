#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 600
# processors: 2
#
# Programs of JAX on the devices of several processes (processes.py), over MPI where mpirun has started them and over TCP where it
# has not, and what the others say when one of them ends. Skipped where JAX cannot be had.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/_venv.sh
source "$PARTITA_SOURCE_DIR/tests/support/_venv.sh"
jax_venv "$work/log"
export PARTITA_LIBRARY_FOLDER=$PARTITA_BIN_DIR/../lib PYTHONPATH=$PARTITA_SOURCE_DIR/python JAX_PLATFORMS=partita,cpu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# on PROCESSES DEVICES TARGET [CASE…]: status of the run; its output is in $work/log.
on() {
  PARTITA_NUM_DEVICES=$2 PARTITA_TARGET=$3 timeout --kill-after=5 250 mpirun --oversubscribe --bind-to none -n "$1" \
    "$venv/bin/python" "$PARTITA_SOURCE_DIR/tests/plugin/processes.py" "${@:4}" >"$work/log" 2>&1
}

# apart PROCESSES DEVICES TARGET [CASE…]: the same without mpirun.
apart() {
  local pids=() status=0 port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("localhost", 0)); print(s.getsockname()[1])')
  for ((k = 0; k < $1; ++k)); do
    PARTITA_TEST_PROCESS=localhost:$port,$1,$k PARTITA_NUM_DEVICES=$2 PARTITA_TARGET=$3 timeout --kill-after=5 250 \
      "$venv/bin/python" "$PARTITA_SOURCE_DIR/tests/plugin/processes.py" "${@:4}" >"$work/log.$k" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  cat "$work"/log.* >"$work/log"
  return $status
}

fail() {
  echo "FAILED: $*" >&2
  cat "$work/log" >&2
  exit 1
}

for setting in "2 2 cpu" "3 1 cpu" "2 1 opencl"; do
  # shellcheck disable=SC2086
  on $setting "$@" || fail "on $setting"
done

for setting in "2 2 cpu" "3 1 cpu"; do
  # shellcheck disable=SC2086
  apart $setting "$@" || fail "apart, on $setting"
done

for how in on apart; do
  if $how 3 1 cpu fail_alone; then fail "a process that ends: expected another status than 0"; fi
  grep -q "waited for rank 1, whose process" "$work/log" || fail "a process that ends: expected the others to say which one"
done
echo "passed"
