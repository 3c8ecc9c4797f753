#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# timeout: 300
# processors: 2
#
# Installs the build into a fresh prefix, moves that prefix, and builds the programs of program/
# against it: through find_package(partita) and through pkg-config.
set -euo pipefail

build_dir=$(dirname "$PARTITA_BIN_DIR")
program_dir=$PARTITA_SOURCE_DIR/tests/consume/program
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build_dir" --prefix "$work/first" >"$work/install.log" ||
  { cat "$work/install.log"; exit 1; }
# An install tree holds no absolute path of its own.
mv "$work/first" "$work/moved"
prefix=$work/moved

echo "== find_package(partita)"
cmake -G Ninja -S "$program_dir" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" --warn-uninitialized
cmake --build "$work/build"
"$work/build/host_c"
"$work/build/host_cpp"
"$work/build/compiler_cpp"
"$work/build/compiler_c"
if command -v valgrind >/dev/null; then valgrind --quiet --error-exitcode=1 --leak-check=full "$work/build/compiler_c"; fi

echo "== pkg-config"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs partita)"
cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$program_dir/host.c" "${flags[@]}" -o "$work/host_pc"
LD_LIBRARY_PATH=$prefix/lib "$work/host_pc"

echo "== the C example against the installed tool and library"
example=$PARTITA_SOURCE_DIR/examples/c_host
cmake -G Ninja -S "$example" -B "$work/example" -DCMAKE_PREFIX_PATH="$prefix" --warn-uninitialized
cmake --build "$work/example"
"$prefix/bin/partita" compile "$example/average.mlir" -o "$work/average.pta" --target opencl
if "$prefix/bin/partita" devices >/dev/null; then
  found=$("$work/example/c_host" "$work/average.pta" 3)
  [[ $found == "out0: 3.5 4.5 5.5 6.5" ]] || { echo "c_host printed: $found"; exit 1; }
fi

echo "== headers alone"
# Each installed header is complete by itself.
find "$prefix/include" -name '*.hpp' -print0 | sort -z |
  xargs -0 -I {} -P 2 g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$prefix/include" \
    -include {} -x c++ /dev/null
