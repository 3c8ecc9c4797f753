// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/attribute.hpp"

#include <algorithm>
#include <bit>

#include "partita/base/hash.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

bool Float::operator==(const Float& other) const {
  return dtype == other.dtype &&
         std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
}

List::List() = default;
List::List(std::vector<Attribute> v) : items(std::move(v)) {}
List::List(const List&) = default;
List::List(List&&) noexcept = default;
List& List::operator=(const List&) = default;
List& List::operator=(List&&) noexcept = default;
List::~List() = default;
bool List::operator==(const List&) const = default;

// --- Dict ---------------------------------------------------------------------------------------

Dict::Dict() = default;
Dict::Dict(std::initializer_list<NamedAttribute> items) {
  for (const NamedAttribute& item : items) set(item.name, item.value);
}
Dict::Dict(const Dict&) = default;
Dict::Dict(Dict&&) noexcept = default;
Dict& Dict::operator=(const Dict&) = default;
Dict& Dict::operator=(Dict&&) noexcept = default;
Dict::~Dict() = default;
bool Dict::operator==(const Dict&) const = default;

namespace {

auto position(auto& items, std::string_view name) {
  return std::lower_bound(
      items.begin(), items.end(), name,
      [](const NamedAttribute& item, std::string_view n) { return item.name < n; });
}

template <class T>
const T& typed(const Dict& dict, std::string_view name, const char* kind) {
  const Attribute* attribute = dict.find(name);
  if (!attribute) throw_internal_error(cat("attribute '", name, "' is absent"));
  const T* value = attribute->get_if<T>();
  if (!value) throw_internal_error(cat("attribute '", name, "' is not ", kind));
  return *value;
}

}  // namespace

const Attribute* Dict::find(std::string_view name) const {
  const auto at = position(items_, name);
  return at != items_.end() && at->name == name ? &at->value : nullptr;
}

void Dict::set(std::string_view name, Attribute value) {
  const auto at = position(items_, name);
  if (at != items_.end() && at->name == name)
    at->value = std::move(value);
  else
    items_.insert(at, NamedAttribute{std::string(name), std::move(value)});
}

void Dict::erase(std::string_view name) {
  const auto at = position(items_, name);
  if (at != items_.end() && at->name == name) items_.erase(at);
}

std::int64_t Dict::i64(std::string_view name) const {
  return typed<Integer>(*this, name, "an integer").value;
}

std::int64_t Dict::i64(std::string_view name, std::int64_t otherwise) const {
  return contains(name) ? i64(name) : otherwise;
}

const I64s& Dict::i64s(std::string_view name) const {
  return typed<I64s>(*this, name, "a list of integers");
}

const I64s& Dict::i64s_or_empty(std::string_view name) const {
  static const I64s empty;
  return contains(name) ? i64s(name) : empty;
}

bool Dict::flag(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (!attribute) return false;
  if (attribute->get_if<Unit>()) return true;
  if (const bool* value = attribute->get_if<bool>()) return *value;
  if (const Integer* value = attribute->get_if<Integer>()) return value->value != 0;
  throw_internal_error(cat("attribute '", name, "' is not a boolean"));
}

const std::string& Dict::text(std::string_view name) const {
  const Attribute* attribute = find(name);
  if (!attribute) throw_internal_error(cat("attribute '", name, "' is absent"));
  if (const auto* value = attribute->get_if<std::string>()) return *value;
  if (const auto* value = attribute->get_if<EnumAttr>()) return value->value;
  if (const auto* value = attribute->get_if<SymbolRef>()) return value->name;
  throw_internal_error(cat("attribute '", name, "' is not text"));
}

std::string Dict::text(std::string_view name, std::string_view otherwise) const {
  return contains(name) ? text(name) : std::string(otherwise);
}

// --- Dense --------------------------------------------------------------------------------------

namespace {

// Whether `bytes` is one element of `size` bytes, repeated at least once.
bool is_repeated(const std::vector<std::byte>& bytes, std::size_t size) {
  if (bytes.size() < size || size == 0) return false;
  return std::equal(bytes.begin() + std::ptrdiff_t(size), bytes.end(), bytes.begin());
}

}  // namespace

Dense::Dense(Type type, std::vector<std::byte> bytes, bool is_splat)
    : type_(std::move(type)), bytes_(std::move(bytes)), splat_(is_splat) {
  const std::size_t element = byte_size(type_.dtype);
  if (bytes_.size() != (splat_ ? element : type_.bytes()))
    throw_internal_error(
        cat("constant of type ", to_string(type_), " with ", bytes_.size(), " bytes"));
  // One form for equal contents: splats are known as such, constants without elements hold none.
  if (type_.count() == 0) {
    bytes_.clear();
    splat_ = false;
  } else if (!splat_ && is_repeated(bytes_, element)) {
    bytes_.resize(element);
    bytes_.shrink_to_fit();
    splat_ = true;
  }
  Hasher hasher;
  hasher.add(to_string(type_));
  hasher.add(std::int64_t(splat_));
  hasher.add(bytes_);
  hash_ = hasher.value();
}

HostArray Dense::to_array() const {
  HostArray array(type_);
  if (!splat_) {
    array.bytes = bytes_;
    return array;
  }
  for (std::size_t at = 0; at < array.bytes.size(); at += bytes_.size())
    std::memcpy(array.bytes.data() + at, bytes_.data(), bytes_.size());
  return array;
}

bool Dense::operator==(const Dense& other) const {
  return hash_ == other.hash_ && type_ == other.type_ && splat_ == other.splat_ &&
         bytes_ == other.bytes_;
}

DenseRef make_dense(const HostArray& array) {
  return std::make_shared<const Dense>(array.type, array.bytes, false);
}

DenseRef make_splat(const Type& type, double value) {
  HostArray one(Type::scalar(DType::f64));
  *one.data<DType::f64>() = value;
  return std::make_shared<const Dense>(type, convert(one, type.dtype).bytes, true);
}

// --- Attribute ----------------------------------------------------------------------------------

namespace {

/// Whether both hold a reference of this kind, to equal contents; nothing where they do not both hold one.
template <class Ref>
std::optional<bool> equal_contents(const Attribute& a, const Attribute& b) {
  const auto *mine = a.get_if<Ref>(), *theirs = b.get_if<Ref>();
  if (!mine || !theirs) return std::nullopt;
  return *mine == *theirs || (*mine && *theirs && **mine == **theirs);
}

}  // namespace

bool Attribute::operator==(const Attribute& other) const {
  if (const auto equal = equal_contents<DenseRef>(*this, other)) return *equal;
  if (const auto equal = equal_contents<ShardingRef>(*this, other)) return *equal;
  if (const auto equal = equal_contents<ShardingsRef>(*this, other)) return *equal;
  return value_ == other.value_;
}

}  // namespace partita::ir
