#include "report/views/report_html.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "advise/advice_words.hpp"
#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "report/views/html_page.hpp"
#include "report/views/report_model.hpp"
#include "routing/shape/shape.hpp"
#include "text/html_blocks.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

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

/// The sums of commands by hour, as HTML: a bar chart if there are several hours, and a table
/// of the latest hours. Empty if no hour is known.
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

/// HTML tables of the most expensive collections, applications, users and hosts. The last row
/// of each table has the sums of all others. Omits a table without any known name.
std::string senders_html(const report_model& of) {
  const digest::breakdown* const parts = of.shown_parts();
  if (parts == nullptr) return {};
  return names_html("collection", parts->by_collection, of) +
         names_html("application", parts->by_app, of) + names_html("user", parts->by_user, of) +
         names_html("host", parts->by_host, of);
}

using digest::percent;

using text::append_fact;
using text::append_fact_html;
using text::append_tile;

using text::time_text;

/// Limit for a shape's text in its block, which shows more than the table.
constexpr std::size_t most_of_block = 4'000;

/// Command and namespace. Untrusted names may have any length.
std::string title_of(std::string_view command, std::string_view name_space) {
  return html_text(text::cut_with_dots(command, most_of_name) + " " +
                   text::cut_with_dots(name_space, most_of_name));
}

/// The anchor of a shape's block.
std::string anchor_of(std::size_t rank, const digest::row& one) {
  return "s" + routing::shape_hash_text(one.shape_hash) + "-" + std::to_string(rank);
}

/// The table's columns; `waste`, `shards` and `time` only if any are known.
std::vector<text::html_column> columns_of(const report_model& of) {
  std::vector<text::html_column> columns{{"rank", true, 'n'}};
  if (of.knows_shards()) columns.push_back({"waste", true, 'n'});
  columns.push_back({"count", true, 'n'});
  if (of.knows_shards()) columns.push_back({"shards", true, 'n'});
  if (of.knows_times()) columns.push_back({"time", true, 'n'});
  columns.push_back({"routing", false, 't'});
  columns.push_back({"command", false, 't'});
  columns.push_back({.name = "shape"});
  return columns;
}

/// Limit for the section on shard keys.
constexpr std::size_t most_of_advice = 250'000;

std::string advice_html(const report_model& of) {
  if (of.advice == nullptr || of.advice->collections.empty()) return {};
  std::string html =
      "<h2>Which shard key</h2>\n<p class=\"dim\">Based on these commands, with " +
      std::to_string(of.advice->shards) +
      " shards with equal chunks. <code>scattergate advise</code> also considers "
      "unique indexes, keys of yours and other numbers of shards.</p>\n";
  constexpr int heading = 3;
  advise::append_advice_html(html, *of.advice, most_of_advice, heading);
  return html;
}

class html_report {
 public:
  explicit html_report(const report_model& of)
      : of_(of), has_times_(of.knows_times()), rows_(of.ranked()) {
    shown_ = std::min(rows_.size(), of.top.value_or(rows_.size()));
  }

  [[nodiscard]] std::string whole() {
    text::append_page_head(html_, html_title);
    html_ += html_style;
    head();
    chart();
    html_ += hours_html(of_);
    const std::string own_blocks = blocks();
    const std::string advice = advice_html(of_);
    const std::string senders = senders_html(of_);
    profile(own_blocks.size() + advice.size() + senders.size());
    html_ += own_blocks;
    html_ += advice;
    html_ += senders;
    sources();
    html_ += html_foot;
    return std::move(html_);
  }

 private:
  void head();
  void chart();
  void profile(std::size_t bytes_behind);
  [[nodiscard]] std::string remainder() const;
  void profile_row(std::size_t rank, const digest::row& one);
  void number_cell(const std::string& text, std::uint64_t value);
  [[nodiscard]] std::string blocks();
  [[nodiscard]] std::string block(std::size_t rank, const digest::row& one) const;
  void sources();
  void disagreements();
  [[nodiscard]] bool has_room() const noexcept {
    return html_.size() + room_for_end < max_html_bytes;
  }

  const report_model& of_;
  const bool has_times_;
  std::vector<const digest::row*> rows_;
  std::size_t shown_ = 0;  ///< number of them that fit
  std::string html_;
  std::size_t with_block_ = 0;  ///< the first rows; those that need it have blocks
  std::size_t listed_ = 0;      ///< rows in the table
};

void html_report::head() {
  const digest::totals& all = of_.shown().all();
  html_ += "<h1>What scatters</h1>\n<p class=\"dim\">";
  if (all.from && all.to) html_ += time_text(*all.from) + " to " + time_text(*all.to) + ". ";
  html_ += "Judged by " +
           (of_.catalog.empty() ? "the proxy"
                                : html_text(text::cut_with_dots(of_.catalog, most_of_block))) +
           ", " + time_text(of_.generated_at) + ".</p>\n";
  html_ += "<div class=\"tiles\">\n";
  append_tile(html_, with_commas(all.commands), of_.unit());
  append_tile(html_, percent(scatters_of(all), all.commands), "ask every shard");
  if (of_.knows_shards()) {
    append_tile(html_, with_commas(all.shards.wasted), "shard requests beyond one per command");
    append_tile(html_, percent(all.shards.wasted, all.shards.asked), "of all shard requests");
  }
  if (of_.truth.compared != 0) {
    append_tile(html_, percent(of_.truth.agreed, of_.truth.compared),
                "predicted as mongos logged, of " + with_commas(of_.truth.compared));
  }
  if (const std::string accepted = of_.accepted_text(); !accepted.empty()) {
    append_tile(html_, accepted, "accepted by rules");
  }
  if (of_.against != nullptr && of_.against->is_given()) {
    append_tile(html_, counts_text(*of_.against), "findings against the baseline");
  }
  html_ += "</div>\n";
  if (const std::string errors = errors_text(of_.shown()); !errors.empty()) {
    html_ += "<p>Errors: " + html_text(errors) + ".</p>\n";
  }
  for (const std::string& one : {of_.requests_text(), of_.unknown_shards_text()}) {
    if (!one.empty()) html_ += "<p>" + html_text(one) + ".</p>\n";
  }
}

/// The commands by class, as one bar.
void html_report::chart() {
  const digest::totals& all = of_.shown().all();
  if (all.commands == 0) return;
  constexpr double width = 960;
  html_ +=
      "<h2>Commands by routing</h2>\n<svg role=\"img\" viewBox=\"0 0 960 26\" width=\"100%\" "
      "height=\"26\" preserveAspectRatio=\"none\" aria-label=\"commands by routing\">\n";
  std::string legend;
  double at = 0;
  for (std::size_t i = all.by_routing.size(); i-- > 0;) {
    if (all.by_routing[i] == 0) continue;
    const std::string name{label(static_cast<routing::routing_class>(i))};
    const std::string share = percent(all.by_routing[i], all.commands);
    const double wide =
        width * static_cast<double>(all.by_routing[i]) / static_cast<double>(all.commands);
    std::array<char, 320> text{};
    std::snprintf(text.data(), text.size(),
                  "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"26\" fill=\"var(--%s)\">"
                  "<title>%s %s</title></rect>\n",
                  at, wide, name.c_str(), name.c_str(), share.c_str());
    html_ += text.data();
    legend += "<span class=\"legend " + name + "\">" + name + " " + share + "</span>\n";
    at += wide;
  }
  html_ += "</svg>\n<p>" + legend + "</p>\n";
}

void html_report::number_cell(const std::string& text, std::uint64_t value) {
  text::append_number_cell(html_, text, text::weight::plain, value);
}

void html_report::profile_row(std::size_t rank, const digest::row& one) {
  const auto [waste, count, shards, time] = numbers_of(one, of_.shown().all());
  html_ += "<tr>";
  number_cell(std::to_string(rank), rank);
  if (of_.knows_shards()) number_cell(waste, one.shards.wasted);
  number_cell(count, one.count);
  if (of_.knows_shards()) number_cell(shards, one.shards.most);
  if (has_times_) number_cell(time, static_cast<std::uint64_t>(one.total.count()));
  const std::string name{label(one.what.routing)};
  html_ += "<td class=\"k " + name + "\">" + name +
           (digest::is_accepted(one) ? ", accepted</td>" : "</td>");
  html_ += "<td>" + title_of(one.command, one.name_space()) + "</td>";
  const bool has_block = rank <= with_block_ && has_own_block(one);
  const std::string shape =
      "<code>" + html_text(text::cut_with_dots(one.what.shape_json, most_of_shape)) + "</code>";
  html_ += "<td>" +
           (has_block ? "<a href=\"#" + anchor_of(rank, one) + "\">" + shape + "</a>" : shape) +
           "</td></tr>\n";
}

void html_report::profile(std::size_t bytes_behind) {
  html_ += "<h2>Shapes, " + std::string{first_in_words(of_.by)} + " first</h2>\n";
  text::append_table_begin(html_, columns_of(of_));
  while (listed_ < shown_ && html_.size() + bytes_behind + room_for_end < max_html_bytes) {
    profile_row(listed_ + 1, *rows_[listed_]);
    ++listed_;
  }
  text::append_table_end(html_, remainder());
}

/// The rows beyond the table, as one row, so that the sums equal the totals.
std::string html_report::remainder() const {
  const digest::table& table = of_.shown();
  const std::string further = of_.further_text(rows_.size(), listed_);
  if (further.empty()) return {};
  std::uint64_t commands = table.all().commands;
  std::uint64_t wasted = table.all().shards.wasted;
  for (std::size_t i = 0; i < listed_; ++i) {
    commands -= std::min(commands, rows_[i]->count);
    wasted -= std::min(wasted, rows_[i]->shards.wasted);
  }
  std::string row = "<tr><td colspan=\"" + std::to_string(columns_of(of_).size()) + "\">" +
                    further + ": " + with_commas(commands) + " " + std::string{of_.unit()};
  if (of_.knows_shards()) {
    row += ", " + with_commas(wasted) + " shard requests beyond one each";
  }
  return row + "</td></tr>";
}

std::string callers_html(const digest::callers& who) {
  std::string html;
  for (const std::string& each : digest::caller_lines(who)) {
    html += (html.empty() ? "" : "<br>") + html_text(each);
  }
  return html;
}

std::string html_report::block(std::size_t rank, const digest::row& one) const {
  const std::string name{label(one.what.routing)};
  const std::string hash = routing::shape_hash_text(one.shape_hash);
  std::string html = "<article id=\"" + anchor_of(rank, one) + "\"><h3>" +
                     std::to_string(rank) + ". " + title_of(one.command, one.name_space()) +
                     " <span class=\"k " + name + "\">" + name + "</span></h3>\n";
  text::append_code(html, text::cut_with_dots(one.what.shape_json, most_of_block));
  html += "<dl>";
  if (of_.against != nullptr) {
    append_fact(html, "baseline", state_text(*of_.against, one));
  }
  append_fact(html, "accepted", text::cut_with_dots(accepted_text(one), most_of_block));
  append_fact(html, "do", text::cut_with_dots(one.what.suggestion, most_of_block));
  append_fact(html, "reason", label(one.what.why));
  append_fact(html, "statement", digest::statement_text(one));
  append_fact(html, "shard key", text::cut_with_dots(one.what.shard_key_json, most_of_block));
  append_fact_html(html, "sent by", callers_html(one.who));
  for (const auto& [fact, text] : run_facts(one)) {
    append_fact(html, fact, text::cut_with_dots(text, most_of_block));
  }
  append_fact(html, "cursors", of_.get_mores_text(one));
  if (one.first_seen && one.last_seen) {
    append_fact(html, "seen", time_text(*one.first_seen) + " to " + time_text(*one.last_seen));
  }
  append_fact(
      html, "hash",
      hash + (one.query_shape_hash.empty() ? std::string{}
                                           : ", queryShapeHash " + one.query_shape_hash));
  html += "</dl>";
  text::append_code(html, text::cut_with_dots(digest::explain_text(one), most_of_block));
  const std::string rule = of_.accept_rule(one);  // cut, it would be another one
  if (rule.size() <= most_of_block) text::append_code(html, rule);
  return html + "</article>\n";
}

/// The blocks of the first shapes, up to half of the page.
std::string html_report::blocks() {
  std::string html = "<h2>What to do</h2>\n";
  for (; with_block_ < shown_; ++with_block_) {
    const digest::row& one = *rows_[with_block_];
    if (!has_own_block(one)) continue;
    const std::string made = block(with_block_ + 1, one);
    if (html.size() + made.size() > max_html_bytes / 2) break;
    html += made;
  }
  return html;
}

void html_report::disagreements() {
  for (const disagreement& one : of_.truth.disagreements) {
    if (!has_room()) return;
    html_ += "<p>" + with_commas(one.count) + " &times; " +
             title_of(one.command, one.name_space) + " " +
             routing::shape_hash_text(one.shape_hash) + ": " + std::to_string(one.predicted) +
             " shards predicted, " + std::to_string(one.actual) + " asked</p>\n";
  }
}

void html_report::sources() {
  html_ += "<h2>Sources</h2>\n";
  for (const source_facts& one : of_.sources) {
    if (!has_room()) break;
    html_ += "<p>" + html_text(text::cut_with_dots(source_text(one), most_of_block)) + "</p>\n";
  }
  disagreements();
}

}  // namespace

std::string report_html(const report_model& of) {
  return html_report{of}.whole();
}

}  // namespace scattergate::report
