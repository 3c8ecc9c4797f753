// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/fft/group_fourier.hpp"

#include <algorithm>
#include <bit>

#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/fft/fourier_stages.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {
namespace {

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

constexpr std::int64_t most_items = 256, most_local_bytes = std::int64_t(32) << 10;

std::int64_t padded(std::int64_t places) { return places + places / 32; }

/// Lines of a group, and items of each.
struct GroupLines {
  std::int64_t lines, items;
  bool has_columns;  ///< neighbouring lines lie side by side

  GroupLines(const FourierLines& l, std::int64_t count, std::int64_t inner,
             const TargetInfo& target)
      : has_columns(inner > 1) {
    const std::int64_t most = std::min(most_items, target.most_group);
    items = std::min(ceil_divide(l.n, largest_radix), most);
    const std::int64_t in_memory = most_local_bytes / bytes_of(l, 1);
    const std::int64_t room = std::max<std::int64_t>(std::min(most / items, in_memory), 1);
    lines = std::min(std::int64_t(std::bit_floor(std::uint64_t(room))),
                     std::int64_t(std::bit_ceil(std::uint64_t(count))));
  }

  static std::int64_t bytes_of(const FourierLines& l, std::int64_t lines) {
    return 2 * padded(lines * l.n) * std::int64_t(byte_size(l.part()));
  }
};

/// The statements of the kernel.
class GroupFourier {
 public:
  GroupFourier(Context& context, const FourierLines& lines, const Node& node)
      : context_(context),
        l_(lines),
        body_(context, cat("lines_of_", lines.n, "_", step_name(node))),
        pool_(body_.pool()),
        inner_(inner_of(lines)),
        count_(lines.from.dims[lines.dimension] == 0
                   ? 0
                   : lines.from.count() / lines.from.dims[lines.dimension]),
        form_(lines, count_, inner_, context.policy().target) {
    const std::int64_t groups = ceil_divide(count_, form_.lines);
    const ExprId group = body_.set_groups(groups, form_.lines * form_.items);
    in_group_ = form_.has_columns ? pool_.mod(body_.item(), form_.lines)
                                  : pool_.div(body_.item(), form_.items);
    item_ = form_.has_columns ? pool_.div(body_.item(), form_.lines)
                              : pool_.mod(body_.item(), form_.items);
    const ExprId number = pool_.add(pool_.mul(group, form_.lines), in_group_);
    is_line_ = pool_.less(number, pool_.index(count_));
    // Those past the end do what the last one does, and store nothing.
    line_ = pool_.min(number, pool_.index(count_ - 1));
    for (std::int32_t* plane : {&re_, &im_})
      *plane = body_.new_array(l_.part(), padded(form_.lines * l_.n));
  }

  void launch(const Location& from, const Location& to) {
    from_ = from;
    to_ = to;
    body_.note_count(std::max({l_.from.count(), l_.to.count(), count_ * l_.n}));
    std::int64_t done = 1;
    for (const std::int64_t radix : radices(l_.n, largest_radix)) {
      const std::int64_t rest = l_.n / (done * radix);
      stage({.done = done,
             .radix = radix,
             .rest = rest,
             .is_first = done == 1,
             .is_last = rest == 1 && l_.pairs != Pairs::in,
             .counts_rest = false,
             .reads_rest = false});
      done *= radix;
    }
    if (l_.pairs == Pairs::in) store_spectrum();
    context_.launch_groups(body_, ceil_divide(count_, form_.lines));
  }

 private:
  static std::int64_t inner_of(const FourierLines& l) {
    std::int64_t inner = 1;
    for (std::size_t d = l.dimension + 1; d < l.from.dims.size(); ++d) inner *= l.from.dims[d];
    return inner;
  }

  /// Real and imaginary parts in registers.
  struct Held {
    Register re, im;
  };

  void stage(const Stage& s) {
    const std::optional<Planes> roots = roots_of(context_, s, false, l_);
    const std::int64_t butterflies = l_.n / s.radix;
    const std::int64_t turns = ceil_divide(butterflies, form_.items);
    std::vector<std::vector<Held>> results;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const ExprId number = pool_.min(butterfly_of(turn), pool_.index(butterflies - 1));
      results.push_back(transform(s, number, roots));
    }
    if (!s.is_first) body_.barrier();
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const ExprId number = butterfly_of(turn);
      body_.guard_if_needed(pool_.less(number, pool_.index(butterflies)),
                            [&] { write(s, number, results[std::size_t(turn)]); });
    }
    if (!s.is_last) body_.barrier();
  }
  [[nodiscard]] ExprId butterfly_of(std::int64_t turn) {
    return pool_.add(item_, turn * form_.items);
  }

  std::vector<Held> transform(const Stage& s, ExprId number, const std::optional<Planes>& roots) {
    const Butterfly butterfly(pool_, l_.part(), l_.sign());
    const ExprId p = pool_.mod(number, s.done);
    std::vector<ComplexParts> x;
    for (std::int64_t u = 0; u < s.radix; ++u) {
      x.push_back(read(s, pool_.add(number, u * (l_.n / s.radix))));
      if (u == 0 || !roots) continue;
      const ExprId at = pool_.add(p, (u - 1) * s.done);
      x.back() = butterfly.mul(x.back(), roots->load(body_, l_.part(), at));
    }
    std::vector<Held> held;
    for (const ComplexParts& y : butterfly.transform(x)) {
      const ExprId im = y.im == scalar::no_expr ? pool_.constant_of(l_.part(), 0) : y.im;
      held.push_back({body_.declare(l_.part(), y.re), body_.declare(l_.part(), im)});
    }
    return held;
  }

  ComplexParts read(const Stage& s, ExprId place) {
    if (s.is_first) {
      std::optional<ComplexParts> root;
      if (l_.pairs == Pairs::out) root = root_of_pairs(place);
      return l_.element(pool_, body_.buffer(from_, l_.from.dtype, false), index(), place, root);
    }
    const ExprId at = in_memory(place);
    return {body_.load_local(re_, at), body_.load_local(im_, at)};
  }

  void write(const Stage& s, ExprId number, const std::vector<Held>& y) {
    const ExprId p = pool_.mod(number, s.done), q = pool_.div(number, s.done);
    const ExprId first = pool_.add(pool_.mul(q, s.done * s.radix), p);
    for (std::int64_t j = 0; j < s.radix; ++j) {
      const ExprId place = pool_.add(first, j * s.done);
      const ExprId re = body_.value(y[std::size_t(j)].re), im = body_.value(y[std::size_t(j)].im);
      if (s.is_last) {
        store(place, {re, im});
      } else {
        body_.store_local(re_, in_memory(place), re);
        body_.store_local(im_, in_memory(place), im);
      }
    }
  }

  ComplexParts root_of_pairs(ExprId k) {
    if (!roots_of_pairs_) roots_of_pairs_ = roots_of_pairs(context_, l_);
    return roots_of_pairs_->load(body_, l_.part(), k);
  }

  /// Of what the stages have left in local memory.
  void store_spectrum() {
    const ExprId n = pool_.index(l_.n);
    const auto number = [&](ExprId k) {
      const ExprId at = in_memory(pool_.mod(k, l_.n));
      return ComplexParts{body_.load_local(re_, at), body_.load_local(im_, at)};
    };
    const std::int64_t kept = l_.to.dims[l_.dimension];
    for (std::int64_t turn = 0; turn < ceil_divide(kept, form_.items); ++turn) {
      const ExprId k = butterfly_of(turn), within = pool_.min(k, n);
      const ComplexParts x =
          l_.spectrum(pool_, number(within), number(pool_.sub(n, within)), root_of_pairs(within));
      store(k, x);
    }
  }

  void store(ExprId place, ComplexParts x) {
    const std::int64_t extent = l_.to.dims[l_.dimension];
    const bool is_pair = l_.pairs == Pairs::out;
    const ExprId first = is_pair ? pool_.mul(place, 2) : place;
    const ExprId is_kept = pool_.logical_and(pool_.less(first, pool_.index(extent)), is_line_);
    const ExprId row = pool_.add(pool_.mul(pool_.div(line_, inner_), extent), first);
    const ExprId at = pool_.add(pool_.mul(row, inner_), pool_.mod(line_, inner_));
    body_.guard_if_needed(is_kept, [&] {
      body_.store_to(to_, l_.to.dtype, at, l_.result(pool_, x));
      if (is_pair) body_.store_to(to_, l_.to.dtype, pool_.add(at, inner_), l_.scaled(pool_, x.im));
    });
  }

  /// Padded, so that items whose places are a power of two apart do not meet in banks; neighbouring lines lie side by side.
  ExprId in_memory(ExprId place) {
    const ExprId at = form_.has_columns ? pool_.add(pool_.mul(place, form_.lines), in_group_)
                                        : pool_.add(pool_.mul(in_group_, l_.n), place);
    return pool_.add(at, pool_.div(at, 32));
  }

  /// The line's index in the array that is read; the entry of the dimension is not used.
  std::vector<ExprId> index() {
    const Dims& dims = l_.from.dims;
    const auto d = std::ptrdiff_t(l_.dimension);
    std::vector<ExprId> at =
        scalar::delinearize(pool_, pool_.div(line_, inner_), Dims(dims.begin(), dims.begin() + d));
    at.push_back(pool_.index(0));
    for (const ExprId e : scalar::delinearize(pool_, pool_.mod(line_, inner_),
                                              Dims(dims.begin() + d + 1, dims.end())))
      at.push_back(e);
    return at;
  }

  Context& context_;
  const FourierLines& l_;
  KernelBody body_;
  ExprPool& pool_;
  std::int64_t inner_, count_;
  GroupLines form_;
  Location from_, to_;
  std::optional<Planes> roots_of_pairs_;
  std::int32_t re_ = -1, im_ = -1;
  ExprId in_group_{}, item_{}, is_line_{}, line_{};
};

}  // namespace

std::optional<Location> lower_group_fourier(Context& context, const Location& at,
                                            const FourierLines& lines, const Node& node) {
  const std::vector<std::int64_t> stages = radices(lines.n, largest_radix);
  if (context.policy().target.device_class != DeviceClass::simt || stages.size() < 2 ||
      std::ranges::any_of(stages, [](std::int64_t r) { return r > largest_radix; }) ||
      GroupLines::bytes_of(lines, 1) > most_local_bytes || lines.from.count() == 0)
    return std::nullopt;
  const Location to = context.new_temporary(lines.to, step_name(node));
  GroupFourier(context, lines, node).launch(at, to);
  return to;
}

}  // namespace partita::lowering
