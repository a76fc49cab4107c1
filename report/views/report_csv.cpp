#include "report/views/report_csv.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/json_parts.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

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

std::string number_where(bool is_known, std::uint64_t value) {
  return is_known ? std::to_string(value) : std::string{};
}

std::string time_where_known(const std::optional<digest::wall_time>& time) {
  return time ? text::time_text(*time) : std::string{};
}

std::string quantile_text(const digest::row& of, double share) {
  return of.has_quantiles() ? digest::millis(digest::quantile(of, share)) : std::string{};
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

/// A column: its name, and its value for a shape.
struct column {
  std::string_view name;
  std::string (*text)(const report_model& of, const digest::row& one);
};

constexpr auto csv_columns = std::to_array<column>({
    {"ns", [](const report_model&, const digest::row& one) { return one.name_space(); }},
    {"command", [](const report_model&, const digest::row& one) { return one.command; }},
    {"routing", [](const report_model&,
                   const digest::row& one) { return std::string{label(one.what.routing)}; }},
    {"reason", [](const report_model&,
                  const digest::row& one) { return std::string{label(one.what.why)}; }},
    {"count",
     [](const report_model&, const digest::row& one) { return std::to_string(one.count); }},
    {"errors",
     [](const report_model&, const digest::row& one) { return std::to_string(one.errors); }},
    {"errorNames",
     [](const report_model&, const digest::row& one) { return errors_text(one); }},
    {"maxShards",
     [](const report_model&, const digest::row& one) {
       return number_where(one.shards.commands != 0, one.shards.most);
     }},
    {"meanShards",
     [](const report_model&,
        const digest::row& one) { return mean(one.shards.asked, one.shards.commands); }},
    {"shardsAsked",
     [](const report_model&, const digest::row& one) { return fanouts_text(one); }},
    {"wastedShardRequests",
     [](const report_model&,
        const digest::row&
            one) { return number_where(one.shards.commands != 0, one.shards.wasted); }},
    {"totalMillis",
     [](const report_model&,
        const digest::row&
            one) { return one.has_times() ? digest::millis(one.total) : std::string{}; }},
    {"maxMillis",
     [](const report_model&,
        const digest::row&
            one) { return one.has_times() ? digest::millis(one.longest) : std::string{}; }},
    {"p50Millis",
     [](const report_model&, const digest::row& one) { return quantile_text(one, 0.50); }},
    {"p95Millis",
     [](const report_model&, const digest::row& one) { return quantile_text(one, 0.95); }},
    {"p99Millis",
     [](const report_model&, const digest::row& one) { return quantile_text(one, 0.99); }},
    {"meanDocsExamined",
     [](const report_model&,
        const digest::row&
            one) { return mean(one.run.docs_examined.total, one.run.docs_examined.commands); }},
    {"meanReslen",
     [](const report_model&,
        const digest::row&
            one) { return mean(one.run.reply_bytes.total, one.run.reply_bytes.commands); }},
    {"planSummary",
     [](const report_model&, const digest::row& one) { return plans_text(one); }},
    {"firstSeen", [](const report_model&,
                     const digest::row& one) { return time_where_known(one.first_seen); }},
    {"lastSeen", [](const report_model&,
                    const digest::row& one) { return time_where_known(one.last_seen); }},
    {"shape", [](const report_model&, const digest::row& one) { return one.what.shape_json; }},
    {"shardKey",
     [](const report_model&, const digest::row& one) { return one.what.shard_key_json; }},
    {"missing",
     [](const report_model&, const digest::row& one) { return digest::missing_text(one); }},
    {"suggestion",
     [](const report_model&, const digest::row& one) { return one.what.suggestion; }},
    {"callers",
     [](const report_model&, const digest::row& one) { return callers_text(one.who); }},
    {"accepted",
     [](const report_model&, const digest::row& one) { return accepted_text(one); }},
    {"baseline", [](const report_model& of,
                    const digest::row& one) { return std::string{label(of.state_of(one))}; }},
    {"shapeHash",
     [](const report_model&,
        const digest::row& one) { return routing::shape_hash_text(one.shape_hash); }},
    {"queryShapeHash",
     [](const report_model&, const digest::row& one) { return one.query_shape_hash; }},
});

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
  const auto end_cell = [&](const column& one) {
    text += &one == &csv_columns.back() ? "\r\n" : ",";
  };
  for (const column& one : csv_columns) {
    text += one.name;
    end_cell(one);
  }
  auto rows = of.ranked();
  rows.resize(std::min(rows.size(), of.top.value_or(rows.size())));
  for (const digest::row* const row : rows) {
    for (const column& one : csv_columns) {
      text += csv_cell(one.text(of, *row));
      end_cell(one);
    }
  }
  return text;
}

}  // namespace scattergate::report
