#include "report/views/report_csv.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/json.hpp"
#include "digest/row_fields.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

namespace as = digest::as;

/// Characters at which spreadsheets start a formula, including full-width ones.
bool begins_as_formula(std::string_view text) {
  constexpr std::array<std::string_view, 10> begins = {
      "=",           "+", "-", "@", "\t", "\r", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
      "\xef\xbc\xa0"};
  const std::size_t at = text.find_first_not_of(" \n");
  if (at == text.npos) return false;
  return std::ranges::any_of(
      begins, [&](std::string_view one) { return text.substr(at).starts_with(one); });
}

std::string fixed(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string mean(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? "" : fixed(static_cast<double>(total) / static_cast<double>(count));
}

std::string callers_text(const digest::callers& who) {
  std::string text;
  for (const digest::caller& one : who.ranked()) {
    text += (text.empty() ? "" : "; ") + std::to_string(one.count) + " x " +
            digest::caller_text(one);
  }
  if (who.others() != 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(who.others()) + " x others";
  }
  return text;
}

/// The columns in their order, on which spreadsheets rely. A field whose name in reports is a
/// column fills it; some fields fill several columns, or one of another name.
constexpr auto csv_columns = std::to_array<std::string_view>({"ns",
                                                              "command",
                                                              "routing",
                                                              "reason",
                                                              "count",
                                                              "errors",
                                                              "errorNames",
                                                              "maxShards",
                                                              "meanShards",
                                                              "shardsAsked",
                                                              "wastedShardRequests",
                                                              "totalMillis",
                                                              "maxMillis",
                                                              "p50Millis",
                                                              "p95Millis",
                                                              "p99Millis",
                                                              "meanDocsExamined",
                                                              "meanReslen",
                                                              "planSummary",
                                                              "firstSeen",
                                                              "lastSeen",
                                                              "shape",
                                                              "shardKey",
                                                              "missing",
                                                              "suggestion",
                                                              "callers",
                                                              "accepted",
                                                              "baseline",
                                                              "shapeHash",
                                                              "queryShapeHash"});

/// The cells of a row. Each put function fills the columns of a type of a field. Ignores cells
/// without a column.
class csv_cells {
 public:
  void set(std::string_view column, std::string text) {
    const auto at = std::ranges::find(csv_columns, column);
    if (at == csv_columns.end()) return;
    cells_[static_cast<std::size_t>(at - csv_columns.begin())] = std::move(text);
  }
  [[nodiscard]] const auto& all() const noexcept { return cells_; }

  void put(as::text, std::string_view name, const std::string& text) { set(name, text); }
  void put(as::hash, std::string_view name, std::uint64_t hash) {
    set(name, routing::shape_hash_text(hash));
  }
  template <typename Enum>
  void put(as::label, std::string_view name, Enum value) {
    set(name, std::string{label(value)});
  }
  void put(as::texts, std::string_view name, const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& one : texts) joined += (joined.empty() ? "" : ", ") + one;
    set(name, std::move(joined));
  }
  void put(as::index, std::string_view, const std::optional<std::uint32_t>&) {}
  void put(as::count, std::string_view name, std::uint64_t count) {
    set(name, std::to_string(count));
  }
  void put(as::time, std::string_view name, const std::optional<digest::wall_time>& time) {
    if (time) set(name, text::time_text(*time));
  }
  void put(as::name_space, std::string_view name, const digest::row& of) {
    set(name, of.name_space());
  }
  void put(as::fanout, std::string_view, const digest::row& of) {
    set("shardsAsked", fanouts_text(of));
    if (of.shards.commands == 0) return;
    set("maxShards", std::to_string(of.shards.most));
    set("meanShards", mean(of.shards.asked, of.shards.commands));
    set("wastedShardRequests", std::to_string(of.shards.wasted));
  }
  void put(as::durations, std::string_view, const digest::row& of) {
    if (!of.has_times()) return;
    set("totalMillis", digest::millis(of.total));
    set("maxMillis", digest::millis(of.longest));
    if (!of.has_quantiles()) return;
    set("p50Millis", digest::millis(digest::quantile(of, 0.50)));
    set("p95Millis", digest::millis(digest::quantile(of, 0.95)));
    set("p99Millis", digest::millis(digest::quantile(of, 0.99)));
  }
  void put(as::text_counts, std::string_view name, const digest::text_counts& of) {
    set(name, counted_text(of));
  }
  /// Fills the column "mean" + the name.
  void put(as::amounts, std::string_view name, const digest::amounts& of) {
    std::string column = "mean" + std::string{name};
    column[4] = static_cast<char>(column[4] - 'a' + 'A');
    set(column, mean(of.total, of.commands));
  }
  void put(as::actions, std::string_view, const digest::action_counts&) {}
  void put(as::callers, std::string_view name, const digest::callers& who) {
    set(name, callers_text(who));
  }

 private:
  std::array<std::string, csv_columns.size()> cells_;
};

csv_cells cells_of(const report_model& of, const digest::row& one) {
  csv_cells cells;
  digest::each_field<digest::in_report>(
      [&](const auto& field) { cells.put(field.as, field.names.shown, field.in(one)); });
  cells.set("errorNames", errors_text(one));
  cells.set("accepted", accepted_text(one));
  cells.set("baseline", std::string{label(of.state_of(one))});
  return cells;
}

template <typename Cells>
void append_line(std::string& to, const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    to += i == 0 ? "" : ",";
    to += csv_cell(cells[i]);
  }
  to += "\r\n";
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string plain = text::to_plain(text);
  if (begins_as_formula(text)) plain.insert(0, 1, '\'');
  // A runner of CI jobs would take a line that begins with a colon for a command.
  const bool is_marked = plain.starts_with(' ') || plain.starts_with(':');
  if (plain.find_first_of("\",\r\n;'") == plain.npos && !is_marked) return plain;
  std::string cell = "\"";
  for (const char letter : plain) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + '"';
}

std::string report_csv(const report_model& of) {
  std::string text;
  append_line(text, csv_columns);
  auto rows = of.ranked();
  rows.resize(std::min(rows.size(), of.top.value_or(rows.size())));
  for (const digest::row* const row : rows) append_line(text, cells_of(of, *row).all());
  return text;
}

}  // namespace scattergate::report
