#include "report/views/report_markdown.hpp"

#include <algorithm>
#include <string_view>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {

namespace {

/// The length of the longest run of backticks.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char letter : text) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string code(std::string_view text) {
  const std::string plain = text::to_plain(text);
  if (plain.empty()) return {};
  const std::string fence(longest_run(plain) + 1, '`');
  // Markdown removes a blank on both sides; without it a backtick at either end would join the
  // fence.
  const bool is_padded = plain.front() == '`' || plain.back() == '`' || plain.front() == ' ';
  return is_padded ? fence + " " + plain + " " + fence : fence + plain + fence;
}

std::string code_in_cell(std::string_view text) {
  std::string cell;
  for (const char letter : code(text)) {
    if (letter == '|') cell += '\\';
    cell += letter;
  }
  return cell;
}

std::string fenced(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text) + 1), '`');
  return fence + std::string{language} + "\n" + std::string{text} + "\n" + fence + "\n";
}

namespace {

using digest::percent;
using digest::with_commas;

/// Limit for a table cell, in bytes.
constexpr std::size_t most_in_cell = 120;

/// The most frequent application or other sender, and the number of others.
std::string senders_text(const digest::callers& who) {
  const auto all = who.ranked();
  if (all.empty()) return {};
  const digest::caller& first = all.front();
  const std::string name = first.app_name.empty() ? digest::caller_text(first) : first.app_name;
  const std::size_t others = all.size() - 1;
  std::string text = text::cut_with_dots(name, most_in_cell);
  if (others != 0 || who.others() != 0) {
    text += " and " + (who.others() != 0 ? "others" : std::to_string(others) + " more");
  }
  return text;
}

/// A line with a name and a text; empty if the text is empty.
std::string line(std::string_view name, const std::string& text) {
  return text.empty() ? "" : "\n**" + std::string{name} + ":** " + code(text) + "\n";
}

std::string callers_list(const digest::callers& who) {
  std::string text;
  for (const digest::caller& one : who.ranked()) {
    const std::string name = digest::caller_text(one);
    if (!name.empty()) text += "- " + with_commas(one.count) + " x " + code(name) + "\n";
  }
  if (who.others() != 0) text += "- " + with_commas(who.others()) + " x others\n";
  return text.empty() ? text : "\n**Sent by:**\n\n" + text;
}

/// The columns that some row fills.
struct shown_columns {
  bool shards;
  bool times;
  bool senders;
};

std::string profile_head(const shown_columns& shown) {
  std::string names = "| rank |";
  std::string line = "| ---: |";
  const auto add = [&](bool is_shown, const char* name, const char* alignment) {
    if (!is_shown) return;
    names += " " + std::string{name} + " |";
    line += " " + std::string{alignment} + " |";
  };
  constexpr const char* number = "---:";
  constexpr const char* text = "---";
  add(shown.shards, "waste", number);
  add(true, "count", number);
  add(shown.shards, "shards", number);
  add(shown.times, "time", number);
  for (const char* name : {"routing", "command", "shape"}) add(true, name, text);
  add(shown.senders, "sent by", text);
  return names + "\n" + line + "\n";
}

std::string profile_row(std::size_t rank, const digest::row& one, const digest::totals& all,
                        const shown_columns& shown) {
  const auto [waste, count, shards, time] = numbers_of(one, all);
  std::string line = "| " + std::to_string(rank) + " | ";
  if (shown.shards) line += waste + " | ";
  line += count + " | ";
  if (shown.shards) line += shards + " | ";
  if (shown.times) line += time + " | ";
  line += std::string{label(one.what.routing)} +
          (digest::is_accepted(one) ? ", accepted | " : " | ") +
          code_in_cell(one.command + " " + one.name_space()) + " | " +
          code_in_cell(text::cut_with_dots(one.what.shape_json, most_in_cell)) + " |";
  if (shown.senders) line += " " + code_in_cell(senders_text(one.who)) + " |";
  return line + "\n";
}

std::string block(std::size_t rank, const digest::row& one, const report_model& of) {
  std::string text = "\n### " + std::to_string(rank) + ". " +
                     code(one.command + " " + one.name_space()) + ": " +
                     std::string{label(one.what.routing)};
  if (!label(one.what.why).empty()) text += " (" + std::string{label(one.what.why)} + ")";
  text += "\n\n";
  if (const std::string state = of.against == nullptr ? "" : state_text(*of.against, one);
      !state.empty()) {
    text += "**Baseline:** " + code(state) + "\n\n";
  }
  text += fenced(one.what.shape_json, "json");
  text += "\n**Hash:** " + routing::shape_hash_text(one.shape_hash) + "\n";
  text += line("Accepted", accepted_text(one));
  text += line("Do", one.what.suggestion);
  text += callers_list(one.who);
  for (const auto& [name, fact] : run_facts(one)) {
    std::string begins_large{name};
    begins_large.front() = static_cast<char>(begins_large.front() - 'a' + 'A');
    text += line(begins_large, fact);
  }
  if (const std::string explain = digest::explain_text(one); !explain.empty()) {
    text += "\n" + fenced(explain, "js");
  }
  text += line("Cursors", of.get_mores_text(one));
  if (const std::string rule = of.accept_rule(one); !rule.empty()) {
    text += "\n" + fenced(rule, "yaml");
  }
  return text;
}

}  // namespace

std::string report_markdown(const report_model& of) {
  const digest::totals& all = of.shown().all();
  std::string text =
      "# What scatters\n\n" + with_commas(all.commands) + " " + std::string{of.unit()};
  if (of.knows_shards()) {
    text += ", " + with_commas(all.shards.wasted) + " of " + with_commas(all.shards.asked) +
            " shard requests beyond one per command";
  }
  text += ".\n\n";
  for (const std::string& one : {of.requests_text(), of.unknown_shards_text()}) {
    if (!one.empty()) text += one + ".\n\n";
  }
  if (const std::string accepted = of.accepted_text(); !accepted.empty()) {
    text += "Accepted by rules: " + accepted + ".\n\n";
  }
  if (const std::string errors = errors_text(of.shown()); !errors.empty()) {
    text += "Errors: " + code(errors) + ".\n\n";
  }
  if (of.against != nullptr && of.against->is_given())
    text += "Against the baseline: " + counts_text(*of.against) + ".\n\n";
  for (const source_facts& one : of.sources) text += "- " + code(source_text(one)) + "\n";
  const auto rows = of.ranked();
  const bool has_senders = std::ranges::any_of(
      rows, [](const digest::row* one) { return !senders_text(one->who).empty(); });
  const shown_columns columns{of.knows_shards(), of.knows_times(), has_senders};
  text += "\n" + profile_head(columns);
  const std::size_t shown = of.rows_listed(rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += profile_row(i + 1, *rows[i], all, columns);
  }
  if (const std::string further = of.further_text(rows.size(), shown); !further.empty()) {
    text += "\n" + further + ".\n";
  }
  for (std::size_t i = 0; i < shown; ++i) {
    if (has_own_block(*rows[i])) {
      text += block(i + 1, *rows[i], of);
    }
  }
  return text;
}

}  // namespace scattergate::report
