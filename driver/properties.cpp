// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/properties.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;
namespace {

/// Why so many partitions are taken at a time, by placement.
std::map<std::string, std::string> block_reasons(const ir::Module& module) {
  std::map<std::string, std::string> reasons;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](const ir::Node& node) {
      if (node.is("mr.foreach") && node.attrs.find("mr.block_reason") != nullptr)
        reasons[node.attrs.text("placement")] = node.attrs.text("mr.block_reason");
    });
  return reasons;
}

/// What passes say beside remarks, "residuals of WHERE: BYTES": what derivatives keep from forward to
/// reverse, what is streamed.
void add_notes(const PassContext& context, Artifact& artifact) {
  const auto total = context.counts.find("residual_bytes");
  if (total != context.counts.end())
    artifact.properties.emplace_back("residuals", cat(total->second, " bytes"));
  for (const std::string& note : context.notes) {
    const std::size_t colon = note.find(": ");
    PARTITA_ASSERT(colon != std::string::npos);
    artifact.properties.emplace_back(note.substr(0, colon), note.substr(colon + 2));
  }
}

/// What was asked for and decided, as the manifest and `inspect` say it.
void add_properties(const ir::Module& module, const CompileOptions& options, const PlanDraft& draft,
                    Artifact& artifact) {
  for (const auto& [name, size] : options.placements)
    artifact.properties.emplace_back("placement." + name, std::to_string(size));
  for (const auto& [placement, reason] : block_reasons(module))
    artifact.properties.emplace_back("block." + placement, reason);
  for (const auto& [name, how] : draft.contractions)
    artifact.properties.emplace_back("contraction." + name, how);
  artifact.properties.emplace_back("device", options.device);
  artifact.properties.emplace_back("function", options.function);
  artifact.properties.emplace_back("gemm", options.gemm);
  if (options.rounds_to_tf32) artifact.properties.emplace_back("f32-products", "tf32");
  artifact.properties.emplace_back("layout", options.layout);
  if (!options.mesh.empty()) artifact.properties.emplace_back("mesh", options.mesh);
  if (options.wire.format != WireFormat::exact)
    artifact.properties.emplace_back("allreduce-dtype", to_string(options.wire.format));
  if (options.wire.feeds_back) artifact.properties.emplace_back("allreduce-feedback", "on");
  if (options.is_reproducible) artifact.properties.emplace_back("reproducible", "on");
  if (!options.keeps_placements) artifact.properties.emplace_back("placements", "dimensions");
  if (!options.shards) artifact.properties.emplace_back("sharding", "off");
}

/// Parameters of the library travel with the calls that need them.
void add_library_settings(const ChosenTuning& chosen, const PlanDraft& draft, Artifact& artifact) {
  const auto calls = draft.counts.find("library_calls");
  if (!chosen.tuning || calls == draft.counts.end() || calls->second == 0 ||
      chosen.tuning->parameters.empty())
    return;
  artifact.library = {.devices = chosen.tuning->device.covers,
                      .parameters = chosen.tuning->parameters};
}

}  // namespace

PlannedBytes planned_bytes(const Plan& plan) {
  std::vector<std::int64_t> variables(plan.variables.size(), 0);
  const auto total = [&] {
    std::int64_t bytes = plan.arena_bytes;
    for (const Buffer& b : plan.buffers)
      if (b.kind != BufferKind::arena && b.kind != BufferKind::spare)
        bytes += b.count.evaluate(variables) * std::int64_t(byte_size(b.dtype));
    return bytes;
  };
  const std::int64_t constant = total();
  PlannedBytes result{cat(constant, " bytes"), constant};
  for (const Placement& p : plan.placements) {
    if (p.end_variable < 0) continue;
    variables[std::size_t(p.end_variable)] = 1;
    const std::int64_t each = total() - constant;
    variables[std::size_t(p.end_variable)] = 0;
    result.formula += cat(" + ", each, " bytes * block(", p.name, ")");
    result.one_shard += each * p.size;
  }
  return result;
}

void describe(const CompiledProgram& program, const CompileOptions& options,
              const PlannedBytes& planned, Artifact& artifact) {
  add_library_settings(program.tuning, program.draft, artifact);
  add_properties(program.module, options, program.draft, artifact);
  add_notes(program.context, artifact);
  artifact.properties.emplace_back("target_info", to_string(program.target));
  artifact.properties.emplace_back("tuning", program.tuning.text);
  artifact.properties.emplace_back("planned_bytes", planned.formula);
  std::ranges::sort(artifact.properties);
}

}  // namespace partita::driver
