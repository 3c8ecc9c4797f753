// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/native_module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>

#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu {
namespace {

/// The binary for the most demanding level that this processor has.
const KernelBinary& best_binary(const Artifact& artifact) {
  const auto levels = cpu_levels();
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const auto found = std::ranges::find(artifact.binaries, *level, &KernelBinary::name);
    if (found != artifact.binaries.end() && has_cpu_level(*level)) return *found;
  }
  std::string names;
  for (const KernelBinary& b : artifact.binaries) names += cat(names.empty() ? "" : ", ", b.name);
  throw_device_error(cat("expected machine code for this processor (", best_cpu_level(),
                         "), found ", names.empty() ? "none" : names,
                         "; compile with --cpu naming what it has"));
}

/// Whether the bytes are a whole shared object: what the loader maps lies within them.
bool is_whole(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN ||
      header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > bytes.size() ||
      header.e_phnum > (bytes.size() - header.e_phoff) / sizeof(Elf64_Phdr))
    return false;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, bytes.data() + header.e_phoff + i * sizeof part, sizeof part);
    if (part.p_offset > bytes.size() || part.p_filesz > bytes.size() - part.p_offset) return false;
  }
  return true;
}

/// The binary as a file in memory.
UniqueHandle<FileTraits> file_of(const KernelBinary& binary) {
  if (!is_whole(binary.bytes))
    throw_device_error(cat("machine code for ", binary.name, ": expected a shared object, found ",
                           binary.bytes.size(), " bytes that are none"));
  UniqueHandle<FileTraits> file(::memfd_create("partita kernels", MFD_CLOEXEC));
  if (!file)
    throw_device_error(cat("expected memory for machine code, found: ", std::strerror(errno)));
  std::span<const std::byte> rest(binary.bytes);
  while (!rest.empty()) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw_device_error(cat("expected memory for machine code, found: ", std::strerror(errno)));
    rest = rest.subspan(std::size_t(written));
  }
  return file;
}

void* load(const KernelBinary& binary, const UniqueHandle<FileTraits>& file) {
  const std::string path = cat("/proc/self/fd/", file.get());
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    throw_device_error(
        cat("machine code for ", binary.name,
            ": expected a loadable shared object, found: ", why ? why : "no reason"));
  }
  return handle;
}

}  // namespace

void FileTraits::release(Handle handle) noexcept { ::close(handle); }

NativeModule::NativeModule(const Artifact& artifact) : KernelProgram(artifact.kernels.size()) {
  if (artifact.kernels.empty()) return;
  const KernelBinary& binary = best_binary(artifact);
  file_ = file_of(binary);
  handle_ = load(binary, file_);
  for (const KernelEntry& entry : artifact.kernels) {
    void* address = ::dlsym(handle_, cat("partita_", entry.name).c_str());
    if (address == nullptr) {
      ::dlclose(handle_);
      throw_device_error(
          cat("machine code for ", binary.name, ": expected kernel ", entry.name, ", found none"));
    }
    kernels_.push_back(std::bit_cast<KernelFunction>(address));
  }
}

NativeModule::~NativeModule() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace partita::cpu
