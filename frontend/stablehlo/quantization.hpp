// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Quantized types, `!quant.uniform<…>`, as StableHLO has them.  The graph holds a quantized value as its
// integers; how they are meant is known while a program is read, and only then: readers carry types and
// values with that knowledge (WrittenType, WrittenValue), and quantized_ops.hpp spells ops out by it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// The integer i of storage type stands for (i - zero point) * scale, a number of expressed type.
struct Quantization {
  enum class Granularity : std::uint8_t {
    tensor,  ///< one scale and zero point
    axis,    ///< one of each for every index of a dimension
    blocks,  ///< one of each for every block of elements
  };
  DType storage = DType::i8, expressed = DType::f32;
  std::int64_t min = 0, max = 0;  ///< of the integers, both included
  Granularity granularity = Granularity::tensor;
  std::int64_t axis = 0;  ///< of granularity `axis`
  /// Of granularity `blocks`: dimensions and how many elements of them a block has; all of one that is
  /// not named.
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  Dims dims;  ///< extents of the parameters: none, {extent of the axis}, numbers of blocks
  std::vector<double> scales;             ///< positive numbers of expressed type
  std::vector<std::int64_t> zero_points;  ///< as many

  bool operator==(const Quantization&) const = default;
};
using QuantizationRef = std::shared_ptr<const Quantization>;  ///< null: not quantized

/// Of an integer type of at most 32 bits.
[[nodiscard]] std::int64_t least_integer(DType storage);
[[nodiscard]] std::int64_t greatest_integer(DType storage);

/// Whether two types are quantized alike, or neither is quantized.
[[nodiscard]] bool same(const QuantizationRef& a, const QuantizationRef& b);

/// "!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>", without blanks, or the reason why it is none: "expected X".
[[nodiscard]] std::optional<Quantization> parse_quantization(std::string_view text,
                                                             std::string& reason);
/// A text that parse_quantization takes for the same once it is without blanks.
[[nodiscard]] std::string to_string(const Quantization& quantization);
/// "expected X" where parameters do not fit an array's extents, else nothing.
[[nodiscard]] std::string misfit(const Quantization& quantization, const Dims& dims);

/// A type as a program says it: the graph's type of the value, and what its integers stand for.
struct WrittenType : Type {
  WrittenType(Type type = {},
              QuantizationRef meaning = nullptr)  // NOLINT(google-explicit-constructor)
      : Type(std::move(type)), quantization(std::move(meaning)) {}
  QuantizationRef quantization;
  [[nodiscard]] const Type& stored() const { return *this; }
  bool operator==(const WrittenType& other) const {
    return stored() == other.stored() && same(quantization, other.quantization);
  }
};
[[nodiscard]] std::string to_string(const WrittenType& type);

/// A value of the graph and what its integers stand for.
struct WrittenValue : Value {
  WrittenValue(Value value = {},
               QuantizationRef meaning = nullptr)  // NOLINT(google-explicit-constructor)
      : Value(value), quantization(std::move(meaning)) {}
  QuantizationRef quantization;
  [[nodiscard]] WrittenType written() const { return {type(), quantization}; }
};

/// The same without what integers stand for.
[[nodiscard]] std::vector<Type> stored(const std::vector<WrittenType>& types);
[[nodiscard]] std::vector<Value> stored(const std::vector<WrittenValue>& values);

}  // namespace partita::ir
