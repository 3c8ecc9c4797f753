// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The least that an mlp round can take on a CPU: its GEMM calls alone.  Each core works on one client
// at a time, whose model stays in its cache; each step has data of its own; the running mean of the
// first layer is added up.
#include <dlfcn.h>

#include <thread>

#include "partita/base/cores.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "tools/partita/bench/serve.hpp"

namespace partita::tool {

namespace {

// Of the case mlp in benchmarks/peers/models.py.
constexpr int batch = 20, features = 784, hidden = 200, classes = 10, steps = 4;

enum Order : int { row_major = 101 };
enum Transpose : int { as_is = 111, transposed = 112 };

struct OpenBlas {
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                int lda, const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
  void (*saxpy)(int n, float alpha, const float* x, int incx, float* y, int incy) = nullptr;
  void (*set_num_threads)(int) = nullptr;
  const char* (*get_config)() = nullptr;
};

OpenBlas load_openblas() {
  const std::string name = environment("PARTITA_OPENBLAS").value_or("libopenblas.so.0");
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw_device_error(
        cat("expected OpenBLAS (Debian: libopenblas0-pthread), or its path in "
            "PARTITA_OPENBLAS, found none: ",
            ::dlerror()));
  OpenBlas blas;
  const auto load = [&]<class F>(F*& function, const char* symbol) {
    function = reinterpret_cast<F*>(::dlsym(library, symbol));
    if (function == nullptr) throw_device_error(cat(name, ": expected ", symbol, ", found none"));
  };
  load(blas.sgemm, "cblas_sgemm");
  load(blas.saxpy, "cblas_saxpy");
  load(blas.set_num_threads, "openblas_set_num_threads");
  load(blas.get_config, "openblas_get_config");
  return blas;
}

struct Matrix {
  const float* data;
  int stride;
  Transpose transpose = as_is;
};

/// The buffers of one worker: a client's model, what its layers give, the mean.
class Worker {
 public:
  explicit Worker(const OpenBlas& blas) : blas_(blas) {}

  void step(const float* x) {
    multiply({x, features}, {w1_.data(), hidden}, batch, hidden, features, h1_.data());
    multiply({h1_.data(), hidden}, {w2_.data(), hidden}, batch, hidden, hidden, h2_.data());
    multiply({h2_.data(), hidden}, {w3_.data(), classes}, batch, classes, hidden, o_.data());
    learn({h2_.data(), hidden}, {o_.data(), classes}, hidden, classes, w3_.data());
    multiply({o_.data(), classes}, {w3_.data(), classes, transposed}, batch, hidden, classes,
             h2_.data());
    learn({h1_.data(), hidden}, {h2_.data(), hidden}, hidden, hidden, w2_.data());
    multiply({h2_.data(), hidden}, {w2_.data(), hidden, transposed}, batch, hidden, hidden,
             h1_.data());
    learn({x, features}, {h1_.data(), hidden}, features, hidden, w1_.data());
  }
  void add_to_mean() { blas_.saxpy(features * hidden, 1, w1_.data(), 1, mean_.data(), 1); }

 private:
  // c = a · b
  void multiply(Matrix a, Matrix b, int m, int n, int k, float* c) {
    blas_.sgemm(row_major, a.transpose, b.transpose, m, n, k, 1, a.data, a.stride, b.data, b.stride,
                0, c, n);
  }
  // w -= tiny · xᵀ · gradient
  void learn(Matrix x, Matrix gradient, int m, int n, float* w) {
    constexpr float rate = -1e-9F;
    blas_.sgemm(row_major, transposed, as_is, m, n, batch, rate, x.data, x.stride, gradient.data,
                gradient.stride, 1, w, n);
  }

  const OpenBlas& blas_;
  std::vector<float> w1_ = std::vector<float>(features * hidden, .01F);
  std::vector<float> w2_ = std::vector<float>(hidden * hidden, .01F);
  std::vector<float> w3_ = std::vector<float>(hidden * classes, .01F);
  std::vector<float> h1_ = std::vector<float>(batch * hidden, .1F), h2_ = h1_;
  std::vector<float> o_ = std::vector<float>(batch * classes);
  std::vector<float> mean_ = std::vector<float>(features * hidden);
};

}  // namespace

int serve_blas(std::int64_t clients) {
  const OpenBlas blas = load_openblas();
  blas.set_num_threads(1);
  const std::int64_t cores = std::int64_t(usable_cores().size());
  constexpr std::size_t step_elements = std::size_t(batch) * features;
  const std::vector<float> data(std::size_t(clients) * steps * step_elements, .01F);
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    Worker worker(blas);
    for (std::int64_t client = begin; client < end; ++client) {
      for (int s = 0; s < steps; ++s)
        worker.step(data.data() + std::size_t(client * steps + s) * step_elements);
      worker.add_to_mean();
    }
  };
  Served served;
  served.facts = {{"versions", {{"openblas", blas.get_config()}}}};
  served.round = [&] {
    std::vector<std::jthread> threads;
    for (std::int64_t t = 0; t < cores; ++t)
      threads.emplace_back(work, clients * t / cores, clients * (t + 1) / cores);
  };
  served.save_outputs = [](const std::string&) {
    throw_user_error("the GEMM calls alone have no outputs");
  };
  return serve(served, {});
}

}  // namespace partita::tool
