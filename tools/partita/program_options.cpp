// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/program_options.hpp"

#include "partita/base/error.hpp"
#include "partita/driver/options.hpp"
#include "partita/driver/target.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

std::map<std::string, std::int64_t> parse_placements(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> placements;
  for (const std::string& text : texts) driver::add_placement(placements, text);
  return placements;
}

void add_open_options(CLI::App& command, ir::OpenArguments& open) {
  const auto add = [&](const char* name, void (*note)(ir::OpenArguments&, const std::string&),
                       const char* help) {
    command
        .add_option_function<std::vector<std::string>>(
            name,
            [&open, note](const std::vector<std::string>& texts) {
              for (const std::string& text : texts) note(open, text);
            },
            help)
        ->allow_extra_args(false);
  };
  add("--shape", driver::add_shape,
      "ARG=NxN…: extents of an argument, by name or number, of a program that leaves some open "
      "('?'); *=N: all others");
  add("--value", driver::add_value,
      "ARG=N,…: what an argument of integers always is, where shapes follow from it");
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += cat(text.empty() ? "" : ", ", word);
  return text;
}

std::string one_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words);
  return cat(join({words.begin(), words.end() - 1}), " or ", words.back());
}

void add_target_options(CLI::App& command, TargetValues& values, OptionsOf of) {
  for (const driver::Target* target : driver::all_targets())
    for (const driver::TargetOption& o : target->options) {
      const std::string& doc = of == OptionsOf::run ? o.run_doc : o.doc;
      const bool is_known = values.values.contains(o.name) || values.lists.contains(o.name);
      if (doc.empty() || is_known) continue;
      if (o.is_list)
        command.add_option("--" + o.name, values.lists[o.name], doc)
            ->delimiter(',')
            ->allow_extra_args(false);
      else
        command.add_option("--" + o.name, values.values[o.name], doc);
    }
}

void apply(const TargetValues& values, driver::CompileOptions& options) {
  for (const driver::TargetOption& o : driver::find_target(options.target).options) {
    std::string value;
    if (const auto it = values.values.find(o.name); it != values.values.end()) value = it->second;
    if (const auto it = values.lists.find(o.name); it != values.lists.end())
      for (const std::string& part : it->second) value += cat(value.empty() ? "" : ",", part);
    if (!value.empty()) options.target_options[o.name] = value;
  }
}

std::string gemm_help() {
  std::string names;
  for (const driver::Target* target : driver::all_targets())
    if (!target->library_names.empty())
      names += cat(names.empty() ? " (" : "; ", "on target ", target->name,
                   " also: ", one_of(target->library_names));
  return cat("auto, library", names, names.empty() ? "" : ")", " or generated");
}

std::string target_help() { return cat("Code generator (default: ", default_target, ")"); }

}  // namespace partita::tool
