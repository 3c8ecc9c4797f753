// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The search for parameters of a backend's matrix library: each of a few sets at one shape, for the kernel
// that packs its operands and for the one that does not, then from which size on the first is taken.
#include <algorithm>
#include <iostream>
#include <optional>

#include "partita/base/error.hpp"
#include "tools/partita/tune/tune.hpp"

namespace partita::tool {
namespace {

constexpr int turns = 5;
constexpr std::int64_t always = 0, never = 1 << 20;  // sizes from which the packing kernel is taken

struct Search {
  LibraryTuning::Kernel kernel;
  ContractionKey at;
  LibraryParameters routine;  ///< makes the library take that kernel
};

/// Measures sets of parameters by turns; those that fail have no time.
std::vector<std::optional<Timing>> measure(const ContractionKey& at,
                                           const std::vector<std::vector<LibraryParameters>>& sets,
                                           const DeviceProfile& device) {
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<int> index;
  for (const auto& set : sets) {
    index.push_back(int(subjects.size()));
    try {
      subjects.push_back(std::make_unique<Subject>(at, library_artifact(at, set, device)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device) throw;
      index.back() = -1;
      std::cout << "  refused: " << error.what() << "\n";
    }
  }
  take_turns(subjects, turns);
  std::vector<std::optional<Timing>> timings;
  for (const int i : index)
    timings.push_back(i < 0 ? std::nullopt : std::optional(subjects[std::size_t(i)]->timing()));
  return timings;
}

/// The fastest set, or nothing where that is the library's own.
std::optional<LibraryParameters> find_best(const LibraryTuning& library, const Search& search,
                                           const DeviceProfile& device,
                                           std::vector<LibrarySearch>& searches) {
  const auto candidates = library.candidates(search.kernel.name, search.at.dtype, device);
  std::vector<std::vector<LibraryParameters>> sets{{search.routine}};
  for (const LibraryParameters& c : candidates) sets.push_back({search.routine, c});
  const auto timings = measure(search.at, sets, device);
  LibrarySearch done{.kernel = std::string(search.kernel.name),
                     .at = search.at,
                     .candidates = std::int64_t(candidates.size()),
                     .refused = std::int64_t(std::ranges::count_if(
                         timings, [](const auto& timing) { return !timing.has_value(); }))};
  if (!timings[0]) return std::nullopt;  // the library does not work here
  std::size_t best = 0;
  for (std::size_t i = 1; i < timings.size(); ++i)
    if (timings[i] && timings[i]->median_ns < timings[best]->median_ns) best = i;
  done.default_ns = timings[0]->median_ns;
  done.best_ns = timings[best]->median_ns;
  std::cout << "library " << done.kernel << " at " << to_text(search.at) << ": " << done.candidates
            << " sets of parameters, " << done.refused << " refused; its own " << done.default_ns
            << " ns, best " << done.best_ns << " ns\n"
            << std::flush;
  searches.push_back(done);
  return best == 0 ? std::nullopt : std::optional(candidates[best - 1]);
}

/// From which cube on packing is faster, for it and all larger ones.
std::int64_t find_threshold(const LibraryTuning& library,
                            const std::vector<LibraryParameters>& found, DType dtype,
                            const DeviceProfile& device) {
  constexpr std::int64_t cubes[] = {512, 256, 128, 64};
  std::int64_t threshold = never;
  for (const std::int64_t cube : cubes) {
    const ContractionKey at{.dtype = dtype, .m = cube, .n = cube, .k = cube};
    std::vector<std::vector<LibraryParameters>> sets(2, found);
    sets[0].push_back(library.direct_below(always, dtype));
    sets[1].push_back(library.direct_below(never, dtype));
    const auto timings = measure(at, sets, device);
    const bool packs = timings[0] && (!timings[1] || timings[0]->median_ns < timings[1]->median_ns);
    if (!packs) break;
    threshold = cube;
  }
  return threshold;
}

}  // namespace

std::vector<LibraryParameters> search_library(const LibraryTuning& library, DType dtype,
                                              const DeviceProfile& device,
                                              std::vector<LibrarySearch>& searches) {
  const auto search_of = [&](const LibraryTuning::Kernel& kernel, std::int64_t packs_from) {
    const std::int64_t extent = kernel.extent;
    return Search{kernel, ContractionKey{.dtype = dtype, .m = extent, .n = extent, .k = extent},
                  library.direct_below(packs_from, dtype)};
  };
  std::vector<LibraryParameters> found;
  for (const Search& search :
       {search_of(library.packing, always), search_of(library.direct, never)})
    if (const auto best = find_best(library, search, device, searches)) found.push_back(*best);
  found.push_back(library.direct_below(find_threshold(library, found, dtype, device), dtype));
  return found;
}

}  // namespace partita::tool
