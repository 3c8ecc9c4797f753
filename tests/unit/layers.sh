#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# tools/check_layers finds a wrong include planted in any folder and a backend's name in any room, and docs/architecture.md
# has its table.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
check=$PARTITA_SOURCE_DIR/tools/check_layers
python3 "$check" "$PARTITA_SOURCE_DIR"
python3 "$check" --table >/dev/null

PYTHONDONTWRITEBYTECODE=1 python3 - "$check" "$PARTITA_SOURCE_DIR" <<'PYTHON'
import importlib.machinery, importlib.util, io, contextlib, pathlib, sys, tempfile

loader = importlib.machinery.SourceFileLoader("check_layers", sys.argv[1])
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
loader.exec_module(check)

written = io.StringIO()
with contextlib.redirect_stdout(written):
    check.print_table()
document = pathlib.Path(sys.argv[2], "docs/architecture.md").read_text()
assert written.getvalue() in document, "docs/architecture.md: expected the table that tools/check_layers --table prints"

def faults_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        tree = check.Tree(root)
        return [f for name in tree.names for f in check.check_file(tree, name)]

folders = [k.replace("*", "opencl") for k in check.STANDS_ON]
planted = 0
for own in folders:
    for other in folders:
        if own == other:
            continue
        files = {f"{other}/there.hpp": "", f"{own}/here.cpp": f'\n#include "{other}/there.hpp"\n'}
        faults = faults_of(files)
        may = check.key_of(other) in check.below(check.key_of(own))
        assert bool(faults) != may, (own, other, faults)
        if faults:
            assert len(faults) == 1 and faults[0].startswith(f"{own}/here.cpp:2: "), faults
            planted += 1
    # The other way round of whatever is allowed is not: no circles.
    for other in check.below(check.key_of(own)):
        assert check.key_of(own) not in check.below(other), (own, other)

public = "partita/ir/graph.hpp"
graph = {f"ir/include/{public}": "", "ir/core/graph.cpp": ""}
cases = {
    "kernel/ast/x.cpp": public,
    "runtime/exec/x.cpp": public,
    "scalar/x.cpp": public,
    "backend-opencl/device/x.cpp": public,
    "tools/x.cpp": "ir/core/private.hpp",
    "examples/x.cpp": "tests/support/x.hpp",
    "passes/y.cpp": "./x.hpp",
    "backend-cpu/codegen/x.cpp": "backend-opencl/codegen/y.hpp",
    "attic/x.cpp": None,
    "ir/attic/x.cpp": None,
    "ops/attic/x.cpp": None,
    "ops/member/member.cpp": "lowering/context/context.hpp",
    "ops/y.cpp": "ops/member/help.hpp",
}
for name, included in cases.items():
    files = graph | {"ir/core/private.hpp": "", "tests/support/x.hpp": "", "backend-opencl/codegen/y.hpp": ""}
    files |= {"ops/member/member.cpp": "", "ops/member/help.hpp": "", "lowering/context/context.hpp": ""}
    files[name] = f'#include "{included}"\n' if included else ""
    faults = faults_of(files)
    expected = 0 if name.startswith("attic/") else 1  # a folder that is no room of the project is not looked at
    assert len(faults) == expected, (name, faults)
assert not faults_of({"ops/member/member.cpp": '#include "ops/member/help.hpp"\n', "ops/member/help.hpp": ""})
assert not faults_of(graph | {"lowering/ops/x.cpp": f'#include "{public}"\n', "tools/x.cpp": f"#include <{public}>\n"})

# Only a backend's folder names it, or its library; a default of the command line may.
backend = {"backend-mirror/device/x.cpp": ""}
for text in ('"mirror"', "// as mirror has it", "f(CLBlast)", "call_onednn()"):
    for room in check.ROOMS + ("tools/partita",):
        folder = next(k for k in check.STANDS_ON if k.startswith(room)) if room in check.ROOMS else room
        faults = faults_of(backend | {f"{folder}/x.cpp": f"\n{text}\n"})
        assert len(faults) == 1 and faults[0].startswith(f"{folder}/x.cpp:2: names "), (folder, text, faults)
    assert not faults_of({"backend-mirror/device/x.cpp": text, "tests/unit/x.cpp": text})
assert not faults_of(backend | {"runtime/base/x.cpp": "mirrored, Mirror, is_mirror()\n"})
header, line = next(iter(check.MAY_NAME.items()))
assert not faults_of(backend | {header: f'constexpr auto {line} = "mirror";\n', "runtime/artifact/artifact.cpp": ""})
assert faults_of(backend | {header: '"mirror"\n', "runtime/artifact/artifact.cpp": ""})
print(f"{planted} wrong includes planted, all found")
PYTHON
