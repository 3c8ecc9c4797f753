// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/lane_program.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "backend-cpu/device/lane_loops.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu {
namespace {

using Op = LaneInstruction::Op;

/// Most work-items that an instruction is carried out for at once; a multiple of 16.
constexpr std::int64_t most_lanes = 256;
/// What the slots of a block may take, so that they stay in the cache nearest to the core.
constexpr std::int64_t good_frame_bytes = 32 << 10;
constexpr std::int64_t shared_bytes = 16;

std::int64_t rounded(std::int64_t n) { return (n + 15) / 16 * 16; }

LaneStep linked(const LaneInstruction& x, const LaneKernel& kernel);

std::vector<LaneStep> linked(const std::vector<LaneInstruction>& code, const LaneKernel& kernel) {
  std::vector<LaneStep> steps;
  for (const LaneInstruction& x : code) steps.push_back(linked(x, kernel));
  return steps;
}

LaneStep linked(const LaneInstruction& x, const LaneKernel& kernel) {
  const auto slot = [&](int s) -> const LaneSlot& { return kernel.slots[std::size_t(s)]; };
  LaneStep step{
      .op = x.op, .dtype = x.dtype, .result = x.result, .buffer = x.buffer, .value = x.value};
  step.argument_count = int(x.arguments.size());
  std::ranges::copy(x.arguments, step.arguments);
  if (x.result >= 0) {
    step.bytes = slot(x.result).bytes;
    step.is_shared = slot(x.result).is_shared;
  }
  if (x.op == Op::store || x.op == Op::store_row) step.bytes = slot(x.arguments[1]).bytes;
  if (x.op == Op::when || x.op == Op::choose) step.is_shared = slot(x.arguments[0]).is_shared;
  if (x.op == Op::loop) step.is_masked = !slot(x.arguments[1]).is_shared || !step.is_shared;
  if (x.op == Op::row) step.row = row_function(x.name, x.dtype);
  if (x.op == Op::convert) step.convert = conversion_function(x.source, x.dtype);
  step.body = linked(x.body, kernel);
  step.other = linked(x.other, kernel);
  return step;
}

/// A user error where a launch gives a kernel other arguments than its code takes.
void check_launch(const Launch& l, const LaneCode& code) {
  const LaneKernel& kernel = code.kernels[std::size_t(l.kernel)];
  if (kernel.buffers.size() != l.buffers.size() || std::size_t(kernel.scalars) != l.scalars.size())
    throw_user_error(cat("lane code: expected kernel ", l.kernel, " to take ", l.buffers.size(),
                         " buffers and ", l.scalars.size(), " scalars, found ",
                         kernel.buffers.size(), " and ", kernel.scalars));
}

void check_launches(const Steps& steps, const LaneCode& code) {
  for (const Step& s : steps) {
    if (const Launch* l = std::get_if<Launch>(&s.what)) check_launch(*l, code);
    if (const Convolve* c = std::get_if<Convolve>(&s.what))
      for (const Launch& l : c->then) check_launch(l, code);
    if (const For* f = std::get_if<For>(&s.what)) check_launches(f->body, code);
    if (const While* w = std::get_if<While>(&s.what)) {
      check_launches(w->condition, code);
      check_launches(w->body, code);
    }
    if (const Case* c = std::get_if<Case>(&s.what))
      for (const Steps& branch : c->branches) check_launches(branch, code);
  }
}

/// A block of lanes under way.
class LaneBlock {
 public:
  LaneBlock(std::byte* const* slots, const LaneKernel& kernel, const KernelArguments& arguments)
      : slots_(slots), kernel_(kernel), arguments_(arguments) {}

  void run(const std::vector<LaneStep>& steps, std::int64_t first, std::int64_t lanes) {
    n_ = lanes;
    shared(0) = first;
    run(steps);
  }

 private:
  template <class T>
  [[nodiscard]] T* lanes(int slot) const {
    return reinterpret_cast<T*>(slots_[slot]);
  }
  [[nodiscard]] std::int64_t& shared(int slot) const { return *lanes<std::int64_t>(slot); }
  [[nodiscard]] std::byte* element(const LaneStep& x) const {
    return static_cast<std::byte*>(arguments_.buffers[x.buffer]) +
           arguments_.offsets[x.buffer] * x.bytes;
  }
  [[nodiscard]] std::int64_t count(const LaneStep& x) const { return x.is_shared ? 1 : n_; }

  void run(const std::vector<LaneStep>& steps) {
    for (const LaneStep& x : steps) run(x);
  }

  void run(const LaneStep& x) {
    switch (x.op) {
      case Op::row: {
        const void* operands[3];
        for (int k = 0; k < x.argument_count; ++k) operands[k] = slots_[x.arguments[k]];
        return x.row(operands, slots_[x.result], std::size_t(count(x)));
      }
      case Op::convert:
        return x.convert(slots_[x.arguments[0]], slots_[x.result], std::size_t(count(x)));
      case Op::assign:
        return move_lanes(slots_[x.arguments[0]], slots_[x.result], x.bytes, n_, mask_);
      case Op::splat:
        return splat_lanes(slots_[x.arguments[0]], slots_[x.result], x.bytes, n_);
      case Op::ramp:
        return ramp_lanes(shared(x.arguments[0]), x.value, lanes<std::int64_t>(x.result), n_);
      case Op::select:
        return select_lanes(lanes<std::uint8_t>(x.arguments[0]), slots_[x.arguments[1]],
                            slots_[x.arguments[2]], slots_[x.result], x.bytes, count(x));
      case Op::multiply_add:
        return multiply_add_lanes(x.dtype, slots_[x.result], slots_[x.arguments[1]],
                                  slots_[x.arguments[2]], n_, mask_);
      case Op::load:
        if (x.is_shared)
          std::memcpy(slots_[x.result], element(x) + shared(x.arguments[0]) * x.bytes,
                      std::size_t(x.bytes));
        else
          gather_lanes(element(x), lanes<std::int64_t>(x.arguments[0]), slots_[x.result], x.bytes,
                       n_, mask_);
        return;
      case Op::load_row:
        return read_row(element(x) + shared(x.arguments[0]) * x.bytes, x.value, slots_[x.result],
                        x.bytes, n_, mask_);
      case Op::store:
        return scatter_lanes(element(x), lanes<std::int64_t>(x.arguments[0]),
                             slots_[x.arguments[1]], x.bytes, n_, mask_);
      case Op::store_row:
        return write_row(element(x) + shared(x.arguments[0]) * x.bytes, x.value,
                         slots_[x.arguments[1]], x.bytes, n_, mask_);
      case Op::when:
        return when(x);
      case Op::choose:
        return choose(x);
      case Op::loop:
        return x.is_masked ? masked_loop(x) : loop(x);
      default:
        return index_lanes(x.op, lanes<std::int64_t>(x.arguments[0]),
                           lanes<std::int64_t>(x.arguments[1]), slots_[x.result], count(x));
    }
  }

  // --- Branches and loops ---
  /// Lanes that are active.
  [[nodiscard]] std::int64_t active() const { return mask_ == nullptr ? n_ : sum_lanes(mask_, n_); }

  /// Runs where `mask` (with `found` lanes) holds.
  void run_masked(const std::vector<LaneStep>& steps, const std::uint8_t* mask,
                  std::int64_t found) {
    const std::uint8_t* const outer = mask_;
    mask_ = found == n_ ? nullptr : mask;
    run(steps);
    mask_ = outer;
  }

  void when(const LaneStep& x) {
    const auto* const condition = lanes<std::uint8_t>(x.arguments[0]);
    if (x.is_shared) {
      if (*condition != 0) run(x.body);
      return;
    }
    std::uint8_t mask[most_lanes];
    const std::int64_t found = and_lanes(condition, mask_, 1, mask, n_);
    if (found > 0) run_masked(x.body, mask, found);
  }

  void choose(const LaneStep& x) {
    const auto* const condition = lanes<std::uint8_t>(x.arguments[0]);
    std::uint8_t holds[most_lanes], fails[most_lanes];
    std::int64_t found = 0, others = 0;
    if (x.is_shared) {
      (*condition != 0 ? found : others) = active();
    } else {
      found = and_lanes(condition, mask_, 1, holds, n_);
      others = active() - found;
    }
    const bool is_one = found == 0 || others == 0;
    const auto take = [&](const std::vector<LaneStep>& steps, int from, const std::uint8_t* mask,
                          std::int64_t lanes_in) {
      if (lanes_in == 0) return;
      is_one ? run(steps) : run_masked(steps, mask, lanes_in);
      const bool is_value_shared = kernel_.slots[std::size_t(x.result)].is_shared;
      move_lanes(slots_[from], slots_[x.result], x.bytes, is_value_shared ? 1 : n_,
                 is_one ? nullptr : mask);
    };
    if (!is_one) and_lanes(condition, mask_, 0, fails, n_);
    take(x.body, x.arguments[1], holds, found);
    take(x.other, x.arguments[2], fails, others);
  }

  void loop(const LaneStep& x) {
    const std::int64_t end = shared(x.arguments[1]);
    for (std::int64_t i = shared(x.arguments[0]); i < end; i += x.value) {
      shared(x.result) = i;
      run(x.body);
    }
  }

  /// Lanes leave the loop one by one.
  void masked_loop(const LaneStep& x) {
    const bool has_shared_begin = x.is_shared,
               has_shared_end = kernel_.slots[std::size_t(x.arguments[1])].is_shared;
    auto* const variable = lanes<std::int64_t>(x.result);
    const auto* const begin = lanes<std::int64_t>(x.arguments[0]);
    const auto* const end = lanes<std::int64_t>(x.arguments[1]);
    std::copy_n(begin, has_shared_begin ? 1 : n_, variable);
    std::uint8_t mask[most_lanes];
    while (true) {
      std::int64_t found = 0;
      for (std::int64_t i = 0; i < n_; ++i) {
        mask[i] = std::uint8_t(variable[has_shared_begin ? 0 : i] < end[has_shared_end ? 0 : i] &&
                               (mask_ == nullptr || mask_[i] != 0));
        found += mask[i];
      }
      if (found == 0) return;
      run_masked(x.body, mask, found);
      for (std::int64_t i = 0; i < (has_shared_begin ? 1 : n_); ++i) variable[i] += x.value;
    }
  }

  std::byte* const* slots_;
  const LaneKernel& kernel_;
  const KernelArguments& arguments_;
  std::int64_t n_ = 0;
  const std::uint8_t* mask_ = nullptr;  ///< lanes that are active; null: all
};

}  // namespace

LaneProgram::LaneProgram(const Artifact& artifact, const KernelBinary& binary)
    : KernelProgram(artifact.kernels.size()) {
  const std::string_view text(reinterpret_cast<const char*>(binary.bytes.data()),
                              binary.bytes.size());
  LaneCode code = lane_code_from_json(text, "lane code");
  if (code.kernels.size() != artifact.kernels.size())
    throw_user_error(cat("lane code: expected ", artifact.kernels.size(), " kernels, found ",
                         code.kernels.size()));
  check_launches(artifact.plan.steps, code);
  for (LaneKernel& lane_kernel : code.kernels) {
    Kernel kernel{.code = std::move(lane_kernel)};
    for (const LaneSlot& slot : kernel.code.slots) {
      kernel.offsets.push_back(slot.is_shared ? kernel.shared_slots++ : kernel.bytes_per_lane);
      if (!slot.is_shared) kernel.bytes_per_lane += slot.bytes;
    }
    kernel.steps = linked(kernel.code.code, kernel.code);
    kernels_.push_back(std::move(kernel));
  }
}

void LaneProgram::run(int index, std::int64_t begin, std::int64_t end,
                      const KernelArguments& arguments) const {
  const Kernel& kernel = kernels_[std::size_t(index)];
  std::int64_t width = most_lanes;
  while (width > 32 && width * kernel.bytes_per_lane > good_frame_bytes) width /= 2;
  width = std::min(width, rounded(end - begin));
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const std::int64_t shared_end = (kernel.shared_slots * shared_bytes + 63) / 64 * 64;
  const std::int64_t bytes = shared_end + kernel.bytes_per_lane * width;
  const auto memory = std::make_unique_for_overwrite<Line[]>(std::size_t(bytes / 64 + 1));
  std::vector<std::byte*> slots;
  slots.reserve(kernel.offsets.size());
  for (std::size_t s = 0; s < kernel.offsets.size(); ++s)
    slots.push_back(memory[0].bytes + (kernel.code.slots[s].is_shared
                                           ? kernel.offsets[s] * shared_bytes
                                           : shared_end + kernel.offsets[s] * width));
  for (int s = 0; s < kernel.code.scalars; ++s)
    std::memcpy(slots[std::size_t(s) + 1], arguments.scalars + s, sizeof(std::int64_t));
  for (const LaneConstant& c : kernel.code.constants) {
    const LaneSlot& slot = kernel.code.slots[std::size_t(c.slot)];
    std::int64_t value[2] = {c.bits, 0};
    splat_lanes(value, slots[std::size_t(c.slot)], slot.bytes, slot.is_shared ? 1 : width);
  }
  LaneBlock block(slots.data(), kernel.code, arguments);
  for (std::int64_t first = begin; first < end; first += width)
    block.run(kernel.steps, first, std::min(width, end - first));
}

}  // namespace partita::cpu
