// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How an array is cut over the devices of a mesh, as sharding attributes say it: Shardy's
// (#sdy.sharding<@mesh, [{"x"}, {}]>) and the older text of GSPMD ("{devices=[2,4]<=[8]}").
// Attributes hold the former as data; the latter stays text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// Devices in a grid of named axes, the last varying fastest.
struct Mesh {
  std::vector<MeshAxis> axes;
  I64s device_ids;  ///< by position in the grid; empty: as they come
  bool operator==(const Mesh&) const = default;

  [[nodiscard]] std::int64_t size() const;
  /// Index of an axis in `axes`; nothing where there is none of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view axis) const;
  /// Index along each axis of a device, by its number.
  [[nodiscard]] I64s coordinates(std::int64_t device) const;
  /// The number of the device at these indices.
  [[nodiscard]] std::int64_t device(const I64s& coordinates) const;
};

/// An axis, or a part of it: "x":(pre)size.
struct AxisRef {
  std::string name;
  std::int64_t pre = 1, size = 0;  ///< size 0: the whole axis
  bool operator==(const AxisRef&) const = default;
};

/// How one dimension is cut.
struct DimSharding {
  std::vector<AxisRef> axes;             ///< the major one first
  bool is_open = false;                  ///< further axes may cut it where that is cheaper ("?")
  std::optional<std::int64_t> priority;  ///< of propagation: 0 first ("p1")
  bool operator==(const DimSharding&) const = default;
};

struct Sharding {
  std::string mesh;           ///< symbol; empty where the mesh is written out
  std::optional<Mesh> inner;  ///< the mesh that is written out
  std::vector<DimSharding> dims;
  std::vector<AxisRef> replicated;  ///< axes that cut no dimension, open ones included
  std::vector<AxisRef> unreduced;   ///< axes over which partial sums remain
  bool operator==(const Sharding&) const = default;

  /// Whether it says something of the axis: where it cuts, that it does not, or that sums remain.
  [[nodiscard]] bool names(std::string_view axis) const;
};

/// Reads "#sdy.sharding<…>" or what is between its angle brackets.  A user error says what is wrong.
[[nodiscard]] Sharding parse_sharding(std::string_view text);
/// The text that parse_sharding reads: "#sdy.sharding<@mesh, [{"x"}, {?}]>".
[[nodiscard]] std::string to_text(const Sharding& sharding);
/// Reads "#sdy.sharding_per_value<[<…>, …]>", and its text.
[[nodiscard]] std::vector<Sharding> parse_shardings(std::string_view text);
[[nodiscard]] std::string to_text(const std::vector<Sharding>& shardings);
/// Reads "#sdy<manual_axes{"x"}>", and its text.
[[nodiscard]] ManualAxes parse_manual_axes(std::string_view text);
[[nodiscard]] std::string to_text(const ManualAxes& axes);

/// What such a text is as an attribute; nothing of other texts.
[[nodiscard]] std::optional<Attribute> parse_sharding_attribute(std::string_view text);
[[nodiscard]] Attribute to_attribute(Sharding sharding);
[[nodiscard]] Attribute to_attribute(std::vector<Sharding> shardings);
/// What an attribute holds; null where there is none or it is another one.
[[nodiscard]] const Sharding* sharding_in(const Attribute* attribute);
/// Empty where there is none or it is another one.
[[nodiscard]] const std::vector<Sharding>& shardings_in(const Attribute* attribute);

/// A user error where a sharding names what the mesh lacks, an axis twice, or parts that overlap.
void check_axes(const Sharding& sharding, const Mesh& mesh);
/// The same for a value of this rank; its mesh must be written out or declared, where there is a module.
void check_sharding(const Sharding& sharding, std::int64_t rank, const Module* module);
/// Takes away what says that values lie on one device, by a mesh without axes: it means nothing for a program's values.
void drop_shardings_of_one_device(Module& module);

/// Reads "<["x"=2, "y"=4], device_ids=[…]>".
[[nodiscard]] Mesh parse_mesh(std::string_view text);
/// The text that parse_mesh reads.
[[nodiscard]] std::string to_text(const Mesh& mesh);
/// The mesh of a module by its symbol; nothing where it is not declared.
[[nodiscard]] std::optional<Mesh> find_mesh(const Module& module, std::string_view symbol);
/// The one that a sharding writes out or names.
[[nodiscard]] std::optional<Mesh> find_mesh(const Module& module, const Sharding& sharding);
/// Declares a mesh.
void declare_mesh(Module& module, const std::string& symbol, const Mesh& mesh);
/// All meshes that a module declares, in order.
[[nodiscard]] std::vector<Mesh> meshes(const Module& module);

/// A sharding on a mesh, restricted to some axes: how many pieces each dimension has and which one
/// a device holds.
class Cut {
 public:
  /// Axes that are not in `only` do not cut, nor do unreduced ones (partial_values.hpp).  Axes that the mesh lacks are a
  /// user error.
  Cut(const Sharding& sharding, const Mesh& mesh, const std::vector<std::string>& only);
  /// Reads the text of GSPMD: tiles by device.
  Cut(std::string_view gspmd, std::int64_t rank, std::int64_t devices);

  [[nodiscard]] const Dims& pieces() const { return pieces_; }
  /// Which piece along each dimension the device holds.
  [[nodiscard]] const Dims& piece_of(std::int64_t device) const {
    return by_device_.at(std::size_t(device));
  }
  /// Devices that hold pieces of one whole with this one, itself included, in order.
  [[nodiscard]] I64s group_of(std::int64_t device) const;
  /// Dimensions `d` for which `keep[d]` is false are no longer cut.
  void keep(const std::vector<bool>& keep);

 private:
  Dims pieces_;
  std::vector<Dims> by_device_;
  I64s manual_;  ///< by device: its place among those that see wholes of their own
};

/// Devices that the text of GSPMD names; 0 where it does not say.
[[nodiscard]] std::int64_t gspmd_devices(std::string_view text);

}  // namespace partita::ir
