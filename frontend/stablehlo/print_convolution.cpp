// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The pretty form of convolution: dimensions by letter, and what there is of the window.
#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/printer.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {

void Printer::print_convolution(const Node& node) {
  const auto dims = convolution_dims(*node.attrs.find("dimension_numbers"));
  if (!dims) return print_generic(node);
  out_ += "stablehlo.convolution(";
  print_operands(node);
  out_ += cat(") dim_numbers = ", to_text(*dims), ", window = {");
  bool is_first = true;
  const auto begin = [&](const char* key) {
    out_ += cat(is_first ? "" : ", ", key, " = ");
    is_first = false;
  };
  const auto print_list = [&](const char* key, const char* name) {
    if (!node.attrs.contains(name)) return;
    begin(key);
    print_integers(out_, node.attrs.i64s(name));
  };
  print_list("stride", "window_strides");
  if (node.attrs.contains("padding")) {
    begin("pad");
    const I64s pairs = padding_pairs(node.attrs, dims->input_spatial.size());
    out_ += '[';
    for (std::size_t k = 0; k < pairs.size(); k += 2)
      out_ += cat(k == 0 ? "" : ", ", "[", pairs[k], ", ", pairs[k + 1], "]");
    out_ += ']';
  }
  print_list("lhs_dilate", "lhs_dilation");
  print_list("rhs_dilate", "rhs_dilation");
  const Attribute* reversal = node.attrs.find("window_reversal");
  const auto* flags = reversal == nullptr ? nullptr : reversal->get_if<Bools>();
  if (flags != nullptr) {
    begin("reverse");
    out_ += '[';
    for (std::size_t k = 0; k < flags->values.size(); ++k)
      out_ += cat(k == 0 ? "" : ", ", flags->values[k] ? "true" : "false");
    out_ += ']';
  }
  out_ += '}';
  print_other_attributes(node, {"dimension_numbers", "window_strides", "padding", "lhs_dilation",
                                "rhs_dilation", "window_reversal"});
  out_ += " : ";
  print_function_type(node);
}

}  // namespace partita::ir
