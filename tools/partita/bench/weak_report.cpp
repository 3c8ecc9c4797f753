// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita bench weak-scaling` says: a table, JSON, CSV, a page.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "tools/partita/bench/line_plot.hpp"
#include "tools/partita/bench/rounds.hpp"
#include "tools/partita/bench/weak_scaling.hpp"

namespace partita::tool {
namespace {

boost::json::object to_json(const Measure& m) {
  return {{"turn_s", boost::json::array(m.turn_s.begin(), m.turn_s.end())},
          {"median_s", median(m.turn_s)},
          {"spread", spread(m.turn_s)},
          {"communicated_bytes", m.communicated_bytes},
          {"collective_calls", m.collective_calls},
          {"held_bytes", m.held_bytes}};
}

Measure measure_from(const boost::json::object& json) {
  Measure m;
  for (const boost::json::value& s : json.at("turn_s").as_array())
    m.turn_s.push_back(s.to_number<double>());
  const auto number = [&](const char* key) { return json.at(key).to_number<std::int64_t>(); };
  m.communicated_bytes = number("communicated_bytes");
  m.collective_calls = number("collective_calls");
  m.held_bytes = number("held_bytes");
  return m;
}

/// A hash of this program and the project's libraries that it runs with.
std::string build_identity() {
  std::set<std::string> files{std::filesystem::read_symlink("/proc/self/exe")};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto path = line.find('/'); path != std::string::npos)
      if (std::filesystem::path(line.substr(path)).filename().string().starts_with("libpartita"))
        files.insert(line.substr(path));
  Hasher hash;
  for (const std::string& file : files) hash.add(read_file(file));
  return hash.hex();
}

/// What rows have to have in common with those of another run.
boost::json::object conditions(const WeakScalingOptions& options) {
  std::string machine = machine_text();
  machine = machine.substr(0, machine.find(", load"));
  return {{"target", options.target},
          {"turns", options.turns},
          {"machine", machine},
          {"build", build_identity()}};
}

Interval gain_interval(const WeakScalingOptions& options, const ScalingRow& row) {
  return ratio_interval(row.alone.turn_s, row.job.turn_s, options.seed);
}

/// A column of the table and of the CSV.
struct Column {
  const char* name;
  std::function<std::string(const ScalingRow&)> text;
};

std::vector<Column> columns(const WeakScalingOptions& options) {
  const auto seconds = [](const Measure& m) {
    return m.turn_s.empty() ? std::string() : fixed_text(median(m.turn_s) * 1e3, 3);
  };
  const auto part = [&options](bool is_low) {
    return [&options, is_low](const ScalingRow& r) {
      const Interval i = gain_interval(options, r);
      return fixed_text(is_low ? i.low : i.high, 3);
    };
  };
  return {
      {"model", [](const ScalingRow& r) { return r.model; }},
      {"kind", [](const ScalingRow& r) { return r.kind; }},
      {"ranks", [](const ScalingRow& r) { return cat(r.ranks, r.is_oversubscribed ? "*" : ""); }},
      {"clients", [](const ScalingRow& r) { return cat(r.clients); }},
      {"job_ms", [=](const ScalingRow& r) { return seconds(r.job); }},
      {"alone_ms", [=](const ScalingRow& r) { return seconds(r.alone); }},
      {"whole_ms", [=](const ScalingRow& r) { return seconds(r.whole); }},
      {"propagated_ms", [=](const ScalingRow& r) { return seconds(r.propagated); }},
      {"gain", [](const ScalingRow& r) { return fixed_text(r.gain(), 3); }},
      {"gain_low", part(true)},
      {"gain_high", part(false)},
      {"sent_bytes", [](const ScalingRow& r) { return cat(r.job.communicated_bytes); }},
      {"collectives", [](const ScalingRow& r) { return cat(r.job.collective_calls); }},
      {"held_bytes", [](const ScalingRow& r) { return cat(r.job.held_bytes); }},
      {"whole_held_bytes",
       [](const ScalingRow& r) {
         return r.whole.turn_s.empty() ? std::string() : cat(r.whole.held_bytes);
       }},
      {"propagated_held_bytes",
       [](const ScalingRow& r) {
         return r.propagated.turn_s.empty() ? std::string() : cat(r.propagated.held_bytes);
       }},
      {"propagated_collectives",
       [](const ScalingRow& r) {
         return r.propagated.turn_s.empty() ? std::string() : cat(r.propagated.collective_calls);
       }},
  };
}

constexpr const char* explanation =
    "job: one job on all ranks. alone: weak: as many processes of one rank's clients, without "
    "communication; strong: one "
    "process of all clients. whole: as many processes that each hold all clients. propagated: one "
    "job of the round compiled "
    "without placements, "
    "clients a dimension of whole arrays that a mesh of all ranks cuts. gain: alone over "
    "job, the efficiency of weak "
    "and the speed-up of strong scaling, with its 95 % bootstrap interval. Times are medians over "
    "turns, by turns, from "
    "the request to the last rank's answer. held_bytes: of one rank. *: more ranks than cores.";

std::string turns_text(const WeakScalingOptions& options) {
  const int every = options.turns_between_ablations();
  const std::string part =
      every == 1 ? "" : cat(", of which whole and propagated take part in one of ", every);
  return cat(options.turns, " turns", part);
}

using Value = std::function<PlotPoint(const ScalingRow&)>;

PlotLine line_of(const std::vector<ScalingRow>& rows, const std::string& name,
                 const std::function<bool(const ScalingRow&)>& is_in, const Value& value) {
  PlotLine line{.name = name, .points = {}};
  for (const ScalingRow& row : rows) {
    if (!is_in(row)) continue;
    PlotPoint p = value(row);
    p.ranks = row.ranks;
    p.is_hollow = row.is_oversubscribed;
    line.points.push_back(p);
  }
  return line;
}

PlotPoint point(double value) { return {.value = value, .low = value, .high = value}; }

/// Around the median, half of the turns.
PlotPoint times_of(const Measure& m) {
  const double middle = median(m.turn_s) * 1e3, half = spread(m.turn_s) * middle;
  return {.value = middle, .low = middle - half, .high = middle + half};
}

/// Rows of a model by their clients of each rank (weak) or of all (strong).
struct Series {
  std::string name;
  std::function<bool(const ScalingRow&)> is_in;
};
std::vector<Series> series_of(const std::vector<ScalingRow>& rows, const std::string& kind) {
  std::vector<Series> all;
  std::set<std::string> seen;
  const auto name_of = [](const ScalingRow& r) {
    return r.kind == "weak" ? cat(r.model, ", ", r.clients / r.ranks, " clients a rank")
                            : cat(r.model, ", ", r.clients, " clients");
  };
  for (const ScalingRow& row : rows)
    if (row.kind == kind && seen.insert(name_of(row)).second)
      all.push_back({name_of(row), [name = name_of(row), kind, name_of](const ScalingRow& r) {
                       return r.kind == kind && name_of(r) == name;
                     }});
  return all;
}

std::string plots(const WeakScalingOptions& options, const std::vector<ScalingRow>& rows) {
  const auto gain = [&](const ScalingRow& r) {
    const Interval i = gain_interval(options, r);
    return PlotPoint{.value = r.gain(), .low = i.low, .high = i.high};
  };
  std::string text;
  for (const auto& [kind, title] : {std::pair("weak", "Efficiency of weak scaling"),
                                    std::pair("strong", "Speed-up of strong scaling")}) {
    std::vector<PlotLine> lines;
    for (const Series& s : series_of(rows, kind))
      lines.push_back(line_of(rows, s.name, s.is_in, gain));
    if (!lines.empty()) text += line_plot(title, "", lines);
  }
  for (const Series& s : series_of(rows, "weak")) {
    const auto line = [&](const char* name, const Value& value) {
      return line_of(rows, name, s.is_in, value);
    };
    text +=
        line_plot(cat("Round of ", s.name), "ms",
                  {line("job", [](const ScalingRow& r) { return times_of(r.job); }),
                   line("alone", [](const ScalingRow& r) { return times_of(r.alone); }),
                   line("whole", [](const ScalingRow& r) { return times_of(r.whole); }),
                   line("propagated", [](const ScalingRow& r) { return times_of(r.propagated); })});
    constexpr double mib = 1 << 20;
    text += line_plot(
        cat("Bytes of ", s.name), "MiB",
        {line("held by a rank",
              [](const ScalingRow& r) { return point(double(r.job.held_bytes) / mib); }),
         line("sent in a round",
              [](const ScalingRow& r) { return point(double(r.job.communicated_bytes) / mib); }),
         line("held, whole",
              [](const ScalingRow& r) { return point(double(r.whole.held_bytes) / mib); }),
         line("held, propagated",
              [](const ScalingRow& r) { return point(double(r.propagated.held_bytes) / mib); })});
  }
  return text;
}

std::string planned_text(const PlannedRow& row) {
  constexpr double gib = 1 << 30;
  return cat(row.model, ", ", row.clients, " clients, each model on ", row.shards,
             row.shards == 1 ? " device: " : " devices: ", fixed_text(double(row.bytes) / gib, 2),
             " GiB on each, ", row.collectives,
             row.collectives == 1 ? " collective" : " collectives");
}

std::string planned_html(const std::vector<PlannedRow>& planned) {
  if (planned.empty()) return {};
  std::string list;
  for (const PlannedRow& row : planned) list += cat("<li>", planned_text(row), "</li>\n");
  return cat(
      "<h2>Planned only</h2>\n<p>Rounds that this machine does not hold: bytes by the plan of one "
      "device that has "
      "all clients, one at a time; nothing was run.</p>\n<ul>\n",
      list, "</ul>\n");
}

constexpr const char* simulation_text =
    "Not measured: a model of the messages. What a rank computes is drawn from the turns of one "
    "rank here, what messages cost a processor was measured on two ranks, links are assumed. "
    "Efficiency: the median of one rank over a round; (even): where all ranks compute as long as "
    "that median.";

std::string simulated_line(const SimulatedPoint& p) {
  return cat(p.model, ", ", p.link, ", ", p.ranks, " ranks: ", fixed_text(p.round_s * 1e3, 2),
             " ms, efficiency ", fixed_text(p.compute_s / p.round_s, 3), " (even ",
             fixed_text(p.compute_s / p.even_s, 3), ")");
}

std::string check_line(const SimulationCheck& c) {
  return cat(c.model, ", ", c.link, ", ", c.ranks, " ranks: ", fixed_text(c.measured_s * 1e3, 2),
             " ms measured, ", fixed_text(c.simulated_s * 1e3, 2), " ms by the model, ratio ",
             fixed_text(c.simulated_s / c.measured_s, 3));
}

std::string simulated_html(const Simulation& simulation) {
  if (simulation.points.empty()) return {};
  std::string text =
      cat("<h2>Simulated</h2>\n<p>", simulation_text, " Squares are simulated.</p>\n");
  for (const LinkModel& link : simulated_links()) {
    std::vector<PlotLine> lines;
    for (const SimulatedPoint& p : simulation.points) {
      if (p.link != link.name) continue;
      for (const bool is_even : {false, true}) {
        const std::string name = cat(p.model, is_even ? " (even)" : "");
        auto line = std::ranges::find(lines, name, &PlotLine::name);
        if (line == lines.end()) line = lines.insert(lines.end(), {.name = name, .points = {}});
        const auto efficiency = [&](double round_s) { return p.compute_s / round_s; };
        line->points.push_back({.ranks = p.ranks,
                                .value = efficiency(is_even ? p.even_s : p.round_s),
                                .low = efficiency(is_even ? p.even_s : p.high_s),
                                .high = efficiency(is_even ? p.even_s : p.low_s),
                                .is_hollow = is_even,
                                .is_simulated = true});
      }
    }
    text += line_plot(cat("Simulated efficiency, ", link.name), "", lines);
  }
  text +=
      "<p>Checked against ranks that sleep instead of computing, over emulated links:</p>\n<ul>\n";
  for (const SimulationCheck& c : simulation.checks) text += cat("<li>", check_line(c), "</li>\n");
  return text + "</ul>\n";
}

boost::json::object to_json(const Simulation& simulation) {
  boost::json::array points, checks;
  for (const SimulatedPoint& p : simulation.points)
    points.push_back({{"model", p.model},
                      {"link", p.link},
                      {"ranks", p.ranks},
                      {"round_s", p.round_s},
                      {"low_s", p.low_s},
                      {"high_s", p.high_s},
                      {"even_s", p.even_s},
                      {"compute_s", p.compute_s}});
  for (const SimulationCheck& c : simulation.checks)
    checks.push_back({{"model", c.model},
                      {"link", c.link},
                      {"ranks", c.ranks},
                      {"measured_s", c.measured_s},
                      {"simulated_s", c.simulated_s}});
  return {{"message_s", simulation.host.message_s},
          {"combined_s_per_byte", simulation.host.combined_s},
          {"copied_s_per_byte", simulation.host.copied_s},
          {"points", points},
          {"checks", checks}};
}

}  // namespace

std::string scaling_json(const WeakScalingOptions& options, const ScalingResults& results) {
  boost::json::array all, planned;
  for (const ScalingRow& row : results.rows) {
    const Interval interval = gain_interval(options, row);
    boost::json::object json{{"model", row.model},
                             {"kind", row.kind},
                             {"ranks", row.ranks},
                             {"clients", row.clients},
                             {"oversubscribed", row.is_oversubscribed},
                             {"gain", row.gain()},
                             {"gain_low", interval.low},
                             {"gain_high", interval.high},
                             {"job", to_json(row.job)},
                             {"alone", to_json(row.alone)}};
    if (!row.whole.turn_s.empty()) json["whole"] = to_json(row.whole);
    if (!row.propagated.turn_s.empty()) json["propagated"] = to_json(row.propagated);
    all.push_back(std::move(json));
  }
  for (const PlannedRow& row : results.planned)
    planned.push_back({{"model", row.model},
                       {"model_shards", row.shards},
                       {"clients", row.clients},
                       {"planned_bytes", row.bytes},
                       {"collectives", row.collectives}});
  boost::json::object json{
      {"conditions", conditions(options)}, {"rows", all}, {"planned", planned}};
  if (!results.simulation.points.empty()) json["simulated"] = to_json(results.simulation);
  return boost::json::serialize(json) + "\n";
}

std::vector<ScalingRow> read_scaling_rows(const WeakScalingOptions& options,
                                          const std::string& json) {
  std::vector<ScalingRow> rows;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(json, error);
  try {
    if (error || parsed.at("conditions").as_object() != conditions(options)) return rows;
    for (const boost::json::value& value : parsed.at("rows").as_array()) {
      const boost::json::object& r = value.as_object();
      rows.push_back(
          {.model = std::string(r.at("model").as_string()),
           .kind = std::string(r.at("kind").as_string()),
           .ranks = r.at("ranks").to_number<int>(),
           .clients = r.at("clients").to_number<std::int64_t>(),
           .is_oversubscribed = r.at("oversubscribed").as_bool(),
           .job = measure_from(r.at("job").as_object()),
           .alone = measure_from(r.at("alone").as_object()),
           .whole = r.contains("whole") ? measure_from(r.at("whole").as_object()) : Measure{},
           .propagated = r.contains("propagated") ? measure_from(r.at("propagated").as_object())
                                                  : Measure{}});
    }
  } catch (const std::exception&) {
    return {};  // not what this command writes
  }
  return rows;
}

std::string scaling_csv(const WeakScalingOptions& options, const std::vector<ScalingRow>& rows) {
  std::string text;
  const std::vector<Column> all = columns(options);
  for (const Column& c : all) text += cat(text.empty() ? "" : ",", c.name);
  for (const ScalingRow& row : rows) {
    std::string line;
    for (const Column& c : all) line += cat(&c == all.data() ? "" : ",", c.text(row));
    text += cat("\n", line);
  }
  return text + "\n";
}

std::string scaling_html(const WeakScalingOptions& options, const ScalingResults& results) {
  std::string table = "<tr>";
  const std::vector<Column> all = columns(options);
  for (const Column& c : all) table += cat("<th>", c.name, "</th>");
  table += "</tr>\n";
  for (const ScalingRow& row : results.rows) {
    table += "<tr>";
    for (const Column& c : all) table += cat("<td>", c.text(row), "</td>");
    table += "</tr>\n";
  }
  return cat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Weak "
      "scaling</title>\n<style>body{font-family:sans-serif;max-width:1420px;margin:2em auto}"
      "div{overflow-x:auto}table{border-collapse:collapse;font-size:11px}td,th{border:1px solid "
      "#ccc;padding:3px 8px;text-align:right}svg{margin:8px}</style></head>\n<body>\n<h1>Weak "
      "scaling</h1>\n<p>",
      machine_text(), ", target ", options.target, ", ", turns_text(options),
      ". Hollow points have more ranks than cores.</p>\n<p>", explanation, "</p>\n",
      plots(options, results.rows), "<div><table>\n", table, "</table></div>\n",
      planned_html(results.planned), simulated_html(results.simulation), "</body></html>\n");
}

void print_scaling(const WeakScalingOptions& options, const ScalingResults& results) {
  const std::vector<ScalingRow>& rows = results.rows;
  const std::vector<Column> all = columns(options);
  std::vector<std::size_t> widths;
  for (const Column& c : all) {
    std::size_t width = std::string_view(c.name).size();
    for (const ScalingRow& row : rows) width = std::max(width, c.text(row).size());
    widths.push_back(width);
  }
  const auto line = [&](const std::function<std::string(const Column&)>& text) {
    for (std::size_t k = 0; k < all.size(); ++k)
      std::cout << (k == 0 ? "" : "  ") << std::setw(int(widths[k])) << text(all[k]);
    std::cout << "\n";
  };
  line([](const Column& c) { return std::string(c.name); });
  for (const ScalingRow& row : rows) line([&](const Column& c) { return c.text(row); });
  std::cout << explanation << "\n";
  for (const PlannedRow& row : results.planned)
    std::cout << "planned only: " << planned_text(row) << "\n";
  for (const SimulatedPoint& p : results.simulation.points)
    std::cout << "simulated: " << simulated_line(p) << "\n";
  for (const SimulationCheck& c : results.simulation.checks)
    std::cout << "check of the simulation: " << check_line(c) << "\n";
}

}  // namespace partita::tool
