#include "telemetry/admin/admin_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(admin_pages_test, a_query_changes_nothing) {
  EXPECT_EQ(get("/healthz?verbose").body, "ok\n");
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

TEST_F(admin_pages_test, samples_are_there_only_where_there_are_any_and_the_page_is_on) {
  EXPECT_EQ(get("/api/v1/samples").status, 404U);
  for (const bool is_on : {true, false}) {
    admin_pages pages{metrics_, health_, is_on};
    pages.show_samples([] { return std::string{"{}\n"}; });
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

}  // namespace
}  // namespace scattergate::telemetry
