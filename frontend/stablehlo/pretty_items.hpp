// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `key = value` items of StableHLO's pretty forms are called as attributes; for reading and
// printing alike.
#pragma once

#include <array>
#include <string_view>

namespace partita::ir {

enum class ItemKind : unsigned char { integer, integers, enumeration, attribute };

struct Item {
  std::string_view op, key, attribute;
  ItemKind kind;
  std::string_view enum_kind;
};

inline constexpr std::array pretty_items{
    Item{"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions", ItemKind::integers, ""},
    Item{"stablehlo.broadcast", "sizes", "broadcast_sizes", ItemKind::integers, ""},
    Item{"stablehlo.transpose", "dims", "permutation", ItemKind::integers, ""},
    Item{"stablehlo.reverse", "dims", "dimensions", ItemKind::integers, ""},
    Item{"stablehlo.concatenate", "dim", "dimension", ItemKind::integer, ""},
    Item{"stablehlo.iota", "dim", "iota_dimension", ItemKind::integer, ""},
    Item{"stablehlo.pad", "low", "edge_padding_low", ItemKind::integers, ""},
    Item{"stablehlo.pad", "high", "edge_padding_high", ItemKind::integers, ""},
    Item{"stablehlo.pad", "interior", "interior_padding", ItemKind::integers, ""},
    Item{"stablehlo.dynamic_slice", "sizes", "slice_sizes", ItemKind::integers, ""},
    Item{"stablehlo.fft", "type", "fft_type", ItemKind::enumeration, "fft_type"},
    Item{"stablehlo.fft", "length", "fft_length", ItemKind::integers, ""},
    Item{"stablehlo.rng", "distribution", "rng_distribution", ItemKind::enumeration,
         "rng_distribution"},
    Item{"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm", ItemKind::enumeration,
         "rng_algorithm"},
    Item{"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions", ItemKind::integers,
         ""},
    Item{"stablehlo.dynamic_iota", "dim", "iota_dimension", ItemKind::integer, ""},
    Item{"stablehlo.set_dimension_size", "dim", "dimension", ItemKind::integer, ""},
    Item{"stablehlo.einsum", "config", "einsum_config", ItemKind::attribute, ""},
    Item{"stablehlo.unary_einsum", "config", "einsum_config", ItemKind::attribute, ""},
    Item{"stablehlo.get_dimension_size", "dim", "dimension", ItemKind::integer, ""},
};

}  // namespace partita::ir
