# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Helpers of the scripts that run the communicator tests under mpirun.  A link of its own name to the
# test executable tells this run's processes from others.

set -u
: "${PARTITA_BIN_DIR:?is not set}" "${PARTITA_SOURCE_DIR:?is not set}"
[ -x "$PARTITA_BIN_DIR/test_mpi" ] || { echo "no $PARTITA_BIN_DIR/test_mpi" >&2; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=$work/collective_rank_$$
ln -s "$PARTITA_BIN_DIR/test_mpi" "$program"

fail() {
  echo "FAILED: $*" >&2
  [ -f "$work/log" ] && cat "$work/log" >&2
  exit 1
}

# on_ranks N [VARIABLE=value…] FILTER: status of the run; its output is in $work/log.
on_ranks() {
  local ranks=$1 filter=${!#}
  set -- "${@:2:$#-2}"
  env "$@" timeout --kill-after=5 120 mpirun --oversubscribe --bind-to none -n "$ranks" \
    "$program" --gtest_brief=1 --gtest_filter="$filter" >"$work/log" 2>&1
}

processes_left() { pgrep -f "^${program:?}" >/dev/null; }

# pid_of_rank R: the process that wrote its id into $work/pids, if it is still this run's program.
pid_of_rank() {
  local pid
  pid=$(cat "${work:?}/pids/$1" 2>/dev/null) || return 1
  [[ $pid =~ ^[0-9]+$ ]] || return 1
  [ "$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | head -n 1)" = "${program:?}" ] || return 1
  echo "$pid"
}

# expect_failure SECONDS TEXT: the run that has just ended with $status after $elapsed seconds failed
# in time, left no process, and TEXT (a regular expression; empty: any) is in an error line of a rank.
expect_failure() {
  [ "$status" -ne 0 ] || fail "$case: expected a failing run"
  [ "$status" -ne 124 ] && [ "$status" -ne 137 -o "$elapsed" -lt 60 ] || fail "$case: hangs"
  [ "$elapsed" -le "$1" ] || fail "$case: took $elapsed s, expected at most $1"
  [ -z "$2" ] || grep -Eq "^error: rank [0-9]+: $2" "$work/log" || fail "$case: expected '$2'"
  for _ in 1 2 3 4 5; do
    processes_left || return 0
    sleep 0.5
  done
  fail "$case: processes are left"
}
