// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/compile.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/log.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/compile.hpp"
#include "partita/driver/options.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/donation.hpp"
#include "partita/ir/partial_values.hpp"
#include "partita/ir/sharding.hpp"
#include "partita/ir/token_ports.hpp"
#include "plugin/error.hpp"
#include "plugin/memory_kind.hpp"
#include "plugin/protobuf.hpp"

namespace partita::pjrt {

namespace {

/// What the module asks of its arguments or results.
std::vector<std::optional<AskedCut>> asked_cuts(const ir::Module& module,
                                                const std::vector<ir::Dict>& attributes,
                                                const std::vector<Type>& types, int partitions) {
  std::vector<std::optional<AskedCut>> cuts;
  for (std::size_t i = 0; i < types.size(); ++i)
    cuts.push_back(asked_cut(module, attributes[i], types[i], partitions));
  return cuts;
}

/// The cuts of a plan's ports where they are what is asked for; nothing where some are not.
std::optional<std::vector<PortCut>> fitting_cuts(const Plan& plan,
                                                 const std::vector<PortInfo>& ports,
                                                 const std::vector<std::optional<AskedCut>>& asked,
                                                 int partitions, bool may_refine) {
  std::vector<PortCut> cuts;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::optional<PortCut> planned = planned_cut(plan, ports[i], partitions);
    if (!planned || (asked[i] && !asked[i]->fits(*planned, may_refine))) return std::nullopt;
    cuts.push_back(*planned);
  }
  return cuts;
}

/// Those asked for, and wholes where nothing is.
std::vector<PortCut> cuts_or_wholes(const std::vector<std::optional<AskedCut>>& asked,
                                    const std::vector<Type>& types, int partitions) {
  std::vector<PortCut> cuts;
  for (std::size_t i = 0; i < types.size(); ++i)
    cuts.push_back(asked[i] ? asked[i]->cut : whole_cut(types[i].dims.size(), partitions));
  return cuts;
}

/// Whether so many devices have a block each of the partitions of the program's only axis.
bool is_of_one_placement(const Plan& plan, int devices) {
  return plan.mesh.empty() && plan.placements.size() == 1 &&
         plan.placements.front().size % devices == 0;
}

/// As XLA words it, which programs look for.
void expect_option(const std::string& name) {
  const std::vector<std::string> names = driver::option_names();
  if (std::ranges::find(names, name) == names.end())
    throw Failure(abi::invalid_argument, cat("No such compile option: '", name.substr(0, 100),
                                             "': expected ", expected_names(name, names)));
}

/// Arguments that are given up, of which each has a result whose parts are as its own; as with XLA, another stays its
/// caller's, who may go on with it.
std::vector<int> donated_arguments(const ir::Function& function, const CompiledProgram& program) {
  const auto part_of = [](const Type& type, const PortCut& cut) {
    return Type{.dtype = type.dtype, .dims = block_of(cut, type, 0).extents};
  };
  std::vector<Type> results;
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    results.push_back(part_of(program.outputs[k], program.output_cuts[k]));
  std::vector<int> donated;
  for (std::size_t i = 0; i < function.arg_attrs.size(); ++i) {
    if (!ir::is_donated(function.arg_attrs[i])) continue;
    const auto result =
        std::ranges::find(results, part_of(program.inputs[i], program.input_cuts[i]));
    if (result == results.end()) continue;
    results.erase(result);
    donated.push_back(int(i));
  }
  return donated;
}

/// mhlo.memory_kind = "pinned_host", as JAX says it of a result.
bool is_on_host(const ir::Dict& attributes) {
  const ir::Attribute* const kind = attributes.find("mhlo.memory_kind");
  const auto* const name = kind == nullptr ? nullptr : kind->get_if<std::string>();
  return name != nullptr && *name != to_string(MemoryKind::device);
}

}  // namespace

CompiledProgram compile_program(std::string_view text, const CompileRequest& request,
                                driver::CompileOptions options) {
  if (request.replicas != 1)
    throw Failure(abi::unimplemented, cat("expected 1 replica, found ", request.replicas));
  for (const auto& [name, value] : request.options) {
    expect_option(name);
    driver::set_option(options, name, value);
  }
  const std::unique_ptr<ir::Module> module = ir::parse_module(text, "program");
  ir::Function& entry = module->entry(options.function);
  CompiledProgram program;
  program.name = module->name;
  if (ir::meshes(*module).empty()) program.text = text;
  program.partitions = request.partitions;
  program.devices = request.devices;
  for (const ir::Dict& attributes : entry.arg_attrs)
    program.input_is_sum.push_back(ir::is_partial_port(*module, attributes));
  for (const ir::Dict& attributes : entry.res_attrs)
    program.output_is_sum.push_back(ir::is_partial_port(*module, attributes));
  for (const ir::Dict& attributes : entry.res_attrs)
    program.output_on_host.push_back(is_on_host(attributes));
  ir::split_partial_ports(*module, entry);
  ir::replace_token_ports(entry);
  program.inputs = entry.argument_types();
  program.outputs = entry.result_types;
  const int partitions = request.partitions;
  const auto asked_inputs = asked_cuts(*module, entry.arg_attrs, program.inputs, partitions);
  const auto asked_outputs = asked_cuts(*module, entry.res_attrs, program.outputs, partitions);
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(text)));
  program.fingerprint = hasher.hex();

  // As placements over the devices, as a mesh, and at last on one device.
  const auto is_sum = [](bool b) { return b; };
  const bool has_sums = std::ranges::any_of(program.input_is_sum, is_sum) ||
                        std::ranges::any_of(program.output_is_sum, is_sum);
  for (const bool keeps_placements : {true, false}) {
    if (partitions == 1) break;
    if (keeps_placements && has_sums) continue;  // the dimension of terms is cut by axes alone
    try {
      options.shards = true;
      options.keeps_placements = keeps_placements;
      Artifact artifact = partita::compile(*module, options).artifact;
      const Plan& plan = artifact.plan;
      const bool is_split =
          mesh_shards(plan) == partitions || is_of_one_placement(plan, partitions);
      if (!is_split) continue;
      auto inputs = fitting_cuts(plan, plan.inputs, asked_inputs, partitions, false);
      auto outputs = fitting_cuts(plan, plan.outputs, asked_outputs, partitions, true);
      if (!inputs || !outputs) continue;
      program.artifact = std::make_shared<Artifact>(std::move(artifact));
      program.input_cuts = std::move(*inputs);
      program.output_cuts = std::move(*outputs);
      program.donated = donated_arguments(entry, program);
      return program;
    } catch (const partita::Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      log(LogLevel::info, cat(program.name, ": ", error.what()));
    }
  }
  program.is_gathered = partitions > 1;
  if (program.is_gathered)
    log(LogLevel::info, cat(program.name, ": runs on one device of ", partitions,
                            ": not cut over them as its arguments and results are"));
  options.keeps_placements = true;
  options.shards = false;
  program.artifact = std::make_shared<Artifact>(partita::compile(*module, options).artifact);
  program.input_cuts = cuts_or_wholes(asked_inputs, program.inputs, partitions);
  program.output_cuts = cuts_or_wholes(asked_outputs, program.outputs, partitions);
  program.donated = donated_arguments(entry, program);
  return program;
}

// --- As bytes ---------------------------------------------------------------------------------------------

namespace {

// Fields of our own message; the numbers stay.
constexpr int name_field = 1, artifact_field = 2, partitions_field = 3, devices_field = 4,
              gathered_field = 5, inputs_field = 6, outputs_field = 7, donated_field = 8,
              fingerprint_field = 9, text_field = 10, input_sums_field = 11, output_sums_field = 12,
              on_host_field = 13;
// Of a cut.
constexpr int pieces_field = 1, places_field = 2;

std::string cut_message(const PortCut& cut) {
  MessageWriter message;
  message.packed(pieces_field, {cut.pieces.begin(), cut.pieces.end()});
  std::vector<std::int64_t> places;
  for (const Dims& piece : cut.by_device) places.insert(places.end(), piece.begin(), piece.end());
  message.packed(places_field, places);
  return message.text();
}

PortCut read_cut(std::string_view bytes, const Type& type, int partitions) {
  const std::vector<WireField> message = read_message(bytes);
  const std::vector<std::int64_t> pieces = numbers_of(message, pieces_field),
                                  places = numbers_of(message, places_field);
  const std::size_t rank = type.dims.size();
  if (pieces.size() != rank || places.size() != rank * std::size_t(partitions))
    throw_user_error("executable: expected the cut of an array, found another size");
  PortCut cut{Dims(pieces.begin(), pieces.end()), {}};
  for (std::size_t p = 0; p < std::size_t(partitions); ++p)
    cut.by_device.emplace_back(places.begin() + std::ptrdiff_t(p * rank),
                               places.begin() + std::ptrdiff_t((p + 1) * rank));
  return cut;
}

std::vector<PortCut> read_cuts(const std::vector<WireField>& message, int field,
                               const std::vector<Type>& types, int partitions) {
  std::vector<PortCut> cuts;
  for (const WireField& f : message)
    if (f.number == field && f.bytes && cuts.size() < types.size())
      cuts.push_back(read_cut(*f.bytes, types[cuts.size()], partitions));
  if (cuts.size() != types.size()) throw_user_error("executable: expected a cut for each array");
  return cuts;
}

std::vector<Type> types_of(const std::vector<PortInfo>& ports) {
  std::vector<Type> types;
  for (const PortInfo& port : ports) types.push_back(port.type);
  return types;
}

}  // namespace

std::string serialize(const CompiledProgram& program) {
  const std::vector<std::byte> artifact = serialize_artifact(*program.artifact);
  MessageWriter message;
  message.bytes(name_field, program.name)
      .bytes(artifact_field, {reinterpret_cast<const char*>(artifact.data()), artifact.size()})
      .number(partitions_field, program.partitions)
      .packed(devices_field, {program.devices.begin(), program.devices.end()})
      .number(gathered_field, program.is_gathered ? 1 : 0)
      .packed(donated_field, {program.donated.begin(), program.donated.end()})
      .bytes(fingerprint_field, program.fingerprint)
      .bytes(text_field, program.text)
      .packed(input_sums_field, {program.input_is_sum.begin(), program.input_is_sum.end()})
      .packed(output_sums_field, {program.output_is_sum.begin(), program.output_is_sum.end()})
      .packed(on_host_field, {program.output_on_host.begin(), program.output_on_host.end()});
  for (const PortCut& cut : program.input_cuts) message.bytes(inputs_field, cut_message(cut));
  for (const PortCut& cut : program.output_cuts) message.bytes(outputs_field, cut_message(cut));
  return message.text();
}

CompiledProgram deserialize(std::string_view bytes) {
  const std::vector<WireField> message = read_message(bytes);
  const auto text_of = [&](int field) {
    const WireField* const f = find_field(message, field);
    if (f == nullptr || !f->bytes)
      throw_user_error(cat("executable: expected field ", field, ", found none"));
    return *f->bytes;
  };
  const auto number_of = [&](int field) {
    const std::vector<std::int64_t> numbers = numbers_of(message, field);
    return numbers.empty() ? 0 : numbers.back();
  };
  CompiledProgram program;
  program.name = text_of(name_field);
  program.fingerprint = text_of(fingerprint_field);
  program.text = text_of(text_field);
  const std::string_view artifact = text_of(artifact_field);
  program.artifact =
      std::make_shared<Artifact>(parse_artifact(std::as_bytes(std::span(artifact)), "executable"));
  program.partitions = int(number_of(partitions_field));
  program.is_gathered = number_of(gathered_field) != 0;
  for (const std::int64_t device : numbers_of(message, devices_field))
    program.devices.push_back(int(device));
  program.inputs = types_of(program.artifact->plan.inputs);
  program.outputs = types_of(program.artifact->plan.outputs);
  for (const std::int64_t input : numbers_of(message, donated_field)) {
    if (input < 0 || std::size_t(input) >= program.inputs.size())
      throw_user_error("executable: expected a donated argument, found none with its number");
    program.donated.push_back(int(input));
  }
  if (program.partitions < 1 ||
      (!program.devices.empty() && program.devices.size() != std::size_t(program.partitions)))
    throw_user_error("executable: expected a device for each partition");
  const auto read_flags = [&](int field, std::size_t count) {
    const std::vector<std::int64_t> numbers = numbers_of(message, field);
    if (numbers.size() != count) throw_user_error("executable: expected a flag for each array");
    return std::vector<bool>(numbers.begin(), numbers.end());
  };
  program.input_is_sum = read_flags(input_sums_field, program.inputs.size());
  program.output_is_sum = read_flags(output_sums_field, program.outputs.size());
  program.output_on_host = read_flags(on_host_field, program.outputs.size());
  program.input_cuts = read_cuts(message, inputs_field, program.inputs, program.partitions);
  program.output_cuts = read_cuts(message, outputs_field, program.outputs, program.partitions);
  return program;
}

}  // namespace partita::pjrt
