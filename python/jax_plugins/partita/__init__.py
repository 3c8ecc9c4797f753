# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Where JAX finds the plugin in a source tree; a wheel has an entry point instead."""
from partita.jax_plugin import initialize  # noqa: F401
