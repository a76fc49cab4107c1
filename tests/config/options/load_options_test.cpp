#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/load.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

class load_options_test : public testing::Test {
 protected:
  loaded_options load(std::string_view yaml, const environment& env = {}, flags given = {},
                      purpose intent = purpose::inspect) {
    given.config_file = folder.write("scattergate.yaml", yaml);
    return load_options(given, env, intent);
  }

  test::temporary_folder folder;
};

TEST_F(load_options_test, reads_every_key) {
  const auto loaded = load(R"(
listeners:
  - listen: 0.0.0.0:27117
    upstream: [mongos1:27017, "[::1]:27018", mongos3]
  - {listen: "unix:/run/sg.sock", upstream: "mongos2:1, mongos3:2"}
workers: {threads: 4}
inspect: off
catalog: {source: preset:yorkie}
rules:
  - name: housekeeping
    match: {namespace: "yorkie-meta.*", command: findandmodify, routing: scatter_gather,
            missing: [project_id, _id], shape: 00000000000000ff, app: a, user: u, comment: "c*"}
    action: accept
    why: rare
    by: dba
  - name: no writes
    match: {command: update, remote: [10.0.0.0/8, "fd00::/8"], fanout: ">=4"}
    action: reject
    until: 2027-01-31
    dry_run: true
  - name: slowly
    match: {command: find,
            queryShapeHash: AB8ECADEE8F0EB0F447A30744EB4813AE7E0BFEF523B0870CA10FCBC87F5D8F1}
    action: throttle
    throttle: {rate: 90/m, concurrency: 4, queue: 7, wait: 3s}
comments: {accept: [shop.*, "*.reports"]}
admin: {listen: "127.0.0.1:0", page: off}
metrics: {max_namespaces: 7}
audit: {file: /var/log/audit.jsonl, interval: 5s, values: redacted, max_shapes: 8}
state: {file: /var/lib/sg/state, interval: 5m}
log: {file: /var/log/sg.log, level: debug}
limits: {connections: 9, connections_per_address: 3, first_message: 2s, message: 3s, idle: 4m,
         quiet: 7s, message_size: 16MiB, memory: 64MiB}
failover: {check_interval: 0s, check_timeout: 500ms, fall: 3, rise: 4, no_reply: 1m}
handover: {socket: /run/sg/handover.sock}
drain: {grace: 1m}
on_uninspected: reject
)");
  EXPECT_THAT(loaded.problems, ElementsAre());
  options expected;
  expected.listeners = {
      {{"0.0.0.0", 27117, {}},
       {{"mongos1", 27017, {}}, {"::1", 27018, {}}, {"mongos3", 27017, {}}}},
      {{"", 0, "/run/sg.sock"}, {{"mongos2", 1, {}}, {"mongos3", 2, {}}}},
  };
  expected.threads = 4;
  expected.inspect = false;
  expected.catalog.source = "preset:yorkie";
  expected.rules = {
      {"housekeeping",
       {"yorkie-meta.*",
        routing::command_kind::find_and_modify,
        routing::routing_class::scatter_gather,
        {"project_id", "_id"},
        255,
        "a",
        "u",
        "c*"},
       rule_action::accept,
       "rare",
       "dba"},
      {"no writes",
       {.command = routing::command_kind::update,
        .remote = {*net::network::parse("10.0.0.0/8"), *net::network::parse("fd00::/8")},
        .fanout = fanout_range{4, fanout_range::any}},
       rule_action::reject,
       "",
       "",
       text::parse_day("2027-01-31"),
       {},
       true},
      {"slowly",
       {.command = routing::command_kind::find,
        .query_shapes = {"AB8ECADEE8F0EB0F447A30744EB4813AE7E0BFEF523B0870CA10FCBC87F5D8F1"}},
       rule_action::throttle,
       "",
       "",
       {},
       {90, std::chrono::minutes{1}, 2, 4, 7, milliseconds{3'000}}},
  };
  expected.comments.accept = {"shop.*", "*.reports"};
  expected.reject_uninspected = true;
  expected.admin = {"127.0.0.1", 0, {}};
  expected.admin_page = false;
  expected.max_namespaces = 7;
  expected.audit = {"/var/log/audit.jsonl", milliseconds{5'000}, 8};
  expected.state = {"/var/lib/sg/state", milliseconds{300'000}};
  expected.log = {"/var/log/sg.log", "debug"};
  expected.limits = {9,
                     3,
                     milliseconds{2'000},
                     milliseconds{3'000},
                     milliseconds{240'000},
                     milliseconds{7'000},
                     16ULL << 20,
                     64ULL << 20};
  expected.failover = {milliseconds{0}, milliseconds{500}, 3, 4, milliseconds{60'000}};
  expected.handover.socket = "/run/sg/handover.sock";
  expected.drain_grace = milliseconds{60'000};
  EXPECT_EQ(loaded.value, expected);
}

TEST_F(load_options_test, keeps_the_defaults_of_what_is_not_written) {
  for (const char* yaml : {"", "# nothing\n", "{}", "audit:\nlisteners:\nrules: []\n"}) {
    const auto loaded = load(yaml);
    EXPECT_THAT(loaded.problems, ElementsAre()) << yaml;
    options expected;
    expected.listeners.emplace_back();
    EXPECT_EQ(loaded.value, expected) << yaml;
  }
  EXPECT_EQ(to_string(options{}.admin), "127.0.0.1:19216");
  EXPECT_EQ(to_string(listener_options{}.listen), "127.0.0.1:27117");
}

TEST_F(load_options_test, puts_flags_over_environment_over_file) {
  const std::string file =
      "listeners: [{listen: 127.0.0.1:1, upstream: [f:1]}, {listen: 127.0.0.1:2, upstream: "
      "[g]}]\n"
      "audit: {file: from-file}\nadmin: {listen: 127.0.0.1:11}\nworkers: {threads: 1}\n"
      "log: {level: debug}\n";
  const environment env = {{"SCATTERGATE_LISTEN", "127.0.0.1:3"},
                           {"SCATTERGATE_UPSTREAM", "e:1,e:2"},
                           {"SCATTERGATE_AUDIT_FILE", "from-environment"},
                           {"SCATTERGATE_ADMIN_LISTEN", "127.0.0.1:12"},
                           {"SCATTERGATE_WORKERS_THREADS", "2"},
                           {"SCATTERGATE_LOG_FILE", ""},
                           {"PATH", "/bin"}};
  flags given;
  given.upstream = "flag:1";
  given.audit = "off";
  given.threads = "3";
  given.catalog = "preset:bugsnag";
  const auto loaded = load(file, env, given);
  EXPECT_THAT(loaded.problems, ElementsAre());
  ASSERT_EQ(loaded.value.listeners.size(), 2U);
  EXPECT_EQ(to_string(loaded.value.listeners[0].listen), "127.0.0.1:3");
  EXPECT_EQ(loaded.value.listeners[0].upstream, std::vector{(net::endpoint{"flag", 1, {}})});
  EXPECT_EQ(to_string(loaded.value.listeners[1].listen), "127.0.0.1:2");
  EXPECT_EQ(loaded.value.audit.file, "off");
  EXPECT_EQ(to_string(loaded.value.admin), "127.0.0.1:12");
  EXPECT_EQ(loaded.value.threads, 3U);
  EXPECT_EQ(loaded.value.log.file, "-");
  EXPECT_EQ(loaded.value.log.level, "debug");
  EXPECT_EQ(loaded.value.catalog.source, "preset:bugsnag");
}

TEST_F(load_options_test, finds_the_file_by_the_environment) {
  const std::string file = folder.write("other.yaml", "inspect: off\n");
  EXPECT_FALSE(
      load_options({}, {{"SCATTERGATE_CONFIG", file}}, purpose::inspect).value.inspect);
  const auto loaded = load("inspect: on\n", {{"SCATTERGATE_CONFIG", file}});
  EXPECT_TRUE(loaded.value.inspect);
}

TEST_F(load_options_test, looks_for_the_catalog_next_to_the_file_that_names_it) {
  const auto loaded = load("catalog: {source: keys.yaml}\n");
  EXPECT_EQ(loaded.value.catalog.source, folder.path_of("keys.yaml"));
  flags given;
  given.catalog = "keys.yaml";
  EXPECT_EQ(load_options(given, {}, purpose::inspect).value.catalog.source,
            (std::filesystem::current_path() / "keys.yaml").string());
}

TEST_F(load_options_test, names_the_variable_and_the_flag_of_a_bad_value) {
  flags given;
  given.listen = "nowhere";
  given.upstream = "a:1,,b:2";
  given.catalog = "";
  given.admin = "1";
  given.audit = "";
  given.threads = "many";
  const auto loaded = load("",
                           {{"SCATTERGATE_AUDIT_INTERVAL", "soon"},
                            {"SCATTERGATE_LISTEN", "x"},
                            {"SCATTERGATE_UPSTREAM", "a:0"},
                            {"SCATTERGATE_AUDIT_FLIE", "x"}},
                           given);
  std::vector<std::string> places;
  for (const text::problem& one : loaded.problems) places.push_back(one.where);
  EXPECT_THAT(places,
              ElementsAre("SCATTERGATE_UPSTREAM", "SCATTERGATE_LISTEN",
                          "SCATTERGATE_AUDIT_INTERVAL", "SCATTERGATE_AUDIT_FLIE", "--listen",
                          "--upstream", "--catalog", "--admin", "--audit", "--threads"));
}

TEST_F(load_options_test, lets_the_variables_of_kubernetes_services_be) {
  const auto loaded =
      load("", {{"SCATTERGATE_SERVICE_HOST", "10.0.0.1"},
                {"SCATTERGATE_SERVICE_PORT", "27117"},
                {"SCATTERGATE_SERVICE_PORT_MONGO", "27117"},
                {"SCATTERGATE_PORT", "tcp://10.0.0.1:27117"},
                {"SCATTERGATE_PORT_27117_TCP_ADDR", "10.0.0.1"},
                {"SCATTERGATE_METRICS_PORT_19216_TCP", "tcp://10.0.0.1:19216"}});
  EXPECT_THAT(loaded.problems, ElementsAre());
}

TEST_F(load_options_test, misses_an_upstream_only_where_one_is_needed) {
  const auto running = load("inspect: on\n", {}, {}, purpose::run);
  ASSERT_EQ(running.problems.size(), 1U);
  EXPECT_EQ(running.problems[0].where, "--upstream");
  EXPECT_THAT(load("inspect: on\n").problems, ElementsAre());

  const auto written = load("listeners:\n  - listen: 127.0.0.1:1\n");
  ASSERT_EQ(written.problems.size(), 1U);
  EXPECT_EQ(written.problems[0].where, folder.path_of("scattergate.yaml:2"));
  flags given;
  given.upstream = "mongos:27017";
  EXPECT_THAT(load("listeners:\n  - listen: 127.0.0.1:1\n", {}, given).problems, ElementsAre());
}

TEST_F(load_options_test, reports_a_file_that_cannot_be_read_and_nothing_that_follows_from_it) {
  flags given;
  given.config_file = folder.path_of("absent.yaml");
  const auto loaded = load_options(given, {}, purpose::run);
  EXPECT_THAT(loaded.problems,
              ElementsAre(text::problem{*given.config_file,
                                        "cannot be read: No such file or directory"}));
}

TEST(threads, are_bounded_by_the_quota_of_the_cgroup) {
  EXPECT_EQ(cpus_of_quota("max 100000"), std::nullopt);
  EXPECT_EQ(cpus_of_quota("400000 100000"), 4U);
  EXPECT_EQ(cpus_of_quota("150000 100000"), 1U);
  EXPECT_EQ(cpus_of_quota("10000 100000"), 1U);
  for (const char* text : {"", "100000", "x y", "100000 0", "100000 x"}) {
    EXPECT_EQ(cpus_of_quota(text), std::nullopt) << text;
  }
}

TEST(threads, are_as_many_as_asked_for) {
  options given;
  EXPECT_GE(effective_threads(given), 1U);
  EXPECT_LE(effective_threads(given), 2U);
  given.threads = 7;
  EXPECT_EQ(effective_threads(given), 7U);
}

}  // namespace
}  // namespace scattergate::config
