// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/target_facts.hpp"

#include <boost/json/object.hpp>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

#include "runtime/artifact/json_archive.hpp"

namespace partita {
namespace {

/// Member `name` as a value of another type, in both directions.
template <class A, class T, class Get, class Set>
void converted(A& a, std::string_view name, T& x, const Get& get, const Set& set) {
  auto value = get(x);
  a(name, value);
  if constexpr (!std::is_const_v<T>) set(x, value);
}

}  // namespace

template <class A>
static void fields(A& a, Ref<A, FlopRates> x) {
  a("f16", x.f16);
  a("bf16", x.bf16);
  a("f32", x.f32);
  a("f64", x.f64);
}

template <class A>
static void fields(A& a, Ref<A, TargetInfo> x) {
  a("compute_units", x.compute_units);
  a("vector_bytes", x.vector_bytes);
  a("registers", x.registers);
  a("register_bytes", x.register_bytes);
  a("tile_rows", x.tile_rows);
  a("tile_vectors", x.tile_vectors);
  a("cache_bytes", x.cache_bytes);
  a("memory_bytes", x.memory_bytes);
  a("local_bytes", x.local_bytes);
  a("bytes_per_second", x.bytes_per_second);
  a("transfer_seconds", x.transfer_seconds);
  a("transfer_bytes_per_second", x.transfer_bytes_per_second);
  a("store_operations", x.store_operations);
  a("preferred_group", x.preferred_group);
  a("most_group", x.most_group);
  a("subgroup_width", x.subgroup_width);
  a("launch_seconds", x.launch_seconds);
  a("flops", x.flops);
  a("has_f64", x.has_f64);
  a("has_f16", x.has_f16);
  a("has_bf16", x.has_bf16);
  converted(
      a, "features", x.features,
      [](const auto& set) { return std::vector<std::string>(set.begin(), set.end()); },
      [](auto& set, const auto& names) {
        set = {names.begin(), names.end()};
      });
  a("library_threshold", x.library_threshold);
  a("packing_threshold", x.packing_threshold);
}

namespace {

namespace bj = boost::json;

/// Replaces members of `whole`, also of objects in it.
void merge(const bj::object& from, bj::object& whole) {
  for (const bj::key_value_pair& member : from) {
    bj::value& old = whole.at(member.key());
    if (old.is_object() && member.value().is_object())
      merge(member.value().get_object(), old.get_object());
    else
      old = member.value();
  }
}

struct Bounds {
  std::string_view name;
  double found, least, most;
};

/// Values that no device has, or that no kernel can be printed for.
void check(const TargetInfo& t, const std::string& name_for_errors) {
  constexpr double any = std::numeric_limits<double>::max(), some = 1e-12;
  const auto fail = [&](std::string_view field, const std::string& expected, double found) {
    throw_user_error(cat("target.", field, ": expected ", expected, ", found ", found),
                     {.file = name_for_errors});
  };
  const bool is_vector =
      t.vector_bytes == 0 || t.vector_bytes == 16 || t.vector_bytes == 32 || t.vector_bytes == 64;
  if (!is_vector) fail("vector_bytes", "0, 16, 32 or 64", double(t.vector_bytes));
  for (const Bounds& b : std::initializer_list<Bounds>{
           {"compute_units", double(t.compute_units), 0, any},
           {"registers", double(t.registers), 1, any},
           {"register_bytes", double(t.register_bytes), 1, any},
           {"tile_rows", double(t.tile_rows), 1, 32},
           {"tile_vectors", double(t.tile_vectors), 1, 8},
           {"cache_bytes", double(t.cache_bytes), 0, any},
           {"memory_bytes", double(t.memory_bytes), 0, any},
           {"local_bytes", double(t.local_bytes), 0, any},
           {"bytes_per_second", t.bytes_per_second, 1, any},
           {"transfer_seconds", t.transfer_seconds, 0, any},
           {"transfer_bytes_per_second", t.transfer_bytes_per_second, 1, any},
           {"store_operations", t.store_operations, 0, any},
           {"most_group", double(t.most_group), 1, 65536},
           {"preferred_group", double(t.preferred_group), 1, double(t.most_group)},
           {"subgroup_width", double(t.subgroup_width), 1, double(t.most_group)},
           {"launch_seconds", t.launch_seconds, some, 1},
           {"flops.f16", t.flops.f16, 1, any},
           {"flops.bf16", t.flops.bf16, 1, any},
           {"flops.f32", t.flops.f32, 1, any},
           {"flops.f64", t.flops.f64, 1, any},
           {"library_threshold", double(t.library_threshold), 1, any},
           {"packing_threshold", double(t.packing_threshold), 1, any}}) {
    if (b.found >= b.least && b.found <= b.most) continue;
    fail(b.name,
         b.most == any ? cat("at least ", b.least) : cat("a number from ", b.least, " to ", b.most),
         b.found);
  }
}

}  // namespace

void apply_facts(std::string_view facts, const std::string& name_for_errors, TargetInfo& info) {
  const bj::value stated = json::parse(facts, name_for_errors);
  const json::Path root{.name = name_for_errors}, path{&root, "target"};
  bj::value whole = json::Writer::value_of(info);
  json::expect_known_members(stated, whole.get_object(), path);
  merge(stated.get_object(), whole.get_object());
  json::Reader reader(whole, path);
  fields(reader, info);
  check(info, name_for_errors);
}

}  // namespace partita
