// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/scalar_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "kernel/print/narrow_integer_text.hpp"
#include "kernel/print/small_float_text.hpp"
#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/c_text.hpp"

namespace partita::kernel {
namespace {

using scalar::CToken;
using scalar::next_token;
using scalar::ScalarHelper;

std::string name_of(DType d) { return std::string(info(d).name); }

/// Rows whose result is an operand, with another sign perhaps, or an integer beside it.
constexpr std::string_view rows_without_rounding[] = {"abs",
                                                      "ceil",
                                                      "clamp",
                                                      "floor",
                                                      "maximum",
                                                      "minimum",
                                                      "negate",
                                                      "round_nearest_afz",
                                                      "round_nearest_even",
                                                      "select",
                                                      "sign"};

/// Whether a row's result of type d is one of d's numbers as it is computed. Types without negative zeros or infinities
/// do not have all of them.
bool is_exact(const scalar::ElementwiseRow& row, DType d) {
  return (d == DType::bf16 || d == DType::f16) &&
         std::ranges::find(rows_without_rounding, row.name) != std::end(rows_without_rounding);
}

/// Whether `text` binds as tightly as a name: a name, a number, or something in parentheses, with
/// calls, subscripts and member selections behind it.
bool is_primary(std::string_view text) {
  const CToken first = next_token(text);
  if (first.kind != CToken::identifier && first.kind != CToken::number && first.text != "(")
    return false;
  int depth = first.text == "(" ? 1 : 0;
  bool may_open = first.kind == CToken::identifier;
  for (CToken t = next_token(text); t.kind != CToken::end; t = next_token(text)) {
    if (t.text == "(" || t.text == "[") {
      if (depth == 0 && !may_open) return false;
      ++depth;
    } else if (t.text == ")" || t.text == "]") {
      --depth;
      may_open = t.text == "]";
    } else if (depth == 0) {
      if (t.text != ".") return false;
      next_token(text);
    }
  }
  return depth == 0;
}

std::string in_parentheses(const std::string& text) {
  return is_primary(text) ? text : "(" + text + ")";
}

/// Removes a parenthesised argument from the front of `text` and returns what it encloses.
std::string_view take_argument(std::string_view& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth > 0) continue;
    if (i == 0) break;
    const std::string_view argument = text.substr(1, i - 1);
    text.remove_prefix(i + 1);
    return argument;
  }
  throw_internal_error(cat("K, U, S, RE, IM and MAKE take arguments in parentheses: ", text));
}

/// C text without comments, with one space where there is any.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) i = std::min(text.find('\n', i), text.size() - 1);
    if (text[i] != ' ' && text[i] != '\n')
      line += text[i];
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

/// Puts the statements of a function body that stands on one line on lines of their own.
std::string indented(std::string_view body) {
  std::string result;
  int braces = 0, parentheses = 0;
  bool at_start = false;
  for (CToken t = next_token(body); t.kind != CToken::end; t = next_token(body)) {
    if (at_start && t.kind == CToken::space) continue;
    if (t.text == "}") --braces;
    if (at_start) {
      if (t.text == "else" && result.ends_with("}\n"))
        result.back() = ' ';
      else
        result.append(2 * std::size_t(braces), ' ');
    }
    result += t.text;
    parentheses += (t.text == "(") - (t.text == ")");
    if (t.text == "{") ++braces;
    at_start = t.text == "{" || t.text == "}" || (t.text == ";" && parentheses == 0);
    if (at_start) result += '\n';
  }
  return result;
}

template <class T>
std::string shortest_decimal(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string signed_literal(std::int64_t value, int bits, std::string_view suffix) {
  if (value >= 0) return cat(value, suffix);
  if (value == std::int64_t(-1) << (bits - 1)) return cat("(-", -(value + 1), suffix, " - 1)");
  return cat("(", value, suffix, ")");
}

}  // namespace

bool Dialect::has_snippet(std::string_view snippet) const {
  return std::ranges::find(snippets, snippet, &Snippet::name) != snippets.end();
}

// --- Names of types, memory ------------------------------------------------------------------------

std::string ScalarText::value_type(DType d) {
  note(d);
  return name_of(info(d).value);
}

std::string ScalarText::stored_type(DType d) {
  note(d);
  return name_of(info(d).stored);
}

std::string ScalarText::from_stored(DType d, const std::string& element) {
  if (d == DType::i1) return cat("(", element, " != 0)");
  return is_small_float(d) ? call(cat(name_of(d), "_value"), element) : element;
}

std::string ScalarText::to_stored(DType d, const std::string& value) {
  if (d == DType::i1) return cat(in_parentheses(value), " ? 1 : 0");
  return is_small_float(d) ? call(cat(name_of(d), "_bits"), value) : value;
}

std::string ScalarText::load(DType d, const std::string& pointer, const std::string& index) {
  note(d);
  return from_stored(d, cat(in_parentheses(pointer), "[", index, "]"));
}

std::string ScalarText::store(DType d, const std::string& pointer, const std::string& index,
                              const std::string& value) {
  note(d);
  return cat(in_parentheses(pointer), "[", index, "] = ", to_stored(d, value));
}

std::string ScalarText::wide_type(DType d, int width) {
  const auto type = dialect_.wide.find(stored_type(d));
  if (type == dialect_.wide.end())
    throw_internal_error(cat("several elements of ", name_of(d), " as one in ", dialect_.name));
  return cat(type->second, width);
}

/// Whether compilers are told that 16 bytes of small elements are words, lest they take them in two.
static bool is_words(DType d, std::size_t width) {
  return byte_size(info(d).stored) < 4 && byte_size(info(d).stored) * width == 16;
}

std::string ScalarText::wide_load(DType d, int width, const std::string& pointer,
                                  const std::string& index) {
  const std::string type = wide_type(d, width), at = cat("(", pointer, " + ", index, ")");
  if (is_words(d, std::size_t(width)))
    return cat("as_", type, "(*(const __global ", wide_type(DType::ui32, 4), "*)", at, ")");
  return cat("*(const __global ", type, "*)", at);
}

std::string ScalarText::wide_element(DType d, const std::string& variable, int lane) {
  return from_stored(d, cat(variable, ".s", "0123456789abcdef"[lane]));
}

std::string ScalarText::wide_store(DType d, const std::string& pointer, const std::string& index,
                                   std::span<const std::string> values, bool is_local) {
  const std::string type = wide_type(d, int(values.size()));
  std::string list;
  for (const std::string& v : values) list += cat(list.empty() ? "" : ", ", to_stored(d, v));
  const std::string space = is_local ? "__local " : "__global ",
                    at = cat("(", pointer, " + ", index, ")"),
                    all = cat("(", type, ")(", list, ")");
  if (!is_words(d, values.size())) return cat("*(", space, type, "*)", at, " = ", all);
  const std::string words = wide_type(DType::ui32, 4);
  return cat("*(", space, words, "*)", at, " = as_", words, "(", all, ")");
}

std::string ScalarText::vector_type(DType d, int width) {
  note(d);
  use(cat("vectors_", name_of(d)));
  return cat(name_of(d), "x", width);
}

std::string ScalarText::vector_call(std::string_view operation, DType d, int width,
                                    std::string_view arguments) {
  (void)vector_type(d, width);
  return cat(operation, "_lanes(", name_of(d), ", ", width, ", ", arguments, ")");
}

std::string ScalarText::multiply_add(DType d, const std::string& x, const std::string& y,
                                     const std::string& z) {
  note(d);
  std::string name = cat("multiply_add_", name_of(info(d).value));
  if (dialect_.has_snippet(name))
    use(name);
  else
    name = "fma";
  return cat(name, "(", x, ", ", y, ", ", z, ")");
}

std::string ScalarText::round(DType d, const std::string& x) {
  if (is_narrow_integer(d)) return call(cat("wrap_", name_of(d)), x);
  return is_small_float(d) ? call(cat("round_", name_of(d)), x) : x;
}

std::string ScalarText::call(std::string_view snippet, const std::string& argument) {
  use(snippet);
  return cat(snippet, "(", argument, ")");
}

void ScalarText::use(std::string_view snippet) {
  if (!defined_.emplace(snippet).second) return;
  const auto found = std::ranges::find(dialect_.snippets, snippet, &Snippet::name);
  if (found == dialect_.snippets.end()) {
    if (const auto text = narrow_integer_function(dialect_, snippet)) {
      snippets_ += *text;
      return;
    }
    const SmallFloatFunction function = small_float_function(dialect_, snippet);
    for (const std::string& other : function.needs) use(other);
    snippets_ += function.text;
    return;
  }
  for (const std::string_view other : found->needs) use(other);
  snippets_ += found->text;
}

// --- Literals --------------------------------------------------------------------------------------

std::string ScalarText::literal(DType d, std::uint64_t bits) {
  note(d);
  return visit(d, [&](auto constant) -> std::string {
    constexpr DType dtype = constant;
    constexpr Kinds kind = info(dtype).kind;
    if constexpr (dtype == DType::c128) {
      throw_internal_error("a complex<f64> constant does not fit into 64 bits");
    } else if constexpr (dtype == DType::c64) {
      return make_complex(d, literal(DType::f32, bits & 0xffffffff),
                          literal(DType::f32, bits >> 32));
    } else if constexpr (kind == Kinds::boolean) {
      return (bits & 0xff) != 0 ? "true" : "false";
    } else if constexpr (kind == Kinds::floating) {
      StorageType<dtype> stored;
      std::memcpy(&stored, &bits, sizeof stored);
      const auto value = ::partita::load<dtype>(&stored, 0);
      using Value = decltype(value);
      constexpr bool is_double = dtype == DType::f64;
      if (!std::isfinite(value)) {
        const std::uint64_t pattern = is_double ? std::bit_cast<std::uint64_t>(double(value))
                                                : std::bit_cast<std::uint32_t>(float(value));
        return reinterpret(literal(is_double ? DType::ui64 : DType::ui32, pattern),
                           info(dtype).value);
      }
      const std::string text =
          shortest_decimal<std::remove_const_t<Value>>(value) + (is_double ? "" : "f");
      return std::signbit(value) ? "(" + text + ")" : text;
    } else if constexpr (kind == Kinds::unsigned_) {
      const auto value = StorageType<dtype>(bits);
      if (byte_size(dtype) < 4) return cat("((", name_of(info(d).value), ")", unsigned(value), ")");
      return cat(value, "u", byte_size(dtype) == 8 ? dialect_.long_suffix : "");
    } else {
      const auto value = StorageType<dtype>(bits);
      if (byte_size(dtype) < 4)
        return cat("((", name_of(info(d).value), ")", signed_literal(value, 32, ""), ")");
      return signed_literal(value, info(dtype).bits,
                            byte_size(dtype) == 8 ? dialect_.long_suffix : "");
    }
  });
}

/// The literal of `value` converted to d, as K does in C++.
std::string ScalarText::number(DType d, double value) {
  HostArray one(Type::scalar(is_integer(d) ? DType::i64 : DType::f64));
  // Integers wrap: K(-1) has all bits set.
  if (is_integer(d))
    one.data<DType::i64>()[0] = std::int64_t(value);
  else
    one.data<DType::f64>()[0] = value;
  const HostArray converted = ::partita::convert(one, d);
  std::uint64_t bits = 0;
  std::memcpy(&bits, converted.bytes.data(), converted.bytes.size());
  return literal(d, bits);
}

// --- Conversions -----------------------------------------------------------------------------------

std::string ScalarText::make_complex(DType d, const std::string& real, const std::string& imag) {
  note(d);
  const std::string_view prefix = d == DType::c64 ? dialect_.make_c64 : dialect_.make_c128;
  return cat("(", prefix, "(", real, ", ", imag, "))");
}

std::string ScalarText::from_complex(const std::string& x, DType from, DType to) {
  const std::string real = dialect_.real.of(in_parentheses(x)),
                    imag = dialect_.imag.of(in_parentheses(x));
  const DType part = part_dtype(from);
  if (!is_complex(to)) return convert(real, part, to);
  return make_complex(to, convert(real, part, part_dtype(to)), convert(imag, part, part_dtype(to)));
}

std::string ScalarText::convert(const std::string& x, DType from, DType to) {
  note(from);
  note(to);
  if (from == to) return x;
  if (is_complex(from)) return from_complex(x, from, to);
  if (is_complex(to))
    return make_complex(to, convert(x, from, part_dtype(to)), number(part_dtype(to), 0));
  if (to == DType::i1) return cat(in_parentheses(x), " != 0");
  // gcc leaves loops with a conversion scalar.
  if (from == DType::i1 && is_float(to))
    return cat("(", in_parentheses(x), " ? ", number(to, 1), " : ", number(to, 0), ")");
  const DType value = info(from).value;
  const std::string cast = cat("(", name_of(info(to).value), ")", in_parentheses(x));
  if (is_float(from) && !is_float(to)) {
    const std::string name = cat("saturate_", name_of(info(to).value)),
                      own = cat(name, "_", name_of(value)),
                      near = call(dialect_.has_snippet(own) ? own : name, x);
    return is_narrow_integer(to) ? call(cat("limit_", name_of(to)), near) : near;
  }
  if (is_small_float(to)) {
    if (value == DType::f32) return round(to, x);
    if (value == DType::f64) return round(to, call("narrow_f64", x));
    if (info(from).bits <= 16) return round(to, cast);  // exact in f32
    const bool is_signed = info(from).kind == Kinds::signed_;
    return round(to, call(is_signed ? "narrow_i64" : "narrow_ui64", x));
  }
  const std::string same = value == info(to).value ? x : cast;
  return is_narrow_integer(to) ? round(to, same) : same;
}

std::string ScalarText::reinterpret(const std::string& x, DType to) {
  const auto found = dialect_.reinterpret.find(info(to).name);
  if (found == dialect_.reinterpret.end())
    throw_internal_error(cat(dialect_.name, " cannot reinterpret bits as ", to_string(to)));
  note(to);
  return cat(found->second, "(", x, ")");
}

std::string ScalarText::bitcast(const std::string& x, DType from, DType to) {
  if (info(from).bits != info(to).bits)
    throw_internal_error(
        cat("a bitcast from ", to_string(from), " to ", to_string(to), " changes the width"));
  note(from);
  note(to);
  if (from == to) return x;
  // By way of integers: floats as their bits.
  const auto is_integral = [](DType d) { return intersects(info(d).kind, Kinds::bits); };
  const std::string cast = cat("(", name_of(info(to).value), ")");
  if (is_integral(from) && is_integral(to)) return round(to, cast + in_parentheses(x));
  if (!is_small_float(from) && !is_small_float(to)) return reinterpret(x, to);
  std::string bits = x;
  if (is_float(from)) bits = call(cat(name_of(from), "_bits"), x);
  if (is_float(to)) return call(cat(name_of(to), "_value"), bits);
  return to == info(from).stored ? bits : round(to, cast + in_parentheses(bits));
}

// --- Rows ------------------------------------------------------------------------------------------

std::string ScalarText::apply(std::string_view row_name, DType d,
                              std::span<const std::string> operands) {
  const scalar::ElementwiseRow& row = scalar::elementwise_row(row_name);
  if (!row.accepts(d) || int(operands.size()) != scalar::arity(row.signature))
    throw_internal_error(cat("row '", row_name, "' does not accept ", operands.size(),
                             " operands of ", to_string(d)));
  note(d);
  const auto chosen = std::ranges::find_if(
      row.cases, [&](const scalar::RowCase& c) { return intersects(c.kinds, info(d).kind); });
  std::vector<std::string> primaries;
  for (const std::string& operand : operands) primaries.push_back(in_parentheses(operand));
  std::string text = substitute(chosen->text, d, primaries);
  // Where the compiler must be told that a product is rounded before it is added to anything.
  if (const std::string product = cat("product_", name_of(d));
      row.name == "multiply" && dialect_.has_snippet(product))
    text = cat(snippet(product), "(", operands[0], ", ", operands[1], ")");
  const DType result = scalar::result_dtype(row.signature, d);
  if (is_integer(result)) {
    // C computes in a wider or unsigned type.
    const bool widens = chosen->text.find("U(") != std::string_view::npos ||
                        chosen->text.find("S(") != std::string_view::npos || info(d).bits != 32;
    if (widens && !is_primary(text)) text = cat("(", name_of(info(result).value), ")(", text, ")");
  }
  return is_exact(row, result) ? text : round(result, text);
}

/// Replaces operands, K, U, S, BITS, T, R, RE, IM, MAKE and helpers in an expression over elements of
/// type d.
std::string ScalarText::substitute(std::string_view text, DType d,
                                   std::span<const std::string> operands) {
  std::string result;
  for (CToken t = next_token(text); t.kind != CToken::end; t = next_token(text))
    result += t.kind == CToken::identifier ? substitute_name(t.text, text, d, operands)
                                           : std::string(t.text);
  return result;
}

std::string ScalarText::substitute_name(std::string_view name, std::string_view& rest, DType d,
                                        std::span<const std::string> operands) {
  const DType value = info(d).value, part = part_dtype(value);
  const auto argument = [&] { return substitute(take_argument(rest), d, operands); };
  const std::size_t operand = name.size() == 1 ? std::size_t(name[0] - 'x') : operands.size();
  if (operand < operands.size()) return operands[operand];
  if (name == "T") return name_of(value);
  if (name == "R") return name_of(part);
  if (name == "K") return number(part, std::stod(std::string(take_argument(rest))));
  if (name == "BITS") return cat(info(d).bits, "u");
  if (name == "MANTISSA") return std::to_string(scalar::mantissa_bits(d));
  if (name == "EMIN") return std::to_string(scalar::smallest_exponent(d));
  if (name == "RE") return dialect_.real.of(in_parentheses(argument()));
  if (name == "IM") return dialect_.imag.of(in_parentheses(argument()));
  if (name == "MAKE") {
    const DType result = scalar::result_dtype(scalar::Signature::compose, part);
    note(result);
    return cat("(", result == DType::c64 ? dialect_.make_c64 : dialect_.make_c128, "(", argument(),
               "))");
  }
  if (name == "U" || name == "S") {
    const std::string inner = in_parentheses(argument());
    if (!is_integer(d)) return inner;
    const int bits = info(d).bits;
    if (is_narrow_integer(d)) {
      if (name == "S")
        return call(cat("wrap_", name_of(integer_dtype(Kinds::signed_, bits))), inner);
      return cat("((ui32)", inner, " & ", (1u << bits) - 1, "u)");
    }
    if (name == "S") return cat("(i", bits, ")", inner);
    return cat(bits < 32 ? "(ui32)" : "", "(ui", bits, ")", inner);
  }
  if (is_narrow_integer(d) && (name == "popcount" || name == "clz" || name == "mul_hi"))
    return snippet(cat(name, "_", name_of(d)));
  if (std::string typed = cat(name, "_", name_of(part)); dialect_.has_snippet(typed)) {
    use(typed);
    return typed;
  }
  const auto helpers = scalar::scalar_helpers();
  if (std::ranges::find(helpers, name, &ScalarHelper::name) != helpers.end())
    return define_helper(name, value);
  return std::string(name);
}

/// Defines a helper for elements of type d, for lack of overloads, and returns its name.
std::string ScalarText::define_helper(std::string_view name, DType d) {
  const ScalarHelper& helper =
      *std::ranges::find(scalar::scalar_helpers(), name, &ScalarHelper::name);
  if (helper.domain != ScalarHelper::Domain::complex) d = part_dtype(d);
  const std::string full_name = cat(name, "_", name_of(d));
  if (!defined_.insert(full_name).second) return full_name;
  const auto text = [&](std::string_view t) { return substitute(t, d, {}); };
  // Helpers that this one calls are appended first.
  const std::string result = text(helper.result), parameters = text(helper.parameters),
                    body = text(on_one_line(helper.body));
  helpers_ += cat(dialect_.function, result, " ", full_name, parameters, " ", indented(body));
  return full_name;
}

std::string ScalarText::prelude_and_helpers() const {
  return cat(dialect_.always, uses_f64_ ? dialect_.with_f64 : "", snippets_, helpers_);
}

}  // namespace partita::kernel
