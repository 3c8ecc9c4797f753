// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/verify.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include "kernel/ast/copied_neighbours.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"
#include "runtime/artifact/problem.hpp"
#include "scalar/bounds.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

[[noreturn]] void fail(std::string_view expected, std::string_view found) {
  throw Problem{cat("expected ", expected, ", found ", found)};
}

/// What is read or written as one: two or more neighbours of at most 16 bytes, from an index on which
/// is a multiple of their number.
void expect_neighbours(const ExprPool& pool, ExprId first, std::size_t count, DType d) {
  if (!std::has_single_bit(count) || count < 2 || count * byte_size(d) > widest_access)
    fail(cat("2, 4, 8 or 16 neighbours of at most ", widest_access, " bytes"), cat(count));
  if (!scalar::is_index(pool[first].kind)) return;  // refused by what asks for an index
  if (known_divisor(pool, first) % std::int64_t(count) != 0)
    fail(cat("an index that is a multiple of ", count), "one that may be none");
}

// --- Expressions --------------------------------------------------------------------------------

class ExpressionCheck {
 public:
  ExpressionCheck(const ExprPool& pool, const Expr& e) : pool_(pool), e_(e) {}

  void run() const {
    switch (e_.kind) {
      case ExprKind::constant:
        if (e_.dtype == DType::c128) fail("two constants of f64", "one of c128");
        return expect_operands(0);
      case ExprKind::index_constant:
        return expect_operands(0);
      case ExprKind::reg:
      case ExprKind::index_scalar:
        return expect_slot(0);
      case ExprKind::index_variable:
        return expect_slot(unbounded_item);
      case ExprKind::apply:
        return check_row();
      case ExprKind::choose:
        return check_choose();
      case ExprKind::convert:
      case ExprKind::bitcast:
      case ExprKind::to_index:
        return check_conversion();
      case ExprKind::load:
      case ExprKind::load_wide:
      case ExprKind::load_local:
      case ExprKind::from_index:
        expect_operands(1);
        if (e_.kind == ExprKind::load_wide) check_width();
        return expect_index(0);
      default:
        return check_index();
    }
  }

 private:
  void expect_operands(std::size_t n) const {
    if (e_.operands.size() != n) fail(cat(n, " operands"), cat(e_.operands.size()));
    for (const ExprId x : e_.operands)
      if (x == no_expr || std::int32_t(x) >= pool_.size()) fail("an expression", "none");
  }
  void expect_slot(std::int32_t lowest) const {
    expect_operands(0);
    if (e_.slot < lowest) fail(cat("a number from ", lowest), cat(e_.slot));
  }
  [[nodiscard]] const Expr& operand(std::size_t k) const { return pool_[e_.operands[k]]; }
  void expect_index(std::size_t k) const {
    if (!scalar::is_index(operand(k).kind)) fail("an index", to_string(operand(k).dtype));
  }
  void expect_element(std::size_t k, DType d) const {
    if (scalar::is_index(operand(k).kind)) fail(cat("an element of ", to_string(d)), "an index");
    if (operand(k).dtype != d) fail(to_string(d), to_string(operand(k).dtype));
  }

  void check_row() const {
    const scalar::ElementwiseRow& row = scalar::elementwise_row(e_.name);
    expect_operands(std::size_t(scalar::arity(row.signature)));
    for (std::size_t k = 0; k < e_.operands.size(); ++k)
      expect_element(k, scalar::operand_dtype(row.signature, e_.source, int(k)));
    const DType result = scalar::result_dtype(row.signature, e_.source);
    if (e_.dtype != result) fail(to_string(result), to_string(e_.dtype));
  }
  void check_choose() const {
    expect_operands(3);
    expect_element(0, DType::i1);
    expect_element(1, e_.dtype);
    expect_element(2, e_.dtype);
  }
  void check_conversion() const {
    expect_operands(1);
    const DType from = operand(0).dtype;
    expect_element(0, from);
    if (e_.kind == ExprKind::to_index) {
      if (!intersects(info(from).kind, Kinds::bits)) fail("an integer", to_string(from));
      return;
    }
    if (e_.source != from) fail(to_string(from), to_string(e_.source));
    if (e_.kind == ExprKind::bitcast && byte_size(from) != byte_size(e_.dtype))
      fail("dtypes of one width", cat(to_string(from), " and ", to_string(e_.dtype)));
  }
  void check_width() const {
    const auto [lane, width] = scalar::wide_lane(e_);
    if (lane >= width) fail(cat("a number below ", width), cat(lane));
    expect_neighbours(pool_, e_.operands[0], std::size_t(width), e_.dtype);
  }
  void check_index() const {
    expect_operands(2);
    expect_index(0);
    expect_index(1);
    if (e_.kind != ExprKind::index_div && e_.kind != ExprKind::index_mod) return;
    if (!pool_.is_index_constant(e_.operands[1]) || std::int64_t(operand(1).bits) < 1)
      fail("a positive number to divide by", "something else");
  }

  const ExprPool& pool_;
  const Expr& e_;
};

// --- Kernels ------------------------------------------------------------------------------------

class KernelCheck {
 public:
  explicit KernelCheck(const Kernel& kernel) : k_(kernel), is_known_(std::size_t(k_.pool.size())) {}

  void run() {
    Scope scope(*this);
    for (const std::int32_t v : {std::int32_t(0), unbounded_item}) scope.add_variable(v);
    if (k_.row_variable >= 0) scope.add_variable(k_.row_variable);
    check_group(scope);
    check(k_.body);
    if (k_.plain != nullptr) check_plain(*k_.plain);
  }

 private:
  /// What is declared in it, and the expressions of that, are gone at its end.
  class Scope {
   public:
    explicit Scope(KernelCheck& check) : check_(check), known_(check.order_.size()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      for (const std::int32_t v : variables_) check_.variables_.erase(v);
      for (const std::int32_t r : registers_) check_.registers_.erase(r);
      for (std::size_t i = known_; i < check_.order_.size(); ++i)
        check_.is_known_[std::size_t(check_.order_[i])] = false;
      check_.order_.resize(known_);
    }
    void add_variable(std::int32_t v) {
      if (v >= check_.k_.next_variable)
        fail(cat("a variable below k", check_.k_.next_variable), cat("k", v));
      if (!check_.variables_.insert(v).second)
        fail("another variable than those around it", cat("k", v));
      variables_.push_back(v);
    }
    void add_register(std::int32_t r, DType d) {
      if (r < 0 || r >= check_.k_.next_register)
        fail(cat("a register below r", check_.k_.next_register), cat("r", r));
      if (!check_.registers_.emplace(r, d).second)
        fail("another register than those around it", cat("r", r));
      registers_.push_back(r);
    }

   private:
    KernelCheck& check_;
    std::size_t known_;
    std::vector<std::int32_t> variables_, registers_;
  };

  void check(const Block& stmts) {
    Scope scope(*this);
    for (const Stmt& s : stmts) check(s, scope);
  }

  void check(const Stmt& s, Scope& scope) {
    if (s.width > 1) {
      const auto dtype = dtype_of(s);
      if (!dtype) fail("one statement for the lanes of a vector", "a body");
      if (std::ranges::count(vector_dtypes, *dtype) == 0)
        fail("vectors of f32, f64 or integers of their size", to_string(*dtype));
      Scope lanes(*this);
      if (as<AddLanes>(s) == nullptr) lanes.add_variable(s.lane);
      return check_statement(s, scope);
    }
    check_statement(s, scope);
  }

  void check_statement(const Stmt& s, Scope& scope) {
    std::visit([&](const auto& x) { check(x, s.width, scope); }, s.what);
  }

  void check(const Declare& x, int /*width*/, Scope& scope) {
    expect_element(x.value, x.dtype);
    scope.add_register(x.slot, x.dtype);
  }
  void check(const Assign& x, int /*width*/, Scope& /*scope*/) {
    expect_element(x.value, x.dtype);
    expect_register(x.slot, x.dtype);
  }
  void check(const MultiplyAdd& x, int /*width*/, Scope& /*scope*/) {
    expect_element(x.b, x.dtype);
    expect_element(x.a, x.dtype);
    expect_register(x.slot, x.dtype);
  }
  void check(const AddLanes& x, int /*width*/, Scope& /*scope*/) {
    expect_element(x.vector, x.dtype);
    expect_register(x.slot, x.dtype);
  }
  void check(const Store& x, int width, Scope& /*scope*/) {
    expect_index(x.index);
    visit(x.value);
    const DType stored = k_.pool[x.value].dtype;
    expect_element(x.value, stored);
    expect_buffer(x.buffer, stored);
    if (!k_.buffers[std::size_t(x.buffer)].is_written)
      fail("a buffer that is written", cat("b", x.buffer));
    if (width == 1 && x.dtype != stored) fail(to_string(stored), to_string(x.dtype));
  }
  void check(const StoreWide& x, int width, Scope& /*scope*/) {
    if (width > 1) fail("elements that are stored as one", "vectors");
    for (const ExprId v : x.values) expect_element(v, x.dtype);
    expect_index(x.index);
    expect_neighbours(k_.pool, x.index, x.values.size(), x.dtype);
    if (x.is_local) return expect_array(x.buffer, x.dtype);
    expect_buffer(x.buffer, x.dtype, std::int64_t(x.values.size()));
    if (!k_.buffers[std::size_t(x.buffer)].is_written)
      fail("a buffer that is written", cat("b", x.buffer));
  }
  void check(const AtomicCombine& x, int width, Scope& /*scope*/) {
    if (width > 1) fail("one element that is combined at once", "a vector");
    if (!can_combine_at_once(x.combiner, x.dtype))
      fail("integers of 32 bits and a combiner that no order matters to",
           cat(to_string(x.combiner), " of ", to_string(x.dtype)));
    expect_element(x.value, x.dtype);
    expect_index(x.index);
    expect_buffer(x.buffer, x.dtype);
    if (!k_.buffers[std::size_t(x.buffer)].is_written)
      fail("a buffer that is written", cat("b", x.buffer));
  }
  void check(const StoreLocal& x, int width, Scope& /*scope*/) {
    if (width > 1 && k_.group_items > 0) fail("one element for an array of the group", "a vector");
    expect_index(x.index);
    expect_element(x.value, x.dtype);
    expect_array(x.array, x.dtype);
    if (x.is_ahead && (k_.group_items == 0 || !copied_element(k_.pool, x.value)))
      fail("an element of memory for an array of the group", "another value that is copied ahead");
  }
  void check(const LoadMatrices& x, int /*width*/, Scope& scope) {
    expect_matrix_units();
    expect_index(x.index);
    if (known_divisor(k_.pool, x.index) % 8 != 0)
      fail("rows of matrices from multiples of 8 on", "one that may begin elsewhere");
    expect_array(x.array, DType::ui16);
    for (const std::int32_t slot : x.slots) scope.add_register(slot, DType::ui32);
  }
  void check(const MultiplyMatrices& x, int /*width*/, Scope& /*scope*/) {
    expect_matrix_units();
    if (x.dtype != DType::bf16 && x.dtype != DType::f16 && x.dtype != DType::f32)
      fail("bf16, f16 or f32", to_string(x.dtype));
    for (const ExprId e : x.a) expect_element(e, DType::ui32);
    for (const ExprId e : x.b) expect_element(e, DType::ui32);
    for (const std::int32_t slot : x.sums) expect_register(slot, DType::f32);
  }
  void expect_matrix_units() const {
    if (k_.group_items == 0 || k_.group_items % matrix_items != 0)
      fail(cat("groups of whole sub-groups of ", matrix_items), cat(k_.group_items, " items"));
    if (k_.plain == nullptr) fail("a kernel that does without matrix units", "none");
  }
  void check(const Barrier& /*x*/, int /*width*/, Scope& /*scope*/) {
    if (k_.group_items == 0) fail("a kernel of groups", "a barrier in one of items");
  }
  void check(const Loop& x, int /*width*/, Scope& /*scope*/) {
    if (has_barrier(x.body)) expect_same_for_all(x.end), expect_same_for_all(x.begin);
    expect_index(x.end);
    if (x.begin != no_expr) expect_index(x.begin);
    if (x.step < 1) fail("a step of at least 1", cat(x.step));
    Scope loop(*this);
    loop.add_variable(x.variable);
    check(x.body);
  }
  void check(const When& x, int /*width*/, Scope& /*scope*/) {
    if (has_barrier(x.body)) expect_same_for_all(x.condition);
    expect_element(x.condition, DType::i1);
    check(x.body);
  }

  void check_plain(const Kernel& plain) const {
    const auto dtypes = [](const Kernel& k) {
      std::vector<DType> all;
      for (const BufferParam& b : k.buffers) all.push_back(b.dtype);
      return all;
    };
    if (dtypes(plain) != dtypes(k_) || plain.scalars != k_.scalars ||
        plain.group_items != k_.group_items || plain.plain != nullptr)
      fail("the same parameters and groups of the kernel without matrix units", "others");
    KernelCheck(plain).run();
  }

  void check_group(Scope& scope) {
    for (const LocalArray& a : k_.arrays)
      if (a.count < 1) fail("an array of at least one element", cat(a.count));
    if (k_.group_items == 0) return;
    if (k_.group_items < 0 || k_.pool.extent(0) != k_.group_items)
      fail("items within a group as variable 0", cat(k_.pool.extent(0), " of ", k_.group_items));
    if (k_.row_variable >= 0) fail("groups along one dimension", "rows");
    if (k_.group_variable < 0) fail("a variable of the group's number", "none");
    scope.add_variable(k_.group_variable);
  }

  static bool has_barrier(const Block& stmts) {
    return std::ranges::any_of(
        stmts, [](const Stmt& s) { return as<Barrier>(s) != nullptr || has_barrier(body_of(s)); });
  }
  /// What depends on the group, on arguments, on elements of arrays that the kernel leaves as they are, and on loops that are
  /// the same for all items, alone.
  void expect_same_for_all(ExprId id) const {
    if (id == no_expr) return;
    for (const ExprId x : reachable(k_.pool, id)) {
      const Expr& e = k_.pool[x];
      const bool is_item =
          e.kind == ExprKind::index_variable && (e.slot == 0 || e.slot == unbounded_item);
      const bool may_change = is_read(e.kind) && (e.kind == ExprKind::load_local ||
                                                  k_.buffers[std::size_t(e.slot)].is_written);
      if (is_item || e.kind == ExprKind::reg || may_change)
        fail("a barrier that all items of a group come by", "one that depends on the item");
    }
  }

  void expect_array(std::int32_t slot, DType d) const {
    if (slot < 0 || std::size_t(slot) >= k_.arrays.size())
      fail(cat("one of ", k_.arrays.size(), " arrays"), cat("a", slot));
    const DType held = k_.arrays[std::size_t(slot)].dtype;
    if (held != d) fail(to_string(held), to_string(d));
  }
  void expect_register(std::int32_t slot, DType d) const {
    const auto it = registers_.find(slot);
    if (it == registers_.end()) fail("a register that is declared", cat("r", slot));
    if (it->second != d) fail(to_string(it->second), to_string(d));
  }
  void expect_buffer(std::int32_t slot, DType d, std::int64_t width = 1) const {
    if (slot < 0 || std::size_t(slot) >= k_.buffers.size())
      fail(cat("one of ", k_.buffers.size(), " buffers"), cat("b", slot));
    const BufferParam& b = k_.buffers[std::size_t(slot)];
    if (b.dtype != d) fail(to_string(b.dtype), to_string(d));
    if (b.alignment % width != 0)
      fail(cat("a buffer that is aligned to ", width, " elements"), cat("b", slot));
  }
  void expect_index(ExprId id) {
    visit(id);
    if (!scalar::is_index(k_.pool[id].kind)) fail("an index", "an element");
  }
  void expect_element(ExprId id, DType d) {
    visit(id);
    const Expr& e = k_.pool[id];
    if (scalar::is_index(e.kind)) fail(cat("an element of ", to_string(d)), "an index");
    if (e.dtype != d) fail(to_string(d), to_string(e.dtype));
  }

  void visit(ExprId id) {
    if (id == no_expr || std::int32_t(id) >= k_.pool.size()) fail("an expression", "none");
    if (is_known_[std::size_t(id)]) return;
    const Expr& e = k_.pool[id];
    for (const ExprId x : e.operands) visit(x);
    ExpressionCheck(k_.pool, e).run();
    if (e.kind == ExprKind::reg) expect_register(e.slot, e.dtype);
    if (e.kind == ExprKind::load) expect_buffer(e.slot, e.dtype);
    if (e.kind == ExprKind::load_wide) expect_buffer(e.slot, e.dtype, scalar::wide_lane(e).width);
    if (e.kind == ExprKind::load_local) expect_array(e.slot, e.dtype);
    if (e.kind == ExprKind::index_scalar)
      if (e.slot >= k_.scalars) fail(cat("one of ", k_.scalars, " scalars"), cat("s", e.slot));
    if (e.kind == ExprKind::index_variable)
      if (!variables_.contains(e.slot)) fail("a variable of a loop around it", cat("k", e.slot));
    is_known_[std::size_t(id)] = true;
    order_.push_back(id);
  }

  const Kernel& k_;
  std::vector<bool> is_known_;  ///< expressions that have been looked at where they are used
  std::vector<ExprId> order_;   ///< of these
  std::set<std::int32_t> variables_;
  std::map<std::int32_t, DType> registers_;
};

// --- Drafts -------------------------------------------------------------------------------------

void check_launch(const PlanDraft& draft, const Launch& l, const std::string& at) {
  const Kernel& k = *draft.kernels[std::size_t(l.kernel)];
  if (l.buffers.size() != k.buffers.size())
    throw Problem{cat(at, "expected ", k.buffers.size(), " buffers, found ", l.buffers.size())};
  if (int(l.scalars.size()) != k.scalars)
    throw Problem{cat(at, "expected ", k.scalars, " scalars, found ", l.scalars.size())};
  if (k.group_items > 0 && (l.local[0] != k.group_items || !(l.global[1] == HostExpr(1)) ||
                            !(l.global[2] == HostExpr(1))))
    throw Problem{cat(at, "expected groups of ", k.group_items, " items along one dimension")};
  for (std::size_t b = 0; b < k.buffers.size(); ++b) {
    const DType held = draft.plan.buffers[std::size_t(l.buffers[b].buffer)].dtype;
    if (held != k.buffers[b].dtype)
      throw Problem{cat(at, "buffer ", b, ": expected ", to_string(k.buffers[b].dtype), ", found ",
                        to_string(held))};
    if (known_divisor(l.buffers[b].offset) % k.buffers[b].alignment != 0)
      throw Problem{cat(at, "buffer ", b, ": expected an offset that is a multiple of ",
                        k.buffers[b].alignment)};
  }
}

void check_launches(const PlanDraft& draft, const Steps& steps, std::set<int>& launched) {
  for (const Step& s : steps) {
    for (const Steps* inner : inner_steps(s)) check_launches(draft, *inner, launched);
    for (const Launch* l : launches_of(s)) {
      check_launch(draft, *l, cat("step ", s.name, ": "));
      launched.insert(l->kernel);
    }
  }
}

}  // namespace

std::optional<std::string> find_problem(const ExprPool& pool, const Expr& e) {
  return problem_of([&] { ExpressionCheck(pool, e).run(); });
}

std::optional<std::string> find_problem(const Kernel& kernel) {
  const auto problem = problem_of([&] { KernelCheck(kernel).run(); });
  if (!problem) return std::nullopt;
  return cat("kernel ", kernel.stem, ": ", *problem);
}

std::optional<std::string> find_problem(const PlanDraft& draft) {
  return find_problem(draft, [](const Kernel&) { return true; });
}

std::optional<std::string> find_problem(const PlanDraft& draft,
                                        const std::function<bool(const Kernel&)>& is_open) {
  std::vector<Type> constants;
  for (const HostArray& constant : draft.constants) constants.push_back(constant.type);
  auto problem = find_problem(
      draft.plan,
      {.kernels = draft.kernels.size(), .constants = constants, .has_places = draft.has_places});
  if (problem) return problem;
  std::set<int> launched;
  problem = problem_of([&] { check_launches(draft, draft.plan.steps, launched); });
  if (problem) return problem;
  for (const int k : launched) {
    const Kernel& kernel = *draft.kernels[std::size_t(k)];
    if (!is_open(kernel)) continue;
    if (auto of_kernel = find_problem(kernel)) return of_kernel;
  }
  return std::nullopt;
}

}  // namespace partita::kernel
