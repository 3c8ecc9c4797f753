// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Steps that the host computes: in the device's memory where the host may use it in place, else on copies.
#include <algorithm>
#include <deque>

#include "runtime/exec/shard.hpp"

namespace partita {
namespace {

/// Arrays of a step as the host sees them.
class HostArrays {
 public:
  explicit HostArrays(Device& device) : device_(device) {}

  /// `count` arrays of a type, one after another, that the host reads.
  void add_operand(const BoundBuffer& at, const Type& type, std::int64_t count) {
    if (use_in_place(at, type)) return;
    const std::span<std::byte> copy = add_copy(std::size_t(count) * type.bytes());
    if (!copy.empty()) device_.read(*at.buffer, offset(at, type), copy);
  }
  /// The same, which it writes.
  void add_result(const BoundBuffer& at, const Type& type, std::int64_t count) {
    if (use_in_place(at, type)) return;
    to_write_.push_back({at, offset(at, type), add_copy(std::size_t(count) * type.bytes())});
  }
  /// Puts results that are not used in place where they belong.
  void write_results() const {
    for (const ToWrite& w : to_write_)
      if (!w.bytes.empty()) device_.write(*w.at.buffer, w.offset, w.bytes);
  }
  [[nodiscard]] std::span<std::byte* const> at() const { return at_; }

 private:
  struct ToWrite {
    BoundBuffer at;
    std::size_t offset;
    std::span<const std::byte> bytes;
  };

  [[nodiscard]] static std::size_t offset(const BoundBuffer& at, const Type& type) {
    return std::size_t(at.element_offset) * byte_size(type.dtype);
  }
  [[nodiscard]] bool use_in_place(const BoundBuffer& at, const Type& type) {
    const std::span<std::byte> bytes = device_.host_bytes(*at.buffer);
    if (bytes.empty()) return false;
    at_.push_back(bytes.data() + offset(at, type));
    return true;
  }
  [[nodiscard]] std::span<std::byte> add_copy(std::size_t bytes) {
    std::span<std::byte> memory = copies_.emplace_back(bytes);
    at_.push_back(memory.data());
    return memory;
  }

  Device& device_;
  std::vector<std::byte*> at_;
  std::deque<std::vector<std::byte>> copies_;  // of those that are not used in place
  std::vector<ToWrite> to_write_;
};

std::vector<const std::byte*> constant(std::span<std::byte* const> pointers) {
  return {pointers.begin(), pointers.end()};
}

}  // namespace

void Shard::hold_functions() {
  for (const std::string& name : called_functions(plan_))
    if (HostFunctionPtr function = find_host_function(name))
      functions_.emplace(name, std::move(function));
}

const Shard::ReadyCall& Shard::ready(const MatrixCall& call, std::int64_t count) {
  const auto found = ready_.find(&call);
  if (found != ready_.end()) return found->second;
  const auto run = [](const ReadyCall* self, const std::byte* const* operands,
                      std::byte* const* results) {
    self->call.run({operands, self->call.operands().size()},
                   {results, self->call.result_types().size()});
  };
  return ready_.emplace(&call, ReadyCall{run, PreparedCall(call, count)}).first->second;
}

void Shard::run_step(const HostCall& x) {
  if (x.count == 0) return;
  const PreparedCall& call = ready(x.call, x.count).call;
  const std::vector<Type>& types = call.result_types();
  HostArrays operands(*device_), results(*device_);
  const auto place = [&](const BufferRef& ref, const Type& type) {
    return locate(ref, x.count * type.count());
  };
  for (std::size_t k = 0; k < x.operands.size(); ++k) {
    const Type& type = x.call.operands[k];
    operands.add_operand(place(x.operands[k], type), type, x.count);
  }
  for (std::size_t k = 0; k < x.results.size(); ++k)
    results.add_result(place(x.results[k], types[k]), types[k], x.count);
  call.run(constant(operands.at()), results.at(), device_->host_threads());
  ++stats_.launches;
  results.write_results();
}

void Shard::run_step(const FunctionCall& x) {
  const bool calls = !x.once || communicator_.shard() == 0;
  if (!calls && x.results.empty()) return;
  HostArrays operands(*device_), results(*device_);
  for (std::size_t k = 0; k < x.results.size(); ++k) {
    const Type& type = x.result_types[k];
    results.add_result(locate(x.results[k], type.count()), type, 1);
  }
  if (calls) {
    for (std::size_t k = 0; k < x.operands.size(); ++k) {
      const Type& type = x.operand_types[k];
      operands.add_operand(locate(x.operands[k], type.count()), type, 1);
    }
    const auto held = functions_.find(x.function);
    const HostFunctionPtr function =
        held == functions_.end() ? get_host_function(x.function) : held->second;
    call_host_function(*function, x.operand_types, x.result_types, constant(operands.at()),
                       {results.at().begin(), results.at().end()});
    ++stats_.launches;
  } else {
    for (std::size_t k = 0; k < x.results.size(); ++k)
      std::fill_n(results.at()[k], x.result_types[k].bytes(), std::byte{0});
  }
  results.write_results();
}

}  // namespace partita
