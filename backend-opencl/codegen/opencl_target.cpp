// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints kernels as OpenCL C 1.2: one module per element-type prelude is not worth it, so all
// kernels of a program share one module, and kernels of equal text are one kernel.
#include <map>
#include <set>

#include "partita/base/error.hpp"
#include "partita/passes/target.hpp"
#include "passes/kernel/plan_builder.hpp"
#include "passes/kernel/printer.hpp"

namespace partita::passes {
namespace {

/// Multiply-adds from which CLBlast is taken without being asked: its first call on a device costs
/// seconds (docs/opencl-device.md), which smaller products never win back.
constexpr std::int64_t clblast_threshold = std::int64_t(1) << 30;

/// Sixteen floats: one register with AVX-512, two with AVX2.
constexpr std::int64_t vector_bytes = 64;

/// Parameters and body; the kernel's name is put before it.
std::string kernel_text(const Kernel& k, kernel::ScalarText& text) {
  const BodyNames names =
      k.wide_index ? BodyNames{"long", DType::i64} : BodyNames{"int", DType::i32};
  const std::string body = print_body(k, text, names);
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
  return cat("(", parameters, ") {\n", moves, "  const ", names.index_type, " k0 = (",
             names.index_type, ")get_global_id(0);\n", body, "}\n");
}

void renumber(Steps& steps, const std::vector<int>& kernels);

void renumber(Step& step, const std::vector<int>& kernels) {
  if (Launch* l = std::get_if<Launch>(&step.what)) l->kernel = kernels[std::size_t(l->kernel)];
  if (For* s = std::get_if<For>(&step.what)) renumber(s->body, kernels);
  if (While* s = std::get_if<While>(&step.what)) {
    renumber(s->condition, kernels);
    renumber(s->body, kernels);
  }
  if (Case* s = std::get_if<Case>(&step.what))
    for (Steps& b : s->branches) renumber(b, kernels);
}

void renumber(Steps& steps, const std::vector<int>& kernels) {
  for (Step& s : steps) renumber(s, kernels);
}

/// Kernels that a launch of the plan still names.
void find_launched(const Steps& steps, std::set<int>& launched) {
  for (const Step& s : steps) {
    if (const Launch* l = std::get_if<Launch>(&s.what)) launched.insert(l->kernel);
    if (const For* f = std::get_if<For>(&s.what)) find_launched(f->body, launched);
    if (const While* w = std::get_if<While>(&s.what)) {
      find_launched(w->condition, launched);
      find_launched(w->body, launched);
    }
    if (const Case* c = std::get_if<Case>(&s.what))
      for (const Steps& b : c->branches) find_launched(b, launched);
  }
}

void generate(const PlanDraft& draft, Artifact& artifact) {
  kernel::ScalarText text(kernel::opencl_dialect());
  std::map<std::string, int> by_text;
  std::map<std::string, int> stems;
  std::vector<int> numbers(draft.kernels.size(), -1);
  std::set<int> launched;
  find_launched(draft.plan.steps, launched);
  std::string source;
  for (const int k : launched) {
    const Kernel& kernel = *draft.kernels[std::size_t(k)];
    const std::string body = kernel_text(kernel, text);
    const auto [it, is_new] = by_text.emplace(body, int(artifact.kernels.size()));
    numbers[std::size_t(k)] = it->second;
    if (!is_new) continue;
    const int count = stems[kernel.stem]++;
    const std::string name = count == 0 ? kernel.stem : cat(kernel.stem, "_v", count);
    if (!kernel.comment.empty()) source += cat("\n// ", kernel.comment);
    source += cat("\n__kernel void ", name, body);
    artifact.kernels.push_back({name, 0});
  }
  renumber(artifact.plan.steps, numbers);
  artifact.modules.push_back({"kernels", text.prelude_and_helpers() + source});
}

}  // namespace

const Target& target_opencl();
const Target& target_opencl() {
  static const Target target{"opencl", clblast_threshold, generate, vector_bytes};
  return target;
}

}  // namespace partita::passes
