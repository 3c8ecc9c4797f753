// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What GSPMD's texts say of numbered devices becomes a mesh with named axes, and Shardy's attributes and ops:
// mhlo.sharding of arguments and results, @Sharding, and the passages @SPMDFullToShardShape and
// @SPMDShardToFullShape as pieces of one axis and dimension each.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/process_grid.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/gspmd_mesh.hpp"
#include "passes/rewrites/mesh_collectives.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

bool calls(const Node& node, std::string_view target) {
  return node.is("stablehlo.custom_call") && node.attrs.text("call_target_name", "") == target;
}
bool is_annotation(const Node& node) { return calls(node, "Sharding"); }
bool is_to_piece(const Node& node) { return calls(node, "SPMDFullToShardShape"); }
bool is_to_whole(const Node& node) { return calls(node, "SPMDShardToFullShape"); }

const std::string* text_in(const ir::Dict& attrs) {
  const ir::Attribute* found = attrs.find("mhlo.sharding");
  return found ? found->get_if<std::string>() : nullptr;
}

/// The annotation that says how a passage cuts: its operand's, or its own on the way to a whole.
const std::string* text_of_passage(const Node& node) {
  return is_to_piece(node) ? text_in(node.operand(0).node->attrs) : text_in(node.attrs);
}

/// Whether a text is about one device alone, or about the parts of a tuple.
bool is_of_one_device(const std::string& text) {
  return text.find("maximal") != std::string::npos || text.starts_with("{{");
}

class Texts {
 public:
  Texts(const ir::Function& f) {
    const auto ports = [&](const std::vector<ir::Dict>& attrs, const auto& type_of) {
      for (std::size_t k = 0; k < attrs.size(); ++k) add(text_in(attrs[k]), type_of(k));
    };
    ports(f.arg_attrs, [&](std::size_t k) { return f.body->argument(int(k)).type(); });
    ports(f.res_attrs, [&](std::size_t k) { return f.result_types[k]; });
    ir::walk(*f.body, [&](Node& node) {
      if (is_annotation(node)) add(text_in(node.attrs), node.result().type());
      if (!is_to_piece(node) && !is_to_whole(node)) return;
      has_passages_ = true;
      add(text_of_passage(node), node.result().type());
    });
  }

  [[nodiscard]] const std::vector<GspmdText>& all() const { return all_; }
  [[nodiscard]] bool has_passages() const { return has_passages_; }
  [[nodiscard]] bool cuts(std::int64_t devices) const {
    return std::ranges::any_of(all_, [&](const GspmdText& said) {
      const ir::Cut cut(said.text, said.rank, devices);
      return std::ranges::any_of(cut.pieces(), [](std::int64_t n) { return n != 1; });
    });
  }

 private:
  void add(const std::string* text, const Type& type) {
    if (text == nullptr) return;
    const auto same = [&](const GspmdText& said) {
      return said.text == *text && said.rank == type.rank();
    };
    if (std::ranges::none_of(all_, same)) all_.push_back({*text, type.rank()});
  }

  std::vector<GspmdText> all_;
  bool has_passages_ = false;
};

/// "unspecified_dims=[0,1]": dimensions of which nothing is said.
std::vector<bool> open_dims(Node& node) {
  std::vector<bool> open(node.result().type().dims.size(), false);
  const ir::Attribute* config = node.attrs.find("backend_config");
  const auto* text = config ? config->get_if<std::string>() : nullptr;
  const auto begin = text ? text->find("unspecified_dims=[") : std::string::npos;
  if (begin == std::string::npos) return open;
  for (std::size_t at = text->find('[', begin); at < text->size() && (*text)[at] != ']';) {
    const std::size_t d = std::size_t(std::atoll(text->c_str() + at + 1));
    if (d < open.size()) open[d] = true;
    at = text->find_first_of(",]", at + 1);
  }
  return open;
}

class Naming {
 public:
  explicit Naming(const GspmdMesh& names) : names_(names) {}

  void ports(std::vector<ir::Dict>& attrs, const std::vector<Type>& types) const {
    for (std::size_t k = 0; k < attrs.size(); ++k)
      if (const std::string* text = text_in(attrs[k])) {
        const ir::Sharding sharding = names_.sharding({*text, types[k].rank()});
        attrs[k].erase("mhlo.sharding");
        attrs[k].set("sdy.sharding", ir::to_attribute(sharding));
      }
  }

  void nodes(Graph& body) {
    std::vector<Node*> said;
    ir::walk(body, [&](Node& node) {
      const bool is_said = is_annotation(node) && text_in(node.attrs) != nullptr;
      if (is_said || is_to_piece(node) || is_to_whole(node)) said.push_back(&node);
    });
    for (Node* node : said)
      replaced_[node->result()] = is_annotation(*node) ? stated(*node) : passed(*node);
    body.replace_uses(replaced_);
    for (auto node = said.rbegin(); node != said.rend(); ++node) (*node)->graph()->erase(*node);
  }

 private:
  [[nodiscard]] Value current(Value v) const {
    const auto found = replaced_.find(v);
    return found == replaced_.end() ? v : found->second;
  }

  /// Of what processes have of their own nothing is said about their axes; of a whole, that it is one.
  [[nodiscard]] Value stated(Node& node) const {
    const std::string& text = *text_in(node.attrs);
    ir::Sharding sharding = names_.sharding({text, node.result().type().rank()});
    const bool is_manual = text.find("manual") != std::string::npos;
    const std::vector<bool> open = open_dims(node);
    bool says = false;
    for (std::size_t d = 0; d < open.size(); ++d) {
      sharding.dims[d].is_open = open[d] || is_manual;
      says |= !sharding.dims[d].is_open || !sharding.dims[d].axes.empty();
    }
    const Value v = current(node.operand(0));
    if (!says) return v;
    return maker(node).op("sdy.sharding_constraint", {v},
                          {{"sharding", ir::to_attribute(sharding)}});
  }

  [[nodiscard]] Value passed(Node& node) const {
    const bool splits = is_to_piece(node);
    const Type &from = node.operand(0).type(), &to = node.result().type();
    const ir::Sharding said = names_.sharding({*text_of_passage(node), to.rank()});
    Value v = current(node.operand(0));
    for (std::size_t d = 0; d < said.dims.size(); ++d) {
      if (from.dims[d] == to.dims[d]) continue;
      std::vector<ir::AxisRef> axes = said.dims[d].axes;
      if (!splits) std::ranges::reverse(axes);
      for (const ir::AxisRef& axis : axes)
        v = maker(node).op(splits ? "mr.mesh_slice" : "mr.mesh_join", {v},
                           {{"axis", axis.name},
                            {"dim", std::int64_t(d)},
                            {"pieces", names_.mesh().axes[*names_.mesh().find(axis.name)].size}});
    }
    return v;
  }

  static ir::Maker maker(Node& node) { return {*node.graph(), &node, node.location()}; }

  const GspmdMesh& names_;
  ir::ValueMap<Value> replaced_;
};

/// Why a passage cannot be taken apart; empty where it can.
std::string why_not_pieces(Node& node, std::int64_t devices) {
  const std::string* text = text_of_passage(node);
  if (text == nullptr) return "a piece is made of a value of which nothing is said";
  const Type &from = node.operand(0).type(), &to = node.result().type();
  const ir::Cut cut(*text, to.rank(), devices);
  for (std::size_t d = 0; d < to.dims.size(); ++d) {
    const std::int64_t whole = std::max(from.dims[d], to.dims[d]),
                       piece = std::min(from.dims[d], to.dims[d]);
    if (whole != piece && whole != piece * cut.pieces()[d])
      return "a dimension is cut by axes of both kinds";
  }
  return {};
}

std::string why_not(const ir::Module& module, const ir::Function& f, const Texts& texts,
                    std::int64_t devices) {
  for (const GspmdText& said : texts.all())
    if (is_of_one_device(said.text)) return cat("of '", said.text, "'");
  std::string why;
  const ir::Mesh all{.axes = {{.name = "devices", .size = devices}}, .device_ids = {}};
  ir::walk(*f.body, [&](Node& node) {
    if (!why.empty()) return;
    if (is_to_piece(node) || is_to_whole(node))
      why = why_not_pieces(node, devices);
    else
      why = why_not_over_mesh(node, all);
  });
  for (const auto& other : module.functions)
    if (other.get() != &f && ir::needs_processes(module, *other))
      return "a function that is called has pieces for devices";
  return why;
}

/// Of a scalar nothing can be said; it may stand in a region that combines elements.
void drop_annotations_of_scalars(Graph& body) {
  ir::ValueMap<Value> replaced;
  ir::walk(body, [&](Node& node) {
    if (!is_annotation(node) || node.result().type().rank() != 0) return;
    const auto earlier = replaced.find(node.operand(0));
    replaced[node.result()] = earlier == replaced.end() ? node.operand(0) : earlier->second;
  });
  body.replace_uses(replaced);
  ir::remove_dead_nodes(body);
}

void run(ir::Module& module, PassContext& context) {
  const ir::GridSize grid = ir::grid_size(module);
  ir::Function& f = module.entry(context.function);
  if (!context.shards || grid.replicas > 1 || grid.partitions < 2) return;
  if (!ir::meshes(module).empty() || ir::shard_mesh(module)) return;
  drop_annotations_of_scalars(*f.body);
  const Texts texts(f);
  if (texts.all().empty() || (!texts.has_passages() && ir::needs_processes(module, f))) return;
  std::string why = why_not(module, f, texts, grid.partitions);
  if (why.empty() && !texts.cuts(grid.partitions)) return;
  std::optional<GspmdMesh> names;
  if (why.empty()) names = GspmdMesh::of(texts.all(), grid.partitions);
  if (!names) {
    if (why.empty()) why = "no one mesh has the axes along which its values are cut";
    context.remarks.push_back(cat("the program runs on one device, because ", why));
    return;
  }
  Naming naming(*names);
  naming.ports(f.arg_attrs, f.argument_types());
  naming.ports(f.res_attrs, f.result_types);
  naming.nodes(*f.body);
  ir::declare_mesh(module, "mesh", names->mesh());
  if (!texts.has_passages()) return;
  use_mesh_collectives(*f.body, names->mesh());
  ir::set_shard_mesh(module, names->mesh());
}

}  // namespace

PassInfo pass_name_mesh();
PassInfo pass_name_mesh() {
  return {.name = "name-mesh",
          .doc = "Makes what GSPMD's texts say of numbered devices a mesh with named axes.",
          .needs = Stage::inlined,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
