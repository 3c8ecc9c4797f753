// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/open_shapes.hpp"

#include <algorithm>
#include <array>

#include "frontend/stablehlo/read_as.hpp"
#include "ir/core/attribute_check.hpp"
#include "ir/interpreter/constants.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {

namespace {

constexpr std::int64_t few = 64;

bool is_few_integers(const Type& type) {
  return !type.is_token && intersects(info(type.dtype).kind, Kinds::bits) && type.count() <= few;
}

/// The integers of operand k, which say a shape or what it follows from.
I64s known(const WrittenOp& op, std::size_t k, std::string_view what) {
  if (k >= op.operands.size()) fail(op, cat("an operand ", k), cat(op.operands.size()));
  const Value v = op.operands[k];
  if (v.type().count() == 0) return {};
  const auto values = integers_of(v);
  if (!values)
    fail(op, cat(what, " that follows from extents of arguments and constants"),
         cat("one that depends on ", v.node->name()));
  return *values;
}

// --- Ops whose results have the shape that an operand says ----------------------------------------

struct Shaped {
  std::string_view op;
  std::size_t operand;
};
constexpr Shaped shaped_ops[]{{"stablehlo.dynamic_broadcast_in_dim", 1},
                              {"stablehlo.dynamic_reshape", 1},
                              {"stablehlo.dynamic_iota", 0}};

Dims shape_of(const WrittenOp& op, std::size_t k) {
  const I64s extents = known(op, k, "a shape");
  for (const std::int64_t extent : extents)
    if (extent < 0) fail(op, "extents from 0", cat(extent));
  return {extents.begin(), extents.end()};
}

void expect_rank(const WrittenOp& op, const I64s& list, const char* what, std::size_t rank) {
  if (list.size() != rank) fail(op, cat(rank, " integers as ", what), cat(list.size()));
}

Dims padded(const WrittenOp& op) {
  if (op.operands.size() != 5) fail(op, "5 operands", cat(op.operands.size()));
  constexpr std::int64_t most = std::int64_t{1} << 31;
  Dims dims = op.operands[0].type().dims;
  const I64s low = known(op, 2, "padding"), high = known(op, 3, "padding"),
             interior = known(op, 4, "padding");
  for (const I64s* list : {&low, &high, &interior}) {
    expect_rank(op, *list, "padding", dims.size());
    for (const std::int64_t n : *list)
      if (n < -most || n > most) fail(op, "padding that fits in memory", cat(n));
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::int64_t gaps = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(dims[d] - 1, 0), interior[d], &gaps) ||
        __builtin_add_overflow(dims[d] + low[d] + high[d], gaps, &dims[d]))
      fail(op, "padding that fits in memory", cat(interior[d]));
  }
  return dims;
}

/// Whether two values are computed alike from the same values.
bool are_alike(Value a, Value b, int depth = 0) {
  constexpr int deepest = 16;
  if (a == b) return true;
  const Node &x = *a.node, &y = *b.node;
  if (depth > deepest || a.index != b.index || x.op().name != y.op().name || a.type() != b.type() ||
      !x.regions().empty() || x.op().has_side_effect || x.operands().empty() ||
      x.operands().size() != y.operands().size() || x.attrs != y.attrs) {
    const DenseRef first = constant_of(a), second = constant_of(b);
    return first && second && first->bytes() == second->bytes() && a.type() == b.type() &&
           first->is_splat() == second->is_splat();
  }
  for (std::size_t k = 0; k < x.operands().size(); ++k)
    if (!are_alike(x.operand(k), y.operand(k), depth + 1)) return false;
  return true;
}

/// `b` less `a` where that is known of integers that are computed; a scalar behind a reshape is itself.
std::optional<I64s> known_difference(Value b, Value a) {
  const auto bare = [](Value v) {
    while (v.node->is("stablehlo.reshape")) v = v.node->operand(0);
    return v;
  };
  const Value start = bare(a), limit = bare(b);
  if (limit.node->is("stablehlo.add"))
    for (const std::size_t k : {0, 1})
      if (are_alike(bare(limit.node->operand(k)), start))
        return integers_of(limit.node->operand(1 - k));
  const auto from = integers_of(a);
  auto to = integers_of(b);
  if (!from || !to || from->size() != to->size()) return std::nullopt;
  for (std::size_t d = 0; d < to->size(); ++d)
    if (__builtin_sub_overflow((*to)[d], (*from)[d], &(*to)[d])) return std::nullopt;
  return to;
}

/// Limits less starts, as a whole or number by number.
I64s slice_extents(const WrittenOp& op) {
  const Value starts = op.operands[1], limits = op.operands[2];
  if (auto all = known_difference(limits, starts)) return *all;
  const auto is_list = [](Value v) { return v.node->is("stablehlo.concatenate"); };
  I64s extents;
  if (is_list(starts) && is_list(limits) &&
      starts.node->operands().size() == limits.node->operands().size())
    for (std::size_t d = 0; d < starts.node->operands().size(); ++d)
      if (const auto one = known_difference(limits.node->operand(d), starts.node->operand(d)))
        extents.insert(extents.end(), one->begin(), one->end());
  if (std::ssize(extents) == limits.type().count()) return extents;
  fail(op, "limits that are as far behind the starts as extents of arguments and constants say",
       cat("starts that depend on ", starts.node->name()));
}

Dims sliced(const WrittenOp& op) {
  if (op.operands.size() != 4) fail(op, "4 operands", cat(op.operands.size()));
  Dims dims = op.operands[0].type().dims;
  const I64s extents = slice_extents(op), strides = known(op, 3, "a stride");
  for (const I64s* list : {&extents, &strides}) expect_rank(op, *list, "bounds", dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (strides[d] <= 0) fail(op, "positive strides", cat(strides[d]));
    const std::int64_t extent = std::max<std::int64_t>(extents[d], 0);
    dims[d] = extent / strides[d] + (extent % strides[d] != 0 ? 1 : 0);
  }
  return dims;
}

Attribute known_padding(const WrittenOp& op, std::size_t k) {
  const I64s pairs = known(op, k, "padding");
  if (pairs.size() % 2 != 0)
    fail(op, "pairs of low and high padding", cat(pairs.size(), " integers"));
  return padding_attribute(pairs);
}

// An operand that says sizes becomes the attribute of the op without it, whose type follows.
void take_sizes(WrittenOp& op) {
  op.attrs.set("slice_sizes", known(op, 2, "sizes"));
  op.operands.pop_back();
  op.name = "stablehlo.gather";
}

void take_padding(WrittenOp& op) {
  op.attrs.set("padding", known_padding(op, 2));
  op.operands.pop_back();
  op.name = "stablehlo.convolution";
}

/// Of a custom call that has the shapes of its results as operands.
void take_result_shapes(WrittenOp& op) {
  const I64s indices = integers_in(*op.attrs.find("indices_of_shape_operands")).value_or(I64s());
  if (indices.size() != op.results.size())
    fail(op, cat("the shape of each of ", op.results.size(), " results"), cat(indices.size()));
  std::set<std::size_t, std::greater<>> taken;
  for (std::size_t k = 0; k < op.results.size(); ++k) {
    const auto at = std::size_t(indices[k]);
    op.results[k].dims = shape_of(op, at);
    taken.insert(at);
  }
  for (const std::size_t at : taken) op.operands.erase(op.operands.begin() + std::ptrdiff_t(at));
  for (const char* name : {"indices_of_shape_operands", "operand_layouts", "result_layouts"})
    op.attrs.erase(name);
}

// --- Custom calls that JAX has for ops without a form that takes shapes ----------------------------

/// Inputs, what they begin with, then five lists that say the windows.
void be_reduce_window(WrittenOp& op) {
  constexpr std::array names{"window_dimensions", "window_strides", "base_dilations",
                             "window_dilations"};
  const Attribute* const attribute = op.attrs.find("called_computations");
  const auto* const called = attribute == nullptr ? nullptr : attribute->get_if<List>();
  const std::size_t n = op.results.size();
  if (called == nullptr || called->items.size() != 1 || op.operands.size() != 2 * n + 5)
    fail(op, cat(2 * n + 5, " operands and one called computation"), "others");
  Dict attrs;
  for (std::size_t k = 0; k < names.size(); ++k)
    attrs.set(names[k], known(op, 2 * n + k, names[k]));
  attrs.set("padding", known_padding(op, 2 * n + names.size()));
  op.operands.resize(2 * n);
  std::vector<DType> elements;
  for (std::size_t k = 0; k < n; ++k) elements.push_back(op.operands[k].type().dtype);
  op.regions.push_back(region_that_calls(called->items[0], elements, op.location));
  op.attrs = std::move(attrs);
  op.name = "stablehlo.reduce_window";
}

void be_top_k(WrittenOp& op) {
  const I64s k = known(op, 1, "a number of elements");
  if (k.size() != 1) fail(op, "a number of elements", cat(k.size(), " integers"));
  op.operands.resize(1);
  op.attrs = {{"k", k[0]}};
  op.name = "chlo.top_k";
}

/// The shape of the bits is the last operand.
void be_rng_bit_generator(WrittenOp& op) {
  const Attribute* const algorithm = op.attrs.find("rng_algorithm");
  if (algorithm == nullptr || op.results.size() != 2)
    fail(op, "an attribute 'rng_algorithm' and 2 results", "others");
  const I64s dims = known(op, 1, "a shape");
  op.results[0].dims = op.operands[0].type().dims;
  op.results[1].dims = {dims.begin(), dims.end()};
  op.operands.resize(1);
  op.attrs = {{"rng_algorithm", *algorithm}};
  op.name = "stablehlo.rng_bit_generator";
}

struct CallForm {
  std::string_view target;
  void (*become)(WrittenOp& op);
};
constexpr CallForm call_forms[]{
    {"stablehlo.dynamic_reduce_window", be_reduce_window},
    {"stablehlo.dynamic_top_k", be_top_k},
    {"stablehlo.dynamic_rng_bit_generator", be_rng_bit_generator},
};

void close_result(const WrittenOp& op, WrittenType& result, Dims dims) {
  const Type found{.dtype = result.dtype, .dims = std::move(dims)};
  const bool has_negative = std::ranges::any_of(found.dims, [](std::int64_t d) { return d < 0; });
  if (has_negative || !checked_bytes(found))
    fail(op, "a result that fits in memory", to_string(found));
  if (!admits(result.stored(), found))
    fail(op, cat("a result of ", to_string(result)), to_string(found));
  result.dims = found.dims;
}

/// Extents of a result that has other elements than the operand, from the same bits.
Dims bitcast_dims(const WrittenOp& op) {
  const Type& operand = op.operands[0].type();
  const int from = info(operand.dtype).bits, to = info(op.results[0].dtype).bits;
  Dims dims = operand.dims;
  if (to < from) dims.push_back(from / to);
  if (to > from && !dims.empty()) dims.pop_back();
  return dims;
}

/// Whether the result has the extents of the operand, and the op's inference asks what is declared.
bool has_operands_extents(const WrittenOp& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return false;
  return op.name == "stablehlo.convert" || op.name == "stablehlo.uniform_quantize" ||
         op.name == "stablehlo.uniform_dequantize" ||
         (op.name == "stablehlo.custom_call" &&
          op.operands[0].type().rank() == op.results[0].rank());
}

const Attribute* callee_of(const WrittenOp& op) {
  if (op.name == "func.call") return op.attrs.find("callee");
  return op.name == "stablehlo.composite" ? op.attrs.find("decomposition") : nullptr;
}

}  // namespace

bool admits(const WrittenType& written, const WrittenType& found) {
  return admits(written.stored(), found.stored()) && same(written.quantization, found.quantization);
}

std::string CallOfOpen::key() const {
  std::string text = callee;
  for (std::size_t k = 0; k < types.size(); ++k) {
    text += cat(" ", to_string(types[k]));
    if (values[k]) text += cat("=", print_elements(*values[k]));
  }
  return text;
}

void CallOfOpen::expect_taken_by(const std::vector<WrittenType>& arguments,
                                 const SourceLocation& where) const {
  if (arguments.size() != types.size())
    throw_user_error(cat("func.call: expected ", arguments.size(), " operands of @", callee,
                         ", found ", types.size()),
                     where);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (!admits(arguments[k], types[k]))
      throw_user_error(cat("func.call: expected operand ", k, " of @", callee, " of type ",
                           to_string(arguments[k]), ", found ", to_string(types[k])),
                       where);
}

CalledFunctions::Instance& CalledFunctions::of(const CallOfOpen& call,
                                               const SourceLocation& where) {
  const auto [at, is_new] = instances_.try_emplace(call.key());
  Instance& instance = at->second;
  if (instance.is_being_read)
    throw_user_error(
        cat("func.call: expected calls without recursion, found one of @", call.callee), where);
  if (is_new) {
    const int others = count_[call.callee]++;
    instance.name = others == 0 ? call.callee : cat(call.callee, "_open_", others);
  }
  return instance;
}

void CalledFunctions::finish(Instance& instance, Module made, const SourceLocation& where) {
  if (made.functions.size() != 1)
    throw_user_error(cat("func.call: expected the body of @", instance.name, ", found none"),
                     where);
  for (const Value& v : made.functions.front()->body->results)
    instance.values.push_back(is_few_integers(v.type()) ? constant_of(v) : nullptr);
  functions_.push_back(std::move(made.functions.front()));
  instance.is_read = true;
}

void CalledFunctions::settle(const Instance& instance, Graph& graph,
                             std::vector<WrittenValue>& values) {
  for (std::size_t k = 0; k < values.size() && k < instance.values.size(); ++k)
    if (instance.values[k] && !values[k].quantization)
      values[k] = create_constant(graph, instance.values[k]);
}

void CalledFunctions::move_to(Module& module) {
  std::ranges::move(functions_, std::back_inserter(module.functions));
  functions_.clear();
}

// --- Functions ----------------------------------------------------------------------------------

namespace {

/// The entry for an argument, by its name or its number; null: nothing is said.
template <class Entries>
auto* entry_of(const Entries& entries, std::size_t index, const std::string& name) {
  auto found = entries.find(name);
  if (name.empty() || found == entries.end()) found = entries.find(cat(index));
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

WrittenType OpenShapes::argument(std::string_view function, std::size_t index,
                                 const std::string& name, const WrittenType& written,
                                 const SourceLocation& where) {
  WrittenType type = written;
  if (const auto* said = given_ == nullptr ? nullptr : entry_of(given_->shapes, index, name)) {
    const Type wanted{.dtype = written.dtype, .dims = said->second};
    if (admits(written.stored(), wanted)) {
      used_.insert(said->first);
      type.dims = wanted.dims;
    } else if (is_open(written)) {
      throw_user_error(cat("func.func: @", function, ": expected extents of argument ", index,
                           " as in ", to_string(written), ", found ", to_string(wanted)),
                       where);
    }
  }
  if (given_ != nullptr && given_->extent)
    std::ranges::replace(type.dims, open_extent, *given_->extent);
  if (is_open(type))
    throw_user_error(cat("func.func: @", function, ": expected extents for argument ", index,
                         ", which has the type ", to_string(written), " (--shape ",
                         name.empty() ? cat(index) : name, "=…), found none"),
                     where);
  return type;
}

DenseRef OpenShapes::value(std::size_t index, const std::string& name, const Type& type) {
  const auto* said = given_ == nullptr ? nullptr : entry_of(given_->values, index, name);
  // What is only known of one run stays an argument where no shape can follow from it.
  if (said == nullptr || (!is_active && !given_->must_be_there)) return nullptr;
  const std::vector<std::int64_t>& values = said->second;
  if (!is_few_integers(type) || std::int64_t(values.size()) != type.count()) return nullptr;
  used_.insert(said->first);
  HostArray array(Type{.dtype = DType::i64, .dims = type.dims});
  std::ranges::copy(values, array.data<DType::i64>());
  return make_dense(convert(array, type.dtype));
}

void OpenShapes::check_all_used(const std::string& file) const {
  if (given_ == nullptr || !given_->must_be_there) return;
  const auto check = [&](const char* option, const char* of, const auto& entries) {
    for (const auto& [key, said] : entries)
      if (!used_.contains(key))
        throw_user_error(
            cat(option, ": expected the name or number of an argument ", of, ", found '", key, "'"),
            {.file = file});
  };
  check("--shape", "of such extents", given_->shapes);
  check("--value", "of so many integers", given_->values);
}

std::optional<CallOfOpen> OpenShapes::call(const WrittenOp& op) {
  const Attribute* const attribute = callee_of(op);
  if (attribute == nullptr) return std::nullopt;
  // Artifacts have it as a text.
  const auto* const symbol = attribute->get_if<SymbolRef>();
  const auto* const text = attribute->get_if<std::string>();
  if (symbol == nullptr && text == nullptr) return std::nullopt;
  CallOfOpen call{.callee = symbol == nullptr ? *text : symbol->name, .types = {}, .values = {}};
  for (const WrittenValue& v : op.operands) {
    call.types.push_back(v.written());
    call.values.push_back(is_few_integers(v.type()) && !v.quantization ? constant_of(v) : nullptr);
  }
  return call;
}

void OpenShapes::redirect(WrittenOp& op, const std::string& callee,
                          const std::vector<WrittenType>& results) {
  op.attrs.set(op.name == "func.call" ? "callee" : "decomposition", SymbolRef{callee});
  if (op.results.size() != results.size())
    fail(op, cat(results.size(), " results"), cat(op.results.size()));
  for (std::size_t k = 0; k < results.size(); ++k)
    if (!admits(op.results[k], results[k]))
      fail(op, cat("result ", k, " of type ", to_string(op.results[k])), to_string(results[k]));
  op.results = results;
}

// --- Ops ----------------------------------------------------------------------------------------

void OpenShapes::close(WrittenOp& op) const {
  if (!is_active) return;
  for (const CallForm& form : call_forms)
    if (form.target == target_of(op)) return form.become(op);
  if (op.name == "stablehlo.custom_call" && op.attrs.contains("indices_of_shape_operands"))
    return take_result_shapes(op);
  if (std::ranges::none_of(op.results, [](const WrittenType& t) { return is_open(t); })) return;
  for (const Shaped& shaped : shaped_ops)
    if (shaped.op == op.name && op.results.size() == 1)
      return close_result(op, op.results[0], shape_of(op, shaped.operand));
  if (op.name == "stablehlo.dynamic_pad") return close_result(op, op.results[0], padded(op));
  if (op.name == "stablehlo.real_dynamic_slice") return close_result(op, op.results[0], sliced(op));
  if (op.name == "stablehlo.dynamic_gather") return take_sizes(op);
  if (op.name == "stablehlo.dynamic_conv") return take_padding(op);
  if (op.name == "stablehlo.bitcast_convert" && op.operands.size() == 1)
    return close_result(op, op.results[0], bitcast_dims(op));
  if (has_operands_extents(op)) close_result(op, op.results[0], op.operands[0].type().dims);
}

std::vector<WrittenValue> OpenShapes::create(Graph& graph, WrittenOp op,
                                             const Module& module) const {
  if (!is_active) return create_written(graph, std::move(op));
  const WrittenOp named{.name = op.name, .location = op.location};
  std::vector<WrittenValue> values = create_written(graph, std::move(op));
  for (const WrittenValue& v : values)
    if (is_open(v.type()))
      fail(named, "a result whose extents follow from the operands", to_string(v.written()));
  const bool may_follow =
      !values.empty() && std::ranges::all_of(values, [&](const WrittenValue& v) {
        return v.node == values[0].node && is_few_integers(v.type()) && !v.quantization;
      });
  if (!may_follow) return values;
  Node* const node = values[0].node;
  const std::vector<DenseRef> known = evaluate(*node, module);
  if (known.size() != values.size() || node != graph.nodes().back()) return values;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = create_constant(graph, known[k]);
  graph.erase(node);
  return values;
}

}  // namespace partita::ir
