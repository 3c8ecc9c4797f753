// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Times one artifact: executions with a wait after each, as a host program that needs the results sees them,
// and executions that are submitted behind one another, which is what the device itself takes as soon as
// that is more than what a submission takes.
#include "tools/partita/bench/artifact.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/exec/executor.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/mesh.hpp"
#include "tools/partita/bench/statistics.hpp"
#include "tools/partita/check/recording.hpp"
#include "tools/partita/local_device.hpp"

namespace partita::tool {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds of one execution, by turns.
struct Turns {
  std::vector<double> alone_s, queued_s;
  int queued_runs = 1;  ///< of a turn without a wait between them
};

double run_alone(Session& session) {
  const auto begin = Clock::now();
  session.run();
  return seconds_since(begin);
}

double run_queued(Session& session, int runs) {
  const auto begin = Clock::now();
  for (int i = 0; i < runs; ++i) session.submit();
  session.wait();
  return seconds_since(begin) / runs;
}

Turns take_turns(Session& session, const ArtifactBenchOptions& options) {
  constexpr double most_runs = 2000;
  Turns turns;
  const auto begin = Clock::now();
  const double warm_s = std::max(std::min(run_alone(session), run_alone(session)), 1e-7);
  turns.queued_runs = int(std::clamp(std::ceil(options.seconds / warm_s), 1.0, most_runs));
  for (int turn = 0; turn < options.turns; ++turn) {
    if (turn > 0 && seconds_since(begin) > options.limit_s) break;
    turns.alone_s.push_back(run_alone(session));
    turns.queued_s.push_back(run_queued(session, turns.queued_runs));
  }
  return turns;
}

/// What STEM.mlir gives by STEM.io.npz, beside STEM.pta.
struct Expected {
  std::unique_ptr<ir::Module> module;
  Recording recording;
};

std::optional<Expected> find_expected(const std::string& artifact) {
  const auto program = std::filesystem::path(artifact).replace_extension(".mlir");
  const std::string recording = find_recording(program);
  if (recording.empty() || !std::filesystem::exists(program)) return std::nullopt;
  Expected expected{.module = ir::read_module(program.string()), .recording = {}};
  const ir::Function& function = expected.module->entry("main");
  expected.recording = read_recording(recording, argument_ports(*expected.module, function),
                                      ir::whole_result_types(*expected.module, function));
  return expected;
}

std::vector<std::string> departures(const Expected& expected, Session& session,
                                    const ToleranceOptions& tolerance) {
  std::vector<HostArray> results;
  for (std::size_t i = 0; i < session.artifact().plan.outputs.size(); ++i)
    results.push_back(session.output(int(i)).value());
  return departures(*expected.module, expected.module->entry("main"), results, expected.recording,
                    tolerance);
}

/// What kernels take on the device, by kernel, of one execution; the mean of some.  A session of its own, because the
/// events that this needs slow launches down.  Empty where the device has no clock for it.
boost::json::array kernel_times(const Artifact& artifact, const std::vector<HostArray>& inputs) {
  constexpr int runs = 5;
  SessionParts parts;
  parts.devices = open_devices({.backend = artifact.target, .times_launches = true});
  parts.communicators = make_local_communicators({});
  Device& device = *parts.devices.front();
  Session session(artifact, SessionOptions{}, std::move(parts));
  for (std::size_t i = 0; i < inputs.size(); ++i) session.set_input(int(i), inputs[i]);
  session.run();
  static_cast<void>(device.launch_times());  // the first run builds what is built late
  for (int i = 0; i < runs; ++i) session.run();
  std::vector<LaunchTime> times = device.launch_times();
  std::ranges::stable_sort(times, std::greater<>(), &LaunchTime::seconds);
  boost::json::array all;
  for (const LaunchTime& time : times)
    all.push_back(boost::json::object{{"kernel", time.kernel},
                                      {"launches", double(time.launches) / runs},
                                      {"seconds", time.seconds / runs}});
  return all;
}

boost::json::object to_json(const ArtifactBenchOptions& options, const Turns& turns) {
  boost::json::object json{{"name", std::filesystem::path(options.artifact).stem().string()},
                           {"turns", turns.alone_s.size()},
                           {"alone_s", median(turns.alone_s)},
                           {"alone_spread", spread(turns.alone_s)},
                           {"queued_s", median(turns.queued_s)},
                           {"queued_spread", spread(turns.queued_s)},
                           {"queued_least_s", *std::ranges::min_element(turns.queued_s)},
                           {"queued_runs", turns.queued_runs}};
  if (options.flops > 0) json["flops"] = options.flops;
  if (options.bytes > 0) json["bytes"] = options.bytes;
  if (options.peak_flops > 0) json["peak_flops"] = options.peak_flops;
  return json;
}

struct Outcome {
  boost::json::object json;
  std::vector<std::string> wrong;
};

Outcome measure(const Artifact& artifact, const std::vector<HostArray>& inputs,
                const std::optional<Expected>& expected, const ArtifactBenchOptions& options) {
  const DeviceProfile device = local_device(artifact.target);
  const auto begin = Clock::now();
  Session session(artifact, SessionOptions{});
  for (std::size_t i = 0; i < inputs.size(); ++i) session.set_input(int(i), inputs[i]);
  session.wait();
  const double ready_s = seconds_since(begin), first_s = run_alone(session);
  Outcome outcome;
  if (expected) outcome.wrong = departures(*expected, session, options.tolerance);
  boost::json::object& json = outcome.json = to_json(options, take_turns(session, options));
  json["device"] = device.name;
  json["platform"] = device.platform;
  json["ready_s"] = ready_s;
  json["first_s"] = first_s;
  json["launches"] = session.stats().launches;
  json["peak_device_bytes"] = session.stats().peak_device_bytes;
  if (expected) json["is_right"] = outcome.wrong.empty();
  if (!outcome.wrong.empty()) json["departure"] = outcome.wrong.front();
  return outcome;
}

/// Replaces the file; nothing where none is named.
void write_result(const std::string& path, const boost::json::object& json) {
  if (!path.empty()) write_file(path, std::string_view(boost::json::serialize(json) + "\n"));
}

}  // namespace

int bench_artifact(const ArtifactBenchOptions& options) {
  if (!options.json.empty()) check_writable(options.json);
  const Artifact artifact = load_artifact(options.artifact);
  const auto expected = find_expected(options.artifact);
  const auto inputs =
      expected ? expected->recording.inputs : random_arrays(artifact.plan.inputs, options.seed);
  auto [json, wrong] = measure(artifact, inputs, expected, options);
  write_result(options.json, json);
  if (options.times_kernels) {
    json["kernels"] = kernel_times(artifact, inputs);
    write_result(options.json, json);
  }
  if (options.json.empty()) std::cout << boost::json::serialize(json) << "\n";
  for (const std::string& departure : wrong)
    std::cout << "FAIL " << options.artifact << "\n  " << departure << "\n";
  return wrong.empty() ? 0 : 1;
}

}  // namespace partita::tool
