// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernel text of every row and conversion gives what the interpreter gives, on an OpenCL device and
// in C.  A device compiles each kernel on its own, so each does as much as its argument list allows.
#include "kernel/print/scalar_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <regex>
#include <span>

#include "backend-cpu/codegen/c_dialect.hpp"
#include "backend-opencl/codegen/opencl_dialect.hpp"
#include "kernel/print/small_float_text.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "tests/support/dtype_groups.hpp"
#include "tests/support/host_c.hpp"
#include "tests/support/opencl.hpp"
#include "tests/support/samples.hpp"
#include "tests/support/slice.hpp"

namespace partita::kernel {
namespace {

using partita::testing::is_in_slice;
using partita::testing::is_short;

using partita::testing::Allowed;
using partita::testing::difference;
using partita::testing::HostC;
using partita::testing::KernelMachine;
using partita::testing::OpenCL;
using partita::testing::Random;
using partita::testing::samples;
using partita::testing::value_text;

constexpr std::int64_t sample_count = 6000;
constexpr std::size_t max_arguments = 100;

/// One kernel: inputs, then results with what the interpreter makes of them.
struct KernelCase {
  struct Result {
    std::string what;
    HostArray expected;
    Allowed allowed;
    std::size_t first_input;
    std::size_t end_input;
  };
  std::string name;
  std::vector<HostArray> inputs = {};
  std::vector<Result> results = {};
  std::string body = {};

  [[nodiscard]] std::size_t arguments() const { return inputs.size() + results.size(); }
};

/// A language that kernels are printed in.
enum class Language : std::uint8_t { opencl, c };

/// Of OpenCL for the class of devices that PARTITA_OPENCL_CLASS names.
const Dialect& dialect_of(Language language) {
  if (language == Language::c) return cpu::codegen::c_dialect();
  const bool is_simt = environment("PARTITA_OPENCL_CLASS") == "gpu";
  return opencl::codegen::opencl_dialect(is_simt ? DeviceClass::simt : DeviceClass::multicore);
}

class Source {
 public:
  explicit Source(Language language) : text(dialect_of(language)), language_(language) {}

  [[nodiscard]] const Dialect& dialect() const { return dialect_of(language_); }

  ScalarText text;
  std::string functions;  ///< further ones, which kernels call
  std::vector<std::unique_ptr<KernelCase>> cases;

  KernelCase& start(const std::string& name) {
    cases.push_back(std::make_unique<KernelCase>(KernelCase{.name = name}));
    return *cases.back();
  }
  /// Adds an operand and returns the variable that holds its element.
  std::string input(KernelCase& c, HostArray array) {
    const DType d = array.type.dtype;
    const std::string k = std::to_string(c.inputs.size());
    c.body +=
        cat("  const ", text.value_type(d), " x", k, " = ", text.load(d, "in" + k, "i"), ";\n");
    c.inputs.push_back(std::move(array));
    return "x" + k;
  }
  void result(KernelCase& c, std::string what, const std::string& value, HostArray expected,
              Allowed allowed, std::size_t first_input) {
    const DType d = expected.type.dtype;
    const std::string k = std::to_string(c.results.size());
    c.body += cat("  const ", text.value_type(d), " r", k, " = ", value, ";\n  ",
                  text.store(d, "out" + k, "i", "r" + k), ";\n");
    c.results.push_back(
        {std::move(what), std::move(expected), allowed, first_input, c.inputs.size()});
  }
  std::string str() {
    std::string kernels;
    for (const auto& c : cases)
      kernels += language_ == Language::c ? c_function(*c) : opencl_kernel(*c);
    return text.prelude_and_helpers() + functions + kernels;
  }
  void check(KernelMachine& device) {
    device.build(str());
    for (const auto& c : cases) {
      std::vector<HostArray> actual;
      for (const auto& r : c->results) actual.emplace_back(r.expected.type);
      device.run(c->name, c->inputs, actual, std::size_t(c->results[0].expected.type.count()));
      for (std::size_t k = 0; k < actual.size(); ++k) {
        const auto& r = c->results[k];
        std::vector<const HostArray*> inputs;
        for (std::size_t j = r.first_input; j < r.end_input; ++j) inputs.push_back(&c->inputs[j]);
        EXPECT_EQ(difference(r.expected, actual[k], r.allowed, inputs), "") << r.what;
      }
    }
  }

 private:
  std::string opencl_kernel(const KernelCase& c) {
    std::string parameters;
    for (std::size_t k = 0; k < c.inputs.size(); ++k)
      parameters += cat(parameters.empty() ? "" : ", ", "__global const ",
                        text.stored_type(c.inputs[k].type.dtype), "* in", k);
    for (std::size_t k = 0; k < c.results.size(); ++k)
      parameters += cat(parameters.empty() ? "" : ", ", "__global ",
                        text.stored_type(c.results[k].expected.type.dtype), "* out", k);
    return cat("\n__kernel void ", c.name, "(", parameters,
               ") {\n  const size_t i = get_global_id(0);\n", c.body, "}\n");
  }
  std::string c_function(const KernelCase& c) {
    std::string moves;
    const auto move = [&](DType d, const std::string& name, std::size_t array) {
      const std::string type = text.stored_type(d);
      moves += cat("  ", type, "* ", name, " = (", type, "*)arrays[", array, "];\n");
    };
    for (std::size_t k = 0; k < c.inputs.size(); ++k) move(c.inputs[k].type.dtype, cat("in", k), k);
    for (std::size_t k = 0; k < c.results.size(); ++k)
      move(c.results[k].expected.type.dtype, cat("out", k), c.inputs.size() + k);
    return cat("\nvoid ", c.name, "(i64 n, void* const* arrays) {\n", moves,
               "  for (i64 i = 0; i < n; ++i) {\n", c.body, "  }\n}\n");
  }

  Language language_;
};

HostArray interpreted(const scalar::ElementwiseRow& row, DType d,
                      const std::vector<const HostArray*>& operands) {
  HostArray result(Type{.dtype = result_dtype(row.signature, d), .dims = operands[0]->type.dims});
  std::vector<const void*> pointers;
  for (const HostArray* operand : operands) pointers.push_back(operand->bytes.data());
  elementwise_function(row, d)(pointers.data(), result.bytes.data(),
                               std::size_t(result.type.count()));
  return result;
}

Allowed allowed_of(const scalar::ElementwiseRow& row, DType d) {
  if (is_complex(d))
    return {.ulp = row.signature == scalar::Signature::part || row.name == "add" ? double(row.ulp)
                                                                                 : 64};
  if (row.ulp == 0) return {};
  if (info(d).value != d) return {.ulp = 1, .absolute = 0};  // computed in f32, rounded
  // Where a function crosses zero, what counts is the absolute error.
  const double epsilon = d == DType::f64 ? std::numeric_limits<double>::epsilon()
                                         : std::numeric_limits<float>::epsilon();
  return {.ulp = double(row.ulp), .absolute = row.ulp >= 32 ? 8 * epsilon : 0};
}

/// All rows that accept d, in as many kernels as it takes.
void add_rows(Source& source, DType d, Random& random) {
  int kernels = 0;
  const auto start = [&] { return &source.start(cat("rows_", info(d).name, "_", kernels++)); };
  KernelCase* c = start();
  for (const scalar::ElementwiseRow& row : scalar::elementwise_rows()) {
    if (!row.accepts(d)) continue;
    if (c->arguments() + 4 > max_arguments) c = start();
    const std::size_t first = c->inputs.size();
    std::vector<std::string> operands;
    for (int k = 0; k < arity(row.signature); ++k)
      operands.push_back(
          source.input(*c, samples(operand_dtype(row.signature, d, k), row.samples[std::size_t(k)],
                                   k, sample_count, random)));
    std::vector<const HostArray*> arrays;
    for (std::size_t k = first; k < c->inputs.size(); ++k) arrays.push_back(&c->inputs[k]);
    source.result(*c, cat(row.name, " of ", to_string(d)), source.text.apply(row.name, d, operands),
                  interpreted(row, d, arrays), allowed_of(row, d), first);
  }
}

KernelMachine* shared_machine(Language language) {
  if (language == Language::c) {
    static HostC c;
    return &c;
  }
  static const std::unique_ptr<OpenCL> device =
      OpenCL::why_unavailable().empty() ? std::make_unique<OpenCL>() : nullptr;
  return device != nullptr && device->has_f64() ? device.get() : nullptr;
}

class ScalarTextRuns : public ::testing::TestWithParam<Language> {
 protected:
  void SetUp() override {
    if (!machine()) GTEST_SKIP() << "no OpenCL device with fp64";
  }
  static KernelMachine* machine() { return shared_machine(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(, ScalarTextRuns, ::testing::Values(Language::opencl, Language::c),
                         [](const auto& info) {
                           return std::string(info.param == Language::c ? "as_c" : "as_opencl");
                         });

TEST_P(ScalarTextRuns, rows_of_every_dtype_equal_the_interpreter) {
  Source source(GetParam());
  Random random(1);
  for (const DType d : all_dtypes)
    if (!is_short(d) || is_in_slice()) add_rows(source, d, random);
  source.check(*machine());
}

TEST_P(ScalarTextRuns, conversions_between_all_dtypes_equal_the_interpreter) {
  Source source(GetParam());
  Random random(2);
  for (const DType from : all_dtypes) {
    KernelCase& c = source.start(cat("convert_", info(from).name));
    const std::string x = source.input(c, samples(from, {-300, 300}, 0, sample_count, random));
    for (const DType to : all_dtypes) {
      if ((is_short(from) || is_short(to)) && !is_in_slice()) continue;
      source.result(c, cat("convert ", to_string(from), " to ", to_string(to)),
                    source.text.convert(x, from, to), convert(c.inputs[0], to), {}, 0);
    }
  }
  source.check(*machine());
}

/// Which NaN a NaN becomes in registers is unspecified.
HostArray without_nan(HostArray array) {
  visit(array.type.dtype, [&](auto d) {
    if constexpr (info(d).kind == Kinds::floating)
      for (std::size_t i = 0; i < std::size_t(array.type.count()); ++i)
        if (std::isnan(load<d>(array.data<d>(), i))) store<d>(1, array.data<d>(), i);
  });
  return array;
}

TEST_P(ScalarTextRuns, bitcasts_keep_the_bits) {
  Source source(GetParam());
  Random random(3);
  for (const DType from : all_dtypes) {
    if (from == DType::i1 || from == DType::c128) continue;
    KernelCase& c = source.start(cat("bitcast_", info(from).name));
    const std::string x =
        source.input(c, without_nan(samples(from, {-300, 300}, 0, sample_count, random)));
    for (const DType to : all_dtypes) {
      if (to == DType::i1 || info(to).bits != info(from).bits) continue;
      source.result(c, cat("bitcast ", to_string(from), " to ", to_string(to)),
                    source.text.bitcast(x, from, to), reinterpreted(c.inputs[0], to), {}, 0);
    }
  }
  source.check(*machine());
}

TEST_P(ScalarTextRuns, literals_are_exact) {
  Source source(GetParam());
  for (const DType d : all_dtypes) {
    if (d == DType::c128) continue;
    KernelCase& c = source.start(cat("literals_", info(d).name));
    visit(d, [&](auto constant) {
      int k = 0;
      for (const auto value : partita::testing::corner_cases<constant>()) {
        if (k++ >= 90) break;
        HostArray expected(Type{.dtype = d, .dims = {1}});
        store<constant>(value, expected.data<constant>(), 0);
        std::uint64_t bits = 0;
        std::memcpy(&bits, expected.bytes.data(), expected.bytes.size());
        const std::string what = cat("literal ", value_text(expected, 0), " of ", to_string(d));
        source.result(c, what, source.text.literal(d, bits), std::move(expected), {}, 0);
      }
    });
  }
  source.check(*machine());
}

/// Nested text of exact rows, without variables in between: parentheses and rounding must be right.
void add_chain(Source& source, KernelCase& c, DType d, Random& random) {
  struct Term {
    std::string text;
    HostArray value;
  };
  const std::size_t first = c.inputs.size();
  std::vector<Term> terms;
  for (int k = 0; k < 3; ++k) {
    const std::string name = source.input(c, samples(d, {-5, 5}, k, sample_count, random));
    terms.push_back({name, c.inputs.back()});
  }
  for (int step = 0; step < 4;) {
    const scalar::ElementwiseRow& row =
        scalar::elementwise_rows()[random() % scalar::elementwise_rows().size()];
    const bool keeps_dtype = row.signature == scalar::Signature::unary ||
                             row.signature == scalar::Signature::binary ||
                             row.signature == scalar::Signature::ternary;
    if (!keeps_dtype || row.ulp > 0 || !row.accepts(d)) continue;
    std::vector<std::string> operands;
    std::vector<const HostArray*> arrays;
    for (int k = 0; k < arity(row.signature); ++k) {
      const Term& term = k == 0 ? terms.back() : terms[random() % 3];
      operands.push_back(term.text);
      arrays.push_back(&term.value);
    }
    std::string text = source.text.apply(row.name, d, operands);
    HostArray value = interpreted(row, d, arrays);
    terms.push_back({std::move(text), std::move(value)});
    if (terms.back().text.size() > 1000) break;
    ++step;
  }
  source.result(c, cat("chain of ", to_string(d), ": ", terms.back().text), terms.back().text,
                terms.back().value, {}, first);
}

TEST_P(ScalarTextRuns, nested_text_of_exact_rows_equals_the_interpreter) {
  Source source(GetParam());
  Random random(4);
  for (const DType d : {DType::f32, DType::f16, DType::bf16, DType::f8e4m3fnuz, DType::i4,
                        DType::ui2, DType::i8, DType::ui16, DType::i32, DType::i64}) {
    KernelCase& c = source.start(cat("chains_", info(d).name));
    for (int k = 0; k < 4; ++k) add_chain(source, c, d, random);
  }
  source.check(*machine());
}

/// Every stored pattern through NAME_value; all values, what lies between them and beyond, and any bits of
/// f32, through NAME_bits.
template <FloatFormat format>
void add_format(Source& source, const std::string& name, Random& random) {
  using Small = SmallFloat<format>;
  constexpr DType bits_of = info(integer_dtype(Kinds::unsigned_, format.bits())).stored;
  const auto patterns = std::size_t(1) << format.bits();
  HostArray bits(Type{.dtype = bits_of, .dims = {std::int64_t(patterns)}});
  HostArray values(Type{.dtype = DType::f32, .dims = bits.type.dims});
  std::vector<float> inputs{1e-30f, 1e30f, -1e30f, 0x1p-149f};
  for (std::size_t k = 0; k < patterns; ++k) {
    bits.data<bits_of>()[k] = typename Small::Bits(k);
    const float value = values.data<DType::f32>()[k] = Small::decode(typename Small::Bits(k));
    const float next = Small::decode(typename Small::Bits(k + 1));
    const auto middle = float((double(value) + double(next)) / 2);
    for (const float x : {value, middle, std::nextafter(middle, -INFINITY),
                          std::nextafter(middle, INFINITY), value * 1.5f})
      inputs.push_back(x);
    inputs.push_back(std::bit_cast<float>(std::uint32_t(random())));
  }
  HostArray x(Type{.dtype = DType::f32, .dims = {std::int64_t(inputs.size())}});
  HostArray encoded(Type{.dtype = bits_of, .dims = x.type.dims});
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    x.data<DType::f32>()[k] = inputs[k];
    encoded.data<bits_of>()[k] = Small::encode(double(inputs[k]));
  }
  source.functions += small_float_value(source.dialect(), name, format) +
                      small_float_bits(source.dialect(), name, format);
  KernelCase& read = source.start(name + "_read");
  const std::string pattern = source.input(read, std::move(bits));
  source.result(read, name + "_value", cat(name, "_value(", pattern, ")"), std::move(values), {},
                0);
  KernelCase& write = source.start(name + "_write");
  const std::string value = source.input(write, std::move(x));
  source.result(write, name + "_bits", cat(name, "_bits(", value, ")"), std::move(encoded), {}, 0);
}

TEST_P(ScalarTextRuns, small_floats_of_any_format_are_read_and_written) {
  Source source(GetParam());
  Random random(5);
  add_format<FloatFormat{5, 10}>(source, "e5m10", random);
  add_format<FloatFormat{8, 7}>(source, "e8m7", random);
  add_format<FloatFormat{5, 2}>(source, "e5m2", random);
  add_format<FloatFormat{4, 3, Specials::last_nan}>(source, "e4m3fn", random);
  add_format<FloatFormat{4, 3, Specials::zero_nan, 1}>(source, "e4m3fnuz", random);
  add_format<FloatFormat{4, 3, Specials::zero_nan, 4}>(source, "e4m3b11fnuz", random);
  add_format<FloatFormat{5, 2, Specials::zero_nan, 1}>(source, "e5m2fnuz", random);
  add_format<FloatFormat{3, 2, Specials::none}>(source, "e3m2fn", random);
  add_format<FloatFormat{2, 1, Specials::none}>(source, "e2m1fn", random);
  add_format<FloatFormat{8, 0, Specials::last_nan, 0, false}>(source, "e8m0fnu", random);
  add_format<FloatFormat{3, 4}>(source, "e3m4", random);
  source.check(*machine());
}

// --- Text alone ------------------------------------------------------------------------------------

TEST(ScalarText, puts_operands_in_parentheses_where_needed) {
  ScalarText text(opencl::codegen::opencl_dialect());
  const std::vector<std::string> operands{"a + b", "c[i].x"};
  EXPECT_EQ(text.apply("multiply", DType::f32, operands), "(a + b) * c[i].x");
  const std::vector<std::string> cast{"(f32)a", "f(x, y)"};
  EXPECT_EQ(text.apply("add", DType::f32, cast), "((f32)a) + f(x, y)");
}

TEST(ScalarText, prints_only_the_helpers_that_are_used) {
  ScalarText text(opencl::codegen::opencl_dialect());
  EXPECT_EQ(text.prelude_and_helpers().find("f64"), std::string::npos);
  const std::vector<std::string> operands{"a", "b"};
  EXPECT_EQ(text.apply("maximum", DType::bf16, operands), "ieee_maximum_f32(a, b)");
  const std::string prelude = text.prelude_and_helpers();
  EXPECT_NE(prelude.find("f32 ieee_maximum_f32(f32 x, f32 y) {\n"), std::string::npos) << prelude;
  EXPECT_EQ(prelude.find("half"), std::string::npos);
  EXPECT_FALSE(text.uses_f64());
  EXPECT_EQ(text.convert("a", DType::f64, DType::f16), "round_f16(narrow_f64(a))");
  EXPECT_TRUE(text.uses_f64());
}

// Drivers' libraries round these in ways of their own.
TEST(ScalarText, rows_that_are_exact_call_no_rounded_function) {
  const std::regex rounded(
      R"(\b(acosh?|asinh?|atan2?|atanh|cbrt|cosh?|erfc?|exp|expm1|hypot|log|log1p|)"
      R"(pow|sinh?|tanh?|tgamma|lgamma)(_f32|_f64)?\()");
  for (const scalar::ElementwiseRow& row : scalar::elementwise_rows())
    for (const DType d : all_dtypes) {
      if (row.ulp > 0 || !row.accepts(d) || (!is_float(d) && !is_complex(d))) continue;
      ScalarText text(opencl::codegen::opencl_dialect());
      const std::vector<std::string> names{"a", "b", "c"};
      const std::string use =
          text.apply(row.name, d, std::span(names).first(std::size_t(arity(row.signature))));
      EXPECT_FALSE(std::regex_search(text.prelude_and_helpers() + use, rounded))
          << row.name << " of " << to_string(d);
    }
}

TEST(ScalarText, integer_results_wrap) {
  ScalarText text(opencl::codegen::opencl_dialect());
  const std::vector<std::string> operands{"a", "b"};
  EXPECT_EQ(text.apply("add", DType::i8, operands), "(i8)((ui32)(ui8)a + (ui32)(ui8)b)");
}

TEST(ScalarText, literals_are_primary_expressions) {
  ScalarText text(opencl::codegen::opencl_dialect());
  EXPECT_EQ(text.literal(DType::f32, std::bit_cast<std::uint32_t>(0.1f)), "0.1f");
  EXPECT_EQ(text.literal(DType::f32, std::bit_cast<std::uint32_t>(-2.0f)), "(-2.0f)");
  EXPECT_EQ(text.literal(DType::f32, 0x7fc00000), "as_float(2143289344u)");
  EXPECT_EQ(text.literal(DType::i64, std::uint64_t(std::numeric_limits<std::int64_t>::min())),
            "(-9223372036854775807L - 1)");
  EXPECT_EQ(text.literal(DType::bf16, 0x3f80), "1.0f");
  EXPECT_EQ(text.literal(DType::i1, 1), "true");
  EXPECT_EQ(text.literal(DType::c64, std::uint64_t(std::bit_cast<std::uint32_t>(1.0f)) << 32),
            "((c64)(0.0f, 1.0f))");
}

TEST(ScalarText, refuses_rows_that_do_not_accept_the_dtype) {
  ScalarText text(opencl::codegen::opencl_dialect());
  const std::vector<std::string> operands{"a"};
  EXPECT_THROW(static_cast<void>(text.apply("sine", DType::i32, operands)), Error);
  EXPECT_THROW(static_cast<void>(text.bitcast("a", DType::f32, DType::f64)), Error);
  EXPECT_THROW(static_cast<void>(text.literal(DType::c128, 0)), Error);
}

}  // namespace
}  // namespace partita::kernel
