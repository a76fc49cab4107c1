#include "routing/statements/verdict_builder.hpp"

#include <algorithm>

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

void verdict_builder::refuse_all(const statement& one, wire::namespace_view on) noexcept {
  forget();
  take_over(one, on);
  to_.refused = one.refused;
  to_.lint = lint_kind::none;
  count_ = 1;
  is_refused_ = true;
}

bool verdict_builder::put(const statement& one, wire::namespace_view on) noexcept {
  ++to_.statements[static_cast<std::size_t>(one.goes_to.routing)];
  if (one.refuses_batch && !is_refused_) refuse_all(one, on);
  if (is_refused_) return false;
  if (to_.refused == refusal::none) to_.refused = one.refused;
  if (to_.lint == lint_kind::none) to_.lint = one.lint;
  if (!counts(one)) return false;
  // routing_class is in order from best to worst.
  if (count_ == 0 || one.goes_to.routing > to_.routing) take_over(one, on);
  to_.bounds = std::max(to_.bounds, one.goes_to.bounds);
  ++count_;
  return is_sharded_class(one.goes_to.routing) && unite(one);
}

void verdict_builder::take_over(const statement& one, wire::namespace_view on) noexcept {
  to_.routing = one.goes_to.routing;
  to_.why = one.goes_to.why;
  to_.missing = one.goes_to.missing.bits();
  to_.hints = one.goes_to.hints;
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
  to_.is_sent = has_sent_ && !is_refused_;
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
