// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/host_compiler.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "backend-cpu/codegen/compiler_process.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/log.hpp"
#include "partita/base/temporary_folder.hpp"

namespace partita::cpu::codegen {

namespace {

namespace fs = std::filesystem;

/// No -ffast-math: the rows' text says what is computed.  No vectors out of straight-line code: gcc 12 takes
/// the mask of a truth value for its number there (docs/decisions/0011-promises-of-generated-code.md).
/// Loops are unrolled whole early on only where they are short, so that others become vectors as loops.
/// What a loop of whole vectors leaves is done element by element: half vectors for it cost a twelfth of the
/// time of compiling and were worth nothing (docs/cpu-backend.md).
const std::vector<std::string> common_flags{"-std=gnu11",
                                            "-O3",
                                            "-fno-tree-slp-vectorize",
                                            "--param=max-completely-peel-times=3",
                                            "--param=vect-epilogues-nomask=0",
                                            "-ffp-contract=off",
                                            "-fno-math-errno",
                                            "-fno-trapping-math",
                                            "-fno-strict-aliasing",
                                            "-fopenmp-simd",
                                            "-fPIC",
                                            "-fvisibility=default",
                                            "-fno-ident",
                                            "-fno-asynchronous-unwind-tables",
                                            "-w",
                                            "-pipe"};

/// Of gcc, without what took a tenth of the time of compiling and was worth nothing (docs/cpu-backend.md).
const std::vector<std::string> gcc_flags{
    "-fno-loop-unroll-and-jam",
    "-fira-region=one",
    "--param=max-unswitch-level=1",
};

/// Of gcc, for plain kernels: vectors, ranges of indices, which their loops go by, and functions in line.
const std::vector<std::string> plain_flags{"-O1", "-ftree-loop-vectorize",
                                           "-fvect-cost-model=dynamic", "-ftree-vrp",
                                           "--param=max-inline-insns-single=200"};

/// Of gcc, with little effort: besides those, what makes loops and functions fit for vectors.  Where all of a program is compiled
/// so, that takes 0.7 of the time, and runs take 0.9 to 1.2 times as long (docs/cpu-backend.md).
const std::vector<std::string> little_flags{
    "-fsplit-loops", "-funswitch-loops", "-fversion-loops-for-strides", "-ftree-loop-distribution",
    "-fpeel-loops",  "-fthread-jumps",   "-finline-small-functions"};

std::vector<std::string> level_flags(const std::string& level) {
  if (level == "generic") return {};
  std::vector<std::string> flags{"-march=" + level};
  if (level == "x86-64-v4") flags.emplace_back("-mprefer-vector-width=512");
  return flags;
}

/// The first program of that name in PATH, or nothing.
std::optional<fs::path> find_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return fs::canonical(name, ignored);
    return std::nullopt;
  }
  std::string path = environment("PATH").value_or("/usr/bin:/bin");
  while (true) {
    const std::size_t colon = path.find(':');
    const fs::path candidate = fs::path(path.substr(0, colon)) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored))
      return candidate;
    if (colon == std::string::npos) return std::nullopt;
    path.erase(0, colon + 1);
  }
}

/// Nothing where there is none.
std::optional<fs::path> look_for_compiler() {
  if (const auto named = environment("PARTITA_CC")) return find_program(*named);
  for (const char* name : {"cc", "gcc", "clang"})
    if (auto found = find_program(name)) return found;
  return std::nullopt;
}

fs::path find_compiler() {
  if (const auto found = look_for_compiler()) return *found;
  if (const auto named = environment("PARTITA_CC"))
    throw_device_error(cat("PARTITA_CC: expected a C compiler, found no program ", *named));
  throw_device_error(
      "target cpu: expected a C compiler in PATH (cc, gcc or clang), found none (install gcc, or "
      "name one in PARTITA_CC)");
}

/// What tells one compiler from another without running it.
std::string identity_of(const fs::path& compiler) {
  std::error_code ignored;
  const fs::path file = fs::canonical(compiler, ignored);
  struct stat status = {};
  ::stat(file.c_str(), &status);
  return cat(file.string(), " ", status.st_size, " ", status.st_mtim.tv_sec);
}

fs::path cache_folder() {
  const char* const set = std::getenv("PARTITA_CACHE_DIR");
  const fs::path folder = set != nullptr ? fs::path(set) : user_cache_folder();
  return folder.empty() ? folder : folder / "cpu";
}

std::optional<std::vector<std::byte>> read_cached(const fs::path& entry) {
  std::error_code ignored;
  if (entry.empty() || !fs::is_regular_file(entry, ignored)) return std::nullopt;
  try {
    // The payload, then its hash: a file that was cut short or changed is compiled anew.
    std::vector<std::byte> bytes = read_file(entry);
    constexpr std::size_t digits = 16;
    if (bytes.size() <= digits) return std::nullopt;
    const std::string hash(reinterpret_cast<const char*>(bytes.data() + bytes.size() - digits),
                           digits);
    bytes.resize(bytes.size() - digits);
    Hasher hasher;
    hasher.add(std::span<const std::byte>(bytes));
    if (hasher.hex() != hash) return std::nullopt;
    return bytes;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void store_cached(const fs::path& entry, const std::vector<std::byte>& bytes) {
  if (entry.empty()) return;
  std::error_code ignored;
  fs::create_directories(entry.parent_path(), ignored);
  Hasher hasher;
  hasher.add(std::span<const std::byte>(bytes));
  const std::string hash = hasher.hex();
  std::vector<std::byte> file = bytes;
  const auto tail = std::as_bytes(std::span(hash));
  file.insert(file.end(), tail.begin(), tail.end());
  try {
    write_file(entry, file);
  } catch (const Error& error) {
    log(LogLevel::info, cat("machine code not cached: ", error.what()));
  }
}

/// How units' objects become one file.
struct Link {
  std::vector<std::string> flags, libraries;
  const char* extension;
};

/// Whether it is surely gcc: others refuse flags that they do not know.
bool is_gcc(const fs::path& compiler) {
  std::error_code ignored;
  return fs::canonical(compiler, ignored).filename().string().find("gcc") != std::string::npos;
}

/// Compilations of one level by one compiler; what their bytes depend on.
class Compilation {
 public:
  explicit Compilation(const std::string& level)
      : compiler_(find_compiler()), is_gcc_(is_gcc(compiler_)), flags_(compiler_flags(level)) {
    if (is_gcc_) append(flags_, gcc_flags);
  }

  /// Where the cache keeps what is made of this content; nothing: no cache.
  [[nodiscard]] fs::path entry(std::span<const ObjectUnit> units, const Link& link) const {
    const fs::path folder = cache_folder();
    if (folder.empty()) return {};
    Hasher hasher;
    hasher.add(identity_of(compiler_));
    for (const std::string& flag : link.flags) hasher.add(flag);
    for (const ObjectUnit& unit : units) {
      for (const std::string& flag : flags_of(unit.effort)) hasher.add(flag);
      hasher.add(unit.source);
      if (!unit.data.empty()) hasher.add(std::span<const std::byte>(unit.data));
    }
    return folder / (hasher.hex() + link.extension);
  }

  /// The units as one file by another run of the compiler; a single unit needs but one.
  [[nodiscard]] std::vector<std::byte> build(std::span<const ObjectUnit> units,
                                             const Link& link) const {
    const TemporaryFolder scratch;
    std::vector<std::vector<std::string>> runs;
    std::vector<std::string> last = flags_of(units.size() == 1 ? units[0].effort : Effort::full);
    last.insert(last.end(), link.flags.begin(), link.flags.end());
    last.insert(last.end(), {"-o", "module"});
    for (std::size_t u = 0; u < units.size(); ++u) {
      const std::string source = cat(u, ".c"), object = cat(u, ".o");
      write_file(scratch / source, units[u].source);
      write_file(scratch / cat(u, ".bin"), units[u].data);
      last.push_back(units.size() == 1 ? source : object);
      runs.push_back(flags_of(units[u].effort));
      runs.back().insert(runs.back().end(), {"-c", "-o", object, source});
    }
    if (units.size() > 1) run_program(scratch.path(), compiler_, runs);
    last.insert(last.end(), link.libraries.begin(), link.libraries.end());
    run_program(scratch.path(), compiler_, {last});
    return read_file(scratch / "module");
  }

 private:
  static void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  [[nodiscard]] std::vector<std::string> flags_of(Effort effort) const {
    std::vector<std::string> flags = flags_;  // later ones prevail
    if (effort == Effort::full) return flags;
    append(flags, is_gcc_ ? plain_flags : std::vector<std::string>{"-O2"});
    if (is_gcc_ && effort == Effort::little) append(flags, little_flags);
    return flags;
  }

  fs::path compiler_;
  bool is_gcc_;
  std::vector<std::string> flags_;
};

Link shared_object() {
  return {.flags = {"-shared", "-nostartfiles", "-s", "-Wl,--build-id=none"},
          .libraries = {"-lm"},
          .extension = ".so"};
}

std::vector<std::byte> compiled(std::span<const ObjectUnit> units, const std::string& level,
                                const Link& link) {
  const Compilation compilation(level);
  const fs::path entry = compilation.entry(units, link);
  if (auto cached = read_cached(entry)) return std::move(*cached);
  std::vector<std::byte> bytes = compilation.build(units, link);
  store_cached(entry, bytes);
  return bytes;
}

}  // namespace

std::vector<std::string> compiler_flags(const std::string& level) {
  std::vector<std::string> flags = common_flags;
  for (std::string& flag : level_flags(level)) flags.push_back(std::move(flag));
  return flags;
}

bool has_host_compiler() { return look_for_compiler().has_value(); }

std::vector<std::byte> compile_shared_object(std::span<const ObjectUnit> units,
                                             const std::string& level) {
  return compiled(units, level, shared_object());
}

bool is_in_cache(std::span<const ObjectUnit> units, const std::string& level) {
  std::error_code ignored;
  const fs::path entry = Compilation(level).entry(units, shared_object());
  return !entry.empty() && fs::is_regular_file(entry, ignored);
}

std::vector<std::byte> compile_shared_object(std::string_view source, const std::string& level) {
  const ObjectUnit unit{std::string(source), {}};
  return compile_shared_object(std::span(&unit, 1), level);
}

std::vector<std::byte> compile_relocatable(std::span<const ObjectUnit> units,
                                           const std::string& level) {
  return compiled(units, level,
                  {.flags = {units.size() == 1 ? "-c" : "-r", "-nostdlib"},
                   .libraries = {},
                   .extension = ".o"});
}

}  // namespace partita::cpu::codegen
