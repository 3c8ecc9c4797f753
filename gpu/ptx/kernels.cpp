// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "gpu/ptx/kernels.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace partita::ptx {
namespace {

/// Bytes of ".u64", ".b32" and the like.
std::size_t type_bytes(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 0;
  return std::size_t(std::atoi(std::string(type.substr(digits)).c_str())) / 8;
}

/// ".param .u64 .ptr .global .align 4 k_param_0".
Parameter read_parameter(const std::string& text) {
  std::istringstream words(text);
  Parameter parameter;
  std::string word;
  words >> word >> word;
  parameter.bytes = type_bytes(word);
  parameter.is_buffer = text.find(".ptr .global") != std::string::npos;
  return parameter;
}

std::array<std::size_t, 3> read_group(const std::string& text) {
  constexpr std::string_view directive = ".reqntid";
  std::array<std::size_t, 3> group{};
  const std::size_t at = text.find(directive);
  if (at == std::string::npos) return group;
  std::istringstream numbers(text.substr(at + directive.size()));
  char comma = 0;
  numbers >> group[0] >> comma >> group[1] >> comma >> group[2];
  return group;
}

}  // namespace

std::string ptx_name(const std::string& source, const std::string& options) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view define = "-DPARTITA_MATRIX_UNITS=",
                             spaced = "-D PARTITA_MATRIX_UNITS=";
  char kind = '0';
  for (const std::string_view form : {define, spaced})
    if (const std::size_t at = options.find(form); at != std::string::npos)
      kind = options[at + form.size()];
  char name[32];
  std::snprintf(name, sizeof name, "%016llx-%c.ptx", static_cast<unsigned long long>(hash), kind);
  return name;
}

std::optional<std::string> find_ptx(const std::string& name) {
  const char* folder = std::getenv("PARTITA_PTX_DIR");
  if (folder == nullptr) return std::nullopt;
  std::ifstream file(std::string(folder) + "/" + name);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<KernelText> read_kernels(const std::string& ptx) {
  constexpr std::string_view entry = ".entry ";
  std::vector<KernelText> kernels;
  for (std::size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
    at += entry.size();
    const std::size_t open = ptx.find('(', at), close = ptx.find(')', open),
                      body = ptx.find('{', close);
    if (body == std::string::npos) break;
    KernelText kernel{.name = ptx.substr(at, open - at), .parameters = {}};
    std::istringstream list(ptx.substr(open + 1, close - open - 1));
    for (std::string parameter; std::getline(list, parameter, ',');)
      if (parameter.find(".param") != std::string::npos)
        kernel.parameters.push_back(read_parameter(parameter));
    kernel.group = read_group(ptx.substr(close, body - close));
    kernels.push_back(std::move(kernel));
    at = body;
  }
  return kernels;
}

}  // namespace partita::ptx
