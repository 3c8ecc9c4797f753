// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernel text in C, compiled by the compiler of this machine as target cpu does it.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/file.hpp"
#include "tests/support/kernel_machine.hpp"

namespace partita::testing {

/// Kernels are functions `void NAME(i64 n, void* const* arrays)`.
class HostC final : public KernelMachine {
 public:
  HostC() = default;
  HostC(const HostC&) = delete;
  HostC& operator=(const HostC&) = delete;
  ~HostC() override { close(); }

  void build(const std::string& source) override {
    close();
    const auto bytes = cpu::codegen::compile_shared_object(source, best_cpu_level());
    char path[] = "/tmp/partita_test_XXXXXX";
    ::close(::mkstemp(path));
    write_file(path, bytes);
    module_ = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ::unlink(path);
    if (module_ == nullptr) throw std::runtime_error(::dlerror());
  }

  void run(const std::string& name, std::span<const HostArray> inputs, std::span<HostArray> outputs,
           std::size_t n) override {
    void* address = ::dlsym(module_, name.c_str());
    if (address == nullptr) throw std::runtime_error("no kernel " + name);
    std::vector<void*> arrays;
    std::vector<HostArray> copies(inputs.begin(), inputs.end());
    for (HostArray& input : copies) arrays.push_back(input.bytes.data());
    for (HostArray& output : outputs) arrays.push_back(output.bytes.data());
    std::bit_cast<void (*)(std::int64_t, void* const*)>(address)(std::int64_t(n), arrays.data());
  }

 private:
  void close() {
    if (module_ != nullptr) ::dlclose(module_);
    module_ = nullptr;
  }
  void* module_ = nullptr;
};

}  // namespace partita::testing
