// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita_generated/backends.hpp"

namespace partita::passes {

#define PARTITA_DECLARE(name) const Target& target_##name();
PARTITA_BACKENDS(PARTITA_DECLARE)
#undef PARTITA_DECLARE

namespace {

std::vector<const Target*> targets() {
  std::vector<const Target*> all;
#define PARTITA_LIST(name) all.push_back(&target_##name());
  PARTITA_BACKENDS(PARTITA_LIST)
#undef PARTITA_LIST
  return all;
}

}  // namespace

const Target& find_target(const std::string& name) {
  std::string known;
  for (const Target* t : targets()) {
    if (t->name == name) return *t;
    known += (known.empty() ? "" : ", ") + t->name;
  }
  throw_user_error(cat("target '", name, "' is not built in; built in: ", known));
}

std::vector<std::string> built_targets() {
  std::vector<std::string> names;
  for (const Target* t : targets()) names.push_back(t->name);
  return names;
}

std::vector<std::string> tuned_devices(const std::string& target) {
  std::vector<std::string> names;
  for (const Target::TuningText& t : find_target(target).tunings) names.emplace_back(t.device);
  return names;
}

std::vector<std::string> covered_devices(const std::string& target) {
  std::vector<std::string> beginnings;
  for (const Target::TuningText& t : find_target(target).tunings)
    for (std::string& b : tuning_from_json(t.text, std::string(t.device)).device.covers)
      beginnings.push_back(std::move(b));
  return beginnings;
}

}  // namespace partita::passes
