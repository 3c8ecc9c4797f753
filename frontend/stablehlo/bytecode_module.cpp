// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/bytecode_module.hpp"
#include "frontend/stablehlo/captured_constants.hpp"

#include <utility>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/attribute_reader.hpp"
#include "frontend/stablehlo/bytecode_ops.hpp"
#include "frontend/stablehlo/captured_constants.hpp"

namespace partita::ir {

namespace {

enum Mask : std::uint8_t {
  has_attributes = 0x01,
  has_results = 0x02,
  has_operands = 0x04,
  has_successors = 0x08,
  has_regions = 0x10,
  has_use_list = 0x20,
  has_properties = 0x40,
};

constexpr std::uint8_t ir_section = 4;

std::string text_of(const Dict& attrs, std::string_view name) {
  const Attribute* found = attrs.find(name);
  const auto* text = found == nullptr ? nullptr : found->get_if<std::string>();
  return text == nullptr ? std::string() : *text;
}

bool is_return(std::string_view artifact_name) {
  return artifact_name == "sdy.return" || artifact_name == "func.return" ||
         artifact_name == "stablehlo.return" || artifact_name.starts_with("vhlo.return_v");
}

}  // namespace

bool is_bytecode(std::string_view bytes) { return bytes.starts_with(bytecode_magic); }

BytecodeModuleReader::BytecodeModuleReader(std::span<const std::byte> bytes, std::string_view file)
    : file_(file), tables_(bytes, file), values_(tables_, bytes.size()) {}

std::unique_ptr<Module> BytecodeModuleReader::read() {
  auto module = std::make_unique<Module>();
  module_ = module.get();
  module->file = std::string(file_);
  ByteStream in = tables_.ir();
  open_.is_active = has_open_types();
  scopes_.assign(1, {});
  bool found = false;
  read_block(in, nullptr, [&] {
    if (std::exchange(found, true)) in.fail("one module", "another op beside it");
    read_module_op(*module, in);
  });
  if (!found) in.fail("a module", "none");
  instances_.move_to(*module);
  open_.check_all_used(module->file);
  module->location_aliases = values_.location_aliases();
  calls_.check(*module, refusals_);
  return module;
}

std::unique_ptr<Module> BytecodeModuleReader::read_partially(std::vector<Refusal>& refusals) {
  refusals_ = &refusals;
  return read();
}

// Types that cannot be read are those of values that are not there, or an error where these are.
bool BytecodeModuleReader::has_open_types() {
  for (std::size_t k = 0; k < tables_.types().size(); ++k) try {
      const BytecodeType& type = values_.type(k);
      if (type.type && is_open(*type.type)) return true;
    } catch (const Error&) {
      continue;
    }
  return false;
}

// --- Ops ----------------------------------------------------------------------------------------

std::string BytecodeModuleReader::unknown_op(const std::string& name) const {
  return cat("op ", name, " (written by ", tables_.producer(), ")");
}

BytecodeModuleReader::Op BytecodeModuleReader::read_head(ByteStream& in) {
  const std::size_t name_index = in.read_index(tables_.op_names().size(), "op name");
  Op op;
  op.artifact_name = tables_.op_names()[name_index].name;
  op.name = stablehlo_name(op.artifact_name);
  const std::uint8_t mask = in.read_byte();
  const std::string location =
      values_.location(in.read_index(tables_.attributes().size(), "attribute"));
  if (location != "unknown") op.location = location;
  read_attributes(op, mask, name_index, in);
  if ((mask & has_results) != 0) read_result_types(op, in);
  if ((mask & has_operands) != 0) read_operands(op, in);
  if ((mask & has_successors) != 0) in.fail("an op without successors", op.artifact_name);
  if ((mask & has_use_list) != 0) skip_use_list(in, op.result_types.size());
  if ((mask & has_regions) != 0) {
    const ByteStream::Flagged regions = in.read_flagged_varint();
    if (regions.value > in.remaining()) in.fail("regions that fit the file", cat(regions.value));
    op.region_count = std::size_t(regions.value);
    op.is_isolated = regions.flag;
  }
  Scope& scope = scopes_.back();
  op.first_result = scope.next;
  scope.next += op.result_types.size();
  if (scope.next > scope.values.size())
    in.fail(cat(scope.values.size(), " values in the region"), "more");
  return op;
}

void BytecodeModuleReader::read_attributes(Op& op, std::uint8_t mask, std::size_t name_index,
                                           ByteStream& in) {
  if ((mask & has_attributes) != 0) {
    const auto* dict = values_.read_attribute(in).get_if<Dict>();
    if (dict == nullptr) in.fail("a dictionary of attributes", "another attribute");
    op.attrs = *dict;
  }
  if ((mask & has_properties) != 0) read_properties(op, name_index, in);
}

void BytecodeModuleReader::read_properties(Op& op, std::size_t name_index, ByteStream& in) {
  if (!tables_.op_names()[name_index].has_property_blob) {
    const auto* dict = values_.read_attribute(in).get_if<Dict>();
    if (dict == nullptr) in.fail("a dictionary of properties", "another attribute");
    for (const NamedAttribute& entry : dict->items()) op.attrs.set(entry.name, entry.value);
    return;
  }
  ByteStream blob = tables_.properties()[in.read_index(tables_.properties().size(), "property")];
  if (op.artifact_name == "builtin.module") {  // attributes that may be absent
    for (const char* name : {"sym_name", "sym_visibility"}) {
      const ByteStream::Flagged index = blob.read_flagged_varint();
      if (!index.flag) continue;
      if (index.value >= tables_.attributes().size()) blob.fail("an attribute", cat(index.value));
      op.attrs.set(name, values_.attribute(std::size_t(index.value)));
    }
    return;
  }
  const ArtifactOp* known = find_artifact_op(op.artifact_name);
  if (known == nullptr) blob.fail("a known op", unknown_op(op.artifact_name));
  for (const std::string_view name : property_names(*known))
    if (name == "function_type")
      blob.read_index(tables_.attributes().size(), "attribute");  // arguments and results say it
    else
      op.attrs.set(name, values_.read_attribute(blob));
  if (!blob.at_end()) blob.fail(cat("the properties of ", op.artifact_name), "more");
}

void BytecodeModuleReader::read_result_types(Op& op, ByteStream& in) {
  for (std::size_t count = in.read_count("results"); count > 0; --count)
    op.result_types.push_back(
        values_.value_type(in.read_index(tables_.types().size(), "type"), in));
}

void BytecodeModuleReader::read_operands(Op& op, ByteStream& in) {
  const std::vector<WrittenValue>& values = scopes_.back().values;
  for (std::size_t count = in.read_count("operands"); count > 0; --count) {
    const WrittenValue& value = values[in.read_index(values.size(), "value")];
    if (!value) in.fail("an operand that is defined before", cat("another of ", op.name));
    op.operands.push_back(value);
  }
}

// The order of uses does not matter here.
void BytecodeModuleReader::skip_use_list(ByteStream& in, std::size_t count) {
  const std::size_t lists = count <= 1 ? 1 : in.read_count("orders of uses");
  for (std::size_t k = 0; k < lists; ++k) {
    if (count > 1) in.read_varint();
    const ByteStream::Flagged length = in.read_flagged_varint();
    if (length.value > in.remaining()) in.fail("an order of uses", cat(length.value, " uses"));
    for (std::uint64_t i = 0; i < length.value; ++i) in.read_varint();
  }
}

void BytecodeModuleReader::define(std::size_t index, WrittenValue value, const ByteStream& in) {
  Scope& scope = scopes_.back();
  if (index >= scope.values.size()) in.fail(cat(scope.values.size(), " values"), "more");
  scope.values[index] = std::move(value);
}

// --- Regions ------------------------------------------------------------------------------------

template <class Read>
void BytecodeModuleReader::with_regions(const Op& op, ByteStream& in, const Read& read) {
  if (op.region_count == 0) return;
  if (depth_ >= max_nesting) in.fail(cat("at most ", max_nesting, " nested regions"), "more");
  ++depth_;
  if (op.is_isolated) {
    scopes_.emplace_back();
    if (tables_.version() >= 2) {
      ByteStream::Section section = in.read_section();
      if (section.id != ir_section) in.fail("a section of ops", cat("section ", int(section.id)));
      read(section.content);
      if (!section.content.at_end()) section.content.fail("the end of the regions", "more");
    } else {
      read(in);
    }
    scopes_.pop_back();
  } else {
    read(in);
  }
  --depth_;
}

void BytecodeModuleReader::read_arguments(ByteStream& in, WrittenRegion* region) {
  argument_locations_.clear();
  const std::size_t count = in.read_count("arguments");
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t type = 0;
    bool has_location = true;
    if (tables_.version() >= 4) {
      const ByteStream::Flagged head = in.read_flagged_varint();
      if (head.value >= tables_.types().size()) in.fail("a type", cat(head.value));
      type = std::size_t(head.value);
      has_location = head.flag;
    } else {
      type = in.read_index(tables_.types().size(), "type");
    }
    std::string location = "unknown";
    if (has_location)
      location = values_.location(in.read_index(tables_.attributes().size(), "attribute"));
    if (region == nullptr) in.fail("a module without arguments", cat(count));
    DenseRef known;
    const WrittenType written = closed_argument(k, values_.value_type(type, in), known, in);
    Value value = region->graph->add_argument(written);
    if (known) value = create_constant(*region->graph, known);
    define(scopes_.back().next++, {value, written.quantization}, in);
    region->quantizations.arguments.push_back(written.quantization);
    argument_locations_.push_back(location == "unknown" ? std::string() : std::move(location));
  }
  if (tables_.version() >= 3 && in.read_byte() != 0) skip_use_list(in, count);
}

WrittenType BytecodeModuleReader::closed_argument(std::size_t index, const WrittenType& written,
                                                  DenseRef& value, const ByteStream& in) {
  if (!at_function_) {
    // What a loop carries is of the types of what it begins with.
    const bool is_carried = is_open(written) && carried_ != nullptr && index < carried_->size();
    return is_carried ? (*carried_)[index].written() : written;
  }
  if (called_ == nullptr) {
    const SourceLocation where{.file = std::string(file_)};
    WrittenType type = open_.argument(function_, index, {}, written, where);
    value = open_.value(index, {}, type);
    return type;
  }
  if (index >= called_->types.size() || !admits(written, called_->types[index]))
    in.fail(cat("operands of @", called_->callee, " of the types of its arguments"), "others");
  value = called_->values[index];
  return called_->types[index];
}

template <class ReadOp>
void BytecodeModuleReader::read_block(ByteStream& in, WrittenRegion* region,
                                      const ReadOp& read_op) {
  const ByteStream::Flagged head = in.read_flagged_varint();
  if (head.flag) read_arguments(in, region);
  at_function_ = false;
  carried_ = nullptr;
  if (head.value > in.remaining()) in.fail("ops that fit the file", cat(head.value));
  for (std::uint64_t k = 0; k < head.value; ++k) read_op();
}

WrittenRegion BytecodeModuleReader::read_region(ByteStream& in, bool may_be_empty) {
  const std::uint64_t blocks = in.read_varint();
  if (blocks == 0 && may_be_empty) return {};
  if (blocks != 1) in.fail("regions of one block", blocks == 0 ? "none" : cat(blocks));
  Scope& scope = scopes_.back();
  const std::size_t base = scope.values.size(), outer_next = scope.next;
  // As many as ops and arguments have; each takes a byte at least.
  scope.values.resize(base + in.read_count("values"));
  scope.next = base;
  WrittenRegion region{std::make_unique<Graph>(), {}};
  bool is_ended = false;
  read_block(in, &region, [&] { read_node(region, is_ended, in); });
  if (!is_ended) in.fail("a return at the end of the region", "none");
  Scope& after = scopes_.back();
  after.values.resize(base);
  after.next = outer_next;
  return region;
}

// --- Modules ------------------------------------------------------------------------------------

void BytecodeModuleReader::read_module_op(Module& module, ByteStream& in) {
  const Op op = read_head(in);
  if (op.artifact_name != "builtin.module") in.fail("a module", unknown_op(op.artifact_name));
  module.name = text_of(op.attrs, "sym_name");
  module.attrs = op.attrs;
  module.attrs.erase("sym_name");
  module.loc_text = op.location;
  with_regions(op, in, [&](ByteStream& regions) {
    if (op.region_count != 1 || regions.read_varint() != 1)
      regions.fail("a module of one block", "others");
    scopes_.back().values.resize(regions.read_count("values"));
    note_private_functions(regions);
    read_block(regions, nullptr, [&] { read_item(module, regions); });
  });
}

// Of a program that leaves extents open: where they are, whose regions are sections that can be passed over.
void BytecodeModuleReader::note_private_functions(ByteStream in) {
  if (!open_.is_active) return;
  read_block(in, nullptr, [&] {
    const Op op = read_head(in);
    if (op.region_count == 0) return;
    if (!op.is_isolated || tables_.version() < 2) in.fail("functions in sections", "others");
    if (text_of(op.attrs, "sym_visibility") == "private")
      called_later_.insert_or_assign(text_of(op.attrs, "sym_name"), Later{op, in});
    (void)in.read_section();
  });
}

void BytecodeModuleReader::read_item(Module& module, ByteStream& in) {
  const Op op = read_head(in);
  if (op.name == "func.func") return read_function(module, op, in);
  if (op.name == "sdy.mesh") return read_mesh(module, op, in);
  in.fail("functions and meshes", unknown_op(op.artifact_name));
}

void BytecodeModuleReader::read_mesh(Module& module, const Op& op, const ByteStream& in) {
  constexpr std::string_view prefix = "#sdy.mesh";
  const Attribute* mesh = op.attrs.find("mesh");
  const auto* raw = mesh == nullptr ? nullptr : mesh->get_if<RawAttr>();
  if (raw == nullptr || !raw->text.starts_with(prefix)) in.fail("a mesh", "another attribute");
  ModuleItem item{
      .op = "sdy.mesh", .symbol = text_of(op.attrs, "sym_name"), .attrs = {}, .raw = {}};
  print_symbol(item.raw, item.symbol);
  item.raw += cat(" = ", raw->text.substr(prefix.size()));
  item.attrs = op.attrs;
  for (const char* own : {"mesh", "sym_name"}) item.attrs.erase(own);
  module.items.push_back(std::move(item));
}

namespace {

// One dictionary per argument or result; none stands for empty ones.
std::vector<Dict> dictionaries(const Dict& attrs, std::string_view name, std::size_t count,
                               const ByteStream& in) {
  std::vector<Dict> dicts(count);
  const Attribute* found = attrs.find(name);
  const auto* list = found == nullptr ? nullptr : found->get_if<List>();
  if (list == nullptr || list->items.empty()) return dicts;
  if (list->items.size() != count)
    in.fail(cat(count, " dictionaries in ", name), cat(list->items.size()));
  for (std::size_t k = 0; k < count; ++k) {
    const auto* dict = list->items[k].get_if<Dict>();
    if (dict == nullptr) in.fail(cat("dictionaries in ", name), "another attribute");
    dicts[k] = *dict;
  }
  return dicts;
}

}  // namespace

// False where there is none, of a private function that is elsewhere, or where the body has errors and is passed over,
// which takes a section of its own.
bool BytecodeModuleReader::read_body(Function& function, const Op& op, ByteStream& in) {
  const std::size_t scopes = scopes_.size();
  const int depth = depth_;
  try {
    function_ = function.name;
    with_regions(op, in, [&](ByteStream& body) {
      at_function_ = true;
      WrittenRegion region = read_region(body, !function.is_public);
      function.body = std::move(region.graph);
      if (instance_ != nullptr && function.body)
        for (std::size_t k = 0; k < function.body->results.size(); ++k)
          instance_->results.emplace_back(function.body->results[k].type(),
                                          region.quantizations.results[k]);
      if (function.body) calls_.define(function.name, std::move(region.quantizations));
    });
    return function.body != nullptr;
  } catch (const Error&) {
    if (refusals_ == nullptr || !op.is_isolated || tables_.version() < 2) throw;
    scopes_.resize(scopes);
    depth_ = depth;
    refusals_->push_back({.function = function.name, .error = std::current_exception()});
    return false;
  }
}

void BytecodeModuleReader::read_function(Module& module, const Op& op, ByteStream& in) {
  auto function = std::make_unique<Function>();
  function->name = text_of(op.attrs, "sym_name");
  if (instance_ != nullptr) function->name = instance_->name;
  function->is_public = text_of(op.attrs, "sym_visibility") != "private";
  function->location = {.file = std::string(file_)};
  function->loc_text = op.location;
  if (op.region_count != 1) in.fail(cat("a body of @", function->name), "none");
  if (called_ == nullptr && called_later_.contains(function->name)) {
    (void)in.read_section();
    return;
  }
  if (!read_body(*function, op, in)) return;
  for (const Value& v : function->body->results) function->result_types.push_back(v.type());
  function->arg_attrs =
      dictionaries(op.attrs, "arg_attrs", std::size_t(function->body->argument_count()), in);
  function->res_attrs = dictionaries(op.attrs, "res_attrs", function->result_types.size(), in);
  function->attrs = op.attrs;
  for (const char* own : {"sym_name", "sym_visibility", "arg_attrs", "res_attrs", "function_type"})
    function->attrs.erase(own);
  module.functions.push_back(std::move(function));
}

// --- Nodes --------------------------------------------------------------------------------------

void BytecodeModuleReader::read_node(WrittenRegion& region, bool& is_ended, ByteStream& in) {
  if (is_ended) in.fail("the end of the region after its return", "another op");
  Op op = read_head(in);
  if (is_return(op.artifact_name)) {
    if (!op.result_types.empty() || op.region_count != 0)
      in.fail("a return without results and regions", "others");
    region.graph->results = stored(op.operands);
    region.quantizations.results = quantizations(op.operands);
    is_ended = true;
    return;
  }
  if (op.name == "builtin.unrealized_conversion_cast") return read_cast(op, in);
  std::vector<WrittenRegion> regions;
  with_regions(op, in, [&](ByteStream& inner) {
    for (std::size_t k = 0; k < op.region_count; ++k) {
      if (op.name == "stablehlo.while") carried_ = &op.operands;
      regions.push_back(read_region(inner));
    }
  });
  const OpDef* def = OpRegistry::instance().find(op.name);
  if (def != nullptr && !def->regions_capture)
    for (const WrittenRegion& inner : regions) copy_captured_constants(*inner.graph);
  finish_node(*region.graph, std::move(op), std::move(regions), in);
}

void BytecodeModuleReader::finish_node(Graph& graph, Op op, std::vector<WrittenRegion> regions,
                                       const ByteStream& in) {
  const bool is_versioned = op.artifact_name.starts_with("vhlo.");
  if (is_versioned && find_artifact_op(op.artifact_name) == nullptr)
    in.fail("a known op", unknown_op(op.artifact_name));
  Dict attrs = is_versioned ? stablehlo_attributes(op.name, op.attrs) : std::move(op.attrs);
  const std::size_t declared = op.result_types.size(), before = graph.nodes().size();
  WrittenOp written{.name = op.name,
                    .operands = std::move(op.operands),
                    .attrs = std::move(attrs),
                    .regions = std::move(regions),
                    .results = std::move(op.result_types),
                    .location = {.file = std::string(file_)},
                    .module = module_};
  const CalledFunctions::Instance* const called = follow_call(written);
  open_.close(written);
  calls_.note(written, function_);
  std::vector<WrittenValue> values = open_.create(graph, std::move(written), *module_);
  if (called != nullptr) CalledFunctions::settle(*called, graph, values);
  if (values.size() != declared)
    in.fail(cat(values.size(), " results of ", op.name), cat(declared));
  if (graph.nodes().size() > before)
    (values.empty() ? graph.nodes().back() : values.front().node)->loc_text = op.location;
  for (std::size_t k = 0; k < values.size(); ++k)
    define(op.first_result + k, std::move(values[k]), in);
}

const CalledFunctions::Instance* BytecodeModuleReader::follow_call(WrittenOp& op) {
  const auto call = open_.is_active ? OpenShapes::call(op) : std::nullopt;
  if (!call) return nullptr;
  const auto later = called_later_.find(call->callee);
  if (later == called_later_.end()) return nullptr;
  CalledFunctions::Instance& instance = instances_.of(*call, op.location);
  if (!instance.is_read) {
    // As if the function stood here.
    struct Outer {
      BytecodeModuleReader& reader;
      std::string function = reader.function_;
      const CallOfOpen* called = reader.called_;
      CalledFunctions::Instance* instance = reader.instance_;
      ~Outer() {
        reader.function_ = function;
        reader.called_ = called;
        reader.instance_ = instance;
      }
    };
    const Outer outer{*this};
    called_ = &*call;
    instance_ = &instance;
    instances_.fill(instance, op.location, [&] {
      Module made;
      ByteStream regions = later->second.regions;
      read_function(made, later->second.op, regions);
      return made;
    });
  }
  OpenShapes::redirect(op, instance.name, instance.results);
  return &instance;
}

// Between types of VHLO and of MLIR that are one type here.
void BytecodeModuleReader::read_cast(const Op& op, const ByteStream& in) {
  if (op.operands.size() != op.result_types.size() || op.region_count != 0)
    in.fail("a cast with as many results as operands", cat(op.result_types.size()));
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    if (!admits(op.result_types[k], op.operands[k].written()))
      in.fail(cat("a cast to ", to_string(op.operands[k].written())),
              to_string(op.result_types[k]));
    define(op.first_result + k, op.operands[k], in);
  }
}

}  // namespace partita::ir
