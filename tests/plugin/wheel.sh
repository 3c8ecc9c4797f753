#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 600
# processors: 2
#
# The wheel of this build, installed beside JAX: the platform is found by its entry point, programs are compiled, saved and
# loaded, the command line starts. Skipped where JAX cannot be had.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support/_venv.sh
source "$PARTITA_SOURCE_DIR/tests/support/_venv.sh"
jax_venv "$work/log"
python3 "$PARTITA_SOURCE_DIR/python/make_wheel.py" --build "$PARTITA_BIN_DIR/.." --out "$work/wheel"
"$venv/bin/pip" install -q --disable-pip-version-check --no-deps --no-index --target "$work/site" "$work"/wheel/partita-*.whl
unset PARTITA_LIBRARY_FOLDER
export PYTHONPATH=$work/site PARTITA_TARGET=cpu JAX_PLATFORMS=partita
"$work/site/bin/partita" --version | grep -q '^partita '
cd "$work"
"$venv/bin/python" - <<'PYTHON'
import jax
import jax.numpy as jnp
import numpy as np
import partita

assert jax.devices()[0].platform == "partita", jax.devices()
assert jax.grad(lambda x: (x**3).sum())(jnp.arange(3.0)).tolist() == [0, 3, 12]
a, b = np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)
program = partita.compile(lambda x, y: {"product": x @ y}, a, b, target="cpu")
assert program(a, b)["product"].tolist() == [[3, 3], [3, 3]]
program.save("product.pta")
assert partita.load("product.pta")(a, b).tolist() == [[3, 3], [3, 3]]
both = partita.join({"product": program, "sum": partita.compile(lambda x, y: x.sum() + y.sum(), a, b, target="cpu")})
assert both.functions == ("product", "sum") and both(a, b)["product"].shape == (2, 2) and both.function("sum")(a, b) == 12
both.save("both.pta")
loaded = partita.load("both.pta")
assert loaded(a, b).tolist() == [[3, 3], [3, 3]] and loaded.function("sum")(a, b) == 12
for wrong in (lambda: partita.compile("module {", target="cpu"), lambda: both.function("mean"), lambda: program.run([a]), lambda: partita.load("none.pta")):
    try:
        wrong()
    except partita.UserError as error:
        assert "\n" not in str(error) and "expected" in str(error), error
    else:
        raise AssertionError("no error")
with open("/proc/self/maps") as maps:
    assert "libmpi" not in maps.read(), "one process needs no MPI"
PYTHON
mpirun -n 2 --oversubscribe "$work/site/bin/partita" run product.pta --inputs random
"$work/site/bin/partita" run both.pta --function sum --inputs random --print out0
