#include "routing/verdict_builder.hpp"

#include <algorithm>

namespace scattergate::routing {
namespace {

bool is_sharded_class(routing_class routing) noexcept {
  return routing == routing_class::single_shard || routing == routing_class::multi_shard ||
         routing == routing_class::scatter_gather;
}

}  // namespace

void verdict_builder::add(const statement& one, std::string_view database,
                          std::string_view name) noexcept {
  ++to_.statements[static_cast<std::size_t>(one.routing)];
  // Its numbers are the order in which the worst decides.
  if (count_ == 0 || one.routing > to_.routing) take_over(one, database, name);
  to_.bounds = std::max(to_.bounds, one.bounds);
  if (to_.refused == refusal::none) to_.refused = one.refused;
  if (to_.lint == reason::none) to_.lint = one.lint;
  if (is_sharded_class(one.routing)) unite(one);
  ++count_;
}

void verdict_builder::take_over(const statement& one, std::string_view database,
                                std::string_view name) noexcept {
  to_.routing = one.routing;
  to_.why = one.why;
  to_.judged = one.judged;
  to_.missing = one.missing;
  to_.database = database;
  to_.collection = name;
}

void verdict_builder::unite(const statement& one) noexcept {
  if (first_judged_ == nullptr) {
    first_judged_ = one.judged;
    first_point_ = one.point;
    to_.fanout = one.fanout;
  } else {
    const bool same_place = one.judged == first_judged_ && !one.point.empty() &&
                            !first_point_.empty() &&
                            compare_encoded(one.point, first_point_) == 0;
    points_differ_ |= !same_place;
    if (to_.fanout && one.fanout) to_.fanout->unite(one.fanout->words());
  }
  fanout_known_ &= one.fanout.has_value();
  sent_everywhere_ |= one.sent_everywhere;
}

void verdict_builder::finish() noexcept {
  if (count_ == 0) to_.routing = routing_class::unsharded;
  if (!fanout_known_) to_.fanout.reset();
  const bool is_one = as_one_ || count_ == 1;
  const bool needs_several = to_.fanout ? to_.fanout->size() > 1 : points_differ_;
  if (to_.routing == routing_class::single_shard && is_one && needs_several) {
    to_.routing = routing_class::multi_shard;
    to_.why = reason::many_values;
  }
  if (sent_everywhere_ && to_.fanout && to_.fanout->size() < with_.entries.shards().size()) {
    const auto words = with_.memory.take<std::uint64_t>(with_.entries.shard_words());
    if (!words.empty()) {
      shard_set everywhere{words};
      everywhere.clear();
      for (std::size_t i = 0; i < with_.entries.shards().size(); ++i) everywhere.insert(i);
      to_.sent_to = everywhere;
    }
  }
  to_.widened |= with_.memory.is_exhausted();
}

}  // namespace scattergate::routing
