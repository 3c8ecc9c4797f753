// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/emulated_net.hpp"

#include <charconv>
#include <span>
#include <string>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

constexpr const char* variable = "PARTITA_EMULATE_NET";

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit rates[] = {{"kbit", 1e3 / 8}, {"Mbit", 1e6 / 8}, {"Gbit", 1e9 / 8}};
constexpr Unit times[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

[[noreturn]] void refuse(std::string_view text) {
  throw_user_error(cat(variable,
                       ": expected bw:NUMBER kbit|Mbit|Gbit and lat:NUMBER us|ms|s, such as "
                       "bw:10Gbit,lat:50us, found '",
                       text, "'"));
}

/// A number followed by one of the units, in their base.
double parse_quantity(std::string_view quantity, std::span<const Unit> units,
                      std::string_view text) {
  double value = 0;
  const char* const last = quantity.data() + quantity.size();
  const auto [end, error] = std::from_chars(quantity.data(), last, value);
  if (error != std::errc{} || !(value >= 0) || value > 1e9) refuse(text);
  const std::string_view found(end, std::size_t(last - end));
  for (const Unit& unit : units)
    if (unit.name == found) return value * unit.factor;
  refuse(text);
}

}  // namespace

EmulatedNet parse_emulated_net(std::string_view text) {
  EmulatedNet net;
  std::string_view rest = text;
  while (true) {
    const std::string_view field = rest.substr(0, rest.find(','));
    const auto colon = field.find(':');
    const std::string_view key = field.substr(0, colon);
    if (colon == std::string_view::npos) refuse(text);
    const std::string_view quantity = field.substr(colon + 1);
    if (key == "bw")
      net.bytes_per_second = parse_quantity(quantity, rates, text);
    else if (key == "lat")
      net.latency = EmulatedNet::Seconds(parse_quantity(quantity, times, text));
    else
      refuse(text);
    if (net.bytes_per_second == 0) refuse(text);
    if (field.size() == rest.size()) return net;
    rest.remove_prefix(field.size() + 1);
  }
}

std::optional<EmulatedNet> emulated_net() {
  const std::optional<std::string> text = environment(variable);
  return text ? std::optional(parse_emulated_net(*text)) : std::nullopt;
}

}  // namespace partita::collective
