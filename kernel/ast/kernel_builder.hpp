// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel on its way, written from its first statement to its last.  Blocks are functions: what one
// emits is the body of the loop or of the guard that it is given to, so that code that makes a kernel
// reads like the kernel.  Registers and variables get their numbers in the order in which they are
// asked for.  Not for changing kernels that are there: that is kernel/rewrites.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ast/statements.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {

/// The variable of a loop that is yet to be opened, and where the loop ends.
struct LoopVariable {
  std::int32_t slot = -1;  ///< negative: no loop
  scalar::ExprId end = scalar::no_expr;
};

class KernelBuilder {
 public:
  using ExprId = scalar::ExprId;

  explicit KernelBuilder(std::string stem) : kernel_(std::make_unique<Kernel>()) {
    kernel_->stem = std::move(stem);
  }
  KernelBuilder(std::string stem, std::int64_t items) : KernelBuilder(std::move(stem)) {
    set_items(items);
  }
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  // The kernel as a whole.
  [[nodiscard]] scalar::ExprPool& pool() { return kernel_->pool; }
  [[nodiscard]] const Kernel& kernel() const { return *kernel_; }
  void set_items(std::int64_t items) { pool().set_extent(0, items); }
  /// Items work together in groups of so many; before any item is asked for.  The group's number, of
  /// `groups`.
  ExprId set_groups(std::int64_t groups, std::int64_t items) {
    set_items(items);
    kernel_->group_items = items;
    kernel_->group_variable = new_variable(groups);
    return pool().variable(kernel_->group_variable);
  }
  /// Each element is stored once, after all loads of it.
  void set_stores_last() { kernel_->stores_last = true; }
  /// The kernel, once all blocks are closed; the builder is empty then.
  [[nodiscard]] std::unique_ptr<Kernel> finish() {
    PARTITA_ASSERT(into_ == &kernel_->body);
    into_ = nullptr;
    return std::move(kernel_);
  }

  // Parameters.
  [[nodiscard]] std::int32_t new_buffer(DType d, bool is_written) {
    kernel_->buffers.push_back({d, is_written});
    return std::int32_t(kernel_->buffers.size()) - 1;
  }
  void mark_written(std::int32_t buffer) {
    kernel_->buffers[std::size_t(buffer)].is_written = true;
  }
  [[nodiscard]] ExprId new_scalar() { return pool().scalar(kernel_->scalars++); }

  // Arrays of a group, or of an item.
  [[nodiscard]] std::int32_t new_array(DType d, std::int64_t count) {
    kernel_->arrays.push_back({d, count});
    return std::int32_t(kernel_->arrays.size()) - 1;
  }
  [[nodiscard]] ExprId load_local(std::int32_t array, ExprId index) {
    return pool().load_local(array, kernel_->arrays[std::size_t(array)].dtype, index);
  }
  void store_local(std::int32_t array, ExprId index, ExprId value) {
    add({StoreLocal{array, kernel_->arrays[std::size_t(array)].dtype, value, index}});
  }
  /// An element of memory, on its way until the item's next barrier.
  void copy_local(std::int32_t array, ExprId index, ExprId value) {
    add({StoreLocal{array, kernel_->arrays[std::size_t(array)].dtype, value, index, true}});
  }
  /// Neighbours as one, from an index on that is a multiple of their number.
  void store_local_wide(std::int32_t array, ExprId index, std::vector<ExprId> values) {
    add({StoreWide{.buffer = array,
                   .dtype = kernel_->arrays[std::size_t(array)].dtype,
                   .values = std::move(values),
                   .index = index,
                   .is_local = true}});
  }
  void barrier(int late = 0) { add({Barrier{late}}); }

  // Matrix units; of a kernel that has one without them.
  /// Values of four new registers.
  [[nodiscard]] std::vector<ExprId> load_matrices(std::int32_t array, ExprId index,
                                                  bool is_turned) {
    LoadMatrices load{.slots = {}, .array = array, .index = index, .is_turned = is_turned};
    std::vector<ExprId> values;
    for (std::int32_t& slot : load.slots) {
      const Register r = new_register(DType::ui32);
      slot = r.slot;
      values.push_back(value(r));
    }
    add({load});
    return values;
  }
  void multiply_matrices(DType d, const std::vector<Register>& sums, const std::vector<ExprId>& a,
                         const std::vector<ExprId>& b) {
    MultiplyMatrices product{.dtype = d, .sums = {}, .a = {}, .b = {}};
    for (std::size_t k = 0; k < product.sums.size(); ++k) product.sums[k] = sums.at(k).slot;
    for (std::size_t k = 0; k < product.a.size(); ++k) product.a[k] = a.at(k);
    for (std::size_t k = 0; k < product.b.size(); ++k) product.b[k] = b.at(k);
    add({product});
  }
  void set_plain(std::shared_ptr<const Kernel> plain) { kernel_->plain = std::move(plain); }

  // Names.
  /// The number of the work-item; of a kernel of groups, within its group.
  [[nodiscard]] ExprId item() { return pool().variable(0); }
  [[nodiscard]] std::int32_t new_variable(std::int64_t extent) {
    return kernel_->new_variable(extent);
  }
  /// Of which nothing is known.
  [[nodiscard]] std::int32_t new_variable() { return kernel_->next_variable++; }
  /// A register that is yet to be declared.
  [[nodiscard]] Register new_register(DType d) { return {*kernel_, d}; }
  [[nodiscard]] ExprId value(const Register& r) { return r.value(pool()); }
  /// The variable that counts the lanes of vectors of so many.
  [[nodiscard]] ExprId lane(int width) { return pool().variable(lanes_of(width)); }
  /// The places of the lanes of a vector that begins at `first`; of one element its own.
  [[nodiscard]] ExprId lanes_from(ExprId first, int width) {
    return width == 1 ? first : pool().add(first, lane(width));
  }

  // Statements.
  void declare(const Register& r, ExprId value) { add(r.declare(value)); }
  /// A new register that starts from the value.
  Register declare(DType d, ExprId value) {
    const Register r = new_register(d);
    declare(r, value);
    return r;
  }
  void assign(const Register& r, ExprId value) { add(r.assign(value)); }
  /// r += a * b, fused.
  void multiply_add(const Register& r, ExprId a, ExprId b) { add(r.multiply_add(a, b)); }
  /// r += the lanes of a vector.
  void add_lanes(const Register& r, ExprId vector) { add(r.add_lanes(vector)); }
  /// Of the buffer's dtype.
  void store(std::int32_t buffer, ExprId index, ExprId value) {
    add(kernel::store(buffer, kernel_->buffers[std::size_t(buffer)].dtype, index, value));
  }

  /// Neighbours as one, from an index on that is a multiple of their number.
  void store_wide(std::int32_t buffer, ExprId index, std::vector<ExprId> values) {
    add({StoreWide{buffer, kernel_->buffers[std::size_t(buffer)].dtype, std::move(values), index}});
  }

  /// The element becomes what the combiner makes of it and the value (AtomicCombine).
  void combine_at_once(std::int32_t buffer, Combiner combiner, ExprId index, ExprId value) {
    add({AtomicCombine{.buffer = buffer,
                       .dtype = kernel_->buffers[std::size_t(buffer)].dtype,
                       .combiner = combiner,
                       .value = value,
                       .index = index}});
  }

  // Blocks.
  /// For the variable from 0 to `end`.
  template <class F>
  void loop(LoopVariable variable, F&& body) {
    if (variable.slot < 0) return body();
    auto inside = block(std::forward<F>(body));
    add(kernel::loop(variable.slot, variable.end, std::move(inside)));
  }
  /// For body(0), body(1), … below `extent`.
  template <class F>
  void loop(std::int64_t extent, F&& body) {
    loop_to(pool().index(extent), extent, std::forward<F>(body));
  }
  /// The same below `end`, which is at most `most`.
  template <class F>
  void loop_to(ExprId end, std::int64_t most, F&& body) {
    const std::int32_t slot = new_variable(most);
    const ExprId i = pool().variable(slot);
    loop({slot, end}, [&] { body(i); });
  }
  /// For body(0), body(1), … below `extent`, no iteration of which depends on another.
  template <class F>
  void parallel_loop(std::int64_t extent, F&& body) {
    loop(extent, std::forward<F>(body));
    as<Loop>(into_->back())->is_parallel = true;
  }
  /// Loops within one another, the last innermost.
  template <class F>
  void nest(std::span<const LoopVariable> variables, F&& body) {
    if (variables.empty()) return body();
    loop(variables.front(), [&] { nest(variables.subspan(1), body); });
  }
  /// Where the condition holds.
  template <class F>
  void guard(ExprId condition, F&& body) {
    auto inside = block(std::forward<F>(body));
    add(when(condition, std::move(inside)));
  }
  /// The same for a condition that may be known here: the body alone, or nothing.
  template <class F>
  void guard_if_needed(ExprId condition, F&& body) {
    if (condition == pool().boolean(false)) return;
    if (condition == pool().boolean(true)) return body();
    guard(condition, std::forward<F>(body));
  }
  /// Each statement for `width` lanes at once, with vectors of d.
  template <class F>
  void over_lanes(int width, DType d, F&& body) {
    PARTITA_ASSERT(lanes_.width == 1);
    lanes_ = {.width = width, .variable = width == 1 ? -1 : lanes_of(width), .dtype = d};
    body();
    lanes_ = {};
  }
  /// All statements so far, where the condition holds.
  void guard_all(ExprId condition) {
    PARTITA_ASSERT(into_ == &kernel_->body);
    Block all = std::exchange(kernel_->body, {});
    add(when(condition, std::move(all)));
  }

 private:
  struct Lanes {
    int width = 1;
    std::int32_t variable = -1;
    DType dtype = DType::f32;
  };

  template <class F>
  Block block(F&& body) {
    PARTITA_ASSERT(lanes_.width == 1);
    Block inside;
    Block* const outside = std::exchange(into_, &inside);
    body();
    into_ = outside;
    return inside;
  }
  void add(Stmt s) {
    if (lanes_.width > 1) {
      s.width = lanes_.width;
      s.lane = lanes_.variable;
      std::visit(
          [&](auto& x) {
            if constexpr (requires { x.dtype; }) x.dtype = lanes_.dtype;
          },
          s.what);
    }
    into_->push_back(std::move(s));
  }
  std::int32_t lanes_of(int width) {
    const auto [it, is_new] = lane_variables_.emplace(width, -1);
    if (is_new) it->second = new_variable(width);
    return it->second;
  }

  std::unique_ptr<Kernel> kernel_;
  Block* into_ = &kernel_->body;  ///< the block that is open
  Lanes lanes_;
  std::map<int, std::int32_t> lane_variables_;  ///< by width
};

}  // namespace partita::kernel
