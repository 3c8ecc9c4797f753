#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: bundle
# timeout: 400
# processors: 2
#
# A bundle holds every library that it needs, within its size, and the same bytes each time; gpu/run in it checks and measures on PoCL.
set -euo pipefail
# shellcheck source=tests/bundle/_bundle.sh
source "$(dirname "${BASH_SOURCE[0]}")/_bundle.sh"
command -v patchelf >/dev/null || { echo "patchelf is not installed (./dev deps installs it)"; exit 77; }
"$PARTITA_BIN_DIR/partita" devices >"$work/devices"
grep -q '^opencl: ' "$work/devices" || { echo "no OpenCL device"; exit 77; }
make_bundle

# Libraries: in the bundle, or libc's; none asks for oneDNN or OpenBLAS, and that of ranks alone for the machine's MPI.
for file in "$bundle"/bin/partita "$bundle"/lib/*; do
  [[ $file != */libpartita_mpi.so ]] || continue
  ldd "$file" >"$work/ldd" 2>/dev/null || continue
  while read -r name _ path _; do
    case $name in
      linux-vdso* | /lib64/ld-linux* | libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | statically) ;;
      libdnnl* | libopenblas* | libmpi*) fail "$file needs $name" ;;
      *) [[ $path == "$bundle"/* ]] || fail "$file takes $name from $path" ;;
    esac
  done <"$work/ldd"
done
(($(stat -c %s "$work/made/partita-nvidia-sm_90.tar.gz") < 40 << 20)) || fail "expected at most 40 MiB"
first=$(sha256sum <"$work/made/partita-nvidia-sm_90.tar.gz")

# All of it without this machine's environment; --only takes several stages, and files are few.
env -i PATH=/usr/bin:/bin HOME="$HOME" PARTITA_OPENCL_CLASS=gpu "$bundle/gpu/run" --quick --minutes 4 --only conformance,products,tune --out "$work/report" ||
  fail "gpu/run: exit status $?: $(cat "$work/report/report.md")"
(($(find "$work/report" -type f | wc -l) <= 8)) || fail "expected at most 8 files: $(ls "$work/report")"
python3 - "$work/report" "$bundle" <<'PYTHON'
import json, pathlib, sys, xml.dom.minidom
report, bundle = map(pathlib.Path, sys.argv[1:])
all_of_it = json.loads((report / "report.json").read_text())
programs = len(list((bundle / "gpu/corpus").glob("*.mlir")))
assert all_of_it["conformance"]["failed"] == 0 and all_of_it["conformance"]["passed"] >= programs, all_of_it["conformance"]
assert all_of_it["way"] == "opencl" and "rows" not in all_of_it, list(all_of_it)
assert all(p["is_right"] and p["queued_s"] > 0 for p in all_of_it["products"]) and len(all_of_it["products"]) >= 3, all_of_it["products"]
xml.dom.minidom.parse(str(report / "products.svg"))
assert "## conformance" in (report / "report.md").read_text()
assert json.loads((report / "tuning.json").read_text())["contractions"]
PYTHON

# A wrong result is said and is exit status 1; a wrong option is exit status 2.
cp "$bundle/gpu/programs/products/dot_f16_128.pta" "$bundle/gpu/programs/products/dot_bf16_128.pta"
sed -i 's/bf16/f16/g' "$bundle/gpu/programs/products/dot_bf16_128.mlir"
status=0
env -i PATH=/usr/bin:/bin PARTITA_OPENCL_CLASS=gpu "$bundle/gpu/run" --quick --only products --out "$work/wrong" >"$work/wrong.txt" 2>&1 || status=$?
[[ $status == 1 && $(cat "$work/wrong/report.md") == *'| WRONG |'* ]] || fail "expected exit status 1 and WRONG, found $status: $(cat "$work/wrong/report.md")"
for wrong in '--only nothing' '--minutes none' '--driver cuda' '--what'; do
  status=0
  # shellcheck disable=SC2086  # words
  "$bundle/gpu/run" $wrong >"$work/wrong.txt" 2>&1 || status=$?
  [[ $status == 2 && $(cat "$work/wrong.txt") == *'error: gpu/run: '* ]] || fail "gpu/run $wrong: expected exit status 2, found $status"
done

# Without gpu/run; and a device that nobody knows, which leaves nothing behind.
python3 "$source_dir/gpu/make_bundle.py" --plain --xz --out "$work/plain" --partita "$PARTITA_BIN_DIR/partita" >"$work/made.txt"
[[ $(ls "$work/plain/partita-plain") == $'LICENSE\nREADME\nbin\nbundle.json\nlib' ]] || fail "--plain: found $(ls "$work/plain/partita-plain")"
rm -r "$work/plain/partita-plain"
tar -C "$work/plain" -xf "$work/plain/partita-plain.tar.xz"
env -i "$work/plain/partita-plain/bin/partita" --version >/dev/null || fail "--plain: partita does not start"
status=0
python3 "$source_dir/gpu/make_bundle.py" --small --device nonsense --out "$work/plain" --partita "$PARTITA_BIN_DIR/partita" 2>"$work/made.txt" || status=$?
[[ $status == 1 && $(wc -l <"$work/made.txt") == 1 && $(cat "$work/made.txt") == 'error: bundle: '*nonsense* ]] || fail "expected one line of an error: $(cat "$work/made.txt")"
[[ -z $(find "$work/plain" -name '*nonsense*') ]] || fail "a failed bundle has left $(ls "$work/plain")"

make_bundle
[[ $(sha256sum <"$work/made/partita-nvidia-sm_90.tar.gz") == "$first" ]] || fail "expected the same bytes a second time"
