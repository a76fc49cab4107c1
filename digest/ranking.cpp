#include "digest/ranking.hpp"

#include <limits>
#include <tuple>

#include "wire/label_table.hpp"

namespace scattergate::digest {
namespace {

constexpr wire::label_table<ranking> labels{{
    {ranking::cost, "cost"},
    {ranking::time, "time"},
    {ranking::count, "count"},
    {ranking::errors, "errors"},
    {ranking::fanout, "fanout"},
    {ranking::last_seen, "last-seen"},
}};

/// The value to rank by; the least int64 if it is unknown.
std::int64_t measure(ranking by, const row& of) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  switch (by) {
    case ranking::cost:
      return 0;
    case ranking::time:
      return !of.has_times() ? least : of.total.count();
    case ranking::count:
      return number(of.count);
    case ranking::errors:
      return number(of.errors);
    case ranking::fanout:
      return of.shards.commands == 0 ? least : of.shards.most;
    case ranking::last_seen:
      return of.last_seen ? of.last_seen->time_since_epoch().count() : least;
  }
  return 0;
}

bool costs_more(const row& one, const row& other) {
  const auto rank = [](const row& of) {
    const bool is_scatter = of.what.routing == routing::routing_class::scatter_gather;
    return std::make_tuple(of.shards.wasted, is_scatter, of.total, of.count);
  };
  const auto a = rank(one);
  const auto b = rank(other);
  if (a != b) return a > b;
  const auto name = [](const row& of) {
    return std::tie(of.database, of.collection, of.command, of.shape_hash);
  };
  return name(one) < name(other);
}

}  // namespace

std::string_view label(ranking by) noexcept {
  return labels[by];
}

std::optional<ranking> ranking_named(std::string_view name) noexcept {
  return labels.find(name);
}

bool ranks_before(ranking by, const row& one, const row& other) {
  const std::int64_t a = measure(by, one);
  const std::int64_t b = measure(by, other);
  return a != b ? a > b : costs_more(one, other);
}

}  // namespace scattergate::digest
