// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Custom calls @lapack_…_ffi, which JAX emits for CPUs, as the ops that they stand for.  Their `info` is 0: what
// fails is NaN already, which is what programs make of another `info`.
#include <array>

#include "ops/matrices/matrices.hpp"
#include "ops/support/custom_call.hpp"
#include "ops/support/expansion.hpp"
#include "partita/ir/backend_config.hpp"
#include "partita/ir/matrix_calls.hpp"

namespace partita::ir::ops {
namespace {

/// A use of such a call.
class LapackCall {
 public:
  explicit LapackCall(const Expansion& e) : e_(e), stack_(e.operands[0].type().dims) {
    // Operands of systems of tridiagonal matrices begin with vectors.
    const std::size_t rank = e.operands.size() == 4 ? 1 : 2;
    stack_.resize(stack_.size() - std::min(rank, stack_.size()));
  }

  [[nodiscard]] const Expansion& expansion() const { return e_; }
  [[nodiscard]] Value operand(std::size_t k) const { return e_.operands[k]; }
  [[nodiscard]] std::vector<Value> operands() const {
    return {e_.operands.begin(), e_.operands.end()};
  }
  /// An entry of the dictionary backend_config.
  [[nodiscard]] std::int64_t number(const char* name) const {
    const Dict* const config = backend_config(e_.context.attrs);
    const Attribute* const entry = config == nullptr ? nullptr : config->find(name);
    if (entry != nullptr) {
      if (const Integer* integer = entry->get_if<Integer>()) return integer->value;
      if (const bool* flag = entry->get_if<bool>()) return *flag ? 1 : 0;
    }
    e_.context.fail(cat("a number ", name, " in the backend_config"), "none");
  }
  /// Whether such an entry is a letter or another one.
  [[nodiscard]] bool is(const char* name, char yes, char no) const {
    const std::int64_t found = number(name);
    e_.context.expect(found == yes || found == no,
                      cat(name, " = ", int(yes), " or ", int(no), " in the backend_config"),
                      cat(found));
    return found == yes;
  }
  [[nodiscard]] const Type& declared(std::size_t k) const {
    e_.context.expect(k < e_.context.declared().size(), cat("a result ", k), "fewer");
    return e_.context.declared()[k];
  }
  [[nodiscard]] Node* routine(const char* name, const Dict& options = {}) const {
    Dict attrs{{"call_target_name", matrix_target(name)}};
    if (!options.empty()) attrs.set("mhlo.backend_config", options);
    return e_.make("stablehlo.custom_call", operands(), std::move(attrs));
  }
  [[nodiscard]] Value zeros(const Type& type) const { return e_.maker().splat(type, 0); }
  [[nodiscard]] Value info() const { return zeros({.dtype = DType::i32, .dims = stack_}); }
  /// A node with these results.
  [[nodiscard]] Node* results(std::vector<Value> values) const {
    return e_.make("stablehlo.optimization_barrier", std::move(values));
  }
  /// The same, after all results of `node`.
  [[nodiscard]] Node* results_and(Node* node, const std::vector<Value>& more) const {
    std::vector<Value> values;
    for (int k = 0; k < node->result_count(); ++k) values.push_back(node->result(k));
    values.insert(values.end(), more.begin(), more.end());
    return results(std::move(values));
  }
  /// Complex numbers as a routine for these types has them: whole, or of a real matrix as two arrays.
  void add_complex(std::vector<Value>& values, Value v) const {
    if (is_complex(operand(0).type().dtype)) {
      values.push_back(v);
      return;
    }
    values.push_back(e_.value("stablehlo.real", {v}));
    values.push_back(e_.value("stablehlo.imag", {v}));
  }

 private:
  const Expansion& e_;
  Dims stack_;
};

Dict lower_option(const LapackCall& c) { return {{"lower", c.is("uplo", 'L', 'U')}}; }

Node* potrf(const LapackCall& c) {
  const Value factor = c.expansion().value("stablehlo.cholesky", {c.operand(0)}, lower_option(c));
  return c.results({factor, c.info()});
}

Node* trsm(const LapackCall& c) {
  const bool is_plain = c.number("trans_x") == 'N';
  const std::string transpose = is_plain                    ? "NO_TRANSPOSE"
                                : c.is("trans_x", 'T', 'C') ? "TRANSPOSE"
                                                            : "ADJOINT";
  return c.expansion().make("stablehlo.triangular_solve", c.operands(),
                            {{"left_side", c.is("side", 'L', 'R')},
                             {"lower", c.is("uplo", 'L', 'U')},
                             {"unit_diagonal", c.is("diag", 'U', 'N')},
                             {"transpose_a", EnumAttr{"stablehlo", "transpose", transpose}}});
}

Node* geqrf(const LapackCall& c) {
  return c.expansion().make("stablehlo.custom_call", c.operands(), {{"call_target_name", "Qr"}});
}

Node* orgqr(const LapackCall& c) {
  return c.expansion().make("stablehlo.custom_call", c.operands(),
                            {{"call_target_name", "ProductOfElementaryHouseholderReflectors"}});
}

Node* ormqr(const LapackCall& c) {
  return c.routine("apply_reflections",
                   {{"left", c.number("left") != 0}, {"transpose", c.number("transpose") != 0}});
}

Node* geqp3(const LapackCall& c) { return c.routine("pivoted_qr"); }

Node* getrf(const LapackCall& c) {
  Node* const lu = c.routine("lu");
  const Value from_zero = lu->result(1);
  const Value pivots = c.expansion().value(
      "stablehlo.add", {from_zero, c.expansion().maker().splat(from_zero.type(), 1)});
  return c.results({lu->result(0), pivots, c.info()});
}

Node* gesdd(const LapackCall& c) {
  const std::int64_t mode = c.number("mode");
  if (mode == 'N')
    return c.results({c.operand(0), c.routine("svd")->result(), c.zeros(c.declared(2)),
                      c.zeros(c.declared(3)), c.info()});
  Node* const svd =
      c.routine("svd", {{"compute_uv", true}, {"full_matrices", c.is("mode", 'A', 'S')}});
  return c.results({c.operand(0), svd->result(0), svd->result(1), svd->result(2), c.info()});
}

Node* syevd(const LapackCall& c) {
  return c.results_and(c.routine("eigh", lower_option(c)), {c.info()});
}

Node* geev(const LapackCall& c) {
  const bool left = c.is("compute_left", 'V', 'N'), right = c.is("compute_right", 'V', 'N');
  Node* const eig = c.routine("eig", {{"compute_left", left}, {"compute_right", right}});
  std::vector<Value> values;
  c.add_complex(values, eig->result(0));
  const std::size_t first = values.size();
  values.push_back(left ? eig->result(1) : c.zeros(c.declared(first)));
  values.push_back(right ? eig->result(left ? 2 : 1) : c.zeros(c.declared(first + 1)));
  values.push_back(c.info());
  return c.results(std::move(values));
}

Node* gees(const LapackCall& c) {
  const bool has_vectors = c.is("mode", 'V', 'N');
  c.expansion().context.expect(c.number("sort") == 'N', "sort = 78 in the backend_config",
                               cat(c.number("sort")));
  Node* const schur =
      c.routine("schur", {{"compute_values", true}, {"compute_vectors", has_vectors}});
  std::vector<Value> values{schur->result(0),
                            has_vectors ? schur->result(1) : c.zeros(c.declared(1))};
  c.add_complex(values, schur->result(has_vectors ? 2 : 1));
  values.push_back(c.info());  // how many were sorted
  values.push_back(c.info());
  return c.results(std::move(values));
}

Node* gehrd(const LapackCall& c) {
  const std::int64_t rows = c.operand(0).type().dims.back();
  c.expansion().context.expect(c.number("low") == 1 && c.number("high") == rows,
                               cat("low = 1 and high = ", rows, " in the backend_config"),
                               cat(c.number("low"), " and ", c.number("high")));
  return c.results_and(c.routine("hessenberg"), {c.info()});
}

Node* sytrd(const LapackCall& c) {
  return c.results_and(c.routine("tridiagonal", lower_option(c)), {c.info()});
}

Node* gtsv(const LapackCall& c) {
  Node* const solved = c.routine("tridiagonal_solve");
  return c.results({c.operand(0), c.operand(1), c.operand(2), solved->result(), c.info()});
}

// --- The table ----------------------------------------------------------------------------------

using Expand = Node* (*)(const LapackCall& c);

struct Row {
  const char *of_real, *of_complex;
  Expand expand;
  const char* doc;
  /// Of the sample; T stands for the type of elements, P for that of their parts, C for complex numbers of these.
  const char *config, *operands, *results, *complex_results;
};

constexpr const char* same = nullptr;

constexpr std::array calls{
    Row{"potrf", "potrf", potrf, "stablehlo.cholesky", "uplo = 76 : ui8", "2x0x0xT",
        "2x0x0xT, 2xi32", same},
    Row{"trsm", "trsm", trsm, "stablehlo.triangular_solve",
        "diag = 85 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8", "2x3x3xT, 2x3x2xT",
        "2x3x2xT", same},
    Row{"geqrf", "geqrf", geqrf, "@Qr", "", "2x4x3xT", "2x4x3xT, 2x3xT", same},
    Row{"orgqr", "ungqr", orgqr, "@ProductOfElementaryHouseholderReflectors", "", "4x3xT, 3xT",
        "4x3xT", same},
    Row{"ormqr", "unmqr", ormqr, "@partita.apply_reflections", "left = true, transpose = true",
        "4x3xT, 3xT, 4x2xT", "4x2xT", same},
    Row{"geqp3", "geqp3", geqp3, "@partita.pivoted_qr", "", "4x3xT, 3xi32", "4x3xT, 3xi32, 3xT",
        same},
    Row{"getrf", "getrf", getrf, "@partita.lu", "", "2x4x3xT", "2x4x3xT, 2x3xi32, 2xi32", same},
    Row{"gesdd", "gesdd", gesdd, "@partita.svd", "mode = 83 : ui8", "2x4x3xT",
        "2x4x3xT, 2x3xP, 2x4x3xT, 2x3x3xT, 2xi32", same},
    Row{"gesvd", "gesvd", gesdd, "@partita.svd", "mode = 78 : ui8", "4x3xT",
        "4x3xT, 3xP, 4x4xT, 3x3xT, i32", same},
    Row{"syevd", "heevd", syevd, "@partita.eigh", "mode = 86 : ui8, uplo = 76 : ui8", "3x3xT",
        "3x3xT, 3xP, i32", same},
    Row{"geev", "geev", geev, "@partita.eig", "compute_left = 78 : ui8, compute_right = 86 : ui8",
        "2x3x3xT", "2x3xT, 2x3xT, 2x3x3xC, 2x3x3xC, 2xi32", "2x3xC, 2x3x3xC, 2x3x3xC, 2xi32"},
    Row{"gees", "gees", gees, "@partita.schur", "mode = 86 : ui8, sort = 78 : ui8", "3x3xT",
        "3x3xT, 3x3xT, 3xT, 3xT, i32, i32", "3x3xT, 3x3xT, 3xT, i32, i32"},
    Row{"gehrd", "gehrd", gehrd, "@partita.hessenberg", "high = 3 : i32, low = 1 : i32", "3x3xT",
        "3x3xT, 2xT, i32", same},
    Row{"sytrd", "hetrd", sytrd, "@partita.tridiagonal", "uplo = 76 : ui8", "3x3xT",
        "3x3xT, 3xP, 2xP, 2xT, i32", same},
    Row{"gtsv", "gtsv", gtsv, "@partita.tridiagonal_solve", "", "3xT, 3xT, 3xT, 3x2xT",
        "3xT, 3xT, 3xT, 3x2xT, i32", same},
};

struct Elements {
  char letter;
  DType dtype;
  const char *whole, *part, *complex;
};

constexpr std::array element_kinds{
    Elements{'s', DType::f32, "f32", "f32", "complex<f32>"},
    Elements{'d', DType::f64, "f64", "f64", "complex<f64>"},
    Elements{'c', DType::c64, "complex<f32>", "f32", "complex<f32>"},
    Elements{'z', DType::c128, "complex<f64>", "f64", "complex<f64>"}};

std::string target_of(const Row& row, const Elements& kind) {
  return cat("lapack_", std::string(1, kind.letter),
             partita::is_complex(kind.dtype) ? row.of_complex : row.of_real, "_ffi");
}

/// "2x3xT, i32" as types.
std::vector<std::string> sample_types(std::string_view list, const Elements& kind) {
  std::vector<std::string> types;
  while (!list.empty()) {
    std::string type(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(list.size(), type.size() + 2));
    const char last = type.back();
    const char* const element = last == 'T'   ? kind.whole
                                : last == 'P' ? kind.part
                                : last == 'C' ? kind.complex
                                              : nullptr;
    if (element != nullptr) type.replace(type.size() - 1, 1, element);
    types.push_back(cat("tensor<", type, ">"));
  }
  return types;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += cat(text.empty() ? "" : ", ", word);
  return text;
}

std::string sample_of(const Row& row, const Elements& kind) {
  const bool has_own = row.complex_results != same && partita::is_complex(kind.dtype);
  const std::vector<std::string> operands = sample_types(row.operands, kind),
                                 results = sample_types(has_own ? row.complex_results : row.results,
                                                        kind);
  std::vector<std::string> arguments, names, returned;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    names.push_back(cat("%a", k));
    arguments.push_back(cat(names.back(), ": ", operands[k]));
  }
  for (std::size_t k = 0; k < results.size(); ++k)
    returned.push_back(results.size() == 1 ? std::string("%0") : cat("%0#", k));
  const std::string outputs = joined(results);
  return cat("func.func @main(", joined(arguments), ") -> (", outputs, ") {\n  %0",
             results.size() == 1 ? std::string() : cat(":", results.size()),
             " = stablehlo.custom_call @", target_of(row, kind), "(", joined(names),
             ") {api_version = 4 : i32, backend_config = {", row.config, "}} : (", joined(operands),
             ") -> ", results.size() == 1 ? outputs : cat("(", outputs, ")"), "\n  return ",
             joined(returned), " : ", outputs, "\n}");
}

/// The row and the elements of a definition.
template <std::size_t row, std::size_t kind>
Node* expand_call(const Expansion& e) {
  const Row& of = calls[row];
  const std::size_t wanted = sample_types(of.operands, element_kinds[kind]).size();
  expect_operand_count(e.context, wanted);
  const Type& first = e.operands[0].type();
  e.context.expect(first.dtype == element_kinds[kind].dtype,
                   cat("operand 0 of ", to_string(element_kinds[kind].dtype)), to_string(first));
  return of.expand(LapackCall(e));
}

template <std::size_t row, std::size_t kind>
void add_call(OpRegistry& registry) {
  OpDef op = custom_call_target(
      target_of(calls[row], element_kinds[kind]),
      cat("LAPACK's routine as JAX calls it on CPUs: ", calls[row].doc, "; an info is 0."));
  op.samples = {sample_of(calls[row], element_kinds[kind])};
  add_expansion(registry, std::move(op), expand_call<row, kind>);
}

template <std::size_t... k>
void add_calls(OpRegistry& registry, std::index_sequence<k...> /*all*/) {
  (add_call<k / element_kinds.size(), k % element_kinds.size()>(registry), ...);
}

}  // namespace

void register_lapack_calls(OpRegistry& registry) {
  OpDef op = custom_call_target(
      "tridiagonal_solve_perturbed_ffi",
      "A system of tridiagonal matrices as JAX solves it on CPUs: @partita.tridiagonal_solve.");
  op.samples = {
      R"(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%a, %b, %c, %d) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
})"};
  add_expansion(registry, std::move(op), [](const Expansion& e) {
    expect_operand_count(e.context, 4);
    return LapackCall(e).routine("tridiagonal_solve", {{"perturb_singular", true}});
  });
  add_calls(registry, std::make_index_sequence<calls.size() * element_kinds.size()>());
}

}  // namespace partita::ir::ops
