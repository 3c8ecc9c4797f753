// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/plan_json.hpp"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <span>

#include "runtime/artifact/plan_fields.hpp"

namespace partita {

namespace bj = boost::json;
using json::Path;
using json::Reader;
using json::Writer;

namespace {

constexpr std::string_view expr_names[] = {"constant", "var", "add", "sub", "mul",
                                           "div",      "mod", "min", "max"};
constexpr std::string_view buffer_kind_names[] = {"input", "output", "constant",
                                                  "arena", "block",  "spare"};
constexpr auto combiner_names = [] {
  std::array<std::string_view, collective_combiners.size()> names;
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = to_string(collective_combiners[k]);
  return names;
}();
// In the order of Step::what's alternatives.
constexpr std::string_view step_names[] = {
    "launch",     "gemm", "copy",  "for",   "while",     "case",     "all_reduce",
    "all_gather", "done", "check", "group", "host_call", "convolve", "function_call"};
static_assert(std::size(step_names) == std::variant_size_v<decltype(Step::what)>);

template <class E>
void enum_from_json(const bj::value& value, E& x, std::span<const std::string_view> names,
                    const Path& path) {
  const std::string text = Reader::string(value, path);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) {
      x = E(i);
      return;
    }
  std::string expected = "one of";
  for (const auto name : names) expected.append(" ").append(name);
  Reader::fail_at(path, expected, value);
}

template <class E>
bj::value enum_to_json(E x, std::span<const std::string_view> names) {
  return bj::string(bj::string_view(names[std::size_t(x)].data(), names[std::size_t(x)].size()));
}

template <std::size_t i = 0>
void read_alternative(std::size_t index, const bj::value& value, Step& step, const Path& path) {
  if constexpr (i < std::size(step_names)) {
    if (i != index) return read_alternative<i + 1>(index, value, step, path);
    Reader::read(value, step.what.emplace<i>(), path);
  }
}

}  // namespace

bj::value to_json(const HostExpr& e) {
  if (e.is_constant()) return e.value();
  const auto name = expr_names[std::size_t(e.kind())];
  bj::array items{bj::string(bj::string_view(name.data(), name.size()))};
  if (e.kind() == HostExpr::Kind::variable) items.push_back(e.value());
  for (const HostExpr& operand : e.operands()) items.push_back(to_json(operand));
  return items;
}

void from_json(const bj::value& value, HostExpr& e, const Path& path) {
  using Kind = HostExpr::Kind;
  if (value.is_int64()) {
    e = value.get_int64();
    return;
  }
  const bj::array& items = Reader::array(value, path);
  if (items.empty()) Reader::fail_at(path, "an expression", value);
  Kind kind = Kind::constant;
  enum_from_json(items[0], kind, expr_names, path);
  const bool is_variable = kind == Kind::variable;
  if (kind == Kind::constant || items.size() != (is_variable ? 2u : 3u))
    Reader::fail_at(path, "an expression [operator, operands…]", value);
  if (is_variable) {
    e = HostExpr::variable(
        int(Reader::integer(items[1], path, 0, std::numeric_limits<int>::max())));
    return;
  }
  HostExpr a, b;
  from_json(items[1], a, path);
  from_json(items[2], b, path);
  e = HostExpr::binary(kind, std::move(a), std::move(b));
}

bj::value to_json(const BufferRef& ref) {
  if (ref.offset == HostExpr(0)) return ref.buffer;
  return bj::array{ref.buffer, to_json(ref.offset)};
}

void from_json(const bj::value& value, BufferRef& ref, const Path& path) {
  ref.offset = 0;
  if (value.is_int64()) return Reader::read(value, ref.buffer, path);
  const bj::array& items = Reader::array(value, path);
  if (items.size() != 2) Reader::fail_at(path, "a buffer or [buffer, offset]", value);
  Reader::read(items[0], ref.buffer, path);
  from_json(items[1], ref.offset, path);
}

bj::value to_json(DType dtype) {
  const auto name = info(dtype).name;
  return bj::string(bj::string_view(name.data(), name.size()));
}

void from_json(const bj::value& value, DType& dtype, const Path& path) {
  const auto parsed = parse_dtype(Reader::string(value, path));
  if (!parsed) Reader::fail_at(path, "an element type", value);
  dtype = *parsed;
}

bj::value to_json(const Type& type) {
  bj::array items{to_json(type.dtype)};
  for (const std::int64_t d : type.dims) items.push_back(d);
  return items;
}

void from_json(const bj::value& value, Type& type, const Path& path) {
  const bj::array& items = Reader::array(value, path);
  if (items.empty()) Reader::fail_at(path, "a type [dtype, extents…]", value);
  type = {};
  from_json(items[0], type.dtype, path);
  for (std::size_t i = 1; i < items.size(); ++i)
    type.dims.push_back(
        Reader::integer(items[i], path, 0, std::numeric_limits<std::int64_t>::max()));
}

bj::value to_json(BufferKind kind) { return enum_to_json(kind, buffer_kind_names); }
void from_json(const bj::value& value, BufferKind& kind, const Path& path) {
  enum_from_json(value, kind, buffer_kind_names, path);
}

bj::value to_json(Combiner combiner) { return enum_to_json(combiner, combiner_names); }
void from_json(const bj::value& value, Combiner& combiner, const Path& path) {
  enum_from_json(value, combiner, combiner_names, path);
}

bj::value to_json(GroupCall call) { return enum_to_json(call, group_call_names); }
void from_json(const bj::value& value, GroupCall& call, const Path& path) {
  enum_from_json(value, call, group_call_names, path);
}

bj::value to_json(WireFormat format) { return enum_to_json(format, wire_format_names); }
void from_json(const bj::value& value, WireFormat& format, const Path& path) {
  enum_from_json(value, format, wire_format_names, path);
}

bj::value to_json(const Step& step) {
  const auto kind = step_names[step.what.index()];
  bj::object object;
  object.emplace("name", bj::string(json::to_utf8(step.name)));
  object.emplace(bj::string_view(kind.data(), kind.size()),
                 std::visit([](const auto& what) { return Writer::value_of(what); }, step.what));
  return object;
}

void from_json(const bj::value& value, Step& step, const Path& path) {
  Reader reader(value, path);
  reader("name", step.name);
  for (std::size_t i = 0; i < std::size(step_names); ++i) {
    const auto kind = step_names[i];
    const bj::value* what = reader.object().if_contains({kind.data(), kind.size()});
    if (what != nullptr) return read_alternative(i, *what, step, Path{&path, kind});
  }
  throw_user_error("expected a known kind of step, found none", {.file = path.text()});
}

std::string plan_to_json(const Plan& plan) { return json::pretty(Writer::value_of(plan)); }

Plan plan_from_json(std::string_view text, const std::string& name_for_errors) {
  Plan plan;
  Reader::read(json::parse(text, name_for_errors), plan, Path{.name = name_for_errors});
  return plan;
}

}  // namespace partita
