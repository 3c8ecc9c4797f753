// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/interpreter/mesh_run.hpp"

#include <algorithm>

namespace partita::ir {
namespace {

Tensor block_of_whole(const HostArray& whole, const MeshLayout& layout, const Dims& sizes,
                      std::int64_t shard) {
  HostArray block(layout.local(sizes));
  const auto padding = std::byte(block.type.dtype == DType::i1 ? 1 : 0xff);
  std::ranges::fill(block.bytes, padding);
  layout.block(sizes, shard).take(byte_size(block.type.dtype), whole.bytes, block.bytes);
  return std::make_shared<const HostArray>(std::move(block));
}

}  // namespace

std::vector<Tensor> run_on_mesh(Interpreter& interpreter, const Mesh& mesh,
                                const Function& function, std::span<const Tensor> arguments) {
  const Dims sizes = axis_sizes(mesh);
  const auto ins = argument_layouts(mesh, function), outs = result_layouts(mesh, function);
  ProcessGrid grid(1, mesh.size());
  const auto by_shard = interpreter.run_processes(grid, [&](Interpreter& one) {
    std::vector<Tensor> blocks;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      blocks.push_back(block_of_whole(*arguments[k], ins[k], sizes, one.process.id));
    return one.run(*function.body, std::move(blocks));
  });
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    HostArray whole(outs[k].global);
    for (std::size_t shard = by_shard.size(); shard-- > 0;)
      outs[k]
          .block(sizes, std::int64_t(shard))
          .put(byte_size(whole.type.dtype), by_shard[shard][k]->bytes, whole.bytes);
    results.push_back(std::make_shared<const HostArray>(std::move(whole)));
  }
  return results;
}

}  // namespace partita::ir
