// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "partita/base/error.hpp"

namespace partita {

namespace {

// Names in text have no '%'.
std::string plain(const std::string& name) { return name.starts_with('%') ? name.substr(1) : name; }

std::string all_names(const std::map<std::string, HostArray>& arrays) {
  if (arrays.empty()) return "no arrays";
  std::string names;
  constexpr std::size_t shown = 12;
  std::size_t count = 0;
  for (const auto& [name, array] : arrays) {
    if (count++ == shown) return cat(names, ", … (", arrays.size(), " arrays)");
    names += names.empty() ? name : ", " + name;
  }
  return names;
}

bool may_convert(DType from, DType to) {
  return in_place_of(to, from) || (!is_complex(to) && from == info(to).value);
}

/// An array as it was read, whose narrow integers may lack their extension.
HostArray as_dtype(HostArray array, DType to) {
  return in_place_of(to, array.type.dtype) ? reinterpreted(std::move(array), to)
                                           : convert(array, to);
}

std::uint64_t next(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// The name of each port's array among `arrays`, whose type fits.
std::vector<std::string> find_arrays(const std::vector<PortInfo>& ports, const std::string& prefix,
                                     const std::map<std::string, HostArray>& arrays,
                                     const SourceLocation& where) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string numbered = cat(prefix, i), named = plain(ports[i].name);
    const Type& type = ports[i].type;
    auto found = arrays.find(numbered);
    if (found == arrays.end() && !named.empty()) found = arrays.find(named);
    const std::string port = named.empty() ? numbered : cat(numbered, " (", named, ")");
    if (found == arrays.end())
      throw_user_error(
          cat(port, ": expected an array ", to_string(type), ", found ", all_names(arrays)), where);
    const HostArray& array = found->second;
    if (array.type.dims != type.dims || !may_convert(array.type.dtype, type.dtype))
      throw_user_error(cat(port, ": expected ", to_string(type), ", found ", to_string(array.type)),
                       where);
    names.push_back(found->first);
  }
  return names;
}

}  // namespace

std::vector<HostArray> bind_arrays(const std::vector<PortInfo>& ports, const std::string& prefix,
                                   const std::map<std::string, HostArray>& arrays,
                                   const std::string& name_for_errors) {
  const auto names = find_arrays(ports, prefix, arrays, {.file = name_for_errors});
  std::vector<HostArray> bound;
  for (std::size_t i = 0; i < ports.size(); ++i)
    bound.push_back(as_dtype(arrays.at(names[i]), ports[i].type.dtype));
  return bound;
}

std::vector<HostArray> bind_arrays(const std::vector<PortInfo>& ports, const std::string& prefix,
                                   std::map<std::string, HostArray>&& arrays,
                                   const std::string& name_for_errors) {
  const auto names = find_arrays(ports, prefix, arrays, {.file = name_for_errors});
  std::vector<HostArray> bound;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    HostArray& array = arrays.at(names[i]);
    const bool is_used_again =
        std::find(names.begin() + std::ptrdiff_t(i) + 1, names.end(), names[i]) != names.end();
    bound.push_back(as_dtype(is_used_again ? array : std::move(array), ports[i].type.dtype));
  }
  return bound;
}

std::vector<HostArray> random_arrays(const std::vector<PortInfo>& ports, std::uint64_t seed) {
  std::vector<HostArray> arrays;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::uint64_t state = seed * 0x2545f4914f6cdd1d + i;
    HostArray array(ports[i].type);
    visit(array.type.dtype, [&](auto constant) {
      constexpr DType dtype = constant;
      auto* data = array.data<dtype>();
      const auto real = [&] { return double(next(state) >> 40) * 0x1p-23 - 1; };
      for (std::size_t k = 0; k < std::size_t(array.type.count()); ++k) {
        if constexpr (is_complex(dtype)) {
          const double re = real(), im = real();
          using Part = typename ValueType<dtype>::value_type;
          store<dtype>({Part(re), Part(im)}, data, k);
        } else if constexpr (is_float(dtype)) {
          const double x = real();
          store<dtype>(ValueType<dtype>(info(dtype).format.is_signed ? x : std::fabs(x)), data, k);
        } else {
          const std::uint64_t mask = dtype == DType::i1 ? 1 : 7;
          store<dtype>(ValueType<dtype>(next(state) >> 32 & mask), data, k);
        }
      }
    });
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace partita
