#include "telemetry/admin/admin_pages.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/admin/api_answers.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class admin_pages_test : public ::testing::Test {
 protected:
  [[nodiscard]] admin_reply get(std::string_view target) const {
    return admin_pages{metrics_, health_, true}.answer("GET", target);
  }

  metrics_collector metrics_{10};
  health health_;
};

TEST_F(admin_pages_test, metrics_have_prometheuss_content_type) {
  const admin_reply reply = get("/metrics");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(reply.body, StartsWith("# HELP scattergate_"));
}

TEST_F(admin_pages_test, metrics_are_openmetrics_where_asked_for) {
  const admin_reply reply = admin_pages{metrics_, health_, true}.answer(
      "GET", "/metrics", {.format = exposition_format::openmetrics});
  EXPECT_EQ(reply.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_THAT(reply.body, ::testing::EndsWith("# EOF\n"));
}

TEST_F(admin_pages_test, only_what_is_long_is_compressed) {
  const admin_pages pages{metrics_, health_, true};
  for (const auto coding : {content_coding::gzip, content_coding::zstd}) {
    const admin_reply metrics = pages.answer("GET", "/metrics", {.coding = coding});
    EXPECT_EQ(metrics.coding, coding);
    EXPECT_LT(metrics.body.size(), get("/metrics").body.size() / 2);
    const admin_reply probe = pages.answer("GET", "/healthz", {.coding = coding});
    EXPECT_EQ(probe.coding, content_coding::identity);
    EXPECT_EQ(probe.body, "ok\n");
  }
}

TEST_F(admin_pages_test, the_form_matters_where_it_has_a_part_in_the_answer) {
  const answer_form expected{exposition_format::openmetrics, content_coding::gzip};
  EXPECT_EQ(admin_pages::form_of("/metrics?x", expected), expected);
  EXPECT_EQ(admin_pages::form_of("/", expected),
            (answer_form{exposition_format::text, content_coding::gzip}));
  EXPECT_EQ(admin_pages::form_of("/healthz", expected), answer_form{});
}

TEST_F(admin_pages_test, a_query_changes_nothing) {
  EXPECT_EQ(get("/healthz?x=1").body, "ok\n");
}

TEST_F(admin_pages_test, healthz_depends_on_nothing) {
  health_.set_draining();
  EXPECT_EQ(get("/healthz").status, 200U);
}

TEST_F(admin_pages_test, readyz_says_why_not) {
  EXPECT_EQ(get("/readyz").status, 503U);
  EXPECT_EQ(get("/readyz").body, "not listening\n");
  health_.set_listening(true);
  EXPECT_EQ(get("/readyz").body, "waiting for the first catalog\n");
  health_.set_catalog_settled();
  EXPECT_EQ(get("/readyz").status, 200U);
  EXPECT_EQ(get("/readyz").body, "ready\n");
  health_.set_draining();
  EXPECT_EQ(get("/readyz").status, 503U);
  EXPECT_EQ(get("/readyz").body, "draining\n");
}

TEST_F(admin_pages_test, the_page_is_there_only_where_it_is_on) {
  EXPECT_EQ(get("/").content_type, "text/html; charset=utf-8");
  EXPECT_THAT(get("/").body, HasSubstr("<h1>scattergate</h1>"));
  EXPECT_EQ((admin_pages{metrics_, health_, false}.answer("GET", "/").status), 404U);
}

TEST_F(admin_pages_test, the_runbook_is_there_with_the_page) {
  EXPECT_EQ(get("/runbook").content_type, "text/html; charset=utf-8");
  EXPECT_THAT(get("/runbook").body, HasSubstr("<h2 id=\"scattergateupstreamdown\">"));
  EXPECT_EQ((admin_pages{metrics_, health_, false}.answer("GET", "/runbook").status), 404U);
}

TEST_F(admin_pages_test, samples_are_there_only_where_there_are_any_and_the_page_is_on) {
  EXPECT_EQ(get("/api/v1/samples").status, 404U);
  for (const bool is_on : {true, false}) {
    admin_pages pages{metrics_, health_, is_on};
    pages.show("/api/v1/samples", "application/x-ndjson", [] { return std::string{"{}\n"}; });
    const admin_reply reply = pages.answer("GET", "/api/v1/samples?x");
    EXPECT_EQ(reply.status, is_on ? 200U : 404U);
    if (!is_on) continue;
    EXPECT_EQ(reply.body, "{}\n");
    EXPECT_EQ(reply.content_type, "application/x-ndjson");
  }
}

TEST_F(admin_pages_test, nothing_else_is_there) {
  for (const char* target :
       {"", "/metrics/", "/metric", "*", "//", "http://host/metrics", "/api"}) {
    EXPECT_EQ(get(target).status, 404U) << target;
  }
}

TEST_F(admin_pages_test, only_reading_is_allowed) {
  const admin_pages pages{metrics_, health_, true};
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""}) {
    EXPECT_EQ(pages.answer(method, "/metrics").status, 405U) << method;
  }
  EXPECT_EQ(pages.answer("HEAD", "/metrics").status, 200U);
}

TEST_F(admin_pages_test, readiness_is_listed_check_by_check_on_request) {
  health_.set_listening(true);
  const admin_reply waiting = get("/readyz?verbose");
  EXPECT_EQ(waiting.status, 503U);
  EXPECT_EQ(
      waiting.body,
      "[+]listening ok\n[+]draining ok\n[-]catalog failed\nwaiting for the first catalog\n");
  health_.set_catalog_settled();
  EXPECT_EQ(get("/readyz?verbose").body,
            "[+]listening ok\n[+]draining ok\n[+]catalog ok\nready\n");
  EXPECT_EQ(get("/readyz").body, "ready\n");
  EXPECT_EQ(get("/healthz?verbose").body, "[+]answering ok\nok\n");
}

TEST(rules_json, reports_each_rule_in_order_with_what_it_has_done) {
  config::rule first;
  first.name = "nightly";
  first.action = config::rule_action::reject;
  first.dry_run = true;
  first.why = "a \"why\"";
  config::rule second;
  second.name = "rest";
  rule_total done{"nightly", {}};
  done.by_hit[static_cast<std::size_t>(rule_hit::would_reject)] = 4;
  const std::vector<config::rule> rules{first, second};
  EXPECT_EQ(rules_json(rules, {done}),
            R"({"schemaVersion":1,"rules":[{"name":"nightly","action":"reject","dryRun":true,)"
            R"("catalogStale":false,"until":null,"why":"a \"why\"","by":null,"writtenAt":null,)"
            R"("hits":{"would_reject":4}},)"
            R"({"name":"rest","action":"observe","dryRun":false,"catalogStale":false,)"
            R"("until":null,"why":null,)"
            R"("by":null,"writtenAt":null,"hits":{}}]})"
            "\n");
  const std::string stale = rules_json(rules, {done}, true);
  EXPECT_EQ(stale.find("\"catalogStale\":true"), stale.npos);  // neither depends on the catalog
  config::rule scatters;
  scatters.match.routing = config::routing_condition{routing::routing_class::scatter_gather};
  EXPECT_NE(rules_json(std::vector{scatters}, {}, true).find("\"catalogStale\":true"),
            stale.npos);
  EXPECT_EQ(rules_json({}, {}), "{\"schemaVersion\":1,\"rules\":[]}\n");
}

}  // namespace
}  // namespace scattergate::telemetry
