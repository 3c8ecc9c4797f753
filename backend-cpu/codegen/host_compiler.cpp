// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/host_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/log.hpp"

extern char** environ;

namespace partita::passes {
namespace {

namespace fs = std::filesystem;

/// No -ffast-math: the rows' text says what is computed.
const std::vector<std::string> common_flags{"-std=gnu11",
                                            "-O3",
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
const std::vector<std::string> shared_flags{"-shared", "-nostartfiles", "-s",
                                            "-Wl,--build-id=none"};

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

fs::path find_compiler() {
  if (const auto named = environment("PARTITA_CC")) {
    if (const auto found = find_program(*named)) return *found;
    throw_device_error(cat("PARTITA_CC: expected a C compiler, found no program ", *named));
  }
  for (const char* name : {"cc", "gcc", "clang"})
    if (const auto found = find_program(name)) return *found;
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

/// A folder of its own, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failure;
    const fs::path parent = fs::temp_directory_path(failure);
    std::string name = (failure ? fs::path("/tmp") : parent) / "partita-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw_device_error(
          cat(name, ": expected a folder for the compiler's files, found: ", std::strerror(errno)));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs a program in a folder, its output in the folder's file "log"; its exit status.
int run_in(const fs::path& folder, const fs::path& program,
           const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw_device_error(
        cat("expected to run ", program.string(), ", found: ", std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string first_lines(const fs::path& log) {
  const std::vector<std::byte> bytes = read_file(log);
  std::string text(reinterpret_cast<const char*>(bytes.data()),
                   std::min<std::size_t>(bytes.size(), 800));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
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

/// Compilations of one level by one compiler; what their bytes depend on.
class Compilation {
 public:
  explicit Compilation(const std::string& level)
      : compiler_(find_compiler()), flags_(common_flags) {
    for (std::string& flag : level_flags(level)) flags_.push_back(std::move(flag));
  }

  void add_flags(const std::vector<std::string>& flags) {
    flags_.insert(flags_.end(), flags.begin(), flags.end());
  }

  /// Where the cache keeps what is made of this content; nothing: no cache.
  [[nodiscard]] fs::path entry(std::span<const ObjectUnit> units, const char* extension) const {
    const fs::path folder = cache_folder();
    if (folder.empty()) return {};
    Hasher hasher;
    hasher.add(identity_of(compiler_));
    for (const std::string& flag : flags_) hasher.add(flag);
    for (const ObjectUnit& unit : units) {
      hasher.add(unit.source);
      if (!unit.data.empty()) hasher.add(std::span<const std::byte>(unit.data));
    }
    return folder / (hasher.hex() + extension);
  }

  void run(const ScratchFolder& scratch, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), flags_.begin(), flags_.end());
    if (const int status = run_in(scratch.path(), compiler_, arguments); status != 0)
      throw_internal_error(cat(compiler_.string(), " refused the kernels (exit status ", status,
                               "): ", first_lines(scratch.path() / "log")));
  }

 private:
  fs::path compiler_;
  std::vector<std::string> flags_;
};

}  // namespace

std::vector<std::byte> compile_shared_object(std::string_view source, const std::string& level) {
  Compilation compilation(level);
  compilation.add_flags(shared_flags);
  const ObjectUnit unit{std::string(source), {}};
  const fs::path entry = compilation.entry(std::span(&unit, 1), ".so");
  if (auto cached = read_cached(entry)) return std::move(*cached);
  const ScratchFolder scratch;
  write_file(scratch.path() / "module.c", source);
  compilation.run(scratch, {"-o", "module.so", "module.c", "-lm"});
  std::vector<std::byte> bytes = read_file(scratch.path() / "module.so");
  store_cached(entry, bytes);
  return bytes;
}

std::vector<std::byte> compile_relocatable(std::span<const ObjectUnit> units,
                                           const std::string& level) {
  const Compilation compilation(level);
  const fs::path entry = compilation.entry(units, ".o");
  if (auto cached = read_cached(entry)) return std::move(*cached);
  const ScratchFolder scratch;
  std::vector<std::string> link{"-r", "-nostdlib", "-o", "program.o"};
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::string stem = std::to_string(u);
    write_file(scratch.path() / (stem + ".c"), units[u].source);
    write_file(scratch.path() / (stem + ".bin"), units[u].data);
    compilation.run(scratch, {"-c", "-o", stem + ".o", stem + ".c"});
    link.push_back(stem + ".o");
  }
  if (units.size() > 1) compilation.run(scratch, std::move(link));
  std::vector<std::byte> bytes =
      read_file(scratch.path() / (units.size() > 1 ? "program.o" : "0.o"));
  store_cached(entry, bytes);
  return bytes;
}

}  // namespace partita::passes
