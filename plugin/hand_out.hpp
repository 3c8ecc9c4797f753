// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How calls hand texts and bytes out.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plugin/abi.hpp"

namespace partita::pjrt {

/// A text that belongs to the object that was asked.
template <class Call>
void set_text(Call& call, std::string_view text) {
  call.text = text.data();
  call.text_size = text.size();
}

/// Hands bytes out that the caller has deleted.
template <class Owner>
void hand_out(abi::Serialized<Owner>& call, std::string bytes) {
  auto* const owner = new std::string(std::move(bytes));
  call.bytes = owner->data();
  call.bytes_size = owner->size();
  call.owner = owner;
  call.deleter = [](void* text) { delete static_cast<std::string*>(text); };
}

}  // namespace partita::pjrt
