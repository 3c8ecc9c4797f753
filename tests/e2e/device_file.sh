#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# `partita devices -o` describes a device in a file, and `compile --device FILE` compiles for it, present or not; bad files
# are one line.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"


cat >p.mlir <<'MLIR'
func.func @main(%x: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.sine %x : tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
MLIR
sed 's/f32/f64/g' p.mlir >wide.mlir
# A device that no test machine has.
cat >far.json <<'JSON'
{
  "format": "partita device",
  "version": 1,
  "device": {
    "backend": "opencl", "name": "pthread-haswell-far away", "vendor": "v", "driver": "7", "platform": "p",
    "compute_units": 4, "global_bytes": 1000000, "max_allocation_bytes": 500000, "local_bytes": 1000,
    "max_work_group": 256, "fp64": false, "fp16": false, "subgroups": false, "is_cpu": true
  }
}
JSON

quiet env OCL_ICD_VENDORS=/nowhere "$partita" compile p.mlir -o far.pta --target opencl --device far.json
grep -q '^tuning built-in ' log || failed "expected the tuning file that covers the device"
mkdir -p elsewhere
tr -d '\n ' <far.json | sed 's/partitadevice/partita device/; s/pthread-haswell-faraway/pthread-haswell-far away/' >elsewhere/same.json
quiet "$partita" compile p.mlir -o same.pta --target opencl --device elsewhere/same.json
cmp far.pta same.pta || failed "expected the same artifact from the same device"
quiet "$partita" inspect far.pta
grep -q 'target_info = pthread-haswell-far away (device file, driver 7, hash [0-9a-f]*): multicore, 4 units; ' log ||
  failed "expected what is known of the device, and its hash, in the manifest"

# What the file states beside what the driver says decides.
sed 's/^}/, "target": {"preferred_group": 32, "vector_bytes": 32, "launch_seconds": 1e-5, "flops": {"f64": 5e9}}}/' far.json >stated.json
quiet "$partita" compile p.mlir -o stated.pta --target opencl --device stated.json
quiet "$partita" inspect stated.pta
for words in 'vectors of 32 bytes' 'groups of 32 (at most 256)' 'launch 10 us' 'f32 150 GFLOP/s' 'local 1000'; do
  grep -qF "$words" log || failed "expected '$words'"
done

if has_device; then
  quiet "$partita" devices -o here.json
  quiet "$partita" compile p.mlir -o here.pta --target opencl --device here.json
  quiet "$partita" run here.pta --inputs random:3
fi

compile() { # compile WORDS OPTION...
  local words=$1
  shift
  refused 2 "$words" "$partita" compile p.mlir -o "$out/p.pta" "$@"
}
bad() { # bad WORDS SED
  sed "$2" far.json >bad.json
  compile "bad.json|$1" --target opencl --device bad.json
}
refused 2 "--device: expected a device with fp64|far away" "$partita" compile wide.mlir -o "$out/p.pta" --target opencl --device far.json
bad "found version 2 (a newer partita wrote it)" 's/"version": 1/"version": 2/'
bad "found format 'partita tuning'" 's/partita device/partita tuning/'
bad "expected a field 'driver', found none" 's/"driver"/"diver"/'
bad "expected global_bytes, found an unknown field 'global_byte'" 's/"vendor"/"global_byte": 1, "vendor"/'
bad "expected target, found an unknown field 'targets'" 's/^}/, "targets": {}}/'
stated() { # stated WORDS MEMBER
  bad "$1" "s/^}/, \"target\": {$2}}/"
}
stated "target: expected vector_bytes, found an unknown field 'vector_byte'" '"vector_byte": 32'
stated "target.flops: expected one of f16, bf16, f32, f64, found an unknown field 'tensor'" '"flops": {"tensor": 1}'
stated "target.vector_bytes: expected 0, 16, 32 or 64, found 48" '"vector_bytes": 48'
stated "target.preferred_group: expected a number from 1 to 256, found 512" '"preferred_group": 512'
stated "target.launch_seconds|expected a number" '"launch_seconds": true'
stated "target|expected an object" '"flops": 3'
bad "compute_units|expected an integer" 's/"compute_units": 4/"compute_units": "4"/'
bad "device.compute_units: expected at least 1, found 0" 's/"compute_units": 4/"compute_units": 0/'
bad "device.name: expected a name" 's/pthread-haswell-far away//'
bad "expected JSON" '/^}/d'
echo '{"a": 1}' >bad.json
compile "bad.json|another JSON document" --target opencl --device bad.json
: >bad.json
compile "bad.json|expected JSON" --target opencl --device bad.json
compile "p.mlir|expected JSON" --target opencl --device p.mlir
compile "nowhere.json|expected a readable file" --target opencl --device nowhere.json
# Names: built in, of a built-in file's kind, of this machine; no other.
quiet "$partita" compile p.mlir -o named.pta --target opencl --device pocl-avx512
quiet "$partita" compile p.mlir -o named.pta --target opencl --device pthread-haswell-abacus
grep -q '^tuning built-in pocl-avx2' log || failed "expected the tuning file that covers the name"
compile "--device: expected pocl-avx2, pocl-avx512 or another known device|found 'pocl-avx3'" --target opencl --device pocl-avx3
compile "--device: expected pthread-haswell-…|found 'pthread-haswel-X'" --target opencl --device pthread-haswel-X
compile "--device: expected generic or another|found 'Generic'" --target opencl --device Generic
compile "--device: expected generic, local, amd-gfx1100, amd-gfx90a, gpu, intel-xe, nvidia-sm_80, nvidia-sm_86, nvidia-sm_90, pocl-avx2, pocl-avx512, a name|found 'abacus'" --target opencl --device abacus
compile "--device: expected generic, local, |found ''" --target opencl --device ""
compile "--device: expected generic, local, |found 'elsewhere'" --target opencl --device elsewhere
"$partita" devices >devices.txt
if has_device; then
  name=$(sed -n '0,/^opencl: /s/^opencl: \(.*\) (.*)$/\1/p' devices.txt)
  quiet "$partita" compile p.mlir -o named.pta --target opencl --device "$name"
fi
refused 2 "--target: expected device 0 of one of|found device 0 of abacus" "$partita" devices -o "$out/d.json" --target abacus
refused 2 "nowhere" "$partita" devices -o nowhere/d.json --target cpu

# Of target cpu the file says what "native" means.
if grep -q '^cpu: ' devices.txt; then
  name=$(sed -n 's/^cpu: \(.*\) (.*)$/\1/p' devices.txt)
  quiet "$partita" compile p.mlir -o named.pta --target cpu --device "$name"
  quiet "$partita" compile p.mlir -o local.pta --target cpu --device local
  cmp named.pta local.pta || failed "expected local to stand for the device's name"
  compile "--device: expected generic, local, a name|found 'pocl-avx2'" --target cpu --device pocl-avx2
  compile "expected a device of target cpu, found one of opencl" --target cpu --device far.json
  quiet "$partita" devices -o cpu.json --target cpu
  quiet "$partita" compile p.mlir -o native.pta --target cpu
  quiet "$partita" compile p.mlir -o cpu.pta --target cpu --device cpu.json
  quiet "$partita" run cpu.pta --inputs random:3
  sed 's/"driver": "[^"]*"/"driver": "abacus"/' cpu.json >bad.json
  compile "bad.json|device.driver: expected an instruction set|found 'abacus'" --target cpu --device bad.json
  if [[ $(uname -m) == x86_64 ]] && command -v cc >/dev/null; then
    sed 's/"driver": "[^"]*"/"driver": "x86-64-v2"/' cpu.json >old.json
    quiet "$partita" compile p.mlir -o old.pta --target cpu --tier 1 --device old.json
    python3 -c 'import zipfile; assert "cpu/module_x86-64-v2.so" in zipfile.ZipFile("old.pta").namelist()' || failed "expected code for x86-64-v2"
    quiet "$partita" compile p.mlir -o both.pta --target cpu --tier 1 --device old.json --cpu native,x86-64-v3
    python3 -c 'import zipfile; assert "cpu/module_x86-64-v3.so" in zipfile.ZipFile("both.pta").namelist()' || failed "expected code for x86-64-v3"
  fi
fi
finish_refusals
