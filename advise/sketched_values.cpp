#include "advise/sketched_values.hpp"

#include <algorithm>

#include "wire/namespace_view.hpp"

namespace scattergate::advise {
namespace {

using digest::collection_sketches;
using paths = std::vector<std::string>;

value_statistics statistics_of(const collection_sketches::content& from) {
  value_statistics made;
  if (from.requests == 0) return made;
  const auto requests = static_cast<double>(from.requests);
  made.requests = requests;
  const auto& values = from.values;
  made.cardinality = values.distinct().estimate();
  made.pinned_share = std::min(1.0, static_cast<double>(values.commonest().total()) / requests);
  for (const digest::common_value& each : values.commonest().ranked()) {
    if (made.top_shares.size() == most_common_values) break;
    made.top_shares.push_back(std::min(1.0, static_cast<double>(each.at_least()) / requests));
  }
  std::ranges::sort(made.top_shares, std::greater<>{});
  const digest::minute_shares minutes = values.minutes(0);
  if (minutes.requests != 0) {
    made.per_minute_max_share =
        static_cast<double>(minutes.hottest) / static_cast<double>(minutes.requests);
  }
  if (from.order) made.monotonicity = from.order->correlation;
  return made;
}

/// Tightens the bounds for a key (`known`) by the statistics of some of its fields (`part`).
void narrow(std::optional<value_statistics>& known, const value_statistics& part) {
  if (!known) {
    known = part;
    return;
  }
  if (part.cardinality > known->cardinality) known->cardinality = part.cardinality;
  known->pinned_share = std::min(known->pinned_share, part.pinned_share);
  if (!part.top_shares.empty() &&
      (known->top_shares.empty() || part.top_shares.front() < known->top_shares.front())) {
    known->top_shares = part.top_shares;
  }
  if (part.per_minute_max_share &&
      (!known->per_minute_max_share ||
       *part.per_minute_max_share < *known->per_minute_max_share)) {
    known->per_minute_max_share = part.per_minute_max_share;
  }
}

bool has(const paths& key, std::string_view path) {
  return std::ranges::find(key, path) != key.end();
}

std::optional<value_statistics> statistics_of(const collection_sketches& from,
                                              const paths& key) {
  std::optional<value_statistics> known;
  std::optional<double> monotonicity;  // of the first field
  std::size_t fields = 0;
  for (const auto& each : from.fields()) {
    if (!has(key, each.path)) continue;
    ++fields;
    const value_statistics of = statistics_of(each.of);
    if (each.path == key.front()) monotonicity = of.monotonicity;
    narrow(known, of);
  }
  // Nothing is known about a field without a sketch, so the key has no statistics.
  if (!known || fields != key.size()) return std::nullopt;
  for (const auto& each : from.pairs()) {
    if (has(key, each.first) && has(key, each.second)) narrow(known, statistics_of(each.of));
  }
  known->monotonicity = monotonicity;
  return known;
}

}  // namespace

statistics_source statistics_in(const collection_sketches* from) {
  if (from == nullptr) return {};
  return [from](std::string_view, const paths& key) { return statistics_of(*from, key); };
}

statistics_source statistics_in(const digest::sketch_pool& from) {
  return [&from](std::string_view name_space,
                 const paths& key) -> std::optional<value_statistics> {
    const auto name = wire::namespace_view::of(name_space);
    if (!name) return std::nullopt;
    const auto* const found = from.find(name->database, name->collection);
    return found != nullptr ? statistics_of(*found, key) : std::nullopt;
  };
}

}  // namespace scattergate::advise
