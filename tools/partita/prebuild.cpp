// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/prebuild.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/device/device.hpp"

namespace partita::tool {
namespace {

namespace fs = std::filesystem;

/// The variant that a device of that class takes.
Variant& variant_for(FunctionCode& function, DeviceClass device_class) {
  if (function.device_class == device_class) return function;
  const auto other = std::ranges::find(function.others, device_class, &Variant::device_class);
  return other == function.others.end() ? static_cast<Variant&>(function) : *other;
}

/// As a run that says nothing opens it.
std::unique_ptr<Device> open_device(const Artifact& artifact) {
  DeviceRequest request{.backend = artifact.target};
  request.devices_per_rank = default_devices(artifact, request.local_ranks);
  return std::move(open_devices(request).front());
}

Artifact function_for(const Artifact& artifact, std::size_t number, const Device& device) {
  Artifact function = one_function(artifact, function_names(artifact).at(number));
  select_variant(function, device.profile().device_class);
  return function;
}

/// Processes of this program, some at once; none outlives this.
class Workers {
 public:
  Workers(const fs::path& folder, int at_once) : folder_(folder), at_once_(std::size_t(at_once)) {}
  ~Workers() {
    while (!running_.empty()) (void)await_one();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Waits for room.  A device error, with what it said, where one has failed.
  void start(std::vector<std::string> words) {
    while (running_.size() >= at_once_) end_one();
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log = folder_ / cat("log_", started_++);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
      throw_device_error(cat("expected to run a further process, found: ", std::strerror(error)));
    running_.emplace(child, log);
  }
  void finish() {
    while (!running_.empty()) end_one();
  }

 private:
  struct Ended {
    int status = 0;
    std::string log;
  };

  Ended await_one() {
    Ended ended;
    pid_t child = 0;
    while ((child = ::wait(&ended.status)) < 0 && errno == EINTR) {
    }
    const auto it = running_.find(child);
    if (it == running_.end()) {  // none is left
      running_.clear();
      return ended;
    }
    ended.log = std::move(it->second);
    running_.erase(it);
    return ended;
  }

  void end_one() {
    const Ended ended = await_one();
    if (ended.status == 0) return;
    if (WIFSIGNALED(ended.status))
      throw_device_error(
          cat("expected a process that builds kernels to end, found it killed by signal ",
              WTERMSIG(ended.status)));
    const std::vector<std::byte> bytes = read_file(ended.log);
    std::string said(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (said.ends_with('\n')) said.pop_back();
    // Drivers may say something before.
    constexpr std::string_view word = "error: ";
    const std::size_t line = said.starts_with(word) ? 0 : said.find(cat("\n", word));
    if (line != std::string::npos) said.erase(0, said.find(word, line) + word.size());
    throw_device_error(said);
  }

  fs::path folder_;
  std::size_t at_once_, started_ = 0;
  std::map<pid_t, std::string> running_;  // with the files of what they say
};

void add_binary(Variant& variant, KernelBinary binary) {
  const auto same = std::ranges::find(variant.binaries, binary.name, &KernelBinary::name);
  if (same != variant.binaries.end())
    *same = std::move(binary);
  else
    variant.binaries.push_back(std::move(binary));
}

}  // namespace

int default_jobs() { return int(usable_cores().size()); }

std::string prebuild(Artifact& artifact, int jobs) {
  const std::unique_ptr<Device> device = open_device(artifact);
  const DeviceProfile& profile = device->profile();
  const TemporaryFolder folder;
  const fs::path program = folder / "program.pta", parts = folder / "parts";
  fs::create_directory(parts);
  save_artifact(artifact, program);
  Workers workers(folder.path(), jobs);
  int count = 0, kernels = 0;
  for (std::size_t f = 0; f < function_names(artifact).size(); ++f) {
    const Artifact function = function_for(artifact, f, *device);
    const int own = device->binaries_of(function);
    for (int k = 0; k < own; ++k)
      workers.start({"partita", "prebuild", program, "--one", cat(f, "/", k), "-o", parts});
    count += own;
    kernels += int(function.kernels.size());
  }
  workers.finish();
  if (count == 0 && kernels > 0)
    throw_user_error(cat("prebuild: expected an artifact whose kernels are text, found one for ",
                         artifact.target, ", which holds machine code already"));

  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(parts)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::size_t bytes = 0;
  for (const fs::path& file : files) {
    const std::string name = file.filename();
    const std::size_t dash = name.find('-'), function = std::stoul(name.substr(0, dash));
    FunctionCode& code = function == 0 ? artifact : artifact.functions.at(function - 1);
    KernelBinary binary{name.substr(dash + 1), read_file(file)};
    bytes += binary.bytes.size();
    add_binary(variant_for(code, profile.device_class), std::move(binary));
  }
  return cat("prebuilt ", kernels, kernels == 1 ? " kernel" : " kernels", " for ", profile.name,
             ", driver ", profile.driver, ": ", bytes, " bytes");
}

void prebuild_one(const fs::path& path, int function, int number, const fs::path& folder) {
  const Artifact artifact = load_artifact(path);
  const std::unique_ptr<Device> device = open_device(artifact);
  const KernelBinary binary =
      device->prebuild(function_for(artifact, std::size_t(function), *device), number);
  write_file(folder / cat(function, "-", binary.name), binary.bytes);
}

}  // namespace partita::tool
