// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/shard.hpp"

#include <algorithm>
#include <array>

#include "partita/base/error.hpp"
#include "runtime/exec/output_steps.hpp"

namespace partita {

Shard::Shard(const Artifact& artifact, std::unique_ptr<Device> device, Communicator& communicator,
             const SessionOptions& options)
    : artifact_(artifact),
      plan_(artifact.plan),
      device_(std::move(device)),
      communicator_(communicator),
      trace_(options.trace),
      variables_(plan_.variables.size()),
      is_block_variable_(plan_.variables.size()),
      inputs_(plan_.inputs.size()),
      outputs_(plan_.outputs.size()),
      is_lent_(plan_.inputs.size()),
      transfers_(*device_),
      output_made_(plan_.outputs.size()),
      poison_(options.poison),
      bound_(plan_.buffers.size()),
      pending_(std::size_t(plan_.requests)) {
  set_block_variables();
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

void Shard::set_block_variables() {
  for (const Placement& p : plan_.placements) {
    if (p.begin_variable < 0) continue;
    const BlockRange block = block_of(p.size, communicator_.shard(), communicator_.shards());
    variables_[std::size_t(p.begin_variable)] = block.begin;
    variables_[std::size_t(p.end_variable)] = block.end;
    is_block_variable_[std::size_t(p.begin_variable)] =
        is_block_variable_[std::size_t(p.end_variable)] = true;
  }
}

std::size_t Shard::port_bytes(const PortInfo& port, int shard) const {
  if (port.placement < 0) return port.type.bytes();
  const std::int64_t size = plan_.placements[std::size_t(port.placement)].size;
  const BlockRange block = block_of(size, shard, communicator_.shards());
  return port.type.bytes() / std::size_t(size) * std::size_t(block.end - block.begin);
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
  std::int64_t bytes = pieces_.total_bytes();
  for (const auto* ports : {&plan_.inputs, &plan_.outputs})
    for (const PortInfo& port : *ports)
      bytes += std::int64_t(port_bytes(port, communicator_.shard()));
  for (const int constant : used_constants())
    bytes += std::int64_t(artifact_.constants[std::size_t(constant)].bytes.size());
  for (const Buffer& buffer : plan_.buffers)
    if (buffer.kind == BufferKind::block)
      bytes += value(buffer.count) * std::int64_t(byte_size(buffer.dtype));
  return bytes;
}

void Shard::load() { program_ = device_->load(artifact_); }

void Shard::allocate() {
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i)
    outputs_[i] = poison_.allocate(*device_, port_bytes(plan_.outputs[i], communicator_.shard()));
  constants_.resize(artifact_.constants.size());
  for (const int number : used_constants()) {
    const HostArray& constant = artifact_.constants[std::size_t(number)];
    DeviceBufferPtr& memory = constants_[std::size_t(number)];
    memory = poison_.allocate(*device_, constant.bytes.size());
    transfers_.note_work();
    transfers_.upload(memory, poison_.margin(), constant.bytes);
  }
  for (const std::int64_t bytes : pieces_.bytes)
    arena_.push_back(poison_.allocate(*device_, std::size_t(bytes)));
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const Buffer& buffer = plan_.buffers[i];
    if (buffer.kind == BufferKind::arena)
      bind(int(i), arena_[std::size_t(pieces_.places[i].piece)]);
    if (buffer.kind == BufferKind::constant) bind(int(i), constants_[std::size_t(buffer.index)]);
    if (buffer.kind == BufferKind::block)
      bind(int(i),
           poison_.allocate(*device_, std::size_t(value(buffer.count)) * byte_size(buffer.dtype)));
  }
  rebind_ports();
}

void Shard::bind(int buffer, DeviceBufferPtr memory) {
  const Buffer& planned = plan_.buffers[std::size_t(buffer)];
  Bound& bound = bound_[std::size_t(buffer)];
  const std::int64_t width = std::int64_t(byte_size(planned.dtype));
  const std::int64_t margin = std::int64_t(poison_.margin());
  bound.first = (margin + pieces_.places[std::size_t(buffer)].offset) / width;
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
    if (buffer.kind == BufferKind::output) bind(int(i), outputs_[std::size_t(buffer.index)]);
  }
}

// Gives the input memory that the device may write, unless it has.
void Shard::own_input(int index) {
  const auto i = std::size_t(index);
  if (inputs_[i] && !is_lent_[i]) return;
  if (is_lent_[i]) device_->finish();  // its owner may take it back
  inputs_[i] = poison_.allocate(*device_, port_bytes(plan_.inputs[i], communicator_.shard()));
  transfers_.note_work();  // that fills it
  is_lent_[i] = false;
  rebind_ports();
}

std::span<const std::byte> Shard::own_part(int index, std::span<const std::byte> array) const {
  const PortInfo& port = plan_.inputs[std::size_t(index)];
  const std::size_t bytes = port_bytes(port, communicator_.shard());
  std::size_t begin = 0;
  if (port.placement >= 0) {
    const std::int64_t size = plan_.placements[std::size_t(port.placement)].size;
    const BlockRange block = block_of(size, communicator_.shard(), communicator_.shards());
    begin = array.size() / std::size_t(size) * std::size_t(block.begin);
  }
  return array.subspan(begin, bytes);
}

void Shard::write_input(int index, std::span<const std::byte> array) {
  own_input(index);
  transfers_.upload(inputs_[std::size_t(index)], poison_.margin(), own_part(index, array));
}

bool Shard::lend_input(int index, std::span<const std::byte> array) {
  DeviceBufferPtr memory = poison_.is_on() ? nullptr : device_->borrow(own_part(index, array));
  if (!memory) {
    write_input(index, array);
    return false;
  }
  const auto i = std::size_t(index);
  if (is_lent_[i]) device_->finish();  // the earlier owner may take it back
  inputs_[i] = std::move(memory);
  is_lent_[i] = true;
  rebind_ports();
  return true;
}

std::vector<std::byte> Shard::read_output(int index) {
  std::vector<std::byte> bytes(
      port_bytes(plan_.outputs[std::size_t(index)], communicator_.shard()));
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
      const std::size_t bytes =
          port_bytes(plan_.inputs[std::size_t(c.input)], communicator_.shard());
      transfers_.settle(*input);
      if (bytes > 0)
        device_->copy(*inputs_[std::size_t((*first)->input)], poison_.margin(), *input,
                      poison_.margin(), bytes);
      transfers_.note_work();
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
