// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which tuning file a compilation decides by: the one that is given, else one that is built in and
// covers the device that is named, else none.
#pragma once

#include <memory>
#include <string>

#include "partita/artifact/tuning.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/target.hpp"

namespace partita::driver {

struct ChosenTuning {
  std::shared_ptr<const Tuning> tuning;  ///< null: rules of the target
  std::string text;                      ///< where it comes from, with the hash of its content
};

/// The built-in file of a name, or the one that covers a device best; null where there is none.
[[nodiscard]] const Target::TuningText* find_built_in(const Target& target,
                                                      const std::string& device);

/// A file for another target, or for another device than the one that is named, is a user error.
[[nodiscard]] ChosenTuning choose_tuning(const CompileOptions& options, const Target& target);

}  // namespace partita::driver
