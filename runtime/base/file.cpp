// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "partita/base/error.hpp"
#include "partita/base/temporary.hpp"
#include "partita/base/unique_handle.hpp"

namespace partita {

namespace {

struct FileTraits {
  using Handle = int;
  static constexpr Handle none = -1;
  static void release(Handle handle) noexcept { ::close(handle); }
};
using FileHandle = UniqueHandle<FileTraits>;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view expected, int error) {
  throw_user_error(cat("expected ", expected, ", found: ", std::strerror(error)),
                   {.file = path.string()});
}

void write_all(int file, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "a writable file", errno);
    bytes = bytes.subspan(std::size_t(written));
  }
}

bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail(path, "a readable file", errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail(path, "a readable file", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "a readable file", EISDIR);
  std::vector<std::byte> bytes(std::size_t(std::max<off_t>(status.st_size, 0)));
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(size + 4096);  // grew, or of unknown size
    const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "a readable file", errno);
    if (got == 0) break;
    size += std::size_t(got);
  }
  bytes.resize(size);
  return bytes;
}

bool replace_file(const std::filesystem::path& path,
                  const std::function<void(const std::filesystem::path& temporary)>& write) {
  if (is_special(path)) return false;
  Temporary temporary(path.string() + ".tmp." + std::to_string(::getpid()));
  write(temporary.path());
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) fail(path, "a writable file", errno);
  temporary.keep();
  return true;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const bool is_replaced = replace_file(path, [&](const std::filesystem::path& temporary) {
    FileHandle file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file) fail(path, "a writable file", errno);
    write_all(file.get(), bytes, path);
    if (::close(file.release()) != 0) fail(path, "a writable file", errno);
  });
  if (is_replaced) return;
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) fail(path, "a writable file", errno);
  write_all(file.get(), bytes, path);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "a writable file", EISDIR);
  if (is_special(path)) return;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::exists(folder, ignored)) fail(path, "a writable file", ENOENT);
  if (!std::filesystem::is_directory(folder, ignored)) fail(path, "a writable file", ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(path, "a writable file", errno);
}

}  // namespace partita
