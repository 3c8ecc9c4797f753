// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/artifact.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <exception>

#include "partita/artifact/plan_json.hpp"
#include "partita/artifact/target_format.hpp"
#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "runtime/artifact/library_fields.hpp"
#include "runtime/artifact/plan_fields.hpp"
#include "runtime/artifact/zip.hpp"

namespace partita {

using json::Reader;
using json::Writer;

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

std::string module_path(const TargetFormat& format, const std::string& name) {
  return cat("kernels/", name, format.text_extension);
}

std::string binary_path(const TargetFormat& format, const std::string& name) {
  return cat(format.target, "/", format.binary_file == nullptr ? name : format.binary_file(name));
}

struct Property {
  std::string key, value;
};
template <class A>
void fields(A& a, Ref<A, Property> x) {
  a("key", x.key);
  a("value", x.value);
}

struct KernelRow {
  std::string name;
  int module = 0;
};
template <class A>
void fields(A& a, Ref<A, KernelRow> x) {
  a("name", x.name);
  a("module", x.module);
}

/// manifest.json; plan, kernel text and constants lie beside it.
struct Manifest {
  std::string format{format_name};
  int format_major = Artifact::format_major, format_minor = Artifact::format_minor;
  std::string target, module_name, content_hash;
  std::vector<PortInfo> inputs, outputs;  // for readers of the file; the plan's count
  std::int64_t arena_bytes = 0;
  std::vector<std::string> modules;
  std::vector<KernelRow> kernels;
  std::vector<std::string> binaries;
  std::vector<Type> constants;
  LibrarySettings library;
  std::vector<Property> properties;
};
template <class A>
void fields(A& a, Ref<A, Manifest> x) {
  a("format", x.format);
  a("format_major", x.format_major);
  a("format_minor", x.format_minor);
  a("target", x.target);
  a("module", x.module_name);
  a("content_hash", x.content_hash);
  a("inputs", x.inputs);
  a("outputs", x.outputs);
  a("arena_bytes", x.arena_bytes);
  a("modules", x.modules);
  a("kernels", x.kernels);
  a.optional("binaries", x.binaries, std::vector<std::string>{});
  a("constants", x.constants);
  a.optional("library", x.library, LibrarySettings{});
  a("properties", x.properties);
}

Manifest manifest_of(const Artifact& artifact, std::string hash) {
  Manifest m;
  m.target = artifact.target;
  m.module_name = artifact.module_name;
  m.content_hash = std::move(hash);
  m.inputs = artifact.plan.inputs;
  m.outputs = artifact.plan.outputs;
  m.arena_bytes = artifact.plan.arena_bytes;
  for (const KernelModule& module : artifact.modules) m.modules.push_back(module.name);
  for (const KernelEntry& kernel : artifact.kernels)
    m.kernels.push_back({kernel.name, kernel.module});
  for (const KernelBinary& binary : artifact.binaries) m.binaries.push_back(binary.name);
  for (const HostArray& constant : artifact.constants) m.constants.push_back(constant.type);
  m.library = artifact.library;
  for (const auto& [key, value] : artifact.properties) m.properties.push_back({key, value});
  return m;
}

std::string hash_of(const Artifact& artifact, std::string_view plan_text) {
  Hasher hasher;
  hasher.add(artifact.target);
  hasher.add(plan_text);
  for (const KernelModule& module : artifact.modules) {
    hasher.add(module.name);
    hasher.add(module.source);
  }
  for (const KernelEntry& kernel : artifact.kernels) {
    hasher.add(kernel.name);
    hasher.add(std::int64_t(kernel.module));
  }
  for (const KernelBinary& binary : artifact.binaries) {
    hasher.add(binary.name);
    hasher.add(std::span(binary.bytes));
  }
  for (const HostArray& constant : artifact.constants) {
    hasher.add(to_string(constant.type));
    hasher.add(std::span(constant.bytes));
  }
  if (artifact.library != LibrarySettings{})
    hasher.add(boost::json::serialize(Writer::value_of(artifact.library)));
  return hasher.hex();
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
    for (const std::string& module : manifest.modules)
      artifact.modules.push_back({module, text(module_path(format, module))});
    for (const KernelRow& kernel : manifest.kernels)
      artifact.kernels.push_back({kernel.name, kernel.module});
    for (const std::string& binary : manifest.binaries)
      artifact.binaries.push_back({binary, bytes(binary_path(format, binary))});
    for (std::size_t i = 0; i < manifest.constants.size(); ++i) {
      HostArray constant;
      constant.type = manifest.constants[i];
      constant.bytes = bytes(cat("constants/", i, ".bin"));
      artifact.constants.push_back(std::move(constant));
    }
    artifact.library = manifest.library;
    for (const Property& p : manifest.properties) artifact.properties.emplace_back(p.key, p.value);
    artifact.ir = text("ir/main.mlir");
    const std::string plan_text = text("plan.json");
    artifact.plan = plan_from_json(plan_text, cat(name_, ": plan.json"));
    if (const auto problem = find_problem(artifact)) fail(*problem);
    if (hash_of(artifact, plan_text) != manifest.content_hash)
      fail(cat("content hash: expected ", manifest.content_hash, ", found ",
               hash_of(artifact, plan_text)));
    return artifact;
  }

 private:
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
    std::vector<std::string> needs;  // docs/decisions/0016-format-and-abi.md
    reader.optional("needs", needs, std::vector<std::string>{});
    if (!needs.empty())
      fail(cat("expected an artifact without needs that this version does not know, found '",
               needs.front(), "' (a newer partita wrote it)"));
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

}  // namespace

std::string content_hash(const Artifact& artifact) {
  return hash_of(artifact, plan_to_json(artifact.plan));
}

std::vector<std::byte> serialize_artifact(const Artifact& artifact) {
  if (const auto problem = find_problem(artifact))
    throw_internal_error(cat("artifact: ", *problem));
  const TargetFormat& format = format_of(artifact.target, {});
  const std::string plan = plan_to_json(artifact.plan);
  const std::string manifest =
      json::pretty(Writer::value_of(manifest_of(artifact, hash_of(artifact, plan))));
  std::vector<ZipItem> items{{"manifest.json", as_bytes(manifest)}, {"plan.json", as_bytes(plan)}};
  for (const KernelModule& module : artifact.modules)
    items.push_back({module_path(format, module.name), as_bytes(module.source)});
  for (const KernelBinary& binary : artifact.binaries)
    items.push_back({binary_path(format, binary.name), binary.bytes});
  for (std::size_t i = 0; i < artifact.constants.size(); ++i)
    items.push_back({cat("constants/", i, ".bin"), artifact.constants[i].bytes});
  items.push_back({"ir/main.mlir", as_bytes(artifact.ir)});
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
