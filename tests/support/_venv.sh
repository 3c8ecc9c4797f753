# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by tests that need JAX.

# jax_venv LOG: sets $venv to a virtual environment with JAX and DrJAX that stays in the build folder, made again where it is not
# complete; skips the test where it cannot be had.
jax_venv() {
  local log=$1 jax=jax==0.10.2
  venv=$PARTITA_SOURCE_DIR/build/$jax
  if "$venv/bin/python" -c 'import drjax' >"$log" 2>&1; then return; fi
  rm -rf "$venv"
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check --retries 1 "$jax" "jaxlib==${jax#*==}" drjax==0.2.1; } \
    >"$log" 2>&1; then
    rm -rf "$venv"
    echo "$jax cannot be installed: $(tail -n 1 "$log")"
    exit 77
  fi
}
