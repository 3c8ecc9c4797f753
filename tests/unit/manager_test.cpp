// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes by name over anything that prints: a program here is a text to which passes add letters.
#include "partita/manager/manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"

namespace partita::manager {
namespace {

using ::testing::HasSubstr;

/// Pass "a" adds "a" to the program once, "twice" adds it twice, "break" breaks it.
struct Program {
  std::string text;
  int runs = 0, texts = 0;

  [[nodiscard]] Subject subject() {
    return {.ending = "letters",
            .text =
                [this] {
                  ++texts;
                  return text;
                },
            .find = [this](const std::string& name) { return pass(name); }};
  }
  Pass pass(const std::string& name) {
    return {.is_idempotent = name == "a",
            .options = {"count"},
            .missing = [] { return std::string(); },
            .run =
                [this, name](const PassRun& run) {
                  ++runs;
                  if (name == "break") throw_internal_error("broken");
                  if (name == "a" && text.find('a') != std::string::npos) return;
                  for (std::int64_t k = run.integer("count", 1); k > 0; --k) text += name;
                },
            .broken = [] { return std::string(); }};
  }
};

std::string message_of(const std::function<void()>& work, ErrorKind kind) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(int(e.kind()), int(kind));
    return e.what();
  }
  return "none";
}

std::string contents(const std::string& message) {
  const std::string before = "partita opt ";
  const std::size_t at = message.find(before) + before.size();
  const auto bytes = read_file(message.substr(at, message.find(' ', at) - at));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Manager, passes_run_in_order_with_their_options) {
  Program p;
  const auto times = run(p.subject(), parse_runs("b{count=2} a, c"));
  EXPECT_EQ(p.text, "bbac");
  EXPECT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].name, "b");
}

TEST(Manager, a_pass_that_has_nothing_to_do_is_not_run_again) {
  Program p;
  (void)run(p.subject(), parse_runs("a a b a"));
  EXPECT_EQ(p.text, "ab");
  EXPECT_EQ(p.runs, 3);
}

TEST(Manager, crash_files_hold_what_the_pass_was_given) {
  Program p;
  const std::string message = message_of(
      [&] { (void)run(p.subject(), parse_runs("b a break{count=3}")); }, ErrorKind::internal);
  EXPECT_THAT(message, HasSubstr("pass break: broken; replay: partita opt "));
  EXPECT_THAT(message, HasSubstr("partita-crash-break.letters --passes \"break{count=3}\""));
  EXPECT_EQ(contents(message), "ba");
}

TEST(Manager, of_a_state_no_text_is_printed) {
  Program p{.text = "x"};
  Subject subject = p.subject();
  subject.original = [] { return Source{"start", "x"}; };
  subject.state = [&] { return std::hash<std::string>()(p.text); };
  const std::string message =
      message_of([&] { (void)run(subject, parse_runs("a a b a break")); }, ErrorKind::internal);
  EXPECT_THAT(message, HasSubstr("partita-crash-break.start --passes \"a a b a break\""));
  EXPECT_EQ(contents(message), "x");
  EXPECT_EQ(p.texts, 0);
  EXPECT_EQ(p.runs, 4);
}

TEST(Manager, with_an_original_no_text_is_printed_and_crash_files_hold_it) {
  Program p{.text = "x"};
  Subject subject = p.subject();
  subject.original = [] { return Source{"start", "x"}; };
  const std::string message = message_of(
      [&] { (void)run(subject, parse_runs("b{count=2} a a break c")); }, ErrorKind::internal);
  EXPECT_THAT(message, HasSubstr("partita-crash-break.start --passes \"b{count=2} a a break\""));
  EXPECT_EQ(contents(message), "x");
  EXPECT_EQ(p.texts, 0);
  EXPECT_EQ(p.runs, 4);
}

TEST(Manager, options_are_known_and_read_whole) {
  Program p;
  const auto refused = [&](const char* passes) {
    return message_of([&] { (void)run(p.subject(), parse_runs(passes)); }, ErrorKind::user);
  };
  EXPECT_EQ(refused("b{size=2}"), "passes: b: expected count=, found 'size=2'");
  EXPECT_EQ(refused("b{count=2x}"), "passes: b: count: expected a number, found '2x'");
  EXPECT_EQ(refused("b{count=}"), "passes: b: count: expected a number, found ''");
  const PassRun run{"b", {{"share", "no"}, {"keep", "maybe"}}};
  EXPECT_FALSE(run.flag("share", true));
  EXPECT_TRUE(run.flag("other", true));
  EXPECT_THAT(message_of([&] { (void)run.flag("keep", true); }, ErrorKind::user),
              HasSubstr("expected yes or no, found 'maybe'"));
}

TEST(Manager, runs_print_as_they_are_read) {
  const std::string text = "a b{k=v other=0,2} c";
  EXPECT_EQ(to_string(parse_runs(text)), text);
  EXPECT_EQ(to_string(parse_runs("")), "");
}

}  // namespace
}  // namespace partita::manager
