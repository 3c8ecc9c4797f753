// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/process_grid.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {
namespace {

constexpr std::int64_t max_processes = 1024;

/// Ends a process because another has failed.
struct Cancelled {};

}  // namespace

ProcessGrid::ProcessGrid(std::int64_t replicas, std::int64_t partitions)
    : replicas_(replicas), partitions_(partitions) {
  if (replicas < 1 || partitions < 1 || replicas > max_processes ||
      partitions > max_processes / replicas)
    throw_user_error(cat("shards: expected 1 to ", max_processes, " replicas × partitions, found ",
                         replicas, " × ", partitions));
}

void ProcessGrid::run(const std::function<void(std::int64_t process)>& body) {
  slots_.clear();
  slots_.resize(std::size_t(size()));
  has_failed_ = false;
  const auto process = [&](std::int64_t id) {
    try {
      body(id);
      end(id, nullptr);
    } catch (const Cancelled&) {
      end(id, nullptr);
    } catch (...) {
      end(id, std::current_exception());
    }
  };
  if (size() == 1) {
    process(0);
  } else {
    std::vector<std::jthread> threads;
    for (std::int64_t id = 0; id < size(); ++id) threads.emplace_back(process, id);
  }
  for (const Slot& slot : slots_)
    if (slot.error) std::rethrow_exception(slot.error);
}

void ProcessGrid::end(std::int64_t process, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[std::size_t(process)];
  slot.state = State::ended;
  if (error) {
    slot.error = std::move(error);
    has_failed_ = true;
    changed_.notify_all();
    return;
  }
  try {
    check_progress();
  } catch (...) {
    slot.error = std::current_exception();
  }
}

bool ProcessGrid::agree(const Slot& a, const Slot& b) const {
  return a.node->name() == b.node->name() && *a.group == *b.group &&
         std::ranges::equal(
             a.values, b.values, {}, [](const Tensor& t) { return t->type; },
             [](const Tensor& t) { return t->type; });
}

bool ProcessGrid::complete(const Slot& slot) {
  std::vector<std::vector<Tensor>> all;
  for (const std::int64_t member : *slot.group) {
    const Slot& other = slots_[std::size_t(member)];
    if (other.state != State::waiting || !agree(slot, other)) return false;
    all.emplace_back(other.values.begin(), other.values.end());
  }
  const I64s members = *slot.group;
  for (const std::int64_t member : members) {
    slots_[std::size_t(member)].state = State::running;
    slots_[std::size_t(member)].received = all;
  }
  changed_.notify_all();
  return true;
}

/// Fails when all that have not ended wait, and no group is complete.
void ProcessGrid::check_progress() {
  const Slot* first = nullptr;
  std::size_t id = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (slots_[k].state == State::running) return;
    if (slots_[k].state != State::waiting || first) continue;
    first = &slots_[k];
    id = k;
  }
  if (!first || has_failed_) return;
  has_failed_ = true;
  changed_.notify_all();
  for (const std::int64_t member : *first->group) {
    const Slot& other = slots_[std::size_t(member)];
    if (other.state == State::waiting && agree(*first, other)) continue;
    const std::string found =
        other.state == State::ended
            ? std::string("that it has ended")
            : cat("it waiting in ", other.node->name(), " with other processes or types");
    throw_user_error(cat(first->node->name(), ": expected process ", member, " to meet process ",
                         id, ", found ", found),
                     first->node->location());
  }
  throw_internal_error("processes wait although their group is complete");
}

std::vector<std::vector<Tensor>> ProcessGrid::exchange(std::int64_t process, const Node& node,
                                                       const I64s& group,
                                                       std::span<const Tensor> values) {
  if (size() == 1) return {{values.begin(), values.end()}};
  std::unique_lock lock(mutex_);
  if (has_failed_) throw Cancelled{};
  Slot& slot = slots_[std::size_t(process)];
  slot.node = &node;
  slot.group = &group;
  slot.values = values;
  slot.state = State::waiting;
  if (!complete(slot)) check_progress();
  changed_.wait(lock, [&] { return slot.state == State::running || has_failed_; });
  if (slot.state != State::running) throw Cancelled{};
  return std::move(slot.received);
}

// --- What a program needs -----------------------------------------------------------------------

namespace {

bool needs_process(const Node& node) {
  if (node.is("stablehlo.custom_call"))
    return node.attrs.text("call_target_name", "").starts_with("SPMD");
  return node.op().asks_process;
}

bool graph_needs(const Module& module, const Graph& graph, std::set<std::string>& seen) {
  return std::ranges::any_of(graph.nodes(), [&](const Node* node) {
    if (node->is("sdy.manual_computation") || node->is("interpreter.run_parallel")) return false;
    if (needs_process(*node)) return true;
    for (const auto& region : node->regions())
      if (graph_needs(module, *region, seen)) return true;
    for (const NamedAttribute& attribute : node->attrs.items()) {
      const auto* symbol = attribute.value.get_if<SymbolRef>();
      const Function* callee = symbol ? module.find(symbol->name) : nullptr;
      if (callee && seen.insert(symbol->name).second && graph_needs(module, *callee->body, seen))
        return true;
    }
    return false;
  });
}

std::int64_t positive(const Dict& attrs, const char* name) {
  const Attribute* found = attrs.find(name);
  const auto* number = found ? found->get_if<Integer>() : nullptr;
  return number ? std::max<std::int64_t>(number->value, 0) : 0;
}

/// Devices that the module's shardings and groups of processes speak of.
std::int64_t devices_named(const Module& module) {
  std::int64_t devices = 0;
  for (const auto& function : module.functions)
    walk(*function->body, [&](const Node& node) {
      if (node.is("stablehlo.custom_call"))
        if (const Attribute* sharding = node.attrs.find("mhlo.sharding"))
          if (const auto* text = sharding->get_if<std::string>())
            devices = std::max(devices, gspmd_devices(*text));
      for (const char* name : {"replica_groups", "source_target_pairs"})
        for (const I64s& list : id_lists(node.attrs, name).value_or(std::vector<I64s>{}))
          for (const std::int64_t id : list) devices = std::max(devices, id + 1);
    });
  return devices;
}

}  // namespace

bool needs_processes(const Module& module, const Function& function) {
  std::set<std::string> seen{function.name};
  return graph_needs(module, *function.body, seen);
}

GridSize grid_size(const Module& module) {
  const std::int64_t replicas = positive(module.attrs, "mhlo.num_replicas");
  const std::int64_t partitions = positive(module.attrs, "mhlo.num_partitions");
  if (replicas > 0 || partitions > 0)
    return {.replicas = std::max<std::int64_t>(replicas, 1),
            .partitions = std::max<std::int64_t>(partitions, 1)};
  for (const Mesh& mesh : meshes(module))
    if (!mesh.axes.empty()) return {.partitions = mesh.size()};
  return {.partitions = std::max<std::int64_t>(devices_named(module), 1)};
}

}  // namespace partita::ir
