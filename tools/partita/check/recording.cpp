// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/recording.hpp"

#include <cstring>
#include <map>
#include <optional>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::tool {
namespace {

using Arrays = std::map<std::string, HostArray>;

/// The integer named so, or nothing.
std::optional<std::int64_t> find_integer(const Arrays& arrays, const std::string& name,
                                         const std::string& path) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) return std::nullopt;
  if (found->second.type != Type::scalar(DType::i64))
    throw_user_error(cat(name, ": expected tensor<i64>, found ", to_string(found->second.type)),
                     {.file = path});
  const std::int64_t value = *found->second.data<DType::i64>();
  if (value < 0)
    throw_user_error(cat(name, ": expected no negative number, found ", value), {.file = path});
  return value;
}

HostArray integer(std::int64_t value) {
  HostArray array(Type::scalar(DType::i64));
  *array.data<DType::i64>() = value;
  return array;
}

/// Elements 0, stride, 2 stride, … of the flattened array.
HostArray every(const HostArray& array, std::int64_t stride) {
  const std::int64_t count = array.type.count();
  const std::size_t width = byte_size(array.type.dtype);
  HostArray sample(Type{.dtype = array.type.dtype, .dims = {(count + stride - 1) / stride}});
  for (std::int64_t i = 0, from = 0; from < count; ++i, from += stride)
    std::memcpy(sample.bytes.data() + std::size_t(i) * width,
                array.bytes.data() + std::size_t(from) * width, width);
  return sample;
}

/// As `difference` of arrays, of the elements that were recorded.
std::optional<std::string> difference(const HostArray& found, const RecordedResult& expected,
                                      const Tolerance& tolerance) {
  if (expected.stride == 0) return difference(found, expected.elements, tolerance);
  const auto text = difference(every(found, expected.stride), expected.elements, tolerance);
  if (!text) return std::nullopt;
  return cat(*text, " (of a sample: elements 0, ", expected.stride, ", …)");
}

}  // namespace

std::vector<PortInfo> argument_ports(const ir::Module& module, const ir::Function& function) {
  std::vector<PortInfo> all;
  for (const Type& type : ir::whole_argument_types(module, function))
    all.push_back({.name = {}, .type = type});
  for (std::size_t k = 0; k < all.size(); ++k) all[k].name = function.body->argument_hint(int(k));
  return all;
}

std::string find_recording(const std::filesystem::path& program) {
  const std::string name = program.filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  for (const char* suffix : {".io.npz", ".npz"}) {
    const std::filesystem::path path = program.parent_path() / (stem + suffix);
    if (std::filesystem::exists(path)) return path.string();
  }
  return {};
}

ir::OpenArguments recorded_shapes(const std::string& path, ir::OpenArguments open) {
  open.must_be_there = false;
  for (const auto& [name, array] : read_npz(path)) {
    const bool is_numbered = name.starts_with("in") && name.size() > 2 &&
                             name.find_first_not_of("0123456789", 2) == std::string::npos;
    const std::string argument = is_numbered ? name.substr(2) : name;
    open.shapes.emplace(argument, array.type.dims);
    if (array.type.dims.empty() && is_integer(array.type.dtype))
      open.values.emplace(argument, std::vector{*convert(array, DType::i64).data<DType::i64>()});
  }
  return open;
}

Recording read_recording(const std::string& path, const std::vector<PortInfo>& inputs,
                         const std::vector<Type>& results) {
  const Arrays arrays = read_npz(path);
  const auto seed = find_integer(arrays, "seed", path);
  Recording recording;
  recording.inputs =
      seed ? random_arrays(inputs, std::uint64_t(*seed)) : bind_arrays(inputs, "in", arrays, path);
  std::vector<PortInfo> ports;  // by position only: names of results may be taken by inputs
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto stride = find_integer(arrays, cat("out", k, "_stride"), path).value_or(0);
    Type type = results[k];
    if (stride > 0) type.dims = {(type.count() + stride - 1) / stride};
    ports.push_back({.name = {}, .type = std::move(type)});
    recording.results.push_back({.elements = {}, .stride = stride});
  }
  std::vector<HostArray> elements = bind_arrays(ports, "out", arrays, path);
  for (std::size_t k = 0; k < results.size(); ++k)
    recording.results[k].elements = std::move(elements[k]);
  return recording;
}

void write_recording(const std::filesystem::path& path, std::uint64_t seed,
                     const std::vector<HostArray>& results, std::int64_t samples) {
  Arrays arrays{{"seed", integer(std::int64_t(seed))}};
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::int64_t count = results[k].type.count();
    if (samples == 0 || count <= samples) {
      arrays[cat("out", k)] = results[k];
      continue;
    }
    const std::int64_t stride =
        count / samples | 1;  // odd: no column of an even number of them alone
    arrays[cat("out", k)] = every(results[k], stride);
    arrays[cat("out", k, "_stride")] = integer(stride);
  }
  write_npz(path, arrays);
}

std::vector<std::string> departures(const ir::Module& module, const ir::Function& function,
                                    const std::vector<HostArray>& results,
                                    const Recording& expected, const ToleranceOptions& tolerance) {
  const std::vector<CoarseFloat> sources = coarse_sources(module, function);
  std::vector<std::string> found;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Type& type = results[k].type;
    if (const auto text = difference(results[k], expected.results[k],
                                     tolerance_for(type.dtype, sources[k], tolerance)))
      found.push_back(cat("out", k, " of type ", to_string(type), ": ", *text));
  }
  return found;
}

}  // namespace partita::tool
