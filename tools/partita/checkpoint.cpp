// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <utility>
#include <vector>

#include "partita/artifact/safetensors.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"

namespace partita::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "round_", suffix = ".safetensors";
constexpr std::size_t kept = 2;

fs::path path_of(const fs::path& folder, int round) { return folder / cat(prefix, round, suffix); }

int number_in(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size() ? number : -1;
}

/// Rounds that have a file, the last one first.
std::vector<int> rounds_in(const fs::path& folder) {
  std::vector<int> rounds;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const int round = number_in(
        std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
    if (round >= 0) rounds.push_back(round);
  }
  std::ranges::sort(rounds, std::greater{});
  return rounds;
}

std::string sum_of(const std::map<std::string, HostArray>& arrays) {
  Hasher hasher;
  for (const auto& [name, array] : arrays) {
    hasher.add(name);
    hasher.add(array.bytes);
  }
  return hasher.hex();
}

/// What was written to a file or folder survives the machine's end.
void sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

std::string text_of(const Safetensors& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? std::string() : found->second;
}

/// A user error where the file is damaged.
Safetensors read_whole(const fs::path& path, int round) {
  Safetensors file = parse_safetensors(read_file(path), path.string());
  if (text_of(file, "round") != cat(round) || text_of(file, "sum") != sum_of(file.arrays))
    throw_user_error(cat("expected bytes of round ", round, " that add up to ",
                         text_of(file, "sum"), ", found ", sum_of(file.arrays)),
                     {.file = path.string()});
  return file;
}

}  // namespace

std::string program_key(const Plan& plan, const std::string& carry) {
  Hasher hasher;
  for (const auto* ports : {&plan.inputs, &plan.outputs})
    for (const PortInfo& port : *ports) hasher.add(to_string(port.type));
  hasher.add(carry);
  return hasher.hex();
}

void prepare_checkpoints(const fs::path& folder, bool resumes) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw_user_error(cat("--checkpoint: expected a folder, found: ", error.message()),
                     {.file = folder.string()});
  check_writable(path_of(folder, 0));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.find(cat(suffix, ".tmp.")) != std::string::npos)
      fs::remove(entry.path(), error);
  }
  if (const std::vector<int> rounds = rounds_in(folder); !resumes && !rounds.empty())
    throw_user_error(
        cat("--checkpoint: expected an empty folder or --resume, found round ", rounds.front()),
        {.file = folder.string()});
}

void write_checkpoint(const fs::path& folder, const std::string& program,
                      const Checkpoint& checkpoint) {
  Safetensors file;
  for (const auto& [input, array] : checkpoint.carried) file.arrays[cat("in", input)] = array;
  file.metadata = {
      {"round", cat(checkpoint.round)}, {"program", program}, {"sum", sum_of(file.arrays)}};
  const fs::path path = path_of(folder, checkpoint.round);
  write_file(path, serialize_safetensors(file));
  sync(path);
  sync(folder);
  std::error_code ignored;
  const std::vector<int> rounds = rounds_in(folder);
  for (std::size_t k = 0, older = 0; k < rounds.size(); ++k)
    if (rounds[k] < checkpoint.round && ++older >= kept)
      fs::remove(path_of(folder, rounds[k]), ignored);
}

std::optional<Checkpoint> read_checkpoint(const fs::path& folder, const std::string& program,
                                          const Plan& plan, bool is_said) {
  for (const int round : rounds_in(folder)) {
    const fs::path path = path_of(folder, round);
    Safetensors file;
    try {
      file = read_whole(path, round);
    } catch (const Error& error) {
      if (is_said)
        std::cerr << "warning: " << error.located_message() << "; the checkpoint before is taken\n";
      continue;
    }
    if (text_of(file, "program") != program)
      throw_user_error("expected a checkpoint of this program and --carry, found one of others",
                       {.file = path.string()});
    Checkpoint checkpoint{.round = round, .carried = {}};
    for (auto& [name, array] : file.arrays) {
      const int input = name.starts_with("in") ? number_in(std::string_view(name).substr(2)) : -1;
      if (input < 0 || std::size_t(input) >= plan.inputs.size() ||
          plan.inputs[std::size_t(input)].type.bytes() != array.bytes.size())
        throw_user_error(cat("expected inputs of the program, found ", name),
                         {.file = path.string()});
      array.type = plan.inputs[std::size_t(input)].type;  // pairs of floats are complex again
      checkpoint.carried.emplace(input, std::move(array));
    }
    return checkpoint;
  }
  return std::nullopt;
}

}  // namespace partita::tool
