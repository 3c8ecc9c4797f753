// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/compile_request.hpp"

#include <bit>

#include "partita/base/error.hpp"
#include "plugin/protobuf.hpp"

namespace partita::pjrt {

namespace {

// Fields of CompileOptionsProto.
constexpr int build_options_field = 3, portable_field = 4, overrides_field = 7;
// Of ExecutableBuildOptionsProto.
constexpr int replicas_field = 4, partitions_field = 5, assignment_field = 9, outputs_field = 12;
// Of DeviceAssignmentProto and of the list within.
constexpr int replica_count_field = 1, computation_count_field = 2, computation_field = 3,
              device_ids_field = 1;
// Of an entry of a map, and of what overrides an option.
constexpr int key_field = 1, value_field = 2;
constexpr int text_field = 1, bool_field = 2, int_field = 3, double_field = 4;

std::string option_text(std::string_view message) {
  const std::vector<WireField> fields = read_message(message);
  if (fields.empty()) return "";
  const WireField& field = fields.back();
  switch (field.number) {
    case text_field:
      return std::string(field.bytes.value_or(""));
    case bool_field:
      return field.value != 0 ? "true" : "false";
    case int_field:
      return cat(std::int64_t(field.value));
    case double_field:
      return cat(std::bit_cast<double>(field.value));
    default:
      return "";
  }
}

void read_build_options(std::string_view message, CompileRequest& request) {
  const std::vector<WireField> fields = read_message(message);
  if (const WireField* const f = find_field(fields, replicas_field))
    request.replicas = int(f->value);
  if (const WireField* const f = find_field(fields, partitions_field))
    request.partitions = int(f->value);
  for (const std::int64_t may : numbers_of(fields, outputs_field))
    request.may_shard_outputs.push_back(may != 0);
  const WireField* const assignment = find_field(fields, assignment_field);
  if (assignment == nullptr || !assignment->bytes) return;
  for (const WireField& computation : read_message(*assignment->bytes)) {
    if (computation.number != computation_field || !computation.bytes) continue;
    for (const std::int64_t id : numbers_of(read_message(*computation.bytes), device_ids_field))
      request.devices.push_back(int(id));
  }
}

}  // namespace

CompileRequest read_compile_request(std::string_view message) {
  CompileRequest request;
  bool is_portable = false;
  for (const WireField& field : read_message(message)) {
    if (field.number == build_options_field && field.bytes)
      read_build_options(*field.bytes, request);
    if (field.number == portable_field) is_portable = field.value != 0;
    if (field.number != overrides_field || !field.bytes) continue;
    const std::vector<WireField> entry = read_message(*field.bytes);
    const WireField *const key = find_field(entry, key_field), *const value =
                                                                   find_field(entry, value_field);
    if (key == nullptr || !key->bytes || value == nullptr || !value->bytes) continue;
    if (!key->bytes->starts_with("xla_"))  // what XLA alone is told
      request.options[std::string(*key->bytes)] = option_text(*value->bytes);
  }
  if (is_portable) request.devices.clear();
  return request;
}

std::string device_assignment(const std::vector<int>& devices) {
  MessageWriter assignment;
  assignment.number(replica_count_field, 1)
      .number(computation_count_field, std::int64_t(devices.size()));
  for (const int device : devices)
    assignment.bytes(computation_field, MessageWriter().packed(device_ids_field, {device}).text());
  return assignment.text();
}

}  // namespace partita::pjrt
