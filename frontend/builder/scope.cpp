// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/builder/scope.hpp"

#include <atomic>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::build {
namespace {

thread_local Scope* innermost = nullptr;
std::atomic<std::uint64_t> last_id{0};

}  // namespace

void refuse(std::string_view function, const std::string& expected, const std::string& found) {
  throw_user_error(cat(function, ": expected ", expected, ", found ", found));
}

Scope::Scope(ir::Module& module, Captures captures)
    : module_(module),
      captures_(captures),
      id_(++last_id),
      outer_(innermost),
      graph_(std::make_unique<ir::Graph>()) {
  innermost = this;
}

Scope::~Scope() {
  if (innermost == this) innermost = outer_;
}

Scope& Scope::current() {
  if (innermost == nullptr)
    refuse("builder", "a body that is being built (Program::function)", "none");
  return *innermost;
}

bool Scope::is_any_open() { return innermost != nullptr; }

Arrays Scope::add_arguments(const std::vector<Type>& types) {
  Arrays arrays;
  for (const Type& type : types) arrays.emplace_back(graph_->add_argument(type), id_);
  return arrays;
}

ir::Value Scope::see(std::uint64_t from, ir::Value value) {
  if (from == id_) return value;
  if (outer_ == nullptr)
    refuse("builder", "an array of the body that is being built or of one around it",
           "one of a body that has ended or of another function");
  const ir::Value outside = outer_->see(from, value);
  if (captures_ == Captures::directly) return outside;
  const auto found = arguments_.find(outside);
  if (found != arguments_.end()) return found->second;
  captured_.push_back(outside);
  return arguments_[outside] = graph_->add_argument(outside.type());
}

void Scope::fill(const Arrays& arguments, const Body& body) {
  graph_->results = as_values(body(arguments));
}

std::unique_ptr<ir::Graph> Scope::close() {
  PARTITA_ASSERT(innermost == this);
  innermost = outer_;
  return std::move(graph_);
}

Array as_array(ir::Value value) { return {value, Scope::current().id()}; }

Arrays as_arrays(const std::vector<ir::Value>& values) {
  Arrays arrays;
  for (const ir::Value& v : values) arrays.push_back(as_array(v));
  return arrays;
}

std::vector<ir::Value> as_values(const Arrays& arrays) {
  std::vector<ir::Value> values;
  for (const Array& a : arrays) values.push_back(a.value());
  return values;
}

Arrays results_of(ir::Node& node) {
  std::vector<ir::Value> values;
  for (int k = 0; k < node.result_count(); ++k) values.push_back(node.result(k));
  return as_arrays(values);
}

std::vector<Type> types_of(const Arrays& arrays) {
  std::vector<Type> types;
  for (const Array& a : arrays)
    types.push_back(a.is_literal() ? Type::scalar(DType::f32) : a.type());
  return types;
}

}  // namespace partita::build
