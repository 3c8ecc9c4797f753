// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Mutates portable artifacts for --seconds S, seeded by --seed N: bits, bytes, integers, pieces.  The
// reader must answer with a user error or a module whose printed text reads back the same; whatever
// else happens (a crash, another exception, an unbounded allocation) ends this program with a
// failure and leaves the file.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <vector>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tests/support/bytecode_writer.hpp"
#include "tests/support/mutation_run.hpp"

namespace {

using namespace partita;

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void mutate(std::string& bytes) {
    for (std::size_t changes = 1 + below(1 + below(6)); changes > 0 && !bytes.empty(); --changes)
      change(bytes);
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(random_() % n); }

  void change(std::string& bytes) {
    // Behind the first bytes, which say that it is bytecode at all.
    const std::size_t at = std::min<std::size_t>(4 + below(bytes.size()), bytes.size() - 1);
    switch (below(9)) {
      case 0:
        bytes[at] = char(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = char(below(256));
        break;
      case 2:  // another small integer
        bytes[at] = char(below(128) << 1 | 1);
        break;
      case 3:  // near what was there
        bytes[at] = char(bytes[at] + (below(2) == 0 ? 2 : -2));
        break;
      case 4: {  // a large integer
        const std::uint64_t value = random_() >> below(64);
        bytes.replace(at, 1, testing::BytecodeWriter::varint(value));
        break;
      }
      case 5:
        bytes.erase(at, 1 + below(12));
        break;
      case 6:
        bytes.resize(at);
        break;
      case 7:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(60)));
        break;
      default: {  // a piece of the file in another's place
        const std::size_t size = 1 + below(16), from = below(bytes.size());
        bytes.replace(at, size, bytes.substr(from, size));
        break;
      }
    }
  }

  std::mt19937_64 random_;
};

std::vector<std::string> seeds() {
  std::vector<std::string> all{testing::sample_artifact()};
  constexpr std::uintmax_t largest = 60'000;
  std::vector<std::filesystem::path> files;
  if (const auto corpus = environment("PARTITA_CORPUS"))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus))
      if (entry.path().extension() == ".mlirbc" && entry.file_size() < largest)
        files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    const auto bytes = read_file(file);
    all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

// What is wrong with the reader's answer; empty where nothing is.
std::string fault_of(const std::string& bytes, bool& was_read) {
  std::vector<std::unique_ptr<ir::Module>> modules;
  try {
    modules = ir::parse_modules(bytes, "mutant.mlirbc", {.extent = 3, .must_be_there = false});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::user &&
        std::string(error.what()).find('\n') == std::string::npos)
      return {};
    return cat("not a user error of one line: ", error.located_message());
  } catch (const std::exception& error) {
    return cat("another exception: ", error.what());
  }
  was_read = true;
  // Names that hold anything are printed such that they are read again.
  try {
    for (const auto& module : modules) {
      const std::string printed = ir::print_module(*module, {.locations = true});
      if (ir::print_module(*ir::parse_module(printed), {.locations = true}) != printed)
        return "printed text changes when read again";
    }
  } catch (const std::exception& error) {
    return cat("printed text is refused: ", error.what());
  }
  return {};
}

int run(double seconds, std::uint64_t seed) {
  std::cout << "seed " << seed << std::endl;
  Mutator mutator(seed);
  const std::vector<std::string> originals = seeds();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::size_t count = 0, read = 0;
  for (; std::chrono::steady_clock::now() < end; ++count) {
    std::string bytes = originals[count % originals.size()];
    if (count >= originals.size()) mutator.mutate(bytes);  // first each as it is
    if (!bytes.starts_with("ML\xefR")) continue;
    bool was_read = false;
    const std::string fault = fault_of(bytes, was_read);
    read += was_read ? 1 : 0;
    if (fault.empty()) continue;
    const auto path = std::filesystem::temp_directory_path() /
                      cat("partita-mutant-", seed, "-", count, ".mlirbc");
    write_file(path, bytes);
    std::cout << "FAILED: " << fault << "\nthe file is " << path.string() << std::endl;
    return 1;
  }
  std::cout << count << " files, " << read << " of them read" << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // Room for the files, not for what they claim.
  const auto [seconds, seed] =
      partita::testing::begin_mutation_run(argc, argv, std::size_t{2} << 30);
  return run(seconds, seed);
}
