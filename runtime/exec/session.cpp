// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/executor.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>

#include "partita/artifact/validate.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/log.hpp"
#include "runtime/exec/failure.hpp"
#include "runtime/exec/mesh_devices.hpp"
#include "runtime/exec/shard.hpp"
#include "runtime/exec/submit_thread.hpp"

namespace partita {

namespace {

std::vector<std::unique_ptr<Communicator>> open_communicators(const SessionOptions& options,
                                                              int devices) {
  const CommunicatorOptions communicator_options{
      .shards_per_rank = devices,
      .timeout = options.timeout,
  };
  if (options.use_mpi) return make_mpi_communicators(communicator_options, options.mpi_comm);
  return make_local_communicators(communicator_options);
}

int devices_of_rank(const Artifact& artifact, const SessionOptions& options, int local_ranks) {
  if (options.devices_per_rank != 0) return options.devices_per_rank;
  if (!options.host_queues.empty()) return int(options.host_queues.size());
  return artifact.plan.mesh.empty() ? default_devices(artifact, local_ranks) : 1;
}

// Devices are opened after the communicators, so that a rank without a device can tell the others.
SessionParts open_parts(const Artifact& artifact, const SessionOptions& options) {
  SessionParts parts;
  const LocalRank local = options.use_mpi ? local_rank() : LocalRank{};
  const int devices = devices_of_rank(artifact, options, local.count);
  if (!artifact.plan.mesh.empty() && devices > 0)
    parts.shards_per_device = shards_per_device(
        artifact.plan, options.use_mpi ? mpi_ranks(options.mpi_comm) : 1, devices);
  const int streams = devices * parts.shards_per_device;
  parts.communicators = open_communicators(options, streams);
  try {
    std::vector<void*> queues;
    for (void* const queue : options.host_queues)
      queues.insert(queues.end(), std::size_t(parts.shards_per_device), queue);
    parts.devices = open_devices({.backend = artifact.target,
                                  .local_rank = local.index,
                                  .local_ranks = local.count,
                                  .devices_per_rank = streams,
                                  .streams_per_device = parts.shards_per_device,
                                  .host_queues = std::move(queues)});
  } catch (...) {
    for (auto& communicator : parts.communicators)
      communicator->poison(describe(std::current_exception()));
    throw;
  }
  return parts;
}

void merge(RunStats& all, const RunStats& one) {
  all.peak_device_bytes = std::max(all.peak_device_bytes, one.peak_device_bytes);
  all.peak_arena_bytes = std::max(all.peak_arena_bytes, one.peak_arena_bytes);
  all.planned_bytes = std::max(all.planned_bytes, one.planned_bytes);
  all.collective_calls = std::max(all.collective_calls, one.collective_calls);
  all.communicated_bytes += one.communicated_bytes;
  all.launches += one.launches;
  all.blocks += one.blocks;
  all.block_launches += one.block_launches;
  all.held_bytes = std::max(all.held_bytes, one.held_bytes);
}

/// For each shard of the job the first one that holds the same part of a port's array.
std::vector<int> holders(const Plan& plan, const PortInfo& port, int shards) {
  std::map<std::pair<Dims, Dims>, int> first;
  std::vector<int> all;
  for (const ShardPlace& place : places_of_shards(plan, shards)) {
    const ArrayBlock block = block_of(plan, port, place);
    // Blocks beyond the whole hold none of it, and are alike where they begin and end there.
    all.push_back(first.try_emplace({block.begin, block.inside}, int(all.size())).first->second);
  }
  return all;
}

/// What a shard's block holds of the whole array, without padding.
std::vector<std::byte> whole_part(const Plan& plan, const PortInfo& port, const ShardPlace& place,
                                  std::vector<std::byte> block_bytes) {
  ArrayBlock block = block_of(plan, port, place);
  if (block.inside == block.extents) return block_bytes;
  const std::size_t width = byte_size(port.type.dtype);
  std::vector<std::byte> part(Type{.dtype = port.type.dtype, .dims = block.inside}.bytes());
  // The part lies at the beginning of each dimension of the block.
  block.whole = block.extents;
  block.extents = block.inside;
  block.begin.assign(block.begin.size(), 0);
  block.take(width, block_bytes, part);
  return part;
}

std::string port_name(std::string_view kind, int index, const PortInfo& port) {
  return port.name.empty() ? cat(kind, " ", index) : cat(kind, " ", index, " (", port.name, ")");
}

}  // namespace

struct Session::Impl {
  Artifact artifact;
  SessionOptions options;
  // Destroyed in this order, from the bottom: threads, shards, communicators, what shards borrow.
  std::vector<std::shared_ptr<const HostArray>> lent;  // per input, where the session owns it
  std::vector<std::unique_ptr<Communicator>> communicators;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<std::unique_ptr<SubmitThread>> threads;
  std::vector<std::string> replicated_inputs;  // hash of each input that every shard holds
  std::vector<bool> input_set;
  bool inputs_compared = false;
  int shards_per_device = 1;
  int exceptions_at_start = std::uncaught_exceptions();

  Impl(Artifact a, const SessionOptions& o, SessionParts parts);
  ~Impl();

  [[nodiscard]] Communicator& root() const { return *communicators.front(); }
  /// How an input is given: copied, or used where it lies.
  struct Loan {
    bool is_lent = false;
    std::shared_ptr<const HostArray> owner;  // where the session keeps it
  };
  const PortInfo& input_port(int index) const;
  void check_type(int index, const HostArray& array) const;
  void check_size(int index, std::size_t bytes) const;
  void give_input(int index, std::span<const std::byte> bytes, Loan loan);
  void on_all_shards(const std::function<void(Shard&)>& action);
  void poison_all(const std::string& why) noexcept;
  void warn_of_replicas();
  void start();
  void compare_ranks();
  void check_memory() const;
  void load();
  void start_clock();
  void check_replicas();
  [[nodiscard]] std::int64_t held_bytes() const;
  void join(const PortInfo& port, int index, const std::vector<int>& first, HostArray* whole);
  template <class T>
  [[nodiscard]] std::vector<T> gather_values(const std::function<T(Shard&)>& value,
                                             const std::string& step);
};

Session::Impl::Impl(Artifact a, const SessionOptions& o, SessionParts parts)
    : artifact(std::move(a)),
      options(o),
      lent(artifact.plan.inputs.size()),
      communicators(std::move(parts.communicators)),
      replicated_inputs(artifact.plan.inputs.size()),
      input_set(artifact.plan.inputs.size()),
      shards_per_device(parts.shards_per_device) {
  try {
    PARTITA_ASSERT(!communicators.empty() && communicators.size() == parts.devices.size());
    if (root().shards() % mesh_shards(artifact.plan) != 0)
      throw_internal_error(cat("session: expected communicators of a multiple of ",
                               mesh_shards(artifact.plan), " shards, found ", root().shards()));
    select_variant(artifact, parts.devices.front()->profile().device_class);
    if (const auto problem = find_problem(artifact))
      throw_internal_error(cat("artifact: ", *problem));
    for (std::size_t i = 0; i < communicators.size(); ++i)
      shards.push_back(
          std::make_unique<Shard>(artifact, std::move(parts.devices[i]), *communicators[i], options,
                                  !artifact.plan.mesh.empty() && communicators.size() > 1));
    warn_of_replicas();
    if (shards.size() > 1)
      for (std::size_t i = 0; i < shards.size(); ++i)
        threads.push_back(std::make_unique<SubmitThread>());
    start();
  } catch (...) {
    poison_all(describe(std::current_exception()));
    throw;
  }
}

Session::Impl::~Impl() {
  // Destroying communicators waits for the other ranks, which must not wait for this one.
  if (std::uncaught_exceptions() > exceptions_at_start)
    poison_all("the host program stopped with an error");
}

void Session::Impl::poison_all(const std::string& why) noexcept {
  for (auto& communicator : communicators) communicator->poison(why);
}

// Devices that only do what others do, though partitions might have been split over them.
void Session::Impl::warn_of_replicas() {
  const ShardPlace place = shards.front()->place();
  if (root().shard() != 0 || place.replicas == 1 || artifact.plan.placements.empty()) return;
  log(LogLevel::warning, cat(place.replicas,
                             " times as many devices as do different things: collectives of the "
                             "mesh are within the loop of a "
                             "placement that ",
                             place.partitions * place.replicas,
                             " blocks do not divide, or partitions decide how often"));
}

// One call per shard, each on its own thread; a failure ends the waits of all others.
void Session::Impl::on_all_shards(const std::function<void(Shard&)>& action) {
  std::vector<std::exception_ptr> errors(shards.size());
  const auto guarded = [&](std::size_t i) {
    try {
      action(*shards[i]);
    } catch (...) {
      errors[i] = std::current_exception();
      shards[i]->communicator().poison(describe(errors[i]));
    }
  };
  if (threads.empty()) {
    guarded(0);
  } else {
    std::vector<std::future<void>> done;
    for (std::size_t i = 0; i < shards.size(); ++i)
      done.push_back(threads[i]->submit([&, i] { guarded(i); }));
    for (auto& d : done) d.wait();
  }
  rethrow_cause(errors);
}

void Session::Impl::start() {
  check_memory();  // first, where all ranks meet a shortage by themselves and none waits for another
  if (root().shards() > 1) compare_ranks();
  load();
  for (auto& shard : shards) shard->allocate();
  if (options.trace) start_clock();
}

void Session::Impl::compare_ranks() {
  const std::string hash = content_hash(artifact);
  const std::string settings =
      cat("check_replicas=", options.check_replicas, " trace=", options.trace,
          options.agreement.empty() ? "" : " ", options.agreement);
  on_all_shards([&](Shard& shard) {
    compare_across_shards(shard.communicator(), "class of device",
                          std::string(to_string(artifact.device_class)));
    compare_across_shards(shard.communicator(), "artifact", hash);
    compare_across_shards(shard.communicator(), "options", settings);
  });
}

void Session::Impl::check_memory() const {
  for (const auto& shard : shards) {
    const std::int64_t planned = shard->planned_bytes();
    if (options.memory_budget > 0 && planned > options.memory_budget)
      throw_user_error(cat("expected at most ", options.memory_budget,
                           " bytes per shard (the memory budget), found ", planned, " planned"));
    const std::int64_t available = shard->device().profile().global_bytes;
    if (available > 0 && planned * shards_per_device > available)
      throw_device_error(cat("out of device memory: ", planned * shards_per_device,
                             " bytes planned", shards_per_device > 1 ? " for its shards, " : ", ",
                             shard->device().profile().name, " has ", available));
    shard->check_largest_buffer();
  }
}

// The first rank of a machine compiles alone, the others then find its kernels in the cache.
void Session::Impl::load() {
  const auto load_all = [&] {
    for (auto& shard : shards) shard->load();
  };
  if (root().ranks() == 1) return load_all();
  const bool is_first = local_rank().index == 0;
  if (is_first) load_all();
  on_all_shards([](Shard& shard) { shard.communicator().barrier("kernels compiled"); });
  if (!is_first) load_all();
}

// Ranks of one machine share the steady clock; what differs between machines is one barrier's skew.
void Session::Impl::start_clock() {
  on_all_shards([](Shard& shard) {
    if (shard.communicator().shards() > 1) shard.communicator().barrier("start of trace");
    shard.trace().start_at(Trace::Clock::now());
  });
}

// Throws on every shard unless all shards hold the same bits of what they should all hold.
void Session::Impl::check_replicas() {
  if (root().shards() == 1) return;
  on_all_shards([&](Shard& shard) {
    if (!inputs_compared)
      for (std::size_t i = 0; i < replicated_inputs.size(); ++i)
        compare_across_shards(shard.communicator(), cat("input ", i), replicated_inputs[i]);
    for (std::size_t i = 0; i < artifact.plan.outputs.size(); ++i) {
      const PortInfo& port = artifact.plan.outputs[i];
      const std::vector<int> like = holders(artifact.plan, port, root().shards());
      if (std::ranges::is_sorted(like, std::less_equal<>())) continue;  // each has its own part
      Hasher hasher;
      hasher.add(whole_part(artifact.plan, port, shard.place(), shard.read_output(int(i))));
      try {
        compare_across_shards(shard.communicator(), cat("replicated output ", i), hasher.hex(),
                              like);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::user) throw;
        throw_internal_error(error.what());
      }
    }
  });
  inputs_compared = true;
}

const PortInfo& Session::Impl::input_port(int index) const {
  const auto& inputs = artifact.plan.inputs;
  if (index < 0 || std::size_t(index) >= inputs.size())
    throw_user_error(cat("expected an input below ", inputs.size(), ", found ", index));
  return inputs[std::size_t(index)];
}

void Session::Impl::check_type(int index, const HostArray& array) const {
  const PortInfo& port = input_port(index);
  if (port.type != array.type || array.bytes.size() != port.type.bytes())
    throw_user_error(cat(port_name("input", index, port), ": expected ", to_string(port.type),
                         ", found ", to_string(array.type)));
}

void Session::Impl::check_size(int index, std::size_t bytes) const {
  const PortInfo& port = input_port(index);
  if (bytes != port.type.bytes())
    throw_user_error(cat(port_name("input", index, port), " (", to_string(port.type),
                         "): expected ", port.type.bytes(), " bytes, found ", bytes));
}

void Session::Impl::give_input(int index, std::span<const std::byte> bytes, Loan loan) {
  std::atomic<bool> is_used_in_place = false;
  on_all_shards([&](Shard& shard) {
    if (!loan.is_lent)
      shard.write_input(index, bytes);
    else if (shard.lend_input(index, bytes))
      is_used_in_place = true;
  });
  if (!is_used_in_place) loan.owner.reset();
  lent[std::size_t(index)] = std::move(loan.owner);
  input_set[std::size_t(index)] = true;
  if (options.check_replicas) {
    Hasher hasher;
    hasher.add(bytes);
    replicated_inputs[std::size_t(index)] = hasher.hex();
    inputs_compared = false;
  }
}

// One trivially copyable value of every shard of the job; empty on ranks other than 0.
template <class T>
std::vector<T> Session::Impl::gather_values(const std::function<T(Shard&)>& value,
                                            const std::string& step) {
  std::vector<T> all(root().rank() == 0 ? std::size_t(root().shards()) : 0);
  on_all_shards([&](Shard& shard) {
    const T own = value(shard);
    Communicator& communicator = shard.communicator();
    const std::vector<std::size_t> sizes(std::size_t(communicator.shards()), sizeof(T));
    auto to =
        communicator.shard() == 0 ? std::as_writable_bytes(std::span(all)) : std::span<std::byte>();
    communicator.gather_to_root(std::as_bytes(std::span(&own, 1)), to, sizes, step);
  });
  return all;
}

Session::Session(Artifact artifact, const SessionOptions& options) {
  SessionParts parts = open_parts(artifact, options);
  impl_ = std::make_unique<Impl>(std::move(artifact), options, std::move(parts));
}

Session::Session(Artifact artifact, const SessionOptions& options, SessionParts parts)
    : impl_(std::make_unique<Impl>(std::move(artifact), options, std::move(parts))) {}

Session::~Session() = default;

const Artifact& Session::artifact() const { return impl_->artifact; }
int Session::rank() const { return impl_->root().rank(); }
int Session::ranks() const { return impl_->root().ranks(); }
int Session::shards() const { return impl_->root().shards(); }

void Session::set_input(int index, const HostArray& array) {
  impl_->check_type(index, array);
  impl_->give_input(index, array.bytes, {});
}

void Session::set_input(int index, std::span<const std::byte> array) {
  impl_->check_size(index, array.size());
  impl_->give_input(index, array, {});
}

void Session::lend_input(int index, std::shared_ptr<const HostArray> array) {
  PARTITA_ASSERT(array != nullptr);
  impl_->check_type(index, *array);
  const std::span<const std::byte> bytes = array->bytes;
  impl_->give_input(index, bytes, {.is_lent = true, .owner = std::move(array)});
}

void Session::lend_input(int index, std::span<const std::byte> array) {
  impl_->check_size(index, array.size());
  impl_->give_input(index, array, {.is_lent = true, .owner = {}});
}

void Session::submit() {
  for (std::size_t i = 0; i < impl_->input_set.size(); ++i)
    if (!impl_->input_set[i])
      throw_user_error(cat(port_name("input", int(i), impl_->artifact.plan.inputs[i]),
                           ": expected a value, found none"));
  impl_->on_all_shards([](Shard& shard) { shard.run(); });
  for (std::size_t i = 0; i < impl_->input_set.size(); ++i)
    if (impl_->shards.front()->gives_up(int(i))) impl_->input_set[i] = false;
  if (impl_->options.check_replicas) impl_->check_replicas();
}

void Session::run() {
  submit();
  wait();
}

void Session::carry(const std::vector<Carry>& carries) {
  check_carries(impl_->artifact.plan, carries);
  impl_->on_all_shards([&](Shard& shard) { shard.carry(carries); });
  for (const Carry& c : carries) {
    impl_->lent[std::size_t(c.input)].reset();
    impl_->input_set[std::size_t(c.input)] = true;
  }
}

// The parts of those that hold each first, one after the other, and from there to their places; at once where they lie
// there one after the other.
void Session::Impl::join(const PortInfo& port, int index, const std::vector<int>& first,
                         HostArray* whole) {
  const Plan& plan = artifact.plan;
  const std::size_t width = byte_size(port.type.dtype);
  std::vector<ArrayBlock> blocks;
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  bool is_in_order = true;
  const std::vector<ShardPlace> places = places_of_shards(plan, int(first.size()));
  for (int s = 0; s < int(first.size()); ++s) {
    blocks.push_back(block_of(plan, port, places[std::size_t(s)]));
    const bool is_first = first[std::size_t(s)] == s;
    sizes.push_back(is_first ? Type{.dtype = port.type.dtype, .dims = blocks.back().extents}.bytes()
                             : 0);
    if (sizes.back() == 0) continue;
    is_in_order = is_in_order && blocks.back().is_contiguous() &&
                  std::size_t(blocks.back().first_element()) * width == total;
    total += sizes.back();
  }
  std::vector<std::byte> parts(whole != nullptr && !is_in_order ? total : 0);
  on_all_shards([&](Shard& shard) {
    Communicator& communicator = shard.communicator();
    const auto own = std::size_t(communicator.shard());
    const std::vector<std::byte> part =
        sizes[own] > 0 ? shard.read_output(index) : std::vector<std::byte>();
    auto to = own != 0      ? std::span<std::byte>()
              : is_in_order ? std::span(whole->bytes)
                            : std::span(parts);
    communicator.gather_to_root(part, to, sizes, port_name("output", index, port));
  });
  if (whole == nullptr || is_in_order) return;
  std::span<const std::byte> rest = parts;
  for (std::size_t s = 0; s < blocks.size(); ++s) {
    if (sizes[s] == 0) continue;
    blocks[s].put(width, rest.first(sizes[s]), whole->bytes);
    rest = rest.subspan(sizes[s]);
  }
}

std::optional<HostArray> Session::output(int index) {
  const auto& outputs = impl_->artifact.plan.outputs;
  if (index < 0 || std::size_t(index) >= outputs.size())
    throw_user_error(cat("expected an output below ", outputs.size(), ", found ", index));
  const PortInfo& port = outputs[std::size_t(index)];
  const bool is_root = rank() == 0;
  std::optional<HostArray> result;
  const std::vector<int> first = holders(impl_->artifact.plan, port, shards());
  const bool is_split = std::ranges::any_of(first, [](int s) { return s != 0; });
  if (is_split) {
    if (is_root) result.emplace(port.type);
    impl_->join(port, index, first, result ? &*result : nullptr);
    return result;
  }
  impl_->on_all_shards([&](Shard& shard) {
    if (shard.communicator().shard() != 0) return;
    HostArray& whole = result.emplace();
    whole.type = port.type;
    whole.bytes = whole_part(impl_->artifact.plan, port, shard.place(), shard.read_output(index));
  });
  return result;
}

void Session::wait() {
  impl_->on_all_shards([](Shard& shard) { shard.device().finish(); });
}

void Session::barrier(const std::string& name) {
  if (shards() > 1) impl_->on_all_shards([&](Shard& shard) { shard.communicator().barrier(name); });
}

std::int64_t Session::Impl::held_bytes() const {
  std::map<const std::byte*, std::int64_t> lent_bytes;
  std::int64_t bytes = 0;
  for (const auto& shard : shards) bytes += shard->held_bytes(lent_bytes);
  for (const auto& [begin, size] : lent_bytes) bytes += size;
  return bytes;
}

RunStats Session::stats() const {
  RunStats all;
  for (const auto& shard : impl_->shards) merge(all, shard->stats());
  all.held_bytes = impl_->held_bytes();
  return all;
}

RunStats Session::job_stats() {
  RunStats all;
  const std::int64_t held = impl_->held_bytes();
  const auto stats_of = [held](Shard& s) {
    RunStats one = s.stats();
    one.held_bytes = held;
    return one;
  };
  for (const RunStats& one : impl_->gather_values<RunStats>(stats_of, "statistics"))
    merge(all, one);
  return all;
}

std::string Session::trace_json() {
  if (!impl_->options.trace) throw_user_error("expected a session with a trace, found one without");
  std::string own;
  const int first_shard = impl_->root().shard();
  for (std::size_t i = 0; i < impl_->shards.size(); ++i)
    own += impl_->shards[i]->trace().events(rank(), first_shard + int(i));
  // Each rank's first shard sends; sizes are not known elsewhere and go first.
  const auto is_first = [&](Shard& shard) { return shard.communicator().shard() == first_shard; };
  auto sizes = impl_->gather_values<std::size_t>(
      [&](Shard& s) { return is_first(s) ? own.size() : 0; }, "trace sizes");
  sizes.resize(std::size_t(shards()));
  std::string all;
  std::vector<std::vector<std::size_t>> known(impl_->shards.size(), sizes);
  impl_->on_all_shards([&](Shard& shard) {
    Communicator& communicator = shard.communicator();
    auto& table = known[std::size_t(communicator.shard() - first_shard)];
    communicator.broadcast(std::as_writable_bytes(std::span(table)), "trace sizes");
    if (communicator.shard() == 0) {
      std::size_t total = 0;
      for (const std::size_t size : table) total += size;
      all.resize(total);
    }
    const auto from =
        is_first(shard) ? std::as_bytes(std::span(own)) : std::span<const std::byte>();
    auto to =
        communicator.shard() == 0 ? std::as_writable_bytes(std::span(all)) : std::span<std::byte>();
    communicator.gather_to_root(from, to, table, "trace");
  });
  if (rank() != 0) return {};
  if (all.ends_with(",\n")) all.resize(all.size() - 2);
  return cat("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", all, "\n]}\n");
}

}  // namespace partita
