// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products much larger than their operands, of which small results are made again: attention's scores, a
// loss's logits.  Row by row, what is large never leaves the cache, or does not fit memory otherwise.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/transforms/stream_rows/row_loops.hpp"

namespace partita::passes::transforms {
namespace {

using ir::AxisPosition;
using ir::Graph;
using ir::Node;

/// Of the bytes from which values are streamed, those that a block's have at most, and at least.
constexpr std::int64_t most_part = 4, least_part = 64;

struct Choice {
  AxisPosition position;
  std::int64_t blocks = 1;
};

class Streamer {
 public:
  Streamer(std::int64_t large_bytes, PassContext& context)
      : large_bytes_(large_bytes), context_(context) {}

  void run(Graph& graph) {
    std::vector<Node*> seeds;
    for (Node* node : graph.nodes())
      if (is_seed(*node)) seeds.push_back(node);
    std::optional<GraphUses> uses;
    for (Node* seed : seeds) {
      // A region may have held further ones.
      if (std::ranges::find(graph.nodes(), seed) == graph.nodes().end() || !is_seed(*seed))
        continue;
      if (!uses) uses.emplace(graph);
      if (stream(graph, *uses, *seed)) uses.reset();
    }
    for (const Node* node : graph.nodes())
      for (const auto& region : node->regions()) run(*region);
  }

 private:
  static std::int64_t bytes_of(const Type& type) {
    return type.count() * std::int64_t(byte_size(type.dtype));
  }

  [[nodiscard]] bool is_seed(const Node& node) const {
    if (!node.is("stablehlo.dot_general")) return false;
    const Type& type = node.result_types()[0];
    return bytes_of(type) > large_bytes_ &&
           std::ranges::all_of(node.operands(), [&](const ir::Value& v) {
             return v.type().count() * 2 <= type.count();
           });
  }

  /// How a dimension is cut so that a block of the product fits; nothing where it cannot be.
  [[nodiscard]] std::optional<Choice> cut(const Type& type, int dim) const {
    const std::int64_t extent = type.dims[std::size_t(dim)], row = bytes_of(type) / extent;
    if (extent == 1) return std::nullopt;
    std::int64_t rows = std::clamp<std::int64_t>(large_bytes_ / most_part / row, 1, extent);
    while (extent % rows != 0) --rows;
    if (rows == extent || rows * row < large_bytes_ / least_part) return std::nullopt;
    return Choice{{dim, 1, rows}, extent / rows};
  }

  /// Streams the region of a product; false where it has none.
  bool stream(Graph& graph, const GraphUses& uses, Node& product) {
    const Type& type = product.result_types()[0];
    std::optional<RowRegion> best;
    for (int d = 0; d < int(type.dims.size()); ++d) {
      const std::optional<Choice> choice = cut(type, d);
      if (!choice) continue;
      std::optional<RowRegion> region =
          find_row_region(graph, uses, product, choice->position, choice->blocks);
      if (region && (!best || region->stage_count < best->stage_count)) best = std::move(region);
    }
    if (!best) return false;
    const int line = int(product.location().line);
    context_.notes.push_back(cat("streamed product", line > 0 ? cat(" of line ", line) : "", ": ",
                                 bytes_of(type), " bytes in ", best->blocks, " blocks"));
    make_row_loops(graph, uses, *best);
    return true;
  }

  std::int64_t large_bytes_;
  PassContext& context_;
};

void run(ir::Module& module, PassContext& context) {
  const auto option = context.options.find("large-bytes");
  const std::int64_t large = option == context.options.end()
                                 ? context.target.block_bytes()
                                 : parse_bytes(option->second, "stream-rows: large-bytes");
  for (const auto& f : module.functions) Streamer(large, context).run(*f->body);
}

}  // namespace

PassInfo pass_stream_rows();
PassInfo pass_stream_rows() {
  return {.name = "stream-rows",
          .doc =
              "Computes products of more than `large-bytes` (default: what a block of partitions "
              "may take) "
              "between small operands and small results, such as attention's scores, a block of "
              "rows at a "
              "time, and again where a gradient needs them, instead of storing them.",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .options = {"large-bytes"},
          .run = run};
}

}  // namespace partita::passes::transforms
