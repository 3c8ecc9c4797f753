// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes: a closed variant of what MLIR text can hold, with value semantics and equality.
// Struct attributes that describe dimensions (#stablehlo.dot<…>, #stablehlo.gather<…>,
// #stablehlo.scatter<…>) are flattened on reading: their fields are attributes of the node, so that
// every pass sees plain lists; the printer nests them again (AttrSpec::group).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"

namespace partita::ir {

class Attribute;
struct NamedAttribute;
struct Sharding;  // partita/ir/sharding.hpp

struct Unit {
  bool operator==(const Unit&) const = default;
};
/// An integer with its MLIR type: "i64", "i32", "i1", "index".
struct Integer {
  std::int64_t value = 0;
  std::string type = "i64";
  bool operator==(const Integer&) const = default;
};
/// A float with its type; compares by bits.
struct Float {
  double value = 0;
  DType dtype = DType::f64;
  bool operator==(const Float& other) const;
};
/// A symbol reference, "@name".
struct SymbolRef {
  std::string name;
  bool operator==(const SymbolRef&) const = default;
};
/// `#dialect<kind VALUE>`, such as #stablehlo<comparison_direction LT>.
struct EnumAttr {
  std::string dialect, kind, value;
  bool operator==(const EnumAttr&) const = default;
};
/// Kept as written: locations, attributes of unknown dialects.
struct RawAttr {
  std::string text;
  bool operator==(const RawAttr&) const = default;
};
/// #sdy.sharding<@mesh, [{"x"}, {}]>; never null, compared by what it says.
using ShardingRef = std::shared_ptr<const Sharding>;
/// #sdy.sharding_per_value<[<…>, …]>; never null, compared by what it says.
using ShardingsRef = std::shared_ptr<const std::vector<Sharding>>;
/// #sdy<manual_axes{"x", "y"}>
struct ManualAxes {
  std::vector<std::string> names;
  bool operator==(const ManualAxes&) const = default;
};
/// array<i64: 1, 2>; also what flattened dimension lists and bracketed integer lists become.
using I64s = std::vector<std::int64_t>;
/// array<i1: true, false>
struct Bools {
  std::vector<bool> values;
  bool operator==(const Bools&) const = default;
};
/// [a, b]
struct List {
  std::vector<Attribute> items;
  List();
  explicit List(std::vector<Attribute> v);
  List(const List&);
  List(List&&) noexcept;
  List& operator=(const List&);
  List& operator=(List&&) noexcept;
  ~List();
  bool operator==(const List&) const;
};

/// Attributes by name, in order of names; a name occurs once.
class Dict {
 public:
  Dict();
  Dict(std::initializer_list<NamedAttribute> items);
  Dict(const Dict&);
  Dict(Dict&&) noexcept;
  Dict& operator=(const Dict&);
  Dict& operator=(Dict&&) noexcept;
  ~Dict();
  bool operator==(const Dict&) const;

  [[nodiscard]] const Attribute* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  void set(std::string_view name, Attribute value);
  void erase(std::string_view name);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const std::vector<NamedAttribute>& items() const { return items_; }

  // Typed access; the forms without default throw an internal error when absent or of another kind
  // (presence and kinds are verified against the op's AttrSpecs when a node is made).
  [[nodiscard]] std::int64_t i64(std::string_view name) const;
  [[nodiscard]] std::int64_t i64(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] const I64s& i64s(std::string_view name) const;
  /// Empty when absent.
  [[nodiscard]] const I64s& i64s_or_empty(std::string_view name) const;
  /// True for an integer 1 of type i1, a `true`, or a unit; false when absent.
  [[nodiscard]] bool flag(std::string_view name) const;
  /// A string, an enum's value or a symbol's name.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;

 private:
  std::vector<NamedAttribute> items_;
};

/// Immutable constant data, shared; `splat` holds one element for all.
class Dense {
 public:
  Dense(Type type, std::vector<std::byte> bytes, bool is_splat);
  [[nodiscard]] const Type& type() const { return type_; }
  [[nodiscard]] bool is_splat() const { return splat_; }
  /// One element when is_splat(), else all, as HostArray stores them.
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  /// Expanded copy.
  [[nodiscard]] HostArray to_array() const;
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  bool operator==(const Dense& other) const;

 private:
  Type type_;
  std::vector<std::byte> bytes_;
  bool splat_;
  std::uint64_t hash_;
};
using DenseRef = std::shared_ptr<const Dense>;

/// Detects splats.
[[nodiscard]] DenseRef make_dense(const HostArray& array);
/// A splat of `value` converted to the type's dtype.
[[nodiscard]] DenseRef make_splat(const Type& type, double value);

class Attribute {
 public:
  using Variant =
      std::variant<Unit, bool, Integer, Float, std::string, SymbolRef, EnumAttr, RawAttr, Type,
                   I64s, Bools, List, Dict, DenseRef, ShardingRef, ShardingsRef, ManualAxes>;
  Attribute() = default;
  template <class T>
  requires std::constructible_from<Variant, T&&> &&
      (!std::same_as<std::remove_cvref_t<T>, Attribute>)Attribute(T&& value)
      : value_(std::forward<T>(value)) {}                     // NOLINT(google-explicit-constructor)
  Attribute(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Attribute(std::int64_t value)
      : value_(Integer{value, "i64"}) {}                    // NOLINT(google-explicit-constructor)
  Attribute(int value) : Attribute(std::int64_t(value)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const Variant& value() const { return value_; }
  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  bool operator==(const Attribute& other) const;  // what is shared by content

 private:
  Variant value_;
};

struct NamedAttribute {
  std::string name;
  Attribute value;
  bool operator==(const NamedAttribute&) const = default;
};

inline bool Dict::empty() const { return items_.empty(); }
inline std::size_t Dict::size() const { return items_.size(); }

}  // namespace partita::ir
