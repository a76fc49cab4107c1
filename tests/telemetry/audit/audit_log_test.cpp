#include "telemetry/audit/audit_log.hpp"

#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "telemetry/accounts/account.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

audit_log::settings settings_for(const std::string& file, milliseconds interval = hours{1}) {
  return {.file = file, .interval = interval, .max_shapes = 100, .local = "127.0.0.1:27117"};
}

/// An audit log that its account feeds.
class audited {
 public:
  explicit audited(audit_log::settings with, audit_log::on_new_shape new_shape = {})
      : log_(std::move(with), std::move(new_shape)) {}

  void submit(std::vector<shape_delta> deltas) { account_.submit(std::move(deltas)); }
  void close() {
    account_.close();
    log_.close();
  }
  [[nodiscard]] const audit_totals& totals() const { return log_.totals(); }
  audit_log* operator->() { return &log_; }

 private:
  live_digest digest_{1000, tests::plenty()};
  audit_log log_;
  account account_{digest_, {&log_.as_sink()}};
};

std::int64_t count_of(const boost::json::object& line) {
  return line.at("param").at("count").as_int64();
}

std::int64_t total_of(const std::vector<boost::json::object>& lines) {
  std::int64_t total = 0;
  for (const auto& line : lines) total += count_of(line);
  return total;
}

TEST(audit_log, writes_the_first_line_of_a_finding_at_once) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  const auto lines = tests::read_json_lines(folder.file("a"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(count_of(lines[0]), 1);
  EXPECT_EQ(lines[0].at("local").at("port"), 27117);
}

TEST(audit_log, keeps_what_follows_until_it_is_due) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  audit.submit({tests::sample_delta(2)});
  audit.submit({tests::sample_delta(3)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().outstanding == 5; }));
  audit.close();
  const auto lines = tests::read_json_lines(folder.file("a"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(count_of(lines[1]), 5);
  EXPECT_EQ(audit.totals().outstanding, 0U);
  EXPECT_EQ(audit.totals().commands, 6U);
  EXPECT_EQ(audit.totals().bytes, tests::read_file(folder.file("a")).size());
}

TEST(audit_log, writes_a_line_per_interval_while_something_comes) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"), milliseconds{20})};
  for (std::uint64_t line = 1; line <= 3; ++line) {
    audit.submit({tests::sample_delta(1)});
    EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == line; }));
  }
  audit.close();
  EXPECT_EQ(total_of(tests::read_json_lines(folder.file("a"))), 3);
}

TEST(audit_log, a_shorter_interval_takes_effect_at_once) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  audit.submit({tests::sample_delta(1)});
  audit->set_times(milliseconds{10}, hours{1});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 2; }));
}

TEST(audit_log, counts_exactly_what_two_threads_submit) {
  const tests::temporary_folder folder;
  std::map<std::string, std::int64_t> submitted;
  audited audit{settings_for(folder.file("a"), milliseconds{5})};
  const auto submit_some = [&audit](unsigned seed, std::map<std::string, std::int64_t>& sums) {
    std::mt19937 random{seed};
    for (int round = 0; round < 500; ++round) {
      std::vector<shape_delta> deltas;
      for (unsigned i = 0; i < random() % 4; ++i) {
        deltas.push_back(tests::sample_delta(1 + random() % 5, random() % 20));
        char hash[17];
        std::snprintf(hash, sizeof hash, "%016llx",
                      static_cast<unsigned long long>(deltas.back().details->shape_hash));
        sums[hash] += static_cast<std::int64_t>(deltas.back().count);
      }
      audit.submit(std::move(deltas));
    }
  };
  std::map<std::string, std::int64_t> other_sums;
  std::thread other{[&] { submit_some(1, other_sums); }};
  submit_some(2, submitted);
  other.join();
  audit.close();
  for (const auto& [hash, count] : other_sums) submitted[hash] += count;
  std::map<std::string, std::int64_t> written;
  for (const auto& line : tests::read_json_lines(folder.file("a"))) {
    std::int64_t callers = 0;
    for (const auto& caller : line.at("param").at("callers").as_array()) {
      callers += caller.at("count").as_int64();
    }
    EXPECT_EQ(callers, count_of(line));
    written[line.at("param").at("shapeHash").as_string().c_str()] += count_of(line);
  }
  EXPECT_EQ(written, submitted);
  EXPECT_EQ(audit.totals().outstanding, 0U);
}

TEST(audit_log, folds_findings_beyond_the_cap_and_counts_them_exactly) {
  const tests::temporary_folder folder;
  audit_log::settings settings = settings_for(folder.file("a"));
  settings.max_shapes = 3;
  audited audit{settings};
  for (std::uint64_t shape = 0; shape < 10; ++shape) {
    audit.submit({tests::sample_delta(2, shape)});
  }
  audit.close();
  std::int64_t folded = 0;
  const auto lines = tests::read_json_lines(folder.file("a"));
  for (const auto& line : lines) {
    if (line.at("param").at("shapeHash") == "__other__") folded += count_of(line);
  }
  EXPECT_EQ(folded, 14);
  EXPECT_EQ(total_of(lines), 20);
  EXPECT_EQ(audit.totals().overflow, 14U);
}

TEST(audit_log, reports_each_new_shape_once) {
  const tests::temporary_folder folder;
  std::vector<std::string> names;
  {
    audited audit{settings_for(folder.file("a")),
                  [&](std::string_view database, std::string_view collection) {
                    names.push_back(std::string{database} + "." + std::string{collection});
                  }};
    audit.submit({tests::sample_delta(1, 1), tests::sample_delta(1, 2)});
    audit.submit({tests::sample_delta(1, 1)});
    shape_delta accepted = tests::sample_delta(1, 1);
    shape_details details = *accepted.details;
    details.action = finding_action::accepted;
    accepted.details = std::make_shared<const shape_details>(details);
    audit.submit({accepted});
  }
  EXPECT_EQ(names, (std::vector<std::string>{"yorkie-meta.clients", "yorkie-meta.clients"}));
}

TEST(audit_log, switched_off_drops_counts_without_a_file) {
  int shapes = 0;
  audited audit{settings_for("off"), [&](auto, auto) { ++shapes; }};
  audit.submit({tests::sample_delta(5)});
  audit.close();
  EXPECT_EQ(audit.totals().lines, 0U);
  EXPECT_EQ(audit.totals().outstanding, 0U);
  EXPECT_EQ(shapes, 1);
  EXPECT_FALSE(std::filesystem::exists("off"));
}

TEST(audit_log, keeps_what_a_full_disk_refuses_outstanding) {
  const tests::temporary_folder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("a"));
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(3)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().write_failures == 1; }));
  EXPECT_EQ(audit.totals().outstanding, 3U);
  audit.submit({tests::sample_delta(4)});
  std::filesystem::remove(folder.file("a"));
  audit->reopen();
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  audit.close();
  EXPECT_EQ(total_of(tests::read_json_lines(folder.file("a"))), 7);
  EXPECT_EQ(audit.totals().outstanding, 0U);
}

TEST(audit_log, reports_a_full_disk_and_its_end_to_the_board) {
  const tests::temporary_folder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("a"));
  condition_board board{[] {
                          return condition_board::moment{std::chrono::steady_clock::now(),
                                                         std::chrono::system_clock::now()};
                        },
                        [](const condition&, condition_phase) {}};
  auto settings = settings_for(folder.file("a"));
  settings.conditions = &board;
  audited audit{settings};
  audit.submit({tests::sample_delta(3)});
  EXPECT_TRUE(tests::eventually([&] { return !board.snapshot().empty(); }));
  const condition raised = board.snapshot().at(0);
  EXPECT_EQ(raised.kind, condition_kind::audit_failing);
  EXPECT_EQ(raised.subject, folder.file("a"));
  EXPECT_EQ(raised.detail, "No space left on device");
  std::filesystem::remove(folder.file("a"));
  audit->reopen();
  EXPECT_TRUE(tests::eventually([&] { return !board.snapshot().at(0).active; }));
}

TEST(audit_log, tries_a_file_that_failed_again_long_before_the_interval) {
  const tests::temporary_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const int reader = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  audited audit{settings_for(folder.file("fifo"))};
  ::close(reader);
  audit.submit({tests::sample_delta(1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().write_failures == 1; }));
  const int again = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  ::close(again);
}

TEST(audit_log, survives_a_reader_that_goes_away) {
  const tests::temporary_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const int reader = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  audited audit{settings_for(folder.file("fifo"))};
  audit.submit({tests::sample_delta(1, 1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  ::close(reader);
  audit.submit({tests::sample_delta(2, 2)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().write_failures == 1; }));
  EXPECT_EQ(audit.totals().outstanding, 2U);
}

TEST(audit_log, stays_bounded_and_exact_while_a_reader_does_not_read) {
  const tests::temporary_folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const int reader = ::open(folder.file("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  audited audit{settings_for(folder.file("fifo"))};
  constexpr std::uint64_t findings = 30'000;
  for (std::uint64_t i = 0; i < findings; ++i) audit.submit({tests::sample_delta(1, i % 1000)});
  audit.close();
  const audit_totals& totals = audit.totals();
  EXPECT_EQ(totals.commands + totals.outstanding, findings);
  EXPECT_GT(totals.outstanding, 0U);
  ::close(reader);
}

TEST(audit_log, goes_on_in_a_new_file_after_rotation) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(1, 1)});
  EXPECT_TRUE(tests::eventually([&] { return audit.totals().lines == 1; }));
  std::filesystem::rename(folder.file("a"), folder.file("a.1"));
  audit->reopen();
  audit.submit({tests::sample_delta(1, 2)});
  audit.close();
  EXPECT_EQ(tests::read_json_lines(folder.file("a.1")).size(), 1U);
  EXPECT_EQ(tests::read_json_lines(folder.file("a")).size(), 1U);
}

TEST(audit_log, refuses_a_file_that_cannot_be_opened) {
  const tests::temporary_folder folder;
  EXPECT_THROW((audited{settings_for(folder.file("no/such/folder"))}), std::runtime_error);
}

TEST(audit_log, may_be_closed_twice) {
  const tests::temporary_folder folder;
  audited audit{settings_for(folder.file("a"))};
  audit.submit({tests::sample_delta(1)});
  audit.close();
  audit.close();
  EXPECT_EQ(tests::read_json_lines(folder.file("a")).size(), 1U);
}

}  // namespace
}  // namespace scattergate::telemetry
