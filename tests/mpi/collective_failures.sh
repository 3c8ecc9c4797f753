# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Ranks that are killed, stopped or fail, between and amid transfers: the job ends non-zero in time,
# no process is left, and a surviving rank names the step and the rank it waited for.
# timeout: 300
# processors: 2
. "${PARTITA_SOURCE_DIR:?is not set}/tests/mpi/_collective.sh" || exit 1

# Seconds: the communicators' timeout, 10 for the end of the job, and some for its start.
limit=16
tests=CollectiveMpiRounds
common=(PARTITA_TEST_TIMEOUT=2000 PARTITA_TEST_ROUNDS=4000)

# expect RANKS SHARDS FAULT TEXT [VARIABLE=value…]
expect() {
  case="${3:-no fault} of $tests on $1 ranks of $2 shards ${*:5}"
  local start=$SECONDS
  on_ranks "$1" "${common[@]}" PARTITA_TEST_SHARDS="$2" PARTITA_FAULT="$3" "${@:5}" "$tests.Run"
  status=$?
  elapsed=$((SECONDS - start))
  expect_failure $limit "$4"
}
expect 2 1 kill@rank:1,call:10 "step 'round 10': waited for rank 1, whose process"
expect 4 2 kill@rank:2,call:11,amid:1 "step 'round [0-9]+': waited for rank 2, whose process"
expect 3 1 kill@rank:0,call:0 "step 'round 0': waited for rank 0, whose process"
expect 3 1 stop@rank:1,call:10 "step 'round 1[01]': waited for rank 1, silent for 2"
expect 2 2 stop@rank:0,call:11,amid:1 "step 'round 1[12]': waited for rank 0, silent for 2"
expect 3 2 fail@shard:5,call:10 "step 'round 10': shard 5 \(rank 2\) failed: injected failure"
expect 2 1 fail@rank:1,call:11,amid:1 "step 'round 11': rank 1 failed: injected failure"
expect 3 1 fail@rank:0,call:9 "step 'round 9': rank 0 failed: injected failure"
# A host program that has initialised MPI keeps its own SIGTERM: the launcher may end the survivors
# before they can say why.
expect 3 1 kill@rank:1,call:11,amid:1 "" PARTITA_TEST_MPI_LEVEL=1
expect 3 1 kill@rank:1,call:11,amid:1 "" PARTITA_TEST_MPI_LEVEL=2
expect 3 1 stop@rank:1,call:10 "step 'round 1[01]': waited for rank 1, silent for 2" PARTITA_TEST_MPI_LEVEL=2

# Of a job, on its devices in another order.
tests=JobRounds
expect 2 2 kill@rank:1,call:10 "step 'round 10': waited for rank 1, whose process"
expect 3 2 kill@rank:2,call:11,amid:1 "step 'round [0-9]+': waited for rank 2, whose process"
expect 3 2 fail@rank:1,call:9 "step 'round 9': shard [0-9] \\(rank 1\\) failed: injected failure"
expect 2 2 "" "step 'round 10': waited for rank 0, which left the job" PARTITA_TEST_LEAVES=1
expect 3 2 "" "step 'round 10': waited for rank 0, which left the job" PARTITA_TEST_LEAVES=1
# The same over TCP, which notices the end of a connection before that of a process.
gone="waited for rank 1, whose process (or host is gone|\\([0-9]+\\) has ended)"
expect 2 2 kill@rank:1,call:10 "step 'round 10': $gone" PARTITA_TEST_STORE="$work/store_1"
expect 3 2 kill@rank:1,call:11,amid:1 "step 'round [0-9]+': $gone" PARTITA_TEST_STORE="$work/store_2"
expect 3 2 fail@rank:1,call:9 "step 'round 9': shard [0-9] \\(rank 1\\) failed: injected failure" PARTITA_TEST_STORE="$work/store_3"
expect 3 2 "" "step 'round 10': waited for rank 0, which left the job" PARTITA_TEST_LEAVES=1 PARTITA_TEST_STORE="$work/store_4"

# expect_from_outside SIGNAL TEXT: the signal hits rank 1 of 3 while rounds are running.
expect_from_outside() {
  case="signal $1 from outside"
  local start=$SECONDS victim=""
  mkdir -p "$work/pids"
  rm -f "$work"/pids/*
  on_ranks 3 "${common[@]}" PARTITA_TEST_ROUNDS=1000000 PARTITA_TEST_PIDS="$work/pids" CollectiveMpiRounds.Run &
  local job=$!
  for _ in $(seq 100); do
    sleep 0.1
    victim=$(pid_of_rank 1) && break
  done
  [ -n "$victim" ] || fail "$case: rank 1 has not started"
  sleep 1
  victim=$(pid_of_rank 1) || fail "$case: rank 1 has ended by itself"
  kill -"$1" "$victim"
  wait $job
  status=$?
  elapsed=$((SECONDS - start))
  expect_failure $limit "$2"
}
expect_from_outside KILL "step 'round [0-9]+': waited for rank 1, whose process"
expect_from_outside STOP "step 'round [0-9]+': waited for rank 1, silent for 2"

# An end that all ranks are asked for (as the launcher does when one has died) ends them.
expect_from_outside TERM "step 'round [0-9]+': .*(SIGTERM|has ended)"
echo "passed"
