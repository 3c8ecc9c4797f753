#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: device
# timeout: 120
#
# The device tests under oclgrind: no invalid access, no race, no use of what nothing has written (in kernels that are not
# optimised, as uninitialized.sh says), and no dependence on PoCL. The library's products are left out, their kernels are
# not ours; and so are the tests with two devices at work: oclgrind counts the work-groups that it hands out in one global,
# so that two kernels at once take each other's. It also keeps what it knows of memory for each thread, and ends where another one
# than the first runs a kernel, as streams do: CApiFunctions is left out too.
set -euo pipefail
command -v oclgrind >/dev/null || { echo "oclgrind is not installed"; exit 77; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# findings_with OPTIONS...
findings_with() {
  local status=0
  oclgrind --log "$log" "$@" "$PARTITA_BIN_DIR/test_device" --gtest_brief=1 \
    --gtest_filter='DeviceBuffers.*:DeviceLaunches.*:DeviceOpening.*:DeviceProgramCache.*:DeviceGemm.without_an_inner*:CApi.*-CApi.uses_several_devices*:CApi.runs_programs_for_a_mesh' ||
    status=$?
  # 77: oclgrind's device is no CPU that could be split.
  [[ $status == 0 || $status == 77 ]] || exit 1
  [[ ! -s $log ]] || { cat "$log"; exit 1; }
}
findings_with --data-races
OCLGRIND_NUM_THREADS=1 findings_with --uninitialized --build-options -cl-opt-disable
