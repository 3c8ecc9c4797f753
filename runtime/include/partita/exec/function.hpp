// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An artifact's program on devices of this process, as a function from arrays that live there to arrays that live there;
// with other processes that have the other shards, where there are some.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/collective/communicator.hpp"
#include "partita/exec/stream.hpp"

namespace partita {

/// Any thread may call it; executions are done in the order of the calls, on each stream in order with its other work.
class Function {
 public:
  /// One array for each argument or result, of the type that a shard holds of it.
  using Arrays = std::vector<DeviceArrayPtr>;

  /// Builds the kernels, or takes them from the cache.  A stream for each shard of the plan's mesh, in order, or several times
  /// as many, over which placements are split (places_of_shards).  Another number of streams is a user error; the devices
  /// are of the artifact's target.
  /// `job`: how the streams' shards, one each, meet those of other processes, which run the program as well; null where
  /// all are here.  Functions of one job are executed in one order in all processes.  A failure ends the job: executions fail from then on.
  Function(std::shared_ptr<const Artifact> artifact, std::vector<std::shared_ptr<Stream>> streams,
           std::shared_ptr<Communicators> job = nullptr);
  /// Executions under way go on; what they use goes with the last of them.
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  [[nodiscard]] const Artifact& artifact() const;
  [[nodiscard]] const std::vector<std::shared_ptr<Stream>>& streams() const;
  /// Of an argument or result on a shard, by its number here.
  [[nodiscard]] std::vector<Type> input_types(int shard = 0) const;
  [[nodiscard]] std::vector<Type> output_types(int shard = 0) const;

  /// Enqueues one execution and returns: the results of each shard here, which are ready when its event is done.  `inputs`: for
  /// each of these shards its arrays, which the caller may give up at once.  `donated`: arguments whose arrays nobody reads any more;
  /// results may be in the memory of those that nobody else holds.  Where an input has failed, so do the results.  Arrays
  /// of other types or streams are a user error, and so are numbers of no argument.  `done`, unless it is null, becomes the
  /// events of the execution, by shard, which programs without results have too.  `waits`: the caller waits for it next, so
  /// that its thread may do it where nothing is before it.
  [[nodiscard]] std::vector<Arrays> execute(std::vector<Arrays> inputs,
                                            std::span<const int> donated = {},
                                            std::vector<EventPtr>* done = nullptr,
                                            bool waits = false) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace partita
