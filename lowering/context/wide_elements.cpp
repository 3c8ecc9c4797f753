// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/wide_elements.hpp"

#include <span>

namespace partita::lowering {

using namespace kernel;
namespace {

using scalar::ExprId;

IsAligned alignment_of(const KernelBody& body) {
  return [&body](std::int32_t buffer, std::int64_t width) {
    return known_divisor(body.buffers()[std::size_t(buffer)].offset) % width == 0;
  };
}

}  // namespace

std::vector<ExprId> neighbours(KernelBody& body, int width, const OfNeighbour& element,
                               const std::vector<GivenNeighbours>& given) {
  const ExprId number = body.lane(width), any = element(number);
  return kernel::neighbours(body.pool(), any, number, width, alignment_of(body), given);
}

bool reads_as_one(KernelBody& body, int width, const OfNeighbour& element) {
  const ExprId number = body.lane(width), any = element(number);
  return kernel::reads_as_one(body.pool(), any, number, width, alignment_of(body));
}

void store_neighbours(KernelBody& body, const Location& at, DType d, const OfNeighbour& index,
                      const std::vector<ExprId>& values) {
  std::vector<ExprId> indices;
  for (std::size_t k = 0; k < values.size(); ++k)
    indices.push_back(index(body.pool().index(std::int64_t(k))));
  const std::int32_t to = body.buffer(at, d, true);
  for (std::size_t from = 0; from < values.size();) {
    const std::size_t width =
        store_width(body.pool(), to, d, std::span(indices).subspan(from), alignment_of(body));
    if (width == 1)
      body.store(to, indices[from], values[from]);
    else
      body.store_wide(
          to, indices[from],
          {values.begin() + std::ptrdiff_t(from), values.begin() + std::ptrdiff_t(from + width)});
    from += width;
  }
}

}  // namespace partita::lowering
