#include <string>

#include <gtest/gtest.h>

#include "telemetry/tap/live_tap.hpp"
#include "tests/telemetry/telemetry_support.hpp"

namespace scattergate::telemetry {
namespace {

using enum routing::routing_class;

tapped_command command_of(routing::routing_class routing, bool is_finding) {
  tapped_command made;
  made.details = std::make_shared<const shape_details>(tests::sample_finding());
  made.routing = routing;
  if (is_finding) made.action = finding_action::observed;
  return made;
}

bool accepts(std::string_view query, const tapped_command& one) {
  const auto asked = tap_filter_of("/api/v1/tap" + std::string{query}).value();
  const bool is_match =
      asked.interest().is_shared_with(tap_interest::in(one.routing, !!one.action));
  // Commands that workers don't look for never reach the filter.
  EXPECT_TRUE(is_match || !asked.accepts(one)) << query;
  return asked.accepts(one);
}

TEST(tap_filter, takes_what_the_query_asks_for) {
  const tapped_command scatter = command_of(scatter_gather, true);
  const tapped_command good = command_of(single_shard, false);
  for (const char* both : {"", "?", "?namespace=yorkie-meta.*", "?namespace=%2A.clients",
                           "?findings=0", "?namespace=*&findings=0"}) {
    EXPECT_TRUE(accepts(both, scatter)) << both;
    EXPECT_TRUE(accepts(both, good)) << both;
  }
  for (const char* one : {"?findings=1", "?routing=scatter_gather",
                          "?routing=scatter_gather&findings=1&namespace=*.clients"}) {
    EXPECT_TRUE(accepts(one, scatter)) << one;
    EXPECT_FALSE(accepts(one, good)) << one;
  }
  for (const char* none : {"?namespace=shop.*", "?routing=multi_shard"}) {
    EXPECT_FALSE(accepts(none, scatter)) << none;
    EXPECT_FALSE(accepts(none, good)) << none;
  }
}

TEST(tap_filter, a_command_without_a_namespace_passes_no_glob_but_one_for_all) {
  tapped_command strangers = command_of(unknown, false);
  strangers.details = shared_details(shape_scope::rowless);
  EXPECT_TRUE(accepts("", strangers));
  EXPECT_FALSE(accepts("?namespace=yorkie-meta.*", strangers));
}

TEST(tap_filter, says_in_one_line_what_can_not_be) {
  for (const std::string& query :
       {std::string{"?colour=red"}, std::string{"?routing=everywhere"},
        std::string{"?findings=yes"}, std::string{"?findings=1&findings=1"},
        std::string{"?namespace"} + "=a&namespace=b", std::string{"?routing"},
        "?namespace=" + std::string(256, '*'), std::string{"?=x"}}) {
    const auto made = tap_filter_of("/api/v1/tap" + query);
    ASSERT_FALSE(made) << query;
    EXPECT_EQ(made.error().what.find('\n'), std::string::npos) << query;
  }
}

}  // namespace
}  // namespace scattergate::telemetry
