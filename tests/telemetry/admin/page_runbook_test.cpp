#include "telemetry/admin/page_runbook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/admin/web_files.hpp"
#include "telemetry/conditions/condition.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/telemetry/telemetry_support.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::telemetry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(runbook, is_the_one_of_the_docs) {
  const auto file = scattergate::tests::source_folder() / "docs/runbook.md";
  EXPECT_EQ(runbook_text(), tests::read_file(file.string()));
}

TEST(runbook, has_a_section_for_every_condition) {
  for (std::size_t i = 0; i < wire::enum_count<condition_kind>(); ++i) {
    const condition_rules& rules = rules_of(static_cast<condition_kind>(i));
    EXPECT_THAT(runbook_page(), HasSubstr("<h2 id=\"" + std::string{rules.runbook} + "\">"))
        << rules.label;
  }
}

TEST(runbook, has_no_section_behind_an_open_block_of_code) {
  const std::string& html = runbook_page();
  std::size_t open = 0;
  std::size_t closed = 0;
  for (std::size_t at = 0; (at = html.find("<pre>", at)) != html.npos; ++at) ++open;
  for (std::size_t at = 0; (at = html.find("</pre>", at)) != html.npos; ++at) ++closed;
  EXPECT_GT(open, 0U);
  EXPECT_EQ(open, closed);
  EXPECT_THAT(html, Not(HasSubstr("```")));
}

TEST(runbook_html, knows_as_much_markdown_as_a_runbook_needs) {
  const struct {
    const char* markdown;
    const char* html;
  } rows[] = {
      {"# Run book", "<h1 id=\"run-book\">Run book</h1>\n"},
      {"## It can't, can it?", "<h2 id=\"it-cant-can-it\">It can&#39;t, can it?</h2>\n"},
      {"## snake_case and `code`",
       "<h2 id=\"snake_case-and-code\">snake_case and <code>code</code></h2>\n"},
      {"one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>\n"},
      {"1. one\n   goes on\n2. two", "<p>1. one goes on</p>\n<p>2. two</p>\n"},
      {"- one\n- two", "<p>- one</p>\n<p>- two</p>\n"},
      {"   ```sh\n   jq <x>\n     .y\n   ```\nafter",
       "<pre>jq &lt;x&gt;\n  .y\n</pre>\n<p>after</p>\n"},
      {"```\n# no heading", "<pre># no heading\n</pre>\n"},
      {"See [here](#there).", "<p>See <a href=\"#there\">here</a>.</p>\n"},
      {"See [here](a.md#b).", "<p>See here (a.md#b).</p>\n"},
      {"a [bracket and a `tick", "<p>a [bracket and a `tick</p>\n"},
      {"<script>&\"", "<p>&lt;script&gt;&amp;&quot;</p>\n"},
      {"[<b>](#\"><i>)", "<p><a href=\"#&quot;&gt;&lt;i&gt;\">&lt;b&gt;</a></p>\n"},
      {"#", "<h1 id=\"\"></h1>\n"},
      {"", ""},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(runbook_html(row.markdown),
                HasSubstr("<main>\n" + std::string{row.html} + "</main>"))
        << row.markdown;
  }
}

TEST(runbook_html, has_nothing_inline_that_its_security_policy_forbids) {
  EXPECT_THAT(runbook_page(), Not(HasSubstr("<script")));
  EXPECT_THAT(runbook_page(), Not(HasSubstr("<style")));
  EXPECT_THAT(runbook_page(), Not(HasSubstr("style=")));
}

}  // namespace
}  // namespace scattergate::telemetry
