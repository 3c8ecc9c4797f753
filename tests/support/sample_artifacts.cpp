// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/sample_artifacts.hpp"

#include <cstdlib>
#include <cstring>

namespace partita::testing {

namespace {

template <DType d>
HostArray array_of(Dims dims, const std::vector<StorageType<d>>& values) {
  HostArray array(Type{.dtype = d, .dims = std::move(dims)});
  if (array.bytes.size() != values.size() * sizeof(StorageType<d>))
    throw std::logic_error("values do not fill the array");
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

// The same as federated_kernels(), for a real device.
constexpr const char* federated_source = R"(
__kernel void fill(__global float* x, long x0) { x[x0 + get_global_id(0)] = 0; }

__kernel void accumulate(__global float* sum, long sum0, __global const float* model, long model0,
                         __global const float* data, long data0, long client) {
  const long i = get_global_id(0);
  sum[sum0 + i] += model[model0 + i] + data[data0 + i];
}

__kernel void twice(__global const float* x, long x0, __global float* y, long y0) {
  y[y0 + get_global_id(0)] = 2 * x[x0 + get_global_id(0)];
}
)";

}  // namespace

HostArray f32_array(Dims dims, const std::vector<float>& values) {
  return array_of<DType::f32>(std::move(dims), values);
}
HostArray i32_array(Dims dims, const std::vector<std::int32_t>& values) {
  return array_of<DType::i32>(std::move(dims), values);
}
std::vector<float> f32_values(const HostArray& array) {
  const float* data = array.data<DType::f32>();
  return {data, data + array.type.count()};
}

Artifact federated_artifact(std::int64_t clients, std::int64_t width) {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.module_name = "federated";
  artifact.ir = "// none\n";
  artifact.modules = {{"federated", federated_source}};
  artifact.kernels = {{"fill", 0}, {"accumulate", 0}, {"twice", 0}};
  const Type row{.dtype = DType::f32, .dims = {width}};
  const Type table{.dtype = DType::f32, .dims = {clients, width}};
  Plan& p = artifact.plan;
  p.inputs = {{.name = "model", .type = row}, {.name = "data", .type = table, .placement = 0}};
  p.outputs = {{.name = "", .type = row}, {.name = "", .type = table, .placement = 0}};
  p.variables = {"begin", "end", "client"};
  p.placements = {{.name = "clients", .size = clients, .begin_variable = 0, .end_variable = 1}};
  const HostExpr begin = HostExpr::variable(0), end = HostExpr::variable(1);
  const HostExpr client = HostExpr::variable(2);
  const HostExpr block = (end - begin) * width;
  p.arena_bytes = (width * 4 + 127) / 128 * 128;
  p.buffers = {
      {.kind = BufferKind::input, .index = 0, .count = width, .name = "model"},
      {.kind = BufferKind::input, .index = 1, .count = block, .name = "data"},
      {.kind = BufferKind::output, .index = 0, .count = width, .name = "sum"},
      {.kind = BufferKind::output, .index = 1, .count = block, .name = "doubled"},
      {.kind = BufferKind::arena, .count = width, .name = "accumulator"},
      {.kind = BufferKind::block, .count = block, .name = "copy_of_data"},
  };
  p.steps.push_back({Launch{.kernel = 0, .buffers = {{4, 0}}, .global = {width, 1, 1}}, "fill"});
  p.steps.push_back({Copy{.from = {1, 0}, .to = {5, 0}, .count = block}, "copy_data"});
  const HostExpr row_offset = (client - begin) * width;
  Steps body;
  body.push_back({Launch{.kernel = 1,
                         .buffers = {{4, 0}, {0, 0}, {5, row_offset}},
                         .scalars = {{DType::i64, client}},
                         .global = {width, 1, 1}},
                  "accumulate"});
  body.push_back(
      {Launch{.kernel = 2, .buffers = {{1, row_offset}, {3, row_offset}}, .global = {width, 1, 1}},
       "twice"});
  p.steps.push_back(
      {For{.variable = 2, .begin = begin, .end = end, .body = std::move(body)}, "clients"});
  p.requests = 1;
  p.steps.push_back(
      {AllReduceStart{.axis = "clients", .pieces = {{{4, 0}, width}}}, "sum_over_clients"});
  p.steps.push_back({CollectiveDone{}, "sum_over_clients"});
  p.steps.push_back({Copy{.from = {4, 0}, .to = {2, 0}, .count = width}, "result"});
  return artifact;
}

NullKernels federated_kernels() {
  const auto for_each = [](const NullKernelArgs& a, auto f) {
    for (std::int64_t i = 0; i < a.global[0]; ++i) f(i);
  };
  return {
      {"fill",
       [=](const NullKernelArgs& a) {
         for_each(a, [&](auto i) { a.buffers[0].as<float>()[i] = 0; });
       }},
      {"accumulate",
       [=](const NullKernelArgs& a) {
         for_each(a, [&](auto i) {
           a.buffers[0].as<float>()[i] += a.buffers[1].as<float>()[i] + a.buffers[2].as<float>()[i];
         });
       }},
      {"twice",
       [=](const NullKernelArgs& a) {
         for_each(a,
                  [&](auto i) { a.buffers[1].as<float>()[i] = 2 * a.buffers[0].as<float>()[i]; });
       }},
  };
}

Artifact artifact_of_everything() {
  Artifact artifact = federated_artifact(6, 5);
  artifact.module_name = "everything";
  artifact.properties = {{"gemm", "auto"}, {"layout", "loop"}};
  artifact.constants = {std::make_shared<HostArray>(f32_array({2, 3}, {1, 2, 3, 4, 5, 6})),
                        std::make_shared<HostArray>(i32_array({}, {7}))};
  Plan& p = artifact.plan;
  const auto add_buffer = [&](Buffer buffer) {
    p.buffers.push_back(std::move(buffer));
    return int(p.buffers.size()) - 1;
  };
  const auto arena = [&](DType dtype, std::int64_t count, const std::string& name) {
    const std::int64_t offset = p.arena_bytes;
    p.arena_bytes += (count * std::int64_t(byte_size(dtype)) + 127) / 128 * 128;
    return add_buffer({.dtype = dtype, .count = count, .arena_offset = offset, .name = name});
  };
  const int weights =
      add_buffer({.kind = BufferKind::constant, .index = 0, .count = 6, .name = "weights"});
  const int choice = add_buffer({.kind = BufferKind::constant,
                                 .index = 1,
                                 .dtype = DType::i32,
                                 .count = 1,
                                 .name = "choice"});
  const int flag = arena(DType::i1, 1, "flag"), left = arena(DType::f32, 24, "left");
  const int product = arena(DType::f32, 36, "product"), whole = arena(DType::f32, 30, "whole");
  p.variables.push_back("i");
  const HostExpr i = HostExpr::variable(3);
  Steps inner;
  inner.push_back({Gemm{.transpose_b = true,
                        .m = 4,
                        .n = 3,
                        .k = 2,
                        .alpha = 0.1,
                        .beta = 1,
                        .a = {left, i * 8},
                        .b = {weights, 0},
                        .c = {product, 0},
                        .lda = 2,
                        .ldb = 2,
                        .ldc = 3,
                        .batch = min(i + 1, 3),
                        .stride_a = 8,
                        .stride_c = 12},
                   "gemm"});
  p.steps.push_back({For{.variable = 3, .begin = 0, .end = 3, .step = 2, .body = inner}, "loop"});
  const Steps launch{{Launch{.kernel = 2,
                             .buffers = {{left, 0}, {left, 1}},
                             .scalars = {{DType::i32, max(i, HostExpr(2))}},
                             .global = {64, 2, 1},
                             .local = {32, 1, 1}},
                      "launch"}};
  p.steps.push_back({While{.condition = launch, .predicate = {flag, 0}, .body = launch}, "while"});
  p.steps.push_back({Case{.index = {choice, 0}, .branches = {launch, {}}}, "case"});
  p.steps.push_back(
      {Case{.index = {flag, 0}, .index_dtype = DType::i1, .branches = {launch, launch}}, "if"});
  p.requests = 2;
  p.steps.push_back({AllGatherStart{.request = 1,
                                    .axis = "clients",
                                    .elements_per_partition = 5,
                                    .from = {1, 0},
                                    .to = {whole, 0}},
                     "gather"});
  p.steps.push_back({CollectiveDone{.request = 1}, "gather"});
  p.steps.push_back({Convolve{.batch = 1,
                              .groups = 1,
                              .inputs = 2,
                              .outputs = 1,
                              .window = {{.input = 4, .size = 3, .stride = 2, .low = 1, .high = 0}},
                              .source = {left, 8},
                              .weights = {weights, 0},
                              .result = {product, 3},
                              .weight_strides = {2, 1, 1}},
                     "convolve"});
  const int vectors = arena(DType::f32, 8, "vectors"), values = arena(DType::f32, 4, "values");
  p.steps.push_back({HostCall{.call = {.routine = "eigh",
                                       .options = {"lower"},
                                       .operands = {{.dtype = DType::f32, .dims = {2, 2}}}},
                              .count = 2,
                              .operands = {{left, 4}},
                              .results = {{vectors, 0}, {values, 0}}},
                     "eigh"});
  p.steps.push_back(
      {FunctionCall{.function = "host \"function\"",
                    .once = true,
                    .operand_types = {{.dtype = DType::f32, .dims = {2, 2}}, {.dtype = DType::i1}},
                    .result_types = {{.dtype = DType::f32, .dims = {4}}},
                    .operands = {{vectors, 4}, {flag, 0}},
                    .results = {{values, 0}}},
       "call"});
  p.steps.push_back(
      {Check{.condition = {flag, 0}, .message = "weights: \xc3\xa9t\xc3\xa9 \"quoted\"\n"},
       "check"});
  return artifact;
}

Artifact mesh_artifact() {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.module_name = "mesh";
  artifact.ir = "// none\n";
  Plan& p = artifact.plan;
  p.mesh = {{.name = "rows", .size = 2}, {.name = "columns", .size = 3}};
  p.groups = {{{0, 3}, {1, 4}, {2, 5}}};
  const Type whole{.dtype = DType::f32, .dims = {5, 4}},
      both{.dtype = DType::f32, .dims = {2, 3, 4}};
  p.inputs = {{.name = "x", .type = whole, .axes = {{0}, {1}}}};
  p.outputs = {{.name = "y", .type = both, .axes = {{}, {}, {1}}},
               {.name = "z", .type = whole, .axes = {{0}, {1}}}};
  p.buffers = {{.kind = BufferKind::input, .count = 6, .name = "x"},
               {.kind = BufferKind::output, .count = 12, .name = "y"},
               {.kind = BufferKind::output, .index = 1, .count = 6, .name = "z"}};
  p.requests = 2;
  p.steps = {{GroupStart{.request = 0, .elements = 6, .from = {0, 0}, .to = {1, 0}}, "gather"},
             {Copy{.from = {0, 0}, .to = {2, 0}, .count = 6}, "copy"},
             {AllReduceStart{.request = 1, .groups = 0, .pieces = {{{2, 0}, 6}}}, "sum"},
             {CollectiveDone{0}, "gather"},
             {CollectiveDone{1}, "sum"}};
  return artifact;
}

SessionParts null_parts(int shards, const NullKernels& kernels, const NullDeviceOptions& options) {
  SessionParts parts;
  parts.communicators = make_local_communicators({.shards_per_rank = shards});
  for (int i = 0; i < shards; ++i) parts.devices.push_back(make_null_device(kernels, options));
  return parts;
}

}  // namespace partita::testing
