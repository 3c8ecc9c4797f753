// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/artifact/zip.hpp"

#include <zip.h>

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"

namespace partita {

namespace {

// Deflate cannot do better, so an entry that claims more is no zip entry.
constexpr std::uint64_t max_expansion = 1040;

struct ErrorText {
  zip_error_t error;
  ErrorText() { zip_error_init(&error); }
  ~ErrorText() { zip_error_fini(&error); }
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;
  [[nodiscard]] std::string text() { return zip_error_strerror(&error); }
};

struct FileTraits {
  using Handle = zip_file_t*;
  static constexpr Handle none = nullptr;
  static void release(Handle handle) noexcept { zip_fclose(handle); }
};
struct SourceTraits {
  using Handle = zip_source_t*;
  static constexpr Handle none = nullptr;
  static void release(Handle handle) noexcept { zip_source_free(handle); }
};
struct DiscardTraits {
  using Handle = zip_t*;
  static constexpr Handle none = nullptr;
  static void release(Handle handle) noexcept { zip_discard(handle); }
};

void add_item(zip_t* archive, const ZipItem& item) {
  const auto check = [&](bool ok) {
    if (!ok) throw_internal_error(cat("libzip: ", item.name, ": ", zip_strerror(archive)));
  };
  std::vector<zip_buffer_fragment_t> parts;
  for (const std::span<const std::byte> part : {item.bytes, item.rest})
    if (!part.empty()) {
      // libzip reads what it takes as bytes that may be written.
      auto* const bytes =
          reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(part.data()));  // NOLINT
      parts.push_back({bytes, part.size()});
    }
  UniqueHandle<SourceTraits> source(
      zip_source_buffer_fragment(archive, parts.data(), parts.size(), 0));
  check(bool(source));
  const zip_int64_t index =
      zip_file_add(archive, item.name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  check(index >= 0);
  static_cast<void>(source.release());  // the archive owns it now
  check(zip_set_file_compression(archive, zip_uint64_t(index), ZIP_CM_STORE, 0) == 0);
  constexpr zip_uint16_t midnight = 0, first_of_1980 = 1 << 5 | 1;
  check(zip_file_set_dostime(archive, zip_uint64_t(index), midnight, first_of_1980, 0) == 0);
}

std::vector<std::byte> contents(zip_source_t* source) {
  zip_stat_t status;
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0)
    throw_internal_error("libzip: an archive written to memory cannot be read");
  std::vector<std::byte> bytes(status.size);
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != zip_int64_t(bytes.size()))
    throw_internal_error("libzip: an archive in memory is short");
  return bytes;
}

// libzip writes no empty archive: this is its end-of-central-directory record.
std::vector<std::byte> empty_archive() {
  std::vector<std::byte> bytes(22);
  constexpr unsigned char signature[] = {'P', 'K', 5, 6};
  std::transform(std::begin(signature), std::end(signature), bytes.begin(),
                 [](unsigned char c) { return std::byte(c); });
  return bytes;
}

}  // namespace

std::vector<std::byte> write_zip(const std::vector<ZipItem>& items) {
  if (items.empty()) return empty_archive();
  ErrorText error;
  UniqueHandle<SourceTraits> target(zip_source_buffer_create(nullptr, 0, 0, &error.error));
  if (!target) throw_internal_error(cat("libzip: ", error.text()));
  UniqueHandle<DiscardTraits> archive(
      zip_open_from_source(target.get(), ZIP_TRUNCATE, &error.error));
  if (!archive) throw_internal_error(cat("libzip: ", error.text()));
  zip_source_keep(target.get());  // closing the archive gives up one reference, ours stays
  for (const ZipItem& item : items) add_item(archive.get(), item);
  if (zip_close(archive.get()) != 0)
    throw_internal_error(cat("libzip: ", zip_strerror(archive.get())));
  static_cast<void>(archive.release());
  return contents(target.get());
}

void write_zip(const std::filesystem::path& path, const std::vector<ZipItem>& items) {
  const bool is_done = !items.empty() && replace_file(path, [&](const auto& temporary) {
    const auto fail = [&](const std::string& found) {
      throw_user_error(cat("expected a writable file, found: ", found), {.file = path.string()});
    };
    int code = 0;
    UniqueHandle<DiscardTraits> archive(
        zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
      ErrorText error;
      zip_error_init_with_code(&error.error, code);
      fail(error.text());
    }
    for (const ZipItem& item : items) add_item(archive.get(), item);
    if (zip_close(archive.get()) != 0) fail(zip_strerror(archive.get()));
    static_cast<void>(archive.release());
  });
  if (!is_done) write_file(path, write_zip(items));
}

void ZipReader::Traits::release(Handle handle) noexcept { zip_discard(handle); }

ZipReader::ZipReader(std::span<const std::byte> bytes, std::string name_for_errors)
    : name_for_errors_(std::move(name_for_errors)) {
  ErrorText error;
  UniqueHandle<SourceTraits> source(
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.error));
  if (!source) fail(error.text());
  archive_.reset(zip_open_from_source(source.get(), ZIP_RDONLY, &error.error));
  if (!archive_) fail(error.text());
  static_cast<void>(source.release());
  list(bytes.size());
}

ZipReader::ZipReader(Archive archive, std::size_t archive_bytes, std::string name_for_errors)
    : name_for_errors_(std::move(name_for_errors)), archive_(std::move(archive)) {
  list(archive_bytes);
}

ZipReader ZipReader::open(const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) {
    ErrorText error;
    zip_error_init_with_code(&error.error, code);
    throw_user_error(cat("expected a zip archive, found: ", error.text()), {.file = path.string()});
  }
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  return {std::move(archive), ignored ? 0 : std::size_t(size), path.string()};
}

void ZipReader::fail(const std::string& found) const {
  throw_user_error(cat("expected a zip archive, found: ", found), {.file = name_for_errors_});
}

void ZipReader::list(std::size_t archive_bytes) {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  std::uint64_t packed_bytes = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive_.get(), zip_uint64_t(i), 0, &status) != 0 ||
        (status.valid & needed) != needed)
      fail("an entry without a size");
    const std::uint64_t packed = status.comp_size;
    if (packed > archive_bytes - packed_bytes) fail("entries larger than the file");
    packed_bytes += packed;
    if (status.size / max_expansion > packed + 1) fail(cat("entry ", i, " of an impossible size"));
    entries_.push_back({status.name, std::size_t(status.size)});
  }
}

int ZipReader::find(const std::string& name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].name == name) return int(i);
  return -1;
}

std::vector<std::byte> ZipReader::read(int index) const {
  const Entry& entry = entries_.at(std::size_t(index));
  const UniqueHandle<FileTraits> file(zip_fopen_index(archive_.get(), zip_uint64_t(index), 0));
  if (!file) fail(cat(entry.name, ": ", zip_strerror(archive_.get())));
  std::vector<std::byte> bytes(entry.bytes);
  std::size_t size = 0;
  // One byte more than there is makes libzip compare the checksum.
  std::byte past_end;
  while (true) {
    const bool full = size == bytes.size();
    const zip_int64_t got = zip_fread(file.get(), full ? &past_end : bytes.data() + size,
                                      full ? 1 : bytes.size() - size);
    if (got < 0) fail(cat(entry.name, ": ", zip_file_strerror(file.get())));
    if (got == 0) break;
    if (full) fail(cat(entry.name, ": more bytes than announced"));
    size += std::size_t(got);
  }
  if (size != bytes.size()) fail(cat(entry.name, ": ", size, " of ", bytes.size(), " bytes"));
  return bytes;
}

}  // namespace partita
