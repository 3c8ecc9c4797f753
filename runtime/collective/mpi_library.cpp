// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/mpi_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <bit>
#include <string>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita {
namespace collective {
namespace {

std::atomic<const MpiLibrary*> loaded = nullptr;

/// The folder of the library that this is part of, with a slash; empty where the system looks for it.
std::string own_folder() {
  Dl_info info{};
  if (::dladdr(std::bit_cast<const void*>(&mpi_mutex), &info) == 0 || info.dli_fname == nullptr)
    return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

const MpiLibrary* load() {
  // Components of MPI that it loads itself look for its symbols among all that are global.
  void* const library =
      ::dlopen((own_folder() + "libpartita_mpi.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw_device_error(cat("several ranks need libpartita_mpi.so and MPI: ", ::dlerror()));
  void* const symbol = ::dlsym(library, "partita_mpi_library");
  if (symbol == nullptr) throw_device_error("libpartita_mpi.so is of another version");
  return std::bit_cast<decltype(&partita_mpi_library)>(symbol)();
}

const MpiLibrary& library() {
  static const MpiLibrary* const once = load();
  loaded = once;
  return *once;
}

}  // namespace

FairMutex& mpi_mutex() {
  static FairMutex mutex;
  return mutex;
}

std::unique_ptr<RankLink> make_mpi_link(const CommunicatorOptions& options) {
  return library().make_link(options);
}

}  // namespace collective

int mpi_ranks(const void* mpi_comm) { return collective::library().ranks(mpi_comm); }

std::vector<std::unique_ptr<Communicator>> make_mpi_communicators(
    const CommunicatorOptions& options, const void* mpi_comm) {
  return collective::library().make_communicators(options, mpi_comm);
}

bool launched_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (environment(name)) return true;
  }
  return false;
}

void abort_mpi_job(int exit_code) noexcept {
  if (const collective::MpiLibrary* const library = collective::loaded)
    library->abort_job(exit_code);
}

MpiGuard::MpiGuard() { collective::mpi_mutex().lock(); }
MpiGuard::~MpiGuard() { collective::mpi_mutex().unlock(); }

}  // namespace partita
