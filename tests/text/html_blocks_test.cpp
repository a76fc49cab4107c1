#include "text/html_blocks.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace scattergate::text {
namespace {

constexpr std::string_view hostile = "<b>&\"\xE2\x80\xAE";
constexpr std::string_view escaped = "&lt;b&gt;&amp;&quot;\\u202e";

template <typename Append>
std::string made(Append append) {
  std::string html;
  append(html);
  return html;
}

TEST(html_blocks, escape_texts_wherever_they_stand) {
  const std::string all = made([](std::string& to) {
    append_page_head(to, hostile);
    append_table_begin(to, std::array<html_column, 1>{{{.name = hostile}}}, hostile);
    append_cell(to, hostile);
    append_number_cell(to, hostile);
    append_table_end(to);
    append_tile(to, hostile, hostile);
    append_fact(to, hostile, hostile);
    append_code(to, hostile);
    append_code_fact(to, hostile, hostile);
  });
  EXPECT_EQ(all.find(hostile), all.npos);
  std::size_t count = 0;
  for (std::size_t at = all.find(escaped); at != all.npos; at = all.find(escaped, at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 12U);
}

TEST(html_blocks, make_a_table) {
  constexpr std::array<html_column, 2> columns{{{"name", false, 't'}, {"count", true, 'n'}}};
  const std::string table = made([&](std::string& to) {
    append_table_begin(to, columns);
    append_number_cell(to, "1,000", weight::bad, 1000);
    append_number_cell(to, "7");
    append_table_end(to, "<tr></tr>");
  });
  EXPECT_EQ(table, R"(<div class="scroll"><table><thead><tr><th data-sort="t">name</th>)"
                   R"(<th class="n" data-sort="n">count</th></tr></thead><tbody>)"
                   "\n"
                   R"(<td class="n bad" data-v="1000">1,000</td><td class="n">7</td>)"
                   "</tbody><tfoot><tr></tr></tfoot></table></div>\n");
}

TEST(html_blocks, are_nothing_where_there_is_nothing_to_say) {
  EXPECT_EQ(made([](std::string& to) {
              append_fact(to, "name", "");
              append_fact_html(to, "name", "");
              append_code(to, "");
              append_code_fact(to, "name", "");
            }),
            "");
}

}  // namespace
}  // namespace scattergate::text
