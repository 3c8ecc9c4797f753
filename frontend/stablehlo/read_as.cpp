// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/read_as.hpp"

#include <algorithm>
#include <array>

#include <boost/json/parse.hpp>

#include "frontend/stablehlo/open_shapes.hpp"
#include "ir/interpreter/constants.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

constexpr std::string_view reshard = "sdy.reshard", constraint = "sdy.sharding_constraint";

enum class Meaning { constraint, constant, body, operand };

struct ReadRow {
  std::string_view op;
  Meaning meaning;
  /// The attribute that says how the result lies; the operand itself without it.
  std::string_view sharding = {};
  bool has_sharding = false;  ///< it may not be left out
};
constexpr std::array read_rows{
    ReadRow{"sdy.all_gather", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.all_reduce", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.all_slice", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.all_to_all", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.collective_permute", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.constant", Meaning::constant},
    ReadRow{"sdy.data_flow_edge", Meaning::constraint, "sharding"},
    ReadRow{"sdy.func_data_flow_edge", Meaning::constraint, "sharding"},
    ReadRow{"sdy.named_computation", Meaning::body},
    ReadRow{"sdy.propagation_barrier", Meaning::operand},
    ReadRow{"sdy.reduce_scatter", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.replicated_to_unreduced", Meaning::constraint, "out_sharding", true},
    ReadRow{"sdy.sharded_to_unreduced", Meaning::constraint, "out_sharding", true},
    ReadRow{"stablehlo.async_done", Meaning::operand},
    ReadRow{"stablehlo.async_start", Meaning::body},
    ReadRow{"tensor.cast", Meaning::operand},
};

const ReadRow* read_row_of(std::string_view op) {
  const auto* const found = std::ranges::find(read_rows, op, &ReadRow::op);
  return found == read_rows.end() ? nullptr : found;
}

std::vector<WrittenValue> its_operand(WrittenOp op) {
  if (op.operands.size() != 1 || op.results.size() != 1 ||
      !admits(op.results[0], op.operands[0].written()))
    fail(op, "one operand and a result of its type", "others");
  return std::move(op.operands);
}

std::vector<WrittenValue> as_constraint(Graph& graph, WrittenOp op, const ReadRow& row) {
  const Attribute* const said = op.attrs.find(row.sharding);
  if (said == nullptr) {
    if (row.has_sharding) fail(op, cat("an attribute '", row.sharding, "'"), "none");
    return its_operand(std::move(op));
  }
  Dict attrs{{"sharding", *said}};
  for (const NamedAttribute& entry : op.attrs.items())
    if (entry.name.find('.') != std::string::npos) attrs.set(entry.name, entry.value);
  op.name = row.has_sharding ? reshard : constraint;
  op.attrs = std::move(attrs);
  return create_written(graph, std::move(op));
}

std::vector<WrittenValue> as_body(Graph& graph, const WrittenOp& op) {
  if (op.regions.size() != 1) fail(op, "one region", cat(op.regions.size()));
  const WrittenRegion& region = op.regions[0];
  const Maker make{graph, nullptr, op.location};
  const auto placed = [&](Value v, const char* side, std::size_t k, std::size_t count) {
    const Attribute* const attribute = op.attrs.find(side);
    if (attribute == nullptr) return v;
    const std::vector<Sharding> said = shardings_in(attribute);
    if (said.size() != count) fail(op, cat(count, " ", side), cat(said.size()));
    return make.op(constraint, {v}, {{"sharding", to_attribute(said[k])}});
  };
  std::vector<WrittenType> operands, inputs, outputs;
  for (const WrittenValue& operand : op.operands) operands.push_back(operand.written());
  for (int k = 0; k < region.graph->argument_count(); ++k)
    inputs.emplace_back(region.graph->argument(k).type(),
                        region.quantizations.arguments[std::size_t(k)]);
  for (std::size_t k = 0; k < region.graph->results.size(); ++k)
    outputs.emplace_back(region.graph->results[k].type(), region.quantizations.results[k]);
  if (inputs != operands || outputs != op.results)
    fail(op, "a region from its operands' types to those of its results", "another");
  ValueMap<Value> map;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    map[region.graph->argument(int(k))] = placed(op.operands[k], "in_shardings", k, inputs.size());
  const std::vector<Value> results = clone_body(*region.graph, graph, map);
  std::vector<WrittenValue> values;
  for (std::size_t k = 0; k < results.size(); ++k)
    values.emplace_back(placed(results[k], "out_shardings", k, results.size()),
                        region.quantizations.results[k]);
  return values;
}

}  // namespace

// --- Asynchronous collectives by custom calls ----------------------------------------------------

namespace {

constexpr std::string_view call = "stablehlo.custom_call", done = "-done";
/// Calls without results that change no value: control_dep asks for one value to be there before another is begun, and
/// dce_sink for one to be computed though nothing reads it.
constexpr std::array<std::string_view, 2> idle_targets{"control_dep", "dce_sink"};

/// What a call of JAX starts.
struct StartedRow {
  std::string_view target, op;
};
constexpr std::array started_rows{
    StartedRow{"all-gather-start", "stablehlo.all_gather"},
    StartedRow{"all-reduce-start", "stablehlo.all_reduce"},
    StartedRow{"all-to-all-start", "stablehlo.all_to_all"},
    StartedRow{"collective-permute-start", "stablehlo.collective_permute"},
    StartedRow{"reduce-scatter-start", "stablehlo.reduce_scatter"},
};

/// What JAX's programs check of shapes that it knows by names of extents alone.
bool is_assertion(const WrittenOp& op) { return target_of(op) == "shape_assertion"; }

/// The text with numbers in the place of "{0}", "{1}", …
std::string with_numbers(const WrittenOp& op) {
  const Attribute* const attribute = op.attrs.find("error_message");
  const auto* const message = attribute == nullptr ? nullptr : attribute->get_if<std::string>();
  std::string text = message == nullptr ? "shapes that the program takes" : *message;
  for (std::size_t k = 1; k < op.operands.size(); ++k) {
    const std::string place = cat("{", k - 1, "}");
    const auto number = integers_of(op.operands[k]);
    for (auto at = text.find(place); at != std::string::npos && number && number->size() == 1;
         at = text.find(place))
      text.replace(at, place.size(), cat(number->front()));
  }
  return text;
}

void check_assertion(const WrittenOp& op) {
  if (op.operands.empty() || !op.results.empty()) fail(op, "operands and no results", "others");
  const auto holds = integers_of(op.operands[0]);
  if (!holds || holds->size() != 1)
    fail(op, "a condition that follows from extents of arguments", "another");
  if (holds->front() == 0) throw_user_error(cat(op.name, ": ", with_numbers(op)), op.location);
}

const StartedRow* started_by(const WrittenOp& op) {
  const std::string_view target = target_of(op);
  const auto* const found = std::ranges::find(started_rows, target, &StartedRow::target);
  return found == started_rows.end() ? nullptr : found;
}

/// Whether the call waits for one of those.
bool is_wait(const WrittenOp& op) {
  std::string target(target_of(op));
  if (!target.ends_with(done)) return false;
  target.replace(target.size() - done.size(), done.size(), "-start");
  return std::ranges::find(started_rows, target, &StartedRow::target) != started_rows.end();
}

bool is_idle(const WrittenOp& op) {
  return std::ranges::find(idle_targets, target_of(op)) != idle_targets.end();
}

boost::json::object configuration_of(const WrittenOp& op) {
  const Attribute* const all = op.attrs.find("mhlo.frontend_attributes");
  const auto* const dict = all == nullptr ? nullptr : all->get_if<Dict>();
  const Attribute* const said = dict == nullptr ? nullptr : dict->find("async_collective_config");
  const auto* const text = said == nullptr ? nullptr : said->get_if<std::string>();
  boost::system::error_code error;
  const boost::json::value value =
      text == nullptr ? boost::json::value() : boost::json::parse(*text, error);
  if (error || !value.is_object())
    fail(op, "an async_collective_config that is an object of JSON", "another");
  return value.as_object();
}

std::int64_t integer_of(const WrittenOp& op, const boost::json::value& value) {
  if (!value.is_int64()) fail(op, "an integer in async_collective_config", "another value");
  return value.as_int64();
}

/// [[0, 2], [1, 3]]; shorter rows are filled up with -1.
DenseRef table_of(const WrittenOp& op, const boost::json::value& value) {
  std::vector<I64s> lists;
  std::size_t longest = 0;
  if (!value.is_array()) fail(op, "lists of devices in async_collective_config", "another value");
  for (const boost::json::value& row : value.as_array()) {
    if (!row.is_array()) fail(op, "lists of devices in async_collective_config", "another value");
    I64s& list = lists.emplace_back();
    for (const boost::json::value& id : row.as_array()) list.push_back(integer_of(op, id));
    longest = std::max(longest, list.size());
  }
  for (I64s& list : lists) list.resize(longest, -1);
  return id_table(lists);
}

/// The function that the call names, called on two scalars.
WrittenRegion combiner_of(const WrittenOp& op) {
  const Attribute* const attribute = op.attrs.find("called_computations");
  const auto* const list = attribute == nullptr ? nullptr : attribute->get_if<List>();
  if (list == nullptr || list->items.size() != 1 || list->items[0].get_if<SymbolRef>() == nullptr ||
      op.operands.empty())
    fail(op, "one operand and one called computation", "others");
  return region_that_calls(list->items[0], {op.operands[0].type().dtype}, op.location);
}

std::vector<WrittenValue> as_collective(Graph& graph, WrittenOp op, const StartedRow& row) {
  Dict attrs;
  for (const auto& [key, value] : configuration_of(op)) {
    if (key == "replica_groups")
      attrs.set("replica_groups", table_of(op, value));
    else if (key == "permutation")
      attrs.set("source_target_pairs", table_of(op, value));
    else if (key == "channel_id")
      attrs.set("channel_handle", RawAttr{cat("#stablehlo.channel_handle<handle = ",
                                              integer_of(op, value), ", type = 1>")});
    else if (key == "use_global_device_ids" && value == true)
      attrs.set("use_global_device_ids", Unit{});
    else if (!value.is_bool())  // "tiled" says what types say
      attrs.set(key == "all_gather_dimension" ? "all_gather_dim" : std::string(key),
                Integer{integer_of(op, value), "i64"});
  }
  if (row.op == "stablehlo.all_reduce" || row.op == "stablehlo.reduce_scatter")
    op.regions.push_back(combiner_of(op));
  op.name = row.op;
  op.attrs = std::move(attrs);
  return create_written(graph, std::move(op));
}

}  // namespace

bool is_read_as_other(const WrittenOp& op) {
  return is_read_as_other(op.name) || started_by(op) != nullptr || is_wait(op) || is_idle(op) ||
         is_assertion(op);
}

bool is_read_as_other(std::string_view op) { return read_row_of(op) != nullptr; }

std::vector<WrittenValue> create_as_other(Graph& graph, WrittenOp op) {
  if (const StartedRow* const started = started_by(op))
    return as_collective(graph, std::move(op), *started);
  if (is_idle(op)) {
    if (!op.results.empty()) fail(op, "no results", cat(op.results.size()));
    return {};
  }
  if (is_assertion(op)) {
    check_assertion(op);
    return {};
  }
  if (op.name == call) return its_operand(std::move(op));
  const ReadRow& row = *read_row_of(op.name);
  switch (row.meaning) {
    case Meaning::constraint:
      return as_constraint(graph, std::move(op), row);
    case Meaning::constant:
      op.name = "stablehlo.constant";
      return create_written(graph, std::move(op));
    case Meaning::body:
      return as_body(graph, op);
    case Meaning::operand:
      break;
  }
  return its_operand(std::move(op));
}

std::string_view target_of(const WrittenOp& op) {
  const Attribute* const target = op.name == call ? op.attrs.find("call_target_name") : nullptr;
  const auto* const text = target == nullptr ? nullptr : target->get_if<std::string>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

WrittenRegion region_that_calls(const Attribute& callee, const std::vector<DType>& elements,
                                const SourceLocation& where) {
  const std::size_t n = elements.size();
  WrittenRegion region{std::make_unique<Graph>(),
                       {std::vector<QuantizationRef>(2 * n), std::vector<QuantizationRef>(n)}};
  std::vector<Type> types;
  for (const DType d : elements) types.push_back(Type::scalar(d));
  std::vector<Value> arguments;
  for (std::size_t k = 0; k < 2 * n; ++k)
    arguments.push_back(region.graph->add_argument(types[k % n]));
  Node* const called = create(*region.graph, "func.call", arguments, {{"callee", callee}}, {},
                              types, nullptr, where);
  for (std::size_t k = 0; k < n; ++k) region.graph->results.push_back(called->result(int(k)));
  return region;
}

void list_replica_groups(WrittenOp& op) {
  const Attribute* const attribute = op.attrs.find("replica_groups");
  const auto* const raw = attribute == nullptr ? nullptr : attribute->get_if<RawAttr>();
  if (raw == nullptr || !is_replica_axes(raw->text)) return;
  try {
    op.attrs.set("replica_groups", id_table(groups_along_axes(raw->text, op.module)));
  } catch (const Error& error) {
    throw_user_error(cat(op.name, ": ", error.what()), op.location);
  }
}

}  // namespace partita::ir
