// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints kernels as functions of C11 over ranges of work-items and has the compiler of this machine
// make one shared object for each instruction set asked for, or writes them as lane code.
#include <algorithm>
#include <limits>

#include "backend-cpu/codegen/c_dialect.hpp"
#include "backend-cpu/codegen/cpu_options.hpp"
#include "backend-cpu/codegen/host_compiler.hpp"
#include "backend-cpu/codegen/lane_writer.hpp"
#include "backend-cpu/codegen/object_code.hpp"
#include "backend-cpu/codegen/source_units.hpp"
#include "backend-cpu/codegen/step_functions.hpp"
#include "backend-cpu/codegen/work_loops.hpp"
#include "kernel/analysis/kernel_work.hpp"
#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "kernel/print/kernel_list.hpp"
#include "kernel/print/printer.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/machine_check.hpp"
#include "partita/driver/target.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
using namespace driver;
namespace {

/// Multiply-adds from which a product by the library is faster than the generated kernel, or than
/// lane code.
constexpr std::int64_t blas_threshold = 4096, interpreted_threshold = 64;
/// Multiply-adds from which copying an operand is worth its launch.
constexpr std::int64_t worth_packing = 1 << 19;

/// gcc 12.2 reads t[c] for a truth value c as t[-1] where it vectorises the loop, whatever operations c
/// comes from (docs/decisions/0011-promises-of-generated-code.md).
constexpr std::string_view unknown_zero = "unknown_zero";

/// A statement that keeps a loop from becoming vectors.
constexpr std::string_view stays_scalar = "__asm__ volatile(\"\");";
/// Elements of one buffer that an item stores or loads from which vectors, put together element by element, are much text.
constexpr std::size_t many_elements = 4;
/// Operations up to which a launch takes less than compilers would take over such vectors in thousands of runs.
constexpr double little_work = 1 << 16;

/// Whether places of neighbouring items are no fixed number of elements apart: divisions of the item say where they are.
bool is_scattered(const Kernel& kernel, scalar::ExprId place) {
  using scalar::ExprKind;
  return std::ranges::any_of(reachable(kernel.pool, place), [&](scalar::ExprId id) {
    const scalar::Expr& e = kernel.pool[id];
    return (e.kind == ExprKind::index_div || e.kind == ExprKind::index_mod) &&
           std::ranges::any_of(reachable(kernel.pool, id), [&](scalar::ExprId of) {
             return kernel.pool[of].kind == ExprKind::index_variable && kernel.pool[of].slot == 0;
           });
  });
}

/// Whether a kernel is better off without vectors of several items: each item writes several elements, which lie scattered or
/// are made of several that do, and all of them do little.  `in_loops`: the kernel in loops over items.
bool is_better_scalar(const Kernel& kernel, const Kernel& in_loops) {
  if (double(kernel.pool.extent(0)) * work_per_item(kernel) > little_work) return false;
  const KernelAccess access(in_loops);
  const auto has_many = [](const std::set<scalar::ExprId>& places) {
    return places.size() >= many_elements;
  };
  const auto is_scattered_here = [&](const std::set<scalar::ExprId>& places) {
    return has_many(places) && is_scattered(in_loops, *places.begin());
  };
  return std::ranges::any_of(access.stores, has_many) &&
         (std::ranges::any_of(access.stores, is_scattered_here) ||
          std::ranges::any_of(access.loads, is_scattered_here));
}

/// Prints kernels of one module and remembers what their text needs before it.
class KernelPrinter {
 public:
  explicit KernelPrinter(std::int64_t vector_bytes) : vector_bytes_(vector_bytes) {}

  /// Parameters and body; the kernel's name is put before it.
  std::string print(const Kernel& kernel) {
    const WorkLoops loops = with_work_loops(kernel);
    const Kernel& k = loops.kernel;
    BodyNames names = k.wide_index ? BodyNames{"i64", DType::i64} : BodyNames{"i32", DType::i32};
    if (k.arrays.empty()) names.parallel_loop = item_loop;  // items take turns with their arrays
    if (is_better_scalar(kernel, k)) names.parallel_body = stays_scalar;
    names.reduction_loop = names.parallel_lanes = "#pragma omp simd";
    names.lanes = [](std::int64_t count) { return cat(" simdlen(", count, ")"); };
    names.vector_bytes = vector_bytes_;
    names.kept = [](DType d, const std::string& x, const std::string& condition) -> std::string {
      if (d != DType::f32 && d != DType::f64) return "";
      const int bits = info(d).bits;
      return cat("as_f", bits, "(as_i", bits, "(", x, ") & -(i", bits, ")", condition, ")");
    };
    names.reduction = [&](std::string_view row, DType d, const std::string& name) {
      return reduction(row, d, name);
    };
    names.unknown_zero = unknown_zero;
    names.has_flat_memory = true;
    names.item_place = loops.lane;
    std::string declarations;
    for (const auto& [slot, dtype] : loops.lane_registers) {
      names.item_registers.insert(slot);
      declarations += cat("  ", text_.value_type(dtype), " r", slot, "[", WorkLoops::lanes, "];\n");
    }
    declarations += declared_arrays(k, text_, "");
    const std::string body = print_body(k, text_, names);
    if (body.find(unknown_zero) != std::string::npos)
      declarations += cat("  ", names.index_type, " ", unknown_zero,
                          " = 0;\n  __asm__(\"\" : \"+r\"(", unknown_zero, "));\n");
    return cat(
        "(i64 begin, i64 end, void* const* buffers, const i64* offsets, const i64* scalars) {\n",
        parameters(k, names), declarations, body, "}\n");
  }

  [[nodiscard]] std::string before_kernels() const { return text_.prelude_and_helpers(); }

 private:
  std::string parameters(const Kernel& k, const BodyNames& names) {
    std::string moves;
    for (std::size_t b = 0; b < k.buffers.size(); ++b) {
      const BufferParam& p = k.buffers[b];
      const std::string type = text_.stored_type(p.dtype);
      moves += cat("  ", p.is_written ? "" : "const ", type, "* b", b, " = (", type, "*)buffers[",
                   b, "] + offsets[", b, "];\n");
    }
    const int own = k.scalars - 2;
    for (int s = 0; s < own; ++s)
      moves += cat("  const ", names.index_type, " s", s, " = (", names.index_type, ")scalars[", s,
                   "];\n");
    return cat(moves, "  const ", names.index_type, " s", own, " = (", names.index_type,
               ")begin, s", own + 1, " = (", names.index_type, ")end;\n");
  }

  /// Lets the compiler reorder what a row combines, as the meaning of reductions allows.
  LoopReduction reduction(std::string_view row, DType d, const std::string& name) {
    const bool is_maximum = row == "maximum";
    if (info(d).bits < 32 || is_complex(d)) return {};
    if (row == "add" || row == "multiply")
      return {.clause = cat(" reduction(", row == "add" ? "+" : "*", " : ", name, ")")};
    if (!is_maximum && row != "minimum") return {};
    // Extrema of integers in the order of the floats, where NaN comes last or first.
    const std::string type = text_.value_type(d);
    const std::string in_order = text_.snippet(cat("in_order_", type)),
                      out_of_order = text_.snippet(cat("out_of_order_", type));
    const std::string term = cat(in_order, "($, ", is_maximum ? "1" : "0", ")");
    return {.clause = cat(" reduction(", is_maximum ? "max" : "min", " : ", name, ")"),
            .type = d == DType::f32 ? "i32" : "i64",
            .begin = cat(in_order, "(@, ", is_maximum ? "1" : "0", ")"),
            .step = cat("# ", is_maximum ? ">" : "<", " ", term, " ? # : ", term),
            .end = cat(out_of_order, "(#)")};
  }

  kernel::ScalarText text_{c_dialect()};
  std::int64_t vector_bytes_;
};

bool has_level(const CompileOptions& options, std::string_view level) {
  const std::vector<std::string> levels = chosen_levels(options);
  return std::ranges::find(levels, level) != levels.end();
}

KernelBinary lanes_of(std::span<const PrintedKernel> printed) {
  LaneCode code;
  for (const PrintedKernel& k : printed) code.kernels.push_back(lane_kernel(*k.kernel));
  try {
    check_lane_code(code, "lane code");
  } catch (const Error& error) {
    throw_user_error(
        cat("--tier 0: expected a program that lane code can express, found one whose ",
            error.what(), "; --tier 1 takes it, with a C compiler"));
  }
  const std::string text = lane_code_to_json(code);
  const auto bytes = std::as_bytes(std::span(text));
  return {std::string(lane_code_name), {bytes.begin(), bytes.end()}};
}

/// Whether `runs` runs as lane code would take less time than compiling takes, by rough estimates: too
/// much of the runs rather than too little, of compiling the other way round.
bool pays_interpreting(const PlanWork& work, std::int64_t runs, std::size_t kernels) {
  constexpr double launch_seconds = 2e-6, operation_seconds = 3e-9, block_seconds = 8e-8,
                   multiply_add_seconds = 4e-11;
  constexpr double start_seconds = 0.08, kernel_seconds = 0.03;
  const double once = work.launches * launch_seconds + work.operations * operation_seconds +
                      work.block_operations * block_seconds +
                      work.multiply_adds * multiply_add_seconds;
  return double(runs) * once < start_seconds + double(kernels) * kernel_seconds;
}

void generate(const PlanDraft& draft, const CompileOptions& options, const TargetInfo& info,
              Artifact& artifact) {
  const std::vector<std::string> levels = chosen_levels(options);
  KernelPrinter printer(info.vector_bytes);
  const std::vector<PrintedKernel> printed =
      print_kernels(draft, artifact, [&](const Kernel& kernel) { return printer.print(kernel); });
  if (!makes_machine_code(options)) {
    std::string source = printer.before_kernels();
    for (const PrintedKernel& k : printed) source += definition(k, exported_prefix);
    artifact.modules.push_back({"kernels", std::move(source)});
    if (!artifact.kernels.empty()) artifact.binaries.push_back(lanes_of(printed));
    return;
  }
  std::vector<const Kernel*> kernels;
  for (const PrintedKernel& k : printed) kernels.push_back(k.kernel);
  const PlanWork work = work_of(artifact.plan, kernels);
  std::vector<StepFunction> functions = make_step_functions(artifact, printed);
  // What the text alone is compiled into has steps too.
  const bool has_steps = !functions.empty() || options.text_only;
  const std::set<int> launched = launched_kernels(artifact.plan.steps);
  drop_unlaunched_kernels(artifact);
  const SourceUnits source(cat(printer.before_kernels(), has_steps ? step_function_support() : ""),
                           std::move(functions), launched, {printed, work});
  artifact.modules.push_back({"kernels", source.whole()});
  if (artifact.kernels.empty() || options.text_only) return;
  const std::vector<ObjectUnit> units = source.units();
  if (chosen_tier(options) == Tier::automatic && options.runs > 0 &&
      pays_interpreting(work, options.runs, printed.size()) &&
      !std::ranges::all_of(levels, [&](const auto& level) { return is_in_cache(units, level); }))
    return;
  for (const std::string& level : levels)
    artifact.binaries.push_back({level, compile_shared_object(units, level)});
}

/// Accumulators that leave registers for what is multiplied: AVX-512 has 32 of 64 bytes, AVX2 16 of 32
/// bytes, SSE 16 of 16.  One plan serves all levels, so the most demanding one decides.
TargetInfo default_info(const CompileOptions& options) {
  TargetInfo info{.vector_bytes = 64,
                  .registers = 32,
                  .register_bytes = 64,
                  .tile_rows = 12,
                  .tile_vectors = 2,
                  .library_threshold = blas_threshold,
                  .packing_threshold = worth_packing,
                  .has_row_launches = false};
  if (has_level(options, "x86-64-v4")) return info;
  const std::int64_t bytes = has_level(options, "x86-64-v3")   ? 32
                             : has_level(options, "x86-64-v2") ? 16
                                                               : 0;
  if (bytes == 0) return info;
  info.vector_bytes = info.register_bytes = bytes;
  info.registers = 16;
  info.tile_rows = 6;
  return info;
}

/// Instructions for bf16 come with the vectors of x86-64-v4 or not at all.  An object's library has no
/// common function for such products, nor for convolutions.  Lane code has no vectors.
void adapt(const CompileOptions& options, TargetInfo& info) {
  info.library_reads_bf16 = !options.text_only && has_level(options, "x86-64-v4");
  // How the library adds up depends on how a step is cut for threads.
  info.library_convolves = !options.text_only && !options.is_reproducible &&
                           (has_level(options, "x86-64-v3") || has_level(options, "x86-64-v4"));
  if (makes_machine_code(options)) return;
  info.vector_bytes = 0;
  info.library_threshold = std::min(info.library_threshold, interpreted_threshold);
}

ObjectCode emit(const std::string& name, std::span<const ObjectFunction> functions,
                const CompileOptions& options) {
  return emit_object(name, functions, chosen_levels(options).front());
}

ObjectCode emit_text(const std::string& name, const ObjectFunction& function,
                     const CompileOptions& options) {
  return emit_c(name, function, chosen_levels(options).front());
}

Finding check_compiler() {
  const std::string compiler = environment("PARTITA_CC").value_or("cc");
  const CommandResult result = run_command(cat("'", compiler, "' --version"));
  if (result.status != 0)
    return {Finding::Verdict::warning,
            cat("no C compiler '", compiler,
                "': programs for target cpu run as lane code, slower than machine "
                "code (install gcc, or name one in PARTITA_CC)")};
  return {Finding::Verdict::ok, cat(first_line(result.output), ", for ", best_cpu_level())};
}

}  // namespace

}  // namespace partita::cpu::codegen

namespace partita::driver {

using namespace cpu::codegen;

const Target& target_cpu();
const Target& target_cpu() {
  static constexpr TargetProfile profiles[] = {{"generic", [](TargetInfo&) {}}};
  static const Target target{.name = "cpu",
                             .generate = generate,
                             .default_info = default_info,
                             .adapt = adapt,
                             .emit_object = emit,
                             .emit_c = emit_text,
                             .check_emit = check_cpu_emit,
                             .options = cpu_options(),
                             .alternatives = cpu_alternatives,
                             .use_driver = use_cpu_driver,
                             .checks = {{"C compiler", check_compiler}},
                             .tunings = {},
                             .profiles = profiles};
  return target;
}

}  // namespace partita::driver
