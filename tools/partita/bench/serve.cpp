// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/serve.hpp"

#include <malloc.h>
#include <sched.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <fstream>
#include <iostream>

#include "partita.h"
#include "partita/artifact/npz.hpp"
#include "partita/base/cores.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/local_device.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// "VmHWM:    1234 kB" of /proc/self/status, in bytes.
std::int64_t resident_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1)) * 1024;
  throw_internal_error(cat("/proc/self/status: expected ", field));
}

// Gives freed memory back and forgets the peak (proc(5), clear_refs); the bytes now resident.
std::int64_t reset_peak() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return resident_bytes("VmRSS");
}

void answer(std::ostream& out, const boost::json::object& value) {
  out << boost::json::serialize(value) << std::endl;
}

boost::json::object timed_rounds(const Served& served, std::int64_t count) {
  boost::json::array seconds;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    served.round();
    seconds.emplace_back(seconds_since(begin));
  }
  return {{"seconds", seconds}};
}

int converse(const Served& served, std::istream& in, std::ostream& out) {
  const auto begin = Clock::now();
  served.round();
  boost::json::object greeting = served.facts;
  greeting["ready"] = true;
  greeting["first_round_s"] = seconds_since(begin);
  const std::int64_t at_reset = reset_peak();
  answer(out, greeting);
  for (std::string line; std::getline(in, line);) {
    const boost::json::object request = boost::json::parse(line).as_object();
    const std::string what(request.at("do").as_string());
    if (what == "rounds") {
      answer(out, timed_rounds(served, request.at("count").as_int64()));
    } else if (what == "queued" && served.queued) {
      const auto since = Clock::now();
      served.queued(request.at("count").as_int64());
      answer(out, {{"seconds", seconds_since(since)}});
    } else if (what == "stats" && served.stats) {
      answer(out, served.stats());
    } else if (what == "memory") {
      const std::int64_t peak = resident_bytes("VmHWM");
      answer(out,
             {{"peak_bytes", peak}, {"growth_bytes", std::max<std::int64_t>(0, peak - at_reset)}});
    } else if (what == "outputs") {
      served.save_outputs(std::string(request.at("path").as_string()));
      answer(out, {});
    } else if (what == "quit") {
      break;
    } else {
      throw_user_error(
          cat("expected rounds, queued, stats, memory, outputs or quit, found ", what));
    }
  }
  return 0;
}

/// Ranks of a machine have a core each, by turns where there are more ranks.
void stay_on_core_of_rank() {
  const std::vector<int> cores = usable_cores();
  const int core = cores[std::size_t(local_rank().index) % cores.size()];
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(std::size_t(core), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    throw_device_error(cat("cannot stay on core ", core));
}

std::vector<HostArray> read_inputs(const ServeOptions& options, const Plan& plan) {
  return bind_arrays(plan.inputs, "in", read_npz(options.inputs), options.inputs);
}

/// Rounds and outputs of a session, which outlives what is served.
Served served_by(Session& session) {
  Served served;
  served.round = [&session] { session.run(); };
  served.save_outputs = [&session](const std::string& path) {
    std::map<std::string, HostArray> outputs;
    for (std::size_t i = 0; i < session.artifact().plan.outputs.size(); ++i)
      if (auto array = session.output(int(i))) outputs[cat("out", i)] = std::move(*array);
    if (session.rank() == 0) write_npz(path, outputs);
  };
  served.stats = [&session]() -> boost::json::object {
    const RunStats s = session.job_stats();
    return {{"communicated_bytes", s.communicated_bytes}, {"collective_calls", s.collective_calls},
            {"planned_bytes", s.planned_bytes},           {"held_bytes", s.held_bytes},
            {"peak_device_bytes", s.peak_device_bytes},   {"launches", s.launches}};
  };
  return served;
}

}  // namespace

int serve(const Served& served, const std::string& pipes) {
  if (pipes.empty()) return converse(served, std::cin, std::cout);
  const std::string own = cat(pipes, ".", launched_rank());
  std::ifstream in(own + ".in");
  std::ofstream out(own + ".out");
  return converse(served, in, out);
}

int serve_rounds(const ServeOptions& options) {
  driver::CompileOptions compile = options.compile;
  compile.placements = parse_placements(options.placements);
  SessionOptions settings;
  settings.use_mpi = launched_by_mpi();
  if (settings.use_mpi) stay_on_core_of_rank();
  static_cast<void>(list_devices());  // the platform starts before the time of compiling counts
  choose_local_class(compile);
  const auto begin = Clock::now();
  const auto module = ir::read_module(options.program);
  Artifact artifact = partita::compile(*module, compile).artifact;
  const double compile_s = seconds_since(begin);
  Session session(std::move(artifact), settings);
  const double ready_s = seconds_since(begin);
  {
    std::vector<HostArray> inputs = read_inputs(options, session.artifact().plan);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      session.lend_input(int(i), std::make_shared<const HostArray>(std::move(inputs[i])));
  }
  Served served = served_by(session);
  served.facts = {{"versions", {{"partita", partita_version()}}},
                  {"compile_s", ready_s},
                  {"artifact_s", compile_s}};
  return serve(served, options.pipes);
}

int serve_artifact(const std::string& path, std::uint64_t seed, const std::string& pipes) {
  SessionOptions settings;
  settings.use_mpi = launched_by_mpi();
  if (settings.use_mpi) stay_on_core_of_rank();
  Artifact artifact = load_artifact(path);
  const auto inputs = random_arrays(artifact.plan.inputs, seed);
  Session session(std::move(artifact), settings);
  for (std::size_t i = 0; i < inputs.size(); ++i) session.set_input(int(i), inputs[i]);
  session.wait();
  Served served = served_by(session);
  served.facts = {{"versions", {{"partita", partita_version()}}}};
  served.queued = [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) session.submit();
    session.wait();
  };
  return serve(served, pipes);
}

}  // namespace partita::tool
