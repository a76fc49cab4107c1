#include "report/views/report_html.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scattergate::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A stranger's names for a collection or a field: markup, invisible characters, no UTF-8,
/// long.
std::string hostile_name(std::uint64_t number, std::size_t size) {
  constexpr std::array<std::string_view, 6> parts = {
      "</td></tr></table><script>alert(1)</script>",
      "\xe2\x80\xae&\"'<",
      "\xff\xfe\x01",
      "\xf0\x9f\x92\xa9",
      "]]>--><!--",
      "\\u0000"};
  std::string name;
  while (name.size() < size) name += parts[number++ % parts.size()];
  return name;
}

class report_html_test : public testing::Test {
 protected:
  void add(std::uint64_t number, std::size_t name_bytes, std::size_t shape_bytes) {
    const std::string collection = hostile_name(number, name_bytes);
    const auto [row, is_new] = table.row_of({"shop", collection, "find", number});
    row.what.routing = routing::routing_class::scatter_gather;
    row.what.why = routing::reason::missing_key;
    row.what.shape_json = hostile_name(number + 1, shape_bytes);
    row.what.suggestion = hostile_name(number + 2, shape_bytes);
    row.what.shard_key_json = hostile_name(number + 3, shape_bytes);
    for (std::size_t i = 0; i <= digest::callers::most; ++i) {
      row.who.add({hostile_name(number + i, 300), {}, {}, {}, hostile_name(i, 300), 1});
    }
    digest::sighting seen;
    seen.count = 1 + number % 1'000;
    seen.fanout = 1 + static_cast<std::uint32_t>(number % 7);
    seen.duration = std::chrono::milliseconds{number};
    table.count(row, seen, row.what.routing);
  }
  [[nodiscard]] std::string page() const {
    report_model model{table, held, {}, {}, "keys.yaml"};
    for (int i = 0; i < 50; ++i) {
      model.sources.push_back(
          {hostile_name(7, 5'000), source_kind::audit, 5, {}, text::failure("cut")});
    }
    model.advice = &advice;
    return report_html(model);
  }
  void advise(std::uint64_t number) {
    advise::collection_advice one;
    one.name_space = "shop." + hostile_name(number, 3'000);
    one.unknown = {hostile_name(number, 3'000)};
    for (std::size_t i = 0; i < 10; ++i) {
      advise::candidate each;
      each.key = {{hostile_name(number + i, 3'000)}};
      each.next = {hostile_name(number + i, 3'000)};
      one.candidates.push_back(std::move(each));
    }
    advice.collections.push_back(std::move(one));
  }

  digest::table table{20'000};
  report::truth held;
  advise::advice advice;
};

std::size_t times_in(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::uint64_t number_at(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ',') continue;
    if (c < '0' || c > '9') break;
    digits += c;
  }
  return std::strtoull(digits.c_str(), nullptr, 10);
}

/// The rows of the table by its cells: rank, waste, count.
struct sums {
  std::uint64_t rows = 0, wasted = 0, commands = 0;
};
sums sums_of(std::string_view html) {
  constexpr std::string_view begin = "<tr><td class=\"n\" data-v=\"";
  constexpr std::string_view cell = "data-v=\"";
  sums all;
  for (auto at = html.find(begin); at != html.npos; at = html.find(begin, at + 1)) {
    const auto waste = html.find(cell, at + begin.size()) + cell.size();
    const auto count = html.find(cell, waste) + cell.size();
    ++all.rows;
    all.wasted += number_at(html.substr(waste));
    all.commands += number_at(html.substr(count));
  }
  constexpr std::string_view rest = "<tfoot><tr><td colspan=\"8\">and ";
  if (const auto at = html.find(rest); at != html.npos) {
    const std::string_view text = html.substr(at + rest.size());
    all.rows += number_at(text.substr(text.find_first_of("0123456789")));  // "up to 12"
    all.commands += number_at(text.substr(text.find("shapes: ") + 8));
    all.wasted += number_at(text.substr(text.find("commands, ") + 10));
  }
  return all;
}

TEST_F(report_html_test, is_at_most_2_MB_whatever_is_in_it_and_adds_up) {
  for (std::uint64_t i = 0; i < 30'000; ++i) add(i, 20 + i % 200, 10 + i % 8'000);
  ASSERT_GT(table.evicted_rows(), 0U);
  const std::string html = page();
  EXPECT_LE(html.size(), max_html_bytes);
  EXPECT_GT(html.size(), max_html_bytes / 2);
  const sums all = sums_of(html);
  EXPECT_EQ(all.rows, table.size() + table.evicted_rows());
  EXPECT_EQ(all.commands, table.all().commands);
  EXPECT_EQ(all.wasted, table.all().shards.wasted);
}

TEST_F(report_html_test, is_at_most_2_MB_with_names_of_any_length) {
  for (std::uint64_t i = 0; i < 40; ++i) add(i, 1'000'000, 1'000'000);
  for (std::uint64_t i = 0; i < 100; ++i) advise(i);
  EXPECT_LE(page().size(), max_html_bytes);
}

TEST_F(report_html_test, has_a_section_on_shard_keys_where_there_is_advice) {
  EXPECT_THAT(page(), Not(HasSubstr("Which shard key")));
  for (std::uint64_t i = 0; i < 100; ++i) advise(i);
  const std::string html = page();
  EXPECT_THAT(html, HasSubstr("<h2>Which shard key</h2>"));
  EXPECT_THAT(html, HasSubstr("<h3>shop."));
  EXPECT_THAT(html, HasSubstr(" further collections.</p>"));
}

TEST_F(report_html_test, shows_the_costliest_and_links_only_to_what_it_has) {
  for (std::uint64_t i = 0; i < 20'000; ++i) add(i, 20, 3'000);
  const std::string html = page();
  const digest::row& dearest = *table.ranked().front();
  EXPECT_THAT(html, HasSubstr("data-v=\"" + std::to_string(dearest.shards.wasted) + "\""));
  constexpr std::string_view link = "href=\"#";
  std::size_t links = 0;
  for (auto at = html.find(link); at != html.npos; at = html.find(link, at + 1), ++links) {
    const auto name =
        html.substr(at + link.size(), html.find('"', at + link.size()) - at - link.size());
    EXPECT_THAT(html, HasSubstr("<article id=\"" + name + "\""));
  }
  EXPECT_GT(links, 10U);
  EXPECT_EQ(links, times_in(html, "<article "));
}

TEST_F(report_html_test, has_no_markup_but_its_own) {
  for (std::uint64_t i = 0; i < 100; ++i) add(i, 200, 200);
  advise(7);
  const std::string html = page();
  EXPECT_EQ(times_in(html, "<script>"), 1U);
  EXPECT_EQ(times_in(html, "<table>"), 2U);  // the shapes' and the keys'
  EXPECT_EQ(times_in(html, "<tr>"), times_in(html, "</tr>"));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
  EXPECT_EQ(sums_of(html).rows, 100U);
}

}  // namespace
}  // namespace scattergate::report
