// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/passes/pass_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::testing {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

void read_directive(PassCase& c, const std::string& key, const std::string& value) {
  std::istringstream words(value);
  if (key == "passes") {
    c.passes = value;
  } else if (key == "placement") {
    for (std::string item; words >> item;) {
      const auto equals = item.find('=');
      c.context.placements[item.substr(0, equals)] = std::stoll(item.substr(equals + 1));
    }
  } else if (key == "layout") {
    c.context.layout = value;
  } else if (key == "count") {
    std::string op;
    int n = 0;
    words >> op >> n;
    c.counts.emplace_back(op, n);
  } else if (key == "remark" && value == "none") {
    c.is_unremarked = true;
  } else if (key == "remark") {
    c.remarks.push_back(value);
  } else if (key == "refused") {
    c.refused = value;
  } else if (key == "run-refused") {
    c.run_refused = value;
  } else if (key.starts_with("input ")) {
    auto& values = c.inputs[std::stoi(key.substr(6))];
    for (std::string word; words >> word;) values.push_back(std::stod(word));
  } else {
    throw std::runtime_error("unknown directive '" + key + "'");
  }
}

/// Directives look like "// key: value", with keys of lower-case letters, digits, '-' and one space.
bool is_directive(const std::string& line, std::string& key, std::string& value) {
  if (!line.starts_with("// ")) return false;
  const auto colon = line.find(':');
  if (colon == std::string::npos) return false;
  key = line.substr(3, colon - 3);
  if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789- ") != std::string::npos)
    return false;
  if (key.find(' ') != std::string::npos && !key.starts_with("input ")) return false;
  value = trimmed(line.substr(colon + 1));
  return true;
}

struct Tolerance {
  double absolute = 0, relative = 0;
};
Tolerance tolerance_of(DType d) {
  switch (d) {
    case DType::f64:
      return {1e-10, 1e-10};
    case DType::f16:
      return {1e-3, 1e-3};
    case DType::bf16:
      return {1e-2, 1e-2};
    default:
      return is_float(d) || is_complex(d) ? Tolerance{1e-5, 1e-4} : Tolerance{};
  }
}

}  // namespace

PassCase read_case(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  PassCase c;
  bool in_expected = false;
  for (std::string line; std::getline(in, line);) {
    std::string key, value;
    if (line.starts_with("// expect:")) {
      in_expected = true;
    } else if (is_directive(line, key, value)) {
      read_directive(c, key, value);
    } else {
      (in_expected ? c.expected : c.program) += line + "\n";
    }
  }
  if (c.passes.empty()) throw std::runtime_error(path.string() + ": no directive 'passes'");
  return c;
}

void expect_refusal(const std::function<void()>& work, const std::string& part) {
  try {
    work();
    ADD_FAILURE() << "expected the error '" << part << "', found none";
  } catch (const Error& e) {
    EXPECT_EQ(int(e.kind()), int(ErrorKind::user)) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
        << "expected '" << part << "', found '" << e.what() << "'";
  }
}

std::vector<std::filesystem::path> cases_in(const std::filesystem::path& folder,
                                            const std::string& ending) {
  std::vector<std::filesystem::path> all;
  if (!std::filesystem::is_directory(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ending) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

HostArray random_array(const Type& type, std::mt19937& random) {
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  for (std::int64_t i = 0; i < type.count(); ++i)
    wide.data<DType::f64>()[i] = is_float(type.dtype)
                                     ? std::uniform_real_distribution<double>(-2, 2)(random)
                                     : double(random() % (type.dtype == DType::i1 ? 2 : 4));
  return convert(wide, type.dtype);
}

std::vector<ir::Tensor> random_inputs(const ir::Function& f,
                                      const std::map<int, std::vector<double>>& given) {
  return random_inputs(f.argument_types(), given);
}

std::vector<ir::Tensor> random_inputs(const std::vector<Type>& types,
                                      const std::map<int, std::vector<double>>& given) {
  std::mt19937 random(7);
  std::vector<ir::Tensor> inputs;
  for (const Type& type : types) {
    const auto it = given.find(int(inputs.size()));
    if (it == given.end()) {
      inputs.push_back(std::make_shared<const HostArray>(random_array(type, random)));
      continue;
    }
    HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
    for (std::int64_t i = 0; i < type.count(); ++i)
      wide.data<DType::f64>()[i] = it->second.at(std::size_t(i) % it->second.size());
    inputs.push_back(std::make_shared<const HostArray>(convert(wide, type.dtype)));
  }
  return inputs;
}

std::string difference(const HostArray& found, const HostArray& expected, double scale) {
  if (found.type != expected.type)
    return cat("expected type ", to_string(expected.type), ", found ", to_string(found.type));
  const Tolerance t = tolerance_of(expected.type.dtype);
  if (is_complex(expected.type.dtype))
    return found.bytes == expected.bytes ? "" : "complex values differ";
  if (t.absolute == 0) {
    if (found.bytes == expected.bytes) return "";
  }
  const HostArray a = convert(found, DType::f64), b = convert(expected, DType::f64);
  for (std::int64_t i = 0; i < a.type.count(); ++i) {
    const double x = a.data<DType::f64>()[i], y = b.data<DType::f64>()[i];
    if ((std::isnan(x) && std::isnan(y)) || x == y) continue;
    if (!(std::abs(x - y) <= scale * (t.absolute + t.relative * std::abs(y))))
      return cat("element ", i, ": expected ", y, ", found ", x);
  }
  return "";
}

std::map<std::string, int> count_ops(const ir::Module& module) {
  std::map<std::string, int> counts;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](ir::Node& node) { ++counts[std::string(node.name())]; });
  return counts;
}

}  // namespace partita::testing
