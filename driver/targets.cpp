// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/driver/target.hpp"
#include "partita_generated/backends.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;

#define PARTITA_DECLARE(name) const Target& target_##name();
PARTITA_BACKENDS(PARTITA_DECLARE)
#undef PARTITA_DECLARE

namespace {

/// What is expected of `gemm`: "auto, library (or NAME) or generated".
std::string gemm_values() {
  std::vector<std::string> names;
  for (const Target* t : all_targets())
    for (const std::string& name : t->library_names)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::string others;
  for (const std::string& name : names) others += cat(others.empty() ? " (or " : ", ", name);
  return cat("auto, library", others, others.empty() ? "" : ")", " or generated");
}

}  // namespace

const std::vector<const Target*>& all_targets() {
#define PARTITA_LIST(name) &target_##name(),
  static const std::vector<const Target*> all{PARTITA_BACKENDS(PARTITA_LIST)};
#undef PARTITA_LIST
  return all;
}

std::string option_value(const Target& target, const CompileOptions& options,
                         std::string_view name) {
  const auto declared = std::ranges::find(target.options, name, &TargetOption::name);
  PARTITA_ASSERT(declared != target.options.end());
  const auto given = options.target_options.find(declared->name);
  return given == options.target_options.end() ? declared->initial : given->second;
}

void check_target_options(const Target& target, const CompileOptions& options) {
  std::vector<std::string> names;
  for (const TargetOption& o : target.options) names.push_back(o.name);
  for (const auto& [name, value] : options.target_options) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string expected = expected_names(name, names);
    throw_user_error(cat("options of target ", target.name, ": expected ",
                         expected.empty() ? "none" : expected, ", found '", name, "'"));
  }
}

bool asks_for_library(const std::string& gemm) {
  if (gemm == "auto" || gemm == "generated") return false;
  const bool is_library =
      gemm == "library" || std::ranges::any_of(all_targets(), [&](const Target* t) {
        return std::ranges::find(t->library_names, gemm) != t->library_names.end();
      });
  if (!is_library)
    throw_user_error(cat("--gemm: expected ", gemm_values(), ", found '", gemm, "'"));
  return true;
}

const Target& find_target(const std::string& name) {
  std::string known;
  for (const Target* t : all_targets()) {
    if (t->name == name) return *t;
    known += (known.empty() ? "" : ", ") + t->name;
  }
  throw_user_error(cat("target '", name, "' is not built in; built in: ", known));
}

std::vector<std::string> built_targets() {
  std::vector<std::string> names;
  for (const Target* t : all_targets()) names.push_back(t->name);
  return names;
}

std::vector<std::string> tuned_devices(const std::string& target) {
  std::vector<std::string> names;
  for (const Target::TuningText& t : find_target(target).tunings) names.emplace_back(t.device);
  return names;
}

std::vector<std::string> known_devices(const std::string& target) {
  const std::vector<std::string> tuned = tuned_devices(target);
  std::set<std::string> names(tuned.begin(), tuned.end());
  for (const TargetProfile& profile : find_target(target).profiles)
    if (profile.name != "generic") names.emplace(profile.name);
  return {names.begin(), names.end()};
}

std::vector<std::string> covered_devices(const std::string& target) {
  std::vector<std::string> beginnings;
  for (const Target::TuningText& t : find_target(target).tunings)
    for (std::string& b : tuning_from_json(t.text, std::string(t.device)).device.covers)
      beginnings.push_back(std::move(b));
  return beginnings;
}

}  // namespace partita::driver
