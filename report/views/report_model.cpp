#include "report/views/report_model.hpp"

#include <algorithm>

#include "digest/finding.hpp"
#include "digest/number_text.hpp"
#include "digest/words.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string counted(std::uint64_t count, const std::string& one, const char* many) {
  return with_commas(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::vector<const digest::row*> report_model::ranked() const {
  auto rows = every_row_ranked();
  if (has_findings_alone)
    std::erase_if(rows, [](const auto* one) { return !digest::is_finding(*one); });
  return rows;
}

std::vector<const digest::row*> report_model::every_row_ranked() const {
  auto rows = shown().ranked(by);
  if (by == digest::ranking::cost) {
    const auto others = std::stable_partition(
        rows.begin(), rows.end(),
        [](const digest::row* one) { return digest::can_be_finding(*one); });
    std::stable_partition(rows.begin(), others,
                          [](const digest::row* one) { return !digest::is_accepted(*one); });
  }
  if (against == nullptr) return rows;
  std::stable_partition(rows.begin(), rows.end(), [this](const digest::row* one) {
    const baseline_state state = state_of(*one);
    return state == baseline_state::is_new || state == baseline_state::expired;
  });
  return rows;
}

bool has_own_block(const digest::row& one) noexcept {
  return digest::is_refused(one) || (one.what.routing >= routing::routing_class::multi_shard &&
                                     digest::can_be_finding(one));
}

std::string report_model::accept_rule(const digest::row& one) const {
  if (sender() != digest::sent_by::client) return {};
  const auto reader = has_findings_alone ? digest::rule_for::gate : digest::rule_for::proxy;
  return digest::accept_rule(one, reader);
}

const digest::row* report_model::get_mores_of(const digest::row& one) const noexcept {
  return one.command == "getMore"
             ? nullptr
             : shown().find({one.database, one.collection, "getMore", one.shape_hash});
}

std::string report_model::get_mores_text(const digest::row& one) const {
  const digest::row* const more = get_mores_of(one);
  if (more == nullptr) return {};
  std::string text = counted(more->count, "getMore", "getMores");
  if (more->shards.commands != 0) {
    text += ", which asked " + counted(more->shards.asked, "shard", "shards");
  }
  if (more->has_times()) text += ", in " + digest::duration_text(*more, more->total);
  return text;
}

std::string report_model::further_text(std::size_t rows, std::size_t listed) const {
  const std::uint64_t further = further_shapes(rows, listed);
  if (further == 0) return {};
  return (shown().evicted_rows() == 0 ? "and " : "and up to ") +
         counted(further, "further shape", "further shapes");
}

std::uint64_t scatters_of(const digest::totals& of) noexcept {
  return of.by_routing[static_cast<std::size_t>(routing::routing_class::scatter_gather)];
}

std::string_view first_in_words(digest::ranking by) noexcept {
  switch (by) {
    case digest::ranking::cost:
      return "the costliest";
    case digest::ranking::time:
      return "those that took the most time";
    case digest::ranking::count:
      return "the most frequent";
    case digest::ranking::errors:
      return "those that failed most";
    case digest::ranking::fanout:
      return "those that ask the most shards";
    case digest::ranking::last_seen:
      return "the latest";
  }
  return {};
}

namespace {

/// A source's contribution, as text; not every source counts single commands.
std::string observations_text(const source_facts& of) {
  const std::uint64_t count = of.tally.observations;
  switch (of.kind) {
    case source_kind::audit:
      return with_commas(count) + " commands in " + counted(of.tally.rows, "line", "lines");
    case source_kind::query_stats:
      return with_commas(count) + " entries";
    case source_kind::state:
    case source_kind::report:
      return with_commas(count) + " commands in " + counted(of.tally.rows, "shape", "shapes");
    default:
      break;
  }
  const std::uint64_t requests = of.tally.shard_requests;
  std::string text;
  if (requests != 0) text = counted(requests, "shard request", "shard requests");
  if (requests != 0 && requests != count) text += " and ";
  if (requests != count || count == 0) text += counted(count - requests, "command", "commands");
  return text;
}

}  // namespace

std::optional<double> report_model::missing_share() const noexcept {
  double missing = 0;
  double bytes = 0;
  for (const source_facts& one : sources) {
    if (!one.missing_share) continue;
    missing += *one.missing_share * static_cast<double>(one.bytes);
    bytes += static_cast<double>(one.bytes);
  }
  return bytes == 0 ? std::nullopt : std::optional{missing / bytes};
}

std::string report_model::requests_text() const {
  if (!has_requests()) return {};
  if (shows_requests()) {
    const std::uint64_t others = table.all().commands;
    const std::string without_shard =
        others == 0
            ? ""
            : "; in addition, " + counted(others, "command", "commands") + " to no shard";
    return "as logged by shards, one per shard that a command asked; the number of commands "
           "isn't known" +
           without_shard;
  }
  return "in addition, shards logged " +
         counted(shard_requests->all().commands, "shard request", "shard requests") + " of " +
         counted(shard_requests->size(), "shape", "shapes") +
         ": not commands, and not in these counts";
}

std::string report_model::accepted_text() const {
  std::uint64_t findings = 0;
  std::uint64_t commands = 0;
  for (const digest::row* one : shown().ranked()) {
    findings += digest::is_accepted(*one) ? 1 : 0;
    commands += digest::accepted_count(*one);
  }
  if (commands == 0) return {};
  return counted(findings, "finding", "findings") + ", " +
         counted(commands, "command", "commands");
}

bool report_model::knows_times() const {
  return std::ranges::any_of(shown().ranked(),
                             [](const digest::row* one) { return one->has_times(); });
}

std::string report_model::unknown_shards_text() const {
  if (shows_requests()) return {};  // requests_text() says it
  bool is_any_unknown = false;
  bool is_any_sharded = false;
  for (const digest::row* one : shown().ranked()) {
    const auto routing = one->what.routing;
    if (one->shards.commands != 0 || routing == routing::routing_class::not_routed) continue;
    is_any_unknown = true;
    is_any_sharded = is_any_sharded || routing != routing::routing_class::unsharded;
  }
  if (!is_any_unknown) return {};
  const std::string which = knows_shards() ? "Waste and shards are unknown (?) for some shapes"
                                           : "Waste and shards are unknown";
  std::string why = "; by the catalog, these collections aren't sharded";
  if (catalog.empty()) {
    why =
        ", and it can't be predicted without a catalog that has the collection's chunks "
        "(--catalog)";
  } else if (is_any_sharded) {
    why =
        ", and it can't be predicted without the collection's chunks (pass a --catalog that "
        "has them)";
  }
  return which + ": the source doesn't log how many shards a command asked" + why;
}

std::string source_text(const source_facts& of) {
  std::string text =
      of.name + " (" + std::string{label(of.kind)} + "): " + observations_text(of);
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    if (of.tally.skipped[i] == 0) continue;
    text += ", " + with_commas(of.tally.skipped[i]) + " " +
            std::string{label(static_cast<skip_reason>(i))};
  }
  if (of.problem) text += "; the rest was not read: " + to_string(*of.problem);
  if (!of.note.empty()) text += "; " + of.note;
  return text;
}

text::problem problem_of(const source_facts& of) {
  std::string what = to_string(*of.problem);
  if (of.tally.observations != 0) what += "; reported up to there: " + observations_text(of);
  return {of.name, std::move(what)};
}

}  // namespace scattergate::report
