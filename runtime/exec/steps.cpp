// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The interpreter of a plan's steps on one shard.
#include <algorithm>
#include <bit>
#include <cstring>

#include "partita/base/error.hpp"
#include "runtime/exec/failure.hpp"
#include "runtime/exec/shard.hpp"

namespace partita {

namespace {

using Clock = Trace::Clock;

template <class T>
constexpr bool is_structure =
    std::is_same_v<T, For> || std::is_same_v<T, While> || std::is_same_v<T, Case>;

bool is_structured(const Step& step) {
  return std::visit([]<class T>(const T&) { return is_structure<T>; }, step.what);
}

const char* category(const Step& step) {
  struct Visitor {
    const char* operator()(const Launch&) const { return "kernel"; }
    const char* operator()(const Gemm&) const { return "library"; }
    const char* operator()(const Convolve&) const { return "library"; }
    const char* operator()(const Copy&) const { return "copy"; }
    const char* operator()(const AllReduceStart&) const { return "collective"; }
    const char* operator()(const AllGatherStart&) const { return "collective"; }
    const char* operator()(const GroupStart&) const { return "collective"; }
    const char* operator()(const CollectiveDone&) const { return "collective"; }
    const char* operator()(const Check&) const { return "check"; }
    const char* operator()(const HostCall&) const { return "host"; }
    const char* operator()(const FunctionCall&) const { return "host"; }
    const char* operator()(const For&) const { return "loop"; }
    const char* operator()(const While&) const { return "loop"; }
    const char* operator()(const Case&) const { return "branch"; }
  };
  return std::visit(Visitor{}, step.what);
}

// Elements a row-major matrix with this row stride spans.
std::int64_t span_of(std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
}

}  // namespace

void Shard::run() {
  stats_ = {};
  counters_before_ = communicator_.counters();
  for (std::size_t i = 0; i < variables_.size(); ++i)
    if (!is_block_variable_[i] && int(i) != plan_.mesh_variable) variables_[i] = 0;
  try {
    poison_memory();
    output_made_.assign(output_made_.size(), nullptr);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      execute(plan_.steps[s]);
      note_outputs(outputs_made_[s]);
    }
    for (std::size_t r = 0; r < pending_.size(); ++r)
      if (pending_[r].active)
        throw_internal_error(cat("plan: collective ", r, " is never waited for"));
    device_->flush();
    check_margins();
  } catch (...) {
    // Requests end only when the other shards know.
    communicator_.poison(describe(std::current_exception()));
    abandon_collectives();
    throw;
  }
  const auto counters = communicator_.counters();
  stats_.collective_calls = counters.calls - counters_before_.calls;
  stats_.communicated_bytes = counters.bytes - counters_before_.bytes;
}

// The step just enqueued is the last that touches these.
void Shard::note_outputs(const std::vector<std::size_t>& outputs) {
  if (outputs.empty()) return;
  const DeviceEventPtr made = device_->mark();
  for (const std::size_t i : outputs) output_made_[i] = made;
}

void Shard::execute(const Steps& steps) {
  for (const Step& step : steps) execute(step);
}

void Shard::execute(const Step& step) {
  const auto begin = trace_.enabled() ? Clock::now() : Clock::time_point{};
  if (is_structured(step))
    std::visit([&](const auto& what) { run_step(what); }, step.what);
  else
    execute_leaf(step);
  if (trace_.enabled()) trace_.add(step.name, category(step), begin, Clock::now());
}

void Shard::execute_leaf(const Step& step) {
  current_ = &step;
  try {
    std::visit([&](const auto& what) { run_step(what); }, step.what);
  } catch (const CollectiveError&) {
    throw;  // names the step itself
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::user) throw;
    throw Error(error.kind(), cat("step ", step.name, ": ", error.what()), error.where());
  }
}

BoundBuffer Shard::locate(const BufferRef& ref, std::int64_t elements) {
  const Bound& bound = bound_[std::size_t(ref.buffer)];
  const std::int64_t offset = value(ref.offset);
  if (elements < 0 || offset < 0 || offset > bound.count || elements > bound.count - offset)
    throw_internal_error(
        cat("plan: elements ", offset, " to ", offset, " + ", elements, " of buffer ", ref.buffer,
            " (", plan_.buffers[std::size_t(ref.buffer)].name, "), which has ", bound.count));
  transfers_.settle(*bound.memory);
  return {bound.memory.get(), bound.first + offset};
}

DType Shard::dtype_of(const BufferRef& ref) const {
  return plan_.buffers[std::size_t(ref.buffer)].dtype;
}

void Shard::run_step(const Launch& x) {
  if (!bind_launch(x, launch_)) return;
  device_->launch(*program_, launch_.args());
  ++stats_.launches;
}

/// False where there are no items.
bool Shard::bind_launch(const Launch& x, BoundLaunch& to) {
  to.kernel = x.kernel;
  to.local = x.local;
  for (std::size_t d = 0; d < 3; ++d) {
    to.global[d] = value(x.global[d]);
    if (to.global[d] < 0)
      throw_internal_error(cat("plan: a launch of ", to.global[d], " work-items"));
  }
  if (std::find(to.global.begin(), to.global.end(), 0) != to.global.end()) return false;
  to.buffers.clear();
  to.scalars.clear();
  for (const BufferRef& ref : x.buffers) to.buffers.push_back(locate(ref, 0));
  for (const ScalarArg& scalar : x.scalars)
    to.scalars.push_back({scalar.dtype, value(scalar.value)});
  for (const KernelCall& c : x.calls)
    to.scalars.push_back({DType::i64, std::bit_cast<std::int64_t>(&ready(c.call, c.count))});
  return true;
}

void Shard::run_step(const Gemm& x) {
  const std::int64_t batch = value(x.batch);
  if (batch < 0) throw_internal_error(cat("plan: a GEMM of batch ", batch));
  if (batch == 0 || x.m == 0 || x.n == 0) return;
  const auto elements = [&](std::int64_t rows, std::int64_t columns, std::int64_t row,
                            std::int64_t stride) {
    return (batch - 1) * stride + span_of(rows, columns, row);
  };
  GemmArgs args{.gemm = &x, .a = {}, .b = {}, .c = {}, .batch = batch};
  args.a = locate(x.a, x.transpose_a ? elements(x.k, x.m, x.lda, x.stride_a)
                                     : elements(x.m, x.k, x.lda, x.stride_a));
  args.b = locate(x.b, x.transpose_b ? elements(x.n, x.k, x.ldb, x.stride_b)
                                     : elements(x.k, x.n, x.ldb, x.stride_b));
  args.c = locate(x.c, elements(x.m, x.n, x.ldc, x.stride_c));
  device_->gemm(args);
  ++stats_.launches;
}

void Shard::run_step(const Convolve& x) {
  const bool is_constant =
      plan_.buffers[std::size_t(x.weights.buffer)].kind == BufferKind::constant;
  std::vector<BoundLaunch> bound(x.then.size());
  std::vector<LaunchArgs> then;
  for (std::size_t k = 0; k < bound.size(); ++k)
    if (bind_launch(x.then[k], bound[k])) then.push_back(bound[k].args());
  device_->convolve(*program_, {.convolve = &x,
                                .source = locate(x.source, x.source_count()),
                                .weights = locate(x.weights, x.weight_span()),
                                .result = locate(x.result, x.result_count()),
                                .weights_stay = is_constant && x.weights.offset.is_constant(),
                                .then = then});
  stats_.launches += 1 + std::int64_t(then.size());
}

void Shard::run_step(const Copy& x) {
  const std::int64_t count = value(x.count);
  const BoundBuffer from = locate(x.from, count), to = locate(x.to, count);
  if (count == 0) return;
  // A result that lies in an argument is there already.
  if (from.buffer == to.buffer && from.element_offset == to.element_offset) return;
  const std::size_t width = byte_size(dtype_of(x.from));
  device_->copy(*from.buffer, std::size_t(from.element_offset) * width, *to.buffer,
                std::size_t(to.element_offset) * width, std::size_t(count) * width);
}

void Shard::run_step(const For& x) {
  const std::int64_t begin = value(x.begin), end = value(x.end);
  const bool over_block = depends_on_block(x.begin) || depends_on_block(x.end);
  const std::int64_t launches_before = stats_.launches - stats_.block_launches;
  std::int64_t i = begin;
  while (i < end) {
    variables_[std::size_t(x.variable)] = i;
    execute(x.body);
    if (over_block) ++stats_.blocks;
    if (x.step >= end - i) break;  // the next value may lie beyond 64 bits
    i += x.step;
  }
  if (over_block) stats_.block_launches = stats_.launches - launches_before;
}

void Shard::run_step(const While& x) {
  if (const int ahead = x.guarded ? device_->iterations_ahead() : 0) return run_ahead(x, ahead);
  while (true) {
    execute(x.condition);
    if (!read_flag(x.predicate)) return;
    execute(x.body);
  }
}

void Shard::run_step(const Case& x) {
  const std::int64_t last = std::int64_t(x.branches.size()) - 1;
  std::int64_t branch = 0;
  if (x.index_dtype == DType::i1) {
    branch = read_flag(x.index) ? 0 : 1;
  } else {
    std::int32_t index = 0;
    read_elements(x.index, DType::i32, std::as_writable_bytes(std::span(&index, 1)));
    branch = index;
  }
  if (branch < 0 || branch > last) branch = last;
  execute(x.branches[std::size_t(branch)]);
}

void Shard::run_step(const Check& x) {
  if (!read_flag(x.condition)) throw_user_error(x.message);
}

void Shard::read_elements(const BufferRef& ref, DType dtype, std::span<std::byte> to) {
  const std::size_t width = byte_size(dtype);
  const BoundBuffer at = locate(ref, std::int64_t(to.size() / width));
  if (!to.empty()) device_->read(*at.buffer, std::size_t(at.element_offset) * width, to);
}

bool Shard::read_flag(const BufferRef& ref) {
  std::byte flag{};
  read_elements(ref, DType::i1, std::span(&flag, 1));
  return flag != std::byte(0);
}

bool Shard::depends_on_block(const HostExpr& e) const {
  if (e.kind() == HostExpr::Kind::variable) return is_block_variable_[std::size_t(e.value())];
  return std::any_of(e.operands().begin(), e.operands().end(),
                     [&](const HostExpr& o) { return depends_on_block(o); });
}

}  // namespace partita
