#include "report/views/report_markdown.hpp"

#include <algorithm>
#include <string_view>

#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/baseline_text.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/utf8.hpp"

namespace scattergate::report {
namespace {

using digest::percent;
using digest::with_commas;

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

/// A text from outside as a code span: the one place where Markdown makes no link of a
/// `www.`, no mention of an `@name` and no character of an `&commat;`.
std::string code(std::string_view text) {
  const std::string plain = telemetry::to_plain(text);
  if (plain.empty()) return {};
  const std::string fence(longest_run(plain) + 1, '`');
  // Markdown takes a blank on both sides away; without it a backtick at an end would join the
  // fence.
  const bool is_padded = plain.front() == '`' || plain.back() == '`' || plain.front() == ' ';
  return is_padded ? fence + " " + plain + " " + fence : fence + plain + fence;
}

/// As code(), in a cell of a table, which `|` would end even within code.
std::string code_in_cell(std::string_view text) {
  std::string cell;
  for (const char letter : code(text)) {
    if (letter == '|') cell += '\\';
    cell += letter;
  }
  return cell;
}

/// As code: fenced longer than any run of backticks in it.
std::string fenced(std::string_view text, std::string_view language) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text) + 1), '`');
  return fence + std::string{language} + "\n" + std::string{text} + "\n" + fence + "\n";
}

std::string profile_row(std::size_t rank, const digest::row& one, const digest::totals& all) {
  const bool is_known = one.shards.commands != 0;
  std::string line = "| " + std::to_string(rank) + " | ";
  line += (is_known ? percent(one.shards.wasted, all.shards.wasted) : "?") + " | ";
  line += with_commas(one.count) + " | ";
  line += (is_known ? std::to_string(one.shards.most) : "?") + " | ";
  line += (one.has_times() ? digest::duration_text(one, one.total) : "") + " | ";
  line += std::string{label(one.what.routing)} + " | " +
          code_in_cell(one.command + " " + one.name_space()) + " | " +
          routing::shape_hash_text(one.shape_hash) + " |\n";
  return line;
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
  if (!one.what.suggestion.empty()) text += "\n**Do:** " + code(one.what.suggestion) + "\n";
  if (const std::string explain = digest::explain_text(one); !explain.empty()) {
    text += "\n" + fenced(explain, "js");
  }
  if (const std::string more = of.get_mores_text(one); !more.empty()) {
    text += "\n**Read on:** " + code(more) + "\n";
  }
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
  if (!of.shows_requests()) {
    text += ", " + with_commas(all.shards.wasted) + " of " + with_commas(all.shards.asked) +
            " shard requests beyond one a command";
  }
  text += ".\n\n";
  if (const std::string requests = of.requests_text(); !requests.empty()) {
    text += requests + ".\n\n";
  }
  if (of.against != nullptr)
    text += "Against the baseline: " + counts_text(*of.against) + ".\n\n";
  text += "| rank | waste | count | shards | time | routing | command | shape |\n";
  text += "| ---: | ---: | ---: | ---: | ---: | --- | --- | --- |\n";
  const auto rows = of.ranked();
  const std::size_t shown = of.told_of(rows.size());
  for (std::size_t i = 0; i < shown; ++i) text += profile_row(i + 1, *rows[i], all);
  if (const std::uint64_t further = of.further_shapes(rows.size(), shown); further != 0) {
    text += "\nand " + with_commas(further) + " further shapes.\n";
  }
  for (std::size_t i = 0; i < shown; ++i) {
    if (is_told_apart(*rows[i])) {
      text += block(i + 1, *rows[i], of);
    }
  }
  return text;
}

}  // namespace scattergate::report
