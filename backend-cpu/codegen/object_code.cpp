// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/object_code.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "backend-cpu/codegen/object_interface.hpp"
#include "backend-cpu/codegen/plan_text.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
using namespace driver;
namespace {

/// What plans call; without includes, so that a compiler alone is enough.
constexpr std::string_view support = R"(
typedef void (*kernel_type)(i64, i64, void* const*, const i64*, const i64*);
int posix_memalign(void** memory, unsigned long alignment, unsigned long bytes);
void free(void* memory);
struct seconds_and_nanoseconds { long seconds, nanoseconds; };
int clock_gettime(int clock, struct seconds_and_nanoseconds* time);
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, f32 alpha, const f32* a, int lda,
                 const f32* b, int ldb, f32 beta, f32* c, int ldc);
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, f64 alpha, const f64* a, int lda,
                 const f64* b, int ldb, f64 beta, f64* c, int ldc);

static inline i64 nanoseconds(void) {
  struct seconds_and_nanoseconds now;
  clock_gettime(1, &now);
  return now.seconds * 1000000000L + now.nanoseconds;
}

struct launch {
  kernel_type kernel;
  void* const* buffers;
  const i64* offsets;
  const i64* scalars;
  i64 begin, end, parts;
};
static i64 bound_of(const struct launch* x, i64 part) {
  const i64 rest = x->end - x->begin, step = rest >= 512 * x->parts ? 64 : 1;
  return part == x->parts ? x->end : x->begin + rest * part / x->parts / step * step;
}
static void run_part(void* data, int part) {
  const struct launch* x = (const struct launch*)data;
  const i64 begin = bound_of(x, part), end = bound_of(x, part + 1);
  if (begin < end) x->kernel(begin, end, x->buffers, x->offsets, x->scalars);
}
/* A first part of the items shows what they cost: cheap launches stay on this thread. */
static __attribute__((noinline)) void share(kernel_type kernel, i64 items, void* const* buffers,
                                            const i64* offsets, const i64* scalars,
                                            const partita_parallel* parallel) {
  const i64 parts = parallel->parts;
  const i64 first = parts < 2 || items < 2 ? items : most(1, items / (8 * parts));
  const i64 start = nanoseconds();
  kernel(0, first, buffers, offsets, scalars);
  const i64 rest = items - first;
  if (rest == 0) return;
  if ((f64)(nanoseconds() - start) / (f64)first * (f64)rest < 20000.0) {
    kernel(first, items, buffers, offsets, scalars);
    return;
  }
  struct launch x = {kernel, buffers, offsets, scalars, first, items, parts};
  parallel->run(parallel->context, (int)parts, run_part, &x);
}
)";

/// Products without an inner dimension, which libraries treat differently.
constexpr std::string_view scale = R"(
#define scale_matrix(type, c, m, n, ldc, beta) \
  for (i64 i = 0; i < (m); ++i) \
    for (i64 j = 0; j < (n); ++j) \
      ((type*)(c))[i * (ldc) + j] = (beta) == 0 ? 0 : ((type*)(c))[i * (ldc) + j] * (type)(beta)
)";

/// The status of the first check; smaller ones are the call's own.
constexpr int first_check = 16;

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

/// Prints the plan of one function.  Constants are in the file of unit `unit`, or without a number in the
/// text itself.
class PlanPrinter final : public PlanText {
 public:
  PlanPrinter(const ObjectFunction& function, ObjectEntry& entry, std::set<std::string>& needs,
              std::optional<std::size_t> unit)
      : PlanText(function.artifact),
        entry_(entry),
        needs_(needs),
        unit_(unit),
        variables_(plan_.variables.size()) {}

  ObjectUnit print() {
    if (mesh_shards(plan_) > 1)
      throw_user_error(
          cat("an object file: expected a program of one shard, found one of a mesh of ",
              mesh_shards(plan_)));
    lay_out();
    steps(plan_.steps);
    std::string source = parallel_type();
    for (const KernelModule& m : artifact_.modules) {
      // Declared so beforehand, they are this unit's own; and one each: a copy for known arguments might
      // add in another order, and threads would make a difference.
      std::string first;
      for (const KernelEntry& k : artifact_.kernels)
        first += cat("static __attribute__((noinline, noclone)) void partita_", k.name,
                     "(long, long, void* const*, const long*, const long*);\n");
      source += first + m.source;
    }
    source += cat("\n", support, scale, unit_ ? included_constants() : constants(),
                  "\nstatic int perform(const char* const* in, ",
                  "char* const* out, char* arena, const partita_parallel* parallel) {\n");
    for (std::size_t v = 0; v < variables_.size(); ++v)
      source += cat("  i64 x", v, " = ", c_number(variables_[v]), ";\n");
    source += cat(lines(), "  return 0;\n}\n", entry_points());
    if (!unit_) data_.clear();
    return {std::move(source), std::move(data_)};
  }

 private:
  // --- Memory ---
  /// One shard holds all partitions; blocks follow the arena.
  void lay_out() {
    for (const Placement& p : plan_.placements)
      if (p.end_variable >= 0) variables_[std::size_t(p.end_variable)] = p.size;
    std::int64_t end = 0;
    for (const Buffer& b : plan_.buffers)
      if (b.kind == BufferKind::arena) end = plan_.arena_bytes;
    for (const Constant& c : artifact_.constants) {
      constant_at_.push_back(std::int64_t(data_.size()));
      data_.insert(data_.end(), c->bytes.begin(), c->bytes.end());
      data_.resize(std::size_t(aligned(std::int64_t(data_.size()))));
    }
    for (const Buffer& b : plan_.buffers) {
      const std::int64_t bytes = b.count.evaluate(variables_) * std::int64_t(byte_size(b.dtype));
      std::string base;
      switch (b.kind) {
        case BufferKind::input:
          base = cat("(char*)in[", b.index, "]");
          break;
        case BufferKind::output:
          base = cat("out[", b.index, "]");
          break;
        case BufferKind::constant:
          base = cat("(char*)partita_constants + ", constant_at_[std::size_t(b.index)]);
          break;
        case BufferKind::arena:
          base = cat("arena + ", b.arena_offset);
          break;
        case BufferKind::spare:
          base = cat("out[", b.index, "] + ", b.arena_offset);
          break;
        case BufferKind::block:
          end = aligned(end);
          base = cat("arena + ", end);
          end += bytes;
      }
      bases_.push_back(std::move(base));
    }
    entry_.arena_bytes = aligned(end);
  }

  static std::int64_t aligned(std::int64_t bytes) {
    return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
  }

  std::string included_constants() const {
    if (data_.empty()) return {};
    return cat("\nextern const char partita_constants[] __attribute__((visibility(\"hidden\")));\n",
               "__asm__(\".section .rodata.partita,\\\"a\\\",@progbits\\n.balign ", arena_alignment,
               "\\npartita_constants:\\n.incbin \\\"", *unit_, ".bin\\\"\\n.text\\n\");\n");
  }

  /// As words, of which there are fewer to read than bytes.
  std::string constants() const {
    if (data_.empty()) return {};
    std::string text =
        cat("\nstatic const _Alignas(", arena_alignment, ") ui64 partita_constants[] = {");
    static_assert(arena_alignment % sizeof(std::uint64_t) == 0);
    for (std::size_t at = 0; at < data_.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, data_.data() + at, sizeof word);
      text += cat(at % 64 == 0 ? "\n  " : "", word, "u,");
    }
    return text + "\n};\n";
  }

  std::string base(int buffer) const override { return bases_[std::size_t(buffer)]; }
  void call(const std::string& kernel) override {
    line(cat("if (parallel) share(partita_", kernel, ", items, b, o, s, parallel);"));
    line(cat("else partita_", kernel, "(0, items, b, o, s);"));
  }
  // --- Steps ---
  void step(const Gemm& x) override {
    const bool is_double = x.dtype == DType::f64;
    if (!is_double && x.dtype != DType::f32)
      throw_user_error(
          cat("an object file: expected products of f32 or f64 by the BLAS library, "
              "found one of ",
              to_string(x.dtype), "; --gemm generated needs no library"));
    for (const std::int64_t n : {x.m, x.n, x.k, x.lda, x.ldb, x.ldc})
      if (n > std::numeric_limits<int>::max())
        throw_user_error(cat("an object file: expected extents of products below 2^31, found ", n,
                             "; --gemm generated has no such limit"));
    if (x.m == 0 || x.n == 0) return;
    const std::string type = is_double ? "f64" : "f32";
    const auto matrix = [&](const BufferRef& ref, std::int64_t stride) {
      return cat("(", type, "*)(", address(ref), ") + g * ", c_number(stride));
    };
    line(cat("for (i64 g = 0; g < ", value(x.batch), "; ++g)"));
    const std::string c = matrix(x.c, x.stride_c), beta = exact(x.beta);
    if (x.k == 0)
      return line(cat("  scale_matrix(", type, ", ", c, ", ", x.m, ", ", x.n, ", ", x.ldc, ", ",
                      beta, ");"));
    const std::string function = is_double ? "cblas_dgemm" : "cblas_sgemm";
    needs_.insert(function);
    line(cat("  ", function, "(101, ", x.transpose_a ? 112 : 111, ", ", x.transpose_b ? 112 : 111,
             ", ", x.m, ", ", x.n, ", ", x.k, ", ", exact(x.alpha), ", ", matrix(x.a, x.stride_a),
             ", ", x.lda, ", ", matrix(x.b, x.stride_b), ", ", x.ldb, ", ", beta, ", ", c, ", ",
             x.ldc, ");"));
  }

  void step(const Convolve& /*x*/) override {
    throw_internal_error("a convolution of the library in an object");
  }

  // Of one shard: the pieces hold the result already, and its block is the whole.
  void step(const AllReduceStart& /*x*/) override {}
  void step(const CollectiveDone& /*x*/) override {}
  void step(const AllGatherStart& x) override {
    const auto axis = std::ranges::find(plan_.placements, x.axis, &Placement::name);
    PARTITA_ASSERT(axis != plan_.placements.end());
    copy(x.from, x.to, axis->size * x.elements_per_partition);
  }

  void step(const GroupStart& x) override { copy(x.from, x.to, x.elements); }

  void step(const Check& x) override {
    line(cat("if (!", flag(x.condition), ") return ",
             entry_.first_check + int(entry_.checks.size()), ";"));
    entry_.checks.push_back(x.message);
  }

  void step(const HostCall& x) override {
    throw_user_error(
        cat("an object file: expected what kernels and the BLAS library compute, found a call of ",
            x.call.routine, ", which needs LAPACK through libpartita"));
  }

  void step(const FunctionCall& x) override {
    throw_user_error(
        cat("an object file: expected what kernels and the BLAS library compute, found a call of @",
            x.function, ", a function of the host, which needs libpartita"));
  }

  // --- Entry points ---
  std::string entry_points() const {
    std::string text = cat("\n#define uint8_t ui8\n#define uint16_t ui16\n#define uint32_t ui32\n",
                           "#define uint64_t ui64\n#define int8_t i8\n#define int16_t i16\n",
                           "#define int32_t i32\n#define int64_t i64\n\n");
    text += cat("void* ", entry_.symbol, "_new_arena(void) {\n  void* memory = 0;\n",
                "  return posix_memalign(&memory, ", arena_alignment, ", ",
                std::max<std::int64_t>(entry_.arena_bytes, 1), ") ? 0 : memory;\n}\n\n");
    text += cat("int ", entry_.symbol, parameters(entry_), " {\n");
    for (const auto* ports : {&entry_.inputs, &entry_.outputs})
      for (const ObjectPort& p : *ports)
        text += cat("  if ((unsigned long)", p.name, " % ", p.alignment,
                    p.type.count() > 0 ? cat(" || !", p.name) : "", ") return 2;\n");
    text += cat("  if ((unsigned long)arena % ", arena_alignment, ") return 2;\n");
    text += cat("  const char* const in[] = {", list(entry_.inputs, "(const char*)"), "};\n",
                "  char* const out[] = {", list(entry_.outputs, "(char*)"), "};\n");
    const bool has_arena = entry_.arena_bytes > 0;
    if (has_arena)
      text += cat("  void* own = 0;\n  if (!arena && !(arena = own = ", entry_.symbol,
                  "_new_arena())) return 1;\n");
    text += "  const int status = perform(in, out, (char*)arena, parallel);\n";
    if (has_arena) text += "  free(own);\n";
    return text + "  return status;\n}\n";
  }

  static std::string list(const std::vector<ObjectPort>& ports, std::string_view cast) {
    std::string text;
    for (const ObjectPort& p : ports) text += cat(text.empty() ? "" : ", ", cast, p.name);
    return text.empty() ? "0" : text;
  }

  ObjectEntry& entry_;
  std::set<std::string>& needs_;
  std::optional<std::size_t> unit_;
  std::vector<std::int64_t> variables_;  // values on the only shard, before the first step
  std::vector<std::int64_t> constant_at_;
  std::vector<std::string> bases_;  // address of each buffer
  std::vector<std::byte> data_;
};

}  // namespace

ObjectCode emit_object(const std::string& name, std::span<const ObjectFunction> functions,
                       const std::string& level) {
  const std::string prefix = identifier(name);
  std::vector<ObjectEntry> entries;
  std::vector<ObjectUnit> units;
  std::set<std::string> symbols{upper(prefix) + "_STATUS_TEXT"}, needs;
  int checks = first_check;
  for (const ObjectFunction& f : functions) {
    ObjectEntry entry = entry_of(prefix, f.name, f.artifact.plan);
    const bool is_new = symbols.insert(upper(entry.symbol)).second &&
                        symbols.insert(upper(entry.symbol) + "_NEW_ARENA").second;
    if (!is_new)
      throw_user_error(cat("an object file: expected functions whose C names differ, found ",
                           entry.symbol, " taken"));
    entry.first_check = checks;
    units.push_back(PlanPrinter(f, entry, needs, units.size()).print());
    checks += int(entry.checks.size());
    entries.push_back(std::move(entry));
  }
  const std::vector<std::string> linked(needs.begin(), needs.end());
  return {compile_relocatable(units, level), object_header(prefix, entries, level, linked), linked};
}

ObjectCode emit_c(const std::string& name, const ObjectFunction& function,
                  const std::string& level) {
  const std::string prefix = identifier(name);
  ObjectEntry entry = entry_of(prefix, function.name, function.artifact.plan);
  entry.first_check = first_check;
  std::set<std::string> needs;
  const ObjectUnit unit = PlanPrinter(function, entry, needs, std::nullopt).print();
  std::string text =
      cat("/* Made by partita for ", level, ": defines what the header declares.\n", " * flags:");
  for (const std::string& flag : compiler_flags(level)) text += cat(" ", flag);
  text += cat(" */\n", unit.source);
  const auto bytes = std::as_bytes(std::span(text));
  const std::vector<std::string> linked(needs.begin(), needs.end());
  return {{bytes.begin(), bytes.end()}, object_header(prefix, {entry}, level, linked), linked};
}

}  // namespace partita::cpu::codegen
