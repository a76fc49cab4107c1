#include "report/views/parts_html.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "digest/number_text.hpp"
#include "text/html_blocks.hpp"
#include "text/time_text.hpp"

namespace scattergate::report {
namespace {

using digest::part_sums;
using digest::with_commas;
using text::html_text;

/// Limit for bars side by side; beyond it several hours share a bar.
constexpr std::size_t most_bars = 192;
/// Limits for the rows of the table of hours, and of the other tables.
constexpr std::size_t most_hours = 48;
constexpr std::size_t most_rows = 15;

using hours_by_time = std::map<digest::parts_by_hour::hour, part_sums>;

/// Consecutive hours in one bar.
struct bar {
  digest::parts_by_hour::hour begin;
  part_sums sums;
};

std::string hour_text(digest::parts_by_hour::hour when) {
  return text::time_text(digest::wall_time{when}).substr(0, 16) + "Z";
}

/// "966 commands, 282 of them scatter, 1,344 wasted shard requests"
std::string sums_text(const part_sums& of, std::string_view unit) {
  return with_commas(of.commands) + " " + std::string{unit} + ", " +
         with_commas(scatters_of(of)) + " of them scatter, " + with_commas(of.shards.wasted) +
         " wasted shard requests";
}

/// All hours from the first to the last, including empty ones.
struct bars {
  explicit bars(const hours_by_time& of) {
    const auto first = of.begin()->first;
    const auto count = static_cast<std::size_t>((of.rbegin()->first - first).count()) + 1;
    hours_each = (count + most_bars - 1) / most_bars;
    all.resize((count + hours_each - 1) / hours_each);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].begin = first + std::chrono::hours{i * hours_each};
    }
    for (const auto& [when, sums] : of) {
      all[static_cast<std::size_t>((when - first).count()) / hours_each].sums.add(sums);
    }
    for (const bar& one : all) tallest = std::max(tallest, one.sums.commands);
  }
  std::vector<bar> all;
  std::size_t hours_each = 1;
  std::uint64_t tallest = 0;
};

constexpr double chart_width = 960;
constexpr double chart_height = 110;

std::string rectangle(double x, double width, double height, std::string_view colour) {
  std::array<char, 200> text{};
  std::snprintf(
      text.data(), text.size(),
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"var(--%.*s)\"/>", x,
      chart_height - height, width, height, static_cast<int>(colour.size()), colour.data());
  return text.data();
}

/// Scatters are at the bottom of each bar.
std::string chart_html(const bars& of, std::string_view unit) {
  const double step = chart_width / static_cast<double>(of.all.size());
  const double width = std::min(step * 0.85, 60.0);
  const double scale =
      chart_height / static_cast<double>(std::max<std::uint64_t>(of.tallest, 1));
  std::string html = "<svg role=\"img\" viewBox=\"0 0 960 128\" width=\"100%\" aria-label=\"" +
                     std::string{unit} + " by hour\">\n";
  for (std::size_t i = 0; i < of.all.size(); ++i) {
    const bar& one = of.all[i];
    if (one.sums.commands == 0) continue;
    const double at = step * static_cast<double>(i);
    html += "<g><title>" + hour_text(one.begin) + ": " + sums_text(one.sums, unit) +
            "</title>" +
            rectangle(at, width, scale * static_cast<double>(one.sums.commands), "line") +
            rectangle(at, width, scale * static_cast<double>(scatters_of(one.sums)),
                      "scatter_gather") +
            "</g>\n";
  }
  html += "<text x=\"0\" y=\"124\">" + hour_text(of.all.front().begin) +
          "</text><text x=\"960\" y=\"124\" text-anchor=\"end\">" +
          hour_text(of.all.back().begin) + "</text></svg>\n";
  const std::string each = of.hours_each == 1 ? "hour" : with_commas(of.hours_each) + " hours";
  return html + "<p class=\"dim\">One bar per " + each + "; the tallest has " +
         with_commas(of.tallest) + " " + std::string{unit} + ". Scatters are red.</p>\n";
}

std::string time_text_of(const part_sums& of) {
  if (of.timed == 0) return {};
  return of.time < of.resolution ? "< " + digest::duration_text(of.resolution)
                                 : digest::duration_text(of.time);
}

/// A row of sums. "?" if the number of shards is unknown.
std::string row_html(const std::string& name, const part_sums& of, bool shows_times) {
  const bool is_known = of.shards.commands != 0;
  std::string html = "<tr><td>" + name + "</td>";
  for (const std::string& each :
       {with_commas(of.commands), with_commas(scatters_of(of)), with_commas(of.errors),
        is_known ? with_commas(of.shards.asked) : std::string{"?"},
        is_known ? with_commas(of.shards.wasted) : std::string{"?"}}) {
    text::append_number_cell(html, each);
  }
  if (shows_times) text::append_number_cell(html, time_text_of(of));
  return html + "</tr>\n";
}

std::string table_head(std::string_view name, std::string_view unit, bool shows_times) {
  std::vector<text::html_column> columns{{.name = name},         {unit, true},
                                         {"scatter", true},      {"errors", true},
                                         {"shards asked", true}, {"wasted", true}};
  if (shows_times) columns.push_back({"time", true});
  std::string html;
  text::append_table_begin(html, columns);
  return html;
}

/// Empty if all commands have one unknown name.
std::string names_html(std::string_view title, const digest::parts_by_name& of,
                       const report_model& in) {
  const auto ranked = of.ranked();
  const bool is_known =
      ranked.size() > 1 || (ranked.size() == 1 && !ranked.front().first.empty());
  if (!is_known) return {};
  const bool shows_times = in.knows_times();
  std::string html =
      "<h2>By " + std::string{title} + "</h2>\n" + table_head(title, in.unit(), shows_times);
  part_sums others = of.others();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto& [name, sums] = ranked[i];
    if (i >= most_rows) {
      others.add(*sums);
    } else {
      html += row_html(name.empty() ? "<i>not known</i>" : html_text(name), *sums, shows_times);
    }
  }
  if (others.commands != 0) html += row_html("<i>others</i>", others, shows_times);
  text::append_table_end(html);
  return html;
}

}  // namespace

std::string hours_html(const report_model& of) {
  const digest::breakdown* const parts = of.shown_parts();
  if (parts == nullptr || parts->by_hour.all().empty()) return {};
  const auto& hours = parts->by_hour.all();
  const bool shows_times = of.knows_times();
  std::string html = "<h2>By hour</h2>\n";
  if (hours.size() > 1) html += chart_html(bars{hours}, of.unit());
  const std::size_t shown = std::min(hours.size(), most_hours);
  html += "<details><summary>" +
          (shown == hours.size() ? "Hour by hour"
                                 : "The latest " + std::to_string(shown) + " hours") +
          "</summary>" + table_head("hour", of.unit(), shows_times);
  auto one = hours.rbegin();
  for (std::size_t i = 0; i < shown; ++i, ++one) {
    html += row_html(hour_text(one->first), one->second, shows_times);
  }
  const part_sums& without = parts->by_hour.others();
  if (without.commands != 0) html += row_html("<i>hour unknown</i>", without, shows_times);
  text::append_table_end(html);
  return html + "</details>\n";
}

std::string senders_html(const report_model& of) {
  const digest::breakdown* const parts = of.shown_parts();
  if (parts == nullptr) return {};
  return names_html("collection", parts->by_collection, of) +
         names_html("application", parts->by_app, of) + names_html("user", parts->by_user, of) +
         names_html("host", parts->by_host, of);
}

}  // namespace scattergate::report
