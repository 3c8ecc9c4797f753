#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 270
#
# With the flags that generated C is given, gcc makes the same of truth values as numbers as without optimisation: in sums and
# extrema of a few of them and side by side, in 832 functions.  With TRUTH_VALUES_FLAGS=-ftree-slp-vectorize beside them, 113
# are wrong (gcc 12.2, x86-64-v2; docs/decisions/0011-promises-of-generated-code.md).
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=tests/e2e/_device.sh
source "$PARTITA_SOURCE_DIR/tests/e2e/_device.sh"
cd "$work"
compiler=${PARTITA_CC:-cc}
command -v "$compiler" >/dev/null || { echo "skipped: no C compiler"; exit 77; }

cat >functions.py <<'TEXT'
import re

types = {"signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4, "long": 8, "unsigned long": 8}
values = {
    "a comparison": "({T})(x != 0)",
    "a comparison of two": "({T})(x < y)",
    "a selection": "({T})(x < y ? 1 : 0)",
    "a selection of others": "({T})(x < y ? 5 : 4)",
    "a selection of bits": "({T})(x < y ? -1 : 0)",
    "a minimum": "({T})(x < ({T})1 ? x : ({T})1)",
    "a clamp": "({{ {T} m = x < ({T})1 ? x : ({T})1; m > ({T})0 ? m : ({T})0; }})",
    "a sign": "({T})((x > 0) - (x < 0))",
    "a negation": "({T})!x",
    "a bit": "({T})(x & 1)",
    "a conjunction": "({T})((_Bool)(x < y) & (_Bool)(x != 0))",
    "a difference": "({{ _Bool b = x != 0, c = y != 0, d = b ^ c; ({T})d; }})",
    "a shift": "({T})(x >> (8 * sizeof x - 1))",
}
folds = {"sum": ("({T})(a + v)", 0), "maximum": ("a > v ? a : v", 0), "minimum": ("a < v ? a : v", 100), "stores": (None, 0)}
kept = '__attribute__((noinline, optimize("O0")))'
print("int printf(const char*, ...); int memcmp(const void*, const void*, unsigned long); void* memset(void*, int, unsigned long);")
calls = []
for T in types:
    for name, value in values.items():
        for count in (4, 8):
            for fold, (step, first) in folds.items():
                k = len(calls)
                terms = [f"const {T} x{at} = p[{at}], y{at} = q[{at}];" for at in range(count)]
                for at in range(count):
                    own = re.sub(r"\b([xymbcd])\b", rf"\g<1>{at}", value.format(T=T))
                    then = f"a = {step.format(T=T)};".replace("v", f"v{at}") if step else f"o[{at}] = ({T})(v{at} * 3);"
                    terms.append(f"const {T} v{at} = {own}; {then}")
                once = f"{T} a = {first}; {' '.join(terms)}" + (" o[0] = a;" if step else "")
                for function, attributes in (("f", "__attribute__((noinline))"), ("g", kept)):
                    print(f"{attributes} void {function}{k}(const {T}* restrict p, const {T}* restrict q, {T}* restrict o, int n) "
                          f"{{ for (int i = 0; i < n; ++i) {{ {once} }} }}")
                calls.append((T, f"{fold} of {count}: {name} of {T}"))
print(f"static long p[8], q[8], o[8], r[8];\n{kept} int main(void) {{ unsigned s = 1; int wrong = 0;")
for k, (T, text) in enumerate(calls):
    print(f"for (int i = 0; i < 4; ++i) {{ {T} *a = ({T}*)p, *b = ({T}*)q; for (int k = 0; k < 8; ++k) {{"
          f" s = s * 1664525u + 1013904223u; a[k] = ({T})((s >> 16) % 5 - (i == 3 ? 2 : 0)); if (i == 1) a[k] = a[k] != 0;"
          f" s = s * 1664525u + 1013904223u; b[k] = ({T})((s >> 16) % 5); }}"
          f" memset(o, 9, sizeof o); memset(r, 9, sizeof r); f{k}(a, b, ({T}*)o, 1); g{k}(a, b, ({T}*)r, 1);"
          f' if (memcmp(o, r, sizeof o)) {{ ++wrong; printf("wrong: {text}\\n"); break; }} }}')
print(f'printf("%d of {len(calls)} functions are wrong\\n", wrong); return wrong != 0; }}')
TEXT
python3 functions.py >functions.c
echo 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }' >program.mlir

for level in x86-64-v2 x86-64-v3 native; do
  [[ $level != x86-64-v3 ]] || grep -q ' avx2 ' /proc/cpuinfo || continue
  quiet "$partita" compile program.mlir -o program.c --target cpu --emit c --cpu "$level"
  flags=$(sed -n 's,^ \* flags:\(.*\) \*/$,\1,p' program.c)
  [[ $flags == *-O3* ]] || failed "$level: no flags in the C text"
  # shellcheck disable=SC2086
  quiet "$compiler" $flags ${TRUTH_VALUES_FLAGS:-} functions.c -o functions
  echo "$level: $(./functions)" || { ./functions; exit 1; }
done
