// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The command-line tool: parses, runs one subcommand, and turns what goes wrong into exit codes.
#include <iostream>

#include "partita/base/error.hpp"
#include "partita_generated/backends.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/report.hpp"

namespace partita::tool {

namespace {

// Errors of the command line itself are the user's; `--help` and `--version` are none.
int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  throw_user_error(cat(error.what(), " (see partita --help)"));
}

int run(int argc, char** argv, ErrorFormat& format) {
  CLI::App app(
      "partita: map/reduce graphs, compiled ahead of time and run on OpenCL devices over MPI");
  app.name("partita");
  app.set_version_flag("--version", "partita " PARTITA_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--error-format", format, "text (default) or json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ErrorFormat>{
          {"text", ErrorFormat::text}, {"json", ErrorFormat::json}}))
      ->type_name("FORMAT");
  Action action;
  add_all_commands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return finish_parsing(app, error);
  }
  return action();
}

}  // namespace

}  // namespace partita::tool

int main(int argc, char** argv) {
  using namespace partita::tool;
  ErrorFormat format = ErrorFormat::text;
  try {
    postpone_termination();
    return run(argc, argv, format);
  } catch (...) {
    return report_current_exception(format, std::span(argv, std::size_t(argc)));
  }
}
