// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/models.hpp"

#include <functional>
#include <map>

#include "partita/algorithms.hpp"
#include "partita/base/error.hpp"
#include "partita/builder.hpp"

namespace partita::tool {
namespace {

using build::Array;
using build::Arrays;

constexpr std::int64_t client_steps = 4;
constexpr double rate = 0.05;

/// What a client trains: leaves of the model, of one batch, and the loss.
struct Training {
  std::vector<Type> params, batch;
  algorithms::Loss loss;
};

Type floats(Dims dims) { return {.dtype = DType::f32, .dims = std::move(dims)}; }
Type integers(Dims dims) { return {.dtype = DType::i32, .dims = std::move(dims)}; }

/// 784-200-200-10 with ReLU, batches of 20.
Training perceptron() {
  constexpr std::int64_t sizes[] = {784, 200, 200, 10}, batch = 20;
  Training t;
  for (std::size_t k = 0; k + 1 < std::size(sizes); ++k) {
    t.params.push_back(floats({sizes[k], sizes[k + 1]}));
    t.params.push_back(floats({sizes[k + 1]}));
  }
  t.batch = {floats({batch, sizes[0]}), integers({batch})};
  t.loss = [](const Arrays& params, const Arrays& data) {
    Array x = data[0];
    for (std::size_t k = 0; k < params.size(); k += 2) {
      x = build::matmul(x, params[k]) + params[k + 1];
      if (k + 2 < params.size()) x = build::relu(x);
    }
    return build::cross_entropy(x, data[1]);
  };
  return t;
}

struct DecoderSizes {
  std::int64_t vocabulary, width, layers, length, heads, batch = 4;
  bool is_cut = false;  ///< along the axis of the mesh
};

constexpr const char* model_axis = "model";

/// [batch, length, a] by [a, b].
Array projected(const Array& x, const Array& weights) {
  return build::dot_general(x, weights, {}, {}, {2}, {0});
}

/// qkv: [d, 3, d].
Array attended(const Array& x, const Array& qkv, const Array& out, std::int64_t heads) {
  const std::int64_t b = x.dim(0), t = x.dim(1), d = x.dim(2);
  const Array all = build::reshape(projected(x, qkv), {b, t, 3, heads, d / heads});
  const auto part = [&](std::int64_t k) {
    const Array one = build::slice(all, {0, 0, k, 0, 0}, {b, t, k + 1, heads, d / heads});
    return build::transpose(build::reshape(one, {b, t, heads, d / heads}), {0, 2, 1, 3});
  };
  const Array mixed = build::attention(part(0), part(1), part(2), true);
  return projected(build::reshape(build::transpose(mixed, {0, 2, 1, 3}), {b, t, d}), out);
}

/// Pre-norm decoder with causal attention and tied embeddings.
Training decoder(const DecoderSizes& s) {
  constexpr std::size_t of_layer = 6;
  const std::int64_t d = s.width;
  Training t;
  t.params = {floats({s.vocabulary, d}), floats({s.length, d}), floats({d})};
  for (std::int64_t layer = 0; layer < s.layers; ++layer)
    for (const Dims& dims :
         {Dims{d}, Dims{d, 3, d}, Dims{d, d}, Dims{d}, Dims{d, 4 * d}, Dims{4 * d, d}})
      t.params.push_back(floats(dims));
  t.batch = {integers({s.batch, s.length + 1})};
  t.loss = [s](const Arrays& params, const Arrays& data) {
    const Array tokens = build::slice(data[0], {0, 0}, {s.batch, s.length}),
                labels = build::slice(data[0], {0, 1}, {s.batch, s.length + 1});
    const auto cut = [&](std::size_t k, std::size_t dim) {
      std::vector<std::vector<std::string>> axes(std::size_t(params[k].rank()));
      axes[dim] = {model_axis};
      return s.is_cut ? build::sharded(params[k], axes) : params[k];
    };
    const auto normalised = [](const Array& x, const Array& gain) {
      return build::layer_norm(x, gain, build::full_like(gain, 0.0));
    };
    const Array embedding = cut(0, 0);
    Array x = build::take(embedding, tokens) + params[1];
    for (std::size_t k = 3; k < params.size(); k += of_layer) {
      x = x + attended(normalised(x, params[k]), cut(k + 1, 2), cut(k + 2, 0), s.heads);
      const Array hidden = build::gelu(projected(normalised(x, params[k + 3]), cut(k + 4, 1)));
      x = x + projected(hidden, cut(k + 5, 0));
    }
    return build::cross_entropy(
        build::dot_general(normalised(x, params[2]), embedding, {}, {}, {2}, {1}), labels);
  };
  return t;
}

const std::map<std::string, DecoderSizes>& decoders() {
  static const std::map<std::string, DecoderSizes> all{
      {"lm-s", {.vocabulary = 512, .width = 128, .layers = 2, .length = 64, .heads = 4}},
      {"lm-m", {.vocabulary = 2048, .width = 256, .layers = 4, .length = 128, .heads = 8}},
      {"350M", {.vocabulary = 32768, .width = 1024, .layers = 24, .length = 512, .heads = 16}},
      {"1B", {.vocabulary = 32768, .width = 2048, .layers = 20, .length = 512, .heads = 16}},
      {"8B", {.vocabulary = 32768, .width = 4096, .layers = 40, .length = 512, .heads = 32}}};
  return all;
}

Training training_of(const std::string& model, bool is_cut) {
  if (model == "mlp") {
    if (is_cut) throw_user_error("mlp: expected a decoder to cut along an axis of a mesh");
    return perceptron();
  }
  const auto found = decoders().find(model);
  if (found == decoders().end())
    throw_user_error(cat("expected mlp, lm-s, lm-m, 350M, 1B or 8B, found '", model, "'"));
  DecoderSizes sizes = found->second;
  sizes.is_cut = is_cut;
  return decoder(sizes);
}

}  // namespace

const std::vector<RoundModel>& round_models() {
  static const std::vector<RoundModel> all{{"mlp", 64}, {"lm-s", 4}, {"lm-m", 1}};
  return all;
}

const std::vector<std::string>& large_models() {
  static const std::vector<std::string> all{"350M", "1B", "8B"};
  return all;
}

std::string round_text(const std::string& model, std::int64_t clients, std::int64_t model_shards) {
  const Training training = training_of(model, model_shards > 1);
  build::Program program({{"clients", clients}}, "round");
  if (model_shards > 1) program.mesh({{model_axis, model_shards}});
  std::vector<Type> arguments = training.params;
  for (const Type& type : training.batch) {
    Type all = type;
    all.dims.insert(all.dims.begin(), {clients, client_steps});
    arguments.push_back(std::move(all));
  }
  const std::size_t leaves = training.params.size();
  program.function("main", arguments, [&](const Arrays& a) {
    return algorithms::fed_avg("clients",
                               {.loss = training.loss,
                                .optimizer = algorithms::sgd(rate),
                                .steps = client_steps,
                                .is_stepwise = true},
                               algorithms::part(a, 0, leaves),
                               algorithms::part(a, leaves, a.size() - leaves));
  });
  return program.text();
}

}  // namespace partita::tool
