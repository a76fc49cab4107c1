#include "advise/advisor.hpp"

#include <algorithm>
#include <map>

#include "advise/candidate_catalog.hpp"
#include "advise/collection_advisor.hpp"
#include "routing/command_kind.hpp"
#include "wire/label_table.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::advise {
namespace {

/// A collection counts as colocated if at least this share of its commands pins each of the
/// key's fields.
constexpr double least_share_beside = 0.5;

bool is_of_server(std::string_view database, std::string_view collection) {
  return wire::is_server_database(database) || collection.starts_with("system.") ||
         collection.starts_with("$cmd");
}

/// Whether advice for a collection is possible. It isn't for time series, which have their own
/// rules for keys, or if the collection's catalog entry is unreadable. `entry`: null if the
/// catalog has none.
bool takes_key(const routing::collection* entry) {
  return entry == nullptr || (!entry->is_time_series && !entry->is_unreadable);
}

/// The collection whose shard key routes a row's commands: the row's collection, or the source
/// of a view. std::nullopt if no advice is possible.
std::optional<wire::namespace_view> collection_of(const routing::catalog& catalog,
                                                  const digest::row& row) {
  if (row.collection.empty() || is_of_server(row.database, row.collection)) return std::nullopt;
  const auto kind = routing::kind_of(row.command);
  if (routing::family_of(kind) != routing::command_family::routed) return std::nullopt;
  const auto name = source_of(catalog, {row.database, row.collection});
  if (!takes_key(catalog.find(name.database, name.collection))) return std::nullopt;
  return name;
}

/// By collection and field path: the share of the collection's commands that pin the field.
using pinned_shares = std::map<std::string, std::map<std::string, double>>;

void find_neighbours(advice& in, const pinned_shares& shares) {
  for (collection_advice& one : in.collections) {
    for (candidate& each : one.candidates) {
      for (const auto& [name, fields] : shares) {
        if (name == one.name_space) continue;
        const bool pins_all =
            std::ranges::all_of(each.key, [&](const routing::key_field& field) {
              const auto found = fields.find(field.path);
              return found != fields.end() && found->second >= least_share_beside;
            });
        if (pins_all) each.colocated.push_back(name);
      }
    }
  }
}

}  // namespace

std::string_view label(jumbo_risk of) noexcept {
  static constexpr wire::label_table<jumbo_risk> labels{{
      {jumbo_risk::none, "none"},
      {jumbo_risk::low, "low"},
      {jumbo_risk::high, "high"},
      {jumbo_risk::unknown, "unknown"},
  }};
  return labels[of];
}

bool concerns(const routing::catalog& catalog, const digest::row& row,
              std::string_view name_space) {
  const auto name = collection_of(catalog, row);
  return name && name->full_name() == name_space;
}

advice advise(const evidence& from, const question& asked) {
  advice made;
  made.shards = asked.shards;
  made.version = from.catalog.version();
  std::map<std::string, collection_advisor> advisors;
  if (const auto name = wire::namespace_view::of(asked.name_space)) {
    advisors.try_emplace(name->full_name(), from, asked, *name);
  }
  for (const digest::row* one : from.table.ranked()) {
    const auto name = collection_of(from.catalog, *one);
    if (!name) continue;
    const std::string full = name->full_name();
    if (!asked.name_space.empty() && full != asked.name_space) continue;
    advisors.try_emplace(full, from, asked, *name).first->second.add(*one);
  }
  pinned_shares shares;
  for (auto& [name, each] : advisors) {
    made.collections.push_back(each.advise());
    shares.emplace(name, each.pinned_shares());
  }
  find_neighbours(made, shares);
  std::ranges::stable_sort(made.collections, std::ranges::greater{},
                           [](const collection_advice& one) { return one.wasted; });
  return made;
}

}  // namespace scattergate::advise
