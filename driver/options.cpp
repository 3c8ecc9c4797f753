// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/options.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/base/parse.hpp"
#include "partita/driver/target.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;
namespace {

constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

struct GeneralOption {
  std::string_view name;
  void (*set)(CompileOptions& options, const std::string& value);
};

void set_tuning(CompileOptions& options, const std::string& path) {
  options.tuning = std::make_shared<Tuning>(load_tuning(path));
  options.tuning_name = path;
}

/// What stands for a device, or describes one, is for those who may ask this machine's drivers.
void set_device(CompileOptions& options, const std::string& name) {
  if (name.empty() || name == "local" || name.ends_with(".json"))
    throw_user_error(cat("--device: expected the name of a device, found '", name, "'"));
  options.device = name;
}

bool parse_switch(std::string_view name, const std::string& value) {
  if (value != "on" && value != "off")
    throw_user_error(cat(name, ": expected on or off, found '", value, "'"));
  return value == "on";
}

/// One, or several with commas between.
void set_functions(CompileOptions& options, const std::string& names) {
  const std::vector<std::string> all = split(names, ',');
  const std::string around = cat(",", names, ",");
  if (around.find(",,") != std::string::npos)
    throw_user_error(cat("--function: expected NAME or NAME,NAME,…, found '", names, "'"));
  options.function = all.front();
  options.more_functions.assign(all.begin() + 1, all.end());
}

/// Those that every target has.
constexpr GeneralOption general_options[] = {
    {"target", [](CompileOptions& o, const std::string& v) { o.target = v; }},
    {"function", set_functions},
    {"placement", [](CompileOptions& o, const std::string& v) { add_placement(o.placements, v); }},
    {"shape", [](CompileOptions& o, const std::string& v) { add_shape(o.open, v); }},
    {"value", [](CompileOptions& o, const std::string& v) { add_value(o.open, v); }},
    {"layout", [](CompileOptions& o, const std::string& v) { o.layout = v; }},
    {"mesh", [](CompileOptions& o, const std::string& v) { o.mesh = v; }},
    {"sharding",
     [](CompileOptions& o, const std::string& v) { o.shards = parse_switch("--sharding", v); }},
    {"placement-constraints",
     [](CompileOptions& o, const std::string& v) {
       o.keeps_placements = parse_switch("--placement-constraints", v);
     }},
    {"reproducible",
     [](CompileOptions& o, const std::string& v) {
       o.is_reproducible = parse_switch("--reproducible", v);
     }},
    {"allreduce-dtype",
     [](CompileOptions& o, const std::string& v) {
       const auto format = find_wire_format(v);
       if (!format)
         throw_user_error(
             cat("--allreduce-dtype: expected f32, bf16, f16 or int8, found '", v, "'"));
       o.wire.format = *format;
     }},
    {"allreduce-feedback",
     [](CompileOptions& o, const std::string& v) {
       o.wire.feeds_back = parse_switch("--allreduce-feedback", v);
     }},
    {"gemm", [](CompileOptions& o, const std::string& v) { o.gemm = v; }},
    {"f32-products",
     [](CompileOptions& o, const std::string& v) {
       if (v != "f32" && v != "tf32")
         throw_user_error(cat("--f32-products: expected f32 or tf32, found '", v, "'"));
       o.rounds_to_tf32 = v == "tf32";
     }},
    {"memory-budget",
     [](CompileOptions& o, const std::string& v) {
       o.memory_budget = parse_bytes(v, "--memory-budget");
     }},
    {"device", set_device},
    {"tuning", set_tuning},
    {"runs", [](CompileOptions& o,
                const std::string& v) { o.runs = parse_number(v, "--runs", any_number); }},
};

}  // namespace

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const GeneralOption& o : general_options) names.emplace_back(o.name);
  for (const Target* target : all_targets())
    for (const TargetOption& o : target->options)
      if (std::ranges::find(names, o.name) == names.end()) names.push_back(o.name);
  return names;
}

namespace {

struct Said {
  std::string name, value;
};
/// "NAME=VALUE"; `form` says what it looks like.
Said parse_said(const char* option, const std::string& text, const char* form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw_user_error(cat(option, ": expected ", form, ", found ", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Numbers with a separator between each two.
std::vector<std::int64_t> parse_numbers(const char* option, const std::string& text,
                                        char separator) {
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    numbers.push_back(parse_number(text.substr(begin, end - begin), option, any_number));
    begin = end + 1;
  }
  return numbers;
}

}  // namespace

void add_placement(std::map<std::string, std::int64_t>& placements, const std::string& text) {
  const Said said = parse_said("--placement", text, "NAME=N");
  const std::int64_t size = parse_number(said.value, "--placement", any_number);
  if (size == 0) throw_user_error(cat("--placement: expected a size above 0, found ", text));
  if (!placements.emplace(said.name, size).second)
    throw_user_error(cat("--placement: expected each name once, found ", said.name, " twice"));
}

void add_shape(ir::OpenArguments& open, const std::string& text) {
  const Said said = parse_said("--shape", text, "ARG=N or ARG=NxN…");
  const std::vector<std::int64_t> dims = parse_numbers("--shape", said.value, 'x');
  if (said.name == "*") {
    if (dims.size() != 1)
      throw_user_error(cat("--shape: expected *=N for all other open extents, found ", text));
    open.extent = dims[0];
  } else if (!open.shapes.emplace(said.name, Dims(dims.begin(), dims.end())).second) {
    throw_user_error(cat("--shape: expected each argument once, found ", said.name, " twice"));
  }
}

void add_value(ir::OpenArguments& open, const std::string& text) {
  const Said said = parse_said("--value", text, "ARG=N or ARG=N,N,…");
  if (!open.values.emplace(said.name, parse_numbers("--value", said.value, ',')).second)
    throw_user_error(cat("--value: expected each argument once, found ", said.name, " twice"));
}

void set_option(CompileOptions& options, const std::string& name, const std::string& value) {
  for (const GeneralOption& o : general_options)
    if (o.name == name) return o.set(options, value);
  const auto names = option_names();
  if (std::ranges::find(names, name) == names.end())
    throw_user_error(cat("option: expected ", expected_names(name, names), ", found '",
                         name.substr(0, 100), "'"));
  options.target_options[name] = value;
}

}  // namespace partita::driver
