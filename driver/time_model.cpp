// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/time_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "driver/choose_target_info.hpp"
#include "partita/base/error.hpp"

namespace partita::driver {
namespace {

/// From asking memory to having the answer.
constexpr double answer_seconds = 0.35e-6;
/// What the cache that all share gives, beside memory.
constexpr double cache_speed = 3;
/// Words in registers of an item: some for addresses and loads, and sums with what they are made of.
constexpr double own_registers = 32, registers_of_sum = 1.5;
/// Operations of a sub-group at work at a time with which half of a multiprocessor's rate is reached.
constexpr double half_rate = 24;
/// Multiprocessors, where nobody knows.
constexpr double usual_count = 64;
/// Bytes of buffers are counted for so many items together.
constexpr double items_counted = 32;

/// The groups of a launch, and what a multiprocessor has of them at a time.
struct Residence {
  double group, groups, count;  ///< count: multiprocessors
  double at_once;               ///< groups of one multiprocessor that fit
  double sums;                  ///< words of an item

  Residence(const KernelWork& work, const LaunchShape& shape, const ModelledDevice& device) {
    const Multiprocessors& m = device.multiprocessors;
    const double wanted = shape.group > 0
                              ? shape.group
                              : double(std::max<std::int64_t>(device.info.preferred_group, 1));
    group = std::max(1.0, std::min(wanted, shape.items));
    groups = std::ceil(shape.items / group);
    count = m.count > 0                     ? double(m.count)
            : device.info.compute_units > 0 ? double(device.info.compute_units)
                                            : usual_count;
    sums = double(work.sum_bytes) / 4;
    const double registers =
        std::min(own_registers + registers_of_sum * sums, double(device.info.registers));
    at_once = std::min({double(m.groups), std::floor(double(m.items) / group),
                        std::floor(double(m.registers) / (registers * group))});
    if (work.local_bytes > 0)
      at_once = std::min(at_once, std::floor(double(m.local_bytes) / double(work.local_bytes)));
    at_once = std::max(at_once, 1.0);
  }
  /// Of all groups of the busiest multiprocessor, those that it has at a time.
  [[nodiscard]] double busy() const { return std::min(at_once, std::ceil(groups / count)); }
  /// Turns in which groups come by.
  [[nodiscard]] double turns() const { return std::ceil(groups / (count * at_once)); }
};

double compute_seconds(const KernelWork& work, const LaunchShape& shape, const Residence& r,
                       const ModelledDevice& device) {
  const FlopRates& rates = device.info.flops;
  const double matrix_rate =
      device.multiprocessors.matrix_flops > 0 ? device.multiprocessors.matrix_flops : rates.f32;
  const double of_item = std::max({2 * double(work.operations) / rates.f32,
                                   2 * double(work.f64_operations) / rates.f64,
                                   double(work.matrix_flops) / matrix_rate});
  // The busiest multiprocessor has whole groups.
  const double imbalance = std::ceil(r.groups / r.count) / (r.groups / r.count);
  const double at_work =
      r.busy() * r.group / double(device.info.subgroup_width) * std::max(1.0, r.sums);
  return shape.items * of_item * imbalance * (at_work + half_rate) / at_work;
}

}  // namespace

std::string_view to_string(TimeBound bound) {
  constexpr std::array<std::string_view, 5> names{"launch", "flops", "bandwidth", "cache",
                                                  "latency"};
  return names[std::size_t(bound)];
}

ModelledDevice modelled_device(const CompileOptions& options) {
  const Target& target = find_target(options.target);
  return {.info = options.device_info ? *options.device_info : target_info(options),
          .multiprocessors = multiprocessors_of(target, options.device)};
}

LaunchTime launch_time(const KernelWork& work, const LaunchShape& shape,
                       const ModelledDevice& device) {
  LaunchTime time{.seconds = device.info.launch_seconds};
  if (shape.items <= 0) return {};
  const Residence r(work, shape, device);
  double moved = 0, asked = 0;
  for (std::size_t b = 0; b < std::min(work.buffer_bytes.size(), shape.buffer_bytes.size()); ++b) {
    const double bytes = shape.items * double(work.buffer_bytes[b]) / items_counted;
    asked += bytes;
    moved += std::min(bytes, shape.buffer_bytes[b]);
  }
  const double bandwidth = device.info.bytes_per_second;
  double longest = 0;
  const auto part = [&](TimeBound bound, double seconds) {
    if (seconds > std::max(longest, device.info.launch_seconds)) time.bound = bound;
    longest = std::max(longest, seconds);
  };
  part(TimeBound::flops, compute_seconds(work, shape, r, device));
  part(TimeBound::bandwidth, moved / bandwidth);
  part(TimeBound::cache, asked / (cache_speed * bandwidth));
  part(TimeBound::latency, r.turns() * double(work.answers) * answer_seconds);
  time.seconds += longest;
  time.occupancy =
      std::min(r.at_once, r.groups / r.count) * r.group / double(device.multiprocessors.items);
  return time;
}

namespace {

constexpr int library_key = -1, copy_key = -2;

bool is_known(const KernelWork& work) {
  const auto is_unknown = [](std::int64_t count) { return count < 0; };
  return work != KernelWork{} && std::ranges::none_of(work.buffer_bytes, is_unknown) &&
         std::ranges::none_of(
             std::array{work.operations, work.f64_operations, work.matrix_flops, work.answers},
             is_unknown);
}

/// Walks a plan with the variables that a single shard starts with and those of first iterations.
class Estimator {
 public:
  Estimator(const Variant& variant, const ModelledDevice& device)
      : variant_(variant), device_(device), variables_(variant.plan.variables.size()) {
    for (const Placement& p : variant.plan.placements)
      if (p.end_variable >= 0) variables_[std::size_t(p.end_variable)] = p.size;
  }

  TimeEstimate run() {
    Found found = visit(variant_.plan.steps, 1);
    for (auto& [key, kernel] : found) {
      if (kernel.is_known) {
        estimate_.launches += kernel.launches;
        estimate_.seconds += kernel.seconds;
      }
      estimate_.kernels.push_back(std::move(kernel));
    }
    return std::move(estimate_);
  }

 private:
  /// By number of the kernel, in the order of first launches.
  using Found = std::vector<std::pair<int, KernelTime>>;

  static void add(Found& all, int key, const KernelTime& one) {
    const auto at = std::ranges::find(all, key, &Found::value_type::first);
    if (at == all.end()) {
      all.emplace_back(key, one);
      return;
    }
    KernelTime& sum = at->second;
    sum.launches += one.launches;
    sum.seconds += one.seconds;
    if (one.longest.seconds > sum.longest.seconds) sum.longest = one.longest;
  }
  static double seconds_of(const Found& found) {
    double sum = 0;
    for (const auto& [key, kernel] : found) sum += kernel.seconds;
    return sum;
  }

  Found visit(const Steps& steps, double times) {
    Found all;
    for (const Step& s : steps)
      for (const auto& [key, kernel] :
           std::visit([&](const auto& x) { return of(x, times); }, s.what))
        add(all, key, kernel);
    return all;
  }
  Found of(const Launch& x, double times) {
    const KernelEntry& entry = variant_.kernels[std::size_t(x.kernel)];
    LaunchShape shape{.items = value(x.global[0]) * value(x.global[1]) * value(x.global[2]),
                      .group = double(x.local[0])};
    if (shape.items <= 0) return {};
    for (const BufferRef& ref : x.buffers) shape.buffer_bytes.push_back(bytes_of(ref));
    KernelTime time{.name = entry.name, .launches = times, .is_known = is_known(entry.work)};
    if (time.is_known) time.longest = launch_time(entry.work, shape, device_);
    time.seconds = times * time.longest.seconds;
    return {{x.kernel, time}};
  }
  Found of(const Gemm& x, double times) {
    const double batch = value(x.batch), m = double(x.m), n = double(x.n), k = double(x.k);
    const double bytes = batch * (m * k + k * n + m * n) * double(byte_size(x.dtype));
    return simple(library_key, "products of the library", times,
                  {TimeBound::flops, 2 * batch * m * n * k / device_.info.flop_rate(x.dtype)},
                  {TimeBound::bandwidth, bytes / device_.info.bytes_per_second});
  }
  Found of(const Convolve& x, double times) {
    const double elements = double(x.source_count() + x.result_count() + x.weight_span());
    Found all =
        simple(library_key, "products of the library", times,
               {TimeBound::flops, 2 * x.multiply_adds() / device_.info.flop_rate(DType::f32)},
               {TimeBound::bandwidth,
                elements * double(byte_size(DType::f32)) / device_.info.bytes_per_second});
    for (const Launch& l : x.then)
      for (const auto& [key, kernel] : of(l, times)) add(all, key, kernel);
    return all;
  }
  Found of(const Copy& x, double times) {
    const Buffer& from = variant_.plan.buffers[std::size_t(x.from.buffer)];
    const double bytes = 2 * value(x.count) * double(byte_size(from.dtype));
    return simple(copy_key, "copies", times,
                  {TimeBound::bandwidth, bytes / device_.info.bytes_per_second}, {});
  }
  struct Part {
    TimeBound bound = TimeBound::launch;
    double seconds = 0;
  };
  [[nodiscard]] Found simple(int key, std::string name, double times, Part a, Part b) const {
    const double start = device_.info.launch_seconds;
    const Part longest = a.seconds < b.seconds ? b : a;
    const LaunchTime one{.seconds = start + longest.seconds,
                         .bound = longest.seconds > start ? longest.bound : TimeBound::launch};
    return {{key, KernelTime{.name = std::move(name),
                             .launches = times,
                             .seconds = times * one.seconds,
                             .longest = one}}};
  }
  Found of(const For& x, double times) {
    const double begin = value(x.begin), end = value(x.end);
    if (begin >= end) return {};
    variables_[std::size_t(x.variable)] = std::int64_t(begin);
    return visit(x.body, times * std::ceil((end - begin) / double(x.step)));
  }
  Found of(const While& x, double times) {
    estimate_.has_open_loops = true;
    Found all = visit(x.condition, times);
    for (const auto& [key, kernel] : visit(x.body, times)) add(all, key, kernel);
    return all;
  }
  Found of(const Case& x, double times) {
    Found longest;
    for (const Steps& branch : x.branches)
      if (Found found = visit(branch, times); seconds_of(found) > seconds_of(longest))
        longest = std::move(found);
    return longest;
  }
  template <class T>
  Found of(const T& /*collective or check*/, double /*times*/) {
    return {};
  }

  [[nodiscard]] double value(const HostExpr& e) const { return double(e.evaluate(variables_)); }
  [[nodiscard]] double bytes_of(const BufferRef& ref) const {
    const Buffer& buffer = variant_.plan.buffers[std::size_t(ref.buffer)];
    return std::max(0.0, value(buffer.count)) * double(byte_size(buffer.dtype));
  }

  const Variant& variant_;
  const ModelledDevice& device_;
  std::vector<std::int64_t> variables_;
  TimeEstimate estimate_;
};

template <class... T>
std::string formatted(const char* format, T... values) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

TimeEstimate estimate_time(const Variant& variant, const ModelledDevice& device) {
  return Estimator(variant, device).run();
}

std::string to_text(const TimeEstimate& estimate, const ModelledDevice& device) {
  constexpr double micro = 1e6;
  std::size_t width = 6;
  for (const KernelTime& k : estimate.kernels) width = std::max(width, k.name.size());
  const int column = int(std::min<std::size_t>(width, 80));
  std::string out = cat("time by the model, not measured, on ", device.info.name, " (",
                        device.info.source, ")\n");
  out += formatted("  %-*s %9s %11s %11s  %-9s %9s\n", column, "kernel", "launches", "us each",
                   "us in all", "bound by", "occupancy");
  std::size_t unknown = 0;
  for (const KernelTime& k : estimate.kernels) {
    if (!k.is_known) {
      ++unknown;
      out += formatted("  %-*s %9.0f  not known\n", column, k.name.c_str(), k.launches);
      continue;
    }
    out += formatted("  %-*s %9.0f %11.2f %11.2f  %-9s", column, k.name.c_str(), k.launches,
                     k.seconds / k.launches * micro, k.seconds * micro,
                     std::string(to_string(k.longest.bound)).c_str());
    out += k.longest.occupancy > 0 ? formatted(" %7.0f %%\n", k.longest.occupancy * 100) : "\n";
  }
  out += formatted("sum %.2f us in %.0f %s of one shard\n", estimate.seconds * micro,
                   estimate.launches, estimate.launches == 1 ? "launch" : "launches");
  if (unknown > 0) out += cat("without kernels whose work is not known: ", unknown, "\n");
  if (estimate.has_open_loops) out += "loops whose iterations are not known are counted once\n";
  return out;
}

}  // namespace partita::driver
