// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/rewrites/host_calls.hpp"

#include <numeric>
#include <vector>

#include "partita/ir/collectives.hpp"
#include "partita/ir/host_call.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

class Sharing {
 public:
  /// Made before `node`.
  Sharing(Node& node, const ir::Mesh& mesh)
      : make_{*node.graph(), &node, node.location()}, shards_(std::size_t(mesh.size())) {
    std::iota(shards_.begin(), shards_.end(), 0);
  }

  /// The sum over shards of values of which all but one are zeros, bit for bit.
  [[nodiscard]] Value shared(Value v) const {
    const DType d = v.type().dtype;
    if (v.type().count() == 0) return v;
    if (is_complex(d))
      return make_.op("stablehlo.complex", {shared(make_.op("stablehlo.real", {v})),
                                            shared(make_.op("stablehlo.imag", {v}))});
    if (is_float(d)) {
      const Type bits{.dtype = bits_dtype(d), .dims = v.type().dims};
      return bitcast(shared(bitcast(v, bits)), v.type());
    }
    if (byte_size(d) < sizeof(std::int32_t))
      return make_.convert(sum(make_.convert(v, DType::i32)), d);
    return sum(v);
  }

 private:
  [[nodiscard]] Value bitcast(Value v, const Type& type) const {
    return make_.typed("stablehlo.bitcast_convert", {v}, type);
  }
  [[nodiscard]] Value sum(Value v) const {
    return make_.op("mr.mesh_all_reduce", {v},
                    {{"groups", ir::id_table({shards_})}, {"combiner", std::string("sum")}});
  }

  ir::Maker make_;
  I64s shards_;
};

}  // namespace

void share_results_of_host_calls(Graph& graph, const ir::Mesh& mesh) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) share_results_of_host_calls(*region, mesh);
    if (!ir::is_host_call(*node) || !ir::read_host_call(node->attrs)->once) continue;
    ir::ValueMap<Value> copied, replaced;
    Node* const call = ir::clone_node(*node, graph, copied, node);
    const Sharing sharing(*node, mesh);
    for (int k = 0; k < node->result_count(); ++k)
      replaced[node->result(k)] = sharing.shared(call->result(k));
    graph.replace_uses(replaced);
    graph.erase(node);
  }
}

}  // namespace partita::passes
