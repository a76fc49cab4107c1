#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/admin/page.hpp"
#include "telemetry/conditions/condition.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(runbook, has_a_section_for_every_condition) {
  for (std::size_t i = 0; i < wire::enum_count<condition_kind>(); ++i) {
    const condition_rules& rules = rules_of(static_cast<condition_kind>(i));
    EXPECT_THAT(runbook_page(), HasSubstr("<h2 id=\"" + std::string{rules.runbook} + "\">"))
        << rules.label;
  }
}

TEST(runbook, has_no_section_behind_an_open_block_of_code) {
  const std::string_view html = runbook_page();
  std::size_t open = 0;
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = html.find("<pre>", at)) != html.npos; ++at) ++open;
  for (std::size_t at = 0; (at = html.find("</pre>", at)) != html.npos; ++at) ++closed;
  EXPECT_GT(open, 0U);
  EXPECT_EQ(open, closed);
  EXPECT_THAT(html, Not(HasSubstr("```")));
}

TEST(runbook, has_links_within_the_page_only) {
  const std::string_view html = runbook_page();
  std::size_t links = 0;
  for (std::size_t at = 0; (at = html.find("<a href=\"", at)) != html.npos; ++links) {
    at += std::string_view{"<a href=\""}.size();
    const std::string_view target = html.substr(at, html.find('"', at) - at);
    ASSERT_TRUE(target.starts_with('#')) << target;
    const std::string anchor = " id=\"" + std::string{target.substr(1)} + "\">";
    EXPECT_THAT(html, HasSubstr(anchor)) << target;
  }
  EXPECT_GT(links, 0U);
  EXPECT_THAT(html, HasSubstr("audit log (audit.md)"));
}

TEST(runbook, has_nothing_inline_that_its_security_policy_forbids) {
  EXPECT_THAT(runbook_page(), Not(HasSubstr("<script")));
  EXPECT_THAT(runbook_page(), Not(HasSubstr("<style")));
  EXPECT_THAT(runbook_page(), Not(HasSubstr("style=")));
}

}  // namespace
}  // namespace scattergate::telemetry
