// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A drawing of values over numbers of ranks, as SVG.
#pragma once

#include <string>
#include <vector>

namespace partita::tool {

struct PlotPoint {
  int ranks = 1;
  double value = 0, low = 0, high = 0;  ///< of an interval, or the value
  bool is_hollow = false;
  bool is_simulated = false;  ///< a square instead of a circle
};
struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;
};

/// Ranks have places of equal width, values go from 0 up; a stroke is an interval.  `unit` is said once, with the title.
[[nodiscard]] std::string line_plot(const std::string& title, const std::string& unit,
                                    const std::vector<PlotLine>& lines);

/// With so many digits after the point.
[[nodiscard]] std::string fixed_text(double value, int digits);

}  // namespace partita::tool
