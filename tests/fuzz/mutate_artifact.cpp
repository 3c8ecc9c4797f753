// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Mutates a valid artifact for --seconds S, seeded by --seed N: bytes of the file, and texts inside
// it with checksums made right again, so that every layer of the reader sees wrong content.  The
// reader must answer with a user error of one line or a valid artifact; whatever else happens (a
// crash, another exception, an unbounded allocation) ends this program with a failure.
#include <chrono>
#include <iostream>
#include <random>

#include "partita/artifact/validate.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "runtime/artifact/zip.hpp"
#include "tests/support/mutation_run.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace {

using namespace partita;
using Bytes = std::vector<std::byte>;

struct Part {
  std::string name;
  Bytes bytes;
};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(random_() % n); }

  // A few changes of bytes: flips, runs, cuts, copies from elsewhere.
  void mutate_bytes(Bytes& bytes) {
    for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = below(bytes.size());
      const std::size_t length = 1 + below(std::min<std::size_t>(bytes.size() - at, 32));
      const auto begin = bytes.begin() + std::ptrdiff_t(at), end = begin + std::ptrdiff_t(length);
      switch (below(5)) {
        case 0:
          *begin ^= std::byte(1u << below(8));
          break;
        case 1:
          std::fill(begin, end, std::byte(below(2) * 255));
          break;
        case 2:
          bytes.erase(begin, end);
          break;
        case 3: {
          const Bytes copy(begin, end);
          bytes.insert(bytes.begin() + std::ptrdiff_t(below(bytes.size())), copy.begin(),
                       copy.end());
          break;
        }
        default:
          *begin = std::byte(below(256));
      }
    }
  }

  // Replaces numbers, words and lists of a JSON text by others that may stand there.
  void mutate_json(Bytes& bytes) {
    static constexpr const char* values[] = {"0",
                                             "-1",
                                             "1",
                                             "128",
                                             "4096",
                                             "2147483648",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "1e308",
                                             "[]",
                                             "{}",
                                             "null",
                                             "\"\"",
                                             "true",
                                             "[\"mul\",[\"var\",0],4611686018427387904]",
                                             "[\"div\",1,0]",
                                             "[\"var\",1000000]",
                                             "\"f64\"",
                                             "\"i1\"",
                                             "\"arena\""};
    static constexpr std::string_view starts = "0123456789-\"[{";
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = text.find_first_of(starts, below(text.size()));
      if (at == std::string::npos) continue;
      std::size_t end = text.find_first_of("]}", at);
      if (text[at] == '"')
        end = text.find('"', at + 1);
      else if (text[at] == '-' || std::isdigit(text[at]))
        end = text.find_first_not_of("0123456789", at + 1) - 1;
      if (end >= text.size()) continue;
      text.replace(at, end + 1 - at, values[below(std::size(values))]);
    }
    const auto changed = std::as_bytes(std::span(text));
    bytes.assign(changed.begin(), changed.end());
  }

  Bytes next(const Bytes& whole, const std::vector<Part>& parts) {
    if (below(3) == 0) {
      Bytes bytes = whole;
      mutate_bytes(bytes);
      return bytes;
    }
    std::vector<Part> changed = parts;
    // The first two are manifest and plan, where most of the meaning is.
    Part& part = changed[below(below(3) == 0 ? changed.size() : 2)];
    if (part.name.ends_with(".json") && below(3) > 0)
      mutate_json(part.bytes);
    else
      mutate_bytes(part.bytes);
    if (below(20) == 0) changed.erase(changed.begin() + std::ptrdiff_t(below(changed.size())));
    std::vector<ZipItem> items;
    for (const Part& p : changed) items.push_back({p.name, p.bytes});
    return write_zip(items);
  }

 private:
  std::mt19937_64 random_;
};

// Whether the reader answered as it must.
bool survives(const Bytes& bytes, std::int64_t& accepted) {
  try {
    const Artifact artifact = parse_artifact(bytes, "mutated.pta");
    ++accepted;
    return !find_problem(artifact);
  } catch (const Error& error) {
    const std::string text = error.located_message();
    if (error.kind() == ErrorKind::user && text.find('\n') == std::string::npos) return true;
    std::cerr << "unexpected error: " << text << "\n";
  } catch (const std::exception& error) {
    std::cerr << "unexpected exception: " << error.what() << "\n";
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  // The file has some 10 KB: whoever needs a gigabyte for it believes a number in it.
  const auto [seconds, seed] =
      partita::testing::begin_mutation_run(argc, argv, std::size_t{1} << 30);

  Artifact artifact = partita::testing::artifact_of_everything(), other = artifact;
  other.name = "other";
  add_functions(artifact, std::move(other));
  const Bytes whole = serialize_artifact(artifact);
  std::vector<Part> parts;
  {
    const ZipReader zip(whole, "sample");
    for (std::size_t i = 0; i < zip.entries().size(); ++i)
      parts.push_back({zip.entries()[i].name, zip.read(int(i))});
  }
  Mutator mutator(seed);
  std::int64_t runs = 0, accepted = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    const Bytes bytes = mutator.next(whole, parts);
    ++runs;
    if (survives(bytes, accepted)) continue;
    write_file("partita-crash-fuzz.pta", bytes);
    std::cerr << "seed " << seed << ", run " << runs << ": see partita-crash-fuzz.pta\n";
    return 1;
  }
  std::cout << runs << " mutated artifacts, " << accepted << " still valid, seed " << seed << "\n";
  return accepted < runs ? 0 : 1;
}
