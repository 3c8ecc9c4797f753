// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/npz.hpp"

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "runtime/artifact/npy.hpp"
#include "runtime/artifact/zip.hpp"

namespace partita {

std::map<std::string, HostArray> read_npz(const std::filesystem::path& path) {
  const ZipReader zip = ZipReader::open(path);
  std::map<std::string, HostArray> arrays;
  for (std::size_t i = 0; i < zip.entries().size(); ++i) {
    std::string name = zip.entries()[i].name;
    if (name.ends_with("/")) continue;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    arrays[name] = parse_npy(zip.read(int(i)), cat(path.string(), ": ", name));
  }
  return arrays;
}

void write_npz(const std::filesystem::path& path, const std::map<std::string, HostArray>& arrays) {
  std::vector<std::vector<std::byte>> files;
  files.reserve(arrays.size());
  std::vector<ZipItem> items;
  for (const auto& [name, array] : arrays) {
    files.push_back(write_npy(array));
    items.push_back({name + ".npy", files.back()});
  }
  write_file(path, write_zip(items));
}

}  // namespace partita
