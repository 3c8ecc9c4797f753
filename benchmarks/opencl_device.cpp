// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What docs/opencl-device.md reports: launches with the work-group size left to the driver, fixed,
// or chosen by our device; loading kernels; the library's matrix product.  Filter with
// --benchmark_filter; PoCL compiles a kernel once per work-group size, before the measured part.
#include <CL/cl.h>
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/device/device.hpp"

namespace {

constexpr const char* source = R"(
__kernel void scale(__global const float* a, long oa, __global float* b, long ob) {
  const size_t i = get_global_id(0);
  b[ob + i] = a[oa + i] * 1.5f + 0.25f;
}
)";

void require(cl_int code) {
  if (code != CL_SUCCESS) partita::throw_device_error(partita::cat("OpenCL code ", code));
}

// A queue of our own beside the Device that borrows it, so that both enqueue to the same place.
struct Machine {
  Machine() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int code = CL_SUCCESS;
    require(clGetPlatformIDs(1, &platform, nullptr));
    require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    require(code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    require(code);
    cl_program program =
        clCreateProgramWithSource(context, 1, &const_cast<const char*&>(text), nullptr, &code);
    require(code);
    require(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr));
    kernel = clCreateKernel(program, "scale", &code);
    require(code);
    borrowed = std::move(partita::open_devices({.host_queues = {queue}}).front());
  }
  const char* text = source;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  std::unique_ptr<partita::Device> borrowed;
};

Machine& machine() {
  static Machine instance;
  return instance;
}

partita::Artifact artifact_of(const std::string& text, const std::vector<std::string>& names) {
  partita::Artifact artifact;
  artifact.target = "opencl";
  artifact.modules.push_back({.name = "bench", .source = text});
  for (const std::string& name : names) artifact.kernels.push_back({.name = name, .module = 0});
  return artifact;
}

constexpr int launches_per_wait = 100;

// local: 0 leaves it to the driver.
void driver_launch(benchmark::State& state) {
  Machine& m = machine();
  const auto items = std::size_t(state.range(0));
  const auto local = std::size_t(state.range(1));
  if (local > 0 && items % local != 0) return state.SkipWithError("does not divide");
  cl_int code = CL_SUCCESS;
  cl_mem memory =
      clCreateBuffer(m.context, CL_MEM_READ_WRITE, 2 * items * sizeof(float), nullptr, &code);
  require(code);
  const cl_long offsets[] = {0, cl_long(items)};
  for (cl_uint i = 0; i < 2; ++i) {
    require(clSetKernelArg(m.kernel, 2 * i, sizeof memory, &memory));
    require(clSetKernelArg(m.kernel, 2 * i + 1, sizeof offsets[i], &offsets[i]));
  }
  const auto launch = [&] {
    require(clEnqueueNDRangeKernel(m.queue, m.kernel, 1, nullptr, &items,
                                   local > 0 ? &local : nullptr, 0, nullptr, nullptr));
  };
  launch();
  require(clFinish(m.queue));
  for (auto _ : state) {
    for (int i = 0; i < launches_per_wait; ++i) launch();
    require(clFinish(m.queue));
  }
  state.SetItemsProcessed(state.iterations() * launches_per_wait);
  clReleaseMemObject(memory);
}

void device_launch(benchmark::State& state) {
  partita::Device& device = *machine().borrowed;
  const std::int64_t items = state.range(0);
  const auto program = device.load(artifact_of(source, {"scale"}));
  const auto memory = device.allocate(2 * std::size_t(items) * sizeof(float));
  const partita::BoundBuffer buffers[] = {{memory.get(), 0}, {memory.get(), items}};
  const auto launch = [&] {
    device.launch(*program, {.kernel = 0,
                             .buffers = buffers,
                             .scalars = {},
                             .global = {items, 1, 1},
                             .local = {0, 0, 0}});
  };
  launch();
  device.finish();
  for (auto _ : state) {
    for (int i = 0; i < launches_per_wait; ++i) launch();
    device.finish();
  }
  state.SetItemsProcessed(state.iterations() * launches_per_wait);
}

// A module of `kernels` kernels; a new text each time where `fresh`.
void load(benchmark::State& state) {
  const auto count = int(state.range(0));
  const bool fresh = state.range(1) != 0;
  static const auto devices = partita::open_devices({});
  long serial = long(::time(nullptr)) * 1000;
  for (auto _ : state) {
    std::string text = fresh ? partita::cat("// ", serial++, "\n") : "";
    std::vector<std::string> names;
    for (int k = 0; k < count; ++k) {
      names.push_back(partita::cat("k", k));
      text += partita::cat("__kernel void k", k,
                           "(__global const float* a, long oa, __global float* b, long ob) { const "
                           "size_t i = get_global_id(0); b[ob + i] = exp(a[oa + i]) * ",
                           k, "; }\n");
    }
    benchmark::DoNotOptimize(devices.front()->load(artifact_of(text, names)));
  }
}

void gemm(benchmark::State& state) {
  partita::Device& device = *machine().borrowed;
  const std::int64_t n = state.range(0);
  const std::int64_t batch = state.range(1);
  const partita::Gemm shape{.m = n,
                            .n = n,
                            .k = n,
                            .lda = n,
                            .ldb = n,
                            .ldc = n,
                            .stride_a = n * n,
                            .stride_b = n * n,
                            .stride_c = n * n};
  const std::size_t bytes = std::size_t(batch * n * n) * sizeof(float);
  const partita::DeviceBufferPtr buffers[] = {device.allocate(bytes), device.allocate(bytes),
                                              device.allocate(bytes)};
  for (const auto& buffer : buffers)
    device.write(*buffer, 0, std::vector<std::byte>(bytes, std::byte{0}));
  const auto multiply = [&] {
    device.gemm({.gemm = &shape,
                 .a = {buffers[0].get(), 0},
                 .b = {buffers[1].get(), 0},
                 .c = {buffers[2].get(), 0},
                 .batch = batch});
    device.finish();
  };
  multiply();
  for (auto _ : state) multiply();
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * double(batch * n * n * n),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

const std::vector<std::int64_t> sizes{1,     1024,  1021,    4096,         4099,
                                      65536, 65537, 1 << 22, (1 << 22) - 3};

BENCHMARK(driver_launch)->ArgsProduct({sizes, {0, 16, 64, 256, 1024}})->UseRealTime();
BENCHMARK(device_launch)->ArgsProduct({sizes})->UseRealTime();
BENCHMARK(load)->ArgsProduct({{2, 30}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(gemm)->Args({64, 1})->Args({64, 16})->Args({256, 1})->Args({1024, 1})->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
