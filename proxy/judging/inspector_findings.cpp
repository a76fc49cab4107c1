// The part of inspector that knows what is said of a finding.

#include "proxy/judging/comment.hpp"
#include "proxy/judging/inspector.hpp"
#include "routing/words/describe.hpp"

namespace scattergate::proxy {
namespace {

telemetry::finding_action action_of(config::rule_action action) noexcept {
  switch (action) {
    case config::rule_action::accept:
      return telemetry::finding_action::accepted;
    case config::rule_action::reject:
      return telemetry::finding_action::rejected;
    case config::rule_action::observe:
      break;
  }
  return telemetry::finding_action::observed;
}

/// Why a command is flagged: its lint where the class alone would not be.
routing::cause cause_of(const routing::verdict& verdict) noexcept {
  const bool is_lint_alone =
      verdict.lint != routing::lint_kind::none && !verdict.is_scatter_on_sharded();
  if (is_lint_alone) return verdict.lint;
  const bool is_doubted = verdict.may_touch_more && verdict.why == routing::reason::none;
  return is_doubted ? routing::reason::unreadable : verdict.why;
}

}  // namespace

void inspector::note_finding(const subject& what, const decision& decision,
                             pending_request& pending) {
  const routing::verdict& verdict = what.verdict;
  pending.is_finding = true;
  pending.action = action_of(decision.action);
  pending.finding_reason = cause_of(verdict);
  comment_text comment;
  pending.comment.assign(comment.read(what.command));
  if (decision.seen_by != nullptr) {
    remember_finding_namespace(verdict, pending);
  }
  telemetry::finding_key key;
  key.database = verdict.database;
  key.collection = verdict.collection;
  key.command = verdict.command;
  if (!what.shape) what.shape = routing::hash_shape(what.command, memory_.shape());
  if (what.shape->has_given_up) metrics_.shapes_abandoned.add();
  key.shape_hash = what.shape->hash;
  key.why = pending.finding_reason;
  key.action = pending.action;
  if (decision.rule != nullptr) key.rule = decision.rule->name;
  telemetry::fanout_view reached{ids_of_shards().get(), {}};
  if (verdict.fanout) reached.bits = verdict.fanout->words();
  if (const auto known = findings_.begin(key, reached)) {
    pending.ticket = *known;
    return;
  }
  pending.fresh = std::make_unique<telemetry::finding_details>(details_of(what, decision, key));
  if (taps_ != nullptr && !pending.is_from_stranger &&
      taps_->samples.choose_finding(verdict.command, pending.sent)) {
    taps_->samples.take(what.command, verdict, {true, what.is_abridged}, memory_.shape());
  }
}

/// That of another than the command's own, which gets its label as that does.
void inspector::remember_finding_namespace(const routing::verdict& verdict,
                                           pending_request& pending) {
  pending.finding_ns = metrics_.known(verdict.database, verdict.collection);
  if (!pending.finding_ns &&
      verdict.database.size() + verdict.collection.size() > wire::limits::max_namespace_bytes) {
    pending.finding_ns = telemetry::other_namespace;
  }
  if (pending.finding_ns) return metrics_.begin(*pending.finding_ns);
  pending.finding_name.assign(verdict.database);
  pending.finding_name.push_back('\0');
  pending.finding_name.append(verdict.collection);
}

/// Made anew only for another catalog.
const telemetry::shard_ids& inspector::ids_of_shards() {
  if (ids_are_of_ != settings_->catalog) {
    const auto ids = settings_->catalog->shards();
    ids_of_shards_ = std::make_shared<const std::vector<std::string>>(ids.begin(), ids.end());
    ids_are_of_ = settings_->catalog;
  }
  return ids_of_shards_;
}

telemetry::finding_details inspector::details_of(const subject& what, const decision& decision,
                                                 const telemetry::finding_key& key) {
  const routing::verdict& verdict = what.verdict;
  telemetry::finding_details details;
  details.database = key.database;
  details.collection = key.collection;
  details.rule = key.rule;
  details.command = key.command;
  details.shape_hash = key.shape_hash;
  details.routing = verdict.routing;
  details.bounds = verdict.bounds;
  details.why = key.why;
  details.action = key.action;
  if (decision.rule != nullptr) details.rule_why = why_of(*decision.rule);
  if (verdict.judged != nullptr)
    details.shard_key_json = routing::shard_key_json(*verdict.judged);
  details.missing = routing::missing_fields(verdict);
  details.lints = routing::lints(verdict);
  details.shape_json = what.shape->text;
  details.shards = ids_of_shards();
  if (verdict.fanout) {
    const auto bits = verdict.fanout->words();
    details.fanout.assign(bits.begin(), bits.end());
  }
  details.suggestion = routing::suggestion(verdict);
  return details;
}

}  // namespace scattergate::proxy
