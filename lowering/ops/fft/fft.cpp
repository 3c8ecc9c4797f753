// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms of any length: one launch for each group of prime factors, without reordering.
// With P the product of the factors done, r the next and n = P·r·R, a line holds at (q, p) what is
// known of frequency p (mod P) of the elements q (mod r·R); a stage gives
//   out[q, p + j·P] = Σ_{u<r} w_r^(u·j) · (w_rP^(u·p) · in[q + u·R, p]),   w_m = exp(∓2πi/m), p < P,
// from P = 1, the elements as they are, to P = n, the result.  A work-item has one (q, p) and gives all
// j.  What lies between stages is two arrays, of real and of imaginary parts; work-items count the
// longer one of q and p fastest, and so does the array that they write, so that neighbours read and
// write neighbours.  Lines of an even number of real elements are transformed as half as many complex ones
// (fourier_pairs.cpp).  The powers of w come from tables that were made in f64.  Where n has a large prime
// factor the line is convolved with a chirp instead (fourier.hpp), by transforms of a smooth length.  On processors the
// host transforms lines instead where it may (host_fourier.hpp).
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/fft/fourier_stages.hpp"
#include "lowering/ops/fft/group_fourier.hpp"
#include "lowering/ops/fft/host_fourier.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

/// What lies beside each other along the transformed dimension is enough for vectors.
constexpr std::int64_t enough_neighbours = 8;

/// The statements of one stage.
class StageKernel {
 public:
  StageKernel(KernelBody& body, const FourierLines& lines, const Stage& stage)
      : body_(body), pool_(body.pool()), l_(lines), s_(stage), part_(lines.part()) {
    const std::size_t d = l_.dimension;
    for (std::size_t i = 0; i < l_.from.dims.size(); ++i)
      if (i != d) (i < d ? outer_ : inner_) *= l_.from.dims[i];
  }

  [[nodiscard]] std::int64_t items() const {
    return outer_ * inner_ * l_.n / (sums() ? 1 : s_.radix);
  }

  /// Tables are absent where all powers are 1.
  void build(const Planes& from, const Planes& to, const std::optional<Planes>& roots,
             const std::optional<Planes>& roots_of_pairs) {
    from_ = from;
    roots_of_pairs_ = roots_of_pairs;
    to_ = to;
    body_.set_items(items());
    const std::int64_t ps = sums() ? s_.done * s_.radix : s_.done;
    const auto place = scalar::delinearize(
        pool_, body_.item(),
        s_.counts_rest ? Dims{outer_, ps, s_.rest, inner_} : Dims{outer_, s_.rest, ps, inner_});
    line_ = place[0];
    column_ = place[3];
    q_ = place[s_.counts_rest ? 2 : 1];
    p_ = place[s_.counts_rest ? 1 : 2];
    if (sums()) return build_sum(*roots);
    const Butterfly butterfly(pool_, part_, l_.sign());
    std::vector<ComplexParts> x;
    for (std::int64_t u = 0; u < s_.radix; ++u) {
      x.push_back(read(pool_.index(u), p_));
      if (u > 0 && roots)
        x.back() =
            butterfly.mul(x.back(), load(*roots, pool_.add(pool_.index((u - 1) * s_.done), p_)));
    }
    const std::vector<ComplexParts> y = butterfly.transform(x);
    for (std::int64_t j = 0; j < s_.radix; ++j)
      write(pool_.add(p_, j * s_.done), y[std::size_t(j)]);
    if (repeats_beginning()) write(pool_.add(p_, l_.n), y[0]);
  }

  /// Whether behind what is written lies its beginning once more, at least one element: of pairs, for their spectrum.
  [[nodiscard]] bool repeats_beginning() const { return s_.rest == 1 && !s_.is_last; }
  /// Of each line that is written between stages.
  [[nodiscard]] std::int64_t written_extent() const {
    return l_.n + (!repeats_beginning() ? 0 : sums() ? 1 : s_.done);
  }

  /// Whether each item gives one sum, of a prime number of terms that is too large to be written out.
  [[nodiscard]] bool sums() const { return s_.radix > largest_radix; }

 private:
  /// Items are (q, p') here; roots are those of r · P.
  void build_sum(const Planes& roots) {
    const Register re = body_.declare(part_, pool_.constant_of(part_, 0)),
                   im = body_.declare(part_, pool_.constant_of(part_, 0));
    body_.loop(s_.radix, [&](ExprId u) {
      const ComplexParts x = read(u, pool_.mod(p_, s_.done)), w = load(roots, factor(u));
      body_.multiply_add(re, x.re, w.re);
      body_.multiply_add(im, x.re, w.im);
      if (x.im == scalar::no_expr) return;
      body_.multiply_add(re, pool_.apply("negate", part_, {x.im}), w.im);
      body_.multiply_add(im, x.im, w.re);
    });
    const ComplexParts sum{body_.value(re), body_.value(im)};
    write(p_, sum);
    if (repeats_beginning())
      body_.guard_if_needed(pool_.equal(p_, pool_.index(0)),
                            [&] { write(pool_.index(l_.n), sum); });
  }

  /// Where a sum's table has the factor of term u.
  ExprId factor(ExprId u) {
    const std::int64_t frequencies = s_.done * s_.radix;
    return s_.has_whole_table() ? pool_.add(pool_.mul(u, frequencies), p_)
                                : pool_.mod(pool_.mul(u, p_), frequencies);
  }

  ComplexParts load(const Planes& planes, ExprId at) { return planes.load(body_, part_, at); }

  /// Element u of the item's numbers, of frequency p.
  ComplexParts read(ExprId u, ExprId p) {
    const ExprId q = pool_.add(q_, pool_.mul(u, s_.rest));
    const ExprId place = s_.reads_rest ? pool_.add(pool_.mul(p, s_.radix * s_.rest), q)
                                       : pool_.add(pool_.mul(q, s_.done), p);
    if (!s_.is_first) return load(from_, position(place, l_.n));
    std::optional<ComplexParts> root;
    if (roots_of_pairs_) root = load(*roots_of_pairs_, place);
    return l_.element(pool_, body_.buffer(from_.re, l_.from.dtype, false), index(), place, root);
  }

  void write(ExprId p, ComplexParts x) {
    const std::int64_t ps = s_.done * s_.radix;
    if (!s_.is_last) {
      const ExprId place =
          s_.counts_rest ? pool_.add(pool_.mul(p, s_.rest), q_) : pool_.add(pool_.mul(q_, ps), p);
      const ExprId at = position(place, written_extent());
      const ExprId im = x.im == scalar::no_expr ? pool_.constant_of(part_, 0) : x.im;
      body_.store_to(to_.re, part_, at, x.re);
      body_.store_to(to_.im, part_, at, im);
      return;
    }
    const std::int64_t extent = l_.to.dims[l_.dimension];
    if (l_.pairs == Pairs::out) {
      const ExprId first = position(pool_.mul(p, 2), extent);
      body_.store_to(to_.re, l_.to.dtype, first, l_.result(pool_, x));
      body_.store_to(to_.re, l_.to.dtype, pool_.add(first, 1), l_.scaled(pool_, x.im));
      return;
    }
    const ExprId is_kept = pool_.less(p, pool_.index(extent));
    if (is_kept == pool_.boolean(false)) return;
    const ExprId value = l_.result(pool_, x);
    body_.guard_if_needed(is_kept,
                          [&] { body_.store_to(to_.re, l_.to.dtype, position(p, extent), value); });
  }

  /// Linear index of a place on the item's line, in lines of `extent`.
  ExprId position(ExprId place, std::int64_t extent) {
    return pool_.add(pool_.mul(pool_.add(pool_.mul(line_, extent), place), inner_), column_);
  }
  /// The line's index in the array that the first stage reads.
  std::vector<ExprId> index() {
    const std::size_t d = l_.dimension;
    const Dims& dims = l_.from.dims;
    std::vector<ExprId> at =
        scalar::delinearize(pool_, line_, Dims(dims.begin(), dims.begin() + std::ptrdiff_t(d)));
    at.push_back(pool_.index(0));
    for (ExprId e : scalar::delinearize(pool_, column_,
                                        Dims(dims.begin() + std::ptrdiff_t(d) + 1, dims.end())))
      at.push_back(e);
    return at;
  }

  KernelBody& body_;
  ExprPool& pool_;
  const FourierLines& l_;
  const Stage& s_;
  DType part_;
  Planes from_, to_;
  std::optional<Planes> roots_of_pairs_;
  std::int64_t outer_ = 1, inner_ = 1;
  ExprId line_{}, column_{}, q_{}, p_{};
};

/// The kept half of the spectrum, of the transform of pairs, behind which lies its first number once more.
Location lower_spectrum(Context& context, const Planes& from, const Type& between,
                        const FourierLines& lines, const Planes& roots, const std::string& name) {
  const Location to = context.new_temporary(lines.to, name);
  const std::size_t d = lines.dimension;
  lower_each(context, to, lines.to, "spectrum_" + name, [&](KernelBody& body, auto index) {
    ExprPool& pool = body.pool();
    body.note_count(std::max(between.count(), lines.to.count()));
    const auto number = [&](ExprId k) {
      return from.load(body, lines.part(), FourierLines::at(pool, index, d, k, between));
    };
    const ExprId k = index[d];
    const ComplexParts mirrored = number(pool.sub(pool.index(lines.n), k));
    const ComplexParts root = roots.load(body, lines.part(), k);
    return lines.result(pool, lines.spectrum(pool, number(k), mirrored, root));
  });
  return to;
}

}  // namespace

Location lower_fourier(Context& context, Location at, const FourierLines& lines, const Node& node) {
  if (ir::largest_prime_factor(lines.n) > ir::largest_summed_factor)
    return lower_chirp(context, at, lines, node);
  if (const auto in_groups = lower_group_fourier(context, at, lines, node)) return *in_groups;
  std::int64_t neighbours = 1;
  for (std::size_t d = lines.dimension + 1; d < lines.from.dims.size(); ++d)
    neighbours *= lines.from.dims[d];
  Type between{.dtype = lines.part(), .dims = lines.from.dims};
  std::optional<Planes> of_pairs;
  if (lines.pairs != Pairs::none) of_pairs = roots_of_pairs(context, lines);
  Planes from{at, at};
  bool reads_rest = false;
  std::int64_t done = 1;
  for (const std::int64_t radix : even_radices(lines.n, usual_radix(lines.n))) {
    const std::int64_t rest = lines.n / (done * radix);
    const Stage stage{.done = done,
                      .radix = radix,
                      .rest = rest,
                      .is_first = done == 1,
                      .is_last = rest == 1 && lines.pairs != Pairs::in,
                      .counts_rest = neighbours < enough_neighbours && rest >= done,
                      .reads_rest = reads_rest};
    KernelBody body(context, step_name(node), 1);
    StageKernel stage_kernel(body, lines, stage);
    const std::optional<Planes> roots = roots_of(context, stage, stage_kernel.sums(), lines);
    between.dims[lines.dimension] = stage_kernel.written_extent();
    Planes to;
    if (stage.is_last)
      to.re = to.im = context.new_temporary(lines.to, step_name(node));
    else
      to = {context.new_temporary(between, step_name(node)),
            context.new_temporary(between, step_name(node))};
    body.note_count(std::max({lines.from.count(), between.count(), radix * radix * done}));
    stage_kernel.build(from, to, roots, lines.pairs == Pairs::out ? of_pairs : std::nullopt);
    context.launch(body, stage_kernel.items());
    from = to;
    reads_rest = stage.counts_rest;
    done *= radix;
  }
  return lines.pairs == Pairs::in
             ? lower_spectrum(context, from, between, lines, *of_pairs, step_name(node))
             : from.re;
}

/// Whether a line of so many real numbers is worth transforming as pairs: a single stage is not, and with a large prime factor
/// it is convolved.
static bool transforms_pairs(std::int64_t n) {
  return n % 2 == 0 && n > largest_radix &&
         ir::largest_prime_factor(n / 2) <= ir::largest_summed_factor;
}

static void lower_fft(Context& context, Node& node) {
  const std::string& type = node.attrs.text("fft_type");
  const bool inverse = type == "IFFT" || type == "IRFFT";
  const Type &operand = node.operand(0).type(), &result = node.result_types()[0];
  const ir::I64s& lengths = node.attrs.i64s("fft_length");
  const std::size_t rank = operand.dims.size(), last = rank - 1;
  Location at = context.memory(node.operand(0));
  if (result.count() == 0) {
    context.place(node.result(), context.new_temporary(result, step_name(node)));
    return;
  }
  // Real transforms keep half of the last dimension, so it goes first, or last on the way back.
  std::vector<std::size_t> order;
  for (std::size_t d = rank - lengths.size(); d < rank; ++d) order.push_back(d);
  if (!inverse) std::rotate(order.begin(), order.end() - 1, order.end());
  FourierLines lines{.n = 0,
                     .dimension = 0,
                     .inverse = inverse,
                     .mirrors = false,
                     .from = operand,
                     .to = {},
                     .scale = 1};
  for (const std::size_t d : order) {
    const bool is_half = d == last && (type == "RFFT" || type == "IRFFT");
    lines.n = lengths[d - (rank - lengths.size())];
    lines.dimension = d;
    lines.mirrors = is_half && inverse;
    lines.to = {.dtype = is_half ? result.dtype : lines.complex(), .dims = lines.from.dims};
    lines.to.dims[d] = result.dims[d];
    lines.scale = inverse ? 1.0 / double(lines.n) : 1.0;
    lines.pairs = Pairs::none;
    if (const auto on_host = lower_host_fourier(context, at, lines, node)) {
      at = *on_host;
      lines.from = lines.to;
      continue;
    }
    if (is_half && transforms_pairs(lines.n)) {
      lines.pairs = inverse ? Pairs::out : Pairs::in;
      lines.n /= 2;
      lines.mirrors = false;
    }
    at = lower_fourier(context, at, lines, node);
    lines.from = lines.to;
  }
  context.place(node.result(), at);
}

void register_fft_lowering(Lowerings& all) { all.add("stablehlo.fft", lower_fft); }

}  // namespace partita::lowering
