// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/executable.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/cost.hpp"
#include "plugin/buffer.hpp"
#include "plugin/element_types.hpp"
#include "plugin/error.hpp"
#include "plugin/event.hpp"
#include "plugin/functions.hpp"
#include "plugin/hand_out.hpp"
#include "plugin/layouts.hpp"
#include "plugin/program_text.hpp"
#include "plugin/topology.hpp"

namespace partita::pjrt {

// --- Running -----------------------------------------------------------------------------------------------

Loaded::Loaded(Client& client, CompiledProgram program)
    : program_(std::make_shared<const CompiledProgram>(std::move(program))),
      calls_host_(!called_functions(program_->artifact->plan).empty()) {
  if (program_->artifact->target != client.topology.target())
    throw_user_error(cat(program_->name, ": expected an executable for ", client.topology.target(),
                         ", found one for ", program_->artifact->target));
  for (const int id : program_->devices) devices_.push_back(client.device(id));
  if (devices_.empty()) devices_.push_back(client.own_devices.front());
  for (std::size_t p = 0; p < devices_.size(); ++p) {
    if (!devices_[p]->stream) continue;
    own_devices_.push_back(devices_[p]);
    own_partitions_.push_back(int(p));
  }
  if (own_devices_.empty()) return;  // another process's matter
  job_ = client.job_of(devices_);
  static_cast<void>(function_on(own_devices_.front()));
}

const Function& Loaded::function_on(DeviceHandle* device) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Function>& function = functions_[device];
  if (function) return *function;
  device->expect_here();
  std::vector<std::shared_ptr<Stream>> streams{device->stream};
  std::shared_ptr<Communicators> job;
  if (program_->partitions > 1 && !program_->is_gathered) {
    streams.clear();
    for (const DeviceHandle* const d : own_devices_) streams.push_back(d->stream);
    job = job_;
  }
  function = std::make_unique<Function>(program_->artifact, std::move(streams), std::move(job));
  return *function;
}

namespace {

/// A device's part of a sum as its caller has it, and as the program does: one term of several.
Dims without_term(const Dims& dims) { return {dims.begin() + 1, dims.end()}; }
Dims with_term(const Dims& dims) {
  Dims all{1};
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

std::vector<Loaded::Arrays> reshaped(std::vector<Loaded::Arrays> arrays,
                                     const std::vector<bool>& is_sum,
                                     Dims (*dims_of)(const Dims&)) {
  for (Loaded::Arrays& of_device : arrays)
    for (std::size_t i = 0; i < std::min(of_device.size(), is_sum.size()); ++i)
      if (is_sum[i]) of_device[i] = of_device[i]->reshaped(dims_of(of_device[i]->type().dims));
  return arrays;
}

}  // namespace

std::vector<Loaded::Arrays> Loaded::execute(std::vector<Arrays> arguments,
                                            std::span<const int> donated, DeviceHandle* on,
                                            std::vector<EventPtr>& done) {
  if (arguments.size() != own_devices_.size())
    throw_user_error(cat(program_->name, ": expected arguments for ", own_devices_.size(),
                         " devices, found ", arguments.size()));
  if (own_devices_.empty()) return {};
  std::vector<Arrays> own = reshaped(std::move(arguments), program_->input_is_sum, with_term);
  std::vector<Arrays> results = program_->is_gathered
                                    ? execute_gathered(own, done)
                                    : function_on(on != nullptr ? on : own_devices_.front())
                                          .execute(std::move(own), donated, &done, calls_host_);
  return reshaped(std::move(results), program_->output_is_sum, without_term);
}

namespace {

/// Whether every process that has partitions has all pieces of an array.
bool every_process_has_all(const PortCut& cut, const std::vector<DeviceHandle*>& devices) {
  std::map<int, std::set<Dims>> pieces;
  for (std::size_t p = 0; p < devices.size(); ++p)
    pieces[devices[p]->description->process].insert(cut.by_device[p]);
  const std::set<Dims> all(cut.by_device.begin(), cut.by_device.end());
  return std::ranges::all_of(pieces, [&](const auto& of) { return of.second == all; });
}

}  // namespace

// Each piece once, from the first partition that has it, of this process where each has all, else of any: then the others
// bring theirs.
std::vector<std::byte> Loaded::gathered(std::size_t i, const std::vector<Arrays>& arguments) const {
  const Type& type = program_->inputs[i];
  const PortCut& cut = program_->input_cuts[i];
  std::vector<ArrayBlock> blocks;
  std::vector<std::size_t> sizes(devices_.size(), 0);  // of the blocks that are needed
  const bool is_here = every_process_has_all(cut, devices_);
  std::set<Dims> seen;
  for (std::size_t p = 0; p < devices_.size(); ++p) {
    const ArrayBlock& block = blocks.emplace_back(block_of(cut, type, int(p)));
    if ((is_here && !devices_[p]->stream) || !seen.insert(cut.by_device[p]).second) continue;
    sizes[p] = Type{.dtype = type.dtype, .dims = block.extents}.bytes();
  }
  std::vector<std::vector<std::byte>> parts(devices_.size());
  for (std::size_t d = 0; d < own_partitions_.size(); ++d) {
    const auto p = std::size_t(own_partitions_[d]);
    const DeviceArray& array = *arguments[d].at(i);
    if (array.type().dims != blocks[p].extents)
      throw_user_error(cat(program_->name, ": argument ", i, ": expected a block of ",
                           to_string(Type{.dtype = type.dtype, .dims = blocks[p].extents}),
                           ", found ", to_string(array.type())));
    parts[p].resize(sizes[p]);
    if (sizes[p] > 0) array.download(parts[p])->wait();
  }
  if (!is_here) {
    std::vector<std::vector<std::byte>> own;
    for (const int p : own_partitions_) own.push_back(std::move(parts[std::size_t(p)]));
    const std::vector<std::byte> all = gather_by_all(*job_, own, sizes, cat("argument ", i));
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts.size(); at += sizes[p++])
      parts[p].assign(all.begin() + std::ptrdiff_t(at),
                      all.begin() + std::ptrdiff_t(at + sizes[p]));
  }
  std::vector<std::byte> whole(type.bytes());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (sizes[p] > 0) blocks[p].put(byte_size(type.dtype), parts[p], whole);
  return whole;
}

// The blocks of all devices meet on the host, one device of each process runs the whole, and each gets its part of the
// results.
std::vector<Loaded::Arrays> Loaded::execute_gathered(const std::vector<Arrays>& arguments,
                                                     std::vector<EventPtr>& done) {
  DeviceHandle* const first = own_devices_.front();
  std::vector<Arrays> wholes(1);
  {
    std::unique_lock lock(Stream::order(), std::defer_lock);
    if (job_) {  // after what the devices are still to do with other processes
      lock.lock();
      for (const DeviceHandle* const device : own_devices_) device->stream->run([](Device&) {});
    }
    for (std::size_t i = 0; i < program_->inputs.size(); ++i)
      wholes.front().push_back(first->stream->upload(program_->inputs[i], gathered(i, arguments)));
  }
  const Arrays results = function_on(first).execute(std::move(wholes), {}, &done).front();
  done.assign(arguments.size(), EventPtr(done.front()));
  std::vector<Arrays> outputs(arguments.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Type& type = program_->outputs[i];
    std::vector<std::byte> whole(type.bytes());
    results[i]->download(whole)->wait();
    for (std::size_t d = 0; d < outputs.size(); ++d) {
      const ArrayBlock block = block_of(program_->output_cuts[i], type, own_partitions_[d]);
      const Type part{.dtype = type.dtype, .dims = block.extents};
      std::vector<std::byte> bytes(part.bytes());
      block.take(byte_size(type.dtype), whole, bytes);
      outputs[d].push_back(own_devices_[d]->stream->upload(part, bytes));
    }
  }
  return outputs;
}

// --- Describing --------------------------------------------------------------------------------------------

namespace {

void point_into(const std::vector<std::string>& texts, std::vector<const char*>& begins,
                std::vector<std::size_t>& sizes) {
  for (const std::string& text : texts) {
    begins.push_back(text.data());
    sizes.push_back(text.size());
  }
}

}  // namespace

namespace {

MemoryKind output_kind(const CompiledProgram& program, std::size_t output) {
  return program.output_on_host[output] ? MemoryKind::host : MemoryKind::device;
}

}  // namespace

Executable::Executable(std::shared_ptr<const CompiledProgram> of) : program(std::move(of)) {
  const auto layout_of = [](const Type& type, bool is_sum) {
    return row_major_layout(type.dims.size() - (is_sum ? 1 : 0));
  };
  for (std::size_t i = 0; i < program->inputs.size(); ++i) {
    const bool is_sum = program->input_is_sum[i];
    input_shardings.push_back(sharding_message(program->input_cuts[i], is_sum));
    input_layouts.push_back(layout_of(program->inputs[i], is_sum));
  }
  for (std::size_t i = 0; i < program->outputs.size(); ++i) {
    const bool is_sum = program->output_is_sum[i];
    output_shardings.push_back(sharding_message(program->output_cuts[i], is_sum));
    output_layouts.push_back(layout_of(program->outputs[i], is_sum));
  }
  point_into(input_shardings, input_sharding_texts, input_sharding_sizes);
  point_into(output_shardings, output_sharding_texts, output_sharding_sizes);
  for (std::size_t i = 0; i < program->outputs.size(); ++i) {
    const Type& type = program->outputs[i];
    const Dims dims = program->output_is_sum[i] ? without_term(type.dims) : type.dims;
    output_types.push_back(number_of(type.dtype));
    output_ranks.push_back(dims.size());
    output_dims.insert(output_dims.end(), dims.begin(), dims.end());
    const std::string_view kind = to_string(output_kind(*program, i));
    memory_kinds.push_back(kind.data());
    memory_kind_sizes.push_back(kind.size());
  }
}

namespace {

constexpr std::string_view program_format = "mlir";

template <class Call>
const CompiledProgram& program_of(const Call& call) {
  if constexpr (requires { call.executable->program; })
    return *call.executable->program;
  else
    return *call.executable->loaded->program();
}

void destroy(abi::OfExecutable& call) { delete call.executable; }
void name(abi::ExecutableText<Executable>& call) { set_text(call, program_of(call).name); }
void fingerprint(abi::ExecutableText<Executable>& call) {
  set_text(call, program_of(call).fingerprint);
}
void loaded_fingerprint(abi::ExecutableText<LoadedExecutable>& call) {
  set_text(call, program_of(call).fingerprint);
}
void num_replicas(abi::ExecutableCount& call) { call.count = 1; }
void num_partitions(abi::ExecutableCount& call) {
  call.count = std::size_t(program_of(call).partitions);
}
void num_outputs(abi::ExecutableCount& call) { call.count = program_of(call).outputs.size(); }

std::int64_t code_bytes(const Artifact& artifact) {
  std::int64_t bytes = 0;
  for (const KernelBinary& binary : artifact.binaries) bytes += std::int64_t(binary.bytes.size());
  return bytes;
}

void code_size(abi::ExecutableCodeSize& call) {
  call.bytes = code_bytes(*program_of(call).artifact);
}

void memory_stats(abi::ExecutableMemoryStats& call) {
  const CompiledProgram& program = program_of(call);
  const auto bytes_of = [](const std::vector<Type>& types, const std::vector<PortCut>& cuts) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const ArrayBlock block = block_of(cuts[i], types[i], 0);
      bytes += std::int64_t(Type{.dtype = types[i].dtype, .dims = block.extents}.bytes());
    }
    return bytes;
  };
  call = {.header = call.header, .executable = call.executable};
  call.code_bytes = code_bytes(*program.artifact);
  call.argument_bytes = bytes_of(program.inputs, program.input_cuts);
  call.output_bytes = bytes_of(program.outputs, program.output_cuts);
  const Plan& plan = program.artifact->plan;
  call.temporary_bytes = temporary_bytes(plan, program.is_gathered ? 1 : program.partitions);
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    if (donor_of(plan, int(k)) >= 0)
      call.alias_bytes += std::int64_t(local_type(plan, plan.outputs[k]).bytes());
  call.peak_bytes = call.total_bytes =
      call.argument_bytes + call.output_bytes - call.alias_bytes + call.temporary_bytes;
}

/// Of a device's part, under the names that XLA's analysis has.
void cost_analysis(abi::ExecutableCostAnalysis& call) {
  std::vector<abi::NamedValue>& costs = call.executable->costs;
  if (costs.empty()) {
    const Artifact& artifact = *program_of(call).artifact;
    const auto module = ir::parse_module(artifact.ir, "program");
    const ir::Cost cost = ir::cost_of(module->entry(artifact.name));
    const auto add = [&](std::string_view name, double value) {
      abi::NamedValue& named = costs.emplace_back(abi::NamedValue{
          {sizeof(abi::NamedValue), nullptr}, name.data(), name.size(), abi::float_value, {}, 1});
      named.float32 = float(value);
    };
    add("flops", cost.flops);
    add("transcendentals", cost.transcendentals);
    add("bytes accessed", cost.bytes);
  }
  call.num_properties = costs.size();
  call.properties = costs.data();
}

void output_memory_kinds(abi::ExecutableMemoryKinds& call) {
  call.num_outputs = call.executable->memory_kinds.size();
  call.kinds = call.executable->memory_kinds.data();
  call.kind_sizes = call.executable->memory_kind_sizes.data();
}

void output_types(abi::ExecutableOutputTypes& call) {
  call.types = call.executable->output_types.data();
  call.num_outputs = call.executable->output_types.size();
}

void output_dims(abi::ExecutableOutputDims& call) {
  call.num_outputs = call.executable->output_ranks.size();
  call.dims = call.executable->output_dims.data();
  call.dim_counts = call.executable->output_ranks.data();
}

void optimized_program(abi::ExecutableProgram& call) {
  std::optional<std::string>& known = call.executable->text;
  if (!known) known = program_text(program_of(call));
  if (!known)
    throw Failure(abi::unimplemented,
                  cat(program_of(call).name, ": its compiled form has ops that StableHLO lacks"));
  const std::string& text = *known;
  if (call.program->code != nullptr)
    std::memcpy(call.program->code, text.data(), std::min(text.size(), call.program->code_size));
  call.program->code_size = text.size();
  call.program->format = program_format.data();
  call.program->format_size = program_format.size();
}

void serialize_executable(abi::Serialized<Executable>& call) {
  hand_out(call, serialize(program_of(call)));
}

void shardings_of_parameters(abi::ExecutableShardings& call) {
  call.count = call.executable->input_sharding_texts.size();
  call.shardings = call.executable->input_sharding_texts.data();
  call.sizes = call.executable->input_sharding_sizes.data();
}

void shardings_of_outputs(abi::ExecutableShardings& call) {
  call.count = call.executable->output_sharding_texts.size();
  call.shardings = call.executable->output_sharding_texts.data();
  call.sizes = call.executable->output_sharding_sizes.data();
}

// --- Loaded executables ------------------------------------------------------------------------------------

CompiledProgram compile_for(const Topology& topology, const abi::Program& program,
                            std::string_view request) {
  const std::string_view format(program.format, program.format_size);
  if (format != program_format)
    throw Failure(abi::unimplemented,
                  cat("expected a program as \"", program_format, "\", found ", format));
  return compile_program({program.code, program.code_size}, read_compile_request(request),
                         topology.options().compile);
}

void compile(abi::ClientCompile& call) {
  call.executable = new LoadedExecutable{std::make_shared<Loaded>(
      *call.client,
      compile_for(call.client->topology, *call.program, {call.options, call.options_size}))};
}

void compile_ahead(abi::Compile& call) {
  call.executable = new Executable(std::make_shared<const CompiledProgram>(
      compile_for(*call.topology, *call.program, {call.options, call.options_size})));
}

void deserialize_and_load(abi::ExecutableDeserialize& call) {
  CompiledProgram program = deserialize({call.bytes, call.bytes_size});
  call.executable =
      new LoadedExecutable{std::make_shared<Loaded>(*call.client, std::move(program))};
}

void destroy_loaded(abi::OfLoaded& call) { delete call.executable; }
void delete_loaded(abi::OfLoaded& call) { call.executable->is_deleted = true; }
void is_deleted(abi::LoadedIsDeleted& call) { call.is_deleted = call.executable->is_deleted; }

void get_executable(abi::LoadedGetExecutable& call) {
  call.executable = new Executable(call.loaded->loaded->program());
}

void addressable_devices(abi::LoadedDevices& call) {
  const std::vector<DeviceHandle*>& devices = call.executable->loaded->own_devices();
  call.devices = devices.data();
  call.num_devices = devices.size();
}

void assignment(abi::Serialized<LoadedExecutable>& call) {
  std::vector<int> devices;
  for (const DeviceHandle* const device : call.executable->loaded->devices())
    devices.push_back(device->description->id);
  hand_out(call, device_assignment(devices));
}

bool is_kept(const abi::ExecuteOptions* options, int input) {
  if (options == nullptr || options->num_kept_inputs == 0) return false;
  const std::span kept(options->kept_inputs, options->num_kept_inputs);
  return std::ranges::find(kept, std::int64_t(input)) != kept.end();
}

/// Nobody gives up an array that is another argument too.
void expect_own_buffers(const abi::LoadedExecute& call, const std::vector<int>& donated) {
  for (std::size_t d = 0; d < call.num_devices; ++d) {
    std::vector<const BufferHandle*> all(call.arguments[d], call.arguments[d] + call.num_arguments);
    std::ranges::sort(all);
    for (const int input : donated)
      if (std::ranges::equal_range(all, call.arguments[d][std::size_t(input)]).size() > 1)
        throw Failure(abi::invalid_argument,
                      cat("argument ", input, ", which is donated: expected an array of its own, ",
                          "found one that is another argument too"));
  }
}

/// The array itself where it lies on the stream, else a copy there.
DeviceArrayPtr on_stream(const DeviceArrayPtr& array, const std::shared_ptr<Stream>& stream) {
  return array->stream() == stream ? array : array->copy_to(stream);
}

void execute(abi::LoadedExecute& call) {
  if (call.executable->is_deleted)
    throw Failure(abi::failed_precondition, "the executable has been deleted");
  Loaded& loaded = *call.executable->loaded;
  std::vector<Loaded::Arrays> arguments(call.num_devices);
  for (std::size_t d = 0; d < call.num_devices; ++d)
    for (std::size_t i = 0; i < call.num_arguments; ++i) {
      const BufferHandle& buffer = *call.arguments[d][i];
      arguments[d].push_back(on_stream(buffer.array(), buffer.memory->device->stream));
    }
  std::vector<int> donated;
  for (const int input : loaded.program()->donated)
    if (!is_kept(call.options, input)) donated.push_back(input);
  if (!donated.empty()) expect_own_buffers(call, donated);
  // Before the call, which uses the memory of arrays that nobody else holds.
  for (const int input : donated)
    for (std::size_t d = 0; d < call.num_devices; ++d)
      call.arguments[d][std::size_t(input)]->release();
  std::vector<EventPtr> done;
  const std::vector<Loaded::Arrays> outputs =
      loaded.execute(std::move(arguments), donated, call.execute_device, done);
  // As on XLA's CPU: what a callback prints is there, and what it raises is raised, when the call returns.
  if (loaded.calls_host())
    for (const EventPtr& event : done) event->wait();
  for (std::size_t d = 0; d < call.num_devices; ++d) {
    DeviceHandle* const device =
        call.execute_device != nullptr ? call.execute_device : loaded.own_devices()[d];
    std::vector<EventPtr> ready{done[d]};
    for (std::size_t i = 0; i < outputs[d].size(); ++i) {
      Memory* const memory = device->memory(output_kind(*loaded.program(), i));
      const DeviceArrayPtr array = on_stream(outputs[d][i], memory->stream());
      ready.push_back(array->ready());
      call.outputs[d][i] = new BufferHandle(memory, array);
    }
    if (call.completed != nullptr) call.completed[d] = new EventHandle{all_of(ready)};
  }
}

}  // namespace

Error* parameter_shardings(void* arguments) { return guarded(shardings_of_parameters, arguments); }
Error* output_shardings(void* arguments) { return guarded(shardings_of_outputs, arguments); }

void add_executable_functions(abi::Table& table) {
  table.Client_Compile = call<compile>;
  table.Compile = call<compile_ahead>;
  table.Executable_DeserializeAndLoad = call<deserialize_and_load>;
  table.Executable_Destroy = call<destroy>;
  table.Executable_Name = call<name>;
  table.Executable_NumReplicas = call<num_replicas>;
  table.Executable_NumPartitions = call<num_partitions>;
  table.Executable_NumOutputs = call<num_outputs>;
  table.Executable_SizeOfGeneratedCodeInBytes = call<code_size>;
  table.Executable_GetCostAnalysis = call<cost_analysis>;
  table.Executable_GetCompiledMemoryStats = call<memory_stats>;
  table.Executable_OutputMemoryKinds = call<output_memory_kinds>;
  table.Executable_OutputElementTypes = call<output_types>;
  table.Executable_OutputDimensions = call<output_dims>;
  table.Executable_Fingerprint = call<fingerprint>;
  table.Executable_OptimizedProgram = call<optimized_program>;
  table.Executable_Serialize = call<serialize_executable>;
  table.LoadedExecutable_Destroy = call<destroy_loaded>;
  table.LoadedExecutable_GetExecutable = call<get_executable>;
  table.LoadedExecutable_AddressableDevices = call<addressable_devices>;
  table.LoadedExecutable_Delete = call<delete_loaded>;
  table.LoadedExecutable_IsDeleted = call<is_deleted>;
  table.LoadedExecutable_Execute = call<execute>;
  table.LoadedExecutable_Fingerprint = call<loaded_fingerprint>;
  table.LoadedExecutable_GetDeviceAssignment = call<assignment>;
}

}  // namespace partita::pjrt
