// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The command-line tool: parses, runs one subcommand, and turns what goes wrong into exit codes.
#include <span>
#include <string_view>

#include "partita/base/error.hpp"
#include "partita_generated/backends.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/report.hpp"

namespace partita::tool {

namespace {

// Errors of the command line itself are the user's; `--help` and `--version` are none.
int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  if (app.get_subcommands().empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    std::string commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      commands += cat(commands.empty() ? "" : ", ", command->get_name());
    const auto rest = app.remaining();
    throw_user_error(
        cat("expected a command (", commands, "), found ", rest.empty() ? "none" : rest.front()));
  }
  throw_user_error(cat(error.what(), " (see partita --help)"));
}

// Looked for by hand, because errors of parsing are printed in this format too.
ErrorFormat find_format(std::span<char* const> arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const bool follows = i > 1 && std::string_view(arguments[i - 1]) == "--error-format";
    if (argument == "--error-format=json" || (follows && argument == "json"))
      return ErrorFormat::json;
  }
  return ErrorFormat::text;
}

int run(int argc, char** argv) {
  CLI::App app(
      "partita: map/reduce graphs, compiled ahead of time and run on OpenCL devices over MPI");
  app.name("partita");
  app.set_version_flag("--version", "partita " PARTITA_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  std::string format_name;
  app.add_option("--error-format", format_name, "How errors are printed: text or json")
      ->check(CLI::IsMember({"text", "json"}));
  Action action;
  add_all_commands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error);
  }
  const int status = action();
  if (status == 0) finish_output();
  return status;
}

}  // namespace

}  // namespace partita::tool

int main(int argc, char** argv) {
  using namespace partita::tool;
  try {
    prepare_process();
    return run(argc, argv);
  } catch (...) {
    const std::span<char* const> arguments(argv, std::size_t(argc));
    return report_current_exception(find_format(arguments), arguments);
  }
}
