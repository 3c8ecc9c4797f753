// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/trace.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstdio>

#include "runtime/artifact/json_archive.hpp"

namespace partita {

namespace {

std::string quoted(const std::string& text) {
  return boost::json::serialize(boost::json::value(boost::json::string(json::to_utf8(text))));
}

std::string microseconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

}  // namespace

void Trace::add(const std::string& name, const char* category, Clock::time_point begin,
                Clock::time_point end) {
  if (events_.size() >= max_events) {
    ++dropped_;
    return;
  }
  const auto ns = [](auto d) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
  };
  events_.push_back(
      {&name, category, std::max<std::int64_t>(0, ns(begin - zero_)), ns(end - begin)});
}

std::string Trace::events(int rank, int shard) const {
  const std::string ids = cat(", \"pid\": ", rank, ", \"tid\": ", shard);
  std::string text =
      cat("{\"name\": \"process_name\", \"ph\": \"M\"", ids, ", \"args\": {\"name\": \"rank ", rank,
          "\"}},\n{\"name\": \"thread_name\", \"ph\": \"M\"", ids,
          ", \"args\": {\"name\": \"shard ", shard, "\"}},\n");
  for (const Event& e : events_)
    text += cat("{\"name\": ", quoted(*e.name), ", \"cat\": \"", e.category, "\", \"ph\": \"X\"",
                ids, ", \"ts\": ", microseconds(e.begin_ns),
                ", \"dur\": ", microseconds(e.duration_ns), "},\n");
  if (dropped_ > 0)
    text += cat("{\"name\": \"", dropped_,
                " further events not recorded\", \"ph\": \"i\", \"s\": \"p\"", ids,
                ", \"ts\": ", microseconds(events_.back().begin_ns), "},\n");
  return text;
}

}  // namespace partita
