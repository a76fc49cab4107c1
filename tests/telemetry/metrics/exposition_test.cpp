#include "telemetry/metrics/exposition.hpp"

#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "telemetry/metrics/metric_list.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using routing::command_kind;
using routing::routing_class;
using ::testing::HasSubstr;
using ::testing::Not;

/// Counts everything that can be counted, in every label.
void count_everything(metrics_collector& metrics, worker_metrics& worker, namespace_id ns) {
  for (std::size_t i = 0; i < routing::command_kind_count; ++i) {
    const auto kind = static_cast<command_kind>(i);
    for (std::size_t j = 0; j < routing::routing_class_count; ++j) {
      const auto routing = static_cast<routing_class>(j);
      worker.count_command(ns, kind, routing);
      worker.count_statements(ns, kind, routing, 2);
      worker.observe_duration(kind, routing, std::chrono::milliseconds{1});
    }
    for (std::size_t j = 0; j < routing::cause_count; ++j) {
      worker.count_finding(ns, kind, routing::cause::numbered(j), finding_action::rejected);
    }
  }
  worker.observe_fanout(ns, 3);
  worker.observe_inspect(std::chrono::nanoseconds{700});
  for (std::size_t i = 1; i < wire::wire_errc_count; ++i) {
    worker.count_wire_error(static_cast<wire::wire_errc>(i));
    worker.count_uninspected(static_cast<wire::wire_errc>(i));
  }
  metrics.count_new_shape("db", "a");
}

void add_listener_with_everything(metrics_collector& metrics) {
  auto& facts = metrics.add_listener("127.0.0.1:27117", {"mongos1:27017", "mongos2:27017"});
  facts.active = 1;
  facts.certificate_expires_at = 1'800'000'000;
  metrics.facts().catalog->is_live = true;
}

std::set<std::string> series_of(const std::string& text) {
  std::set<std::string> series;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << "twice: " << line;
  }
  return series;
}

TEST(exposition, pleases_promtool) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool";
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  add_listener_with_everything(metrics);
  count_everything(metrics, worker, worker.admit("db", "a"));
  count_everything(metrics, worker, worker.admit("quote\"back\\slash\nline", "\xFF"));
  count_everything(metrics, worker, other_namespace);
  const tests::temporary_folder folder;
  std::ofstream{folder.file("metrics")} << exposition_text(metrics);
  const std::string command = "promtool check metrics <" + folder.file("metrics") + " >" +
                              folder.file("said") + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(tests::read_file(folder.file("said")), "");
}

TEST(exposition, shows_no_series_twice) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  add_listener_with_everything(metrics);
  count_everything(metrics, worker, worker.admit("db", "a"));
  count_everything(metrics, worker, worker.admit("db", "\xFF"));
  count_everything(metrics, worker, worker.admit("db", "\xFE"));
  EXPECT_GT(series_of(exposition_text(metrics)).size(), 1000U);
}

TEST(exposition, has_help_and_type_for_every_family_of_the_list) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  add_listener_with_everything(metrics);
  count_everything(metrics, worker, worker.admit("db", "a"));
  const std::string text = exposition_text(metrics);
  for (const metric_row& desc : metric_list()) {
    EXPECT_THAT(text, HasSubstr("# HELP " + std::string{desc.name} + " "));
    EXPECT_THAT(text, HasSubstr("# TYPE " + std::string{desc.name} + " "));
  }
}

TEST(exposition, counts_exactly_where_numbers_are_large) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.request_bytes.add(1'234'567'890'123'456);
  EXPECT_THAT(exposition_text(metrics),
              HasSubstr("\nscattergate_request_bytes_total 1234567890123456\n"));
}

TEST(exposition, escapes_labels) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.count_command(worker.admit("a\"b\\c", ""), command_kind::ping,
                       routing_class::not_routed);
  EXPECT_THAT(exposition_text(metrics),
              HasSubstr(R"(scattergate_commands_total{db="a\"b\\c",collection="",)"
                        R"(command="ping",routing="not_routed"} 1)"));
}

TEST(exposition, says_what_was_built) {
  const metrics_collector metrics{1};
  EXPECT_THAT(exposition_text(metrics), HasSubstr("scattergate_build_info{version=\""));
}

TEST(exposition, documents_every_family_and_no_other) {
  std::set<std::string> documented;
  for (const std::string& line : tests::read_lines(SCATTERGATE_DOCS_DIR "/metrics.md")) {
    if (!line.starts_with("| `")) continue;
    const std::string name = line.substr(3, line.find_first_of("`{", 3) - 3);
    if (name.starts_with("scattergate_") || name.starts_with("process_")) {
      EXPECT_TRUE(documented.insert(name).second) << "twice: " << name;
    }
  }
  std::set<std::string> listed;
  for (const metric_row& desc : metric_list()) listed.insert(std::string{desc.name});
  EXPECT_EQ(documented, listed);
}

}  // namespace
}  // namespace scattergate::telemetry
