# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by the scripts of this folder: a small bundle in $bundle, and a root without anything but libc and a shell in $root.

source_dir=$PARTITA_SOURCE_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

make_bundle() { # the archive as a user unpacks it
  python3 "$source_dir/gpu/make_bundle.py" --small --out "$work/made" --partita "$PARTITA_BIN_DIR/partita" >"$work/made.txt" ||
    fail "make_bundle.py: $(cat "$work/made.txt")"
  rm -r "$work/made/partita-nvidia-sm_90"
  tar -C "$work" -xzf "$work/made/partita-nvidia-sm_90.tar.gz"
  bundle=$work/partita-nvidia-sm_90
}

# What gpu/run may use, with the libraries that it needs.
make_root() {
  root=$work/root
  mkdir -p "$root"/{dev,proc,tmp,bin,usr/bin}
  local tool path library
  for tool in sh basename cat cp date dirname env find grep head ls mkdir mktemp mv nproc printf rm sed tail timeout tr uname; do
    path=$(command -v "$tool") || fail "$tool is not installed"
    [[ $path == /* ]] || path=/usr/bin/$tool
    cp -L "$path" "$root/bin/$tool"
    while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      cp -nL "$library" "$root$library"
    done < <(ldd "$path" | grep -o '/[^ ]*')
  done
  # libc is more than what these tools load of it.
  for library in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
    cp -nL "/lib/x86_64-linux-gnu/$library" "$root/lib/x86_64-linux-gnu/"
  done
  cp -r "$bundle" "$root/partita"
  [[ -z $(find "$root" -path "$root/partita" -prune -o \( -name 'libstdc++*' -o -name 'libOpenCL*' -o -name 'python*' \) -print) ]] ||
    fail "the root holds more than libc and a shell"
}

# in_root [VARIABLE=VALUE...] -- MOUNTS -- COMMAND...: in the root, with folders of this machine at the same path there.
in_root() {
  local variables=() mounts=()
  while [[ $1 != -- ]]; do variables+=("$1"); shift; done
  shift
  while [[ $1 != -- ]]; do mounts+=("$1"); shift; done
  shift
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare -m bash -c '
    set -e
    root=$1 count=$2
    shift 2
    for ((i = 0; i < count; ++i)); do mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; shift; done
    exec chroot "$root" "$@"' bash "$root" $((2 + ${#mounts[@]})) /dev /proc "${mounts[@]}" \
    /bin/env -i PATH=/bin "${variables[@]}" "$@"
}

can_make_roots() { # else the reason, for a skip
  unshare -m true 2>/dev/null && [[ $EUID == 0 ]] && return
  echo "a root of its own needs the rights of root and unshare"
  return 1
}
