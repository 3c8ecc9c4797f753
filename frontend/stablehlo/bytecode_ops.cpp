// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/bytecode_ops.hpp"

#include <algorithm>
#include <array>

#include "frontend/stablehlo/attribute_printer.hpp"

namespace partita::ir {

namespace {

constexpr std::array artifact_ops{
#define PARTITA_VHLO_OP(name, properties) ArtifactOp{name, properties},
#include "frontend/stablehlo/bytecode_ops.def"
};

// --- Attributes that have another form ----------------------------------------------------------

// Vectors of integers and booleans are lists in StableHLO.
Attribute as_list(const Attribute& a) {
  const auto* dense = a.get_if<DenseRef>();
  if (dense == nullptr || (*dense)->type().rank() != 1) return a;
  const HostArray array = (*dense)->to_array();
  if (array.type.dtype == DType::i64) {
    const auto* data = array.data<DType::i64>();
    return I64s(data, data + array.type.count());
  }
  if (array.type.dtype != DType::i1) return a;
  Bools bools;
  for (const std::byte b : array.bytes) bools.values.push_back(b != std::byte{0});
  return bools;
}

std::string printed(const Attribute* a) {
  std::string text;
  if (a == nullptr) return text;
  if (const auto* integer = a->get_if<Integer>()) return std::to_string(integer->value);
  print_attribute(text, *a);
  return text;
}

void erase_all(Dict& attrs, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) attrs.erase(name);
}

// Artifacts keep the type of a channel for send and recv only; collectives are between devices.
void join_channel(Dict& attrs) {
  constexpr std::string_view between_devices = "1";
  const std::string id = printed(attrs.find("channel_id"));
  const Attribute* type = attrs.find("channel_type");
  const bool is_absent = id.empty() || (type == nullptr && id == "0");
  if (!is_absent)
    attrs.set("channel_handle",
              RawAttr{cat("#stablehlo.channel_handle<handle = ", id, ", type = ",
                          type == nullptr ? std::string(between_devices) : printed(type), ">")});
  erase_all(attrs, {"channel_id", "channel_type"});
}

// #stablehlo.dot_algorithm<…>; types of `none` where the program names no algorithm.
void join_algorithm(Dict& attrs) {
  constexpr std::array<std::string_view, 7> fields{
      "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
      "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
      "allow_imprecise_accumulation"};
  const Attribute* first = attrs.find(fields[0]);
  const auto* none = first == nullptr ? nullptr : first->get_if<RawAttr>();
  if (first != nullptr && (none == nullptr || none->text != "none")) {
    std::string text = "#stablehlo.dot_algorithm<";
    for (const std::string_view field : fields)
      text += cat(field == fields[0] ? "" : ", ", field, " = ", printed(attrs.find(field)));
    attrs.set("algorithm", RawAttr{text + ">"});
  }
  for (const std::string_view field : fields) attrs.erase(field);
}

// One part of `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`; empty where dimensions are
// missing or not in order.
std::string convolution_dims(const Dict& attrs, const std::string& side, std::string_view first,
                             std::string_view second, std::string_view letters) {
  const Attribute* found = attrs.find(side + "_spatial_dimensions");
  const I64s spatial = found && found->get_if<I64s>() ? *found->get_if<I64s>() : I64s{};
  std::vector<std::string> names(spatial.size() + 2);
  const auto place = [&](std::int64_t at, std::string name) {
    if (at >= 0 && std::size_t(at) < names.size()) names[std::size_t(at)] = std::move(name);
  };
  const auto place_one = [&](std::string_view which, char letter) {
    const Attribute* at = attrs.find(cat(side, "_", which));
    if (at && at->get_if<Integer>()) place(at->get_if<Integer>()->value, std::string(1, letter));
  };
  place_one(first, letters[0]);
  place_one(second, letters[1]);
  for (std::size_t k = 0; k < spatial.size(); ++k) place(spatial[k], std::to_string(k));
  std::string text;
  for (const std::string& name : names)
    text += cat(text.empty() ? "" : ", ", name.empty() ? std::string("?") : name);
  return cat("[", text, "]");
}

void join_convolution(Dict& attrs) {
  const std::string text =
      cat(convolution_dims(attrs, "input", "batch_dimension", "feature_dimension", "bf"), "x",
          convolution_dims(attrs, "kernel", "input_feature_dimension", "output_feature_dimension",
                           "io"),
          "->", convolution_dims(attrs, "output", "batch_dimension", "feature_dimension", "bf"));
  attrs.set("dimension_numbers", RawAttr{cat("#stablehlo.conv<", text, ">")});
  erase_all(attrs, {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
                    "kernel_input_feature_dimension", "kernel_output_feature_dimension",
                    "kernel_spatial_dimensions", "output_batch_dimension",
                    "output_feature_dimension", "output_spatial_dimensions"});
}

// Layouts of operands and results are given both or not at all.
void drop_layouts(Dict& attrs) {
  for (const char* name : {"operand_layouts", "result_layouts"}) {
    const Attribute* found = attrs.find(name);
    const auto* list = found == nullptr ? nullptr : found->get_if<List>();
    if (list == nullptr || !list->items.empty()) return;
  }
  erase_all(attrs, {"operand_layouts", "result_layouts"});
}

Attribute as_symbols(const Attribute& a) {
  const auto* list = a.get_if<List>();
  if (list == nullptr) return a;
  List symbols;
  for (const Attribute& item : list->items) {
    const auto* text = item.get_if<std::string>();
    symbols.items.push_back(text == nullptr ? item : Attribute(SymbolRef{*text}));
  }
  return symbols;
}

}  // namespace

const ArtifactOp* find_artifact_op(std::string_view name) {
  const auto found = std::ranges::find(artifact_ops, name, &ArtifactOp::name);
  return found == artifact_ops.end() ? nullptr : &*found;
}

std::vector<std::string_view> property_names(const ArtifactOp& op) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < op.properties.size();) {
    const std::size_t end = std::min(op.properties.find(' ', at), op.properties.size());
    names.push_back(op.properties.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::string stablehlo_name(std::string_view name) {
  constexpr std::string_view prefix = "vhlo.";
  if (!name.starts_with(prefix)) return std::string(name);
  name.remove_prefix(prefix.size());
  const std::string_view stem = name.substr(0, name.rfind("_v"));
  if (stem == "func" || stem == "call") return cat("func.", stem);
  return cat("stablehlo.", stem);
}

Dict stablehlo_attributes(std::string_view name, const Dict& properties) {
  Dict attrs;
  for (const NamedAttribute& property : properties.items()) {
    Attribute value = property.name == "value" ? property.value : as_list(property.value);
    if (property.name == "use_global_device_ids" || property.name == "has_dynamic_root") {
      if (value == Attribute(false)) continue;
      value = Unit{};
    }
    if (property.name == "called_computations") value = as_symbols(value);
    attrs.set(property.name, std::move(value));
  }
  join_channel(attrs);
  if (name == "stablehlo.custom_call") drop_layouts(attrs);
  if (name == "stablehlo.dot_general") join_algorithm(attrs);
  if (name == "stablehlo.convolution" || name == "stablehlo.dynamic_conv") join_convolution(attrs);
  return attrs;
}

}  // namespace partita::ir
