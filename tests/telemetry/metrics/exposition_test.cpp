#include "telemetry/metrics/exposition.hpp"

#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include "telemetry/metrics/metric_list.hpp"
#include "telemetry/metrics/metrics_collector.hpp"
#include "tests/support/family_set.hpp"
#include "tests/support/source_folder.hpp"
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
  worker.count_error(command_kind::find, 61);
  for (std::size_t i = 0; i < rule_hit_count; ++i) {
    worker.count_rule_hit(worker.rules().admit("a rule"), static_cast<rule_hit>(i));
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
  auto& facts = metrics.add_listener("127.0.0.1:27117");
  const auto address = std::make_shared<address_facts>("10.0.0.1:27017");
  address->health = upstream_health::up;
  facts.show_upstreams({{std::make_shared<upstream_facts>("mongos1:27017"), {address}},
                        {std::make_shared<upstream_facts>("mongos2:27017"), {}}});
  facts.certificate_expires_at = 1'800'000'000;
  metrics.facts().catalog->is_live = true;
}

std::string exposition_text(const metrics_collector& metrics,
                            exposition_format format = exposition_format::text) {
  return exposition{metrics}.text(format);
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

/// Without what changes from one scrape to the next.
std::string without_process(const std::string& text) {
  std::string kept;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("process_")) kept += line + '\n';
  }
  return kept;
}

TEST(exposition, as_text_is_what_prometheus_cpp_writes) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  add_listener_with_everything(metrics);
  count_everything(metrics, worker, worker.admit("db", "a"));
  count_everything(metrics, worker, worker.admit("quote\"back\\slash\nline", "\xFF"));
  std::mt19937 random{1};
  std::uniform_int_distribution<int> any{1, 999'999'937};
  for (int i = 0; i < 1000; ++i) {
    const auto routing = static_cast<routing_class>(i % 5);
    worker.observe_duration(command_kind::find, routing, std::chrono::nanoseconds{any(random)});
    worker.observe_inspect(std::chrono::nanoseconds{any(random)});
  }
  EXPECT_EQ(without_process(exposition_text(metrics)),
            without_process(prometheus::TextSerializer{}.Serialize(
                scattergate::tests::families_of(metrics))));
}

TEST(exposition, writes_numbers_as_prometheus_cpp_does) {
  std::mt19937_64 random{2};
  const auto compare = [](double number) {
    prometheus::MetricFamily family{"f", "", prometheus::MetricType::Gauge, {{}}};
    family.metric[0].gauge.value = number;
    std::string text;
    append_number(text, number);
    EXPECT_EQ("# TYPE f gauge\nf " + text + '\n',
              prometheus::TextSerializer{}.Serialize({family}));
  };
  for (const double each :
       {0.0, 1.0, -1.0, 0.1, 1e-9, 2.5e-7, 9'999'999'999'999'998.0, 1e16, 1.5e300, 5e-324,
        0.30000000000000004, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    compare(each);
  }
  for (int i = 0; i < 10'000; ++i) {
    compare(static_cast<double>(random() >> (i % 64)) / 1e9);
  }
}

TEST(exposition, as_openmetrics_names_counters_without_total_and_has_an_end) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  const auto ns = worker.admit("db", "a");
  worker.count_command(ns, command_kind::find, routing_class::single_shard);
  worker.observe_fanout(ns, 3);
  const std::string text = exposition_text(metrics, exposition_format::openmetrics);
  EXPECT_THAT(text, HasSubstr("# TYPE scattergate_commands counter\n"
                              "scattergate_commands_total{db=\"db\",collection=\"a\","
                              "command=\"find\",routing=\"single_shard\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE scattergate_fanout_shards histogram\n"
                              "scattergate_fanout_shards_bucket{db=\"db\",collection=\"a\","
                              "le=\"1.0\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("le=\"+Inf\"} 1\nscattergate_fanout_shards_count{"));
  EXPECT_THAT(text, ::testing::EndsWith("\n# EOF\n"));
  EXPECT_THAT(exposition_text(metrics), Not(HasSubstr("EOF")));
}

TEST(exposition, as_openmetrics_shows_an_exemplar_of_findings_and_slow_scatters) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  const auto ns = worker.admit("db", "a");
  const auto now = exemplar::clock::now();
  const wire::trace_id trace{0x0af7651916cd43dd, 0x8448eb211c80319c, true};
  worker.count_finding(ns, command_kind::find, routing::reason::missing_key,
                       finding_action::observed);
  worker.show_finding(ns, command_kind::find, routing::reason::missing_key,
                      finding_action::observed, {trace, 0xabcd, 0, now, 0});
  const std::chrono::milliseconds took{3};
  worker.observe_duration(command_kind::find, routing_class::scatter_gather, took);
  worker.show_scatter(command_kind::find,
                      {{}, 0xabcd, static_cast<std::uint64_t>(3'000'000), now, 0});
  const std::string text = exposition_text(metrics, exposition_format::openmetrics);
  EXPECT_THAT(text, HasSubstr("action=\"observed\"} 1 # {trace_id=\"0af7651916cd43dd8448eb21"
                              "1c80319c\",shape_hash=\"000000000000abcd\"} 1 "));
  EXPECT_THAT(text, HasSubstr("routing=\"scatter_gather\",le=\"0.005\"} 1 "
                              "# {shape_hash=\"000000000000abcd\"} 0.003 "));
  EXPECT_THAT(exposition_text(metrics), Not(HasSubstr(" # ")));
}

TEST(exposition, reports_errors_by_name) {
  metrics_collector metrics{10};
  worker_metrics& worker = metrics.add_worker();
  worker.count_error(command_kind::find, 50);
  worker.count_error(command_kind::find, 50);
  worker.count_error(command_kind::insert, 4711);
  const std::string text = exposition_text(metrics);
  EXPECT_THAT(text, HasSubstr("scattergate_command_errors_total{command=\"find\","
                              "code_name=\"MaxTimeMSExpired\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("{command=\"insert\",code_name=\"other\"} 1\n"));
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
  metrics.show_engine({"epoll", "configured"});
  const condition_board conditions;
  metrics.watch_conditions(conditions);
  count_everything(metrics, worker, worker.admit("db", "a"));
  const std::string text = exposition_text(metrics);
  for (const metric_row& desc : metric_list()) {
    EXPECT_THAT(text, HasSubstr("# HELP " + std::string{desc.name} + " "));
    EXPECT_THAT(text, HasSubstr("# TYPE " + std::string{desc.name} + " "));
  }
}

TEST(exposition, has_a_series_for_each_kind_of_condition) {
  metrics_collector metrics{1};
  condition_board conditions;
  metrics.watch_conditions(conditions);
  const std::string series =
      R"(scattergate_condition_active{kind="reload_failed",severity="error"} )";
  const std::string other =
      R"(scattergate_condition_active{kind="fleet_failing",severity="warning"} 0)";
  EXPECT_THAT(exposition_text(metrics), HasSubstr(series + "0"));
  conditions.raise(condition_kind::reload_failed, "scattergate.yaml", "bad");
  EXPECT_THAT(exposition_text(metrics), HasSubstr(series + "1"));
  EXPECT_THAT(exposition_text(metrics), HasSubstr(other));
  conditions.clear(condition_kind::reload_failed, "scattergate.yaml");
  EXPECT_THAT(exposition_text(metrics), HasSubstr(series + "0"));
}

TEST(exposition, has_every_certificate_that_is_presented) {
  metrics_collector metrics{1};
  auto& facts = metrics.add_listener("a:1");
  facts.certificate_expires_at = 1;
  facts.upstream_certificate_expires_at = 2;
  metrics.show_admin_certificate(3);
  const std::string text = exposition_text(metrics);
  const std::string name = "scattergate_certificate_expiry_timestamp_seconds";
  EXPECT_THAT(text, HasSubstr(name + R"({listener="a:1",presented_to="clients"} 1)"));
  EXPECT_THAT(text, HasSubstr(name + R"({listener="a:1",presented_to="mongos"} 2)"));
  EXPECT_THAT(text, HasSubstr(name + R"({listener="",presented_to="admin"} 3)"));
}

TEST(exposition, a_process_that_took_over_has_no_cold_start) {
  metrics_collector metrics{1};
  const std::string name = "\nscattergate_cold_start_timestamp_seconds ";
  EXPECT_THAT(exposition_text(metrics), HasSubstr(name));
  metrics.note_handover();
  EXPECT_THAT(exposition_text(metrics), Not(HasSubstr(name)));
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

TEST(exposition, says_what_the_workers_run_on_and_why) {
  metrics_collector metrics{1};
  metrics.show_engine({"epoll", "io_uring_setup: Operation not permitted"});
  EXPECT_THAT(exposition_text(metrics),
              HasSubstr("scattergate_worker_engine_info{engine=\"epoll\","
                        "reason=\"io_uring_setup: Operation not permitted\"} 1"));
}

TEST(exposition, documents_every_family_and_no_other) {
  std::set<std::string> documented;
  const auto docs = scattergate::tests::source_folder() / "docs/metrics.md";
  for (const std::string& line : tests::read_lines(docs)) {
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
