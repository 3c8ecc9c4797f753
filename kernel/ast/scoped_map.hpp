// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A map whose entries go when the scope ends in which they were made: what is known at a place of the
// code that is being written.  There is a scope from the start.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace partita::kernel {

template <class Key, class Value>
class ScopedMap {
 public:
  void open_scope() { scopes_.emplace_back(); }
  void close_scope() {
    for (const Key& key : scopes_.back()) values_.erase(key);
    scopes_.pop_back();
  }

  /// The entry, which takes the place of an earlier one and belongs to the innermost scope.
  const Value& put(const Key& key, Value value) {
    scopes_.back().push_back(key);
    return values_[key] = std::move(value);
  }
  [[nodiscard]] bool contains(const Key& key) const { return values_.contains(key); }
  /// Null where there is none.
  [[nodiscard]] const Value* find(const Key& key) const {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  template <class Test>
  [[nodiscard]] bool any(const Test& test) const {
    return std::ranges::any_of(values_, [&](const auto& entry) { return test(entry.first); });
  }
  template <class Test>
  void erase_if(const Test& test) {
    for (std::vector<Key>& scope : scopes_)
      std::erase_if(scope, [&](const Key& key) {
        if (!test(key)) return false;
        values_.erase(key);
        return true;
      });
  }

 private:
  std::map<Key, Value> values_;
  std::vector<std::vector<Key>> scopes_{1};
};

}  // namespace partita::kernel
