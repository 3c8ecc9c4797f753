// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/cpu_options.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
using namespace driver;
namespace {

constexpr const char *levels_name = "cpu", *tier_name = "tier";
constexpr const char *interpreted_tier = "0", *machine_code_tier = "1";

/// As they were named, "native" among them.
std::vector<std::string> level_names(const CompileOptions& options) {
  std::vector<std::string> names;
  std::istringstream text(option_value(find_target(options.target), options, levels_name));
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

std::vector<TargetOption> cpu_options() {
  return {
      {.name = levels_name,
       .doc = "Instruction sets to compile target cpu for: native (the default), x86-64-v2, "
              "x86-64-v3, x86-64-v4",
       .initial = "native",
       .is_list = true,
       .run_doc = {}},
      {.name = tier_name,
       .doc =
           "What runs kernels on target cpu: 1 (machine code by a C compiler), 0 (compiled "
           "loops that interpret them), auto (1 where there is a compiler, unless --runs are too "
           "few for it)",
       .initial = "auto",
       .run_doc = "Of a program, on target cpu: 1 (machine code), 0 (interpreted kernels) or auto: "
                  "what takes less time for these runs, compiling included"}};
}

std::string checked_level(const std::string& name) {
  std::string level = name == "native" ? best_cpu_level() : name;
  const auto known = cpu_levels();
  if (std::ranges::find(known, level) != known.end()) return level;
  std::string names = "native";
  for (const std::string_view k : known) names += cat(", ", k);
  throw_user_error(cat("--cpu: expected some of ", names, ", found '", level, "'"));
}

std::vector<std::string> chosen_levels(const CompileOptions& options) {
  std::vector<std::string> levels;
  for (const std::string& name : level_names(options)) {
    std::string level = checked_level(name);
    if (std::ranges::find(levels, level) == levels.end()) levels.push_back(std::move(level));
  }
  return levels;
}

Tier chosen_tier(const CompileOptions& options) {
  const std::string tier = option_value(find_target(options.target), options, tier_name);
  if (tier == interpreted_tier) return Tier::interpreted;
  if (tier == machine_code_tier) return Tier::machine_code;
  if (tier == "auto") return Tier::automatic;
  throw_user_error(cat("--tier: expected 0, 1 or auto, found '", tier, "'"));
}

bool makes_machine_code(const CompileOptions& options) {
  if (options.text_only) return true;
  const Tier tier = chosen_tier(options);
  return tier == Tier::automatic ? has_host_compiler() : tier == Tier::machine_code;
}

void check_cpu_emit(const CompileOptions& options, const char* what) {
  const std::size_t levels = level_names(options).size();
  if (levels != 1) throw_user_error(cat(what, ": expected one instruction set, found ", levels));
}

std::vector<CompileOptions> cpu_alternatives(const CompileOptions& options) {
  if (options.text_only || chosen_tier(options) != Tier::automatic) return {};
  std::vector<CompileOptions> all;
  for (const char* tier : {interpreted_tier, machine_code_tier})
    all.emplace_back(options).target_options[tier_name] = tier;
  return all;
}

void use_cpu_driver(const std::string& driver, const std::string& file, CompileOptions& options) {
  const auto known = cpu_levels();
  if (std::ranges::find(known, driver) == known.end())
    throw_user_error(
        cat("device.driver: expected an instruction set of this architecture, such as ",
            known.back(), ", found '", driver, "'"),
        {.file = file});
  std::string levels;
  for (const std::string& name : level_names(options))
    levels += cat(levels.empty() ? "" : ",", name == "native" ? driver : name);
  options.target_options[levels_name] = levels;
}

}  // namespace partita::cpu::codegen
