// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/halo.hpp"

#include <algorithm>
#include <limits>

#include "partita/ir/op.hpp"
#include "passes/transforms/partition/needed_pieces.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Value;
using ir::WindowDim;

namespace {

/// More messages than these pay only where they bring less than half of the dimension, which is gathered in one call.
constexpr std::ptrdiff_t few_messages = 2, most_messages = 8;

/// Notes that shard i needs elements [low, high] of the dimension; false where that takes too many messages.
bool need(Halo& halo, std::int64_t i, std::int64_t low, std::int64_t high) {
  const std::int64_t part = halo.of.elements;
  for (std::int64_t j = low / part; j <= high / part; ++j) {
    auto piece = std::ranges::find(halo.pieces, j - i, &HaloPiece::hop);
    if (piece == halo.pieces.end())
      piece = halo.pieces.insert(piece, {.hop = j - i, .begin = part, .end = 0, .targets = {}});
    piece->begin = std::min(piece->begin, std::max(low - j * part, std::int64_t(0)));
    piece->end = std::max(piece->end, std::min(high - j * part + 1, part));
    piece->targets.push_back(i);
    if (std::ssize(halo.pieces) > most_messages + 1) return false;
  }
  return true;
}

/// Places of the pieces' array, and of each shard's elements in it.
void lay_out(Halo& halo) {
  if (halo.of.elements == 0) {
    halo.extent = halo.of.window.extent;
    halo.offset = halo.first;
    return;
  }
  std::ranges::sort(halo.pieces);
  const HaloPiece &front = halo.pieces.front(), &back = halo.pieces.back();
  halo.begin = front.hop * halo.of.elements + front.begin;
  halo.extent = back.hop * halo.of.elements + back.end - halo.begin;
  for (std::size_t i = 0; i < halo.first.size(); ++i)
    halo.offset.push_back(halo.first[i] - std::int64_t(i) * halo.of.elements - halo.begin);
}

bool is_too_much(const Halo& halo) {
  const auto messages =
      std::ranges::count_if(halo.pieces, [](const HaloPiece& piece) { return piece.hop != 0; });
  return messages > most_messages ||
         (messages > few_messages && 2 * halo.received() > halo.of.window.extent);
}

bool fits_i32(const I64s& list) {
  return std::ranges::all_of(list, [](std::int64_t x) {
    return std::abs(x) < std::numeric_limits<std::int32_t>::max() / 2;
  });
}

bool are_equal(const I64s& list) {
  return std::ranges::all_of(list, [&](std::int64_t x) { return x == list[0]; });
}

}  // namespace

std::int64_t Halo::received() const {
  std::int64_t sum = 0;
  for (const HaloPiece& piece : pieces) sum += piece.hop == 0 ? 0 : piece.end - piece.begin;
  return sum;
}

bool Halo::is_near() const {
  return received() <= of.elements && std::ranges::all_of(pieces, [](const HaloPiece& piece) {
           return std::abs(piece.hop) <= 1;
         });
}

bool Halo::has_one_lead() const { return are_equal(lead); }

namespace {

/// From where each shard has which elements; `last`: the last that matters, of each.
std::optional<Halo> with_pieces(Halo halo, const I64s& last) {
  const std::int64_t begin = halo.inside_begin, end = halo.inside_end;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const std::int64_t first = halo.first[i];
    if (first > last[i]) continue;
    halo.sees_before |= first < begin;
    halo.sees_behind |= last[i] >= end;
    const std::int64_t low = std::max(first, begin), high = std::min(last[i], end - 1);
    if (low > high || halo.of.elements == 0) continue;
    if (!need(halo, std::int64_t(i), low, high)) return std::nullopt;
  }
  if (halo.of.elements != 0 && (halo.pieces.empty() || is_too_much(halo))) return std::nullopt;
  lay_out(halo);
  if (!fits_i32(halo.first) || !fits_i32(halo.offset)) return std::nullopt;
  return halo;
}

}  // namespace

std::optional<Halo> find_halo(const PartWindows& of) {
  const WindowDim& w = of.window;
  if (of.count <= 0 || of.windows <= 0 || w.extent <= 0 || w.size <= 0) return std::nullopt;
  Halo halo{.of = of, .inside_end = w.extent};
  const std::int64_t base = w.base_dilation, in_window = (w.size - 1) * w.window_dilation;
  halo.reach = (of.windows - 1) * w.stride + in_window;
  halo.length = 1;
  I64s last;
  for (std::int64_t i = 0; i < of.n && i * of.windows < of.count; ++i) {
    const std::int64_t begin = i * of.windows * w.stride - w.low, first = ceil_div(begin, base),
                       last_window = std::min((i + 1) * of.windows, of.count) - 1;
    halo.first.push_back(first);
    halo.lead.push_back(first * base - begin);
    halo.length = std::max(halo.length, floor_div(begin + halo.reach, base) - first + 1);
    last.push_back(floor_div(last_window * w.stride - w.low + in_window, base));
  }
  return with_pieces(std::move(halo), last);
}

std::optional<Halo> find_halo(const PartRuns& of) {
  Halo halo{.of = {.window = {.extent = of.extent}, .n = of.n, .elements = of.elements},
            .inside_begin = of.begin,
            .inside_end = of.end};
  halo.first = of.first;
  halo.lead.assign(of.first.size(), 0);
  halo.length = of.length;
  halo.reach = of.length - 1;
  return with_pieces(std::move(halo), of.last);
}

namespace {

/// Emits along one dimension.
class Along {
 public:
  Along(ir::Graph& graph, const MeshCut& cut, int dim)
      : make_{graph}, reshard_(graph, cut), d_(std::size_t(dim)) {}

  /// A scalar that is a number of a list, by the shard's place along the axis; shards behind the end of the list
  /// may have any number.
  [[nodiscard]] Value by_shard(const I64s& list) const {
    const Type scalar = Type::scalar(DType::i32);
    if (are_equal(list)) return make_.splat(scalar, double(list[0]));
    const std::int64_t step = list[1] - list[0];
    bool is_affine = true;
    for (std::size_t i = 2; i < list.size(); ++i) is_affine &= list[i] - list[i - 1] == step;
    if (is_affine)
      return make_.op(
          "stablehlo.add",
          {make_.op("stablehlo.multiply", {reshard_.index(), make_.splat(scalar, double(step))}),
           make_.splat(scalar, double(list[0]))});
    HostArray table(Type{.dtype = DType::i32, .dims = {std::ssize(list)}});
    for (std::size_t i = 0; i < list.size(); ++i)
      table.data<DType::i32>()[i] = std::int32_t(list[i]);
    return make_.reshape(make_.op("stablehlo.dynamic_slice",
                                  {make_.constant(ir::make_dense(table)), reshard_.index()},
                                  {{"slice_sizes", I64s{1}}}),
                         {});
  }

  /// Places `count` from those of a list on.
  [[nodiscard]] Value sliced(Value v, const I64s& starts, std::int64_t count) const {
    const Value start = by_shard(starts), zero = make_.splat(start.type(), 0);
    std::vector<Value> operands{v};
    I64s sizes = v.type().dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) operands.push_back(d == d_ ? start : zero);
    sizes[d_] = count;
    return make_.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}});
  }

  /// With so many places in front and behind, or without them where negative.
  [[nodiscard]] Value padded(Value v, std::int64_t front, std::int64_t back, std::int64_t between,
                             Value filler) const {
    if (between == 0 && front <= 0 && back <= 0)
      return make_.part(v, std::int64_t(d_), -front, v.type().dims[d_] + front + back);
    I64s low(v.type().dims.size(), 0), high = low, interior = low;
    low[d_] = front;
    high[d_] = back;
    interior[d_] = between;
    return make_.op(
        "stablehlo.pad", {v, filler},
        {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
  }

  /// `v`, which begins with element first[i], with the filler where padding is.
  [[nodiscard]] Value masked(Value v, const Halo& halo, Value filler) const {
    const Type places{.dtype = DType::i32, .dims = v.type().dims};
    const Value place =
        make_.op("stablehlo.add", {make_.iota(places, std::int64_t(d_)),
                                   make_.broadcast(by_shard(halo.first), places.dims, {})});
    std::optional<Value> inside;
    if (halo.sees_before)
      inside = make_.compare("GE", place, make_.splat(places, double(halo.inside_begin)));
    if (halo.sees_behind) {
      const Value is_before =
          make_.compare("LT", place, make_.splat(places, double(halo.inside_end)));
      inside = inside ? make_.op("stablehlo.and", {*inside, is_before}) : is_before;
    }
    return make_.op("stablehlo.select", {*inside, v, make_.broadcast(filler, v.type().dims, {})});
  }

  [[nodiscard]] const Maker& make() const { return make_; }

 private:
  Maker make_;
  Reshard reshard_;
  std::size_t d_;
};

/// Whether it is the constant whose bits are those of the zeros that nobody sends.
bool is_zero(Value v) {
  if (!v.node->is("stablehlo.constant")) return false;
  const auto* value = v.node->attrs.find("value")->get_if<ir::DenseRef>();
  return value && std::ranges::all_of((*value)->to_array().bytes,
                                      [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

Value sliced_by_shard(Value v, int dim, const I64s& starts, std::int64_t count, const MeshCut& cut,
                      ir::Graph& into) {
  return Along(into, cut, dim).sliced(v, starts, count);
}

/// In the graph of `v`, so that what a loop reads is sent before it.
Value Halos::piece(Value v, const AxisPosition& at, const HaloPiece& piece) {
  const Value own = held_.get(v, at);
  ir::Graph& home = held_.home(v);
  const Maker make{home};
  if (piece.hop == 0) return make.part(own, at.dim, piece.begin, piece.end - piece.begin);
  const HaloPiece all = needed_.joined(v, at, piece);
  Value& sent = sent_[v][{at.dim, at.inner, all}];
  if (!sent)
    sent = Reshard(home, cut_)
               .shift(make.part(own, at.dim, all.begin, all.end - all.begin), all.hop, all.targets);
  return make.part(sent, at.dim, piece.begin - all.begin, piece.end - piece.begin);
}

/// One after the other, with zeros in the gaps.
Value Halos::pieces(Value v, const AxisPosition& at, const Halo& halo) {
  const Type part = part_type(v.type(), at);
  std::vector<Value> parts;
  std::int64_t end = halo.begin;
  for (const HaloPiece& piece : halo.pieces) {
    const std::int64_t begin = piece.hop * halo.of.elements + piece.begin;
    const Value made = this->piece(v, at, piece);
    if (begin != end) {
      Type gap = part;
      gap.dims[std::size_t(at.dim)] = begin - end;
      parts.push_back(Maker{held_.home(v)}.splat(gap, 0));
    }
    end = begin + piece.end - piece.begin;
    parts.push_back(made);
  }
  return parts.size() == 1 ? parts[0]
                           : Maker{held_.home(v)}.op("stablehlo.concatenate", parts,
                                                     {{"dimension", std::int64_t(at.dim)}});
}

Value Halos::local(Value v, const std::optional<AxisPosition>& at, int dim, const Halo& halo,
                   std::optional<Value> filler, ir::Graph& into) {
  const Along along(into, cut_, dim);
  Value x = at ? pieces(v, *at, halo) : held_.get(v, {});
  const Value zero = along.make().splat(Type::scalar(v.type().dtype), 0);
  const auto [least, most] = std::ranges::minmax(halo.offset);
  if (least == most) {
    x = along.padded(x, -least, least + halo.length - halo.extent, 0, zero);
  } else {
    const std::int64_t front = std::max(-least, std::int64_t(0)),
                       back = std::max(most + halo.length - halo.extent, std::int64_t(0));
    I64s starts = halo.offset;
    for (std::int64_t& start : starts) start += front;
    x = along.sliced(along.padded(x, front, back, 0, zero), starts, halo.length);
  }
  // Where nobody sends there are zeros already, but not where parts have elements that do not matter.
  const bool is_ragged = at && halo.of.n * halo.of.elements > halo.of.window.extent;
  const bool has_zeros = filler && is_zero(*filler) && halo.inside_begin == 0 &&
                         halo.inside_end == halo.of.window.extent;
  if (filler &&
      ((halo.sees_before && !has_zeros) || (halo.sees_behind && (!has_zeros || is_ragged))))
    x = along.masked(x, halo, *filler);
  if (halo.has_one_lead()) return x;
  const std::int64_t base = halo.of.window.base_dilation, spread = (halo.length - 1) * base + 1;
  x = along.padded(x, base - 1, std::max(halo.reach + 1 - spread, std::int64_t(0)), base - 1,
                   filler.value_or(zero));
  I64s starts;
  for (const std::int64_t lead : halo.lead) starts.push_back(base - 1 - lead);
  return along.sliced(x, starts, halo.reach + 1);
}

}  // namespace partita::passes
