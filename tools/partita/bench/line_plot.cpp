// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/line_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

#include "partita/base/error.hpp"

namespace partita::tool {
namespace {

constexpr double left = 60, top = 34, width = 420, height = 200;
constexpr const char* colours[] = {"#1f6fb2", "#c8501e", "#3c8c40", "#7d4fa0", "#777777"};

/// 1, 2 or 5 times a power of ten, of which about four make the largest value.
double step_of(double largest) {
  const double rough = std::max(largest, 1e-300) / 4;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1, 2, 5})
    if (rough <= times * power) return times * power;
  return 10 * power;
}

class LinePlot {
 public:
  explicit LinePlot(const std::vector<PlotLine>& lines) : lines_(lines) {
    for (const PlotLine& line : lines)
      for (const PlotPoint& p : line.points) {
        ranks_.insert(p.ranks);
        largest_ = std::max({largest_, p.value, p.high});
      }
    step_ = step_of(largest_);
    largest_ = std::max(std::ceil(largest_ / step_), 1.0) * step_;
  }

  std::string draw(const std::string& title, const std::string& unit) {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + width + 170
         << "\" height=\"" << top + height + 50
         << "\" font-family=\"sans-serif\" font-size=\"12\">\n<text x=\"10\" y=\"18\" "
            "font-weight=\"bold\">"
         << title << (unit.empty() ? "" : ", ") << unit << "</text>\n";
    draw_axes();
    for (std::size_t k = 0; k < lines_.size(); ++k) draw_line(lines_[k], k);
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  [[nodiscard]] double x(int ranks) const {
    const auto place = double(std::distance(ranks_.begin(), ranks_.find(ranks)));
    return left + width * (place + 0.5) / double(ranks_.size());
  }
  [[nodiscard]] double y(double value) const { return top + height * (1 - value / largest_); }

  void draw_axes() {
    const int digits = std::max(0, int(-std::floor(std::log10(step_))));
    for (double value = 0; value <= largest_ * 1.001; value += step_)
      out_ << "<line x1=\"" << left << "\" x2=\"" << left + width << "\" y1=\"" << y(value)
           << "\" y2=\"" << y(value) << "\" stroke=\"#ddd\"/><text x=\"" << left - 6 << "\" y=\""
           << y(value) + 4 << "\" text-anchor=\"end\">" << fixed_text(value, digits) << "</text>\n";
    for (const int ranks : ranks_)
      out_ << "<text x=\"" << x(ranks) << "\" y=\"" << top + height + 18
           << "\" text-anchor=\"middle\">" << ranks << "</text>\n";
    out_ << "<text x=\"" << left + width / 2 << "\" y=\"" << top + height + 36
         << "\" text-anchor=\"middle\">ranks</text>\n";
  }

  /// The beginning of an element.
  [[nodiscard]] std::string marker(const PlotPoint& p) const {
    return p.is_simulated ? cat("<rect width=\"8\" height=\"8\" x=\"", x(p.ranks) - 4, "\" y=\"",
                                y(p.value) - 4, "\"")
                          : cat("<circle r=\"4\" cx=\"", x(p.ranks), "\" cy=\"", y(p.value), "\"");
  }

  void draw_line(const PlotLine& line, std::size_t number) {
    const char* const colour = colours[number % std::size(colours)];
    out_ << "<polyline fill=\"none\" stroke=\"" << colour << "\" points=\"";
    for (const PlotPoint& p : line.points) out_ << x(p.ranks) << "," << y(p.value) << " ";
    out_ << "\"/>\n";
    for (const PlotPoint& p : line.points)
      out_ << "<line stroke=\"" << colour << "\" stroke-width=\"2\" x1=\"" << x(p.ranks)
           << "\" x2=\"" << x(p.ranks) << "\" y1=\"" << y(p.low) << "\" y2=\"" << y(p.high)
           << "\"/>" << marker(p) << " stroke=\"" << colour << "\" fill=\""
           << (p.is_hollow ? "white" : colour) << "\"/>\n";
    const double at = top + 14 + 18 * double(number);
    out_ << "<circle r=\"4\" cx=\"" << left + width + 14 << "\" cy=\"" << at << "\" fill=\""
         << colour << "\"/><text x=\"" << left + width + 24 << "\" y=\"" << at + 4 << "\">"
         << line.name << "</text>\n";
  }

  const std::vector<PlotLine>& lines_;
  std::set<int> ranks_;
  double largest_ = 0, step_ = 1;
  std::ostringstream out_;
};

}  // namespace

std::string fixed_text(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string line_plot(const std::string& title, const std::string& unit,
                      const std::vector<PlotLine>& lines) {
  return LinePlot(lines).draw(title, unit);
}

}  // namespace partita::tool
