// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `partita bench rounds` needs around its measurement: folders, Python, exported programs, the
// comparison of results.
#include <algorithm>
#include <iostream>
#include <system_error>

#include "partita/artifact/npz.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "tools/partita/bench/rounds.hpp"
#include "tools/partita/check/compare.hpp"

namespace partita::tool {

namespace fs = std::filesystem;

namespace {

fs::path named_folder(const std::string& named) {
  std::error_code error;
  fs::create_directories(named, error);
  if (error || !fs::is_directory(named))
    throw_user_error(cat("--work: expected a folder, found ", named));
  return fs::absolute(named);
}

// benchmarks/peers beside the sources this program was built from, or below the current folder.
fs::path find_scripts(const std::string& named, const fs::path& self) {
  const fs::path below = fs::path("benchmarks") / "peers";
  const auto holds = [](const fs::path& folder) { return fs::exists(folder / "jax_peer.py"); };
  if (!named.empty()) {
    if (!holds(named)) throw_user_error(cat("--peers: expected jax_peer.py in ", named));
    return fs::absolute(named);
  }
  for (fs::path from : {self.parent_path(), fs::current_path()})
    for (; from.has_relative_path(); from = from.parent_path())
      if (holds(from / below)) return from / below;
  throw_user_error(
      "expected benchmarks/peers above this program or the current folder, found none (see "
      "--peers)");
}

fs::path cache_folder() {
  if (const auto set = environment("PARTITA_CACHE_DIR")) return *set;
  if (const fs::path folder = user_cache_folder(); !folder.empty()) return folder;
  throw_user_error("expected --venv, PARTITA_CACHE_DIR or HOME, found none");
}

fs::path default_venv(const fs::path& requirements) {
  Hasher hasher;
  hasher.add(read_file(requirements));
  return cache_folder() / cat("peers-", hasher.hex());
}

// Made under another name first: what has its own name is complete.
void make_venv(const fs::path& venv, const fs::path& requirements, const fs::path& work) {
  std::cerr << "preparing " << venv.string() << " (pip install of JAX, DrJAX and IREE; once)\n";
  const fs::path partial = venv.string() + ".partial";
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  fs::create_directories(fs::absolute(venv).parent_path(), ignored);
  run_to_end({.arguments = {"python3", "-m", "venv", partial},
              .environment = {},
              .log = work / "venv.log",
              .core = -1},
             "python3 -m venv");
  run_to_end({.arguments = {partial / "bin" / "python", "-m", "pip", "install", "--quiet",
                            "--disable-pip-version-check", "-r", requirements},
              .environment = {},
              .log = work / "pip.log",
              .core = -1},
             "pip install");
  fs::rename(partial, venv);
}

}  // namespace

WorkFolder::WorkFolder(const std::string& named) {
  if (named.empty())
    path_ = own_.emplace("partita-bench").path();
  else
    path_ = named_folder(named);
}

PeerTools find_peer_tools(const RoundsOptions& options, const fs::path& work) {
  PeerTools tools;
  tools.self = fs::read_symlink("/proc/self/exe");
  tools.scripts = find_scripts(options.peers, tools.self);
  const fs::path requirements = tools.scripts / "requirements.txt";
  const fs::path venv =
      fs::absolute(options.venv.empty() ? default_venv(requirements) : fs::path(options.venv));
  tools.python = venv / "bin" / "python";
  if (!fs::exists(tools.python)) make_venv(venv, requirements, work);
  return tools;
}

void run_to_end(const ProcessOptions& command, const std::string& name) {
  Process process(command);
  Peer peer(name, process, command.log, process.output(), process.input());
  const int status = process.wait();
  if (status != 0) static_cast<void>(peer.receive(Seconds(1)));  // says how it ended
}

fs::path export_case(const RoundsOptions& options, const PeerTools& tools, const fs::path& work,
                     std::int64_t clients) {
  const fs::path folder = work / cat(options.name, "_", clients);
  fs::create_directories(folder);
  std::cerr << "exporting " << options.name << " with " << clients << " clients\n";
  run_to_end({.arguments = {tools.python, tools.scripts / "jax_peer.py", "--case", options.name,
                            "--n", cat(clients), "--export", folder},
              .environment = {},
              .log = folder / "export.log",
              .core = -1},
             "export");
  return folder;
}

std::vector<std::string> own_command(const RoundsOptions& options, const PeerTools& tools,
                                     const fs::path& exported, std::int64_t clients) {
  return {tools.self,
          "bench",
          "serve-rounds",
          exported / "round.mlir",
          exported / "inputs.npz",
          "--target",
          options.target,
          "--layout",
          options.layout,
          "--gemm",
          options.gemm,
          "--placement",
          cat("clients=", clients)};
}

std::string departure_from(const fs::path& expected, const fs::path& found,
                           const RoundsOptions& options) {
  const auto right = read_npz(expected), own = read_npz(found);
  for (const auto& [name, array] : right) {
    const auto it = own.find(name);
    if (it == own.end()) return cat(name, ": expected an array, found none");
    const bool is_float_like = is_float(array.type.dtype) || is_complex(array.type.dtype);
    const Tolerance tolerance =
        is_float_like ? Tolerance{options.absolute, options.relative} : Tolerance{};
    if (const auto text = difference(it->second, array, tolerance)) return cat(name, ": ", *text);
  }
  if (own.size() != right.size())
    return cat("expected ", right.size(), " arrays, found ", own.size());
  return {};
}

}  // namespace partita::tool
