// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/forked_batches.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <new>
#include <vector>

#include "partita/base/error.hpp"

namespace partita::testing {
namespace {

constexpr std::size_t longest_message = 3000;  // below PIPE_BUF, so that messages stay whole
constexpr unsigned most_jobs = 256;
/// Batches after which a process is replaced: what loading machine code leaves behind goes with it.
constexpr int batches_of_a_process = 400;
enum ExitStatus : int { done = 0, replace = 10, unable = 77 };

struct Range {
  unsigned first = 0, count = 0;
};

/// What processes share.
struct Shared {
  std::atomic<unsigned> batches{0};
  struct Job {
    std::atomic<Range> tried{};  ///< now; none: between batches
    std::atomic<Range> alone{};  ///< still to be tried one by one
  };
  Job jobs[most_jobs]{};
};

Shared* make_shared_memory() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_internal_error("expected shared memory, found none");
  return ::new (memory) Shared;
}

class Run {
 public:
  Run(const BatchOptions& options, const BatchWork& work)
      : options_(options), work_(work), shared_(make_shared_memory()) {
    if (::pipe(pipe_) != 0) throw_internal_error("expected a pipe, found none");
    for (unsigned job = 0; job < std::min(options_.jobs, most_jobs); ++job) start(job);
  }
  ~Run() {
    ::munmap(shared_, sizeof(Shared));
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  BatchReport finish() {
    while (running_ > 0) {
      read_messages(100);
      int status = 0;
      pid_t child = 0;
      while ((child = ::waitpid(-1, &status, WNOHANG)) > 0) ended(child, status);
    }
    read_messages(0);
    const auto batches = std::uint64_t(shared_->batches);
    report_.seeds = unsigned(std::min<std::uint64_t>(batches * options_.size, options_.count));
    return report_;
  }

 private:
  [[nodiscard]] Range range_of(unsigned batch) const {
    const std::uint64_t begin = std::uint64_t(batch) * options_.size;
    const std::uint64_t end = std::min<std::uint64_t>(begin + options_.size, options_.count);
    return {unsigned(options_.first + begin), begin < end ? unsigned(end - begin) : 0};
  }
  [[nodiscard]] bool is_over() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() >
           options_.seconds;
  }

  void start(unsigned job) {
    std::cout << std::flush;
    const pid_t child = ::fork();
    if (child < 0) throw_internal_error("expected another process, found none");
    if (child == 0) ::_exit(process(job));
    jobs_[child] = job;
    ++running_;
  }

  /// Exit status of a process.  Nothing is thrown beyond the fork.
  int process(unsigned job) noexcept {
    const BatchOutput output(pipe_[1]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // none outlives the run
    try {
      if (!work_.is_able()) return unable;
      std::atomic<Range>& alone = shared_->jobs[job].alone;
      for (Range left = alone; left.count > 0; left = alone) {
        alone = Range{left.first + 1, left.count - 1};
        attempt(job, {left.first, 1}, output);
      }
      for (int k = 0; k < batches_of_a_process; ++k) {
        if (is_over()) return done;
        const Range range = range_of(shared_->batches++);
        if (range.count == 0) return done;
        attempt(job, range, output);
      }
      return replace;
    } catch (const std::exception& e) {
      output.failed(1, cat("the fuzzer itself: ", e.what()));
      return done;
    }
  }

  void attempt(unsigned job, Range range, const BatchOutput& output) {
    shared_->jobs[job].tried = range;
    ::alarm(options_.batch_seconds);
    work_.run(range.first, range.count, output);
    ::alarm(0);
    shared_->jobs[job].tried = Range{};
  }

  void ended(pid_t child, int status) {
    const auto found = jobs_.find(child);
    if (found == jobs_.end()) return;
    const unsigned job = found->second;
    jobs_.erase(found);
    --running_;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == unable) report_.can_run = false;
    if (code == done || code == unable) return;
    if (code != replace) {
      const Range tried = shared_->jobs[job].tried;
      died(tried, status);
      if (tried.count > 1) shared_->jobs[job].alone = tried;
      shared_->jobs[job].tried = Range{};
    }
    start(job);
  }

  void died(Range range, int status) {
    ++report_.failed;
    std::cout << "FAILED: --seed " << range.first << " --programs " << range.count;
    if (range.count > 1) std::cout << " --merge " << range.count;
    if (WIFSIGNALED(status))
      std::cout << ": killed by signal " << WTERMSIG(status)
                << (WTERMSIG(status) == SIGALRM ? " (it took too long)" : "");
    else
      std::cout << ": exit status " << WEXITSTATUS(status);
    std::cout << "\n" << std::flush;
  }

  void read_messages(int milliseconds) {
    pollfd waiting{pipe_[0], POLLIN, 0};
    while (::poll(&waiting, 1, milliseconds) > 0) {
      char buffer[4096];
      const ssize_t n = ::read(pipe_[0], buffer, sizeof buffer);
      if (n <= 0) return;
      text_.append(buffer, std::size_t(n));
      std::size_t end = 0;
      while ((end = text_.find('\n')) != std::string::npos) {
        take(text_.substr(0, end));
        text_.erase(0, end + 1);
      }
      milliseconds = 0;
    }
  }

  /// A letter, a number, a blank, text.
  void take(const std::string& message) {
    std::size_t blank = message.find(' ');
    const auto number = unsigned(std::strtoul(message.c_str() + 1, nullptr, 10));
    const std::string text = message.substr(blank + 1);
    switch (message[0]) {
      case 'f':
        report_.failed += number;
        std::cout << "FAILED: " << text << "\n" << std::flush;
        return;
      case 'r':
        ++report_.refused[text];
        return;
      case 'c':
        report_.results += int(number);
        report_.exact += std::atoi(text.c_str());
        return;
      default:
        std::cout << text << "\n" << std::flush;
    }
  }

  const BatchOptions& options_;
  const BatchWork& work_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Shared* shared_;
  int pipe_[2] = {-1, -1};
  std::map<pid_t, unsigned> jobs_;
  unsigned running_ = 0;
  std::string text_;
  BatchReport report_;
};

}  // namespace

void BatchOutput::send(const std::string& message) const {
  std::string line = message.substr(0, longest_message);
  std::ranges::replace(line, '\n', ' ');
  line += '\n';
  if (::write(pipe_, line.data(), line.size()) < 0) ::_exit(1);
}

void BatchOutput::failed(unsigned seeds, const std::string& line) const {
  send(cat("f", seeds, " ", line));
}
void BatchOutput::refused(const std::string& why) const { send(cat("r1 ", why)); }
void BatchOutput::compared(int results, int exact) const { send(cat("c", results, " ", exact)); }
void BatchOutput::say(const std::string& line) const { send(cat("s0 ", line)); }

BatchReport run_batches(const BatchOptions& options, const BatchWork& work) {
  return Run(options, work).finish();
}

}  // namespace partita::testing
