#include "report/views/report_html.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/baseline_text.hpp"
#include "report/views/cut_text.hpp"
#include "report/views/execution_text.hpp"
#include "report/views/html_page.hpp"
#include "report/views/parts_html.hpp"
#include "routing/shape/shape.hpp"
#include "text/html_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::report {
namespace {

using digest::percent;
using digest::with_commas;

using text::html_text;

using text::time_text;

/// Room for a row of the table, and for what stands behind the last one: the sources, the end
/// of the page.
constexpr std::size_t room_for_end = 40'000;

/// A shape's text is cut in the table, and told longer in its block.
constexpr std::size_t most_of_shape = 400;
constexpr std::size_t most_of_block = 4'000;
constexpr std::size_t most_of_name = 300;

/// What it asks of what: names that others have made may be of any length.
std::string title_of(std::string_view command, std::string_view name_space) {
  return html_text(cut(command, most_of_name) + " " + cut(name_space, most_of_name));
}

/// Where a shape's block stands.
std::string anchor_of(std::size_t rank, const digest::row& one) {
  return "s" + routing::shape_hash_text(one.shape_hash) + "-" + std::to_string(rank);
}

class html_report {
 public:
  explicit html_report(const report_model& of) : of_(of), rows_(of.ranked()) {
    shown_ = std::min(rows_.size(), of.top.value_or(rows_.size()));
  }

  [[nodiscard]] std::string whole() {
    html_ = html_head;
    head();
    chart();
    html_ += hours_html(of_);
    const std::string told_apart = blocks();
    const std::string senders = senders_html(of_);
    profile(told_apart.size() + senders.size());
    html_ += told_apart;
    html_ += senders;
    sources();
    html_ += html_foot;
    return std::move(html_);
  }

 private:
  void head();
  void tile(const std::string& number, std::string_view what);
  void chart();
  void profile(std::size_t bytes_behind);
  void remainder();
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
  std::vector<const digest::row*> rows_;
  std::size_t shown_ = 0;  ///< of them, as far as there is room
  std::string html_;
  std::size_t told_apart_ = 0;  ///< the first rows: those of them that want it have blocks
  std::size_t told_ = 0;        ///< rows in the table
};

void html_report::tile(const std::string& number, std::string_view what) {
  html_ +=
      R"(<div class="tile"><b>)" + html_text(number) + "</b>" + html_text(what) + "</div>\n";
}

void html_report::head() {
  const digest::totals& all = of_.shown().all();
  html_ += "<h1>What scatters</h1>\n<p class=\"dim\">";
  if (all.from && all.to) html_ += time_text(*all.from) + " to " + time_text(*all.to) + ". ";
  html_ += "Judged by " +
           (of_.catalog.empty() ? "the proxy" : html_text(cut(of_.catalog, most_of_block))) +
           ", " + time_text(of_.generated_at) + ".</p>\n";
  html_ += "<div class=\"tiles\">\n";
  tile(with_commas(all.commands), of_.unit());
  const auto scatters =
      all.by_routing[static_cast<std::size_t>(routing::routing_class::scatter_gather)];
  tile(percent(scatters, all.commands), "ask every shard");
  if (!of_.shows_requests()) {
    tile(with_commas(all.shards.wasted), "shard requests beyond one a command");
    tile(percent(all.shards.wasted, all.shards.asked), "of all shard requests");
  }
  if (of_.truth.compared != 0) {
    tile(percent(of_.truth.agreed, of_.truth.compared),
         "as mongos says, of " + with_commas(of_.truth.compared));
  }
  if (of_.against != nullptr) {
    tile(counts_text(*of_.against), "findings against the baseline");
  }
  html_ += "</div>\n";
  if (const std::string errors = errors_text(of_.shown()); !errors.empty()) {
    html_ += "<p>Errors: " + html_text(errors) + ".</p>\n";
  }
  if (const std::string requests = of_.requests_text(); !requests.empty()) {
    html_ += "<p>" + html_text(requests) + ".</p>\n";
  }
}

/// The commands by class, as one bar.
void html_report::chart() {
  const digest::totals& all = of_.shown().all();
  if (all.commands == 0) return;
  constexpr double width = 960;
  html_ +=
      "<h2>Commands by routing</h2>\n<svg role=\"img\" viewBox=\"0 0 960 64\" width=\"100%\" "
      "aria-label=\"commands by routing\">\n";
  double at = 0;
  double label_at = 0;
  for (std::size_t i = all.by_routing.size(); i-- > 0;) {
    if (all.by_routing[i] == 0) continue;
    const std::string name{label(static_cast<routing::routing_class>(i))};
    const std::string share = percent(all.by_routing[i], all.commands);
    const double wide =
        width * static_cast<double>(all.by_routing[i]) / static_cast<double>(all.commands);
    std::array<char, 640> text{};
    std::snprintf(text.data(), text.size(),
                  "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"26\" fill=\"var(--%s)\">"
                  "<title>%s %s</title></rect><rect x=\"%.0f\" y=\"42\" width=\"10\" "
                  "height=\"10\" fill=\"var(--%s)\"/><text x=\"%.0f\" y=\"52\">%s %s</text>\n",
                  at, wide, name.c_str(), name.c_str(), share.c_str(), label_at, name.c_str(),
                  label_at + 15, name.c_str(), share.c_str());
    html_ += text.data();
    at += wide;
    label_at += 160;
  }
  html_ += "</svg>\n";
}

void html_report::number_cell(const std::string& text, std::uint64_t value) {
  html_ +=
      "<td class=\"n\" data-v=\"" + std::to_string(value) + "\">" + html_text(text) + "</td>";
}

void html_report::profile_row(std::size_t rank, const digest::row& one) {
  const bool is_known = one.shards.commands != 0;
  html_ += "<tr>";
  number_cell(std::to_string(rank), rank);
  number_cell(is_known ? percent(one.shards.wasted, of_.shown().all().shards.wasted) : "?",
              one.shards.wasted);
  number_cell(with_commas(one.count), one.count);
  number_cell(is_known ? std::to_string(one.shards.most) : "?", one.shards.most);
  number_cell(one.has_times() ? digest::duration_text(one, one.total) : "",
              static_cast<std::uint64_t>(one.total.count()));
  const std::string name{label(one.what.routing)};
  html_ += "<td class=\"k " + name + "\">" + name + "</td>";
  html_ += "<td>" + title_of(one.command, one.name_space()) + "</td>";
  const bool has_block = rank <= told_apart_ && is_told_apart(one);
  const std::string shape =
      "<code>" + html_text(cut(one.what.shape_json, most_of_shape)) + "</code>";
  html_ += "<td>" +
           (has_block ? "<a href=\"#" + anchor_of(rank, one) + "\">" + shape + "</a>" : shape) +
           "</td></tr>\n";
}

void html_report::profile(std::size_t bytes_behind) {
  html_ +=
      "<h2>Shapes, " + std::string{first_in_words(of_.by)} +
      " first</h2>\n<div class=\"scroll\"><table><thead><tr>"
      "<th class=\"n\" data-sort=\"n\">rank</th><th class=\"n\" data-sort=\"n\">waste</th>"
      "<th class=\"n\" data-sort=\"n\">count</th><th class=\"n\" data-sort=\"n\">shards</th>"
      "<th class=\"n\" data-sort=\"n\">time</th><th data-sort=\"t\">routing</th>"
      "<th data-sort=\"t\">command</th><th>shape</th></tr></thead><tbody>\n";
  while (told_ < shown_ && html_.size() + bytes_behind + room_for_end < max_html_bytes) {
    profile_row(told_ + 1, *rows_[told_]);
    ++told_;
  }
  html_ += "</tbody>";
  remainder();
  html_ += "</table></div>\n";
}

/// What the table doesn't tell, as one row, so that all of it adds up to the totals.
void html_report::remainder() {
  const digest::table& table = of_.shown();
  const std::string further = of_.further_text(rows_.size(), told_);
  if (further.empty()) return;
  std::uint64_t commands = table.all().commands;
  std::uint64_t wasted = table.all().shards.wasted;
  for (std::size_t i = 0; i < told_; ++i) {
    commands -= std::min(commands, rows_[i]->count);
    wasted -= std::min(wasted, rows_[i]->shards.wasted);
  }
  html_ += "<tfoot><tr><td colspan=\"8\">" + further + ": " + with_commas(commands) + " " +
           std::string{of_.unit()} + ", " + with_commas(wasted) +
           " shard requests beyond one each</td></tr></tfoot>";
}

/// One line of a list of facts; nothing where there is nothing to say.
std::string fact(std::string_view name, const std::string& html) {
  if (html.empty()) return {};
  return "<dt>" + std::string{name} + "</dt><dd>" + html + "</dd>";
}

std::string callers_html(const digest::callers& who) {
  std::string html;
  for (const digest::caller& one : who.ranked()) {
    html += with_commas(one.count) + " &times; " + html_text(digest::caller_text(one)) + "<br>";
  }
  if (who.others() != 0) html += with_commas(who.others()) + " &times; others";
  return html;
}

std::string html_report::block(std::size_t rank, const digest::row& one) const {
  const std::string name{label(one.what.routing)};
  const std::string hash = routing::shape_hash_text(one.shape_hash);
  std::string html = "<article id=\"" + anchor_of(rank, one) + "\"><h3>" +
                     std::to_string(rank) + ". " + title_of(one.command, one.name_space()) +
                     " <span class=\"k " + name + "\">" + name + "</span></h3>\n";
  html += "<pre>" + html_text(cut(one.what.shape_json, most_of_block)) + "</pre><dl>";
  if (of_.against != nullptr) {
    html += fact("baseline", html_text(state_text(*of_.against, one)));
  }
  html += fact("do", html_text(cut(one.what.suggestion, most_of_block)));
  html += fact("reason", html_text(label(one.what.why)));
  html += fact("shard key", html_text(cut(one.what.shard_key_json, most_of_block)));
  html += fact("sent by", callers_html(one.who));
  html += fact("time", html_text(digest::times_text(one)));
  html += fact("errors", html_text(errors_text(one)));
  html += fact("asked", html_text(fanouts_text(one)));
  html += fact("documents", html_text(docs_text(one)));
  html += fact("replies", html_text(replies_text(one)));
  html += fact("plans", html_text(cut(plans_text(one), most_of_block)));
  html += fact("read on", html_text(of_.get_mores_text(one)));
  if (one.first_seen && one.last_seen) {
    html += fact("seen", time_text(*one.first_seen) + " to " + time_text(*one.last_seen));
  }
  html += fact("hash", hash + (one.query_shape_hash.empty()
                                   ? std::string{}
                                   : ", queryShapeHash " + html_text(one.query_shape_hash)));
  html += "</dl>";
  if (const std::string explain = digest::explain_text(one); !explain.empty()) {
    html += "<pre>" + html_text(cut(explain, most_of_block)) + "</pre>";
  }
  const std::string rule = of_.accept_rule(one);  // cut, it would be another one
  if (!rule.empty() && rule.size() <= most_of_block)
    html += "<pre>" + html_text(rule) + "</pre>";
  return html + "</article>\n";
}

/// Of the first shapes, as many as fill half of the page.
std::string html_report::blocks() {
  std::string html = "<h2>What to do</h2>\n";
  for (; told_apart_ < shown_; ++told_apart_) {
    const digest::row& one = *rows_[told_apart_];
    if (!is_told_apart(one)) continue;
    const std::string made = block(told_apart_ + 1, one);
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
    html_ += "<p>" + html_text(cut(source_text(one), most_of_block)) + "</p>\n";
  }
  disagreements();
}

}  // namespace

std::string report_html(const report_model& of) {
  return html_report{of}.whole();
}

}  // namespace scattergate::report
