// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/fingerprint.hpp"

#include <bit>
#include <functional>
#include <string>
#include <unordered_map>

#include "partita/ir/sharding.hpp"

namespace partita::ir {
namespace {

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

/// Of the elements of a list, by `hash`.
template <class List, class Hash>
std::uint64_t hash_all(const List& list, Hash&& hash) {
  std::uint64_t h = list.size();
  for (const auto& item : list) h = mix(h, hash(item));
  return h;
}

std::uint64_t hash_of(const I64s& list) {
  return hash_all(list, [](std::int64_t x) { return std::uint64_t(x); });
}

struct AttributeHash {
  std::uint64_t operator()(const Unit&) const { return 0; }
  std::uint64_t operator()(bool x) const { return x ? 1 : 0; }
  std::uint64_t operator()(const Integer& x) const {
    return mix(hash_of(x.type), std::uint64_t(x.value));
  }
  std::uint64_t operator()(const Float& x) const {
    return mix(std::uint64_t(x.dtype), std::bit_cast<std::uint64_t>(x.value));
  }
  std::uint64_t operator()(const std::string& x) const { return hash_of(x); }
  std::uint64_t operator()(const SymbolRef& x) const { return hash_of(x.name); }
  std::uint64_t operator()(const EnumAttr& x) const {
    return mix(mix(hash_of(x.dialect), hash_of(x.kind)), hash_of(x.value));
  }
  std::uint64_t operator()(const RawAttr& x) const { return hash_of(x.text); }
  std::uint64_t operator()(const Type& x) const { return fingerprint(x); }
  std::uint64_t operator()(const I64s& x) const { return hash_of(x); }
  std::uint64_t operator()(const Bools& x) const {
    return hash_all(x.values, [](bool b) { return std::uint64_t(b); });
  }
  std::uint64_t operator()(const List& x) const {
    return hash_all(x.items, [](const Attribute& a) { return fingerprint(a); });
  }
  std::uint64_t operator()(const Dict& x) const { return fingerprint(x); }
  std::uint64_t operator()(const DenseRef& x) const {
    return mix(x->hash(), mix(fingerprint(x->type()), x->is_splat() ? 1 : 0));
  }
  std::uint64_t operator()(const ShardingRef& x) const { return hash_of(to_text(*x)); }
  std::uint64_t operator()(const ShardingsRef& x) const { return hash_of(to_text(*x)); }
  std::uint64_t operator()(const ManualAxes& x) const { return hash_of(to_text(x)); }
};

/// Values are numbers in it, by the nodes that came before.
class ModuleHash {
 public:
  std::uint64_t of(const Module& module) {
    std::uint64_t h = mix(hash_of(module.name), fingerprint(module.attrs));
    h = mix(h, hash_all(module.items, [](const ModuleItem& item) {
              return mix(mix(hash_of(item.op), hash_of(item.symbol)),
                         mix(fingerprint(item.attrs), hash_of(item.raw)));
            }));
    for (const auto& f : module.functions) h = mix(h, of(*f));
    return h;
  }

 private:
  std::uint64_t of(const Function& f) {
    const auto of_types = [](const Type& t) { return fingerprint(t); };
    const auto of_dict = [](const Dict& d) { return fingerprint(d); };
    std::uint64_t h = mix(hash_of(f.name), f.is_public ? 1 : 0);
    h = mix(h, hash_all(f.result_types, of_types));
    h = mix(h, hash_all(f.arg_attrs, of_dict));
    h = mix(h, hash_all(f.res_attrs, of_dict));
    return mix(mix(h, fingerprint(f.attrs)), of(*f.body));
  }

  std::uint64_t of(const Graph& graph) {
    std::uint64_t h = std::uint64_t(graph.argument_count());
    for (int k = 0; k < graph.argument_count(); ++k) {
      number(graph.argument(k).node);
      h = mix(h, fingerprint(graph.argument(k).type()));
    }
    for (const Node* node : graph.nodes()) {
      h = mix(h, of(*node));
      number(node);
    }
    return mix(h, hash_all(graph.results, [&](const Value& v) { return of(v); }));
  }

  std::uint64_t of(const Node& node) {
    std::uint64_t h = std::hash<const void*>()(&node.op());
    for (const Value& v : node.operands()) h = mix(h, of(v));
    h = mix(h, fingerprint(node.attrs));
    for (const Type& t : node.result_types()) h = mix(h, fingerprint(t));
    for (const auto& region : node.regions()) h = mix(h, of(*region));
    return h;
  }

  std::uint64_t of(const Value& v) {
    const auto found = numbers_.find(v.node);
    return mix(found == numbers_.end() ? 0 : found->second, std::uint64_t(v.index));
  }

  void number(const Node* node) { numbers_.try_emplace(node, numbers_.size() + 1); }

  std::unordered_map<const Node*, std::uint64_t> numbers_;
};

}  // namespace

std::uint64_t fingerprint(const Type& type) {
  return mix(std::uint64_t(type.dtype) * 2 + (type.is_token ? 1 : 0), hash_of(type.dims));
}

std::uint64_t fingerprint(const Attribute& attribute) {
  return mix(attribute.value().index(), std::visit(AttributeHash(), attribute.value()));
}

std::uint64_t fingerprint(const Dict& attributes) {
  return hash_all(attributes.items(), [](const NamedAttribute& a) {
    return mix(hash_of(a.name), fingerprint(a.value));
  });
}

std::uint64_t fingerprint(const Module& module) { return ModuleHash().of(module); }

}  // namespace partita::ir
