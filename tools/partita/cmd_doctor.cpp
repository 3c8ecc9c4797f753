// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita doctor`: whether this machine has what running needs, and how to get what is missing.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "partita/artifact/target_format.hpp"
#include "partita/base/cores.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/machine_check.hpp"
#include "partita/collective/communicator.hpp"
#include "partita/device/backend.hpp"
#include "partita/driver/target.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

namespace {

using Verdict = Finding::Verdict;

Finding check_mpi() {
  const std::string launch =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 30 "
      "mpirun -n 2 --oversubscribe --bind-to none true";
  if (run_command("command -v mpirun").status != 0)
    return {Verdict::failure, "no mpirun in PATH (install openmpi-bin)"};
  if (launched_by_mpi()) return {Verdict::ok, "launched by MPI"};
  const CommandResult result = run_command(launch);
  if (result.status != 0)
    return {Verdict::failure, cat("mpirun -n 2 failed: ", first_line(result.output))};
  const bool is_root = ::geteuid() == 0;
  return {Verdict::ok, cat("mpirun starts two processes",
                           is_root ? " (as root: set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)"
                                   : "")};
}

Finding check_cache() {
  if (const auto folder = environment("PARTITA_CACHE_DIR")) {
    std::error_code error;
    std::filesystem::create_directories(*folder, error);
    if (error || ::access(folder->c_str(), W_OK) != 0)
      return {Verdict::warning,
              cat("PARTITA_CACHE_DIR=", *folder, " is not writable: kernels are built anew")};
    return {Verdict::ok, cat("kernels in ", *folder)};
  }
  if (!environment("HOME") && !environment("XDG_CACHE_HOME"))
    return {Verdict::warning, "neither HOME nor PARTITA_CACHE_DIR is set: kernels are built anew"};
  return {Verdict::ok, "kernels in the user's cache folder or the driver's own"};
}

Finding check_affinity() {
  const int allowed = int(usable_cores().size()), present = int(::sysconf(_SC_NPROCESSORS_ONLN));
  if (allowed < present)
    return {Verdict::warning, cat("this process may use ", allowed, " of ", present,
                                  " cores (under mpirun: --bind-to none)")};
  return {Verdict::ok, cat("all ", present, " cores")};
}

Finding check_blas() {
  std::string libraries;
  for (const TargetFormat& f : all_formats())
    if (!f.library.empty())
      libraries += cat(libraries.empty() ? "" : " and ", f.library, " (", f.target, ")");
  return {Verdict::ok, cat("GEMMs by ", libraries, "; backends built in: ", backend_names())};
}

/// What backends ask, then what concerns all of them.
std::vector<MachineCheck> all_checks() {
  std::vector<MachineCheck> checks;
  for (const Backend& backend : all_backends())
    checks.insert(checks.end(), backend.checks.begin(), backend.checks.end());
  for (const driver::Target* target : driver::all_targets())
    checks.insert(checks.end(), target->checks.begin(), target->checks.end());
  checks.insert(checks.end(), {{"MPI launch", check_mpi},
                               {"kernel cache", check_cache},
                               {"affinity", check_affinity},
                               {"BLAS", check_blas}});
  return checks;
}

int doctor() {
  constexpr const char* words[] = {"ok     ", "warning", "FAILED "};
  int failures = 0;
  for (const MachineCheck& check : all_checks()) {
    const Finding finding = check.run();
    std::printf("%s  %-15s %s\n", words[int(finding.verdict)], std::string(check.name).c_str(),
                finding.text.c_str());
    std::fflush(stdout);
    failures += finding.verdict == Verdict::failure;
  }
  if (failures > 0)
    throw_device_error(cat("expected a machine ready to run, found ", failures, " failed checks"));
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("doctor", "Check drivers, MPI launch, cache and affinity");
  command->callback([&action] { action = doctor; });
}

}  // namespace partita::tool
