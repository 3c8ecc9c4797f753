// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The C ABI and its C++ header, with an artifact made by hand: signature, runs, errors, sizes of
// structs, threads.
#include <atomic>
#include <thread>

#include "partita.hpp"
#include "runtime/c_api/dlpack.hpp"
#include "tests/device/device_test.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita::testing {
namespace {

// y = x + w; the arguments are x (f32, 4) and w (a f32 scalar).
Artifact add_program() {
  Artifact artifact = kernels(R"(
__kernel void add(__global const float* x, long ox, __global const float* w, long ow,
                  __global float* y, long oy) {
  const size_t i = get_global_id(0);
  y[oy + i] = x[ox + i] + w[ow];
}
)",
                              {"add"});
  artifact.module_name = "add_program";
  const Type vector{.dtype = DType::f32, .dims = {4}};
  artifact.plan.inputs = {{.name = "x", .type = vector},
                          {.name = "w", .type = Type::scalar(DType::f32)}};
  artifact.plan.outputs = {{.name = "y", .type = vector}};
  artifact.plan.buffers = {
      {.kind = BufferKind::input, .index = 0, .dtype = DType::f32, .count = 4, .name = "x"},
      {.kind = BufferKind::input, .index = 1, .dtype = DType::f32, .count = 1, .name = "w"},
      {.kind = BufferKind::output, .index = 0, .dtype = DType::f32, .count = 4, .name = "y"}};
  artifact.plan.steps = {{.what = Launch{.kernel = 0,
                                         .buffers = {{.buffer = 0}, {.buffer = 1}, {.buffer = 2}},
                                         .scalars = {},
                                         .global = {4, 1, 1}},
                          .name = "add"}};
  return artifact;
}

class CApi : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    bytes_ = serialize_artifact(add_program());
    ASSERT_EQ(partita_artifact_parse(bytes_.data(), bytes_.size(), "add.pta", &artifact_),
              PARTITA_OK)
        << partita_last_error();
  }
  void TearDown() override { partita_artifact_free(artifact_); }

  // A session with both inputs set.
  partita_session* start() {
    partita_session* session = nullptr;
    EXPECT_EQ(partita_session_create(artifact_, nullptr, &session), PARTITA_OK)
        << partita_last_error();
    const float x[] = {1, 2, 3, 4};
    const float w = 10;
    EXPECT_EQ(partita_session_set_input(session, 0, x, sizeof x), PARTITA_OK);
    EXPECT_EQ(partita_session_set_input(session, 1, &w, sizeof w), PARTITA_OK);
    return session;
  }

  static void expect_output(partita_session* session, const std::vector<float>& expected) {
    std::vector<float> y(4);
    EXPECT_EQ(partita_session_read_output(session, 0, y.data(), 16), PARTITA_OK)
        << partita_last_error();
    EXPECT_EQ(y, expected);
  }

  std::vector<std::byte> bytes_;
  partita_artifact* artifact_ = nullptr;
};

TEST_F(CApi, tells_the_signature) {
  EXPECT_STREQ(partita_artifact_target(artifact_), "opencl");
  EXPECT_EQ(partita_artifact_input_count(artifact_), 2u);
  EXPECT_EQ(partita_artifact_output_count(artifact_), 1u);
  partita_port port{.struct_size = sizeof(partita_port)};
  ASSERT_EQ(partita_artifact_input(artifact_, 0, &port), PARTITA_OK);
  EXPECT_STREQ(port.name, "x");
  EXPECT_EQ(port.dtype, PARTITA_F32);
  ASSERT_EQ(port.rank, 1u);
  EXPECT_EQ(port.dims[0], 4);
  EXPECT_EQ(port.bytes, 16u);
  EXPECT_EQ(port.placement, nullptr);
  ASSERT_EQ(partita_artifact_input(artifact_, 1, &port), PARTITA_OK);
  EXPECT_EQ(port.rank, 0u);
  EXPECT_EQ(port.dims, nullptr);
  EXPECT_EQ(port.bytes, 4u);
  size_t index = 9;
  EXPECT_EQ(partita_artifact_find_input(artifact_, "w", &index), PARTITA_OK);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(partita_artifact_find_output(artifact_, "y", &index), PARTITA_OK);
  EXPECT_EQ(index, 0u);
}

TEST_F(CApi, runs_programs_for_a_mesh) {
  const std::vector<std::byte> bytes = serialize_artifact(mesh_artifact());
  partita_artifact* mesh = nullptr;
  ASSERT_EQ(partita_artifact_parse(bytes.data(), bytes.size(), "mesh.pta", &mesh), PARTITA_OK)
      << partita_last_error();
  partita_port port{.struct_size = sizeof(partita_port)};
  ASSERT_EQ(partita_artifact_input(mesh, 0, &port), PARTITA_OK);
  EXPECT_EQ(port.placement, nullptr);
  EXPECT_EQ(port.dims[0], 5);
  EXPECT_EQ(port.local_dims[0], 3);
  EXPECT_EQ(port.local_dims[1], 2);
  ASSERT_EQ(port.axis_count, 2u);
  EXPECT_STREQ(port.axes[1].name, "columns");
  EXPECT_EQ(port.axes[1].dim, 1u);
  EXPECT_EQ(port.axes[1].size, 3);
  EXPECT_EQ(port.axes[1].is_placement, 0);
  partita_session_options options{.struct_size = sizeof(partita_session_options)};
  partita_session* session = nullptr;
  options.devices_per_rank = 4;
  EXPECT_EQ(partita_session_create(mesh, &options, &session), PARTITA_ERROR_USER);
  EXPECT_NE(std::string(partita_last_error()).find("1, 2, 3, 6 or a multiple of 6"),
            std::string::npos);
  for (const int devices : {1, 2, 3}) {
    options.devices_per_rank = devices;
    ASSERT_EQ(partita_session_create(mesh, &options, &session), PARTITA_OK) << partita_last_error();
    std::vector<float> x(20), z(20);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
    ASSERT_EQ(partita_session_set_input(session, 0, x.data(), 80), PARTITA_OK);
    ASSERT_EQ(partita_session_run(session), PARTITA_OK) << partita_last_error();
    ASSERT_EQ(partita_session_read_output(session, 1, z.data(), 80), PARTITA_OK);
    EXPECT_EQ(z[7], 7 + 19);
    EXPECT_EQ(z[9], 9);
    partita_stats stats{.struct_size = sizeof(partita_stats)};
    ASSERT_EQ(partita_session_stats(session, &stats), PARTITA_OK);
    EXPECT_EQ(stats.held_bytes, 6 * (6 + 6 + 12) * 4);
    partita_session_free(session);
  }
  partita_artifact_free(mesh);
}

TEST_F(CApi, runs_and_carries) {
  partita_session* const session = start();
  EXPECT_EQ(partita_session_rank(session), 0);
  EXPECT_EQ(partita_session_ranks(session), 1);
  ASSERT_EQ(partita_session_submit(session), PARTITA_OK) << partita_last_error();
  ASSERT_EQ(partita_session_wait(session), PARTITA_OK);
  expect_output(session, {11, 12, 13, 14});
  const partita_carry carry{.output = 0, .input = 0};
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(partita_session_carry(session, &carry, 1), PARTITA_OK) << partita_last_error();
    ASSERT_EQ(partita_session_submit(session), PARTITA_OK);
  }
  expect_output(session, {41, 42, 43, 44});
  partita_stats stats{.struct_size = sizeof(partita_stats)};
  ASSERT_EQ(partita_session_stats(session, &stats), PARTITA_OK);
  EXPECT_EQ(stats.launches, 1);
  EXPECT_GE(stats.peak_device_bytes, 36);
  EXPECT_EQ(stats.collective_calls, 0);
  partita_session_free(session);
}

TEST_F(CApi, lent_inputs_are_read_and_never_written) {
  partita_session* const session = start();
  alignas(16) float x[] = {5, 6, 7, 8, 9};
  alignas(16) const float w = 1;
  for (const float* at : {&x[0], &x[1]}) {  // the second is not aligned: copied
    ASSERT_EQ(partita_session_lend_input(session, 0, at, 16), PARTITA_OK) << partita_last_error();
    ASSERT_EQ(partita_session_lend_input(session, 1, &w, sizeof w), PARTITA_OK);
    ASSERT_EQ(partita_session_submit(session), PARTITA_OK) << partita_last_error();
    expect_output(session, {at[0] + 1, at[1] + 1, at[2] + 1, at[3] + 1});
    const partita_carry carry{.output = 0, .input = 0};
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(partita_session_carry(session, &carry, 1), PARTITA_OK) << partita_last_error();
      ASSERT_EQ(partita_session_submit(session), PARTITA_OK);
    }
    expect_output(session, {at[0] + 3, at[1] + 3, at[2] + 3, at[3] + 3});
    EXPECT_EQ(std::vector<float>(std::begin(x), std::end(x)), std::vector<float>({5, 6, 7, 8, 9}));
  }
  EXPECT_EQ(partita_session_lend_input(session, 0, x, 12), PARTITA_ERROR_USER);
  EXPECT_EQ(partita_session_lend_input(session, 0, nullptr, 16), PARTITA_ERROR_USER);
  partita_session_free(session);
}

TEST_F(CApi, a_session_outlives_its_artifact) {
  partita_session* const session = start();
  partita_artifact_free(artifact_);
  artifact_ = nullptr;
  ASSERT_EQ(partita_session_submit(session), PARTITA_OK);
  expect_output(session, {11, 12, 13, 14});
  partita_session_free(session);
}

TEST_F(CApi, uses_several_devices_and_records_a_trace) {
  partita_session_options options{.struct_size = sizeof(partita_session_options)};
  options.devices_per_rank = 2;
  options.check_replicas = 1;
  options.trace = 1;
  partita_session* session = nullptr;
  ASSERT_EQ(partita_session_create(artifact_, &options, &session), PARTITA_OK)
      << partita_last_error();
  const float x[] = {1, 2, 3, 4};
  const float w = 1;
  ASSERT_EQ(partita_session_set_input(session, 0, x, sizeof x), PARTITA_OK);
  ASSERT_EQ(partita_session_set_input(session, 1, &w, sizeof w), PARTITA_OK);
  ASSERT_EQ(partita_session_submit(session), PARTITA_OK) << partita_last_error();
  expect_output(session, {2, 3, 4, 5});
  const char* json = nullptr;
  ASSERT_EQ(partita_session_trace(session, &json), PARTITA_OK) << partita_last_error();
  EXPECT_NE(std::string(json).find("\"add\""), std::string::npos);
  partita_session_free(session);
}

TEST_F(CApi, works_on_queues_that_the_host_lends) {
  const HostQueue host;
  void* const queues[] = {host.queue};
  partita_session_options options{.struct_size = sizeof(partita_session_options)};
  options.command_queues = queues;
  options.command_queue_count = 1;
  partita_session* session = nullptr;
  ASSERT_EQ(partita_session_create(artifact_, &options, &session), PARTITA_OK)
      << partita_last_error();
  const float x[] = {1, 2, 3, 4};
  const float w = 3;
  ASSERT_EQ(partita_session_set_input(session, 0, x, sizeof x), PARTITA_OK);
  ASSERT_EQ(partita_session_set_input(session, 1, &w, sizeof w), PARTITA_OK);
  ASSERT_EQ(partita_session_submit(session), PARTITA_OK) << partita_last_error();
  expect_output(session, {4, 5, 6, 7});
  partita_session_free(session);
  session = nullptr;
  options.devices_per_rank = 2;
  EXPECT_EQ(partita_session_create(artifact_, &options, &session), PARTITA_ERROR_USER);
  EXPECT_NE(std::string(partita_last_error()).find("expected 2 (one per device), found 1"),
            std::string::npos)
      << partita_last_error();
}

TEST_F(CApi, wrong_calls_are_user_errors_that_say_what_was_expected) {
  partita_session* const session = start();
  const auto expect = [](partita_status status, const std::string& part) {
    EXPECT_EQ(status, PARTITA_ERROR_USER);
    EXPECT_NE(std::string(partita_last_error()).find(part), std::string::npos)
        << partita_last_error();
  };
  const float x[] = {1, 2, 3, 4};
  expect(partita_session_set_input(session, 0, x, 12), "expected 16 bytes, found 12");
  expect(partita_session_set_input(session, 2, x, 16), "expected an index below 2");
  expect(partita_session_set_input(session, 0, nullptr, 16), "argument 'data': expected a pointer");
  expect(partita_session_set_input(nullptr, 0, x, 16), "argument 'session': expected a pointer");
  float y[4];
  expect(partita_session_read_output(session, 0, y, 8), "expected 16 bytes, found 8");
  expect(partita_session_read_output(session, 7, y, 16), "expected an index below 1");
  const partita_carry carry{.output = 0, .input = 1};
  expect(partita_session_carry(session, &carry, 1), "tensor<f32>");
  size_t index = 0;
  expect(partita_artifact_find_input(artifact_, "z", &index), "expected one of 'x', 'w'");
  expect(partita_artifact_load("/no/such/file.pta", &artifact_), "/no/such/file.pta");
  // After user errors the session works on.
  ASSERT_EQ(partita_session_submit(session), PARTITA_OK);
  expect_output(session, {11, 12, 13, 14});
  partita_session_free(session);
}

TEST_F(CApi, running_without_an_input_is_a_user_error) {
  partita_session* session = nullptr;
  ASSERT_EQ(partita_session_create(artifact_, nullptr, &session), PARTITA_OK);
  EXPECT_EQ(partita_session_submit(session), PARTITA_ERROR_USER);
  EXPECT_NE(std::string(partita_last_error()).find("input 0 (x)"), std::string::npos)
      << partita_last_error();
  partita_session_free(session);
}

TEST_F(CApi, damaged_bytes_are_a_user_error_with_their_name) {
  partita_artifact* other = nullptr;
  for (const std::size_t size : {std::size_t(0), std::size_t(10), bytes_.size() / 2}) {
    EXPECT_EQ(partita_artifact_parse(bytes_.data(), size, "half.pta", &other), PARTITA_ERROR_USER);
    EXPECT_NE(std::string(partita_last_error()).find("half.pta"), std::string::npos)
        << partita_last_error();
  }
  EXPECT_EQ(other, nullptr);
}

TEST_F(CApi, structs_of_older_and_newer_hosts_fit) {
  struct Newer {
    partita_session_options options;
    std::int64_t unknown;
  } newer{};
  newer.options.struct_size = sizeof newer;
  partita_session* session = nullptr;
  ASSERT_EQ(partita_session_create(artifact_, &newer.options, &session), PARTITA_OK)
      << partita_last_error();
  struct NewerStats {
    partita_stats stats;
    std::int64_t unknown;
  } stats{};
  stats.stats.struct_size = sizeof stats;
  stats.unknown = 7;
  EXPECT_EQ(partita_session_stats(session, &stats.stats), PARTITA_OK);
  EXPECT_EQ(stats.unknown, 0);
  EXPECT_EQ(stats.stats.struct_size, sizeof stats);
  partita_session_free(session);
  session = nullptr;
  newer.unknown = 1;
  EXPECT_EQ(partita_session_create(artifact_, &newer.options, &session), PARTITA_ERROR_USER);
  EXPECT_EQ(session, nullptr);
  partita_session_options forgotten{};
  EXPECT_EQ(partita_session_create(artifact_, &forgotten, &session), PARTITA_ERROR_USER);

  partita_port older{.struct_size = offsetof(partita_port, dtype)};
  older.bytes = 99;
  EXPECT_EQ(partita_artifact_input(artifact_, 0, &older), PARTITA_OK);
  EXPECT_STREQ(older.name, "x");
  EXPECT_EQ(older.bytes, 99u);
}

TEST_F(CApi, the_last_error_is_the_threads_own) {
  EXPECT_EQ(partita_artifact_load("/first", &artifact_), PARTITA_ERROR_USER);
  std::thread([] {
    EXPECT_STREQ(partita_last_error(), "");
    partita_artifact* other = nullptr;
    EXPECT_EQ(partita_artifact_load("/second", &other), PARTITA_ERROR_USER);
    EXPECT_NE(std::string(partita_last_error()).find("/second"), std::string::npos);
  }).join();
  EXPECT_NE(std::string(partita_last_error()).find("/first"), std::string::npos);
}

TEST_F(CApi, null_handles_may_be_freed) {
  partita_artifact_free(nullptr);
  partita_session_free(nullptr);
  EXPECT_EQ(partita_artifact_input_count(nullptr), 0u);
}

TEST_F(CApi, the_lock_for_mpi_is_taken_once_and_given_back) {
  EXPECT_EQ(partita_mpi_unlock(), PARTITA_ERROR_USER);
  EXPECT_EQ(partita_mpi_lock(), PARTITA_OK);
  EXPECT_EQ(partita_mpi_lock(), PARTITA_ERROR_USER);
  EXPECT_EQ(partita_mpi_unlock(), PARTITA_OK);
}

TEST_F(CApi, every_dtype_has_its_size) {
  EXPECT_EQ(partita_dtype_size(PARTITA_BOOL), 1u);
  EXPECT_EQ(partita_dtype_size(PARTITA_BF16), 2u);
  EXPECT_EQ(partita_dtype_size(PARTITA_F64), 8u);
  EXPECT_EQ(partita_dtype_size(PARTITA_COMPLEX128), 16u);
  EXPECT_EQ(partita_dtype_size(partita_dtype(0)), 0u);
  EXPECT_STREQ(partita_dtype_name(PARTITA_BF16), "bf16");
  EXPECT_STREQ(partita_dtype_name(PARTITA_COMPLEX64), "complex<f32>");
  EXPECT_STREQ(partita_dtype_name(partita_dtype(99)), "");
}

TEST(CppHeader, knows_what_holds_which_elements) {
  const auto count_of = [](auto element) {
    int count = 0;
    for (int d = PARTITA_BOOL; d <= PARTITA_COMPLEX128; ++d)
      count += int(host::holds<decltype(element)>(partita_dtype(d)));
    return count;
  };
  EXPECT_TRUE(host::holds<std::int8_t>(PARTITA_I8) && host::holds<std::int64_t>(PARTITA_I64));
  EXPECT_TRUE(host::holds<std::uint8_t>(PARTITA_UI8) && host::holds<std::uint64_t>(PARTITA_UI64));
  EXPECT_TRUE(host::holds<std::uint8_t>(PARTITA_BOOL) && host::holds<std::uint16_t>(PARTITA_BF16));
  EXPECT_TRUE(host::holds<std::complex<double>>(PARTITA_COMPLEX128));
  EXPECT_FALSE(host::holds<std::int32_t>(PARTITA_F32) || host::holds<float>(PARTITA_I32));
  EXPECT_EQ(count_of(std::int32_t{}), 1);
  EXPECT_EQ(count_of(std::uint16_t{}), 3);  // ui16, f16, bf16
  EXPECT_EQ(count_of(std::uint8_t{}), 2);   // bool, ui8
  EXPECT_EQ(count_of(0.0F), 1);
  EXPECT_EQ(count_of(false), 1);
}

TEST_F(CApi, cpp_header_owns_and_throws) {
  const host::Artifact artifact(bytes_.data(), bytes_.size());
  ASSERT_EQ(artifact.inputs().size(), 2u);
  EXPECT_EQ(artifact.inputs()[0].dims, std::vector<std::int64_t>{4});
  EXPECT_EQ(artifact.inputs()[0].count(), 4u);
  EXPECT_EQ(artifact.find_output("y"), 0u);
  host::Session session(artifact);
  session.set_input(0, std::vector<float>{1, 2, 3, 4});
  session.set_input(1, std::vector<float>{0.5F});
  session.run();
  session.carry({{0, 0}});
  session.run();
  std::vector<float> y(4);
  session.read_output(0, y);
  EXPECT_EQ(y, (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(session.stats().launches, 1);
  try {
    session.set_input(0, std::vector<std::int32_t>{1, 2, 3, 4});
    FAIL() << "no error was thrown";
  } catch (const host::Error& error) {
    EXPECT_STREQ(error.what(),
                 "input 0 (x): expected elements of f32, found an array of another type");
  }
  try {
    session.set_input(5, y);
    FAIL() << "no error was thrown";
  } catch (const host::Error& error) {
    EXPECT_EQ(error.status(), PARTITA_ERROR_USER);
    EXPECT_STREQ(error.what(), "input 5: expected an index below 2");
  }
}

/// Devices, buffers, functions and events, whose work threads of their own do.
class CApiFunctions : public CApi {};

partita_buffer* f32_buffer(partita_device* device, const std::vector<float>& values,
                           const std::vector<int64_t>& dims) {
  partita_buffer* buffer = nullptr;
  EXPECT_EQ(partita_buffer_create(device, PARTITA_F32, dims.size(), dims.data(), values.data(),
                                  values.size() * sizeof(float), &buffer),
            PARTITA_OK)
      << partita_last_error();
  return buffer;
}

std::vector<float> f32_elements(const partita_buffer* buffer) {
  size_t bytes = 0;
  EXPECT_EQ(partita_buffer_type(buffer, nullptr, nullptr, nullptr, &bytes), PARTITA_OK);
  std::vector<float> values(bytes / sizeof(float));
  EXPECT_EQ(partita_buffer_read(buffer, values.data(), bytes, nullptr), PARTITA_OK)
      << partita_last_error();
  return values;
}

TEST_F(CApiFunctions, functions_take_and_return_buffers) {
  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  EXPECT_STRNE(partita_device_name(device), "");
  partita_function* add = nullptr;
  ASSERT_EQ(partita_function_load(artifact_, &device, 1, &add), PARTITA_OK) << partita_last_error();
  partita_buffer* x = f32_buffer(device, {1, 2, 3, 4}, {4});
  partita_buffer* const w = f32_buffer(device, {10}, {});
  partita_device_free(device);  // buffers and functions live on
  for (int round = 0; round < 3; ++round) {
    partita_buffer* const inputs[] = {x, w};
    partita_buffer* y = nullptr;
    ASSERT_EQ(partita_execute(add, inputs, 2, nullptr, &y, 1), PARTITA_OK) << partita_last_error();
    partita_buffer_free(x);
    x = y;
  }
  partita_function_free(add);
  EXPECT_EQ(f32_elements(x), (std::vector<float>{31, 32, 33, 34}));
  partita_dtype dtype{};
  size_t rank = 9;
  const int64_t* dims = nullptr;
  EXPECT_EQ(partita_buffer_type(x, &dtype, &rank, &dims, nullptr), PARTITA_OK);
  EXPECT_EQ(dtype, PARTITA_F32);
  ASSERT_EQ(rank, 1u);
  EXPECT_EQ(dims[0], 4);
  partita_buffer_free(x);
  partita_buffer_free(w);
}

partita_artifact* parsed(const Artifact& program) {
  const std::vector<std::byte> bytes = serialize_artifact(program);
  partita_artifact* artifact = nullptr;
  EXPECT_EQ(partita_artifact_parse(bytes.data(), bytes.size(), "x.pta", &artifact), PARTITA_OK)
      << partita_last_error();
  return artifact;
}

/// add_program() whose result may lie in x.
partita_artifact* donating_add() {
  Artifact program = add_program();
  program.plan.inputs[0].is_donated = true;
  program.plan.donors = {0};
  return parsed(program);
}

TEST_F(CApiFunctions, results_lie_in_donated_buffers_that_nobody_else_holds) {
  partita_artifact* const artifact = donating_add();
  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  partita_function* add = nullptr;
  ASSERT_EQ(partita_function_load(artifact, &device, 1, &add), PARTITA_OK) << partita_last_error();
  partita_buffer* const w = f32_buffer(device, {10}, {});
  const uint8_t donated[] = {1, 0};
  const auto add_to = [&](partita_buffer* x) {
    partita_buffer* const inputs[] = {x, w};
    partita_buffer* y = nullptr;
    EXPECT_EQ(partita_execute(add, inputs, 2, donated, &y, 1), PARTITA_OK) << partita_last_error();
    EXPECT_EQ(partita_execute(add, inputs, 2, nullptr, &y, 1), PARTITA_ERROR_USER);
    EXPECT_STREQ(partita_last_error(),
                 "inputs: expected a buffer with an array, found one that has been donated");
    partita_buffer_free(x);
    EXPECT_EQ(f32_elements(y), (std::vector<float>{11, 12, 13, 14}));
    return y;
  };
  partita_buffer* const x = f32_buffer(device, {1, 2, 3, 4}, {4});
  EXPECT_EQ(f32_elements(x).front(), 1);
  int64_t held = partita_device_allocated_bytes(device);
  partita_buffer* const y = add_to(x);
  EXPECT_EQ(partita_device_allocated_bytes(device), held);
  for (partita_buffer* const buffer : {y, w}) partita_buffer_free(buffer);
  partita_function_free(add);
  partita_device_free(device);
  partita_artifact_free(artifact);
}

// y = x + w with w = {1, 2, ..., 1024} a constant; the argument is x (f32, 1024).
Artifact add_constant_program() {
  Artifact artifact = add_program();
  HostArray w(Type{.dtype = DType::f32, .dims = {1024}});
  for (std::size_t i = 0; i < 1024; ++i) reinterpret_cast<float*>(w.bytes.data())[i] = float(i + 1);
  artifact.constants = {std::make_shared<HostArray>(w)};
  Plan& plan = artifact.plan;
  plan.inputs = {{.name = "x", .type = w.type}};
  plan.outputs = {{.name = "y", .type = w.type}};
  for (Buffer& buffer : plan.buffers) buffer.count = 1024;
  plan.buffers[1].kind = BufferKind::constant;
  plan.buffers[1].index = 0;
  std::get<Launch>(plan.steps[0].what).global = {1024, 1, 1};
  artifact.modules[0].source = R"(
__kernel void add(__global const float* x, long ox, __global const float* w, long ow,
                  __global float* y, long oy) {
  const size_t i = get_global_id(0);
  y[oy + i] = x[ox + i] + w[ow + i];
}
)";
  return artifact;
}

TEST_F(CApiFunctions, artifacts_of_several_functions_share_constants) {
  Artifact minus = add_constant_program();
  std::string& source = minus.modules[0].source;
  source.replace(source.find("+ w["), 3, "- w");
  partita_artifact* const parts[] = {parsed(add_constant_program()), parsed(minus)};
  const char* const names[] = {"plus", "minus"};
  partita_artifact* both = nullptr;
  EXPECT_EQ(partita_artifact_join(parts, nullptr, 2, &both), PARTITA_ERROR_USER);
  EXPECT_STREQ(partita_last_error(), "expected functions of distinct names, found 'main' twice");
  ASSERT_EQ(partita_artifact_join(parts, names, 2, &both), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(partita_artifact_join(&both, names, 1, &both), PARTITA_ERROR_USER);
  ASSERT_EQ(partita_artifact_function_count(both), 2u);
  EXPECT_STREQ(partita_artifact_function_name(both, 0), "plus");
  EXPECT_STREQ(partita_artifact_function_name(both, 1), "minus");
  EXPECT_STREQ(partita_artifact_function_name(both, 2), "");
  partita_artifact* one = nullptr;
  EXPECT_EQ(partita_artifact_function(both, "times", &one), PARTITA_ERROR_USER);
  ASSERT_EQ(partita_artifact_function(both, "minus", &one), PARTITA_OK) << partita_last_error();

  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  partita_function *plus = nullptr, *less = nullptr;
  ASSERT_EQ(partita_function_load(both, &device, 1, &plus), PARTITA_OK) << partita_last_error();
  const int64_t held = partita_device_allocated_bytes(device);
  ASSERT_EQ(partita_function_load(one, &device, 1, &less), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(partita_device_allocated_bytes(device), held);
  for (partita_artifact* const artifact : {parts[0], parts[1], both, one})
    partita_artifact_free(artifact);
  partita_buffer* const x = f32_buffer(device, std::vector<float>(1024, 2000), {1024});
  for (const auto& [function, last] : {std::pair{plus, 3024.0F}, std::pair{less, 976.0F}}) {
    partita_buffer* y = nullptr;
    ASSERT_EQ(partita_execute(function, &x, 1, nullptr, &y, 1), PARTITA_OK) << partita_last_error();
    EXPECT_EQ(f32_elements(y).back(), last);
    partita_buffer_free(y);
    partita_function_free(function);  // the other one still has the constant
  }
  partita_buffer_free(x);
  partita_device_free(device);
}

/// A tensor of DLPack that notes when it is deleted.
struct HostTensor {
  explicit HostTensor(std::vector<float> values, std::vector<std::int64_t> extents,
                      std::vector<std::int64_t> steps = {})
      : elements(1 + values.size() / 4), dims(std::move(extents)), strides(std::move(steps)) {
    std::ranges::copy(values, elements.front().values);
    managed.context = this;
    managed.deleter = [](c_api::dlpack::ManagedTensor* self) {
      ++static_cast<HostTensor*>(self->context)->deletions;
    };
    managed.tensor.data = elements.data();
    managed.tensor.rank = std::int32_t(dims.size());
    managed.tensor.dims = dims.data();
    managed.tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  partita_status to_buffer(partita_device* device, int copies, partita_buffer** buffer) {
    return partita_buffer_from_dlpack(device, reinterpret_cast<DLManagedTensorVersioned*>(&managed),
                                      copies, buffer);
  }

  struct alignas(16) Line {
    float values[4];
  };
  std::vector<Line> elements;
  std::vector<std::int64_t> dims, strides;
  std::atomic<int> deletions = 0;
  c_api::dlpack::ManagedTensor managed;
};

TEST_F(CApiFunctions, tensors_of_dlpack_are_read_where_they_lie) {
  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  const int64_t held = partita_device_allocated_bytes(device);
  // Devices with a memory of their own have copies.
  const bool is_shared = open_devices({}).front()->profile().is_cpu;
  partita_buffer* buffer = nullptr;

  HostTensor shared({1, 2, 3, 4}, {4});
  ASSERT_EQ(shared.to_buffer(device, 0, &buffer), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(partita_device_allocated_bytes(device) == held, is_shared);
  // It is an argument as others are; giving it up does not give it away.
  partita_artifact* const program = donating_add();
  partita_function* add = nullptr;
  ASSERT_EQ(partita_function_load(program, &device, 1, &add), PARTITA_OK);
  partita_artifact_free(program);
  partita_buffer* const inputs[] = {buffer, f32_buffer(device, {10}, {})};
  partita_buffer* y = nullptr;
  const uint8_t donated[] = {1, 0};
  EXPECT_EQ(shared.deletions, is_shared ? 0 : 1);
  ASSERT_EQ(partita_execute(add, inputs, 2, donated, &y, 1), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(f32_elements(y), (std::vector<float>{11, 12, 13, 14}));
  partita_buffer_free(buffer);
  EXPECT_EQ(shared.elements[0].values[0], 1);

  HostTensor copied({1, 2, 3, 4}, {4});
  ASSERT_EQ(copied.to_buffer(device, 1, &buffer), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(copied.deletions, 1);
  partita_buffer_free(buffer);

  HostTensor transposed({1, 2, 3, 4, 5, 6}, {3, 2}, {1, 3});
  ASSERT_EQ(transposed.to_buffer(device, 0, &buffer), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(transposed.deletions, 1);
  EXPECT_EQ(f32_elements(buffer), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  partita_buffer_free(buffer);

  HostTensor empty({}, {0, 3});
  empty.managed.tensor.data = nullptr;
  ASSERT_EQ(empty.to_buffer(device, 0, &buffer), PARTITA_OK) << partita_last_error();
  EXPECT_EQ(empty.deletions, 1);
  partita_buffer_free(buffer);

  for (partita_buffer* const b : {inputs[1], y}) partita_buffer_free(b);
  partita_function_free(add);
  partita_device_free(device);  // with all of its work
  EXPECT_EQ(shared.deletions, 1);
}

TEST_F(CApiFunctions, tensors_of_dlpack_that_are_wrong_stay_the_callers) {
  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  const auto refused = [&](auto&& change) {
    HostTensor tensor({1, 2, 3, 4}, {4});
    change(tensor.managed);
    partita_buffer* buffer = nullptr;
    EXPECT_EQ(tensor.to_buffer(device, 0, &buffer), PARTITA_ERROR_USER);
    EXPECT_EQ(tensor.deletions, 0);
    EXPECT_EQ(buffer, nullptr);
    return std::string(partita_last_error());
  };
  using Tensor = c_api::dlpack::ManagedTensor;
  EXPECT_EQ(refused([](Tensor& t) { t.major = 2; }),
            "tensor: expected version 1 of DLPack, found version 2");
  EXPECT_EQ(refused([](Tensor& t) { t.tensor.device_type = 2; }),
            "tensor: expected memory of the host (device type 1), found device type 2");
  EXPECT_EQ(refused([](Tensor& t) { t.tensor.type.lanes = 4; }),
            "tensor: expected elements of one of partita_dtype, found code 2 of 32 bits, 4 lanes");
  EXPECT_EQ(refused([](Tensor& t) {
              t.tensor.type = {c_api::dlpack::Code::integer, 4, 1};
            }),
            "tensor: expected each element of 4 bits in a byte of its own, found packed ones");
  EXPECT_EQ(refused([](Tensor& t) { t.tensor.dims[0] = -4; }),
            "tensor: expected extents of an array that fits in memory, found tensor<-4xf32>");
  EXPECT_EQ(refused([](Tensor& t) { t.tensor.data = nullptr; }),
            "argument 'tensor.data': expected a pointer, found NULL");
  EXPECT_EQ(refused([](Tensor& t) { t.tensor.rank = -1; }),
            "tensor: expected no negative rank, found -1");
  partita_device_free(device);
}

TEST_F(CApiFunctions, buffers_become_tensors_of_dlpack) {
  partita_device* device = nullptr;
  ASSERT_EQ(partita_device_open("opencl", 1, &device), PARTITA_OK) << partita_last_error();
  partita_buffer* const x = f32_buffer(device, {1, 2, 3, 4, 5, 6}, {2, 3});
  DLManagedTensorVersioned* handle = nullptr;
  ASSERT_EQ(partita_buffer_to_dlpack(x, &handle), PARTITA_OK) << partita_last_error();
  partita_buffer_free(x);
  auto* const managed = reinterpret_cast<c_api::dlpack::ManagedTensor*>(handle);
  const c_api::dlpack::Tensor& tensor = managed->tensor;
  EXPECT_EQ(tensor.type, (c_api::dlpack::ElementType{c_api::dlpack::Code::floating, 32, 1}));
  ASSERT_EQ(tensor.rank, 2);
  EXPECT_EQ(std::vector(tensor.dims, tensor.dims + 2), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::vector(tensor.strides, tensor.strides + 2), (std::vector<std::int64_t>{3, 1}));
  const auto* data = static_cast<const float*>(tensor.data);
  EXPECT_EQ(std::vector(data, data + 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_NE(managed->flags, 0u);
  // There and back.
  partita_buffer* back = nullptr;
  ASSERT_EQ(partita_buffer_from_dlpack(device, handle, 0, &back), PARTITA_OK);
  EXPECT_EQ(f32_elements(back), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  partita_buffer_free(back);

  // Elements of 4 bits have a byte each.
  const int8_t small[] = {-8, 7};
  const int64_t extent = 2;
  partita_buffer* narrow = nullptr;
  ASSERT_EQ(partita_buffer_create(device, PARTITA_I4, 1, &extent, small, 2, &narrow), PARTITA_OK);
  ASSERT_EQ(partita_buffer_to_dlpack(narrow, &handle), PARTITA_OK) << partita_last_error();
  ASSERT_EQ(partita_buffer_from_dlpack(device, handle, 0, &back), PARTITA_OK)
      << partita_last_error();
  int8_t again[2] = {};
  EXPECT_EQ(partita_buffer_read(back, again, 2, nullptr), PARTITA_OK);
  EXPECT_EQ(again[0], -8);
  EXPECT_EQ(again[1], 7);
  for (partita_buffer* const b : {narrow, back}) partita_buffer_free(b);
  partita_device_free(device);
}

TEST_F(CApiFunctions, functions_run_on_the_devices_of_a_mesh) {
  const std::vector<std::byte> bytes = serialize_artifact(mesh_artifact());
  partita_artifact* mesh = nullptr;
  ASSERT_EQ(partita_artifact_parse(bytes.data(), bytes.size(), "mesh.pta", &mesh), PARTITA_OK);
  std::vector<partita_device*> devices(6);
  ASSERT_EQ(partita_device_open("opencl", 6, devices.data()), PARTITA_OK) << partita_last_error();
  partita_function* function = nullptr;
  EXPECT_EQ(partita_function_load(mesh, devices.data(), 5, &function), PARTITA_ERROR_USER);
  ASSERT_EQ(partita_function_load(mesh, devices.data(), 6, &function), PARTITA_OK)
      << partita_last_error();
  // Blocks of 3 x 2 of an array of 5 x 4, the last ones padded; z is the sum of the blocks of both rows.
  std::vector<partita_buffer*> x, results(12);
  for (int device = 0; device < 6; ++device)
    x.push_back(
        f32_buffer(devices[std::size_t(device)], std::vector<float>(6, float(device)), {3, 2}));
  ASSERT_EQ(partita_execute(function, x.data(), 1, nullptr, results.data(), 2), PARTITA_OK)
      << partita_last_error();
  for (std::size_t device = 0; device < 6; ++device)
    EXPECT_EQ(f32_elements(results[2 * device + 1]).front(), float(device % 3) * 2 + 3);
  for (partita_buffer* const buffer : x) partita_buffer_free(buffer);
  for (partita_buffer* const buffer : results) partita_buffer_free(buffer);
  for (partita_device* const device : devices) partita_device_free(device);
  partita_function_free(function);
  partita_artifact_free(mesh);
}

TEST_F(CApiFunctions, events_tell_when_and_wrong_buffers_are_refused) {
  std::vector<partita_device*> devices(2);
  ASSERT_EQ(partita_device_open("opencl", 2, devices.data()), PARTITA_OK) << partita_last_error();
  partita_buffer* const x = f32_buffer(devices[0], {1, 2, 3, 4}, {4});
  partita_buffer* copy = nullptr;
  ASSERT_EQ(partita_buffer_copy(x, devices[1], &copy), PARTITA_OK);
  std::vector<float> values(4);
  partita_event* done = nullptr;
  ASSERT_EQ(partita_buffer_read(copy, values.data(), 16, &done), PARTITA_OK);
  std::atomic<int> calls = 0;
  const auto count = [](partita_status status, const char* error, void* user) {
    if (status == PARTITA_OK && *error == 0) ++*static_cast<std::atomic<int>*>(user);
  };
  EXPECT_EQ(partita_event_on_done(done, count, &calls), PARTITA_OK);
  EXPECT_EQ(partita_event_wait(done), PARTITA_OK);
  EXPECT_EQ(partita_event_is_done(done), 1);
  EXPECT_EQ(partita_event_on_done(done, count, &calls), PARTITA_OK);
  while (calls < 2) std::this_thread::yield();
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4}));
  partita_event_free(done);

  partita_function* add = nullptr;
  ASSERT_EQ(partita_function_load(artifact_, devices.data(), 1, &add), PARTITA_OK);
  partita_buffer* const w = f32_buffer(devices[0], {10}, {});
  partita_buffer* y = nullptr;
  const auto refused = [&](partita_buffer* a, partita_buffer* b, size_t inputs, size_t outputs) {
    partita_buffer* const arrays[] = {a, b};
    EXPECT_EQ(partita_execute(add, arrays, inputs, nullptr, &y, outputs), PARTITA_ERROR_USER);
    return std::string(partita_last_error());
  };
  EXPECT_EQ(refused(x, w, 1, 1), "expected 2 arguments, found 1");
  EXPECT_EQ(refused(x, w, 2, 2), "expected room for 1 results, found 2");
  EXPECT_EQ(refused(w, x, 2, 1), "argument 0: expected tensor<4xf32>, found tensor<f32>");
  EXPECT_EQ(refused(copy, w, 2, 1),
            "argument 0: expected an array on device 0 of the program, found one elsewhere");
  EXPECT_EQ(refused(x, nullptr, 2, 1), "argument 'inputs': expected a pointer, found NULL");
  EXPECT_EQ(partita_buffer_read(x, values.data(), 12, nullptr), PARTITA_ERROR_USER);
  EXPECT_EQ(partita_device_open("abacus", 1, devices.data()), PARTITA_ERROR_USER);
  partita_function_free(add);
  for (partita_buffer* const buffer : {x, copy, w}) partita_buffer_free(buffer);
  for (partita_device* const device : devices) partita_device_free(device);
}

}  // namespace
}  // namespace partita::testing
