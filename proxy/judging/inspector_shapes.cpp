// The part of inspector that knows what is said of a shape, and of a finding.

#include "digest/describe.hpp"
#include "proxy/judging/comment.hpp"
#include "proxy/judging/inspector.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "text/utf8.hpp"

namespace scattergate::proxy {

void inspector::note_shape(const subject& what, const decision& decision,
                           pending_request& pending) {
  const routing::verdict& verdict = what.verdict;
  if (decision.is_finding) {
    note_finding(what, decision, pending);
  } else if (pending.is_from_stranger && !pending.is_on_collection) {
    pending.ticket = shapes_.begin_rowless();  // nothing will speak for it
    return;
  }
  // A getMore has that of what opened its cursor.
  if (pending.shape_hash == 0 || decision.is_finding) pending.shape_hash = hash_of(what);
  telemetry::shape_key key;
  key.database = verdict.database;
  key.collection = verdict.collection;
  key.command = verdict.command;
  key.shape_hash = pending.shape_hash;
  telemetry::fanout_view reached;
  if (decision.is_finding) {
    key.action = pending.action;
    key.why = pending.finding_reason;
    if (decision.rule != nullptr) key.rule = decision.rule->name;
    key.why_in_comment = decision.accepted_because;
    reached.ids = ids_of_shards().get();
    if (verdict.fanout) reached.bits = verdict.fanout->words();
  }
  if (const auto known = shapes_.begin(key, verdict.routing, reached)) {
    pending.ticket = *known;
    return;
  }
  pending.fresh = std::make_unique<telemetry::shape_details>(details_of(what, decision, key));
  if (decision.is_finding && taps_ != nullptr && !pending.is_from_stranger &&
      taps_->samples.choose_finding(verdict.command, pending.sent)) {
    taps_->samples.take(what.command, verdict, {true, what.is_abridged, pending.trace},
                        memory_.shape());
  }
}

void inspector::note_finding(const subject& what, const decision& decision,
                             pending_request& pending) {
  pending.is_finding = true;
  pending.action = action_of(decision);
  if (decision.rule != nullptr) pending.rule = rule_counts_.id_of(*decision.rule);
  pending.finding_reason = cause_of(what.verdict);
  comment_text comment;
  pending.comment.assign(comment.read(what.command));
  if (decision.seen_by != nullptr) remember_finding_namespace(what.verdict, pending);
}

std::uint64_t inspector::hash_of(const subject& what) {
  if (!what.shape) what.shape = routing::hash_shape(what.command, memory_.shape());
  if (what.shape->has_given_up) metrics_.shapes_abandoned.add();
  return what.shape->hash;
}

/// The one thing here that allocates for a command that isn't new, where a rule asks for it.
const std::string& inspector::query_shape_of(const subject& what) const {
  if (!what.query_shape) {
    what.query_shape = what.is_abridged
                           ? std::string{}
                           : routing::query_shape_hash(what.command, *settings_->catalog);
  }
  return *what.query_shape;
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

telemetry::shape_details inspector::details_of(const subject& what, const decision& decision,
                                               const telemetry::shape_key& key) {
  const routing::verdict& verdict = what.verdict;
  telemetry::shape_details details;
  details.database = key.database;
  details.collection = key.collection;
  details.command = key.command;
  details.shape_hash = key.shape_hash;
  // A getMore has the shape of what opened its cursor, whose text its own row has.
  details.what = digest::describe(verdict, what.command,
                                  what.shape ? std::string{what.shape->text} : std::string{});
  details.query_shape_hash = query_shape_of(what);
  if (!decision.is_finding) return details;
  details.what.why = key.why;
  details.action = key.action;
  details.rule = key.rule;
  if (decision.rule != nullptr) details.rule_why = why_of(*decision.rule);
  if (!decision.accepted_because.empty()) {
    details.rule_why = text::to_plain(decision.accepted_because);
  }
  details.shards = ids_of_shards();
  if (verdict.fanout) {
    const auto bits = verdict.fanout->words();
    details.fanout.assign(bits.begin(), bits.end());
  }
  return details;
}

}  // namespace scattergate::proxy
