#include "report/views/compare_views.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "digest/json.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/html_page.hpp"
#include "report/views/report_html.hpp"
#include "report/views/report_json.hpp"
#include "report/views/report_markdown.hpp"
#include "routing/shape/shape.hpp"
#include "text/html_blocks.hpp"
#include "text/json_writer.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

// First what all views show of a comparison, then each view: text for a terminal, Markdown,
// JSON, HTML.

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string decimal(double value, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Shows fractions for small values only.
std::string rate_text(double value) {
  constexpr double whole_from = 100;
  constexpr double least_shown = 0.01;
  if (value > 0 && value < least_shown) return "< 0.01";
  if (value > 0 && value < 1) return decimal(value, "%.2f");
  if (value < whole_from && value != std::floor(value)) return decimal(value, "%.1f");
  constexpr double most = 1e18;
  return with_commas(static_cast<std::uint64_t>(std::llround(std::min(value, most))));
}

std::string nanos_text(double nanos) {
  constexpr double most = 9e18;
  return digest::duration_text(std::chrono::nanoseconds{std::llround(std::min(nanos, most))});
}

/// No more precise than the durations were.
std::string time_by(const digest::row& of, double hours) {
  if (of.total < of.resolution) return digest::duration_text(of, of.total);
  return nanos_text(static_cast<double>(of.total.count()) / hours);
}

/// The sum of all commands in a report.
digest::part_sums all_parts(const report_model& of) {
  digest::part_sums all;
  if (of.shown_parts() == nullptr) return all;
  for (const auto& [when, sums] : of.shown_parts()->by_hour.all()) all.add(sums);
  all.add(of.shown_parts()->by_hour.others());
  return all;
}

std::string change_of(double before, double after) {
  if (before == 0) return {};
  return decimal(100 * (after - before) / before, "%+.1f %%");
}

/// A kind of change that views list, with its heading.
struct listed_change {
  change kind;
  const char* title;
};
/// The kinds of changes that views list, in order.
constexpr std::array<listed_change, 4> listed_changes = {{
    {change::is_new, "New"},
    {change::worse, "Worse"},
    {change::gone, "Gone"},
    {change::better, "Better"},
}};

/// A sum in both reports: "commands", "1,200", "1,800", "+50.0 %".
struct compared_sum {
  std::string name;
  std::string before;
  std::string after;
  std::string change;  ///< empty if the value before is zero
};
/// The sums of a shape's commands in one report, as texts: "1,200", "6.0", "4,800", "1.20 s".
struct shape_sums {
  std::string commands;
  std::string shards;  ///< average number of shards that a command asked; "?": unknown
  std::string wasted;  ///< requests to shards beyond the first of each command; "?": unknown
  std::string time;    ///< total duration; "-": unknown
};

compared_sum sum_of(const compare_model& of, const std::string& name, std::uint64_t before,
                    std::uint64_t after) {
  const double first = static_cast<double>(before) / of.changes.hours_before();
  const double second = static_cast<double>(after) / of.changes.hours_after();
  return {name, rate_text(first), rate_text(second), change_of(first, second)};
}

/// Both sides' values: "1,200 -> 3,400".
std::string arrow(const std::string& before, const std::string& after) {
  return before + " -> " + after;
}

/// The sums of both reports, per hour or in total; see basis_text().
std::vector<compared_sum> sums_of(const compare_model& of) {
  const digest::totals& before = of.before.shown().all();
  const digest::totals& after = of.after.shown().all();
  std::vector<compared_sum> sums = {
      sum_of(of, std::string{of.after.unit()}, before.commands, after.commands),
      sum_of(of, "of them scatter", scatters_of(before), scatters_of(after)),
      sum_of(of, "errors", before.errors, after.errors)};
  if (before.shards.asked != 0 && after.shards.asked != 0) {
    sums.push_back(
        sum_of(of, "wasted shard requests", before.shards.wasted, after.shards.wasted));
  }
  const digest::part_sums first = all_parts(of.before);
  const digest::part_sums second = all_parts(of.after);
  if (first.timed != 0 && second.timed != 0) {
    const double nanos_before =
        static_cast<double>(first.time.count()) / of.changes.hours_before();
    const double nanos_after =
        static_cast<double>(second.time.count()) / of.changes.hours_after();
    sums.push_back({"time", nanos_text(nanos_before), nanos_text(nanos_after),
                    change_of(nanos_before, nanos_after)});
  }
  return sums;
}

/// The basis of the sums: "by hour", or "in all" if a report's period is unknown.
std::string basis_text(const compare_model& of) {
  return of.changes.is_by_hour() ? "by hour" : "in all";
}

/// The number of shapes by change: "2 new, 1 gone, 3 worse, 0 better, 30 as before".
std::string counts_text(const compare_model& of) {
  std::string text;
  for (const change kind : {change::is_new, change::gone, change::worse, change::better}) {
    text += with_commas(of.changes.of(kind).size()) + " " + std::string{label(kind)} + ", ";
  }
  return text + with_commas(of.changes.of(change::same).size()) + " as before";
}

/// One of the two reports in one line: its number of commands or shard requests, and its
/// period.
std::string side_text(const report_model& of) {
  const digest::totals& all = of.shown().all();
  std::string text = with_commas(all.commands) + " " + std::string{of.unit()};
  if (all.from && all.to) {
    text += ", " + text::time_text(*all.from) + " to " + text::time_text(*all.to);
  }
  return text;
}

/// The limits of the comparison, one line each: shapes that a report counts but doesn't list,
/// or reports that count different things.
std::vector<std::string> limits_of(const compare_model& of) {
  std::vector<std::string> lines;
  const auto note = [&](const report_model& side, const std::string& name,
                        const std::string& kind) {
    if (const std::uint64_t further = side.shown().evicted_rows(); further != 0) {
      lines.push_back(name + " counts " + with_commas(further) +
                      " further shapes that it doesn't list: shapes shown as " + kind +
                      " may be among them");
    }
  };
  note(of.before, "the first", "new");
  note(of.after, "the second", "gone");
  if (!of.changes.is_by_hour()) {
    lines.push_back(
        "one side has no times, or covers less than a second: totals are compared, not rates "
        "per hour");
  }
  if (of.before.unit() != of.after.unit()) {
    lines.push_back(
        "one side counts commands, the other shard requests: the numbers aren't comparable");
  }
  return lines;
}

/// The sums of a row's commands, divided by `hours`; the average number of shards isn't
/// divided.
shape_sums sums_of(const digest::row& one, double hours) {
  const bool is_known = one.shards.commands != 0;
  const auto by_hour = [&](std::uint64_t value) {
    return rate_text(static_cast<double>(value) / hours);
  };
  return {by_hour(one.count),
          is_known ? decimal(static_cast<double>(one.shards.asked) /
                                 static_cast<double>(one.shards.commands),
                             "%.1f")
                   : "?",
          is_known ? by_hour(one.shards.wasted) : "?",
          one.has_times() ? time_by(one, hours) : "-"};
}

/// The aspects of a shape that became worse or better: "shards 1.0 -> 6.0, commands 1,200 ->
/// 3,400". Empty if no aspect did.
std::string change_text(const compare_model& of, const shape_change& one) {
  if (one.before == nullptr || one.after == nullptr) return {};
  const shape_sums before = sums_of(*one.before, of.changes.hours_before());
  const shape_sums after = sums_of(*one.after, of.changes.hours_after());
  const auto is_changed = [&](aspect which) {
    return one.by[static_cast<std::size_t>(which)] != 0;
  };
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (is_changed(aspect::routing)) {
    add("routing " + arrow(std::string{label(one.before->what.routing)},
                           std::string{label(one.after->what.routing)}));
  }
  if (is_changed(aspect::fanout)) add("shards " + arrow(before.shards, after.shards));
  if (is_changed(aspect::count)) add("commands " + arrow(before.commands, after.commands));
  if (is_changed(aspect::time)) add("time " + arrow(before.time, after.time));
  return text;
}

/// The sums of a shape in the report that lists it: the second, unless the shape is gone.
shape_sums shown_sums(const compare_model& of, const shape_change& one) {
  return sums_of(one.shape(),
                 one.after == nullptr ? of.changes.hours_before() : of.changes.hours_after());
}

/// The number of shapes that a view doesn't list: "and 12 further shapes". Empty if there are
/// none.
std::string further_shapes_text(std::size_t all, std::size_t listed) {
  return listed == all ? std::string{} : "and " + with_commas(all - listed) + " further shapes";
}

class comparison_text : terminal_lines {
 public:
  comparison_text(const compare_model& of, const text_style& style)
      : terminal_lines(style), of_(of) {}

  std::string whole() {
    side("before", of_.before);
    side("after", of_.after);
    for (const std::string& limit : limits_of(of_)) line("note    " + limit);
    line("");
    sums();
    line("");
    line("shapes: " + counts_text(of_));
    for (const auto& [kind, title] : listed_changes) list(kind, title);
    return take();
  }

 private:
  void side(const std::string& name, const report_model& of) {
    strong(name + std::string(8 - name.size(), ' ') + side_text(of));
    for (const source_facts& one : of.sources) line("        " + source_text(one));
  }

  void sums() {
    constexpr const char* format = "%-24s %14s %14s %10s";
    const auto row = [&](const compared_sum& one) {
      std::array<char, 128> columns{};
      std::snprintf(columns.data(), columns.size(), format, one.name.c_str(),
                    one.before.c_str(), one.after.c_str(), one.change.c_str());
      return std::string{columns.data()};
    };
    strong(row({basis_text(of_), "before", "after", ""}));
    for (const compared_sum& one : sums_of(of_)) line(row(one));
  }

  void list(change kind, const std::string& title) {
    const auto& all = of_.changes.of(kind);
    if (all.empty()) return;
    line("");
    strong(title + ", " + basis_text(of_) + ":");
    strong("          commands  shards      wasted       time  shape");
    const std::size_t listed = of_.listed_of(all.size());
    for (std::size_t i = 0; i < listed; ++i) shape(all[i]);
    const std::string further = further_shapes_text(all.size(), listed);
    if (!further.empty()) line("        " + further);
  }

  void shape(const shape_change& one) {
    const shape_sums sums = shown_sums(of_, one);
    std::array<char, 128> columns{};
    std::snprintf(columns.data(), columns.size(), "%18s %7s %11s %10s  ", sums.commands.c_str(),
                  sums.shards.c_str(), sums.wasted.c_str(), sums.time.c_str());
    const std::string left{columns.data()};
    const std::size_t room =
        style().width > left.size() + 23 ? style().width - left.size() - 3 : 20;
    line(left + text::cut_with_dots(digest::one_line(one.shape()), room));
    const std::string hash = routing::shape_hash_text(one.shape().shape_hash);
    const std::string changed = change_text(of_, one);
    const std::string what = std::string{label(one.shape().what.routing)};
    line(std::string(18, ' ') + hash + "  " + (changed.empty() ? what : changed));
  }

  const compare_model& of_;
};

}  // namespace

std::string compare_text(const compare_model& of, const text_style& style) {
  return comparison_text{of, style}.whole();
}

namespace {

constexpr std::size_t most_in_shape_cell = 160;

std::string cell(const std::string& text) {
  return text + " | ";
}

std::string side(const std::string& name, const report_model& of) {
  std::string text = "**" + name + ":** " + code(side_text(of)) + "\n\n";
  for (const source_facts& one : of.sources) text += "- " + code(source_text(one)) + "\n";
  return text + "\n";
}

std::string shape_row(const compare_model& of, const shape_change& one) {
  const shape_sums sums = shown_sums(of, one);
  const digest::row& shape = one.shape();
  std::string text =
      "| " + cell(sums.commands) + cell(sums.shards) + cell(sums.wasted) + cell(sums.time) +
      cell(std::string{label(shape.what.routing)}) +
      cell(code_in_cell(shape.command + " " + shape.name_space())) +
      cell(code_in_cell(text::cut_with_dots(shape.what.shape_json, most_in_shape_cell))) +
      cell(routing::shape_hash_text(shape.shape_hash)) + change_text(of, one);
  return text + " |\n";
}

std::string list(const compare_model& of, change kind, const std::string& title) {
  const auto& all = of.changes.of(kind);
  if (all.empty()) return {};
  std::string text =
      "\n## " + title + ", " + basis_text(of) +
      "\n\n| commands | shards | wasted | time | routing | command | shape | hash "
      "| change |\n| ---: | ---: | ---: | ---: | --- | --- | --- | --- | --- |\n";
  const std::size_t listed = of.listed_of(all.size());
  for (std::size_t i = 0; i < listed; ++i) text += shape_row(of, all[i]);
  const std::string further = further_shapes_text(all.size(), listed);
  if (!further.empty()) text += "\n" + further + ".\n";
  return text;
}

}  // namespace

std::string compare_markdown(const compare_model& of) {
  std::string text = "# What changed\n\n" + side("Before", of.before) + side("After", of.after);
  for (const std::string& limit : limits_of(of)) text += limit + ".\n\n";
  text +=
      "| " + basis_text(of) + " | before | after | change |\n| --- | ---: | ---: | ---: |\n";
  for (const compared_sum& one : sums_of(of)) {
    text += "| " + cell(one.name) + cell(one.before) + cell(one.after) + one.change + " |\n";
  }
  text += "\nShapes: " + counts_text(of) + ".\n";
  for (const auto& [kind, title] : listed_changes) text += list(of, kind, title);
  return text;
}

namespace {

using text::json_writer;

void append_number(json_writer& to, std::string_view name, double value) {
  to.decimal(name, value, 3);
}

void append_side(json_writer& to, std::string_view name, const report_model& of) {
  to.object(name);
  digest::append_window(to, of.shown().all());
  const auto hours = hours_of(of.shown().all());
  hours ? append_number(to, "hours", *hours) : to.null("hours");
  append_sources(to, of.sources);
  append_shown_totals(to, of);
  to.number("furtherShapes", of.shown().evicted_rows());
  to.end();
}

void append_aspects(json_writer& to, std::string_view name, const aspects& by, int direction) {
  to.array(name);
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i] == direction) to.text(label(static_cast<aspect>(i)));
  }
  to.end();
}

/// Appends values per hour, or absolute ones if the period is unknown.
void append_rates(json_writer& to, std::string_view name, const digest::row* of, double hours) {
  if (of == nullptr) return to.null(name);
  const auto append_rate = [&](std::string_view member, bool is_known, double in_all) {
    is_known ? append_number(to, member, in_all / hours) : to.null(member);
  };
  using millis = std::chrono::duration<double, std::milli>;
  to.object(name);
  append_rate("commands", true, static_cast<double>(of->count));
  append_rate("wastedShardRequests", of->shards.commands != 0,
              static_cast<double>(of->shards.wasted));
  append_rate("totalMillis", of->has_times(), millis{of->total}.count());
  to.end();
}

void append_shape(json_writer& to, std::string_view name, const digest::row* of,
                  const report_model& in) {
  if (of == nullptr) return to.null(name);
  to.name(name);
  digest::append_json(to, *of, label(baseline_state::none), in.sender());
}

void append_change(json_writer& to, const compare_model& of, const shape_change& one) {
  to.object();
  append_aspects(to, "worse", one.by, 1);
  append_aspects(to, "better", one.by, -1);
  append_rates(to, "rateBefore", one.before, of.changes.hours_before());
  append_rates(to, "rateAfter", one.after, of.changes.hours_after());
  append_shape(to, "before", one.before, of.before);
  append_shape(to, "after", one.after, of.after);
  to.end();
}

}  // namespace

std::string compare_json(const compare_model& of) {
  std::string text;
  json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.time_or_null("comparedAt", of.generated_at);
  append_side(json, "before", of.before);
  append_side(json, "after", of.after);
  json.text("rates", of.changes.is_by_hour() ? "perHour" : "inAll");
  json.object("counts");
  for (std::size_t i = 0; i < change_count; ++i) {
    const auto kind = static_cast<change>(i);
    json.number(label(kind), of.changes.of(kind).size());
  }
  json.end();
  for (const auto& [kind, title] : listed_changes) {
    const auto& all = of.changes.of(kind);
    json.array(label(kind));
    for (std::size_t i = 0; i < std::min(all.size(), of.top.value_or(all.size())); ++i) {
      append_change(json, of, all[i]);
    }
    json.end();
  }
  json.end();
  return text + '\n';
}

namespace {

using text::html_text;

constexpr std::size_t most_of_source = 2'000;
constexpr std::size_t most_sources = 20;

constexpr auto change_columns = std::to_array<text::html_column>({
    {"commands", true},
    {"shards", true},
    {"wasted", true},
    {"time", true},
    {.name = "routing"},
    {.name = "command"},
    {.name = "shape"},
    {.name = "change"},
});

class comparison_page {
 public:
  explicit comparison_page(const compare_model& of) : of_(of) {}

  std::string whole() {
    text::append_page_head(html_, html_title);
    html_ += html_style;
    html_ += "<h1>What changed</h1>\n<p class=\"dim\">" + text::time_text(of_.generated_at) +
             "</p>\n";
    side("Before", of_.before);
    side("After", of_.after);
    for (const std::string& limit : limits_of(of_)) html_ += "<p>" + limit + ".</p>\n";
    sums();
    html_ += "<p>Shapes: " + counts_text(of_) + ".</p>\n";
    for (const auto& [kind, title] : listed_changes) list(kind, title);
    html_ += html_foot;
    return std::move(html_);
  }

 private:
  void side(const std::string& name, const report_model& of) {
    html_ += "<p><b>" + name + "</b> " + html_text(side_text(of)) + "</p>\n";
    std::size_t listed = 0;
    for (const source_facts& one : of.sources) {
      if (listed++ == most_sources) break;
      html_ += "<p class=\"dim\">" +
               html_text(text::cut_with_dots(source_text(one), most_of_source)) + "</p>\n";
    }
  }

  void sums() {
    const std::string basis = basis_text(of_);
    text::append_table_begin(
        html_, std::array<text::html_column, 4>{
                   {{.name = basis}, {"before", true}, {"after", true}, {"change", true}}});
    for (const compared_sum& one : sums_of(of_)) {
      html_ += "<tr>";
      text::append_cell(html_, one.name);
      for (const std::string* each : {&one.before, &one.after, &one.change}) {
        text::append_number_cell(html_, *each);
      }
      html_ += "</tr>\n";
    }
    text::append_table_end(html_);
  }

  void list(change kind, const std::string& title) {
    const auto& all = of_.changes.of(kind);
    if (all.empty()) return;
    html_ += "<h2>" + title + ", " + basis_text(of_) + "</h2>\n";
    text::append_table_begin(html_, change_columns);
    const std::size_t limit = std::min(all.size(), of_.top.value_or(all.size()));
    std::size_t listed = 0;
    while (listed < limit && html_.size() + room_for_end < max_html_bytes) {
      shape(all[listed++]);
    }
    text::append_table_end(html_);
    const std::string further = further_shapes_text(all.size(), listed);
    if (!further.empty()) html_ += "<p>" + further + ".</p>\n";
  }

  void shape(const shape_change& one) {
    const digest::row& row = one.shape();
    const shape_sums sums = shown_sums(of_, one);
    const std::string name{label(row.what.routing)};
    html_ += "<tr>";
    for (const std::string* each : {&sums.commands, &sums.shards, &sums.wasted, &sums.time}) {
      text::append_number_cell(html_, *each);
    }
    html_ += "<td class=\"k " + name + "\">" + name + "</td>";
    text::append_cell(html_, text::cut_with_dots(row.command, most_of_name) + " " +
                                 text::cut_with_dots(row.name_space(), most_of_name));
    html_ += "<td><code>" + html_text(text::cut_with_dots(row.what.shape_json, most_of_shape)) +
             "</code><br>" + routing::shape_hash_text(row.shape_hash) + "</td>";
    text::append_cell(html_, change_text(of_, one));
    html_ += "</tr>\n";
  }

  const compare_model& of_;
  std::string html_;
};

}  // namespace

std::string compare_html(const compare_model& of) {
  return comparison_page{of}.whole();
}

}  // namespace scattergate::report
