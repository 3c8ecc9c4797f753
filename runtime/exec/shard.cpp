// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/shard.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "partita/base/error.hpp"
#include "runtime/exec/output_steps.hpp"

namespace partita {

namespace {

/// A plan's lists for shards of the job: the same for each block of the placements and replica.
ShardLists job_lists(const Plan& plan, const ShardLists& of_mesh, const ShardPlace& place) {
  const int mesh = int(mesh_shards(plan));
  ShardLists lists;
  for (int p = 0; p < place.partitions * place.replicas; ++p)
    for (const std::vector<int>& list : of_mesh) {
      std::vector<int>& shards = lists.emplace_back();
      for (const int shard : list) shards.push_back(p * mesh + shard);
    }
  return lists;
}

/// Shards that have one number in the mesh, in the order of their blocks of placements; replicas apart.
ShardLists placement_lists(const Plan& plan, const ShardPlace& place) {
  const int mesh = int(mesh_shards(plan));
  ShardLists lists;
  for (int r = 0; r < place.replicas; ++r)
    for (int m = 0; m < mesh; ++m) {
      std::vector<int>& shards = lists.emplace_back();
      for (int p = 0; p < place.partitions; ++p)
        shards.push_back((r * place.partitions + p) * mesh + m);
    }
  return lists;
}

}  // namespace

Shard::Shard(const Artifact& artifact, std::shared_ptr<Device> device, Communicator& communicator,
             const SessionOptions& options, bool shares_constants)
    : artifact_(artifact),
      plan_(artifact.plan),
      device_(std::move(device)),
      communicator_(communicator),
      place_(place_of_shard(plan_, communicator.shard(), communicator.shards())),
      shares_constants_(shares_constants && !options.poison),
      donates_(options.donates && !options.poison),
      carries_(options.carries),
      trace_(options.trace),
      variables_(plan_.variables.size()),
      is_block_variable_(plan_.variables.size()),
      inputs_(plan_.inputs.size()),
      outputs_(plan_.outputs.size()),
      lent_(plan_.inputs.size()),
      transfers_(*device_),
      output_made_(plan_.outputs.size()),
      poison_(options.poison),
      bound_(plan_.buffers.size()),
      pending_(std::size_t(plan_.requests)) {
  set_place();
  pieces_ = cut_arena(plan_, largest_allocation());
  outputs_made_ = transfers_.overlap() ? outputs_made_by(plan_)
                                       : std::vector<std::vector<std::size_t>>(plan_.steps.size());
}

Shard::~Shard() {
  abandon_collectives();
  try {
    device_->finish();  // copies use memory of the host that goes with the shard
  } catch (...) {       // whoever waited has been told
  }
}

void Shard::set_place() {
  if (plan_.mesh_variable >= 0) variables_[std::size_t(plan_.mesh_variable)] = place_.mesh_shard;
  for (const ShardLists& lists : plan_.groups)
    groups_.push_back(communicator_.add_groups(job_lists(plan_, lists, place_)));
  if (!plan_.mesh.empty() && place_.partitions > 1)
    placement_groups_ = communicator_.add_groups(placement_lists(plan_, place_));
  for (const Placement& p : plan_.placements) {
    if (p.begin_variable < 0) continue;
    const BlockRange block = block_of(p.size, place_.partition, place_.partitions);
    variables_[std::size_t(p.begin_variable)] = block.begin;
    variables_[std::size_t(p.end_variable)] = block.end;
    is_block_variable_[std::size_t(p.begin_variable)] =
        is_block_variable_[std::size_t(p.end_variable)] = true;
  }
}

std::size_t Shard::port_bytes(const PortInfo& port) const {
  return Type{.dtype = port.type.dtype, .dims = block_of(plan_, port, place_).extents}.bytes();
}

/// Other variants of the artifact may use others.
std::set<int> Shard::used_constants() const {
  std::set<int> used;
  for (const Buffer& buffer : plan_.buffers)
    if (buffer.kind == BufferKind::constant) used.insert(buffer.index);
  return used;
}

// What a buffer may hold between its margins; 0: no limit.
std::int64_t Shard::largest_allocation() const {
  const std::int64_t most = device_->profile().max_allocation_bytes;
  return most == 0 ? 0 : std::max<std::int64_t>(1, most - 2 * std::int64_t(poison_.margin()));
}

void Shard::check_largest_buffer() const {
  constexpr std::array kind_names{"input", "output", "constant", "temporary", "temporary"};
  const std::int64_t most = largest_allocation();
  if (most == 0) return;
  for (const Buffer& buffer : plan_.buffers) {
    const std::int64_t bytes = value(buffer.count) * std::int64_t(byte_size(buffer.dtype));
    if (bytes > most)
      throw_device_error(cat("out of device memory: ", kind_names[std::size_t(buffer.kind)], " '",
                             buffer.name, "' takes ", bytes, " bytes, ", device_->profile().name,
                             " allows ", most, " in one buffer"));
  }
}

std::int64_t Shard::planned_bytes() const {
  std::int64_t bytes = temporary_bytes();
  for (const auto* ports : {&plan_.inputs, &plan_.outputs})
    for (const PortInfo& port : *ports) bytes += std::int64_t(port_bytes(port));
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i)
    if (gives_up(int(i))) bytes -= std::int64_t(port_bytes(plan_.inputs[i]));
  return bytes;
}

bool Shard::lies_in_donor(int output) const {
  const int donor = donor_of(plan_, output);
  return donates_ && donor >= 0 &&
         (carries_.empty() || std::ranges::find(carries_, Carry{output, donor}) != carries_.end());
}

bool Shard::gives_up(int input) const {
  const auto output = std::ranges::find(plan_.donors, input);
  return output != plan_.donors.end() && lies_in_donor(int(output - plan_.donors.begin()));
}

std::int64_t Shard::temporary_bytes() const {
  std::int64_t bytes = pieces_.total_bytes();
  for (const int constant : used_constants())
    bytes += std::int64_t(artifact_.constants[std::size_t(constant)]->bytes.size());
  for (const Buffer& buffer : plan_.buffers)
    if (buffer.kind == BufferKind::block)
      bytes += value(buffer.count) * std::int64_t(byte_size(buffer.dtype));
  return bytes;
}

std::int64_t Shard::held_bytes(std::map<const std::byte*, std::int64_t>& lent) const {
  std::int64_t bytes = planned_bytes();
  const auto use = [&](std::span<const std::byte> memory) {
    if (memory.empty()) return;
    bytes -= std::int64_t(memory.size());
    std::int64_t& most = lent[memory.data()];
    most = std::max(most, std::int64_t(memory.size()));
  };
  for (const std::span<const std::byte> memory : lent_) use(memory);
  for (std::size_t i = 0; i < is_shared_.size(); ++i)
    if (is_shared_[i]) use(artifact_.constants[i]->bytes);
  return bytes;
}

void Shard::load() {
  program_ = device_->load(artifact_);
  hold_functions();
}

void Shard::allocate() {
  for (std::size_t k = 0; k < outputs_.size(); ++k)
    if (lies_in_donor(int(k)))
      inputs_[std::size_t(donor_of(plan_, int(k)))] = outputs_[k] =
          poison_.allocate(*device_, port_bytes(plan_.outputs[k]));
  allocate_outputs();
  allocate_constants();
  for (const std::int64_t bytes : pieces_.bytes)
    arena_.push_back(poison_.allocate(*device_, std::size_t(bytes)));
  bind_arena();
  rebind_ports();
}

void Shard::allocate_constants() {
  constants_.resize(artifact_.constants.size());
  is_shared_.resize(artifact_.constants.size());
  for (const int number : used_constants())
    if (!share_constant(number)) hold_constant(number);
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const Buffer& buffer = plan_.buffers[i];
    if (buffer.kind == BufferKind::constant) bind(int(i), constants_[std::size_t(buffer.index)]);
    if (buffer.kind == BufferKind::block)
      bind(int(i),
           poison_.allocate(*device_, std::size_t(value(buffer.count)) * byte_size(buffer.dtype)));
  }
}

void Shard::allocate_outputs() {
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i)
    if (!outputs_[i]) outputs_[i] = poison_.allocate(*device_, port_bytes(plan_.outputs[i]));
}

void Shard::bind_arena() {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
    if (plan_.buffers[i].kind == BufferKind::arena)
      bind(int(i), arena_[std::size_t(pieces_.places[i].piece)]);
}

// Several shards of a process then hold it once, and so do functions on one device.
bool Shard::share_constant(int number) {
  if (!shares_constants_) return false;
  const auto i = std::size_t(number);
  constants_[i] = device_->borrow(artifact_.constants[i]->bytes);
  is_shared_[i] = constants_[i] != nullptr;
  if (!is_shared_[i]) constants_[i] = device_->held_constants().find(artifact_.constants[i]);
  return constants_[i] != nullptr;
}

void Shard::hold_constant(int number) {
  const auto i = std::size_t(number);
  const std::span<const std::byte> bytes = artifact_.constants[i]->bytes;
  constants_[i] = poison_.allocate(*device_, bytes.size());
  if (!shares_constants_) return transfers_.upload(constants_[i], poison_.margin(), bytes);
  // In order with all that others on the device do.
  device_->write(*constants_[i], 0, bytes);
  device_->held_constants().add(artifact_.constants[i], constants_[i]);
}

void Shard::bind(int buffer, DeviceBufferPtr memory) {
  const Buffer& planned = plan_.buffers[std::size_t(buffer)];
  Bound& bound = bound_[std::size_t(buffer)];
  const std::int64_t width = std::int64_t(byte_size(planned.dtype));
  const std::int64_t margin = std::int64_t(poison_.margin());
  const std::int64_t offset = planned.kind == BufferKind::spare
                                  ? planned.arena_offset
                                  : pieces_.places[std::size_t(buffer)].offset;
  bound.first = (margin + offset) / width;
  bound.count = value(planned.count);
  const std::int64_t end = bound.first + bound.count;
  if (bound.count < 0 || (end > 0 && end > (std::int64_t(memory->bytes()) - margin) / width))
    throw_internal_error(cat("plan: buffer ", buffer, " (", planned.name, ") holds ", bound.count,
                             " elements, which its memory does not have"));
  bound.memory = std::move(memory);
}

void Shard::rebind_ports() {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const Buffer& buffer = plan_.buffers[i];
    if (buffer.kind == BufferKind::input && inputs_[std::size_t(buffer.index)])
      bind(int(i), inputs_[std::size_t(buffer.index)]);
    if (is_of_output(buffer.kind)) bind(int(i), outputs_[std::size_t(buffer.index)]);
  }
}

void Shard::release_ports() {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
    if (const BufferKind kind = plan_.buffers[i].kind;
        kind == BufferKind::input || is_of_output(kind))
      bound_[i].memory = nullptr;
  inputs_.assign(inputs_.size(), nullptr);
  outputs_.assign(plan_.outputs.size(), nullptr);
}

std::vector<DeviceBufferPtr> Shard::run_on(std::vector<DeviceBufferPtr> inputs,
                                           const std::vector<bool>& given_up,
                                           const ArenaSource& arena) {
  PARTITA_ASSERT(inputs.size() == inputs_.size() && given_up.size() == inputs.size());
  try {
    inputs_ = std::move(inputs);
    for (std::size_t k = 0; k < outputs_.size(); ++k)
      if (const int donor = donor_of(plan_, int(k)); donor >= 0 && given_up[std::size_t(donor)])
        outputs_[k] = inputs_[std::size_t(donor)];
    allocate_outputs();
    rebind_ports();
    if (std::vector<DeviceBufferPtr> pieces = arena(pieces_.bytes); pieces != arena_) {
      arena_ = std::move(pieces);
      bind_arena();
    }
    run();
  } catch (...) {
    release_ports();
    throw;
  }
  std::vector<DeviceBufferPtr> results = std::move(outputs_);
  release_ports();
  return results;
}

// Gives the input memory that the device may write, unless it has.
void Shard::own_input(int index) {
  const auto i = std::size_t(index);
  const bool is_lent = !lent_[i].empty();
  if (inputs_[i] && !is_lent) return;
  if (is_lent) device_->finish();  // its owner may take it back
  inputs_[i] = poison_.allocate(*device_, port_bytes(plan_.inputs[i]));
  lent_[i] = {};
  rebind_ports();
}

namespace {

/// The block where it lies in the array; nothing where it does not lie together.
std::optional<std::span<const std::byte>> part_in_place(const ArrayBlock& block, std::size_t width,
                                                        std::span<const std::byte> array) {
  if (!block.is_contiguous()) return std::nullopt;
  const std::size_t bytes = std::size_t(Type{.dims = block.extents}.count()) * width;
  if (bytes == 0) return std::span<const std::byte>();
  return array.subspan(std::size_t(block.first_element()) * width, bytes);
}

}  // namespace

void Shard::write_input(int index, std::span<const std::byte> array) {
  own_input(index);
  const PortInfo& port = plan_.inputs[std::size_t(index)];
  const ArrayBlock block = block_of(plan_, port, place_);
  const std::size_t width = byte_size(port.type.dtype);
  const DeviceBufferPtr& memory = inputs_[std::size_t(index)];
  if (const auto part = part_in_place(block, width, array))
    return transfers_.upload(memory, poison_.margin(), *part);
  std::vector<std::byte> part(port_bytes(port));
  block.take(width, array, part);
  transfers_.upload(memory, poison_.margin(), part);
}

bool Shard::lend_input(int index, std::span<const std::byte> array) {
  const PortInfo& port = plan_.inputs[std::size_t(index)];
  const auto part = part_in_place(block_of(plan_, port, place_), byte_size(port.type.dtype), array);
  DeviceBufferPtr memory = poison_.is_on() || gives_up(index) || !part || part->empty()
                               ? nullptr
                               : device_->borrow(*part);
  if (!memory) {
    write_input(index, array);
    return false;
  }
  const auto i = std::size_t(index);
  if (!lent_[i].empty()) device_->finish();  // the earlier owner may take it back
  inputs_[i] = std::move(memory);
  lent_[i] = *part;
  rebind_ports();
  return true;
}

std::vector<std::byte> Shard::read_output(int index) {
  std::vector<std::byte> bytes(port_bytes(plan_.outputs[std::size_t(index)]));
  DeviceEventPtr& made = output_made_[std::size_t(index)];
  if (!made) made = device_->mark();
  transfers_.download(*outputs_[std::size_t(index)], poison_.margin(), bytes, made);
  return bytes;
}

void Shard::carry(const std::vector<Carry>& carries) {
  std::vector<const Carry*> swapped;
  for (const Carry& c : carries) {
    own_input(c.input);
    DeviceBufferPtr& input = inputs_[std::size_t(c.input)];
    const auto first = std::find_if(swapped.begin(), swapped.end(),
                                    [&](const Carry* other) { return other->output == c.output; });
    if (first == swapped.end()) {
      std::swap(input, outputs_[std::size_t(c.output)]);
      swapped.push_back(&c);
    } else {
      const std::size_t bytes = port_bytes(plan_.inputs[std::size_t(c.input)]);
      transfers_.settle(*input);
      if (bytes > 0)
        device_->copy(*inputs_[std::size_t((*first)->input)], poison_.margin(), *input,
                      poison_.margin(), bytes);
    }
  }
  rebind_ports();
  output_made_.assign(output_made_.size(), nullptr);
}

void Shard::poison_memory() {
  if (!poison_.is_on()) return;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    const BufferKind kind = plan_.buffers[i].kind;
    if (kind == BufferKind::block) poison_.fill(*device_, *bound_[i].memory);
  }
  for (const DeviceBufferPtr& piece : arena_) poison_.fill(*device_, *piece);
  for (const DeviceBufferPtr& output : outputs_) poison_.fill(*device_, *output);
}

void Shard::check_margins() {
  if (!poison_.is_on()) return;
  const auto check = [&](const DeviceBufferPtr& memory, const std::string& what) {
    if (memory) poison_.check_margins(*device_, *memory, what);
  };
  for (std::size_t i = 0; i < bound_.size(); ++i)
    if (plan_.buffers[i].kind == BufferKind::block)
      check(bound_[i].memory, cat("block ", i, " (", plan_.buffers[i].name, ")"));
  for (std::size_t i = 0; i < arena_.size(); ++i)
    check(arena_[i], arena_.size() == 1 ? "the arena" : cat("piece ", i, " of the arena"));
  for (std::size_t i = 0; i < inputs_.size(); ++i) check(inputs_[i], cat("input ", i));
  for (std::size_t i = 0; i < outputs_.size(); ++i) check(outputs_[i], cat("output ", i));
  for (std::size_t i = 0; i < constants_.size(); ++i) check(constants_[i], cat("constant ", i));
}

RunStats Shard::stats() const {
  RunStats stats = stats_;
  stats.peak_device_bytes = device_->peak_allocated_bytes();
  stats.peak_arena_bytes = pieces_.total_bytes();
  stats.planned_bytes = planned_bytes();
  return stats;
}

void Shard::abandon_collectives() noexcept {
  waiting_.clear();
  for (Pending& pending : pending_) {
    pending.travel = nullptr;
    pending.request.reset();  // waits, and swallows the failure
    pending.active = false;
  }
}

}  // namespace partita
