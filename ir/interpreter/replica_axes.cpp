// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Replica groups said by axes of a mesh, as StableHLO 1.16 has them.
#include <algorithm>
#include <tuple>

#include "ir/core/sharding_scanner.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

/// The mnemonic of a nested attribute may be left out.
void pass_mnemonic(ShardingScanner& in, std::string_view name) {
  if (in.eat("#stablehlo.")) in.expect(name);
}

void expect_key(ShardingScanner& in, std::string_view key) {
  in.expect(key);
  in.expect("=");
}

// #stablehlo.mesh_axis<name = "x", size = 2>      "x"=2, as artifacts are read
MeshAxis read_mesh_axis(ShardingScanner& in) {
  MeshAxis axis;
  pass_mnemonic(in, "mesh_axis");
  if (!in.eat("<")) {
    axis.name = in.quoted();
    in.expect("=");
    axis.size = in.number();
    return axis;
  }
  expect_key(in, "name");
  axis.name = in.quoted();
  in.expect(",");
  expect_key(in, "size");
  axis.size = in.number();
  in.expect(">");
  return axis;
}

// dense<[0, 2, 1, 3]> : tensor<4xi64>      dense<0> : tensor<1xi64>
I64s read_device_ids(ShardingScanner& in) {
  in.expect("dense");
  in.expect("<");
  I64s ids = in.at("[") ? in.numbers("[", "]") : I64s{in.number()};
  in.expect(">");
  in.expect(":");
  in.expect("tensor");
  in.expect("<");
  in.number();
  in.expect("xi64");
  in.expect(">");
  return ids;
}

// #stablehlo.mesh<axes = [#stablehlo.mesh_axis<…>, …], device_ids = dense<…> : tensor<…>>
Mesh read_mesh(ShardingScanner& in) {
  Mesh mesh;
  in.expect("#stablehlo.");
  in.expect("mesh");
  in.expect("<");
  expect_key(in, "axes");
  in.expect("[");
  if (!in.eat("]")) {
    do mesh.axes.push_back(read_mesh_axis(in));
    while (in.eat(","));
    in.expect("]");
  }
  if (in.eat(",")) {
    expect_key(in, "device_ids");
    mesh.device_ids = read_device_ids(in);
  }
  in.expect(">");
  std::int64_t size = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1 || axis.size > (std::int64_t(1) << 20) / size)
      in.fail("axes of a mesh of up to 1048576 devices");
    size *= axis.size;
  }
  if (!mesh.device_ids.empty() && std::ssize(mesh.device_ids) != size)
    in.fail(cat(size, " device_ids"));
  return mesh;
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>      "x":(1)2, as artifacts are read
AxisRef read_axis(ShardingScanner& in) {
  AxisRef axis;
  pass_mnemonic(in, "axis_ref");
  const bool is_struct = in.eat("<");
  if (is_struct) expect_key(in, "name");
  axis.name = in.quoted();
  if (in.eat(is_struct ? "," : ":")) {
    if (is_struct) expect_key(in, "sub_axis_info");
    std::tie(axis.pre, axis.size) = in.part();
  }
  if (is_struct) in.expect(">");
  return axis;
}

}  // namespace

bool is_replica_axes(std::string_view text) {
  return text.starts_with("#stablehlo.replica_group_mesh_axes");
}

std::vector<I64s> groups_along_axes(std::string_view text, const Module* module) {
  ShardingScanner in(text);
  in.expect("#stablehlo.");
  in.expect("replica_group_mesh_axes");
  in.expect("<");
  expect_key(in, "mesh");
  std::optional<Mesh> mesh;
  if (in.at("@")) {
    const std::string symbol = in.symbol();
    if (module != nullptr) mesh = find_mesh(*module, symbol);
    if (!mesh) in.fail(cat("a mesh of the module before @", symbol));
  } else {
    mesh = read_mesh(in);
  }
  in.expect(",");
  expect_key(in, "axes");
  in.expect("[");
  Sharding said;  // what is not cut: checked as such
  if (!in.eat("]")) {
    do said.replicated.push_back(read_axis(in));
    while (in.eat(","));
    in.expect("]");
  }
  in.expect(">");
  in.expect_end();
  check_axes(said, *mesh);

  const auto digits = [&](const AxisRef& ref) {
    const std::int64_t whole = mesh->axes[*mesh->find(ref.name)].size;
    const std::int64_t size = ref.size != 0 ? ref.size : whole;
    return std::pair(size, whole / (ref.pre * size));
  };
  std::int64_t members = 1;
  for (const AxisRef& ref : said.replicated) members *= digits(ref).first;
  std::vector<std::pair<I64s, I64s>> groups;  // what their members have in common, and these
  for (std::int64_t position = 0; position < mesh->size(); ++position) {
    const std::int64_t device =
        mesh->device_ids.empty() ? position : mesh->device_ids[std::size_t(position)];
    I64s common = mesh->coordinates(device);
    std::int64_t place = 0;
    for (const AxisRef& ref : said.replicated) {
      const auto [size, step] = digits(ref);
      std::int64_t& at = common[*mesh->find(ref.name)];
      const std::int64_t digit = at / step % size;
      at -= digit * step;
      place = place * size + digit;
    }
    auto found = std::ranges::find(groups, common, &std::pair<I64s, I64s>::first);
    if (found == groups.end())
      found = groups.insert(groups.end(), {std::move(common), I64s(std::size_t(members), 0)});
    found->second[std::size_t(place)] = device;
  }
  std::vector<I64s> lists;
  for (auto& group : groups) lists.push_back(std::move(group.second));
  return lists;
}

}  // namespace partita::ir
