// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A table and a drawing of what `partita bench artifact` measured.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "tools/partita/bench/artifact.hpp"

namespace partita::tool {
namespace {

namespace json = boost::json;

/// Of a measurement's file, with the numbers that the table is made of.
struct Entry {
  json::object all;
  std::string name, results = "not checked";
  double kernels_s = 0;  ///< sum over kernels, by the device's clock; 0: unknown
  double alone_s = 0, queued_s = 0, spread = 0, launches = 0;
  double flops = 0, bytes = 0, peak_flops = 0;  ///< 0: unknown
};

double number(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? 0 : value->to_number<double>();
}

Entry read_entry(const std::string& path) {
  const auto bytes = read_file(path);
  try {
    Entry e{
        .all =
            json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).as_object()};
    e.name = e.all.at("name").as_string();
    if (const json::value* is_right = e.all.if_contains("is_right"))
      e.results = is_right->as_bool() ? "right" : "WRONG";
    if (const json::value* kernels = e.all.if_contains("kernels"))
      for (const json::value& kernel : kernels->as_array())
        e.kernels_s += number(kernel.as_object(), "seconds");
    e.alone_s = number(e.all, "alone_s");
    e.queued_s = number(e.all, "queued_s");
    e.spread = number(e.all, "queued_spread");
    e.launches = number(e.all, "launches");
    e.flops = number(e.all, "flops");
    e.bytes = number(e.all, "bytes");
    e.peak_flops = number(e.all, "peak_flops");
    if (e.queued_s > 0) return e;
  } catch (const std::exception&) {  // said below
  }
  throw_user_error("expected what bench artifact writes, found something else", {.file = path});
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

/// Three digits.
std::string short_number(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << value;
  return value >= 1000 ? fixed(value, 0) : text.str();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

std::string percent(double share) { return fixed(share * 100, 0) + " %"; }

/// Bytes a second of the copy that memory-bound kernels are held against: the fastest entry of a name that
/// begins with "copy"; 0 where none was measured.
double copy_rate(const std::vector<Entry>& entries) {
  double best = 0;
  for (const Entry& e : entries)
    if (e.name.starts_with("copy")) best = std::max(best, e.bytes / e.queued_s);
  return best;
}

/// What the device does of what it could: multiply-adds where the peak is known, else bytes; nothing: unknown.
std::optional<double> share(const Entry& e, double copy) {
  if (e.flops > 0 && e.peak_flops > 0) return e.flops / e.queued_s / e.peak_flops;
  if (e.bytes > 0 && copy > 0) return e.bytes / e.queued_s / copy;
  return std::nullopt;
}

void print_table(const std::vector<Entry>& entries, double copy) {
  constexpr double tera = 1e12, giga = 1e9;
  std::cout << "| program | alone, ms | queued, ms | kernels, ms | launches | TFLOP/s | of the "
               "peak | GB/s | of a "
               "copy | results |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Entry& e : entries) {
    const bool has_flops = e.flops > 0, has_bytes = e.bytes > 0;
    std::cout << "| " << e.name << " | " << short_number(e.alone_s * 1e3) << " | "
              << short_number(e.queued_s * 1e3) << " ± " << percent(e.spread) << " | "
              << (e.kernels_s > 0 ? short_number(e.kernels_s * 1e3) : "") << " | "
              << fixed(e.launches, 0) << " | "
              << (has_flops ? short_number(e.flops / e.queued_s / tera) : "") << " | "
              << (has_flops && e.peak_flops > 0 ? percent(*share(e, copy)) : "") << " | "
              << (has_bytes ? short_number(e.bytes / e.queued_s / giga) : "") << " | "
              << (has_bytes && copy > 0 ? percent(e.bytes / e.queued_s / copy) : "") << " | "
              << e.results << " |\n";
  }
}

/// Of programs of several kernels, those that take most.
void print_kernels(const std::vector<Entry>& entries) {
  constexpr std::size_t shown = 8;
  for (const Entry& e : entries) {
    if (e.kernels_s == 0 || e.all.at("kernels").as_array().size() < 2) continue;
    std::cout << "\nKernels of " << e.name << ":";
    std::size_t count = 0;
    for (const json::value& kernel : e.all.at("kernels").as_array()) {
      if (count++ == shown) break;
      const double seconds = number(kernel.as_object(), "seconds");
      std::cout << (count == 1 ? " " : ", ") << std::string_view(kernel.at("kernel").as_string())
                << " " << short_number(seconds * 1e3) << " ms (" << percent(seconds / e.kernels_s)
                << ")";
    }
    std::cout << ".\n";
  }
}

/// A bar for each entry whose share is known, the whole width being all that the device could do.
std::string bars_svg(const std::vector<Entry>& entries, double copy, const std::string& title) {
  constexpr int row = 22, left = 260, width = 480, top = 40;
  std::ostringstream bars;
  int count = 0;
  for (const Entry& e : entries) {
    const auto part = share(e, copy);
    if (!part) continue;
    const int y = top + row * count++;
    bars << "<text x=\"" << left - 8 << "\" y=\"" << y + 15 << "\" text-anchor=\"end\">"
         << escaped(e.name) << "</text>\n<rect x=\"" << left << "\" y=\"" << y + 3 << "\" width=\""
         << fixed(width * std::clamp(*part, 0.0, 1.0), 1) << "\" height=\"" << row - 6
         << "\" fill=\"" << (e.flops > 0 && e.peak_flops > 0 ? "#3b6ea5" : "#7a9a3c")
         << "\"/>\n<text x=\"" << left + width + 8 << "\" y=\"" << y + 15 << "\">" << percent(*part)
         << "</text>\n";
  }
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + width + 60 << "\" height=\""
      << top + row * count + 30 << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" y=\"22\" "
         "font-size=\"14\">"
      << escaped(title) << "</text>\n<line x1=\"" << left + width << "\" x2=\"" << left + width
      << "\" y1=\"" << top << "\" y2=\"" << top + row * count << "\" stroke=\"#999\"/>\n"
      << bars.str() << "<text x=\"" << left << "\" y=\"" << top + row * count + 18
      << "\">blue: operations, of the peak; green: bytes, of a copy's</text>\n</svg>\n";
  return svg.str();
}

}  // namespace

int bench_summary(const SummaryOptions& options) {
  std::vector<Entry> entries;
  for (const std::string& path : options.files) entries.push_back(read_entry(path));
  const double copy = copy_rate(entries);
  print_table(entries, copy);
  print_kernels(entries);
  if (!options.json.empty()) {
    json::array all;
    for (const Entry& e : entries) all.push_back(e.all);
    write_file(options.json, std::string_view(json::serialize(all) + "\n"));
  }
  if (!options.plot.empty())
    write_file(options.plot, std::string_view(bars_svg(entries, copy, options.title)));
  return 0;
}

}  // namespace partita::tool
