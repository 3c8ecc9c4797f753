// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/token_ports.hpp"

#include <algorithm>
#include <memory>

#include "partita/ir/maker.hpp"

namespace partita::ir {

void replace_token_ports(Function& f) {
  const auto is_token = [](const Type& type) { return type.is_token; };
  if (std::ranges::none_of(f.argument_types(), is_token) &&
      std::ranges::none_of(f.result_types, is_token))
    return;
  const Type empty{.dtype = DType::i1, .dims = {0}};
  auto body = std::make_unique<Graph>();
  const Maker make{*body, nullptr, f.location};
  ValueMap<Value> map;
  for (int k = 0; k < f.body->argument_count(); ++k) {
    const Value argument = f.body->argument(k);
    const Value port = body->add_argument(is_token(argument.type()) ? empty : argument.type(),
                                          f.body->argument_hint(k));
    map[argument] = is_token(argument.type()) ? make.op("stablehlo.create_token", {}) : port;
  }
  body->results = clone_body(*f.body, *body, map);
  for (std::size_t k = 0; k < body->results.size(); ++k) {
    if (!is_token(f.result_types[k])) continue;
    body->results[k] = make.splat(empty, 0);
    f.result_types[k] = empty;
  }
  f.body = std::move(body);
}

}  // namespace partita::ir
