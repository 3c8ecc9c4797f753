// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// All processes of a grid at once: a program for one process becomes one for all of them by batching
// it, slice k being process k; collectives become movement and reduction along that dimension.  For running
// a program for many shards on one; not for distributing it.
#pragma once

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

/// A BatchContext::special: handles collectives, ids of processes, sdy.manual_computation and GSPMD's
/// changes between whole arrays and pieces; the context's size is the number of processes.  Whatever
/// is the same in every process stays unbatched.
class BatchedProcesses {
 public:
  BatchedProcesses(const Module& module, std::int64_t replicas, std::int64_t partitions)
      : module_(module), replicas_(replicas), partitions_(partitions) {}
  bool operator()(const Node& node, BatchMap& map, const BatchContext& context) const;

 private:
  struct Job;
  void all_gather(const Job& job) const;
  void all_reduce(const Job& job) const;
  void reduce_scatter(const Job& job) const;
  void all_to_all(const Job& job) const;
  void pass_on(const Job& job) const;
  void process_id(const Job& job) const;
  void manual_computation(const Job& job) const;
  void custom_call(const Job& job) const;
  [[nodiscard]] std::vector<I64s> group_of_each(const Job& job) const;

  const Module& module_;
  std::int64_t replicas_, partitions_;
};

/// How a custom_call between the whole and pieces (SPMDFullToShardShape, SPMDShardToFullShape) cuts
/// the whole; a user error where its sharding is not to be found.
[[nodiscard]] Cut gspmd_cut(const Node& node, std::int64_t devices);

}  // namespace partita::ir
