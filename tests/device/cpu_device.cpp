// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The device of target cpu: machine code as it is loaded and refused, work-items on several threads,
// products, memory.
#include "backend-cpu/device/cpu_device.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <thread>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "partita/base/cpu_levels.hpp"
#include "tests/device/device_test.hpp"
#include "tests/device/gemm_cases.hpp"

namespace partita::testing {
namespace {

constexpr const char* iota_source =
    "typedef long i64;\n"
    "void partita_iota(i64 begin, i64 end, void* const* buffers, const i64* offsets,\n"
    "                  const i64* scalars) {\n"
    "  int* b0 = (int*)buffers[0] + offsets[0];\n"
    "  for (i64 k = begin; k < end; ++k) b0[k] = (int)(k * scalars[0]);\n}\n";

Artifact iota_artifact() {
  Artifact artifact;
  artifact.target = "cpu";
  artifact.modules.push_back({.name = "test", .source = iota_source});
  artifact.kernels.push_back({.name = "iota", .module = 0});
  artifact.binaries.push_back(
      {best_cpu_level(), cpu::codegen::compile_shared_object(iota_source, best_cpu_level())});
  return artifact;
}

TEST(CpuDevice, runs_every_item_once_on_any_number_of_threads) {
  const Artifact artifact = iota_artifact();
  for (const int cores : {1, 2, 5}) {
    cpu::CpuDevice device(cores);
    EXPECT_EQ(device.profile().compute_units, cores);
    const auto program = device.load(artifact);
    for (const std::int64_t items : {1, 7, 64, 1000, 300'000}) {
      const auto buffer = device.allocate(std::size_t(items + 3) * sizeof(int));
      std::vector<int> values(std::size_t(items + 3), -1);
      // Repeats: what a launch costs is known only after the first.
      for (int repeat = 0; repeat < 3; ++repeat) {
        device.write(*buffer, 0, std::as_bytes(std::span(values)));
        const BoundBuffer bound[] = {{buffer.get(), 2}};
        const LaunchArgs::Scalar scalars[] = {{DType::i64, 3}};
        device.launch(*program, {.kernel = 0,
                                 .buffers = bound,
                                 .scalars = scalars,
                                 .global = {items, 1, 1},
                                 .local = {}});
        std::vector<int> out(values.size());
        device.read(*buffer, 0, std::as_writable_bytes(std::span(out)));
        EXPECT_EQ(out[1], -1);
        for (std::int64_t k = 0; k < items; ++k) ASSERT_EQ(out[std::size_t(k + 2)], 3 * k);
        EXPECT_EQ(out.back(), -1);
      }
    }
  }
}

TEST(HostCompiler, links_units_into_one_object_and_says_what_a_refused_one_has) {
  const std::vector<cpu::codegen::ObjectUnit> units{
      {iota_source, {}},
      {"int partita_two(void) { return 2; }\n", {}},
      {"int partita_three(void) { return 3; }\n", {}}};
  Artifact artifact = iota_artifact();
  artifact.binaries[0].bytes = cpu::codegen::compile_shared_object(units, best_cpu_level());
  EXPECT_EQ(artifact.binaries[0].bytes,
            cpu::codegen::compile_shared_object(units, best_cpu_level()));
  for (const char* name : {"two", "three"}) artifact.kernels.push_back({.name = name, .module = 0});
  cpu::CpuDevice device(1);
  EXPECT_NO_THROW(static_cast<void>(device.load(artifact)));
  try {
    const std::vector<cpu::codegen::ObjectUnit> with_error{{iota_source, {}},
                                                           {"this is nonsense\n", {}}};
    static_cast<void>(cpu::codegen::compile_shared_object(with_error, best_cpu_level()));
    ADD_FAILURE() << "compiled nonsense";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("refused the kernels"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
}

// gcc and clang are told different things then.
TEST(HostCompiler, makes_little_effort_where_it_is_told_so) {
  const char* const set = std::getenv("PARTITA_CC");
  const std::string before = set == nullptr ? "" : set;
  for (const char* compiler : {"gcc", "clang"}) {
    ::setenv("PARTITA_CC", compiler, 1);
    if (!cpu::codegen::has_host_compiler()) continue;
    for (const std::size_t others : {0, 1}) {
      std::vector<cpu::codegen::ObjectUnit> units{
          {.source = iota_source, .effort = cpu::codegen::Effort::little}};
      if (others > 0) units.push_back({"int partita_two(void) { return 2; }\n", {}});
      Artifact artifact = iota_artifact();
      artifact.binaries[0].bytes = cpu::codegen::compile_shared_object(units, best_cpu_level());
      cpu::CpuDevice device(1);
      EXPECT_NO_THROW(static_cast<void>(device.load(artifact))) << compiler;
    }
  }
  if (set == nullptr)
    ::unsetenv("PARTITA_CC");
  else
    ::setenv("PARTITA_CC", before.c_str(), 1);
}

TEST(CpuDevice, refuses_machine_code_that_is_damaged_or_for_another_processor) {
  cpu::CpuDevice device(1);
  const Artifact whole = iota_artifact();
  const auto refusal = [&](const std::function<void(Artifact&)>& change) {
    Artifact artifact = whole;
    change(artifact);
    return error_text(ErrorKind::device, [&] { (void)device.load(artifact); });
  };
  const std::string none = refusal([](Artifact& a) { a.binaries.clear(); });
  EXPECT_NE(none.find("found none"), std::string::npos) << none;
  const std::string other = refusal([](Artifact& a) { a.binaries[0].name = "z80"; });
  EXPECT_NE(other.find("found z80"), std::string::npos) << other;
  const std::string missing = refusal([](Artifact& a) { a.kernels.push_back({"more", 0}); });
  EXPECT_NE(missing.find("expected kernel more"), std::string::npos) << missing;
  for (const std::size_t size : {0, 3, 64, 400, 2000}) {
    const std::string cut = refusal([&](Artifact& a) { a.binaries[0].bytes.resize(size); });
    EXPECT_NE(cut.find("expected a"), std::string::npos) << cut;
  }
}

TEST(CpuDevice, takes_the_most_demanding_binary_that_the_processor_has) {
  Artifact artifact = iota_artifact();
  artifact.binaries.insert(artifact.binaries.begin(), {"x86-64-v9", {}});
  cpu::CpuDevice device(1);
  EXPECT_NE(device.load(artifact), nullptr);
}

TEST(CpuDevice, products_equal_a_plain_loop) {
  for (const int cores : {1, 3}) {
    cpu::CpuDevice device(cores);
    for (const GemmCase& c : gemm_cases()) {
      const auto single = make_arrays<float>(c);
      EXPECT_EQ(run_gemm(device, c, single), expected_result(c, single)) << c.name;
      EXPECT_EQ(run_gemm(device, c, single, true), expected_result(c, single)) << c.name;
      const auto wide = make_arrays<double>(c);
      EXPECT_EQ(run_gemm(device, c, wide), expected_result(c, wide)) << c.name;
    }
  }
}

TEST(CpuDevice, large_products_are_the_same_on_several_threads) {
  for (const GemmCase& c :
       {GemmCase{
            "tall",
            {.transpose_a = true, .m = 611, .n = 97, .k = 130, .lda = 615, .ldb = 97, .ldc = 99}},
        GemmCase{"wide",
                 {.transpose_b = true,
                 .m = 33,
                 .n = 900,
                 .k = 140,
                 .beta = 1,
                 .lda = 140,
                 .ldb = 140,
                 .ldc = 900}},
        GemmCase{"batched",
                 {.m = 60,
                 .n = 70,
                 .k = 80,
                 .lda = 80,
                 .ldb = 70,
                 .ldc = 70,
                 .stride_a = 4800,
                 .stride_b = 5600,
                 .stride_c = 4200},
                 20}}) {
    cpu::CpuDevice device(4);
    const auto in = make_arrays<float>(c);
    EXPECT_EQ(run_gemm(device, c, in), expected_result(c, in)) << c.name;
    EXPECT_EQ(run_gemm(device, c, in, true), expected_result(c, in)) << c.name;
  }
}

TEST(CpuDevice, products_of_bf16_are_added_as_f32) {
  cpu::CpuDevice device(1);
  // 2^8 + 1 terms: a sum in bf16 would stop at 2^8, a product rounded to bf16 would lose its end.
  const GemmCase c{"sum", {.m = 3, .n = 17, .k = 257, .lda = 257, .ldb = 17, .ldc = 17}};
  const float x = 1 + 0x1p-7f;
  const Arrays<float> in{std::vector<float>(3 * 257, x), std::vector<float>(257 * 17, x),
                         std::vector<float>(3 * 17, 0)};
  EXPECT_EQ(run_gemm(device, c, in, true), std::vector<float>(3 * 17, 257 * x * x));
}

TEST(CpuDevice, products_of_bf16_know_what_is_no_number) {
  cpu::CpuDevice device(1);
  const GemmCase c{"one", {.m = 2, .n = 2, .k = 40, .lda = 40, .ldb = 2, .ldc = 2}};
  Arrays<float> in{std::vector<float>(80, 1), std::vector<float>(80, 1), std::vector<float>(4)};
  in.a[3] = std::numeric_limits<float>::infinity();
  in.b[2 * 3 + 1] = 0;
  in.a[40] = -0.0f;
  const std::vector<float> out = run_gemm(device, c, in, true);
  EXPECT_EQ(out[0], std::numeric_limits<float>::infinity());
  EXPECT_NE(out[1], out[1]);
  EXPECT_EQ(out[2], 39);
  EXPECT_EQ(out[3], 38);
}

TEST(CpuDevice, with_beta_0_ignores_what_c_held) {
  cpu::CpuDevice device(2);
  const GemmCase c{"plain", {.m = 50, .n = 70, .k = 30, .lda = 30, .ldb = 70, .ldc = 70}};
  auto in = make_arrays<float>(c);
  in.c.resize(50 * 70);
  const auto expected = expected_result(c, in);
  std::ranges::fill(in.c, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(run_gemm(device, c, in), expected);
}

TEST(CpuDevice, counts_its_memory_and_refuses_what_lies_outside) {
  cpu::CpuDevice device(1);
  const auto buffer = device.allocate(100);
  EXPECT_EQ(device.allocated_bytes(), 100);
  { const auto more = device.allocate(50); }
  EXPECT_EQ(device.allocated_bytes(), 100);
  EXPECT_EQ(device.peak_allocated_bytes(), 150);
  std::vector<std::byte> bytes(60);
  error_text(ErrorKind::device, [&] { device.write(*buffer, 41, bytes); });
  error_text(ErrorKind::device, [&] { device.read(*buffer, 101, std::span<std::byte>()); });
  error_text(ErrorKind::device, [&] { (void)device.allocate(std::size_t(1) << 62); });
}

TEST(CpuDevice, cores_are_divided_among_ranks_and_shards) {
  const int whole = open_devices({.backend = "cpu"})[0]->profile().compute_units;
  int cores = 0;
  for (int rank = 0; rank < 2; ++rank)
    for (const auto& device : open_devices(
             {.backend = "cpu", .local_rank = rank, .local_ranks = 2, .devices_per_rank = 2}))
      cores += device->profile().compute_units;
  EXPECT_EQ(cores, std::max(whole, 4));
  Artifact artifact;
  artifact.target = "cpu";
  EXPECT_EQ(default_devices(artifact, 1), 1);
  artifact.plan.placements.push_back(
      {.name = "clients", .size = whole, .begin_variable = 0, .end_variable = 1});
  EXPECT_EQ(default_devices(artifact, 1), whole);
  artifact.plan.placements[0].size = whole - 1;
  EXPECT_EQ(default_devices(artifact, 1), 1);
}

TEST(WorkerPool, runs_every_piece_of_each_job_once) {
  for (const int workers : {0, 1, 3}) {
    cpu::WorkerPool pool(workers);
    std::vector<int> seen(7, 0);
    for (int job = 0; job < 500; ++job) {
      const std::int64_t pieces = job % 8;
      // A piece is one thread's, and what it wrote is there when run() returns.
      pool.run(pieces, [&](int thread, std::int64_t piece) {
        EXPECT_LT(thread, pool.parts());
        ++seen[std::size_t(piece)];
      });
      if (job % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (std::size_t piece = 0; piece < seen.size(); ++piece) {
      int expected = 0;
      for (int job = 0; job < 500; ++job) expected += job % 8 > int(piece) ? 1 : 0;
      EXPECT_EQ(seen[piece], expected);
    }
  }
}

TEST(WorkerPool, gives_pieces_of_a_thread_that_is_held_up_to_others) {
  cpu::WorkerPool pool(1);
  std::atomic<int> ended = 0;
  // Whoever takes the first piece ends it only when all others have ended: the other thread took them.
  pool.run(100, [&](int, std::int64_t piece) {
    while (piece == 0 && ended < 99) std::this_thread::yield();
    ++ended;
  });
  EXPECT_EQ(ended, 100);
}

}  // namespace
}  // namespace partita::testing
