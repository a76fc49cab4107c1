#include "config/cluster/load_outcome.hpp"

namespace scattergate::config {
namespace {

/// The maximum number of namespaces in a load_focus. Reading everything costs less than reading
/// more of them.
constexpr std::size_t most_focused = 1'024;

}  // namespace

void load_focus::add(wire::namespace_view ns) {
  if (is_all_) return;
  if (ns.database.empty() || size_ == most_focused) {
    names_.clear();
    is_all_ = true;
    return;
  }
  const auto known = names_.find(ns.database);
  auto& of_database = known != names_.end() ? known->second : names_[std::string{ns.database}];
  if (of_database.emplace(ns.collection).second) ++size_;
}

void load_focus::add(const load_focus& other) {
  if (other.is_all_) add(wire::namespace_view{});
  for (const auto& [database, collections] : other.names_) {
    for (const auto& collection : collections) add({database, collection});
  }
}

bool load_focus::has(wire::namespace_view ns) const noexcept {
  if (is_all_) return true;
  const auto found = names_.find(ns.database);
  return found != names_.end() &&
         (found->second.contains(ns.collection) || found->second.contains(std::string_view{}));
}

bool load_focus::has_database(std::string_view name) const noexcept {
  return is_all_ || names_.contains(name);
}

}  // namespace scattergate::config
