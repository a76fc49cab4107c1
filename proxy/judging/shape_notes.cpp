#include "proxy/judging/shape_notes.hpp"

#include <string>
#include <vector>

#include "digest/callers.hpp"
#include "digest/judge.hpp"
#include "proxy/judging/comment.hpp"
#include "text/utf8.hpp"

namespace scattergate::proxy {

void shape_notes::note(const judged_subject& what, const decision& decided,
                       pending_request& pending, routing::scratch& memory) {
  const routing::verdict& verdict = what.verdict;
  // A report of trusted clients may judge shapes again, by a later catalog.
  if (decided.is_finding || what.in->limits.trust_clients) note_sender(what, pending);
  if (decided.is_finding) {
    note_finding(what, decided, pending);
  } else if (pending.is_from_stranger && !pending.is_on_collection) {
    pending.ticket = shapes_.begin_rowless();  // its success wouldn't make the client known
    return;
  }
  // A getMore has the hash of the command that opened its cursor.
  if (pending.shape_hash == 0 || decided.is_finding) pending.shape_hash = hash_of(what, memory);
  telemetry::shape_key key;
  key.database = verdict.database;
  key.collection = verdict.collection;
  key.command = verdict.command;
  key.shape_hash = pending.shape_hash;
  telemetry::fanout_view reached;
  if (decided.is_finding) {
    key.action = pending.action;
    key.why = pending.finding_reason;
    if (decided.rule != nullptr) key.rule = decided.rule->name;
    key.why_in_comment = decided.accepted_because;
    reached.ids = ids_of_shards(what).get();
    if (verdict.fanout) reached.bits = verdict.fanout->words();
  }
  if (const auto known = shapes_.begin(key, verdict.routing, reached)) {
    pending.ticket = *known;
    return;
  }
  pending.fresh = std::make_unique<telemetry::shape_details>(details_of(what, decided, key));
}

void shape_notes::note_finding(const judged_subject& what, const decision& decided,
                               pending_request& pending) {
  pending.is_finding = true;
  pending.action = action_of(decided);
  if (decided.rule != nullptr) pending.rule = rules_.id_of(*decided.rule);
  pending.finding_reason = finding_cause_of(what.verdict);
  if (decided.decided_in != nullptr) verdicts_.note_finding_namespace(what.verdict, pending);
}

/// Notes what tells more about the sender than the connection: the comment, and the test.
void shape_notes::note_sender(const judged_subject& what, pending_request& pending) {
  comment_text comment;
  pending.comment.assign(comment.read(what.command));
  if (!pending.comment.empty()) pending.test = digest::take_test_name(pending.comment);
  if (pending.test.empty() && what.in->tests) {
    pending.test = what.in->tests->find(what.request.connection.client.app());
  }
}

std::uint64_t shape_notes::hash_of(const judged_subject& what, routing::scratch& memory) {
  const routing::hashed_shape& shape = what.shape_by(memory);
  if (shape.has_given_up) metrics_.shapes_abandoned.add();
  return shape.hash;
}

/// The shards' names in the catalog. Rebuilds them only if the catalog has changed.
const telemetry::shard_ids& shape_notes::ids_of_shards(const judged_subject& what) {
  const auto& catalog = what.in->catalog;
  if (ids_are_of_ != catalog) {
    const auto ids = catalog->shards();
    ids_of_shards_ = std::make_shared<const std::vector<std::string>>(ids.begin(), ids.end());
    ids_are_of_ = catalog;
  }
  return ids_of_shards_;
}

telemetry::shape_details shape_notes::details_of(const judged_subject& what,
                                                 const decision& decided,
                                                 const telemetry::shape_key& key) {
  const routing::verdict& verdict = what.verdict;
  telemetry::shape_details details;
  details.database = key.database;
  details.collection = key.collection;
  details.command = key.command;
  details.shape_hash = key.shape_hash;
  // Empty for a getMore: its row has the hash of the command that opened its cursor, and the
  // text of the shape is in that command's row.
  details.what = digest::describe(verdict, what.command,
                                  what.shape ? std::string{what.shape->text} : std::string{},
                                  what.request.connection.client.as_caller({}).driver);
  details.query_shape_hash = what.query_shape_hash();
  if (!decided.is_finding) return details;
  details.what.why = key.why;
  if (verdict.is_certainly_refused()) details.refused = verdict.refused;
  details.action = key.action;
  details.rule = key.rule;
  if (decided.rule != nullptr) details.rule_why = why_of(*decided.rule);
  if (!decided.accepted_because.empty()) {
    details.rule_why = text::to_plain(decided.accepted_because);
  }
  details.shards = ids_of_shards(what);
  if (verdict.fanout) {
    const auto bits = verdict.fanout->words();
    details.fanout.assign(bits.begin(), bits.end());
  }
  return details;
}

}  // namespace scattergate::proxy
