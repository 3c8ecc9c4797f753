// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/object_interface.hpp"

#include <algorithm>
#include <set>

#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

namespace {

/// Words that C or C++ keep, as far as names of arguments may meet them.
constexpr std::string_view keywords[] = {
    "alignas",  "alignof",   "and",       "and_eq",  "asm",      "auto",      "bitand",
    "bitor",    "bool",      "break",     "case",    "catch",    "char",      "class",
    "compl",    "const",     "continue",  "default", "delete",   "do",        "double",
    "else",     "enum",      "explicit",  "export",  "extern",   "false",     "float",
    "for",      "friend",    "goto",      "if",      "inline",   "int",       "long",
    "mutable",  "namespace", "new",       "not",     "not_eq",   "operator",  "or",
    "or_eq",    "private",   "protected", "public",  "register", "restrict",  "return",
    "short",    "signed",    "sizeof",    "static",  "struct",   "switch",    "template",
    "this",     "throw",     "true",      "try",     "typedef",  "typeid",    "typename",
    "typeof",   "union",     "unsigned",  "using",   "virtual",  "void",      "volatile",
    "while",    "xor",       "xor_eq",    "concept", "requires", "constexpr", "nullptr",
    "noexcept", "decltype",  "linux",     "unix",    "asm"};

std::string ctype_of(DType d) {
  const DTypeInfo& stored = info(info(part_dtype(d)).stored);
  if (stored.kind == Kinds::floating) return stored.bits == 32 ? "float" : "double";
  return cat(stored.kind == Kinds::unsigned_ ? "uint" : "int", stored.bits, "_t");
}

std::string note_of(DType d) {
  if (d == DType::i1) return ", 0 or 1";
  if (is_small_float(d)) return cat(", bits of ", to_string(d));
  if (is_narrow_integer(d)) return cat(", values of ", to_string(d));
  if (is_complex(d)) return ", real and imaginary parts by turns";
  return {};
}

/// A comment cannot end early, nor a line go on.
std::string for_comment(std::string text) {
  for (char& c : text)
    if (c == '*' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

std::string c_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

ObjectPort port_of(const PortInfo& info_of, const std::string& fallback,
                   std::set<std::string>& taken) {
  std::string name = identifier(info_of.name.empty() ? fallback : info_of.name);
  if (std::ranges::find(keywords, name) != std::end(keywords)) name += "_";
  const std::string stem = name;
  for (int k = 1; !taken.insert(upper(name)).second; ++k) name = cat(stem, "_", k);
  const DType d = info_of.type.dtype;
  return {.name = name,
          .ctype = ctype_of(d),
          .parts = is_complex(d) ? 2 : 1,
          .type = info_of.type,
          .alignment = std::int64_t(byte_size(d))};
}

std::string port_line(const ObjectPort& port, std::string_view direction) {
  return cat(" *   ", port.name, " (", direction, "): ", for_comment(to_string(port.type)), ", ",
             port.type.count() * port.parts, " ", port.ctype, note_of(port.type.dtype), "\n");
}

std::string declaration(const std::string& prefix, const ObjectEntry& e) {
  const std::string macro = upper(e.symbol);
  std::string text = cat("\n/* ", for_comment(e.name), ":\n");
  for (const ObjectPort& p : e.inputs) text += port_line(p, "in");
  for (const ObjectPort& p : e.outputs) text += port_line(p, "out");
  text += cat(" * gives ", upper(prefix), "_OK or what went wrong. */\n");
  text += cat("#define ", macro, "_ARENA_BYTES ", e.arena_bytes, "\n#define ", macro,
              "_ARENA_ALIGNMENT ", arena_alignment, "\n");
  for (const auto* ports : {&e.inputs, &e.outputs})
    for (const ObjectPort& p : *ports)
      text += cat("#define ", macro, "_", upper(p.name), "_COUNT ", p.type.count() * p.parts, "\n");
  for (std::size_t k = 0; k < e.checks.size(); ++k)
    text += cat("#define ", macro, "_CHECK_", k, " ", e.first_check + int(k), " /* ",
                for_comment(e.checks[k]), " */\n");
  text += cat("int ", e.symbol, parameters(e), ";\n");
  text +=
      cat("/* Memory for an arena, to be given to free(); a null pointer where there is none. */\n",
          "void* ", e.symbol, "_new_arena(void);\n");
  return text;
}

std::string status_text(const std::string& prefix, const std::vector<ObjectEntry>& entries) {
  std::string text =
      cat("static inline const char* ", prefix, "_status_text(int status) {\n  switch (status) {\n",
          "    case 0: return \"no error\";\n    case 1: return \"out of memory\";\n",
          "    case 2: return \"an address is null or not aligned\";\n");
  for (const ObjectEntry& e : entries)
    for (std::size_t k = 0; k < e.checks.size(); ++k)
      text += cat("    case ", e.first_check + int(k), ": return ", c_string(e.checks[k]), ";\n");
  return text + "    default: return \"unknown status\";\n  }\n}\n";
}

}  // namespace

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return text;
}

std::string identifier(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    result += is_letter || (c >= '0' && c <= '9') ? c : '_';
  }
  if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result = "p" + result;
  // Names that begin with an underscore belong to the implementation.
  if (result[0] == '_') result = "p" + result;
  return result;
}

ObjectEntry entry_of(const std::string& prefix, const std::string& function, const Plan& plan) {
  ObjectEntry entry{.name = function, .symbol = cat(prefix, "_", identifier(function))};
  std::set<std::string> taken{"ARENA", "PARALLEL"};
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    entry.inputs.push_back(port_of(plan.inputs[i], cat("arg", i), taken));
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    entry.outputs.push_back(port_of(plan.outputs[i], cat("out", i), taken));
  return entry;
}

std::string parameters(const ObjectEntry& entry) {
  std::string text = "(";
  for (const ObjectPort& p : entry.inputs) text += cat("const ", p.ctype, "* ", p.name, ", ");
  for (const ObjectPort& p : entry.outputs) text += cat(p.ctype, "* ", p.name, ", ");
  return text + "void* arena, const partita_parallel* parallel)";
}

std::string parallel_type() {
  return R"(#ifndef PARTITA_PARALLEL
#define PARTITA_PARALLEL
/* How a host lends threads: run(context, parts, job, data) calls job(data, part) once for each part in
 * [0, parts), in any order, on any threads, and returns when all calls have ended. */
typedef struct partita_parallel {
  int parts; /* most parts at a time */
  void* context;
  void (*run)(void* context, int parts, void (*job)(void* data, int part), void* data);
} partita_parallel;
#endif
)";
}

std::string object_header(const std::string& prefix, const std::vector<ObjectEntry>& entries,
                          const std::string& level, const std::vector<std::string>& needs) {
  const std::string macro = upper(prefix);
  std::string libraries = "libc and libm";
  for (const std::string& n : needs) libraries += cat(", ", n, " of a BLAS library");
  std::string text =
      cat("/* Made by partita for ", level, "; the code beside it needs ", libraries, ".\n", R"( *
 * Each function takes its arguments, then its results, then an arena and threads.  Arrays are dense
 * and row-major.  The caller owns all of them: arguments are only read, results are written whole and
 * overlap nothing else; nothing is kept after the call.  Addresses are aligned as the elements are
 * (complex numbers: as both parts together); that of an array without elements may be null.
 *
 * arena: scratch memory of ..._ARENA_BYTES bytes at a multiple of ..._ARENA_ALIGNMENT, whose content
 * does not matter; null: the call allocates it and frees it.  Calls on several threads at once are
 * allowed where each has its own results and its own arena.
 *
 * parallel: threads to use beside the caller's, or null for none.  Results do not depend on it.
 * Products by the BLAS library use its own threads. */
)");
  text +=
      cat("#ifndef PARTITA_OBJECT_", macro, "_H\n#define PARTITA_OBJECT_", macro,
          "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
          parallel_type(), "\n#define ", macro, "_OK 0\n#define ", macro,
          "_OUT_OF_MEMORY 1\n#define ", macro, "_BAD_ARGUMENT 2\n", status_text(prefix, entries));
  for (const ObjectEntry& e : entries) text += declaration(prefix, e);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace partita::cpu::codegen
