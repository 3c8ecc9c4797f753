// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/source_units.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "backend-cpu/codegen/work_loops.hpp"
#include "kernel/ast/expressions.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

/// Characters of which a unit of the compiler consists where there are many; so many fewer are one unit.  Starting one costs
/// what 1000 do.
constexpr double unit_text = 14'000, single_text = 5000;
/// What text takes the compiler that it makes less effort for, as a part of what other text takes, and how much of it is worth a
/// unit.
struct LessEffort {
  double part, worth_a_unit;
};
constexpr LessEffort little_effort{0.7, 3000}, plain_effort{0.55, 1500};
/// Part of a run's time that kernels take together for which the compiler makes little effort.
constexpr double little_time = 0.1;
/// A step function that calls more kernels does not have them in its unit: what compilers do takes more than in proportion to a
/// function's length.  Nor has one of so many characters any that are this long and do so much when they are called, so that
/// several cores share them.
constexpr std::size_t most_inlined = 64, shared_from = 10'000, shared_length = 2500;
constexpr double shared_operations = 512;
/// Each kernel has something that does not depend on its length.
constexpr double least_weight = 500;

/// Of kernels that step functions call: those that units share, and those that stay functions of their own within one.
constexpr std::string_view shared_prefix = "__attribute__((visibility(\"hidden\"))) void local_",
                           separate_prefix = "static __attribute__((noinline)) void local_";

bool has_branches(const Block& stmts) {
  return std::ranges::any_of(
      stmts, [](const Stmt& s) { return as<When>(s) != nullptr || has_branches(body_of(s)); });
}

/// Whether the kernel's loops become vectors as they stand: nothing in them is done only where a condition holds, but for
/// statements that are vectors already.  Of choices between truth values gcc makes branches.
bool is_plain(const Kernel& kernel) {
  const auto is_branch = [&](scalar::ExprId id) {
    const scalar::Expr& e = kernel.pool[id];
    return e.kind == scalar::ExprKind::choose || (e.name == "select" && e.dtype == DType::i1);
  };
  const Block& body = guarded_body(kernel);  // the guard is where the loop over items ends
  return (has_vectors(body) || !has_branches(body)) &&
         std::ranges::none_of(reachable(kernel.pool, body), is_branch);
}

}  // namespace

std::string definition(const PrintedKernel& k, std::string_view prefix) {
  const std::string comment = k.comment.empty() ? "" : cat("\n// ", k.comment);
  return cat(comment, "\n", prefix, k.name, k.text);
}

SourceUnits::SourceUnits(std::string before, std::vector<StepFunction> functions,
                         const std::set<int>& launched, const PrintedProgram& program)
    : before_(std::move(before)), program_(program) {
  for (StepFunction& f : functions)
    chunks_.push_back({.text = std::move(f.text), .kernels = std::move(f.kernels)});
  share_callees();
  for (const int k : shared_) chunks_.push_back({.kernel = k});
  for (const int k : launched)
    if (std::size_t(k) < program_.kernels.size())
      chunks_.push_back({.kernel = k, .is_launched = true});
  weigh();
  choose_efforts();
}

void SourceUnits::share_callees() {
  const auto length = [&](int k) { return program_.kernels[std::size_t(k)].text.size(); };
  const auto is_long = [&](int k) {
    return length(k) >= shared_length &&
           program_.work.launch_operations[std::size_t(k)] >= shared_operations;
  };
  for (const Chunk& c : chunks_) {
    std::size_t all = c.text.size();
    for (const int k : c.kernels) all += length(k);
    for (const int k : c.kernels)
      if (c.kernels.size() > most_inlined || (all >= shared_from && is_long(k))) shared_.insert(k);
  }
}

void SourceUnits::weigh() {
  for (Chunk& c : chunks_) {
    c.weight = least_weight + double(c.text.size());
    const auto add = [&](int kernel) {
      c.operations += program_.work.kernel_operations[std::size_t(kernel)];
      return double(program_.kernels[std::size_t(kernel)].text.size());
    };
    if (c.kernel) c.weight += add(*c.kernel);
    for (const int k : c.kernels) {
      const double length = add(k);
      if (!shared_.contains(k)) c.weight += least_weight + length;
    }
  }
}

/// `chosen` of `chunks` get an effort, where they are all or their text is worth a unit of its own.
bool SourceUnits::take_effort(Effort effort, const std::vector<Chunk*>& chosen,
                              std::size_t chunks) {
  const LessEffort& less = effort == Effort::plain ? plain_effort : little_effort;
  double weight = 0;
  for (const Chunk* c : chosen) weight += c->weight;
  if (weight < less.worth_a_unit && chosen.size() < chunks) return false;
  for (Chunk* c : chosen) {
    c->effort = effort;
    c->weight *= less.part;
  }
  return true;
}

/// Those that do little, by rough estimates of what a run takes: as many as take a part of it.
std::vector<SourceUnits::Chunk*> SourceUnits::of_little(std::vector<Chunk*> from) const {
  constexpr double operation_seconds = 3e-10, multiply_add_seconds = 2e-11;
  const PlanWork& work = program_.work;
  double left = little_time *
                (work.operations * operation_seconds + work.multiply_adds * multiply_add_seconds);
  std::ranges::stable_sort(from, {}, &Chunk::operations);
  std::vector<Chunk*> little;
  for (Chunk* c : from) {
    const double seconds = c->operations * operation_seconds;
    if (!std::isfinite(seconds) || seconds > left) break;
    left -= seconds;
    little.push_back(c);
  }
  return little;
}

/// Step functions that do little, plain text, and what does little of the rest.
void SourceUnits::choose_efforts() {
  const auto is_plain_kernel = [&](int k) {
    const Kernel* const kernel = program_.kernels[std::size_t(k)].kernel;
    return kernel != nullptr && is_plain(*kernel);
  };
  std::vector<Chunk*> plain, others, all;
  for (Chunk& c : chunks_) {
    all.push_back(&c);
    (c.kernel && is_plain_kernel(*c.kernel) ? plain : others).push_back(&c);
  }
  std::vector<Chunk*> little = of_little(others);
  for (Chunk* c : others)
    if (!c->kernel && std::ranges::find(little, c) == little.end() &&
        std::ranges::all_of(c->kernels,
                            [&](int k) { return shared_.contains(k) || is_plain_kernel(k); }))
      plain.push_back(c);
  if (!take_effort(Effort::plain, plain, chunks_.size())) {
    little = of_little(all);
    plain.clear();
  }
  take_effort(Effort::little, little, chunks_.size() - plain.size());
}

/// How a step function's text has a kernel that it calls.  One of several loops over items stays a function of its own: where
/// its bounds are constants, the compiler unrolls and splits such loops before it could turn them into vectors.
std::string SourceUnits::callee(int kernel, std::string_view shared_as) const {
  const PrintedKernel& k = program_.kernels[std::size_t(kernel)];
  if (shared_.contains(kernel))
    return cat("\n", shared_as, k.name, k.text.substr(0, k.text.find(" {")), ";\n");
  const std::size_t first = k.text.find(item_loop);
  const bool has_several =
      first != std::string::npos && k.text.find(item_loop, first + 1) != std::string::npos;
  return definition(k, has_several ? separate_prefix : "static inline void local_");
}

std::string SourceUnits::text_of(const Chunk& chunk, std::set<int>& defined,
                                 std::string_view shared_as) const {
  if (chunk.kernel)
    return definition(program_.kernels[std::size_t(*chunk.kernel)],
                      chunk.is_launched ? exported_prefix : shared_as);
  std::string text;
  for (const int k : chunk.kernels)
    if (defined.insert(k).second) text += callee(k, shared_as);
  return text + chunk.text;
}

std::string SourceUnits::whole() const {
  std::set<int> defined;
  std::string text = before_;
  for (const Chunk& c : chunks_) text += text_of(c, defined, separate_prefix);
  return text;
}

/// Each unit is of one effort.  Chunks go where there is least so far, the largest first, and units that take longest begin.
std::vector<ObjectUnit> SourceUnits::units() const {
  std::map<Effort, double> weights;
  double all = 0;
  for (const Chunk& c : chunks_) weights[c.effort] += c.weight, all += c.weight;
  // Small programs in several units too, so that two cores share them where efforts are uneven.
  const double each = std::clamp(all / 4, single_text, unit_text);
  struct Unit {
    Effort effort;
    double weight = 0;
    std::vector<std::size_t> chunks = {};
  };
  std::vector<Unit> units;
  for (const auto& [effort, weight] : weights)
    units.resize(units.size() + std::max<std::size_t>(1, std::size_t(std::lround(weight / each))),
                 {effort});
  std::vector<std::size_t> order(chunks_.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return chunks_[c].weight; });
  for (const std::size_t c : order) {
    Unit* least = nullptr;
    for (Unit& u : units)
      if (u.effort == chunks_[c].effort && (least == nullptr || u.weight < least->weight))
        least = &u;
    least->weight += chunks_[c].weight;
    least->chunks.push_back(c);
  }
  std::erase_if(units, [](const Unit& u) { return u.chunks.empty(); });
  std::ranges::stable_sort(units, std::greater(), &Unit::weight);
  std::vector<ObjectUnit> objects;
  for (Unit& u : units) {
    std::ranges::sort(u.chunks);
    std::set<int> defined;
    std::string source = before_;
    for (const std::size_t c : u.chunks) source += text_of(chunks_[c], defined, shared_prefix);
    objects.push_back({.source = std::move(source), .effort = u.effort});
  }
  return objects;
}

}  // namespace partita::cpu::codegen
