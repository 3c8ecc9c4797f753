// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Zip archives over libzip: deterministic writing (order as given, fixed times, stored), and reading
// that trusts nothing: sizes are bounded by the archive's own, checksums are verified.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "partita/base/unique_handle.hpp"

struct zip;

namespace partita {

struct ZipItem {
  std::string name;
  std::span<const std::byte> bytes;  ///< borrowed
  std::span<const std::byte> rest;   ///< bytes that follow, borrowed
};
[[nodiscard]] std::vector<std::byte> write_zip(const std::vector<ZipItem>& items);
/// The same as a file, which is never whole in memory; atomic, as write_file.
void write_zip(const std::filesystem::path& path, const std::vector<ZipItem>& items);

class ZipReader {
 public:
  struct Entry {
    std::string name;
    std::size_t bytes = 0;
  };
  /// Errors of all functions are user errors at `name_for_errors`; `bytes` are borrowed.
  ZipReader(std::span<const std::byte> bytes, std::string name_for_errors);
  [[nodiscard]] static ZipReader open(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Index of the entry of this name, or -1.
  [[nodiscard]] int find(const std::string& name) const;
  [[nodiscard]] std::vector<std::byte> read(int index) const;

 private:
  struct Traits {
    using Handle = zip*;
    static constexpr Handle none = nullptr;
    static void release(Handle handle) noexcept;
  };
  using Archive = UniqueHandle<Traits>;

  ZipReader(Archive archive, std::size_t archive_bytes, std::string name_for_errors);
  void list(std::size_t archive_bytes);
  [[noreturn]] void fail(const std::string& found) const;

  std::string name_for_errors_;
  Archive archive_;
  std::vector<Entry> entries_;
};

}  // namespace partita
