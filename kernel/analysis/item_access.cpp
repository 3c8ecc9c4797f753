// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/item_access.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/ast/expressions.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

constexpr std::int64_t items_at_once = 32, sector_bytes = 32, bank_bytes = 4, banks = 32;

/// An index for one item, all other variables 0; nothing where it is read from memory.
class Evaluation {
 public:
  Evaluation(const ExprPool& pool, std::int64_t item) : pool_(pool), item_(item) {}

  std::optional<std::int64_t> of(ExprId id) const {
    const Expr& e = pool_[id];
    switch (e.kind) {
      case ExprKind::index_constant:
        return std::int64_t(e.bits);
      case ExprKind::index_variable:
        return e.slot == 0 || e.slot == unbounded_item ? item_ : 0;
      case ExprKind::index_scalar:
        return 0;
      default:
        return operation(e);
    }
  }

 private:
  std::optional<std::int64_t> operation(const Expr& e) const {
    if (e.kind < ExprKind::index_add || e.kind > ExprKind::index_max) return std::nullopt;
    const auto a = of(e.operands[0]), b = of(e.operands[1]);
    if (!a || !b) return std::nullopt;
    switch (e.kind) {
      case ExprKind::index_add:
        return *a + *b;
      case ExprKind::index_sub:
        return *a - *b;
      case ExprKind::index_mul:
        return *a * *b;
      case ExprKind::index_div:
        return *a / *b;
      case ExprKind::index_mod:
        return *a % *b;
      case ExprKind::index_min:
        return std::min(*a, *b);
      default:
        return std::max(*a, *b);
    }
  }

  const ExprPool& pool_;
  std::int64_t item_;
};

/// Items that run at once.
std::int64_t items_of(const Kernel& k) {
  return k.group_items > 0 ? std::min(k.group_items, items_at_once) : items_at_once;
}

/// Where the items' accesses begin, in bytes.
std::optional<std::vector<std::int64_t>> places_of(const Kernel& k, ExprId index,
                                                   std::size_t element) {
  std::vector<std::int64_t> all;
  for (std::int64_t item = 0; item < items_of(k); ++item) {
    const auto at = Evaluation(k.pool, item).of(index);
    if (!at) return std::nullopt;
    all.push_back(*at * std::int64_t(element));
  }
  return all;
}

/// Sectors that accesses of `bytes` touch.
std::int64_t count_sectors(const std::vector<std::int64_t>& places, std::size_t bytes) {
  std::set<std::int64_t> sectors;
  for (const std::int64_t at : places)
    for (std::int64_t s = at / sector_bytes; s <= (at + std::int64_t(bytes) - 1) / sector_bytes;
         ++s)
      sectors.insert(s);
  return std::int64_t(sectors.size());
}

class Accesses {
 public:
  explicit Accesses(const Kernel& kernel) : k_(kernel) {}

  std::vector<ItemAccess> find() {
    for (const ExprId id : reachable(k_.pool, k_.body)) {
      const Expr& e = k_.pool[id];
      if (e.kind == ExprKind::load)
        add_global(cat("load b", e.slot), e.operands[0], byte_size(e.dtype));
      else if (e.kind == ExprKind::load_wide && wide_lane(e).lane == 0)
        add_global(cat("load b", e.slot), e.operands[0],
                   byte_size(e.dtype) * std::size_t(wide_lane(e).width));
      else if (e.kind == ExprKind::load_local)
        local_[{e.slot, false}].insert(e.operands[0]);
    }
    stores(k_.body);
    for (const auto& [place, indices] : local_) add_local(place.first, place.second, indices);
    return std::move(found_);
  }

 private:
  void stores(const Block& stmts) {
    for (const Stmt& s : stmts) {
      if (const Store* store = as<Store>(s))
        add_global(cat("store b", store->buffer), store->index, byte_size(store->dtype));
      if (const AtomicCombine* x = as<AtomicCombine>(s))
        add_global(cat("combine b", x->buffer), x->index, byte_size(x->dtype));
      if (const StoreLocal* store = as<StoreLocal>(s))
        local_[{store->array, true}].insert(store->index);
      if (const StoreWide* store = as<StoreWide>(s)) {
        const std::size_t bytes = byte_size(store->dtype) * store->values.size();
        if (store->is_local)
          add_ways(cat("store a", store->buffer), store->index, byte_size(store->dtype), bytes);
        else
          add_global(cat("store b", store->buffer), store->index, bytes, byte_size(store->dtype));
      }
      if (const LoadMatrices* load = as<LoadMatrices>(s))
        add_ways(cat("load_matrices a", load->array), load->index, 2, 16);
      stores(body_of(s));
    }
  }

  [[nodiscard]] std::optional<std::vector<std::int64_t>> places(ExprId index,
                                                                std::size_t element) const {
    return places_of(k_, index, element);
  }

  void add_global(const std::string& what, ExprId index, std::size_t bytes,
                  std::size_t element = 0) {
    const auto all = places(index, element == 0 ? element_of(index, bytes) : element);
    if (!all) return;
    std::set<std::int64_t> asked;
    for (const std::int64_t at : *all)
      for (std::int64_t byte = at; byte < at + std::int64_t(bytes); ++byte) asked.insert(byte);
    // A few elements are less than a sector whatever is done.
    const double moved = double(count_sectors(*all, bytes) * sector_bytes) /
                         double(std::max<std::size_t>(asked.size(), std::size_t(sector_bytes)));
    found_.push_back({.what = what, .moved = moved});
  }
  /// Bytes of one element of what is read at an index: a wide load's are those of its buffer.
  [[nodiscard]] std::size_t element_of(ExprId index, std::size_t bytes) const {
    for (std::int32_t i = 0; i < k_.pool.size(); ++i) {
      const Expr& e = k_.pool[ExprId(i)];
      if (e.kind == ExprKind::load_wide && e.operands[0] == index &&
          byte_size(e.dtype) * std::size_t(wide_lane(e).width) == bytes)
        return byte_size(e.dtype);
    }
    return bytes;
  }

  /// Words of 4 bytes side by side are read as 16 where they begin at a multiple of that.
  void add_local(std::int32_t array, bool is_store, const std::set<ExprId>& indices) {
    const std::size_t element = byte_size(k_.arrays[std::size_t(array)].dtype);
    const std::string what = cat(is_store ? "store a" : "load a", array);
    std::set<std::vector<std::int64_t>> known;
    for (const ExprId index : indices)
      if (const auto all = places(index, 1)) known.insert(*all);
    const auto has_next = [&](ExprId index, std::int64_t distance) {
      auto all = places(index, 1);
      if (!all) return false;
      for (std::int64_t& at : *all) at += distance;
      return known.contains(*all);
    };
    for (const ExprId index : indices) {
      const auto begins = [&](std::int64_t before) {
        const auto all = places(index, 1);
        return all && std::ranges::all_of(*all, [&](std::int64_t at) {
                 return (at - before) % 4 == 0 && at >= before;
               });
      };
      bool is_part = false, is_whole = element == 4;
      for (const std::int64_t before : {0, 1, 2, 3}) {
        if (element != 4 || !begins(before)) continue;
        is_whole = has_next(index, -before) && has_next(index, 1 - before) &&
                   has_next(index, 2 - before) && has_next(index, 3 - before);
        is_part = is_whole && before > 0;
        break;
      }
      if (!is_part) add_ways(what, index, element, is_whole && begins(0) ? 16 : element);
    }
  }

  void add_ways(const std::string& what, ExprId index, std::size_t element, std::size_t bytes) {
    const auto all = places(index, element);
    if (!all) return;
    // So many items are answered at a time.
    const std::size_t at_once =
        std::size_t(banks * bank_bytes) / std::max<std::size_t>(bytes, bank_bytes);
    int most = 1;
    for (std::size_t from = 0; from < all->size(); from += at_once) {
      std::map<std::int64_t, std::set<std::int64_t>> words;
      for (std::size_t k = from; k < std::min(from + at_once, all->size()); ++k)
        for (std::int64_t byte = (*all)[k]; byte < (*all)[k] + std::int64_t(bytes); ++byte)
          words[byte / bank_bytes % banks].insert(byte / bank_bytes);
      for (const auto& [bank, different] : words) most = std::max(most, int(different.size()));
    }
    found_.push_back({.what = what, .is_local = true, .ways = most});
  }

  const Kernel& k_;
  std::map<std::pair<std::int32_t, bool>, std::set<ExprId>>
      local_;  ///< by array, and whether stored
  std::vector<ItemAccess> found_;
};

}  // namespace

std::vector<ItemAccess> item_accesses(const Kernel& kernel) { return Accesses(kernel).find(); }

double moved_bytes_per_item(const Kernel& kernel, ExprId index, std::size_t element,
                            std::size_t bytes) {
  const auto places = places_of(kernel, index, element);
  if (!places) return double(std::max<std::size_t>(bytes, std::size_t(sector_bytes)));
  return double(count_sectors(*places, bytes) * sector_bytes) / double(places->size());
}

}  // namespace partita::kernel
