// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/compiler_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"

extern char** environ;

namespace partita::cpu::codegen {

namespace {

namespace fs = std::filesystem;

std::string first_lines(const fs::path& log) {
  const std::vector<std::byte> bytes = read_file(log);
  std::string text(reinterpret_cast<const char*>(bytes.data()),
                   std::min<std::size_t>(bytes.size(), 800));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The children of one call: started in order, none left behind.
class Runs {
 public:
  Runs(const fs::path& folder, const fs::path& program) : folder_(folder), program_(program) {}
  ~Runs() {
    while (running() > 0) await();
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// Its output goes to the folder's file log_K.
  void start(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{program_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log = log_of(children_.size());
    children_.reserve(children_.size() + 1);
    watched_.reserve(children_.size() + 1);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, program_.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
      throw_device_error(
          cat("expected to run ", program_.string(), ", found: ", std::strerror(error)));
    // Negative where the kernel has no such descriptors: then children are awaited in order.
    const int ended = int(::syscall(SYS_pidfd_open, child, 0));
    children_.push_back({child, ended});
  }

  /// Waits for one that was not awaited yet, the first that ends.
  void await() noexcept {
    const std::size_t run = first_to_end();
    Child& child = children_[run];
    int status = 0;
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (child.ended >= 0) ::close(child.ended);
    child.is_awaited = true;
    if (status != 0 && !has_failed()) failed_ = Failed{run, status};
  }

  [[nodiscard]] std::size_t running() const {
    return std::size_t(std::ranges::count(children_, false, &Child::is_awaited));
  }
  [[nodiscard]] bool has_failed() const { return failed_.status != 0; }

  void throw_failed() const {
    if (!has_failed()) return;
    const std::string said = first_lines(folder_ / log_of(failed_.run));
    if (WIFSIGNALED(failed_.status))
      throw_device_error(cat(program_.string(),
                             ": expected it to compile the kernels, found it killed by signal ",
                             WTERMSIG(failed_.status)));
    if (lacks_room(said))
      throw_device_error(cat(program_.string(), ": expected room for the compiler's files in ",
                             folder_.parent_path().string(), ", found: ", std::strerror(ENOSPC)));
    throw_internal_error(cat(program_.string(), " refused the kernels (exit status ",
                             WEXITSTATUS(failed_.status), "): ", said));
  }

 private:
  struct Child {
    pid_t process = 0;
    int ended = -1;  ///< readable once it has
    bool is_awaited = false;
  };

  [[nodiscard]] std::size_t first_to_end() noexcept {
    watched_.clear();
    for (const Child& c : children_) {
      if (!c.is_awaited && c.ended < 0) return std::size_t(&c - children_.data());
      watched_.push_back({c.is_awaited ? -1 : c.ended, POLLIN, 0});  // negative: not looked at
    }
    while (::poll(watched_.data(), nfds_t(watched_.size()), -1) < 0 && errno == EINTR) {
    }
    const auto ended =
        std::ranges::find_if(watched_, [](const pollfd& p) { return p.revents != 0; });
    return std::size_t(ended - watched_.begin());
  }

  struct Failed {
    std::size_t run = 0;
    int status = 0;  // of waitpid; 0: none has failed
  };

  /// The compiler, its assembler and its linker say so in the same words, where the log has room for
  /// them.
  [[nodiscard]] bool lacks_room(const std::string& said) const {
    constexpr std::uintmax_t next_to_nothing = 1 << 20;
    std::error_code failure;
    const fs::space_info space = fs::space(folder_, failure);
    return said.find(std::strerror(ENOSPC)) != std::string::npos ||
           (!failure && space.available < next_to_nothing);
  }

  static std::string log_of(std::size_t run) { return cat("log_", run); }

  const fs::path& folder_;
  const fs::path& program_;
  std::vector<Child> children_;
  std::vector<pollfd> watched_;  ///< by child
  Failed failed_;
};

}  // namespace

void run_program(const fs::path& folder, const fs::path& program,
                 const std::vector<std::vector<std::string>>& runs) {
  const std::size_t most = usable_cores().size();
  Runs children(folder, program);
  for (const std::vector<std::string>& arguments : runs) {
    if (children.running() == most) children.await();
    if (children.has_failed()) break;
    children.start(arguments);
  }
  while (children.running() > 0) children.await();
  children.throw_failed();
}

}  // namespace partita::cpu::codegen
