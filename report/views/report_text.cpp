#include "report/views/report_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "report/views/execution_text.hpp"
#include "routing/shape/shape.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

using digest::percent;
using digest::with_commas;

using text::time_text;

class text_report : terminal_lines {
 public:
  text_report(const report_model& of, const text_style& style)
      : terminal_lines(style), of_(of), has_times_(of.knows_times()) {}

  [[nodiscard]] std::string whole() {
    if (of_.has_findings_alone) return findings();
    head();
    const auto rows = of_.ranked();
    profile(rows);
    for (std::size_t i = 0; i < of_.rows_listed(rows.size()); ++i) {
      if (has_own_block(*rows[i])) block(i + 1, *rows[i]);
    }
    absent();
    return take();
  }

 private:
  /// The output of a gate: no profile, no times and no explain commands. A line per accepted
  /// finding.
  std::string findings() {
    if (of_.against != nullptr && of_.against->is_given()) {
      strong("against the baseline: " + counts_text(*of_.against));
    }
    std::size_t rank = 0;
    for (const digest::row* one : of_.ranked()) {
      if (of_.state_of(*one) == baseline_state::accepted) {
        accepted_line(*one);
      } else {
        block(++rank, *one);
      }
    }
    absent();
    if (!empty()) line("");
    return take();
  }

  [[nodiscard]] static std::string cut(const std::string& text, std::size_t width) {
    if (text.size() <= width) return text;
    return std::string{text::cut_utf8(text, width - 3)} + "...";
  }

  void head();
  void sources();
  void truth_lines();
  void absent();
  void accepted_line(const digest::row& one) {
    line(cut(routing::shape_hash_text(one.shape_hash) + "  " + state_text(*of_.against, one) +
                 "  " + digest::one_line(one),
             std::max<std::size_t>(style().width, 100)));
  }
  void profile(const std::vector<const digest::row*>& rows);
  void profile_row(std::size_t rank, const digest::row& one);
  [[nodiscard]] std::string columns(const std::string& rank, const std::string& waste,
                                    const std::string& count, const std::string& shards,
                                    const std::string& time) const;
  void block(std::size_t rank, const digest::row& one);
  void block_callers(const digest::callers& who);
  void field(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    std::array<char, 24> label{};
    std::snprintf(label.data(), label.size(), "  %-14.*s ", static_cast<int>(name.size()),
                  name.data());
    line(label.data() + value);
  }

  const report_model& of_;
  const bool has_times_;
};

void text_report::head() {
  const digest::totals& all = of_.shown().all();
  std::string commands = with_commas(all.commands) + " " + std::string{of_.unit()};
  if (all.from && all.to) commands += ", " + time_text(*all.from) + " to " + time_text(*all.to);
  strong(commands);
  for (std::size_t i = all.by_routing.size(); i-- > 0;) {
    if (all.by_routing[i] == 0) continue;
    field(label(static_cast<routing::routing_class>(i)),
          with_commas(all.by_routing[i]) + "  " + percent(all.by_routing[i], all.commands));
  }
  if (all.shards.asked != 0) {
    line("  " + with_commas(all.shards.asked) + " shard requests, " +
         with_commas(all.shards.wasted) + " of them (" +
         percent(all.shards.wasted, all.shards.asked) + ") beyond one per command");
  }
  if (const std::string errors = errors_text(of_.shown()); !errors.empty()) {
    line("  errors: " + errors);
  }
  for (const std::string& text : {of_.requests_text(), of_.unknown_shards_text()}) {
    if (!text.empty()) line("  " + text);
  }
  if (const std::string text = of_.accepted_text(); !text.empty()) {
    line("  accepted by rules: " + text);
  }
  sources();
  truth_lines();
  if (of_.against != nullptr && of_.against->is_given()) {
    line("  against the baseline: " + counts_text(*of_.against));
  }
}

void text_report::sources() {
  for (const source_facts& one : of_.sources) {
    line("  " + source_text(one));
  }
}

/// Baseline entries that weren't seen.
void text_report::absent() {
  if (of_.against == nullptr || of_.against->absent().empty()) return;
  line("");
  strong("Accepted, and not seen:");
  std::size_t listed = 0;
  for (const config::accepted_shape* one : of_.against->absent()) {
    if (listed++ == default_rows) break;
    const std::string text =
        routing::shape_hash_text(one->shape_hash) + "  " + digest::one_line(row_of(*one));
    line("  " + cut(text, style().width - 2));
  }
}

void text_report::truth_lines() {
  const truth& held = of_.truth;
  if (held.compared == 0) return;
  line("  mongos logged the number of shards for " + with_commas(held.compared) +
       " of them: " + with_commas(held.agreed) + " (" + percent(held.agreed, held.compared) +
       ") as predicted");
  // The most expensive shapes come first; JSON lists more.
  constexpr std::size_t most_listed = 5;
  std::size_t listed = 0;
  for (const disagreement& one : held.disagreements) {
    if (listed++ == most_listed) {
      line("    and other shapes");
      break;
    }
    line("    " + with_commas(one.count) + " x " + one.command + " " + one.name_space + " " +
         routing::shape_hash_text(one.shape_hash) + ": " + std::to_string(one.predicted) +
         " predicted, " + std::to_string(one.actual) + " asked");
  }
}

void text_report::profile(const std::vector<const digest::row*>& rows) {
  line("");
  strong(columns("rank", "waste", "count", "shards", "time") + "shape");
  const std::size_t listed = of_.rows_listed(rows.size());
  for (std::size_t i = 0; i < listed; ++i) profile_row(i + 1, *rows[i]);
  if (const std::string further = of_.further_text(rows.size(), listed); !further.empty()) {
    line("       " + further);
  }
}

/// The beginning of a line of the profile, with the columns that have values.
std::string text_report::columns(const std::string& rank, const std::string& waste,
                                 const std::string& count, const std::string& shards,
                                 const std::string& time) const {
  std::string line;
  const auto add = [&line](const std::string& text, std::size_t width) {
    if (!line.empty()) line += ' ';
    line.append(width - std::min(width, text.size()), ' ').append(text);
  };
  add(rank, 4);
  if (of_.knows_shards()) add(waste, 7);
  add(count, 11);
  if (of_.knows_shards()) add(shards, 7);
  if (has_times_) add(time, 10);
  return line + "  ";
}

void text_report::profile_row(std::size_t rank, const digest::row& one) {
  const auto [waste, count, shards, time] = numbers_of(one, of_.shown().all());
  const std::string left =
      columns(std::to_string(rank), waste, count, shards, time.empty() ? "-" : time);
  const std::size_t room = style().width > left.size() + 20 ? style().width - left.size() : 20;
  line(left +
       cut((digest::is_accepted(one) ? "accepted: " : "") + digest::one_line(one), room));
}

void text_report::block_callers(const digest::callers& who) {
  for (const digest::caller& one : who.ranked()) {
    std::string text = with_commas(one.count) + " x";
    if (digest::caller_text(one).empty()) continue;
    for (const auto& [name, value] :
         {std::pair{"app", &one.app_name}, std::pair{"user", &one.user},
          std::pair{"from", &one.remote}, std::pair{"comment", &one.comment},
          std::pair{"during test", &one.test}}) {
      if (!value->empty()) text += std::string{" "} + name + " " + *value;
    }
    field("sent by", text);
  }
  if (who.others() != 0) field("sent by", with_commas(who.others()) + " x others");
}

void text_report::block(std::size_t rank, const digest::row& one) {
  line("");
  strong("#" + std::to_string(rank) + "  " + one.command + " " + one.name_space() + "  " +
         std::string{label(one.what.routing)} +
         (label(one.what.why).empty() ? "" : " (" + std::string{label(one.what.why)} + ")"));
  if (of_.against != nullptr) field("baseline", state_text(*of_.against, one));
  field("accepted", accepted_text(one));
  field("shape", one.what.shape_json);
  field("hash", routing::shape_hash_text(one.shape_hash));
  field("shard key", one.what.shard_key_json);
  field("statement", digest::statement_text(one));
  field("missing", digest::missing_text(one));
  field("do", one.what.suggestion);
  block_callers(one.who);
  if (of_.has_findings_alone) {
    field("to accept", of_.accept_rule(one));
    return;
  }
  field("cursors", of_.get_mores_text(one));
  for (const auto& [name, text] : run_facts(one)) field(name, text);
  if (one.first_seen && one.last_seen) {
    field("seen", time_text(*one.first_seen) + " to " + time_text(*one.last_seen));
  }
  field("explain", digest::explain_text(one));
  field("accept", of_.accept_rule(one));
}

}  // namespace

std::string report_text(const report_model& of, const text_style& style) {
  return text_report{of, style}.whole();
}

}  // namespace scattergate::report
