#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: bundle
# timeout: 400
# processors: 2
#
# A bundle where there is nothing but libc and a shell: without any driver gpu/run says what is missing; NVIDIA's libcuda alone is taken
# for PTX; a driver that no icd file names is found (Intel's for CPUs in NVIDIA's place, where ./dev drivers installed it) and everything
# is checked and measured.
set -euo pipefail
# shellcheck source=tests/bundle/_bundle.sh
source "$(dirname "${BASH_SOURCE[0]}")/_bundle.sh"
command -v patchelf >/dev/null || { echo "patchelf is not installed (./dev deps installs it)"; exit 77; }
can_make_roots || exit 77
make_bundle
make_root

in_root -- -- /partita/bin/partita --version | grep -q '^partita ' || fail "partita does not start in an empty root"
status=0
in_root -- -- /partita/gpu/run --out /tmp/none >"$work/none.txt" 2>&1 || status=$?
[[ $status == 3 ]] || fail "without a driver: expected exit status 3, found $status: $(cat "$work/none.txt")"
for words in 'no driver of OpenCL was found' 'libnvidia-opencl.so.1 is nowhere' 'libcuda.so.1 is nowhere' 'no icd file'; do
  grep '^error: gpu/run: ' "$work/none.txt" | grep -qF "$words" || fail "without a driver: expected '$words', found $(cat "$work/none.txt")"
done
python3 -m json.tool "$root/tmp/none/report.json" >/dev/null || fail "without a driver: report.json is none"

if [[ -d $root/partita/gpu/ptx ]]; then
  mkdir -p "$root/usr/local/nvidia/lib64"
  cc -shared -fPIC -O1 -D_GNU_SOURCE -o "$root/usr/local/nvidia/lib64/libcuda.so.1" "$source_dir/tests/bundle/stand_in_cuda.c" -lm -ldl
  in_root -- -- /partita/gpu/run --only driver --out /tmp/ptx >"$work/ptx.txt" 2>&1 || fail "with libcuda: $(cat "$work/ptx.txt")"
  grep -q '^device: NVIDIA stand-in.*PTX through libcuda, not OpenCL' "$work/ptx.txt" || fail "with libcuda: $(cat "$work/ptx.txt")"
  status=0
  in_root -- -- /partita/gpu/run --only driver --driver opencl --out /tmp/ptx >"$work/ptx.txt" 2>&1 || status=$?
  [[ $status == 3 ]] || fail "--driver opencl with libcuda alone: expected exit status 3, found $status"
  rm -r "${root:?}/usr/local"
fi

drivers=$source_dir/build/drivers
if [[ ! -e $drivers/intel/lib/libintelocl.so ]]; then
  echo "Intel's driver is not installed (./dev drivers installs it): nothing was measured in the empty root"
  exit 77
fi
mkdir -p "$root/usr/local/nvidia/lib64"
ln -s "$drivers/intel/lib/libintelocl.so" "$root/usr/local/nvidia/lib64/libnvidia-opencl.so.1"
in_root PARTITA_OPENCL_CLASS=gpu LD_LIBRARY_PATH="$drivers/intel/lib" -- "$drivers" -- /partita/gpu/run --quick --minutes 4 --out /tmp/all \
  >"$work/all.txt" 2>&1 || fail "with a driver: exit status $?: $(cat "$work/all.txt" "$root/tmp/all/report.md")"
python3 - "$root/tmp/all" <<'PYTHON'
import json, pathlib, sys
report = pathlib.Path(sys.argv[1])
found = json.loads((report / "report.json").read_text())
assert found["way"] == "opencl" and found["conformance"]["failed"] == 0 and found["conformance"]["passed"] > 10, found["conformance"]
for stage, least in (("products", 3), ("rows", 7), ("attention", 6)):
    assert len(found[stage]) >= least and all(p["is_right"] for p in found[stage]), (stage, found[stage])
text = (report / "report.md").read_text()
assert "python3: not found" in text and "/usr/local/nvidia/lib64/libnvidia-opencl.so.1" in text, text
PYTHON
