// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which values get memory and which live only inside kernels.  A value is materialised when an
// operation needs it in memory, or when computing it again in every consumer would cost more than
// storing it.  Decided once for a function and all regions below it, before kernels are formed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lowering/values/epilogues.hpp"
#include "partita/artifact/host_expr.hpp"
#include "partita/base/target_info.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/loops.hpp"
#include "partita/ir/op.hpp"

namespace partita::lowering {

class TuningModel;

/// Whether tiles suit a convolution.
[[nodiscard]] bool suits_tiles(const ir::Node& convolution, const TileSize& most);

/// Which contractions go to the matrix library where it can take them.
enum class LibraryUse : std::uint8_t {
  where_faster,  ///< by what was measured, else from the target's threshold on
  always,
  never
};

/// What decides on values and contractions.
struct ValuePolicy {
  TargetInfo target = {};
  /// What was measured of contractions there; null: nothing.
  std::shared_ptr<const TuningModel> tuning = nullptr;
  LibraryUse library = LibraryUse::where_faster;
  /// What has kernels may be a step of the host where that is faster.
  bool may_call_host = true;
  /// Results have the same bits on any number of shards.
  bool is_reproducible = false;
  /// Products of f32 that ask for no more are of operands of tf32 where matrix units multiply them.
  bool rounds_to_tf32 = false;

  /// Whether that is so here: on processors.
  [[nodiscard]] bool host_computes() const {
    return may_call_host && library != LibraryUse::never &&
           target.device_class == DeviceClass::multicore;
  }
};

class ValueAnalysis {
 public:
  ValueAnalysis(const ir::Graph& body, const ValuePolicy& policy);
  [[nodiscard]] bool is_materialised(ir::Value v) const { return materialised_.contains(v); }
  /// Whether the host can compute it: a scalar integer made of constants, loop counters and block
  /// bounds by +, -, *, min, max and conversions.
  [[nodiscard]] bool is_host_scalar(ir::Value v) const { return host_.contains(v); }
  /// What the library reads as an operand of a contraction: the bf16 that was converted to the f32 of
  /// both operands, where it multiplies such.
  [[nodiscard]] ir::Value library_operand(const ir::Node& dot, bool is_lhs) const;
  [[nodiscard]] bool reads_bf16(const ir::Node& dot) const { return bf16_products_.contains(&dot); }
  /// The contraction that computes `root`; null where it is none's root.
  [[nodiscard]] const Epilogue* epilogue(ir::Value root) const {
    const auto it = epilogues_.find(root);
    return it == epilogues_.end() ? nullptr : &it->second;
  }

 private:
  void find_host_scalars(const ir::Graph& graph);
  void note_counter(ir::Node& node, const ir::CountedLoop& loop);
  [[nodiscard]] bool suits_bf16(const ir::Node& dot) const;
  void force(const ir::Graph& graph);
  void force_operands(const ir::Node& dot);
  void force_updates(const ir::Node& node);
  void force_viewed(ir::Value v);
  void form_epilogues(const ir::Graph& graph);
  void keep_whole_epilogues(const ir::Graph& graph);
  void find_uses(const ir::Graph& graph);
  void estimate(const ir::Graph& graph);
  [[nodiscard]] double limit(ir::Value v, const ir::Graph& graph);
  /// From users to operands: what is stored, as if what is not stored yet cost all it is made of.
  void decide(const ir::Graph& graph);
  /// From operands to users, knowing what operands are stored.
  void reconsider(const ir::Graph& graph);
  void force_value(ir::Value v);
  [[nodiscard]] double cost(ir::Value v) const;
  /// Of how many elements of a user each element is part.
  [[nodiscard]] double spread(ir::Value v) const;

  ValuePolicy policy_;
  std::set<ir::Value> materialised_, host_;
  std::set<const ir::Node*> bf16_products_;
  ir::ValueMap<Epilogue> epilogues_;
  ir::ValueMap<double> cost_, limits_;
  struct Use {
    ir::Node* user;  ///< null: a result of `graph`
    int operand;
    const ir::Graph* graph;
  };
  ir::ValueMap<std::vector<Use>> uses_;
  ir::ValueMap<std::set<const void*>> roots_;
};

/// Whether an op only renames elements: its result is its operand seen through another index.
[[nodiscard]] bool is_view_op(const ir::Node& node);
/// Whether a contraction is one the GEMM library takes, under the policy.
[[nodiscard]] bool is_library_contraction(const ir::Node& node, const ValuePolicy& policy);
/// Rows from which on a product by a constant is worth laying out the constant for the library.
inline constexpr std::int64_t fewest_rows_by_constant = 32;
/// The part of a convolution's input that windows of one element meet, of which a product by a matrix is one that the
/// library takes; null where a product is none such.
[[nodiscard]] const ir::Node* strided_image(const ir::Node& dot, const ValuePolicy& policy);
/// Whether a convolution is one that the target's library takes, under the policy: f32, features last.
[[nodiscard]] bool is_library_convolution(const ir::Node& node, const ValuePolicy& policy);

}  // namespace partita::lowering
