// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/held_values.hpp"

#include "partita/base/error.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Value;

using At = std::optional<AxisPosition>;

std::array<std::int64_t, 3> HeldValues::key(const At& at) {
  if (!at) return {-1, 1, 1};
  return {at->dim, at->outer, at->inner};
}

HeldValues::Held& HeldValues::find(Value v) {
  const auto found = held_.find(v);
  PARTITA_ASSERT(found != held_.end());
  return found->second;
}

void HeldValues::set(Value v, ir::Graph& home, Value value, const At& at) {
  Held& held = held_[v];
  held.home = &home;
  held.at = at;
  held.forms[key(at)] = value;
}

void HeldValues::set_partial(Value v, ir::Graph& home, Value term, Combiner combiner) {
  Held& held = held_[v];
  held.home = &home;
  held.term = term;
  held.combiner = combiner;
}

Value HeldValues::stand_in(const Type& type, ir::Graph& home, Value held, const AxisPosition& at) {
  const Value v = stand_ins_.add_argument(type);
  set(v, home, held, at);
  return v;
}

At HeldValues::position(Value v) const {
  const auto found = held_.find(v);
  return found == held_.end() ? At{} : found->second.at;
}

std::optional<Combiner> HeldValues::partial(Value v) const {
  const auto found = held_.find(v);
  if (found == held_.end() || !found->second.forms.empty()) return std::nullopt;
  return found->second.combiner;
}

Value HeldValues::left(Value v) const { return held_.at(v).term; }

/// To the part that the plan says, else to what is wanted.
void HeldValues::combine(Value v, Held& held, const At& wanted) {
  const Reshard reshard(*held.home, cut_);
  held.at = plan_.position(v) ? plan_.position(v) : wanted;
  held.forms[key(held.at)] = held.at ? reshard.combine_scatter(held.term, *held.combiner, *held.at)
                                     : reshard.combine(held.term, *held.combiner);
}

Value HeldValues::get(Value v, const At& at) {
  Held& held = find(v);
  if (held.forms.empty()) combine(v, held, at);
  if (const auto made = held.forms.find(key(at)); made != held.forms.end()) return made->second;
  const Reshard reshard(*held.home, cut_);
  const auto extent = [&] { return v.type().dims[std::size_t(held.at->dim)]; };
  Value form;
  if (const auto whole = held.forms.find(key({})); at && whole != held.forms.end())
    form = reshard.slice(whole->second, *at);
  else if (at && held.at->dim != at->dim)
    form = reshard.exchange(held.forms.at(key(held.at)), *held.at, extent(), *at);
  else if (at)
    form = reshard.slice(get(v, {}), *at);
  else
    form = reshard.gather(held.forms.at(key(held.at)), *held.at, extent());
  return held.forms[key(at)] = form;
}

void HeldValues::prepare_captures(const ir::Node& node) {
  for (const Value& v : ir::captures(node)) {
    const auto found = held_.find(v);
    if (found != held_.end() && found->second.forms.empty()) combine(v, found->second, {});
  }
}

}  // namespace partita::passes
