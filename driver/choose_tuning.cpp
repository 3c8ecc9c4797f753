// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/choose_tuning.hpp"

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"

namespace partita::driver {

using namespace kernel;
namespace {

std::string hash_of(const Tuning& tuning) {
  Hasher hasher;
  hasher.add(std::string_view(tuning_to_json(tuning)));
  return hasher.hex();
}

ChosenTuning chosen(std::shared_ptr<const Tuning> tuning, const std::string& name) {
  std::string text =
      cat(name, ", hash ", hash_of(*tuning), ", measured on ", tuning->device.name, " (",
          tuning->device.driver, "): ", tuning->contractions.size(), " contractions");
  return {.tuning = std::move(tuning), .text = std::move(text)};
}

}  // namespace

const Target::TuningText* find_built_in(const Target& target, const std::string& device) {
  for (const Target::TuningText& t : target.tunings)
    if (t.device == device) return &t;
  const Target::TuningText* best = nullptr;
  int most = -1;
  for (const Target::TuningText& t : target.tunings) {
    const int length = coverage(tuning_from_json(t.text, std::string(t.device)), device);
    if (length > most) most = length, best = &t;
  }
  return best;
}

namespace {

void check_given(const Tuning& tuning, const CompileOptions& options, const Target& target) {
  if (tuning.device.target != target.name)
    throw_user_error(cat("--tuning: expected a file for target ", target.name, ", found one for ",
                         tuning.device.target),
                     {.file = options.tuning_name});
  const bool is_any = options.device == "generic";
  if (!is_any && coverage(tuning, options.device) < 0)
    throw_user_error(cat("--tuning: expected a file for the device '", options.device,
                         "', found one for '", tuning.device.name, "'"),
                     {.file = options.tuning_name});
}

}  // namespace

ChosenTuning choose_tuning(const CompileOptions& options, const Target& target) {
  if (options.tuning) {
    check_given(*options.tuning, options, target);
    return chosen(options.tuning, "given file");
  }
  if (options.device == "generic") return {.tuning = nullptr, .text = "none: rules of the target"};
  if (const Target::TuningText* found = find_built_in(target, options.device)) {
    const std::string name = cat("built-in ", found->device);
    return chosen(std::make_shared<Tuning>(tuning_from_json(found->text, name)), name);
  }
  return {.tuning = nullptr,
          .text = cat("none covers '", options.device, "': rules of the target")};
}

}  // namespace partita::driver
