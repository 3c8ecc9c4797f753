#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 1500
# processors: 2
#
# The recipes of CONTRIBUTING.md, followed: a copy of the sources gets an elementwise row, four element types, an op in a
# folder, a pass over graphs, a fusion, a backend, and a device. Each works, with its tests and in the documents, and nothing
# else was edited.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$PARTITA_SOURCE_DIR"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents -t "$work"
else
  tar c --exclude=./build . | tar x -C "$work"
fi
cd "$work"
cp -r . "$work.before"
trap 'rm -rf "$work" "$work.before"' EXIT

# What each recipe adds lies beside this script, in folders as the sources have them.
cp -r "$here/new/." .
# A backend that is OpenCL's under another name: what it takes is its folder and a name in the list.
cp -r backend-opencl backend-mirror
grep -rlI . backend-mirror | xargs sed -i -e '/<CL\//!s/opencl/mirror/g; s/Opencl/Mirror/g'
for file in backend-mirror/*/*opencl*; do mv "$file" "${file//opencl/mirror}"; done
# What it says of itself is not OpenCL's: a name for --gemm, how inspect shows a call of the library, an option.
sed -i -e 's/\.library_names = {"clblast"}/.options = {{.name = "shine", .doc = "How much", .initial = "a lot"}}, .library_names = {"mirrorblas"}/' \
  backend-mirror/codegen/mirror_target.cpp
sed -i -e 's/CLBlast GEMM/Mirror GEMM/; s/"CLBlast"/"MirrorBLAS"/' backend-mirror/format/format.cpp
python3 - <<'PY'
def edit(path, before, after):
    text = open(path).read()
    assert text.count(before) == 1, (path, before)
    open(path, "w").write(text.replace(before, after))

edit("scalar/elementwise.def", "PARTITA_ROW(sqrt,", '''PARTITA_ROW(softsign, "chlo.softsign", unary,
   ON(floating, x / (K(1) + fabs(x))),
   GRAD(g / square(K(1) + abs(x))),
   range(-3, 3), 3, 4, "x over 1 plus its absolute value.")

PARTITA_ROW(sqrt,''')
dtypes = "runtime/include/partita/base/dtype.def"
row = "PARTITA_DTYPE(f16, "
edit(dtypes, row,
     'PARTITA_DTYPE(f8e2m5, "f8E2M5", std::uint8_t, float, ieee(2, 5), ml_dtypes("V1"), F8E2M5, 29)\n'
     'PARTITA_DTYPE(f8e3m4fn, "f8E3M4FN", std::uint8_t, float, finite(3, 4), ml_dtypes("V1"), F8E3M4FN, 30)\n' + row)
for sign, number in ("i", 31), ("ui", 32):
    row = f"PARTITA_DTYPE({sign}4, "
    edit(dtypes, row,
         f'PARTITA_DTYPE({sign}3, "{sign}3", std::{sign.removesuffix("i")}int8_t, std::{sign.removesuffix("i")}int8_t, '
         f'integer(3), ml_dtypes("V1"), {sign.upper()}3, {number})\n' + row)
edit("driver/pipelines.cpp", '"inline name-mesh', '"inline drop-double-negations name-mesh')
edit("driver/pipelines.cpp", 'cat(" fuse-launches"', 'cat(" join-copies fuse-launches"')
edit("backend-opencl/codegen/opencl_profiles.cpp", '    {"gpu", set_gpu', """    {"abacus", [](TargetInfo& t) { t.preferred_group = 32; }},
    {"gpu", set_gpu""")
edit("CMakeLists.txt", "set(PARTITA_BACKENDS opencl cpu)", "set(PARTITA_BACKENDS opencl cpu mirror)")
PY

# Unoptimised: nothing here is about speed, and clang, where it is there, compiles so in less than half of g++'s time.
options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DPARTITA_PRECOMPILE=ON)
if command -v clang++-16 >/dev/null; then
  options+=(-DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16)
fi
cmake -G Ninja -S . -B build "${options[@]}" >configure.log || { cat configure.log; exit 1; }
cmake --build build --target partita test_ops test_passes test_codegen >build.log || { tail -n 40 build.log; exit 1; }
partita=build/bin/partita
has_device=1
"$PARTITA_BIN_DIR/partita" devices | grep -q '^opencl: .*(' || has_device=0
target=all
((has_device)) || target=interpreter

echo "== a row and an op in a folder: text, interpreter, every target"
"$partita" check --target "$target" new_ops.mlir
"$partita" opt new_ops.mlir | grep -q 'chlo.softsign'
PARTITA_UPDATE_DOCS=1 build/bin/test_ops --gtest_brief=1 --gtest_filter='Elementwise*:SpecialRows.*:OpsDocument.*:*rotate*:Derivatives*'
PARTITA_UPDATE_DOCS=1 build/bin/test_codegen --gtest_brief=1 --gtest_filter='SupportDocument.*'
grep -F '| softsign | chlo.softsign | T(T) | f4–f8, f16 bf16, f32 f64 | `g / square(K(1) + abs(x))` |' docs/ops.md
grep -F 'mr.rotate' docs/ops.md | head -n 1
grep -F '| chlo.softsign |' docs/support.md

echo "== two floats: text, files, every target, exactly"
for type in "f8E2M5 2 5 ieee V1" "f8E3M4FN 3 4 finite V1"; do
  name=${type%% *}
  # shellcheck disable=SC2086 # the words of a type
  python3 "$here/small_float_program.py" $type "$name"
  "$partita" check --target "$target" --rtol 0 --atol 0 "$name.mlir"
  "$partita" check --target "$target" --rtol 0 --atol 0 --shards 2 "$name.mlir"
  "$partita" opt "$name.mlir" >"$name.printed.mlir"
  "$partita" opt "$name.printed.mlir" | diff - "$name.printed.mlir"
  grep -qF "tensor<$name>" "$name.printed.mlir"
  "$partita" compile "$name.mlir" -o "$name.pta" --target cpu --tier 0
  "$partita" run "$name.pta" --inputs "$name.npz" --outputs "$name.found.npz"
  python3 tests/support/compare_npz.py --rtol 0 --atol 0 "$name.found.npz" "$name.f32.npz"
  "$partita" compile "$name.mlir" -o "$name.c" --target cpu --emit c
  grep -F "bits of $name" "$name.h" | head -n 1
  grep -F "$name" docs/support.md | head -n 1
done
echo "== two integers: text, every target"
"$partita" check --target "$target" new_integers.mlir
"$partita" opt new_integers.mlir | grep -q 'tensor<8xui3>'
# Every row, conversion and constant, as C and on the device.
build/bin/test_codegen --gtest_brief=1 --gtest_filter='ScalarTextRuns.*'
echo '_Static_assert(PARTITA_F8E2M5 == 29 && PARTITA_UI3 == 32 && PARTITA_COMPLEX128 == 15, "numbers");' |
  "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -Iruntime/include -include partita.h -x c -fsyntax-only -

echo "== a pass over graphs and a fusion: text cases, pipelines, dumps"
PARTITA_UPDATE_DOCS=1 build/bin/test_passes --gtest_brief=1 \
  --gtest_filter='drop_double_negations.*:join_copies.*:PassCases.*:DraftCases.*:PassesDocument.*'
grep -F '| drop-double-negations |' docs/passes.md
grep -F '| join-copies |' docs/passes.md
"$partita" compile new_ops.mlir -o new.pta --target cpu --tier 0 --function softsign_f32_of --dump-after join-copies --dump-dir dumps
ls dumps/*-join-copies.draft
! "$partita" opt new_ops.mlir --passes join-copies 2>error.txt
grep -F 'expected a draft (after lower), found a module' error.txt

echo "== a device"
"$partita" compile new_ops.mlir -o abacus.pta --target opencl --device abacus --function softsign_f32_of
"$partita" inspect abacus.pta | grep -F 'target_info = abacus (built in): '
"$partita" inspect abacus.pta | grep -F 'groups of 32 '

echo "== a backend"
if ((has_device)); then
  "$partita" devices | grep '^mirror: '
  "$partita" check --target mirror tests/e2e/programs/contraction_forms.mlir tests/e2e/programs/windows.mlir
  "$partita" compile new_ops.mlir -o mirror.pta --target mirror --function softsign_f32_of
  "$partita" run mirror.pta --inputs random:1 --outputs mirror.npz
  "$partita" compile new_ops.mlir -o cpu.pta --target cpu --tier 0 --function softsign_f32_of
  "$partita" run cpu.pta --inputs random:1 --outputs cpu.npz
  python3 tests/support/compare_npz.py mirror.npz cpu.npz
fi
# The tools know of it what it declares.
compile_mirror() { "$partita" compile new_ops.mlir -o x.pta --function softsign_f32_of --target mirror "$@"; }
"$partita" compile --help | grep -F -- '--shine'
"$partita" compile --help | grep -F 'Code generator: opencl, cpu, mirror'
"$partita" compile --help | grep -F 'on target mirror also: mirrorblas'
compile_mirror --shine less --gemm mirrorblas
! compile_mirror --gemm mirorblas 2>error.txt
grep -F 'expected auto, library (or clblast, mirrorblas) or generated' error.txt
unzip -l x.pta | grep -F kernels/kernels.cl
! "$partita" opt new_ops.mlir --pipeline nothing 2>error.txt
grep -F schedule-mirror error.txt
OCL_ICD_VENDORS=/nonexistent "$partita" devices | grep -F 'mirror: none (install'
{ OCL_ICD_VENDORS=/nonexistent "$partita" doctor || true; } 2>&1 | tee doctor.txt | grep -F 'MirrorBLAS (mirror)'
grep -F 'found 6 failed checks' doctor.txt
! "$partita" tune --target cpu -o x.json 2>error.txt
grep -F 'expected opencl or mirror, found cpu' error.txt
if ((has_device)); then
  "$partita" doctor | grep -c 'a kernel was built and gave the right result' | grep -x 2
  product='func.func @main(%a: tensor<48x48xf32>, %b: tensor<48x48xf32>) -> tensor<48x48xf32> {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
    return %c : tensor<48x48xf32> }'
  echo "$product" >product.mlir
  "$partita" compile product.mlir -o product.pta --target mirror --gemm mirrorblas
  "$partita" inspect product.pta | grep -F 'Mirror GEMM f32 48x48x48'
  "$partita" tune --target mirror --quick --shapes 48x48x48 -o tuned.json
  "$partita" compile product.mlir -o product.pta --target mirror --tuning tuned.json
  "$partita" inspect product.pta | grep -F 'nearest measured f32 nn 48x48x48'
  ! "$partita" compile product.mlir -o x.pta --target opencl --tuning tuned.json 2>error.txt
  grep -F 'expected a file for target opencl, found one for mirror' error.txt
  "$partita" devices -o device.json --target mirror
  "$partita" compile product.mlir -o product.pta --target mirror --device device.json
fi
! "$partita" compile new_ops.mlir -o x.pta --target mirrored 2>error.txt
grep -F 'built in: opencl, cpu, mirror' error.txt

echo "== what was edited beside new files"
tools/check_layers .
(cd "$work.before" && find . -type f) | while read -r file; do
  cmp -s "$work.before/$file" "$file" || echo "$file"
done | sort >edited.txt
diff edited.txt - <<'EDITED'
./CMakeLists.txt
./backend-opencl/codegen/opencl_profiles.cpp
./docs/ops.md
./docs/passes.md
./docs/support.md
./driver/pipelines.cpp
./runtime/include/partita/base/dtype.def
./scalar/elementwise.def
EDITED
