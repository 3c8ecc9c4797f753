// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/exec/function.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/collective/communicator.hpp"
#include "runtime/exec/failure.hpp"
#include "runtime/exec/shard.hpp"

namespace partita {

namespace {

using Clock = std::chrono::steady_clock;

/// Executions of one shard that take less are done by whoever asks for them, where nothing is before them: a thread is not
/// woken in that time.
constexpr auto short_time = std::chrono::microseconds(100);

/// Shards of one process wait for each other as long as what is before them on their streams takes.
constexpr std::chrono::hours patience(24);

Artifact variant_for(const Artifact& artifact, const Stream& stream) {
  Artifact chosen = one_function(artifact, artifact.name);
  select_variant(chosen, stream.profile().device_class);
  if (const auto problem = find_problem(chosen)) throw_internal_error(cat("artifact: ", *problem));
  return chosen;
}

/// What a job holds of an argument.
struct Argument {
  DeviceArray::Place place;
  EventPtr ready;
  bool is_donated = false;

  /// Whether the memory is nobody else's.
  [[nodiscard]] bool is_free() const {
    if (!is_donated || place.use_count() != 1 || place->use_count() != 1 || (*place)->is_borrowed())
      return false;
    std::atomic_thread_fence(std::memory_order_acquire);  // after what the others read
    return true;
  }
};

}  // namespace

namespace {

/// What executions use: it goes when the last of them is done, which may be after the function.  Jobs hold it, so that it
/// holds no streams.
struct Loaded {
  Artifact artifact;
  std::shared_ptr<Communicators> job;  // of this function alone, or given
  std::vector<std::unique_ptr<Shard>> shards;
  std::atomic<bool> is_short = false;
  std::atomic<bool> is_broken = false;  // a shard failed, and the others may wait for it no more

  explicit Loaded(Artifact variant) : artifact(std::move(variant)) {}
  void run(std::size_t s, Stream& stream, const std::vector<Argument>& from,
           const std::vector<DeviceArray::Place>& to);
};

void Loaded::run(std::size_t s, Stream& stream, const std::vector<Argument>& from,
                 const std::vector<DeviceArray::Place>& to) {
  const auto begin = Clock::now();
  try {
    std::vector<DeviceBufferPtr> inputs;
    std::vector<bool> given_up;
    for (const Argument& argument : from) {
      if (const std::exception_ptr error = argument.ready->error()) std::rethrow_exception(error);
      given_up.push_back(argument.is_free());
      inputs.push_back(*argument.place);
    }
    const std::vector<DeviceBufferPtr> results =
        shards[s]->run_on(std::move(inputs), given_up,
                          [&](std::span<const std::int64_t> bytes) { return stream.arena(bytes); });
    for (std::size_t i = 0; i < to.size(); ++i) *to[i] = results[i];
  } catch (...) {
    if ((*job)[s]->shards() > 1) {
      is_broken = true;
      (*job)[s]->poison(describe(std::current_exception()));
    }
    throw;
  }
  is_short = Clock::now() - begin < short_time;
}

}  // namespace

struct Function::Impl {
  std::vector<std::shared_ptr<Stream>> streams;
  bool is_whole;  // no other process has shards
  std::shared_ptr<Loaded> loaded;
  std::vector<std::vector<Type>> input_types, output_types;  // of each shard

  Impl(const Artifact& whole, std::vector<std::shared_ptr<Stream>> on,
       std::shared_ptr<Communicators> job)
      : streams(std::move(on)),
        is_whole(job == nullptr),
        loaded(std::make_shared<Loaded>(variant_for(whole, *streams.front()))) {
    if (job != nullptr && job->size() != streams.size())
      throw_internal_error(cat("function: expected a device for each of ", job->size(),
                               " shards here, found ", streams.size()));
    loaded->job = std::move(job);
  }
  ~Impl();
  void load();
  void unload();
  void check(std::span<const Arrays> inputs) const;
  Arrays enqueue(std::size_t s, Arrays inputs, std::span<const int> donated, const EventPtr& done,
                 bool waits);
};

void Function::Impl::load() {
  const Plan& plan = loaded->artifact.plan;
  if (is_whole)
    loaded->job = std::make_shared<Communicators>(
        make_local_communicators({.shards_per_rank = int(streams.size()), .timeout = patience}));
  const Communicators& job = *loaded->job;
  const int count = job.front()->shards();
  if (const std::int64_t needed = mesh_shards(plan);
      count % needed != 0 || (count > needed && plan.placements.empty()))
    throw_user_error(
        cat("expected ", needed, " devices, one for each shard of the mesh, found ", count));
  input_types.assign(streams.size(), {});
  output_types.assign(streams.size(), {});
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const ShardPlace place = place_of_shard(plan, job[s]->shard(), count);
    for (const auto& [ports, types] :
         {std::pair{&plan.inputs, &input_types[s]}, std::pair{&plan.outputs, &output_types[s]}})
      for (const PortInfo& port : *ports)
        types->push_back({.dtype = port.type.dtype, .dims = block_of(plan, port, place).extents});
  }
  for (std::size_t s = 0; s < streams.size(); ++s) {
    Shard& shard = *loaded->shards.emplace_back(std::make_unique<Shard>(
        loaded->artifact, streams[s]->device(), *job[s], SessionOptions{}, true));
    streams[s]->run([&](Device&) {
      shard.check_largest_buffer();
      shard.load();
      shard.allocate_constants();
    });
  }
}

void Function::Impl::check(std::span<const Arrays> inputs) const {
  if (inputs.size() != streams.size())
    throw_user_error(
        cat("expected arguments for ", streams.size(), " devices, found ", inputs.size()));
  for (std::size_t s = 0; s < inputs.size(); ++s) {
    const std::vector<Type>& types = input_types[s];
    if (inputs[s].size() != types.size())
      throw_user_error(cat("expected ", types.size(), " arguments, found ", inputs[s].size()));
    for (std::size_t i = 0; i < inputs[s].size(); ++i) {
      if (inputs[s][i]->type() != types[i])
        throw_user_error(cat("argument ", i, ": expected ", to_string(types[i]), ", found ",
                             to_string(inputs[s][i]->type())));
      if (inputs[s][i]->stream() != streams[s])
        throw_user_error(cat("argument ", i, ": expected an array on device ", s,
                             " of the program, found one elsewhere"));
    }
  }
}

Function::Arrays Function::Impl::enqueue(std::size_t s, Arrays inputs, std::span<const int> donated,
                                         const EventPtr& done, bool waits) {
  Arrays outputs;
  std::vector<DeviceArray::Place> to;
  std::vector<Argument> from;
  for (const Type& type : output_types[s])
    to.push_back(
        outputs.emplace_back(std::make_shared<DeviceArray>(streams[s], type, done))->place());
  for (const DeviceArrayPtr& input : inputs) from.push_back({input->place(), input->ready()});
  for (const int input : donated) from[std::size_t(input)].is_donated = true;
  inputs.clear();
  streams[s]->enqueue([held = loaded, s, &stream = *streams[s], from = std::move(from),
                       to = std::move(to)](Device&) { held->run(s, stream, from, to); },
                      done, (loaded->is_short || waits) && streams.size() == 1 && is_whole);
  return outputs;
}

Function::Function(std::shared_ptr<const Artifact> artifact,
                   std::vector<std::shared_ptr<Stream>> streams,
                   std::shared_ptr<Communicators> job) {
  if (streams.empty()) throw_user_error("expected a device, found none");
  impl_ = std::make_unique<Impl>(*artifact, std::move(streams), std::move(job));
  impl_->load();
}

Function::~Function() = default;

// Where a device is not used by two threads at once: in its stream, in turn.
Function::Impl::~Impl() {
  for (std::size_t s = 0; s < loaded->shards.size(); ++s)
    streams[s]->enqueue([held = loaded, s](Device&) { held->shards[s].reset(); }, true);
}

void Function::Impl::unload() {
  for (std::size_t s = 0; s < loaded->shards.size(); ++s)
    streams[s]->run([&](Device&) { loaded->shards[s].reset(); });
  loaded->shards.clear();
  loaded->job.reset();
}

const Artifact& Function::artifact() const { return impl_->loaded->artifact; }
const std::vector<std::shared_ptr<Stream>>& Function::streams() const { return impl_->streams; }
std::vector<Type> Function::input_types(int shard) const {
  return impl_->input_types.at(std::size_t(shard));
}
std::vector<Type> Function::output_types(int shard) const {
  return impl_->output_types.at(std::size_t(shard));
}

std::vector<Function::Arrays> Function::execute(std::vector<Arrays> inputs,
                                                std::span<const int> donated,
                                                std::vector<EventPtr>* done, bool waits) const {
  impl_->check(inputs);
  for (const int input : donated)
    if (input < 0 || std::size_t(input) >= impl_->input_types.front().size())
      throw_user_error(cat("donated: expected the number of an argument, found ", input));
  std::unique_lock lock(Stream::order(), std::defer_lock);
  if (inputs.size() > 1 || !impl_->is_whole) {
    lock.lock();
    if (impl_->is_whole && impl_->loaded->is_broken.exchange(false)) {
      impl_->unload();
      impl_->load();
    }
  }
  std::vector<Arrays> outputs;
  if (done != nullptr) done->clear();
  for (std::size_t s = 0; s < inputs.size(); ++s) {
    const auto event = std::make_shared<Event>();
    outputs.push_back(impl_->enqueue(s, std::move(inputs[s]), donated, event, waits));
    if (done != nullptr) done->push_back(event);
  }
  return outputs;
}

}  // namespace partita
