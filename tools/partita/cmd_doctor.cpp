// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita doctor`: whether this machine has what running needs, and how to get what is missing.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "partita/base/cores.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/device/device.hpp"
#include "partita/exec/executor.hpp"
#include "partita_generated/backends.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

namespace {

enum class Verdict { ok, warning, failure };
struct Finding {
  Verdict verdict = Verdict::ok;
  std::string text;
};

struct CommandResult {
  int status = 0;
  std::string output;
};

// Runs a command of the shell and keeps the start of what it prints.
CommandResult run_command(const std::string& command) {
  CommandResult result;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {.status = 127, .output = "popen failed"};
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    if (result.output.size() < 4096) result.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding check_drivers() {
  std::string names;
  const std::filesystem::path folder =
      environment("OCL_ICD_VENDORS").value_or("/etc/OpenCL/vendors");
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".icd") names += " " + entry.path().filename().string();
  if (names.empty())
    return {Verdict::failure, cat("no OpenCL driver in ", folder.string(),
                                  " (for the CPU: install pocl-opencl-icd)")};
  return {Verdict::ok, cat("drivers", names, " in ", folder.string())};
}

Finding check_devices() {
  std::string names;
  const auto profiles = list_devices();
  int found = 0;
  for (const DeviceProfile& p : profiles) {
    if (p.backend != "opencl") continue;
    names += cat(names.empty() ? "" : "; ", p.name);
    ++found;
  }
  if (found == 0) return {Verdict::failure, "no device found"};
  return {Verdict::ok, cat(found, " found: ", names)};
}

Finding check_compiler() {
  const std::string compiler = environment("PARTITA_CC").value_or("cc");
  const CommandResult result = run_command(cat("'", compiler, "' --version"));
  if (result.status != 0)
    return {Verdict::warning,
            cat("no C compiler '", compiler,
                "': programs for target cpu run as lane code, slower than machine "
                "code (install gcc, or name one in PARTITA_CC)")};
  return {Verdict::ok, cat(first_line(result.output), ", for ", best_cpu_level())};
}

// out[i] = in[i] + 1 over four elements, written by hand.
Artifact probe_artifact() {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.module_name = "doctor";
  artifact.modules.push_back(
      {"doctor",
       "__kernel void doctor_add_one(__global const int* x, long x0, __global int* y, long y0) {\n"
       "  y[y0 + get_global_id(0)] = x[x0 + get_global_id(0)] + 1;\n}\n"});
  artifact.kernels.push_back({"doctor_add_one", 0});
  const Type type{.dtype = DType::i32, .dims = {4}};
  Plan& plan = artifact.plan;
  plan.inputs.push_back({.name = "x", .type = type});
  plan.outputs.push_back({.name = "y", .type = type});
  plan.buffers.push_back({.kind = BufferKind::input, .dtype = DType::i32, .count = 4, .name = "x"});
  plan.buffers.push_back(
      {.kind = BufferKind::output, .dtype = DType::i32, .count = 4, .name = "y"});
  Launch launch{.kernel = 0, .buffers = {{.buffer = 0}, {.buffer = 1}}};
  launch.global = {4, 1, 1};
  plan.steps.push_back({.what = launch, .name = "doctor_add_one"});
  return artifact;
}

Finding check_kernel() {
  try {
    Session session(probe_artifact(), {});
    HostArray x(session.artifact().plan.inputs[0].type);
    for (int i = 0; i < 4; ++i) x.data<DType::i32>()[i] = i;
    session.set_input(0, x);
    session.run();
    const auto y = session.output(0);
    for (int i = 0; i < 4; ++i)
      if (!y || y->data<DType::i32>()[i] != i + 1)
        return {Verdict::failure, "a kernel gave a wrong result"};
  } catch (const Error& error) {
    return {Verdict::failure, first_line(error.what())};
  }
  return {Verdict::ok, "a kernel was built and gave the right result"};
}

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
  std::string backends;
#define PARTITA_NAME(name) backends += backends.empty() ? #name : ", " #name;
  PARTITA_BACKENDS(PARTITA_NAME)
#undef PARTITA_NAME
  return {Verdict::ok,
          cat("GEMMs by CLBlast (opencl) and oneDNN (cpu); backends built in: ", backends)};
}

int doctor() {
  struct Check {
    const char* name;
    Finding (*run)();
  };
  constexpr Check checks[] = {
      {"OpenCL drivers", check_drivers}, {"OpenCL devices", check_devices},
      {"OpenCL kernels", check_kernel},  {"C compiler", check_compiler},
      {"MPI launch", check_mpi},         {"kernel cache", check_cache},
      {"affinity", check_affinity},      {"BLAS", check_blas},
  };
  constexpr const char* words[] = {"ok     ", "warning", "FAILED "};
  int failures = 0;
  for (const Check& check : checks) {
    const Finding finding = check.run();
    std::printf("%s  %-15s %s\n", words[int(finding.verdict)], check.name, finding.text.c_str());
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
