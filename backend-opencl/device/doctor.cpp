// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/doctor.hpp"

#include <filesystem>

#include "backend-opencl/device/discovery.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/exec/executor.hpp"

namespace partita::opencl {
namespace {

using Verdict = Finding::Verdict;

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
  int found = 0;
  for (const DeviceSlot& slot : find_devices()) {
    names += cat(names.empty() ? "" : "; ", query_profile(slot.platform, slot.device).name);
    ++found;
  }
  if (found == 0) return {Verdict::failure, "no device found"};
  return {Verdict::ok, cat(found, " found: ", names)};
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

}  // namespace

std::vector<MachineCheck> machine_checks() {
  return {{"OpenCL drivers", check_drivers},
          {"OpenCL devices", check_devices},
          {"OpenCL kernels", check_kernel}};
}

}  // namespace partita::opencl
