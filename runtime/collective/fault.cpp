// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reading of injected faults, and what happens when one is due.
#include "runtime/collective/fault.hpp"

#include <csignal>

#include <charconv>
#include <cstdlib>
#include <thread>

namespace partita {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw_user_error(
      cat("PARTITA_FAULT: expected fail|kill|stop|sleep@key:value,… with keys rank, shard, "
          "call, delay, amid, found '",
          text, "'"));
}

std::int64_t parse_number(std::string_view digits, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) refuse(text);
  return value;
}

void set_field(Fault& fault, std::string_view field, std::string_view text) {
  const auto colon = field.find(':');
  if (colon == std::string_view::npos) refuse(text);
  const std::string_view key = field.substr(0, colon);
  const std::int64_t value = parse_number(field.substr(colon + 1), text);
  if (key == "rank")
    fault.rank = int(value);
  else if (key == "shard")
    fault.shard = int(value);
  else if (key == "call")
    fault.call = value;
  else if (key == "delay")
    fault.delay = std::chrono::milliseconds(value);
  else if (key == "amid")
    fault.amid_transfer = value != 0;
  else
    refuse(text);
}

Fault::Kind parse_kind(std::string_view kind, std::string_view text) {
  if (kind == "fail") return Fault::Kind::fail;
  if (kind == "kill") return Fault::Kind::kill;
  if (kind == "stop") return Fault::Kind::stop;
  if (kind == "sleep") return Fault::Kind::sleep;
  refuse(text);
}

}  // namespace

std::optional<Fault> parse_fault(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto at = text.find('@');
  Fault fault;
  fault.kind = parse_kind(text.substr(0, at), text);
  if (at == std::string_view::npos) return fault;
  std::string_view fields = text.substr(at + 1);
  while (true) {
    const auto comma = fields.find(',');
    set_field(fault, fields.substr(0, comma), text);
    if (comma == std::string_view::npos) return fault;
    fields.remove_prefix(comma + 1);
  }
}

namespace collective {

std::optional<Fault> fault_of(const CommunicatorOptions& options) {
  if (options.fault) return options.fault;
  const char* text = std::getenv("PARTITA_FAULT");
  return text == nullptr ? std::nullopt : parse_fault(text);
}

bool is_due(const Fault& fault, int rank, int shard, std::int64_t call) {
  return (fault.rank < 0 || fault.rank == rank) && (fault.shard < 0 || fault.shard == shard) &&
         fault.call == call;
}

void commit(const Fault& fault) {
  switch (fault.kind) {
    case Fault::Kind::fail:
      throw_device_error("injected failure");
    case Fault::Kind::kill:
      std::raise(SIGKILL);
      break;
    case Fault::Kind::stop:
      std::raise(SIGSTOP);
      break;
    case Fault::Kind::sleep:
      std::this_thread::sleep_for(fault.delay);
      break;
  }
}

}  // namespace collective
}  // namespace partita
