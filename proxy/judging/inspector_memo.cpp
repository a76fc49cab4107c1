// The part of inspector that judges nothing twice.

#include "proxy/judging/inspector.hpp"
#include "proxy/judging/trace.hpp"
#include "routing/pattern/pattern_writer.hpp"

namespace scattergate::proxy {
namespace {

/// Whether commands of the same finding may reach other shards than this one.
bool may_reach_others(const routing::verdict& verdict) noexcept {
  return verdict.fanout && verdict.bounds != routing::bounds_kind::full;
}

}  // namespace

/// Takes a message for what others like it were judged to be.
inspection inspector::recall(const verdict_memo::entry& known, const request_view& request) {
  auto pending = accounting_.take();
  static_cast<judgement&>(*pending) = known.what;
  if (known.use != nullptr) known.use->set();
  metrics_.begin(*pending->ns);
  if (pending->finding_ns) metrics_.begin(*pending->finding_ns);
  pending->ticket = shapes_.begin_again(known.shape);
  pending->awaits = request.header.request_id;
  pending->sent = request.now;
  pending->is_counted = true;
  pending->is_from_stranger = request.connection.client.is_stranger();
  if (pending->is_finding || pending->routing == routing::routing_class::scatter_gather ||
      is_tapped(*pending)) {
    pending->trace = trace_of(request.header, request.bytes);
  }
  metrics_.observe_inspect(timer_.stop());
  return {disposition::forward, std::move(pending)};
}

void inspector::keep(const arrival& came, const subject& what, const decision& decided,
                     const pending_request& pending) {
  // A namespace without a label may get one with the reply, and a shape its place; a caller's
  // comment is audited, and the shards that the last command reached; a stranger's kinds don't
  // take the room of others'.
  const auto message = what.request.bytes;
  if (came.parsed == nullptr || !pending.ns || pending.fresh != nullptr ||
      pending.is_from_stranger || settings_->rules.depends_on_more_than_command() ||
      rule_counts_.has_dry_runs() || !pending.finding_name.empty() ||
      (decided.is_finding &&
       (may_reach_others(what.verdict) || wire::find_field(what.command.body, "comment"))) ||
      !memo_.accepts(message)) {
    return;
  }
  // Nor do literals count for a rule that asks what MongoDB calls the shape: that hash, too, is
  // made of what a pattern keeps (query_shape_filter.cpp), and its catalog is this one.
  routing::pattern like;
  if (routing::write_pattern(*came.parsed, message, what.verdict, *settings_->catalog, like)) {
    // It belongs to the catalog, with which the memo is forgotten.
    routing::use_mark* const use =
        what.verdict.judged != nullptr ? what.verdict.judged->use.get() : nullptr;
    memo_.keep(message, like, {pending, pending.ticket, use});
  }
}

}  // namespace scattergate::proxy
