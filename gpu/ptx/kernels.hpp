// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// PTX that was made of OpenCL C beforehand (gpu/ptx/make_ptx.py), found by the text it was made of.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace partita::ptx {

struct Parameter {
  std::size_t bytes = 0;
  bool is_buffer = false;  ///< an address in global memory
};

struct KernelText {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<std::size_t, 3> group{};  ///< the one that it is compiled for; zeros: any
};

/// "0123456789abcdef-1.ptx": of the text (FNV-1a, 64 bits) and the kind of matrix units that build options name (0: none).
[[nodiscard]] std::string ptx_name(const std::string& source, const std::string& options);

/// The file of that name in $PARTITA_PTX_DIR; nothing where there is none.
[[nodiscard]] std::optional<std::string> find_ptx(const std::string& name);

/// What PTX says of its entries.
[[nodiscard]] std::vector<KernelText> read_kernels(const std::string& ptx);

}  // namespace partita::ptx
