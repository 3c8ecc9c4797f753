# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# The communicator tests on 1, 4 and 9 ranks (ctest runs 2 and 3 itself), and rounds in a program that
# has initialised MPI itself with each thread level.
# timeout: 450
. "${PARTITA_SOURCE_DIR:?is not set}/tests/mpi/_collective.sh" || exit 1

for ranks in 1 4 9; do
  on_ranks $ranks 'Collective*:Job*' || fail "$ranks ranks"
  on_ranks $ranks PARTITA_TEST_STORE="$work/store_$ranks" 'Job.*' || fail "$ranks processes over TCP"
done
for level in 0 1 2 3; do
  on_ranks 3 PARTITA_TEST_MPI_LEVEL=$level CollectiveMpiRounds.Run || fail "MPI thread level $level"
done
on_ranks 2 PARTITA_TEST_SHARDS=2 PARTITA_TEST_MPI_LEVEL=2 CollectiveMpiRounds.Run || fail "two shards per rank"
processes_left && fail "processes are left"
echo "passed"
