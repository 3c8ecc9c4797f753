// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The public entry points of the parsers: texts of several modules, portable artifacts, files.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "frontend/stablehlo/bytecode_module.hpp"
#include "frontend/stablehlo/module_reader.hpp"
#include "ir/core/verify.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/called_functions.hpp"
#include "partita/ir/partial_values.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

struct Piece {
  std::string_view text;
  int first_line;
};

// Pieces between lines that start with "// -----"; blank ones are left out.
std::vector<Piece> split_modules(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  int line = 1, first_line = 1;
  const auto add = [&](std::size_t end) {
    const std::string_view piece = text.substr(begin, end - begin);
    if (piece.find_first_not_of(" \t\r\n") != std::string_view::npos)
      pieces.push_back({piece, first_line});
  };
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.substr(at).starts_with("// -----")) {
      add(at);
      begin = end;
      first_line = line;
    }
    at = end + 1;
  }
  add(text.size());
  return pieces;
}

// Names from the text may hold anything; a message is one line.
std::string printable(std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return message;
}

}  // namespace

std::vector<std::unique_ptr<Module>> parse_modules(std::string_view text, std::string file,
                                                   const OpenArguments& open) {
  std::vector<std::unique_ptr<Module>> modules;
  const auto take = [&](auto& reader) {
    reader.read_for(open);
    modules.push_back(reader.read());
    drop_shardings_of_one_device(*modules.back());
    verify(*modules.back());
    split_partial_values(*modules.back());
  };
  try {
    if (is_bytecode(text)) {
      BytecodeModuleReader reader(std::as_bytes(std::span(text)), file);
      take(reader);
      return modules;
    }
    for (const Piece& piece : split_modules(text)) {
      ModuleReader reader(piece.text, file, piece.first_line);
      if (!reader.at(TokenKind::end)) take(reader);  // else: comments only
    }
  } catch (const Error& error) {
    throw Error(error.kind(), printable(error.what()), error.where());
  }
  if (modules.empty())
    throw_user_error("expected a module, found an empty text", {.file = std::move(file)});
  return modules;
}

std::unique_ptr<Module> parse_module(std::string_view text, std::string file,
                                     const OpenArguments& open) {
  auto modules = parse_modules(text, file, open);
  if (modules.size() != 1)
    throw_user_error(cat("expected one module, found ", modules.size()), {.file = std::move(file)});
  return std::move(modules.front());
}

std::vector<std::unique_ptr<Module>> read_modules(const std::filesystem::path& path,
                                                  const OpenArguments& open) {
  const std::vector<std::byte> bytes = read_file(path);
  return parse_modules({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(),
                       open);
}

std::unique_ptr<Module> read_module(const std::filesystem::path& path, const OpenArguments& open) {
  const std::vector<std::byte> bytes = read_file(path);
  return parse_module({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(),
                      open);
}

// --- As far as possible -------------------------------------------------------------------------

namespace {

std::exception_ptr printable(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    return std::make_exception_ptr(Error(e.kind(), printable(std::string(e.what())), e.where()));
  }
}

// Why functions are left out, by name, and who is left out because of whom.
class Refusals {
 public:
  explicit Refusals(std::vector<Refusal> read) {
    for (Refusal& refusal : read) add(refusal.function, refusal.error);
  }

  // Takes out functions until those that are left are correct.
  void take_from(Module& module) {
    std::set<const Function*> refused;
    do {
      refused.clear();
      for (const auto& f : module.functions)
        if (refuses(module, *f)) refused.insert(f.get());
      std::erase_if(module.functions, [&](const auto& f) { return refused.contains(f.get()); });
    } while (!refused.empty());
  }

  [[nodiscard]] std::vector<Refusal> list() const {
    std::vector<Refusal> all;
    for (const std::string& name : order_)
      if (!explained_.contains(name)) all.push_back({name, errors_.at(name)});
    return all;
  }

 private:
  void add(const std::string& name, const std::exception_ptr& error) {
    if (errors_.emplace(name, printable(error)).second) order_.push_back(name);
  }

  bool refuses(const Module& module, const Function& function) {
    std::exception_ptr error;
    for (const std::string& callee : called_functions(function)) {
      const auto found = errors_.find(callee);
      if (found == errors_.end()) continue;
      explained_.insert(callee);
      if (!error) error = found->second;
    }
    if (!error) {
      try {
        verify_function(module, function);
      } catch (const Error&) {
        error = std::current_exception();
      }
    }
    if (error) add(function.name, error);
    return error != nullptr;
  }

  std::vector<std::string> order_;
  std::map<std::string, std::exception_ptr> errors_;
  std::set<std::string> explained_;  // by a function that calls it
};

// Reader: of text or of bytecode.
template <class Reader>
PartialModule read_part(Reader& reader, const OpenArguments& open) {
  PartialModule result;
  try {
    reader.read_for(open);
    std::vector<Refusal> unread;
    auto module = reader.read_partially(unread);
    drop_shardings_of_one_device(*module);
    verify_module_level(*module);
    Refusals refusals(std::move(unread));
    refusals.take_from(*module);
    split_partial_values(*module);
    result.refusals = refusals.list();
    result.module = std::move(module);
  } catch (const Error&) {
    result.refusals.push_back({.function = {}, .error = printable(std::current_exception())});
  }
  return result;
}

}  // namespace

std::vector<PartialModule> read_partial_modules(const std::filesystem::path& path,
                                                const OpenArguments& open) {
  const std::vector<std::byte> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<PartialModule> all;
  const std::string file = path.string();
  if (is_bytecode(text)) {
    BytecodeModuleReader reader(bytes, file);
    all.push_back(read_part(reader, open));
    return all;
  }
  for (const Piece& piece : split_modules(text)) {
    ModuleReader reader(piece.text, file, piece.first_line);
    if (!reader.at(TokenKind::end)) all.push_back(read_part(reader, open));  // else: comments only
  }
  if (all.empty()) throw_user_error("expected a module, found an empty text", {.file = file});
  return all;
}

}  // namespace partita::ir
