// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/shrink.hpp"

#include <algorithm>
#include <unordered_set>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/op.hpp"

namespace partita::tool {

namespace {

/// A program with its inputs.
struct Candidate {
  std::unique_ptr<ir::Module> module;
  std::string function;
  std::vector<HostArray> inputs;

  [[nodiscard]] ir::Function& entry() const { return *module->find(function); }
  [[nodiscard]] Candidate copy() const { return {ir::clone_module(*module), function, inputs}; }
  [[nodiscard]] std::size_t size() const { return entry().body->nodes().size(); }
};

void drop_unused_arguments(Candidate& candidate) {
  ir::Function& function = candidate.entry();
  const auto uses = ir::count_uses(*function.body);
  for (int k = function.body->argument_count(); k-- > 0;) {
    if (uses.contains(function.body->argument(k))) continue;
    function.body->erase_argument(k);
    candidate.inputs.erase(candidate.inputs.begin() + k);
    if (std::size_t(k) < function.arg_attrs.size())
      function.arg_attrs.erase(function.arg_attrs.begin() + k);
    if (std::size_t(k) < function.arg_loc_texts.size())
      function.arg_loc_texts.erase(function.arg_loc_texts.begin() + k);
  }
}

void drop_unused_functions(Candidate& candidate) {
  std::unordered_set<std::string> used{candidate.function};
  std::vector<std::string> open{candidate.function};
  while (!open.empty()) {
    const ir::Function* function = candidate.module->find(open.back());
    open.pop_back();
    if (!function) continue;
    ir::walk(*function->body, [&](const ir::Node& node) {
      for (const ir::NamedAttribute& attribute : node.attrs.items())
        if (const auto* symbol = attribute.value.get_if<ir::SymbolRef>();
            symbol && used.insert(symbol->name).second)
          open.push_back(symbol->name);
    });
  }
  std::erase_if(candidate.module->functions,
                [&](const auto& f) { return !used.contains(f->name); });
}

void clean(Candidate& candidate) {
  ir::remove_dead_nodes(*candidate.entry().body);
  drop_unused_arguments(candidate);
  drop_unused_functions(candidate);
}

// Values of all nodes of the entry function, in order.
std::vector<std::vector<HostArray>> node_values(const Candidate& candidate) {
  std::vector<std::vector<HostArray>> values;
  ir::Interpreter interpreter(*candidate.module);
  const ir::Graph* body = candidate.entry().body.get();
  interpreter.on_node = [&](const ir::Node& node, std::span<const ir::Tensor> results) {
    if (node.graph() != body) return;
    auto& all = values.emplace_back();
    for (const ir::Tensor& tensor : results) all.push_back(*tensor);
  };
  std::vector<ir::Tensor> arguments;
  for (const HostArray& array : candidate.inputs)
    arguments.push_back(std::make_shared<const HostArray>(array));
  static_cast<void>(interpreter.run(candidate.entry(), arguments));
  return values;
}

class Shrinker {
 public:
  explicit Shrinker(const Comparison& comparison) : comparison_(comparison) {}

  bool fails(const Candidate& candidate) const {
    return !departure(comparison_of(candidate)).empty();
  }

  Candidate shrink(Candidate best) const {
    keep_one_output(best);
    end_at_first_departure(best);
    for (std::size_t before = best.size() + 1; best.size() < before;) {
      before = best.size();
      cut_nodes(best);
    }
    return best;
  }

 private:
  [[nodiscard]] Comparison comparison_of(const Candidate& candidate) const {
    return {.module = *candidate.module,
            .function = candidate.entry(),
            .inputs = candidate.inputs,
            .target = comparison_.target,
            .tolerance = comparison_.tolerance};
  }

  static void keep_only(Candidate& candidate, ir::Value value) {
    ir::Function& function = candidate.entry();
    function.body->results = {value};
    function.result_types = {value.type()};
    function.res_attrs.assign(1, {});
    clean(candidate);
  }

  void keep_one_output(Candidate& best) const {
    const std::size_t count = best.entry().body->results.size();
    for (std::size_t k = 0; count > 1 && k < count; ++k) {
      Candidate candidate = best.copy();
      keep_only(candidate, candidate.entry().body->results[k]);
      if (!fails(candidate)) continue;
      best = std::move(candidate);
      return;
    }
  }

  // What comes after the first value that is wrong need not be there.
  void end_at_first_departure(Candidate& best) const {
    std::optional<DepartingValue> value;
    try {
      value = first_departing_value(comparison_of(best));
    } catch (const Error&) {
      return;  // the target fails otherwise than by wrong values
    }
    if (!value) return;
    Candidate candidate = best.copy();
    keep_only(candidate, candidate.entry().body->nodes()[value->node]->result(value->result));
    if (fails(candidate)) best = std::move(candidate);
  }

  // Runs of nodes become arguments: first halves, then ever shorter ones.
  void cut_nodes(Candidate& best) const {
    for (std::size_t length = std::max<std::size_t>(best.size() / 2, 1);; length /= 2) {
      for (std::size_t begin = 0; begin < best.size();) {
        Candidate candidate = cut(best, begin, length);
        if (candidate.size() < best.size() && fails(candidate))
          best = std::move(candidate);
        else
          begin += length;
      }
      if (length == 1) return;
    }
  }

  static Candidate cut(const Candidate& from, std::size_t begin, std::size_t length) {
    Candidate candidate = from.copy();
    const auto values = node_values(candidate);
    ir::Function& function = candidate.entry();
    const std::vector<ir::Node*> nodes = function.body->nodes();
    ValueMap map;
    for (std::size_t i = begin; i < std::min(begin + length, nodes.size()); ++i)
      for (int k = 0; k < nodes[i]->result_count(); ++k) {
        const HostArray& value = values.at(i).at(std::size_t(k));
        map[nodes[i]->result(k)] = function.body->add_argument(value.type);
        candidate.inputs.push_back(value);
        function.arg_attrs.resize(candidate.inputs.size());
        function.arg_loc_texts.resize(candidate.inputs.size());
      }
    function.body->replace_uses(map);
    clean(candidate);
    return candidate;
  }

  using ValueMap = ir::ValueMap<ir::Value>;
  const Comparison& comparison_;
};

}  // namespace

std::string shrink_to(const Comparison& comparison, const std::filesystem::path& path) {
  check_writable(path);
  Candidate start{ir::clone_module(comparison.module), comparison.function.name, comparison.inputs};
  const Shrinker shrinker(comparison);
  if (!shrinker.fails(start))
    return cat("nothing to shrink: ", comparison.target.name,
               " agrees with the interpreter, the recorded results do not");
  const std::size_t before = start.size();
  const Candidate smallest = shrinker.shrink(std::move(start));
  const std::string name = path.filename().string();
  const std::filesystem::path recording =
      path.parent_path() / (name.substr(0, name.find('.')) + ".io.npz");
  std::map<std::string, HostArray> arrays;
  for (std::size_t k = 0; k < smallest.inputs.size(); ++k)
    arrays[cat("in", k)] = smallest.inputs[k];
  const auto results = interpret(*smallest.module, smallest.entry(), smallest.inputs).results;
  for (std::size_t k = 0; k < results.size(); ++k) arrays[cat("out", k)] = results[k];
  write_npz(recording, arrays);
  write_file(path, ir::print_module(*smallest.module));
  return cat("shrunk from ", before, " to ", smallest.size(), " nodes: ", path.string(), ", ",
             recording.string());
}

}  // namespace partita::tool
