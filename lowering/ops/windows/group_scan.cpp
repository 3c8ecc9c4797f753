// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/group_scan.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "lowering/context/wide_elements.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/scan_form.hpp"
#include "lowering/ops/windows/scan_lines.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

/// Values, one for each operand.
using Values = std::vector<ExprId>;

/// What a kernel of groups scans, and what becomes of it.
struct ScanJob {
  const Node& node;
  ScanLines lines;
  ScanForm form;
  bool is_wide;               ///< sums of small floats in f32
  std::vector<DType> dtypes;  ///< of what is read, and stored
  std::function<Values(KernelBody&, ExprId line, ExprId step)> element;
  /// Where results go; none: the totals of parts alone are wanted.
  std::vector<Location> results;
  std::function<ExprId(ExprPool&, ExprId line, ExprId step)> place;
  bool is_exclusive = false;  ///< results are without the element itself

  /// The step of neighbour `lane` in memory, of `width` from step `first` on.
  [[nodiscard]] ExprId in_memory(ExprPool& pool, ExprId first, ExprId lane,
                                 std::int64_t width) const {
    return pool.add(first, lines.is_reverse ? pool.sub(pool.index(width - 1), lane) : lane);
  }
};

/// The statements of one kernel.
class GroupScanKernel {
 public:
  GroupScanKernel(KernelBody& body, const ScanJob& job)
      : body_(body),
        pool_(body.pool()),
        job_(job),
        form_(job.form),
        carry_(body, job.node, job.is_wide),
        has_columns_(job.lines.inner > 1) {
    const std::int64_t tiles = ceil_divide(job.lines.lines, form_.lines);
    groups_ = tiles * form_.parts;
    const auto place =
        scalar::delinearize(pool_, body_.set_groups(groups_, items()), {form_.parts, tiles});
    part_ = place[0];
    first_line_ = pool_.mul(place[1], form_.lines);
    const ExprId item = body_.item();
    in_group_ = has_columns_ ? pool_.mod(item, form_.lines) : pool_.div(item, form_.items);
    item_ = has_columns_ ? pool_.div(item, form_.lines) : pool_.mod(item, form_.items);
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }
  /// The number of the item's line, of its part, and whether it is the first of those that share them.
  [[nodiscard]] ExprId line() { return line_of(in_group_); }
  [[nodiscard]] ExprId part() const { return part_; }
  [[nodiscard]] ExprId is_first() {
    return pool_.logical_and(is_line(in_group_), pool_.less(item_, pool_.index(1)));
  }

  /// Scans the part from `before`, what the elements in front of it give.
  void scan(const Values& before) {
    open_arrays();
    carry_.declare(body_, before);
    each_tile(0, [&](ExprId first) { scan_tile(first); });
  }

  /// Combines the part; gives what came out.
  Values total() {
    PARTITA_ASSERT(form_.items > 1);
    open_arrays();
    const auto of_tile = [&](ExprId first) {
      read(first);
      combine_items();
      return shared_by(last_item());
    };
    carry_.declare(body_, of_tile(pool_.mul(part_, form_.length())));
    if (form_.turns > 1) body_.barrier();
    each_tile(1, [&](ExprId first) {
      const Values tile = of_tile(first);
      carry_.combine(body_, tile, job_.lines.is_reverse);
      body_.barrier();
    });
    return values_of(carry_);
  }

 private:
  [[nodiscard]] std::int64_t items() const { return form_.items * form_.lines; }
  /// Lines past the end do what the last one does, and store nothing.
  [[nodiscard]] ExprId line_of(ExprId in_group) {
    return pool_.min(pool_.add(first_line_, in_group), pool_.index(job_.lines.lines - 1));
  }
  [[nodiscard]] ExprId is_line(ExprId in_group) {
    return pool_.less(pool_.add(first_line_, in_group), pool_.index(job_.lines.lines));
  }
  [[nodiscard]] ExprId is_step(ExprId step) {
    return pool_.less(step, pool_.index(job_.lines.extent));
  }
  [[nodiscard]] Values values_of(const Reduction& r) {
    Values values;
    for (const Register& x : r.registers) values.push_back(body_.value(x));
    return values;
  }

  /// Calls `emit` with the first step of each tile of the part from tile `from` on.
  template <class Emit>
  void each_tile(std::int64_t from, const Emit& emit) {
    const std::int64_t turns = form_.turns - from;
    if (turns == 0) return;
    const ExprId begin = pool_.add(pool_.mul(part_, form_.length()), from * form_.tile());
    if (form_.turns == 1) return emit(begin);
    const ExprId rest = pool_.sub(pool_.index(job_.lines.extent), begin);
    const ExprId tiles =
        pool_.div(pool_.max(pool_.add(rest, form_.tile() - 1), pool_.index(0)), form_.tile());
    body_.loop_to(pool_.min(tiles, pool_.index(turns)), turns,
                  [&](ExprId turn) { emit(pool_.add(begin, pool_.mul(turn, form_.tile()))); });
  }

  // --- Elements ---

  void open_arrays() {
    if (is_turned())
      for (const DType d : job_.dtypes)
        tiles_.push_back(body_.new_array(d, padded(items() * form_.elements)));
    if (form_.items == 1) return;
    for (auto* arrays : {&from_, &to_})
      for (const DType d : carry_.accumulators) arrays->push_back(body_.new_array(d, items()));
  }
  /// Whether elements that lie side by side go through local memory to items that want several of them.
  [[nodiscard]] bool is_turned() const {
    return !has_columns_ && form_.width == 1 && form_.elements > 1;
  }

  /// The item's elements of the tile, in registers.  Steps past the end have the last element: only they see it.
  void read(ExprId first) {
    x_.clear();
    const std::size_t n = job_.dtypes.size();
    const auto keep = [&](const Values& values) {
      std::vector<Register> kept;
      for (std::size_t i = 0; i < n; ++i) kept.push_back(body_.declare(job_.dtypes[i], values[i]));
      x_.push_back(std::move(kept));
    };
    const auto element = [&](ExprId line, ExprId step) {
      return job_.element(body_, line, pool_.min(step, pool_.index(job_.lines.extent - 1)));
    };
    if (form_.width > 1) return read_wide(first, keep);
    if (!is_turned()) {
      for (std::int64_t e = 0; e < form_.elements; ++e) keep(element(line(), step_of(first, e)));
      return;
    }
    for (std::int64_t e = 0; e < form_.elements; ++e) {
      const ExprId at = pool_.add(body_.item(), e * items());
      const Values values = element(line_of(pool_.div(at, form_.tile())),
                                    pool_.add(first, pool_.mod(at, form_.tile())));
      for (std::size_t i = 0; i < n; ++i) body_.store_local(tiles_[i], padded(at), values[i]);
    }
    body_.barrier();
    for (std::int64_t e = 0; e < form_.elements; ++e) {
      Values values;
      for (std::size_t i = 0; i < n; ++i)
        values.push_back(body_.load_local(tiles_[i], padded(own_place(e))));
      keep(values);
    }
  }

  template <class Keep>
  void read_wide(ExprId first, const Keep& keep) {
    const std::size_t n = job_.dtypes.size();
    for (std::int64_t e = 0; e < form_.elements; e += form_.width) {
      const ExprId begin =
          pool_.min(step_of(first, e), pool_.index(job_.lines.extent - form_.width));
      std::vector<Values> of_operand;
      for (std::size_t i = 0; i < n; ++i)
        of_operand.push_back(neighbours(body_, int(form_.width), [&](ExprId lane) {
          return job_.element(body_, line(), job_.in_memory(pool_, begin, lane, form_.width)).at(i);
        }));
      for (std::int64_t k = 0; k < form_.width; ++k) {
        Values values;
        for (const Values& lanes : of_operand)
          values.push_back(lanes[std::size_t(job_.lines.is_reverse ? form_.width - 1 - k : k)]);
        keep(values);
      }
    }
  }

  /// The step of the item's element `e`, and its place among the tile's elements.
  [[nodiscard]] ExprId step_of(ExprId first, std::int64_t e) {
    return pool_.add(first, pool_.add(pool_.mul(item_, form_.elements), e));
  }
  [[nodiscard]] ExprId own_place(std::int64_t e) {
    return pool_.add(pool_.mul(body_.item(), form_.elements), e);
  }
  /// Padded, so that items do not meet in banks.  Odd strides would not need it, but Intel's driver for CPUs mixes up elements
  /// that are stored side by side and read by such a stride.
  [[nodiscard]] ExprId padded(ExprId place) { return pool_.add(place, pool_.div(place, 32)); }
  [[nodiscard]] static std::int64_t padded(std::int64_t count) { return count + count / 32; }

  // --- Items ---

  /// Leaves in the arrays `from_` what the items of each line have combined up to each of them, itself included.
  void combine_items() {
    const bool is_reverse = job_.lines.is_reverse;
    const auto share = [&](const std::vector<std::int32_t>& arrays) {
      const Values own = values_of(*own_);
      for (std::size_t i = 0; i < own.size(); ++i)
        body_.store_local(arrays[i], body_.item(), own[i]);
      body_.barrier();
    };
    own_.emplace(body_, job_.node, job_.is_wide);
    own_->declare(body_, element_values(0));
    for (std::size_t e = 1; e < x_.size(); ++e) own_->combine(body_, element_values(e), is_reverse);
    share(from_);
    // Four times as far with each step: a quarter of the barriers that doubling needs three quarters of.
    for (std::int64_t distance = 1; distance < form_.items; distance *= 4) {
      for (std::int64_t k = 1; k < 4 && k * distance < form_.items; ++k)
        body_.guard(pool_.less_equal(pool_.index(k * distance), item_),
                    [&] { own_->combine(body_, earlier_items(k * distance), !is_reverse); });
      share(to_);
      std::swap(from_, to_);
    }
  }
  [[nodiscard]] Values element_values(std::size_t e) {
    Values values;
    for (const Register& r : x_[e]) values.push_back(body_.value(r));
    return values;
  }
  /// What the item that many before this one has shared.
  [[nodiscard]] Values earlier_items(std::int64_t distance) {
    return shared_by(pool_.sub(body_.item(), pool_.index(distance * item_distance())));
  }
  [[nodiscard]] Values shared_by(ExprId item) {
    Values values;
    for (const std::int32_t a : from_) values.push_back(body_.load_local(a, item));
    return values;
  }
  /// How far apart the numbers of items are that are neighbours on a line.
  [[nodiscard]] std::int64_t item_distance() const { return has_columns_ ? form_.lines : 1; }
  /// The last item of the line.
  [[nodiscard]] ExprId last_item() {
    const ExprId last = pool_.index((form_.items - 1) * item_distance());
    return pool_.add(last, has_columns_ ? in_group_ : pool_.mul(in_group_, form_.items));
  }

  // --- Results ---

  void scan_tile(ExprId first) {
    read(first);
    if (form_.items == 1) {
      write(first, scan_own(carry_));
    } else {
      combine_items();
      for (std::size_t i = 0; i < carry_.registers.size(); ++i)
        body_.assign(own_->registers[i], body_.value(carry_.registers[i]));
      body_.guard(pool_.less(pool_.index(0), item_),
                  [&] { own_->combine(body_, earlier_items(1), job_.lines.is_reverse); });
      if (form_.turns > 1) carry_.combine(body_, shared_by(last_item()), job_.lines.is_reverse);
      write(first, scan_own(*own_));
    }
    if (form_.turns > 1 && (form_.items > 1 || is_turned())) body_.barrier();
  }

  /// What becomes of the item's elements behind what `before` holds, which has them too afterwards.
  std::vector<Values> scan_own(const Reduction& before) {
    std::vector<Values> results;
    for (std::size_t e = 0; e < x_.size(); ++e) {
      if (!job_.is_exclusive) before.combine(body_, element_values(e), job_.lines.is_reverse);
      Values kept;
      for (std::size_t i = 0; i < job_.dtypes.size(); ++i) {
        const ExprId held = body_.value(before.registers[i]);
        kept.push_back(
            body_.value(body_.declare(job_.dtypes[i], pool_.convert(held, job_.dtypes[i]))));
      }
      results.push_back(std::move(kept));
      if (job_.is_exclusive) before.combine(body_, element_values(e), job_.lines.is_reverse);
    }
    return results;
  }

  void write(ExprId first, const std::vector<Values>& results) {
    if (form_.width > 1) return write_wide(first, results);
    if (!is_turned()) {
      for (std::int64_t e = 0; e < form_.elements; ++e)
        store(in_group_, step_of(first, e), results[std::size_t(e)]);
      return;
    }
    const std::size_t n = job_.dtypes.size();
    for (std::int64_t e = 0; e < form_.elements; ++e)
      for (std::size_t i = 0; i < n; ++i)
        body_.store_local(tiles_[i], padded(own_place(e)), results[std::size_t(e)][i]);
    body_.barrier();
    for (std::int64_t e = 0; e < form_.elements; ++e) {
      const ExprId at = pool_.add(body_.item(), e * items());
      Values values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(body_.load_local(tiles_[i], padded(at)));
      store(pool_.div(at, form_.tile()), pool_.add(first, pool_.mod(at, form_.tile())), values);
    }
  }

  void store(ExprId in_group, ExprId step, const Values& values) {
    body_.guard_if_needed(pool_.logical_and(is_line(in_group), is_step(step)), [&] {
      for (std::size_t i = 0; i < values.size(); ++i)
        body_.store_to(job_.results[i], job_.dtypes[i], job_.place(pool_, line_of(in_group), step),
                       values[i]);
    });
  }

  void write_wide(ExprId first, const std::vector<Values>& results) {
    for (std::int64_t e = 0; e < form_.elements; e += form_.width) {
      const ExprId begin = step_of(first, e);
      body_.guard_if_needed(pool_.logical_and(is_line(in_group_), is_step(begin)), [&] {
        for (std::size_t i = 0; i < job_.dtypes.size(); ++i) {
          Values lanes;
          for (std::int64_t k = 0; k < form_.width; ++k)
            lanes.push_back(
                results[std::size_t(e + (job_.lines.is_reverse ? form_.width - 1 - k : k))][i]);
          store_neighbours(
              body_, job_.results[i], job_.dtypes[i],
              [&](ExprId lane) {
                return job_.place(pool_, line(), job_.in_memory(pool_, begin, lane, form_.width));
              },
              lanes);
        }
      });
    }
  }

  KernelBody& body_;
  ExprPool& pool_;
  const ScanJob& job_;
  const ScanForm& form_;
  Reduction carry_;               ///< what is before the tile
  std::optional<Reduction> own_;  ///< what the item combines
  bool has_columns_;
  std::int64_t groups_ = 0;
  ExprId part_{}, first_line_{}, in_group_{}, item_{};
  std::vector<std::vector<Register>> x_;         ///< the item's elements, by operand
  std::vector<std::int32_t> tiles_, from_, to_;  ///< arrays of the group, by operand
};

/// The launches of one scan.
class GroupScan {
 public:
  GroupScan(Context& context, Node& node, const ir::ScanShape& shape)
      : context_(context), node_(node), n_(node.result_types().size()), lines_(type(), shape) {}

  void launch(const std::vector<Location>& results) {
    const ScanJob whole = job(results);
    if (whole.form.parts == 1)
      return run(whole, "", [&](KernelBody& body, GroupScanKernel& k) { k.scan(inits(body)); });
    ScanJob totals = whole;
    totals.results.clear();
    const std::vector<Location> total = new_parts(whole, "totals"),
                                before = new_parts(whole, "offsets");
    const std::vector<DType> dtypes = accumulators(whole);
    run(totals, "parts_of_", [&](KernelBody& body, GroupScanKernel& k) {
      const Values values = k.total();
      body.guard_if_needed(k.is_first(), [&] {
        for (std::size_t i = 0; i < n_; ++i)
          body.store_to(total[i], dtypes[i], of_part(body.pool(), k.line(), k.part(), whole),
                        values[i]);
      });
    });
    run(job_of_parts(whole, total, before), "offsets_of_",
        [&](KernelBody& body, GroupScanKernel& k) { k.scan(inits(body)); });
    run(whole, "", [&](KernelBody& body, GroupScanKernel& k) {
      Values values;
      for (std::size_t i = 0; i < n_; ++i)
        values.push_back(body.pool().load(body.buffer(before[i], dtypes[i], false), dtypes[i],
                                          of_part(body.pool(), k.line(), k.part(), whole)));
      k.scan(values);
    });
  }

 private:
  [[nodiscard]] const Type& type() const { return node_.result_types()[0]; }

  [[nodiscard]] ScanJob job(const std::vector<Location>& results) const {
    ScanJob job{.node = node_,
                .lines = lines_,
                .form = {},
                .is_wide = lines_.extent > few_terms,
                .dtypes = {},
                .element =
                    [this](KernelBody& body, ExprId line, ExprId step) {
                      Values values;
                      for (std::size_t i = 0; i < n_; ++i)
                        values.push_back(
                            body.element(node_.operand(i), lines_.index(body.pool(), line, step)));
                      return values;
                    },
                .results = results,
                .place =
                    [this](ExprPool& pool, ExprId line, ExprId step) {
                      return scalar::linear_index(pool, lines_.index(pool, line, step),
                                                  type().dims);
                    }};
    for (const Type& t : node_.result_types()) job.dtypes.push_back(t.dtype);
    job.form = form_of(job, true);
    return job;
  }

  /// What precedes each part, from what each part gives.
  [[nodiscard]] ScanJob job_of_parts(const ScanJob& whole, const std::vector<Location>& total,
                                     const std::vector<Location>& before) const {
    ScanJob job = whole;
    job.lines.extent = whole.form.parts;
    job.dtypes = accumulators(whole);
    job.element = [this, total, dtypes = job.dtypes, &whole](KernelBody& body, ExprId line,
                                                             ExprId step) {
      Values values;
      for (std::size_t i = 0; i < n_; ++i)
        values.push_back(body.pool().load(body.buffer(total[i], dtypes[i], false), dtypes[i],
                                          of_part(body.pool(), line, step, whole)));
      return values;
    };
    job.results = before;
    job.place = [this, &whole](ExprPool& pool, ExprId line, ExprId step) {
      return of_part(pool, line, step, whole);
    };
    job.is_exclusive = true;
    job.form = form_of(job, false);
    return job;
  }

  [[nodiscard]] ScanForm form_of(const ScanJob& job, bool may_split) const {
    std::int64_t bytes = 1;
    for (const DType d : accumulators(job)) bytes = std::max(bytes, std::int64_t(byte_size(d)));
    ScanForm form = choose_scan_form({.lines = job.lines.lines,
                                      .extent = job.lines.extent,
                                      .has_columns = job.lines.inner > 1,
                                      .bytes = bytes,
                                      .operands = std::int64_t(n_)},
                                     may_split, context_.policy().target);
    if (job.lines.inner == 1) form.width = widest_read(job, form);
    return form;
  }
  /// Most neighbours that an item can read as one of all operands.
  [[nodiscard]] std::int64_t widest_read(const ScanJob& job, const ScanForm& form) const {
    KernelBody probe(context_, "probe", job.lines.lines);
    ExprPool& pool = probe.pool();
    for (const std::int64_t width : {16, 8, 4, 2}) {
      if (form.elements % width != 0 || job.lines.extent % width != 0) continue;
      const ExprId first =
          pool.mul(pool.variable(probe.new_variable(job.lines.extent / width)), width);
      bool all = true;
      for (std::size_t i = 0; i < n_; ++i)
        all = all && reads_as_one(probe, int(width), [&](ExprId lane) {
                const ExprId step = job.in_memory(pool, first, lane, width);
                return job.element(probe, probe.item(), step).at(i);
              });
      if (all) return width;
    }
    return 1;
  }
  [[nodiscard]] std::vector<DType> accumulators(const ScanJob& job) const {
    KernelBody probe(context_, "probe", 1);
    return Reduction(probe, node_, job.is_wide).accumulators;
  }

  /// An element for each part of each line; those of neighbouring lines lie side by side where their elements do.
  [[nodiscard]] std::vector<Location> new_parts(const ScanJob& job, const std::string& name) const {
    std::vector<Location> at;
    for (const DType d : accumulators(job))
      at.push_back(context_.new_temporary(
          {.dtype = d, .dims = {lines_.lines / lines_.inner, job.form.parts, lines_.inner}}, name));
    return at;
  }
  [[nodiscard]] ExprId of_part(ExprPool& pool, ExprId line, ExprId part, const ScanJob& job) const {
    const ExprId row = pool.div(line, lines_.inner);
    return pool.add(pool.mul(pool.add(pool.mul(row, job.form.parts), part), lines_.inner),
                    pool.mod(line, lines_.inner));
  }
  [[nodiscard]] Values inits(KernelBody& body) const {
    Values values;
    for (std::size_t i = 0; i < n_; ++i) values.push_back(body.element(node_.operand(n_ + i), {}));
    return values;
  }

  template <class Emit>
  void run(const ScanJob& job, const std::string& stem, const Emit& emit) {
    KernelBody body(context_, cat(stem, "scan_", step_name(node_)));
    GroupScanKernel kernel(body, job);
    body.note_count(type().count());
    emit(body, kernel);
    context_.launch_groups(body, kernel.groups());
  }

  Context& context_;
  Node& node_;
  std::size_t n_;
  ScanLines lines_;
};

}  // namespace

void lower_group_scan(Context& context, Node& node, const ir::ScanShape& shape,
                      const std::vector<Location>& results) {
  GroupScan(context, node, shape).launch(results);
}

}  // namespace partita::lowering
