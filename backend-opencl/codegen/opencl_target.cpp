// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints kernels as OpenCL C 1.2: one module per element-type prelude is not worth it, so all
// kernels of a program share one module, and kernels of equal text are one kernel.
#include <algorithm>

#include "backend-opencl/codegen/opencl_dialect.hpp"
#include "backend-opencl/codegen/opencl_profiles.hpp"
#include "kernel/analysis/kernel_work.hpp"
#include "kernel/print/kernel_list.hpp"
#include "kernel/print/printer.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita_embedded/opencl_tuning.hpp"

namespace partita::opencl::codegen {

using namespace kernel;
using namespace driver;
namespace {

/// Multiply-adds from which CLBlast is taken without being asked: its first call on a device costs
/// seconds (docs/opencl-device.md), which smaller products never win back.
constexpr std::int64_t clblast_threshold = std::int64_t(1) << 33;

/// Multiply-adds from which copying an operand is worth its launch.
constexpr std::int64_t worth_packing = 1 << 25;

/// PoCL runs a group as one vectorised loop; GPUs take multiples of 32 items.  Vectors of sixteen
/// floats are one register with AVX-512, two with AVX2.
TargetInfo default_info(const CompileOptions& /*options*/) {
  return {.vector_bytes = 64,
          .tile_rows = 12,
          .tile_vectors = 2,
          .preferred_group = 64,
          .library_threshold = clblast_threshold,
          .packing_threshold = worth_packing,
          .has_row_launches = true};
}

/// Sums are vectorised on CPUs alone; NVIDIA's compiler refuses the statement.
BodyNames names_of(const Kernel& k, DeviceClass device_class) {
  BodyNames names = k.wide_index ? BodyNames{"long", DType::i64} : BodyNames{"int", DType::i32};
  names.barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  if (device_class == DeviceClass::multicore) names.reordered = "#pragma clang fp reassociate(on)";
  return names;
}

bool has_matrix_units(const Block& stmts) {
  return std::ranges::any_of(stmts, [](const Stmt& s) {
    return as<LoadMatrices>(s) != nullptr || as<MultiplyMatrices>(s) != nullptr ||
           has_matrix_units(body_of(s));
  });
}

/// Arrays, of the group where it is a kernel of groups, and statements.
std::string body_text(const Kernel& k, kernel::ScalarText& text, DeviceClass device_class) {
  const std::string arrays = declared_arrays(k, text, k.group_items > 0 ? "__local " : "");
  const std::string body = print_body(k, text, names_of(k, device_class));
  if (k.plain == nullptr) return arrays + body;
  const std::string exchange = has_matrix_units(k.body)
                                   ? cat("  declare_matrix_exchange(", k.group_items, ")\n")
                                   : std::string();
  return cat("#ifdef PARTITA_MATRIX_UNITS\n", exchange, arrays, body, "#else\n",
             body_text(*k.plain, text, device_class), "#endif\n");
}

/// Parameters and body; the kernel's name is put before it.
std::string kernel_text(const Kernel& k, kernel::ScalarText& text, DeviceClass device_class) {
  const BodyNames names = names_of(k, device_class);
  const std::string body = body_text(k, text, device_class);
  std::string parameters, moves;
  for (std::size_t b = 0; b < k.buffers.size(); ++b) {
    const BufferParam& p = k.buffers[b];
    parameters += cat(b == 0 ? "" : ", ", "__global ", p.is_written ? "" : "const ",
                      text.stored_type(p.dtype), "* b", b, ", const long o", b);
    moves += cat("  b", b, " += o", b, ";\n");
  }
  for (int s = 0; s < k.scalars; ++s) {
    parameters += cat(parameters.empty() ? "" : ", ", "const long l", s);
    moves += cat("  const ", names.index_type, " s", s, " = (", names.index_type, ")l", s, ";\n");
  }
  const auto coordinate = [&](std::int32_t variable, std::string_view of) {
    return cat("  const ", names.index_type, " k", variable, " = (", names.index_type, ")", of,
               ";\n");
  };
  if (k.group_items > 0)
    moves += coordinate(0, "get_local_id(0)") + coordinate(k.group_variable, "get_group_id(0)");
  else
    moves += coordinate(0, "get_global_id(0)");
  if (k.row_variable >= 0) moves += coordinate(k.row_variable, "get_global_id(1)");
  return cat("(", parameters, ") {\n", moves, body, "}\n");
}

void generate(const PlanDraft& draft, const CompileOptions& options, const TargetInfo& info,
              Artifact& artifact) {
  kernel::ScalarText text(opencl_dialect(info.device_class));
  std::string source;
  const std::vector<PrintedKernel> printed = print_kernels(
      draft, artifact,
      [&](const Kernel& kernel) { return kernel_text(kernel, text, info.device_class); });
  if (info.device_class == DeviceClass::simt)
    for (std::size_t k = 0; k < printed.size(); ++k)
      artifact.kernels[k].work = work_of(*printed[k].kernel);
  for (const PrintedKernel& k : printed) {
    if (!k.comment.empty()) source += cat("\n// ", k.comment);
    const std::int64_t group = k.kernel->group_items;
    source += "\n";
    if (group > 0) source += cat("__attribute__((reqd_work_group_size(", group, ", 1, 1)))\n");
    source += cat("__kernel void ", k.name, k.text);
  }
  if (text.uses_f64() && !info.has_f64)
    throw_user_error(cat("--device: expected a device with fp64, which the program needs, found '",
                         options.device, "', which has none"));
  artifact.modules.push_back({"kernels", text.prelude_and_helpers() + source});
}

std::vector<Target::TuningText> tunings() {
  std::vector<Target::TuningText> all;
  for (const embedded::File& file : embedded::opencl_tuning)
    all.push_back({file.name.substr(0, file.name.rfind('.')), file.text});
  return all;
}

}  // namespace

}  // namespace partita::opencl::codegen

namespace partita::driver {

using namespace opencl::codegen;

const Target& target_opencl();
const Target& target_opencl() {
  static const Target target{.name = "opencl",
                             .generate = generate,
                             .default_info = default_info,
                             .library_names = {"clblast"},
                             .tunings = tunings(),
                             .profiles = opencl_profiles(),
                             .simt_profile = "gpu"};
  return target;
}

}  // namespace partita::driver
