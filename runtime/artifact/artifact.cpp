// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/artifact.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <iterator>
#include <utility>

#include "partita/artifact/plan_json.hpp"
#include "partita/artifact/target_format.hpp"
#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/nearest_name.hpp"
#include "runtime/artifact/library_fields.hpp"
#include "runtime/artifact/plan_fields.hpp"
#include "runtime/artifact/zip.hpp"

namespace partita {

using json::Reader;
using json::Writer;

template <class A>
void fields(A& a, Ref<A, KernelWork> x) {
  a.optional("operations", x.operations, 0);
  a.optional("f64_operations", x.f64_operations, 0);
  a.optional("matrix_flops", x.matrix_flops, 0);
  a.optional("buffer_bytes", x.buffer_bytes, std::vector<std::int64_t>{});
  a.optional("answers", x.answers, 0);
  a.optional("sum_bytes", x.sum_bytes, 0);
  a.optional("local_bytes", x.local_bytes, 0);
}

namespace {

constexpr std::string_view format_name = "partita artifact";

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A user error where no backend of this build has the target.
const TargetFormat& format_of(const std::string& target, const SourceLocation& where) {
  if (const TargetFormat* format = find_format(target)) return *format;
  std::string names;
  for (const TargetFormat& format : all_formats())
    names += cat(names.empty() ? "" : ", ", format.target);
  throw_user_error(cat("expected an artifact for a target that is built in (", names,
                       "), found one for '", target, "'"),
                   where);
}

/// What an artifact needs that is read by those alone who know it (docs/decisions/0016-format-and-abi.md).
constexpr std::string_view variants_need = "variants", mesh_need = "mesh",
                           functions_need = "functions", calls_need = "calls";

/// Where the entries of a variant lie.
class VariantPaths {
 public:
  /// `folder`: of its function; of another variant than the function's first, the one within that.
  VariantPaths(const TargetFormat& format, std::string folder)
      : format_(format), folder_(std::move(folder)) {}

  [[nodiscard]] std::string plan() const { return cat(folder_, "plan.json"); }
  [[nodiscard]] std::string module(const std::string& name) const {
    return cat(folder_, "kernels/", name, format_.text_extension);
  }
  [[nodiscard]] std::string binary(const std::string& name) const {
    return cat(folder_, format_.target, "/",
               format_.binary_file == nullptr ? name : format_.binary_file(name));
  }

 private:
  const TargetFormat& format_;
  std::string folder_;
};

/// Of a function by its place, the first of which lies at the top.
std::string function_folder(std::size_t index) {
  return index == 0 ? "" : cat("functions/", index, "/");
}
std::string variant_folder(const std::string& function, DeviceClass c) {
  return cat(function, "variants/", to_string(c), "/");
}
std::string ir_entry(const std::string& function) { return cat(function, "ir/main.mlir"); }
std::string shardings_entry(const std::string& function) {
  return cat(function, "ir/shardings.txt");
}

struct Property {
  std::string key, value;
  friend bool operator==(const Property&, const Property&) = default;
};
template <class A>
void fields(A& a, Ref<A, Property> x) {
  a("key", x.key);
  a("value", x.value);
}

struct KernelRow {
  std::string name;
  int module = 0;
  KernelWork work = {};
  friend bool operator==(const KernelRow&, const KernelRow&) = default;
};
template <class A>
void fields(A& a, Ref<A, KernelRow> x) {
  a("name", x.name);
  a("module", x.module);
  a.optional("work", x.work, KernelWork{});
}

/// What the manifest says of a variant: of the first as members of its own.
struct VariantRows {
  std::string device_class{to_string(DeviceClass::multicore)};
  std::int64_t arena_bytes = 0;
  std::vector<std::string> modules;
  std::vector<KernelRow> kernels;
  std::vector<std::string> binaries;
  LibrarySettings library;
  friend bool operator==(const VariantRows&, const VariantRows&) = default;
};
template <class A>
void fields(A& a, Ref<A, VariantRows> x) {
  a.optional("class", x.device_class, std::string(to_string(DeviceClass::multicore)));
  a("arena_bytes", x.arena_bytes);
  a("modules", x.modules);
  a("kernels", x.kernels);
  a.optional("binaries", x.binaries, std::vector<std::string>{});
  a.optional("library", x.library, LibrarySettings{});
}

/// What the manifest says of a function: of the first as members of its own, among those of the artifact.
struct FunctionRows {
  std::string name;
  std::vector<PortInfo> inputs, outputs;  // for readers of the file; the plan's count
  VariantRows first;
  std::vector<Property> properties;
  std::vector<VariantRows> others;
  friend bool operator==(const FunctionRows&, const FunctionRows&) = default;
};
template <class A>
void fields(A& a, Ref<A, FunctionRows> x) {
  a("name", x.name);
  a("inputs", x.inputs);
  a("outputs", x.outputs);
  fields(a, x.first);
  a("properties", x.properties);
  a.optional("variants", x.others, std::vector<VariantRows>{});
}

/// manifest.json; plan, kernel text and constants lie beside it.
struct Manifest {
  std::string format{format_name};
  int format_major = Artifact::format_major, format_minor = Artifact::format_minor;
  std::vector<std::string> needs;
  std::string target, module_name, content_hash;
  std::vector<Type> constants;
  FunctionRows first;
  std::vector<FunctionRows> others;
};
template <class A>
void fields(A& a, Ref<A, Manifest> x) {
  a("format", x.format);
  a("format_major", x.format_major);
  a("format_minor", x.format_minor);
  a.optional("needs", x.needs, std::vector<std::string>{});
  a("target", x.target);
  a("module", x.module_name);
  a("content_hash", x.content_hash);
  a.optional("function", x.first.name, std::string("main"));
  a("inputs", x.first.inputs);
  a("outputs", x.first.outputs);
  fields(a, x.first.first);
  a("constants", x.constants);
  a("properties", x.first.properties);
  a.optional("variants", x.first.others, std::vector<VariantRows>{});
  a.optional("functions", x.others, std::vector<FunctionRows>{});
}

VariantRows rows_of(const Variant& variant) {
  VariantRows rows;
  rows.device_class = to_string(variant.device_class);
  rows.arena_bytes = variant.plan.arena_bytes;
  for (const KernelModule& module : variant.modules) rows.modules.push_back(module.name);
  for (const KernelEntry& kernel : variant.kernels)
    rows.kernels.push_back({kernel.name, kernel.module, kernel.work});
  for (const KernelBinary& binary : variant.binaries) rows.binaries.push_back(binary.name);
  rows.library = variant.library;
  return rows;
}

FunctionRows rows_of(const FunctionCode& function) {
  FunctionRows rows;
  rows.name = function.name;
  rows.inputs = function.plan.inputs;
  rows.outputs = function.plan.outputs;
  rows.first = rows_of(static_cast<const Variant&>(function));
  for (const auto& [key, value] : function.properties) rows.properties.push_back({key, value});
  for (const Variant& variant : function.others) rows.others.push_back(rows_of(variant));
  return rows;
}

/// Whether kernels call routines: a reader that did not know would launch them without.
bool makes_calls(const Steps& steps) {
  return std::ranges::any_of(steps, [](const Step& s) {
    if (const auto* x = std::get_if<Launch>(&s.what)) return !x->calls.empty();
    if (const auto* x = std::get_if<For>(&s.what)) return makes_calls(x->body);
    if (const auto* x = std::get_if<While>(&s.what))
      return makes_calls(x->condition) || makes_calls(x->body);
    const auto* x = std::get_if<Case>(&s.what);
    return x != nullptr && std::ranges::any_of(x->branches, [](const Steps& branch) {
             return makes_calls(branch);
           });
  });
}

Manifest manifest_of(const Artifact& artifact, std::string hash) {
  Manifest m;
  m.target = artifact.target;
  m.module_name = artifact.module_name;
  m.content_hash = std::move(hash);
  m.first = rows_of(static_cast<const FunctionCode&>(artifact));
  for (const Constant& constant : artifact.constants) m.constants.push_back(constant->type);
  for (const FunctionCode& function : artifact.functions) m.others.push_back(rows_of(function));
  const std::vector<const FunctionCode*> functions = functions_of(artifact);
  if (std::ranges::any_of(functions, [](const auto* f) { return !f->plan.mesh.empty(); }))
    m.needs.emplace_back(mesh_need);
  if (std::ranges::any_of(functions, [](const auto* f) { return !f->others.empty(); }))
    m.needs.emplace_back(variants_need);
  if (functions.size() > 1) m.needs.emplace_back(functions_need);
  if (std::ranges::any_of(functions, [](const FunctionCode* f) {
        return std::ranges::any_of(variants_of(*f),
                                   [](const Variant* v) { return makes_calls(v->plan.steps); });
      }))
    m.needs.emplace_back(calls_need);
  return m;
}

void add(Hasher& hasher, const Variant& variant, std::string_view plan_text) {
  hasher.add(plan_text);
  for (const KernelModule& module : variant.modules) {
    hasher.add(module.name);
    hasher.add(module.source);
  }
  for (const KernelEntry& kernel : variant.kernels) {
    hasher.add(kernel.name);
    hasher.add(std::int64_t(kernel.module));
  }
  for (const KernelBinary& binary : variant.binaries) {
    hasher.add(binary.name);
    hasher.add(std::span(binary.bytes));
  }
}

void add(Hasher& hasher, const LibrarySettings& library) {
  if (library != LibrarySettings{}) hasher.add(boost::json::serialize(Writer::value_of(library)));
}

/// Of functions in their order, of each its own and its others', the text of the plan.
using PlanTexts = std::vector<std::vector<std::string>>;

/// Whichever variant is the one that is meant.
void add(Hasher& hasher, const FunctionCode& function, const std::vector<std::string>& plans) {
  std::vector<std::pair<const Variant*, std::string_view>> variants;
  for (const Variant* variant : variants_of(function))
    variants.emplace_back(variant, plans[variants.size()]);
  std::ranges::sort(variants, {}, [](const auto& v) { return v.first->device_class; });
  for (const auto& [variant, plan] : variants) {
    if (variant != variants.front().first) hasher.add(to_string(variant->device_class));
    add(hasher, *variant, plan);
  }
}

void add_libraries(Hasher& hasher, const FunctionCode& function) {
  std::vector<const Variant*> variants = variants_of(function);
  std::ranges::sort(variants, {}, &Variant::device_class);
  for (const Variant* variant : variants) add(hasher, variant->library);
}

std::string hash_of(const Artifact& artifact, const PlanTexts& plans) {
  const std::vector<const FunctionCode*> functions = functions_of(artifact);
  Hasher hasher;
  hasher.add(artifact.target);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    if (functions.size() > 1) hasher.add(functions[f]->name);
    add(hasher, *functions[f], plans[f]);
  }
  for (const Constant& constant : artifact.constants) {
    hasher.add(to_string(constant->type));
    hasher.add(std::span(constant->bytes));
  }
  for (const FunctionCode* function : functions) add_libraries(hasher, *function);
  return hasher.hex();
}

PlanTexts plan_texts(const Artifact& artifact) {
  PlanTexts texts;
  for (const FunctionCode* function : functions_of(artifact)) {
    std::vector<std::string>& own = texts.emplace_back();
    for (const Variant* variant : variants_of(*function))
      own.push_back(plan_to_json(variant->plan));
  }
  return texts;
}

// Takes an artifact apart; everything it throws is a user error at the artifact's name.
class ArtifactReader {
 public:
  ArtifactReader(std::span<const std::byte> bytes, const std::string& name)
      : name_(name), zip_(bytes, name) {}

  Artifact read() {
    const Manifest manifest = read_manifest();
    Artifact artifact;
    const TargetFormat& format = format_of(manifest.target, {.file = name_});
    artifact.target = manifest.target;
    artifact.module_name = manifest.module_name;
    PlanTexts plans;
    read_function(manifest.first, format, artifact, plans);
    for (const FunctionRows& rows : manifest.others)
      read_function(rows, format, artifact.functions.emplace_back(), plans);
    for (std::size_t i = 0; i < manifest.constants.size(); ++i) {
      HostArray constant;
      constant.type = manifest.constants[i];
      constant.bytes = bytes(cat("constants/", i, ".bin"));
      artifact.constants.push_back(std::make_shared<HostArray>(std::move(constant)));
    }
    if (const auto problem = find_problem(artifact)) fail(*problem);
    if (hash_of(artifact, plans) != manifest.content_hash)
      fail(cat("content hash: expected ", manifest.content_hash, ", found ",
               hash_of(artifact, plans)));
    return artifact;
  }

 private:
  [[nodiscard]] DeviceClass class_of(const VariantRows& rows) const {
    for (const DeviceClass c : {DeviceClass::multicore, DeviceClass::simt})
      if (to_string(c) == rows.device_class) return c;
    fail(cat("expected a class of devices that this version knows, found '", rows.device_class,
             "'"));
  }

  /// The next one.
  void read_function(const FunctionRows& rows, const TargetFormat& format, FunctionCode& function,
                     PlanTexts& plans) {
    const std::string folder = function_folder(plans.size());
    std::vector<std::string>& own = plans.emplace_back();
    function.name = rows.name;
    read_variant(rows.first, VariantPaths(format, folder), function, own);
    for (const VariantRows& other : rows.others)
      read_variant(other, VariantPaths(format, variant_folder(folder, class_of(other))),
                   function.others.emplace_back(), own);
    for (const Property& p : rows.properties) function.properties.emplace_back(p.key, p.value);
    function.ir = text(ir_entry(folder));
    if (zip_.find(shardings_entry(folder)) >= 0) function.shardings = text(shardings_entry(folder));
  }

  void read_variant(const VariantRows& rows, const VariantPaths& paths, Variant& variant,
                    std::vector<std::string>& plans) {
    variant.device_class = class_of(rows);
    for (const std::string& module : rows.modules)
      variant.modules.push_back({module, text(paths.module(module))});
    for (const KernelRow& kernel : rows.kernels)
      variant.kernels.push_back({kernel.name, kernel.module, kernel.work});
    for (const std::string& binary : rows.binaries)
      variant.binaries.push_back({binary, bytes(paths.binary(binary))});
    variant.library = rows.library;
    plans.push_back(text(paths.plan()));
    variant.plan = plan_from_json(plans.back(), cat(name_, ": ", paths.plan()));
  }

  Manifest read_manifest() {
    if (zip_.find("manifest.json") < 0) fail("expected a partita artifact, found no manifest.json");
    const std::string where = cat(name_, ": manifest.json");
    const boost::json::value value = json::parse(text("manifest.json"), where);
    // The version comes first: what follows may be another version's.
    const json::Path root{.name = where};
    Manifest manifest;
    Reader reader(value, root);
    reader("format", manifest.format);
    if (manifest.format != format_name)
      fail(cat("expected a partita artifact, found format ", manifest.format));
    reader("format_major", manifest.format_major);
    if (manifest.format_major != Artifact::format_major)
      fail(
          cat("expected artifact format ", Artifact::format_major, ", found format ",
              manifest.format_major,
              manifest.format_major > Artifact::format_major ? " (a newer partita wrote it)" : ""));
    reader.optional("needs", manifest.needs, std::vector<std::string>{});
    for (const std::string& need : manifest.needs)
      if (need != variants_need && need != mesh_need && need != functions_need &&
          need != calls_need)
        fail(cat("expected an artifact without needs that this version does not know, found '",
                 need, "' (a newer partita wrote it)"));
    fields(reader, manifest);
    return manifest;
  }

  std::vector<std::byte> bytes(const std::string& entry) {
    const int index = zip_.find(entry);
    if (index < 0) fail(cat("expected an entry ", entry, ", found none"));
    return zip_.read(index);
  }
  std::string text(const std::string& entry) { return std::string(as_text(bytes(entry))); }
  [[noreturn]] void fail(const std::string& message) const {
    throw_user_error(message, {.file = name_});
  }

  const std::string& name_;
  ZipReader zip_;
};

/// The numbers in the artifact of constants, which it holds afterwards; those that are equal to ones it has are these.
std::vector<int> add_constants(Artifact& artifact, const std::vector<Constant>& constants) {
  std::vector<int> numbers;
  for (const Constant& constant : constants) {
    const auto equal = std::ranges::find_if(artifact.constants, [&](const Constant& held) {
      return held == constant || (held->type == constant->type && held->bytes == constant->bytes);
    });
    numbers.push_back(int(equal - artifact.constants.begin()));
    if (equal == artifact.constants.end()) artifact.constants.push_back(constant);
  }
  return numbers;
}

/// `numbers`: by the number that a constant had.
void renumber_constants(Plan& plan, const std::vector<int>& numbers) {
  for (Buffer& buffer : plan.buffers)
    if (buffer.kind == BufferKind::constant) buffer.index = numbers[std::size_t(buffer.index)];
}
void renumber_constants(FunctionCode& function, const std::vector<int>& numbers) {
  renumber_constants(function.plan, numbers);
  for (Variant& other : function.others) renumber_constants(other.plan, numbers);
}

}  // namespace

std::string content_hash(const Artifact& artifact) {
  return hash_of(artifact, plan_texts(artifact));
}

std::vector<const FunctionCode*> functions_of(const Artifact& artifact) {
  std::vector<const FunctionCode*> functions{&artifact};
  for (const FunctionCode& function : artifact.functions) functions.push_back(&function);
  return functions;
}

std::vector<const Variant*> variants_of(const FunctionCode& function) {
  std::vector<const Variant*> variants{&function};
  for (const Variant& other : function.others) variants.push_back(&other);
  return variants;
}

std::vector<std::string> function_names(const Artifact& artifact) {
  std::vector<std::string> names;
  for (const FunctionCode* function : functions_of(artifact)) names.push_back(function->name);
  return names;
}

Artifact one_function(const Artifact& artifact, const std::string& name) {
  const std::vector<const FunctionCode*> functions = functions_of(artifact);
  const auto found = std::ranges::find(functions, name, &FunctionCode::name);
  if (found == functions.end())
    throw_user_error(
        cat("function '", name, "': expected one of ", quoted_names(function_names(artifact))));
  Artifact one;
  static_cast<FunctionCode&>(one) = **found;
  one.target = artifact.target;
  one.module_name = artifact.module_name;
  std::vector<int> numbers(artifact.constants.size(), -1);
  for (const Variant* variant : variants_of(one))
    for (const Buffer& buffer : variant->plan.buffers) {
      if (buffer.kind != BufferKind::constant) continue;
      int& number = numbers[std::size_t(buffer.index)];
      if (number >= 0) continue;
      number = int(one.constants.size());
      one.constants.push_back(artifact.constants[std::size_t(buffer.index)]);
    }
  renumber_constants(one, numbers);
  return one;
}

void add_functions(Artifact& artifact, Artifact other) {
  if (other.target != artifact.target)
    throw_user_error(cat("function '", other.name, "': expected one for target ", artifact.target,
                         ", found one for ", other.target));
  const std::vector<std::string> names = function_names(artifact);
  for (const std::string& name : function_names(other))
    if (std::ranges::find(names, name) != names.end())
      throw_user_error(cat("expected functions of distinct names, found '", name, "' twice"));
  const std::vector<int> numbers = add_constants(artifact, other.constants);
  const std::size_t first_added = artifact.functions.size();
  artifact.functions.push_back(std::move(static_cast<FunctionCode&>(other)));
  std::ranges::move(other.functions, std::back_inserter(artifact.functions));
  for (std::size_t f = first_added; f < artifact.functions.size(); ++f)
    renumber_constants(artifact.functions[f], numbers);
}

void select_variant(FunctionCode& function, DeviceClass device_class) {
  for (Variant& other : function.others)
    if (other.device_class == device_class && function.device_class != device_class)
      return std::swap(static_cast<Variant&>(function), other);
}

void add_variant(Artifact& artifact, Artifact other) {
  renumber_constants(other.plan, add_constants(artifact, other.constants));
  artifact.others.push_back(std::move(static_cast<Variant&>(other)));
}

std::vector<std::byte> serialize_artifact(const Artifact& artifact) {
  if (const auto problem = find_problem(artifact))
    throw_internal_error(cat("artifact: ", *problem));
  const TargetFormat& format = format_of(artifact.target, {});
  const PlanTexts plans = plan_texts(artifact);
  const std::string manifest =
      json::pretty(Writer::value_of(manifest_of(artifact, hash_of(artifact, plans))));
  std::vector<ZipItem> items{{"manifest.json", as_bytes(manifest)}};
  const auto add_code = [&](const Variant& variant, const VariantPaths& paths,
                            const std::string& plan) {
    items.push_back({paths.plan(), as_bytes(plan)});
    for (const KernelModule& module : variant.modules)
      items.push_back({paths.module(module.name), as_bytes(module.source)});
    for (const KernelBinary& binary : variant.binaries)
      items.push_back({paths.binary(binary.name), binary.bytes});
  };
  const std::vector<const FunctionCode*> functions = functions_of(artifact);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const std::string folder = function_folder(f);
    const std::vector<const Variant*> variants = variants_of(*functions[f]);
    for (std::size_t i = 0; i < variants.size(); ++i)
      add_code(
          *variants[i],
          VariantPaths(format, i == 0 ? folder : variant_folder(folder, variants[i]->device_class)),
          plans[f][i]);
  }
  for (std::size_t i = 0; i < artifact.constants.size(); ++i)
    items.push_back({cat("constants/", i, ".bin"), artifact.constants[i]->bytes});
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const std::string folder = function_folder(f);
    items.push_back({ir_entry(folder), as_bytes(functions[f]->ir)});
    if (const std::string& shardings = functions[f]->shardings; !shardings.empty())
      items.push_back({shardings_entry(folder), as_bytes(shardings)});
  }
  return write_zip(items);
}

Artifact parse_artifact(std::span<const std::byte> bytes, const std::string& name_for_errors) {
  try {
    return ArtifactReader(bytes, name_for_errors).read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::user) throw;
    throw_user_error(cat("damaged artifact: ", error.what()), {.file = name_for_errors});
  } catch (const std::bad_alloc&) {
    throw_user_error("expected an artifact that fits in memory, found a larger one",
                     {.file = name_for_errors});
  }
}

void save_artifact(const Artifact& artifact, const std::filesystem::path& path) {
  write_file(path, serialize_artifact(artifact));
}

Artifact load_artifact(const std::filesystem::path& path) {
  return parse_artifact(read_file(path), path.string());
}

}  // namespace partita
