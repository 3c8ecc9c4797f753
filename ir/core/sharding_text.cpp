// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/sharding.hpp"

#include <algorithm>
#include <tuple>

#include "ir/core/sharding_scanner.hpp"
#include "partita/base/error.hpp"

namespace partita::ir {

namespace {

// <["x"=2, "y"=4], device_ids=[0, 2]>
Mesh read_mesh(ShardingScanner& in) {
  Mesh mesh;
  in.expect("<");
  in.expect("[");
  if (!in.eat("]")) {
    do {
      std::string name = in.quoted();
      in.expect("=");
      mesh.axes.push_back({std::move(name), in.number()});
    } while (in.eat(","));
    in.expect("]");
  }
  if (in.eat(",")) {
    in.expect("device_ids");
    in.expect("=");
    mesh.device_ids = in.numbers("[", "]");
  }
  in.expect(">");
  if (mesh.axes.empty()) return mesh;  // of one device, whichever it is
  const std::int64_t size = mesh.size();
  I64s ids = mesh.device_ids;
  std::ranges::sort(ids);
  bool is_permutation = ids.empty() || std::ssize(ids) == size;
  for (std::size_t k = 0; k < ids.size(); ++k)
    is_permutation = is_permutation && ids[k] == std::int64_t(k);
  if (!is_permutation) in.fail(cat("device_ids that are a permutation of 0 to ", size - 1));
  return mesh;
}

DimSharding read_axes(ShardingScanner& in) {
  DimSharding dim;
  in.expect("{");
  if (in.eat("}")) return dim;
  do {
    if (in.eat("?")) {
      dim.is_open = true;
      break;
    }
    AxisRef axis{.name = in.quoted()};
    if (in.eat(":")) std::tie(axis.pre, axis.size) = in.part();
    dim.axes.push_back(std::move(axis));
  } while (in.eat(","));
  in.expect("}");
  return dim;
}

Sharding read_sharding(ShardingScanner& in) {
  Sharding sharding;
  in.expect("<");
  if (in.at("@")) {
    sharding.mesh = in.symbol();
  } else {
    in.expect("mesh");
    sharding.inner = read_mesh(in);
  }
  in.expect(",");
  in.expect("[");
  if (!in.eat("]")) {
    do {
      sharding.dims.push_back(read_axes(in));
      if (in.eat("p")) sharding.dims.back().priority = in.number();
    } while (in.eat(","));
    in.expect("]");
  }
  while (in.eat(",")) {
    const std::string name = in.word();
    if (name != "replicated" && name != "unreduced") in.fail("replicated or unreduced");
    in.expect("=");
    (name == "unreduced" ? sharding.unreduced : sharding.replicated) = read_axes(in).axes;
  }
  in.expect(">");
  return sharding;
}

}  // namespace

Mesh parse_mesh(std::string_view text) {
  ShardingScanner in(text);
  Mesh mesh = read_mesh(in);
  if (mesh.axes.empty()) mesh.device_ids.clear();
  return mesh;
}

Sharding parse_sharding(std::string_view text) {
  ShardingScanner in(text);
  in.eat("#sdy.sharding");
  Sharding sharding = read_sharding(in);
  in.expect_end();
  return sharding;
}

std::vector<Sharding> parse_shardings(std::string_view text) {
  ShardingScanner in(text);
  in.expect("#sdy.sharding_per_value");
  in.expect("<");
  in.expect("[");
  std::vector<Sharding> all;
  if (!in.eat("]")) {
    do {
      in.eat("#sdy.sharding");
      all.push_back(read_sharding(in));
    } while (in.eat(","));
    in.expect("]");
  }
  in.expect(">");
  in.expect_end();
  return all;
}

ManualAxes parse_manual_axes(std::string_view text) {
  ShardingScanner in(text);
  in.expect("#sdy");
  in.expect("<");
  in.expect("manual_axes");
  in.expect("{");
  ManualAxes axes;
  if (!in.eat("}")) {
    do axes.names.push_back(in.quoted());
    while (in.eat(","));
    in.expect("}");
  }
  in.expect(">");
  in.expect_end();
  return axes;
}

std::optional<Attribute> parse_sharding_attribute(std::string_view text) {
  const auto is = [&](std::string_view head) {
    if (!text.starts_with(head)) return false;
    const std::size_t next = text.find_first_not_of(" \n\t", head.size());
    return next != std::string_view::npos && text[next] == '<';
  };
  if (is("#sdy.sharding")) return to_attribute(parse_sharding(text));
  if (is("#sdy.sharding_per_value")) return to_attribute(parse_shardings(text));
  if (text.starts_with("#sdy<manual_axes")) return Attribute(parse_manual_axes(text));
  return std::nullopt;
}

namespace {

/// In quotes where it is no bare name.
std::string symbol_text(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool is_bare =
      !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '.';
      });
  return is_bare ? cat("@", name) : cat("@\"", name, "\"");
}

std::string axes_text(const std::vector<AxisRef>& axes) {
  std::string text;
  for (const AxisRef& axis : axes) {
    text += cat(text.empty() ? "" : ", ", "\"", axis.name, "\"");
    if (axis.size != 0) text += cat(":(", axis.pre, ")", axis.size);
  }
  return text;
}

}  // namespace

std::string to_text(const Mesh& mesh) {
  std::string axes, ids;
  for (const MeshAxis& axis : mesh.axes)
    axes += cat(axes.empty() ? "" : ", ", "\"", axis.name, "\"=", axis.size);
  for (const std::int64_t id : mesh.device_ids) ids += cat(ids.empty() ? "" : ", ", id);
  return cat("<[", axes, "]", ids.empty() ? "" : cat(", device_ids=[", ids, "]"), ">");
}

namespace {

/// What stands between the angle brackets, with these.
std::string enclosed_text(const Sharding& sharding) {
  std::string dims;
  for (const DimSharding& dim : sharding.dims) {
    const std::string axes = axes_text(dim.axes);
    dims += cat(dims.empty() ? "" : ", ", "{", axes, dim.is_open && !axes.empty() ? ", " : "",
                dim.is_open ? "?" : "", "}", dim.priority ? cat("p", *dim.priority) : "");
  }
  const auto list = [](const char* name, const std::vector<AxisRef>& axes) {
    return axes.empty() ? std::string() : cat(", ", name, "={", axes_text(axes), "}");
  };
  return cat("<",
             sharding.inner ? cat("mesh", to_text(*sharding.inner)) : symbol_text(sharding.mesh),
             ", [", dims, "]", list("replicated", sharding.replicated),
             list("unreduced", sharding.unreduced), ">");
}

}  // namespace

std::string to_text(const Sharding& sharding) {
  return cat("#sdy.sharding", enclosed_text(sharding));
}

std::string to_text(const std::vector<Sharding>& shardings) {
  std::string text;
  for (const Sharding& sharding : shardings)
    text += cat(text.empty() ? "" : ", ", enclosed_text(sharding));
  return cat("#sdy.sharding_per_value<[", text, "]>");
}

std::string to_text(const ManualAxes& axes) {
  std::string text;
  for (const std::string& name : axes.names)
    text += cat(text.empty() ? "" : ", ", "\"", name, "\"");
  return cat("#sdy<manual_axes{", text, "}>");
}

Attribute to_attribute(Sharding sharding) {
  return ShardingRef(std::make_shared<const Sharding>(std::move(sharding)));
}

Attribute to_attribute(std::vector<Sharding> shardings) {
  return ShardingsRef(std::make_shared<const std::vector<Sharding>>(std::move(shardings)));
}

const Sharding* sharding_in(const Attribute* attribute) {
  const auto* found = attribute ? attribute->get_if<ShardingRef>() : nullptr;
  return found ? found->get() : nullptr;
}

const std::vector<Sharding>& shardings_in(const Attribute* attribute) {
  static const std::vector<Sharding> none;
  const auto* found = attribute ? attribute->get_if<ShardingsRef>() : nullptr;
  return found ? **found : none;
}

}  // namespace partita::ir
