// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/npz.hpp"

#include <deque>

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
  std::deque<std::string> headers;
  std::deque<HostArray> converted;  // what NumPy has no elements for
  std::vector<ZipItem> items;
  for (const auto& [name, array] : arrays) {
    const DTypeInfo& dtype = info(array.type.dtype);
    const HostArray& own =
        dtype.numpy.is_numpys ? array : converted.emplace_back(convert(array, dtype.value));
    const std::string& header = headers.emplace_back(npy_header(own.type));
    items.push_back({name + ".npy", std::as_bytes(std::span(header)), own.bytes});
  }
  write_zip(path, items);
}

}  // namespace partita
