// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita bench rounds` says: a table, JSON, a drawing.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "tools/partita/bench/rounds.hpp"

namespace partita::tool {

namespace {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string milliseconds(double seconds) {
  return fixed(seconds * 1e3, seconds < 0.1 ? 2 : seconds < 1 ? 1 : 0);
}

std::string mebibytes(std::int64_t bytes) { return fixed(double(bytes) / (1 << 20), 1); }

std::string ratio_text(const Ratio& ratio) {
  return cat(fixed(ratio.value, 2), " [", fixed(ratio.interval.low, 2), ", ",
             fixed(ratio.interval.high, 2), "]");
}

// "0.31 + 0.02": until ready, and what the first round takes more.
std::string compile_text(const Side::Compiles& compiles) {
  if (compiles.ready_s.empty()) return "";
  return cat(fixed(median(compiles.ready_s), 2), " + ", fixed(median(compiles.late_s), 2));
}

void print_row(const std::vector<std::string>& cells) {
  constexpr int widths[] = {9, 16, 20, 12, 10, 14, 14};
  for (std::size_t i = 0; i < cells.size(); ++i)
    std::cout << (i == 0 ? std::left : std::right) << std::setw(widths[std::min<std::size_t>(i, 6)])
              << cells[i] << (i + 1 < cells.size() ? "  " : "\n");
}

boost::json::array numbers(const std::vector<double>& values) {
  return boost::json::array(values.begin(), values.end());
}

boost::json::object to_json(const Side::Compiles& compiles) {
  return {{"ready_s", numbers(compiles.ready_s)}, {"late_s", numbers(compiles.late_s)}};
}

boost::json::object to_json(const Ratio& ratio) {
  return {{"value", ratio.value}, {"low", ratio.interval.low}, {"high", ratio.interval.high}};
}

}  // namespace

Ratio ratio_of(const Side& a, const Side& b, std::uint64_t seed) {
  return {.value = median(a.turn_s) / median(b.turn_s),
          .interval = ratio_interval(a.turn_s, b.turn_s, seed)};
}

std::string machine_text() {
  std::ifstream processor("/proc/cpuinfo");
  std::string model = "unknown CPU";
  for (std::string line; std::getline(processor, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  double load[1] = {0};
  static_cast<void>(::getloadavg(load, 1));
  return cat(model, ", ", usable_cores().size(), " cores, load ", fixed(load[0], 1));
}

void print_sides(const RoundsOptions& options, const std::vector<Side>& sides) {
  const Side& own = sides.front();
  std::cout << options.name << ", " << options.clients << " clients, target " << options.target
            << ", " << options.turns << " turns of " << options.rounds_per_turn << " (seed "
            << options.seed << "); " << machine_text() << "\n";
  for (const Side& side : sides) {
    std::cout << side.name << ":";
    for (const auto& version : side.versions)
      std::cout << " " << std::string_view(version.key()) << " "
                << std::string_view(version.value().as_string());
    std::cout << "\n";
  }
  print_row(
      {"", "round, ms", "its ratio to ours", "growth, MiB", "peak, MiB", "compile, s", "warm"});
  for (const Side& side : sides)
    print_row(
        {side.name,
         cat(milliseconds(median(side.turn_s)), " ± ", fixed(spread(side.turn_s) * 100, 0), " %"),
         &side == &own ? "1" : ratio_text(ratio_of(side, own, options.seed)),
         mebibytes(side.growth_bytes), mebibytes(side.peak_bytes), compile_text(side.compiles),
         compile_text(side.warm_compiles)});
  for (const Side& side : sides)
    if (!side.departure.empty())
      std::cout << "FAILED: results of " << side.name << ": " << side.departure << "\n";
    else if (side.has_outputs)
      std::cout << "results of " << side.name << " are those of JAX within " << options.absolute
                << " + " << options.relative << " of each\n";
}

std::string sides_json(const RoundsOptions& options, const std::vector<Side>& sides) {
  boost::json::array all;
  for (const Side& side : sides)
    all.push_back(
        boost::json::object{{"name", side.name},
                            {"versions", side.versions},
                            {"turn_s", numbers(side.turn_s)},
                            {"median_s", median(side.turn_s)},
                            {"spread", spread(side.turn_s)},
                            {"ratio_to_ours", to_json(ratio_of(side, sides.front(), options.seed))},
                            {"ours_to_it", to_json(ratio_of(sides.front(), side, options.seed))},
                            {"growth_bytes", side.growth_bytes},
                            {"peak_bytes", side.peak_bytes},
                            {"trace_s", side.trace_s},
                            {"compile", to_json(side.compiles)},
                            {"warm_compile", to_json(side.warm_compiles)},
                            {"departure", side.departure}});
  const boost::json::object json{{"case", options.name},
                                 {"clients", options.clients},
                                 {"target", options.target},
                                 {"layout", options.layout},
                                 {"turns", options.turns},
                                 {"rounds_per_turn", options.rounds_per_turn},
                                 {"seed", options.seed},
                                 {"machine", machine_text()},
                                 {"sides", all}};
  return boost::json::serialize(json) + "\n";
}

// A row per side: a dot per turn, a stroke at the median, seconds from 0 on the right.
std::string sides_svg(const RoundsOptions& options, const std::vector<Side>& sides) {
  constexpr int row = 36, left = 90, width = 620, top = 40;
  double longest = 0;
  for (const Side& side : sides)
    for (const double s : side.turn_s) longest = std::max(longest, s);
  const auto x = [&](double s) { return fixed(left + width * s / longest, 1); };
  const int height = top + row * int(sides.size());
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + width + 170
      << "\" height=\"" << height + 40 << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\">"
      << options.name << ", " << options.clients << " clients, target " << options.target
      << ": seconds per round</text>\n";
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& side = sides[i];
    const int y = top + row * int(i) + row / 2;
    const double middle = median(side.turn_s);
    svg << "<text x=\"10\" y=\"" << y + 4 << "\">" << side.name << "</text>\n<line x1=\"" << left
        << "\" x2=\"" << left + width << "\" y1=\"" << y << "\" y2=\"" << y
        << "\" stroke=\"#ccc\"/>\n";
    for (const double s : side.turn_s)
      svg << "<circle cx=\"" << x(s) << "\" cy=\"" << y
          << "\" r=\"4\" fill=\"#27a\" fill-opacity=\"0.5\"/>\n";
    svg << "<line x1=\"" << x(middle) << "\" x2=\"" << x(middle) << "\" y1=\"" << y - 12
        << "\" y2=\"" << y + 12 << "\" stroke=\"#c22\" stroke-width=\"2\"/>\n<text x=\""
        << left + width + 10 << "\" y=\"" << y + 4 << "\">" << fixed(middle, 4) << " s";
    if (i > 0) svg << ", ×" << fixed(middle / median(sides.front().turn_s), 2);
    svg << "</text>\n";
  }
  svg << "<text x=\"" << left << "\" y=\"" << height + 20 << "\">0</text>\n<text x=\""
      << left + width << "\" y=\"" << height + 20 << "\" text-anchor=\"end\">" << fixed(longest, 3)
      << " s</text>\n</svg>\n";
  return svg.str();
}

}  // namespace partita::tool
