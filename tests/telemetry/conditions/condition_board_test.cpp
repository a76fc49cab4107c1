#include "telemetry/conditions/condition_board.hpp"

#include <set>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/admin/api_answers.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/telemetry/telemetry_support.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

std::string conditions_json(const std::vector<condition>& all) {
  std::string text;
  text::json_writer json{text};
  append_conditions(json, all);
  return text;
}

using namespace std::chrono_literals;
using enum condition_kind;
using testing::ElementsAre;
using testing::IsEmpty;

/// A board whose clock moves only on request, and whose lines are kept.
class condition_board_test : public ::testing::Test {
 protected:
  /// The lines written since the last call: "begins mongos: Connection refused".
  std::vector<std::string> lines() { return std::exchange(lines_, {}); }

  void pass(std::chrono::seconds time) {
    for (; time > 0s; time -= 1s) {
      now_.now += 1s;
      now_.time += 1s;
      board_.tick();
    }
  }
  void refuse() { board_.raise(upstream_unreachable, "mongos", "Connection refused"); }
  void reach() { board_.clear(upstream_unreachable, "mongos"); }

 private:
  void note(const condition& what, condition_phase phase) {
    static constexpr std::array words = {"begins", "goes on", "ends"};
    lines_.push_back(std::string{words[static_cast<std::size_t>(phase)]} + " " + what.subject +
                     ": " + what.detail + " x" + std::to_string(what.count));
  }
  condition_board::moment now_{{}, std::chrono::system_clock::time_point{1'714'564'800s}};
  std::vector<std::string> lines_;

 protected:
  condition_board board_{
      [this] { return now_; },
      [this](const condition& what, condition_phase phase) { note(what, phase); }};
};

TEST_F(condition_board_test, reports_a_cause_at_once_then_once_a_minute_then_its_end) {
  refuse();
  EXPECT_THAT(lines(), ElementsAre("begins mongos: Connection refused x1"));
  for (int i = 0; i < 59; ++i) {
    pass(1s);
    refuse();
    refuse();
  }
  EXPECT_THAT(lines(), IsEmpty());
  pass(1s);
  EXPECT_THAT(lines(), ElementsAre("goes on mongos: Connection refused x119"));
  reach();
  EXPECT_THAT(lines(), ElementsAre("ends mongos: Connection refused x119"));
}

TEST_F(condition_board_test, says_nothing_of_what_goes_on_without_being_met) {
  refuse();
  static_cast<void>(lines());
  pass(600s);
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(condition_board_test, reports_another_cause_after_five_seconds) {
  refuse();
  pass(2s);
  board_.raise(upstream_unreachable, "mongos", "No route to host");
  EXPECT_THAT(lines(), ElementsAre("begins mongos: Connection refused x1"));
  pass(3s);
  EXPECT_THAT(lines(), ElementsAre("goes on mongos: No route to host x2"));
}

TEST_F(condition_board_test, one_that_comes_and_goes_has_ten_lines_a_minute) {
  for (int i = 0; i < 30; ++i) {
    refuse();
    reach();
    pass(1s);
  }
  EXPECT_EQ(lines().size(), 10U);
  refuse();
  pass(40s);
  EXPECT_THAT(lines(), ElementsAre("begins mongos: Connection refused x1"));
}

TEST_F(condition_board_test, what_somebody_asked_for_has_a_line_each_time) {
  for (int i = 0; i < 20; ++i) board_.raise(reload_failed, "scattergate.yaml", "bad");
  EXPECT_EQ(lines().size(), 20U);
}

TEST_F(condition_board_test, what_no_one_ends_has_lapsed_after_a_quiet_minute) {
  board_.raise(wire_errors, "10.0.0.7", "bad_length");
  pass(59s);
  board_.raise(wire_errors, "10.0.0.7", "bad_length");
  pass(59s);
  static_cast<void>(lines());
  pass(1s);
  EXPECT_THAT(lines(), ElementsAre("ends 10.0.0.7: bad_length x2"));
  ASSERT_EQ(board_.snapshot().size(), 1U);
  EXPECT_FALSE(board_.snapshot()[0].active);
  EXPECT_EQ(board_.snapshot()[0].last - board_.snapshot()[0].since, 59s);
}

TEST_F(condition_board_test, an_end_without_a_beginning_is_nothing) {
  reach();
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(board_.snapshot(), IsEmpty());
}

TEST_F(condition_board_test, what_is_so_for_a_while_counts_once) {
  for (int i = 0; i < 100; ++i) {
    board_.hold(certificate_expired, "proxy.pem", "since yesterday");
    pass(1s);
  }
  EXPECT_THAT(lines(), ElementsAre("begins proxy.pem: since yesterday x1"));
}

TEST_F(condition_board_test, what_is_not_named_any_more_has_ended) {
  board_.hold(settings_ignored, "audit.file", "a");
  board_.hold(settings_ignored, "admin.listen", "b");
  refuse();
  static_cast<void>(lines());
  board_.clear_all_but(settings_ignored, {"audit.file"});
  EXPECT_THAT(lines(), ElementsAre("ends admin.listen: b x1"));
}

TEST_F(condition_board_test, what_is_named_of_one_listener_has_ended_at_the_others) {
  board_.hold(certificate_expired, {"proxy.pem", "a:1"}, "yesterday");
  board_.hold(certificate_expired, {"proxy.pem", "b:2"}, "yesterday");
  static_cast<void>(lines());
  board_.clear_all_but(certificate_expired, {{"proxy.pem", "b:2"}});
  EXPECT_THAT(lines(), ElementsAre("ends proxy.pem: yesterday x1"));
}

TEST_F(condition_board_test, however_many_strangers_come_few_have_entries) {
  for (int i = 0; i < 100'000; ++i) {
    board_.raise(wire_errors, "10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256),
                 "bad_length");
  }
  EXPECT_EQ(lines().size(), condition_board::most_subjects + 1);
  const auto all = board_.snapshot();
  ASSERT_EQ(all.size(), condition_board::most_subjects + 1);
  std::uint64_t met = 0;
  for (const condition& each : all) met += each.count;
  EXPECT_EQ(met, 100'000U);
}

TEST_F(condition_board_test, the_worst_have_entries_whoever_came_first) {
  const auto meet_strangers = [this](int first) {
    for (int i = first; i < first + 1'000; ++i) {
      board_.raise(wire_errors, "stranger" + std::to_string(i), "bad_length");
    }
  };
  meet_strangers(0);
  static_cast<void>(lines());
  for (int i = 0; i < 50; ++i) {
    board_.raise(wire_errors, "worst", "tls_hello");
    meet_strangers(1'000 * (i + 1));
  }
  EXPECT_THAT(lines(), ElementsAre("begins worst: tls_hello x3"));
  std::uint64_t met = 0;
  std::uint64_t of_worst = 0;
  const auto all = board_.snapshot();
  for (const condition& each : all) {
    met += each.count;
    if (each.subject == "worst") of_worst = each.count;
  }
  EXPECT_EQ(of_worst, 50U);
  EXPECT_EQ(met, 51'050U);
  EXPECT_EQ(all.size(), condition_board::most_subjects + 1);
}

TEST_F(condition_board_test, those_without_entries_end_with_the_last_entry) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < condition_board::most_subjects + 8; ++i) {
    names.push_back("mongos" + std::to_string(i));
    board_.raise(upstream_unreachable, names.back(), "Connection refused");
  }
  for (const std::string& each : names) board_.clear(upstream_unreachable, each);
  for (const condition& each : board_.snapshot()) EXPECT_FALSE(each.active) << each.subject;
}

TEST_F(condition_board_test, what_goes_on_for_too_many_subjects_is_logged_once) {
  std::vector<std::string> names(1, std::string(300, 'x') + "\xFF");
  for (std::size_t i = 0; i < condition_board::most_subjects + 8; ++i) {
    names.push_back("proxy" + std::to_string(i) + ".pem");
  }
  for (int i = 0; i < 10; ++i) {
    for (const std::string& each : names) board_.hold(certificate_expired, each, "yesterday");
    board_.clear_all_but(certificate_expired, {names.begin(), names.end()});
  }
  EXPECT_EQ(lines().size(), condition_board::most_subjects + 1);
}

TEST_F(condition_board_test, what_has_ended_stays_for_an_hour_but_never_many) {
  refuse();
  reach();
  pass(3599s);
  EXPECT_EQ(board_.snapshot().size(), 1U);
  pass(1s);
  EXPECT_THAT(board_.snapshot(), IsEmpty());
  for (int i = 0; i < 1000; ++i) {
    board_.raise(state_failing, std::to_string(i), "full");
    board_.clear(state_failing, std::to_string(i));
  }
  EXPECT_LE(board_.snapshot().size(), 201U);
}

TEST_F(condition_board_test, texts_are_cut_and_plain) {
  board_.raise(wire_errors, std::string(10'000, 's') + "\n",
               "a\nb\xFF" + std::string(9'999, 'd'));
  const condition shown = board_.snapshot().at(0);
  EXPECT_EQ(shown.subject.size(), 256U);
  EXPECT_EQ(shown.detail.find('\n'), std::string::npos);
  EXPECT_LE(shown.detail.size(), 600U);
}

TEST_F(condition_board_test, is_written_as_json) {
  refuse();
  pass(2s);
  refuse();
  reach();
  board_.raise(audit_failing, "/var/log/a\"b", "No space left on device");
  EXPECT_EQ(
      conditions_json(board_.snapshot()),
      R"([{"id":5002,"severity":"error","kind":"audit_failing","subject":"/var/log/a\"b",)"
      R"("listener":null,"message":"The audit log can't be written; findings wait in memory",)"
      R"("detail":"No space left on device","whatToDo":"Free disk space, or fix the path: )"
      R"(writing is retried every two seconds.",)"
      R"("runbook":"runbook#scattergateauditnotwriting","since":"2024-05-01T12:00:02.000Z",)"
      R"("last":"2024-05-01T12:00:02.000Z","count":1,"active":true},)"
      R"({"id":1012,"severity":"error","kind":"upstream_unreachable","subject":"mongos",)"
      R"("listener":null,"message":"No mongos can be reached; the listener's clients are )"
      R"(disconnected, or wait if mongos hangs","detail":"Connection refused",)"
      R"("whatToDo":"Check that mongos is up, that its name resolves, and that its port is open )"
      R"(from here.","runbook":"runbook#scattergateupstreamdown",)"
      R"("since":"2024-05-01T12:00:00.000Z","last":"2024-05-01T12:00:02.000Z","count":2,)"
      R"("active":false}])");
  EXPECT_EQ(conditions_json(condition_board{}.snapshot()), "[]");
}

TEST_F(condition_board_test, shows_the_active_ones_first_then_the_gravest_then_the_newest) {
  board_.raise(wire_errors, "old warning", "");
  pass(1s);
  board_.raise(audit_failing, "old error", "");
  pass(1s);
  board_.raise(state_failing, "new error", "");
  pass(1s);
  board_.raise(limit_reached, "new warning", "");
  for (const auto& [kind, name] :
       {std::pair{tls_failures, "over, warning"}, std::pair{reload_failed, "over, error"}}) {
    pass(1s);
    board_.raise(kind, name, "");
    board_.clear(kind, name);
  }
  std::vector<std::string> order;
  for (const condition& each : board_.snapshot()) order.push_back(each.subject);
  EXPECT_THAT(order, ElementsAre("new error", "old error", "new warning", "old warning",
                                 "over, error", "over, warning"));
}

TEST_F(condition_board_test, the_same_mongos_behind_two_listeners_is_two_conditions) {
  board_.raise(upstream_unreachable, {"mongos", "a:1"}, "Connection refused");
  board_.raise(upstream_unreachable, {"mongos", "b:2"}, "Connection refused");
  board_.clear(upstream_unreachable, {"mongos", "a:1"});
  const auto all = board_.snapshot();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].listener, "b:2");
  EXPECT_TRUE(all[0].active);
  EXPECT_EQ(all[1].listener, "a:1");
  EXPECT_FALSE(all[1].active);
  EXPECT_THAT(conditions_json(all), testing::HasSubstr(R"("listener":"b:2")"));
}

TEST_F(condition_board_test, those_that_are_not_kept_apart_have_no_listener) {
  for (std::size_t i = 0; i <= condition_board::most_subjects; ++i) {
    board_.raise(tls_failures, {std::to_string(i), "a:1"}, "unknown ca");
  }
  for (const condition& each : board_.snapshot()) {
    EXPECT_EQ(each.listener, each.subject == condition_board::others ? "" : "a:1");
  }
}

TEST(log_condition, names_the_old_cause_in_the_last_line) {
  const tests::temporary_folder folder;
  ASSERT_TRUE(log::open(folder.file("log"), "info"));
  condition of;
  of.kind = tls_failures;
  of.subject = "10.0.0.7";
  of.listener = "a:1";
  of.detail = "unknown ca";
  log_condition(of, condition_phase::begins);
  log_condition(of, condition_phase::ends);
  of.listener.clear();
  log_condition(of, condition_phase::goes_on);
  EXPECT_TRUE(log::open("-", "info"));
  const auto lines = tests::read_json_lines(folder.file("log"));
  ASSERT_EQ(lines.size(), 3U);
  const auto& begins = lines[0].at("attr").as_object();
  EXPECT_EQ(begins.at("listener"), "a:1");
  EXPECT_EQ(begins.at("detail"), "unknown ca");
  const auto& ends = lines[1].at("attr").as_object();
  EXPECT_EQ(ends.at("was"), "unknown ca");
  EXPECT_FALSE(ends.contains("detail"));
  EXPECT_FALSE(lines[2].at("attr").as_object().contains("listener"));
}

/// docs/log.md's row of an id, without the marks of code.
std::string log_row(std::int32_t id) {
  const auto file = scattergate::tests::source_folder() / "docs/log.md";
  for (std::string line : tests::read_lines(file.string())) {
    if (!line.starts_with("| " + std::to_string(id) + " |")) continue;
    std::erase(line, '`');
    return line;
  }
  return {};
}

TEST(condition_rules, say_what_to_do_as_log_md_does) {
  for (std::size_t i = 0; i < wire::enum_count<condition_kind>(); ++i) {
    const condition_rules& rules = rules_of(static_cast<condition_kind>(i));
    EXPECT_THAT(std::string{rules.what_to_do}, testing::EndsWith(".")) << rules.label;
    EXPECT_THAT(log_row(rules.begins.id), testing::HasSubstr(std::string{rules.what_to_do}))
        << rules.label;
  }
}

TEST(condition_rules, give_every_line_an_id_of_its_own) {
  std::set<std::int32_t> ids;
  std::set<std::string_view> labels;
  for (std::size_t i = 0; i < wire::enum_count<condition_kind>(); ++i) {
    const condition_rules& rules = rules_of(static_cast<condition_kind>(i));
    EXPECT_TRUE(ids.insert(rules.begins.id).second) << rules.label;
    EXPECT_TRUE(ids.insert(rules.ends.id).second) << rules.label;
    EXPECT_TRUE(labels.insert(rules.label).second) << rules.label;
    EXPECT_GE(rules.begins.severity, log::severity::warning) << rules.label;
    EXPECT_EQ(rules.ends.severity, log::severity::info) << rules.label;
  }
}

}  // namespace
}  // namespace scattergate::telemetry
