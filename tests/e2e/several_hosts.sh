#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 200
# processors: 2
#
# A job over TCP between hosts: network namespaces on one bridge, in each of which mpirun's agent starts a daemon. What ranks of
# one host give comes out, from placements and from meshes; a rank that is killed on another host ends the job.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py

# Namespaces of this run alone, with addresses that nothing else here uses.
tag=pt$$ net=10.$((200 + $$ / 250 % 50)).$(($$ % 250)) hosts=3
clean_up() {
  for ((h = 1; h <= hosts; ++h)); do ip netns del "$tag-$h" 2>/dev/null || true; done
  ip netns del "$tag-0" 2>/dev/null || true
  rm -rf "$work"
}
can_make_hosts() {
  command -v ip >/dev/null || { echo "ip is not installed (Debian: iproute2)"; return 1; }
  ip netns add "$tag-0" 2>"$work/why" || { echo "no network namespaces: $(cat "$work/why")"; return 1; }
  ip -n "$tag-0" link add br0 type bridge 2>"$work/why" || { echo "no bridge: $(cat "$work/why")"; return 1; }
  ip -n "$tag-0" link add t0 type veth peer name t1 2>"$work/why" || { echo "no pairs of interfaces: $(cat "$work/why")"; return 1; }
  ip netns exec "$tag-0" true 2>"$work/why" || { echo "nothing can be run in a namespace: $(cat "$work/why")"; return 1; }
  unshare --uts true 2>"$work/why" || { echo "no names of hosts: $(cat "$work/why")"; return 1; }
}
trap clean_up EXIT
can_make_hosts || exit 77
ip -n "$tag-0" link set br0 up
for ((h = 1; h <= hosts; ++h)); do
  ip netns add "$tag-$h"
  ip -n "$tag-$h" link set lo up
  ip -n "$tag-0" link add "v$h" type veth peer name eth0 netns "$tag-$h"
  ip -n "$tag-0" link set "v$h" master br0 up
  ip -n "$tag-$h" addr add "$net.$h/24" dev eth0
  ip -n "$tag-$h" link set eth0 up
done

# What mpirun starts a daemon with: HOST and a command line.
cat >agent <<END
#!/bin/sh
host=\$1
shift
exec ip netns exec "$tag-\${host##*.}" unshare --uts sh -c "hostname host\${host##*.}; \$*"
END
chmod +x agent

# on_hosts PER_HOST COMMAND...: ranks in turn on the hosts, of which the first runs mpirun.
on_hosts() {
  local each=$1 list=
  shift
  for ((h = 1; h <= hosts; ++h)); do list+=${list:+,}$net.$h:$each; done
  ip netns exec "$tag-1" unshare --uts sh -c 'hostname host1; exec "$@"' sh \
    env OMPI_MCA_plm_rsh_agent="$work/agent" mpirun --bind-to none --host "$list" -n $((each * hosts)) \
    --mca btl tcp,self --mca btl_tcp_if_include "$net.0/24" --mca oob_tcp_if_include "$net.0/24" \
    -x PARTITA_FAULT "$@" </dev/null
}

quiet "$partita" bench round-text lm-s -o round.mlir --clients 6
quiet "$partita" compile round.mlir -o round.pta --target cpu
quiet "$partita" run round.pta --inputs random:2 --outputs expected.npz
on_hosts 1 "$partita" run round.pta --inputs random:2 --outputs out.npz --stats stats.json --check-replicas >log 2>&1 || failed "placements on $hosts hosts"
python3 "$compare" out.npz expected.npz >log || failed "placements on $hosts hosts: other results"
python3 -c 'import json; s = json.load(open("stats.json")); assert s["collective_calls"] == 1 and s["communicated_bytes"] > 0, s' || failed "statistics"
on_hosts 1 sh -c 'cat /proc/net/dev' >log 2>&1 || failed "counters"
[[ $(grep -c '^ *eth0:' log) == "$hosts" ]] || failed "expected ranks in $hosts namespaces"
# Each host's interface carried at least a third of the sum.
model=$((4 * (512 * 128 + 64 * 128 + 128 + 2 * (2 * 128 + 12 * 128 * 128))))
awk -v least=$((model / 3)) '/^ *eth0:/ { sub(/.*eth0:/, ""); if ($1 < least) exit 1 }' log || failed "expected $((model / 3)) bytes at each interface"

quiet "$partita" bench round-text lm-s -o cut.mlir --clients 6 --model-shards 2
quiet "$partita" compile cut.mlir -o cut.pta --target cpu
on_hosts 2 "$partita" run cut.pta --inputs random:2 --outputs out.npz --devices-per-rank 1 >log 2>&1 || failed "a mesh on $hosts hosts"
python3 "$compare" out.npz expected.npz >log || failed "a mesh on $hosts hosts: other results"

status=0 begin=$SECONDS
PARTITA_FAULT=kill@rank:2,call:1 on_hosts 1 "$partita" run round.pta --inputs random:2 --repeat 50 >log 2>&1 || status=$?
[[ $status != 0 ]] || failed "a killed rank on another host: the job ended with 0"
((SECONDS - begin < 60)) || failed "a killed rank on another host: the job took $((SECONDS - begin)) s"
echo passed
