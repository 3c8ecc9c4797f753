// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/format/lane_code.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "partita/base/element_functions.hpp"
#include "runtime/artifact/plan_fields.hpp"

namespace partita {

namespace {

namespace bj = boost::json;
using json::Path;
using json::Reader;
using json::Writer;
using Op = LaneInstruction::Op;

// In the order of Op.
constexpr std::string_view op_names[] = {
    "row",    "convert", "splat",    "ramp",  "add",        "subtract", "multiply", "divide",
    "modulo", "least",   "most",     "less",  "less_equal", "equal",    "select",   "multiply_add",
    "assign", "load",    "load_row", "store", "store_row",  "when",     "choose",   "loop"};

/// Below what JSON may nest, two levels for each of these.
constexpr int max_depth = 240;

}  // namespace

bj::value to_json(Op op) {
  const std::string_view name = op_names[std::size_t(op)];
  return bj::string(bj::string_view(name.data(), name.size()));
}

void from_json(const bj::value& value, Op& op, const Path& path) {
  const std::string text = Reader::string(value, path);
  const auto* const found = std::ranges::find(op_names, text);
  if (found == std::end(op_names)) Reader::fail_at(path, "an instruction", value);
  op = Op(found - std::begin(op_names));
}

template <class A>
void fields(A& a, Ref<A, LaneInstruction> x) {
  a("op", x.op);
  a.optional("result", x.result, -1);
  a.optional("arguments", x.arguments, std::vector<int>{});
  a.optional("dtype", x.dtype, DType::f32);
  a.optional("source", x.source, DType::f32);
  a.optional("name", x.name, "");
  a.optional("buffer", x.buffer, -1);
  a.optional("value", x.value, 0);
  if (x.op == Op::when || x.op == Op::choose || x.op == Op::loop) a("body", x.body);
  if (x.op == Op::choose) a("other", x.other);
}

template <class A>
void fields(A& a, Ref<A, LaneSlot> x) {
  a("bytes", x.bytes);
  a.optional("shared", x.is_shared, false);
}

template <class A>
void fields(A& a, Ref<A, LaneConstant> x) {
  a("slot", x.slot);
  a("bits", x.bits);
}

template <class A>
void fields(A& a, Ref<A, LaneKernel> x) {
  a("buffers", x.buffers);
  a("scalars", x.scalars);
  a("slots", x.slots);
  a("constants", x.constants);
  a("code", x.code);
}

template <class A>
void fields(A& a, Ref<A, LaneCode> x) {
  a("kernels", x.kernels);
}

namespace {

/// What instructions expect of the slots they name.
class Checker {
 public:
  Checker(const LaneKernel& kernel, const std::string& name) : kernel_(kernel), name_(name) {}

  void run() const {
    const std::size_t given = std::size_t(std::max(kernel_.scalars, 0)) + 1;
    expect(kernel_.scalars >= 0 && kernel_.slots.size() >= given, "slots for the scalars");
    for (const LaneSlot& s : kernel_.slots)
      expect(s.bytes == 1 || s.bytes == 2 || s.bytes == 4 || s.bytes == 8 || s.bytes == 16,
             "slots of 1, 2, 4, 8 or 16 bytes");
    for (std::size_t s = 0; s < given; ++s)
      expect(kernel_.slots[s].is_shared && kernel_.slots[s].bytes == 8, "shared scalars");
    for (const LaneConstant& c : kernel_.constants)
      expect(std::size_t(slot(c.slot).bytes) <= sizeof c.bits, "constants of at most 8 bytes");
    check(kernel_.code, 0);
  }

 private:
  void expect(bool holds, std::string_view what) const {
    if (!holds) throw_user_error(cat("expected ", what), {.file = name_});
  }
  [[nodiscard]] const LaneSlot& slot(int index) const {
    expect(index >= 0 && std::size_t(index) < kernel_.slots.size(), "slots that exist");
    return kernel_.slots[std::size_t(index)];
  }
  [[nodiscard]] const LaneSlot& argument(const LaneInstruction& x, std::size_t k) const {
    return slot(x.arguments[k]);
  }
  void expect_bytes(const LaneSlot& s, std::size_t bytes) const {
    expect(std::size_t(s.bytes) == bytes, cat("a slot of ", bytes, " bytes"));
  }
  void expect_shared(const LaneSlot& s) const { expect(s.is_shared, "a shared slot"); }
  void expect_lanes(const LaneSlot& s) const { expect(!s.is_shared, "a slot of lanes"); }
  /// All lanes or all shared, as the result is.
  void expect_alike(const LaneInstruction& x) const {
    for (std::size_t k = 0; k < x.arguments.size(); ++k)
      expect(argument(x, k).is_shared == slot(x.result).is_shared, "slots of one sort");
  }
  void expect_buffer(const LaneInstruction& x, int bytes) const {
    expect(x.buffer >= 0 && std::size_t(x.buffer) < kernel_.buffers.size(), "a buffer that exists");
    expect(byte_size(kernel_.buffers[std::size_t(x.buffer)]) == std::size_t(bytes),
           "an element of the buffer's width");
  }

  static std::size_t arguments_of(const LaneInstruction& x) {
    switch (x.op) {
      case Op::row:
        return std::size_t(row_arity(x.name));
      case Op::convert:
      case Op::splat:
      case Op::ramp:
      case Op::assign:
      case Op::load:
      case Op::load_row:
      case Op::when:
        return 1;
      case Op::select:
      case Op::multiply_add:
      case Op::choose:
        return 3;
      default:
        return 2;
    }
  }

  static bool has_result(Op op) { return op != Op::store && op != Op::store_row && op != Op::when; }

  void check(const std::vector<LaneInstruction>& code, int depth) const {
    expect(depth < max_depth, "code of bounded depth");
    for (const LaneInstruction& x : code) {
      expect(x.arguments.size() == arguments_of(x) && !x.arguments.empty(),
             "as many arguments as the instruction takes");
      for (const int a : x.arguments) (void)slot(a);
      expect(x.result == -1 || has_result(x.op), "no result of an instruction without one");
      check(x);
      check(x.body, depth + 1);
      check(x.other, depth + 1);
    }
  }

  void check(const LaneInstruction& x) const {
    const LaneSlot& first = argument(x, 0);
    const std::size_t width = byte_size(x.dtype);
    switch (x.op) {
      case Op::row:
        return check_row(x);
      case Op::convert:
        expect_bytes(first, byte_size(x.source));
        expect_bytes(slot(x.result), width);
        return expect_alike(x);
      case Op::assign:
        expect_bytes(slot(x.result), std::size_t(first.bytes));
        expect_alike(x);
        return expect_lanes(first);
      case Op::splat:
        expect_bytes(slot(x.result), std::size_t(first.bytes));
        expect_lanes(slot(x.result));
        return expect_shared(first);
      case Op::ramp:
        expect_bytes(first, 8);
        expect_bytes(slot(x.result), 8);
        expect_lanes(slot(x.result));
        return expect_shared(first);
      case Op::select:
      case Op::choose:
        expect_bytes(first, 1);
        for (const std::size_t k : {1, 2})
          expect_bytes(argument(x, k), std::size_t(slot(x.result).bytes));
        if (x.op == Op::select) return expect_alike(x);
        for (const std::size_t k : {1, 2})
          expect(argument(x, k).is_shared == slot(x.result).is_shared, "slots of one sort");
        return expect(first.is_shared || !slot(x.result).is_shared, "a result in lanes");
      case Op::multiply_add:
        expect(is_float(x.dtype), "floats");
        for (const std::size_t k : {0, 1, 2}) {
          expect_bytes(argument(x, k), width);
          expect_lanes(argument(x, k));
        }
        return expect(x.result == x.arguments[0], "a sum in the result's place");
      case Op::load:
        expect_bytes(first, 8);
        expect_buffer(x, slot(x.result).bytes);
        return expect_alike(x);
      case Op::load_row:
        expect_bytes(first, 8);
        expect_shared(first);
        expect_lanes(slot(x.result));
        return expect_buffer(x, slot(x.result).bytes);
      case Op::store:
      case Op::store_row:
        expect_bytes(first, 8);
        expect(first.is_shared == (x.op == Op::store_row), "an index of the right sort");
        expect_lanes(argument(x, 1));
        return expect_buffer(x, argument(x, 1).bytes);
      case Op::when:
        return expect_bytes(first, 1);
      case Op::loop:
        expect_bytes(first, 8);
        expect_bytes(argument(x, 1), 8);
        expect_bytes(slot(x.result), 8);
        expect(first.is_shared == slot(x.result).is_shared, "slots of one sort");
        return expect(x.value > 0, "a positive step");
      default:
        for (const std::size_t k : {0, 1}) expect_bytes(argument(x, k), 8);
        expect_bytes(slot(x.result), x.op >= Op::less ? 1 : 8);
        return expect_alike(x);
    }
  }

  void check_row(const LaneInstruction& x) const {
    expect(row_function(x.name, x.dtype) != nullptr, "a row that exists for the dtype");
    const RowBytes bytes = row_bytes(x.name, x.dtype);
    for (std::size_t k = 0; k < x.arguments.size(); ++k)
      expect_bytes(argument(x, k), bytes.operands[k]);
    expect_bytes(slot(x.result), bytes.result);
    expect_alike(x);
  }

  const LaneKernel& kernel_;
  const std::string& name_;
};

}  // namespace

std::string lane_code_to_json(const LaneCode& code) {
  return bj::serialize(Writer::value_of(code));
}

void check_lane_code(const LaneCode& code, const std::string& name_for_errors) {
  for (const LaneKernel& kernel : code.kernels) Checker(kernel, name_for_errors).run();
}

LaneCode lane_code_from_json(std::string_view text, const std::string& name_for_errors) {
  const bj::value value = json::parse(text, name_for_errors);
  LaneCode code;
  Reader::read(value, code, Path{.name = name_for_errors});
  check_lane_code(code, name_for_errors);
  return code;
}

}  // namespace partita
