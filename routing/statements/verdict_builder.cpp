#include "routing/statements/verdict_builder.hpp"

#include <algorithm>
#include <numeric>

namespace scattergate::routing {
namespace {

bool is_sharded_class(routing_class routing) noexcept {
  return routing == routing_class::single_shard || routing == routing_class::multi_shard ||
         routing == routing_class::scatter_gather;
}

}  // namespace

/// Whether a statement affects the verdict. Statements that mongos rejects don't if it sends
/// others to shards.
bool verdict_builder::counts(const statement& one) noexcept {
  if (is_ordered_ && has_refused_) return false;
  const bool had_refused = has_refused_;
  has_refused_ |= one.refused != refusal::none;
  if (one.refused != refusal::none && !one.refused_by_shards) return !has_sent_;
  if (!has_sent_ && had_refused) forget();  // earlier statements, all rejected, no longer count
  has_sent_ = true;
  return true;
}

/// Resets to the state without counted statements.
void verdict_builder::forget() noexcept {
  count_ = 0;
  to_.bounds = bounds_kind::none;
  to_.fanout.reset();
  first_judged_ = nullptr;
  points_differ_ = sent_everywhere_ = false;
  fanout_known_ = true;
}

void verdict_builder::reject(refusal error, const collection* judged,
                             wire::namespace_view on) noexcept {
  if (to_.fanout && !to_.unrouted_fanout) to_.unrouted_fanout = to_.fanout;
  context_.touches.reject(error);
  const auto all = std::accumulate(to_.statements.begin(), to_.statements.end(), 0U);
  to_.statements = {};
  to_.statements[static_cast<std::size_t>(routing_class::unknown)] = all;
  forget();
  take_over(statement::refused_by(error, judged), on);
  to_.refused = error;
  to_.lint = lint_kind::none;
  count_ = 1;
  whole_error_ = error;
}

/// The statement `one` of a command that mongos rejects as a whole.
statement verdict_builder::as_rejected(const statement& one) const noexcept {
  statement made = one;
  made.reject(whole_error_);
  return made;
}

void verdict_builder::add(const statement& one) noexcept {
  if (whole_error_ != refusal::none && !one.is_unrouted) return add(as_rejected(one));
  if (one.is_unrouted) context_.touches.add(to_.ns(), one);
  (void)put(one, to_.ns());
}

bool verdict_builder::add(const statement& one, wire::namespace_view on) noexcept {
  if (whole_error_ != refusal::none && !one.is_unrouted) return add(as_rejected(one), on);
  context_.touches.add(on, one, static_cast<std::uint32_t>(added_));
  const bool stays = put(one, on);
  ++added_;
  return stays;
}

bool verdict_builder::put(const statement& one, wire::namespace_view on) noexcept {
  const routing_class counted = one.counted_class();
  ++to_.statements[static_cast<std::size_t>(counted)];
  if (one.refuses_batch && whole_error_ == refusal::none) reject(one.refused, one.judged, on);
  if (whole_error_ != refusal::none) return note_unrouted(one);
  if (to_.refused == refusal::none) to_.refused = one.refused;
  if (to_.lint == lint_kind::none) {
    to_.lint = one.lint;
    to_.change = one.change;
  }
  if (!counts(one)) return note_unrouted(one);
  // routing_class is in order from best to worst.
  if (count_ == 0 || counted > to_.routing) take_over(one, on);
  if (!one.is_unrouted) to_.bounds = std::max(to_.bounds, one.goes_to.bounds);
  ++count_;
  if (one.is_unrouted) return note_unrouted(one);
  return is_sharded_class(counted) && unite(one);
}

/// Adds the fan-out of a statement that mongos rejects before it chooses shards. True if the
/// verdict then refers to it.
bool verdict_builder::note_unrouted(const statement& one) noexcept {
  const auto& found = one.goes_to.fanout;
  if (!one.is_unrouted || !found) return false;
  if (to_.unrouted_fanout) {
    to_.unrouted_fanout->unite(found->words());
    return false;
  }
  to_.unrouted_fanout = found;
  return true;
}

void verdict_builder::take_over(const statement& one, wire::namespace_view on) noexcept {
  const target& found = one.goes_to;
  to_.routing = one.counted_class();
  to_.why = one.is_unrouted ? reason::refused : found.why;
  to_.missing = one.is_unrouted ? 0 : found.missing.bits();
  to_.hints = one.is_unrouted ? key_hints{} : found.hints;
  to_.deciding_statement = static_cast<std::uint32_t>(added_);
  to_.judged = one.judged;
  to_.database = on.database;
  to_.collection = on.collection;
}

/// Adds the fan-out of a statement. True if the statement is the first, whose fan-out the
/// verdict then refers to.
bool verdict_builder::unite(const statement& one) noexcept {
  const target& found = one.goes_to;
  fanout_known_ &= found.fanout.has_value();
  sent_everywhere_ |= one.sent_everywhere;
  if (first_judged_ == nullptr) {
    first_judged_ = one.judged;
    first_point_ = found.point;
    to_.fanout = found.fanout;
    return true;
  }
  const bool same_place = one.judged == first_judged_ && !found.point.empty() &&
                          !first_point_.empty() &&
                          compare_encoded(found.point, first_point_) == 0;
  points_differ_ |= !same_place;
  if (to_.fanout && found.fanout) to_.fanout->unite(found.fanout->words());
  return false;
}

void verdict_builder::finish() noexcept {
  if (count_ == 0) {
    to_.routing = routing_class::unknown;
    to_.why = reason::unreadable;
  }
  to_.is_sent = has_sent_ && whole_error_ == refusal::none;
  if (!fanout_known_) to_.fanout.reset();
  const bool is_one = as_one_ || count_ == 1;
  const bool needs_several = to_.fanout ? to_.fanout->size() > 1 : points_differ_;
  if (to_.routing == routing_class::single_shard && is_one && needs_several) {
    to_.routing = routing_class::multi_shard;
    to_.why = reason::many_values;
  }
  if (sent_everywhere_ && to_.fanout && to_.fanout->size() < context_.entries.shards().size()) {
    to_.sent_to = every_shard(context_.entries, context_.memory);
  }
  context_.touches.publish(to_, context_.memory);
  to_.widened |= context_.memory.is_exhausted();
}

}  // namespace scattergate::routing
