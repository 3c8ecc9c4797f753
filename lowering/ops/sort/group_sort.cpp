// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/group_sort.hpp"

#include <bit>
#include <utility>

#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/sort/sort_order.hpp"
#include "lowering/ops/sort/tile_sort.hpp"
#include "lowering/values/tile_sizes.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {
namespace {

using ir::Node;
using scalar::ExprId;

/// Tiles keep their first elements alone where these are at most such a part of them.
constexpr std::int64_t least_share = 4;

class GroupSort {
 public:
  GroupSort(Context& context, const Node& node)
      : context_(context),
        node_(node),
        shape_(node),
        name_(step_name(node)),
        is_order_(ir::is_weak_order(node.region(0))),
        form_(choose_tile_form(key_bytes(), is_order_, context.policy().target)) {}

  void lower(const std::vector<Location>& to) {
    std::int64_t prefix = is_order_ ? used_prefix(node_, shape_.dimension, shape_.n) : shape_.n;
    if (prefix == 0) prefix = shape_.n;
    const std::int64_t tile = form_.tile();
    TiledSlices slices{.length = shape_.n,
                       .kept = std::min(prefix, tile),
                       .stored = shape_.n,
                       .element = operand_elements(),
                       .to = to};
    if (shape_.n <= tile) return sort(slices, "sort_");
    if (prefix * least_share <= tile) return lower_first(slices);
    slices.kept = tile;
    slices.to = temporaries(shape_.n);
    sort(slices, "tiles_of_");
    merge(std::move(slices.to), to);
  }

 private:
  [[nodiscard]] std::int64_t key_bytes() {
    KernelBody probe(context_, "probe", 1);
    const SortKernel sort(probe, node_, shape_);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < shape_.dtypes.size(); ++i)
      if (sort.reads(i)) bytes += std::int64_t(byte_size(shape_.dtypes[i]));
    return bytes;
  }
  [[nodiscard]] std::vector<Location> temporaries(std::int64_t length) const {
    std::vector<Location> at;
    for (Type type : node_.result_types()) {
      type.dims[shape_.dimension] = length;
      at.push_back(context_.new_temporary(type, name_));
    }
    return at;
  }
  [[nodiscard]] decltype(TiledSlices::element) operand_elements() const {
    return
        [this](KernelBody& body, std::size_t operand, std::vector<ExprId> index, ExprId position) {
          index[shape_.dimension] = position;
          return body.element(node_.operand(operand), index);
        };
  }

  /// Tiles keep the first elements that are wanted, until one is left of each slice.
  void lower_first(TiledSlices slices) {
    const std::vector<Location> to = slices.to;
    while (slices.length > form_.tile()) {
      const std::int64_t whole = (ceil_divide(slices.length, form_.tile()) - 1);
      slices.stored =
          whole * slices.kept + std::min(slices.kept, slices.length - whole * form_.tile());
      slices.to = temporaries(slices.stored);
      sort(slices, "first_of_tiles_of_");
      slices.length = slices.stored;
      slices.element = [this, from = slices.to, length = slices.length](
                           KernelBody& body, std::size_t operand, std::vector<ExprId> index,
                           ExprId position) {
        Dims dims = shape_.dims;
        dims[shape_.dimension] = length;
        index[shape_.dimension] = position;
        const DType d = shape_.dtypes[operand];
        return body.pool().load(body.buffer(from[operand], d, false), d,
                                scalar::linear_index(body.pool(), index, dims));
      };
    }
    slices.stored = shape_.n;
    slices.to = to;
    sort(slices, "first_of_");
  }

  void sort(const TiledSlices& slices, const std::string& stem) {
    KernelBody body(context_, stem + name_);
    note_count(body);
    const std::int64_t groups = sort_tiles(body, node_, shape_, form_, slices);
    context_.launch_groups(body, groups);
  }

  /// Passes over sorted tiles.
  void merge(std::vector<Location> tiles, const std::vector<Location>& to) {
    const Sorter sorter(shape_, node_, form_.tile());
    Pass pass{.run = form_.tile(),
              .trips = std::int64_t(std::bit_width(std::uint64_t(form_.tile()))),
              .shift = 0,
              .from = {},
              .to = std::move(tiles),
              .cuts = {},
              .flags = {}};
    for (Location* at : {&pass.cuts, &pass.flags})
      *at = context_.new_temporary({.dtype = DType::i32, .dims = sorter.chunks()}, "cuts");
    const auto run_items = [&](const std::string& stem, auto member) {
      const std::int64_t items = Type{.dims = sorter.chunks()}.count();
      KernelBody body(context_, stem + name_, items);
      note_count(body);
      (sorter.*member)(body, pass);
      context_.launch(body, items);
    };
    for (; pass.run < shape_.n; pass.run *= 2, ++pass.trips) {
      const bool is_last = 2 * pass.run >= shape_.n;
      pass.from = std::exchange(pass.to, is_last ? to : temporaries(shape_.n));
      ++pass.shift;
      run_items("cuts_", &Sorter::cut);
      KernelBody body(context_, "merge_" + name_);
      note_count(body);
      const std::int64_t groups = merge_tiles(body, node_, shape_, form_, pass);
      context_.launch_groups(body, groups);
      if (!is_order_) run_items("mend_", &Sorter::mend);
    }
  }

  void note_count(KernelBody& body) const { body.note_count(2 * node_.operand(0).type().count()); }

  Context& context_;
  const Node& node_;
  SortShape shape_;
  std::string name_;
  bool is_order_;
  TileForm form_;
};

}  // namespace

void lower_group_sort(Context& context, const Node& node, const std::vector<Location>& to) {
  GroupSort(context, node).lower(to);
}

}  // namespace partita::lowering
