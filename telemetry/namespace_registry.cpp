#include "telemetry/namespace_registry.hpp"

#include <string>
#include <utility>

#include "telemetry/utf8.hpp"

namespace scattergate::telemetry {
namespace {

bool is_too_long(std::string_view database, std::string_view collection) noexcept {
  return database.size() > namespace_registry::max_name_bytes ||
         collection.size() > namespace_registry::max_name_bytes;
}

}  // namespace

namespace_registry::namespace_registry(std::size_t max_namespaces) : max_(max_namespaces) {
  // Also keeps a collection that is really called so from doubling the series.
  labels_.push_back({std::string{other_label}, std::string{other_label}});
  ids_.emplace(labels_.front(), other_namespace);
  size_.store(1, std::memory_order_release);
}

void namespace_registry::add_catalog(const routing::catalog& catalog) {
  const std::lock_guard lock{mutex_};
  for (const routing::collection& entry : catalog.collections()) {
    if (is_too_long(entry.database, entry.name)) continue;
    if (!insert({to_plain(entry.database), to_plain(entry.name)})) return;
  }
}

std::optional<namespace_id> namespace_registry::find(std::string_view database,
                                                     std::string_view collection) const {
  if (is_too_long(database, collection)) return std::nullopt;
  const namespace_labels pair{to_plain(database), to_plain(collection)};
  const std::lock_guard lock{mutex_};
  const auto found = ids_.find(pair);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

namespace_id namespace_registry::admit(std::string_view database, std::string_view collection) {
  std::optional<namespace_id> id;
  const bool too_long = is_too_long(database, collection);
  namespace_labels pair;
  if (!too_long) pair = {to_plain(database), to_plain(collection)};
  const std::lock_guard lock{mutex_};
  if (!too_long) id = insert(std::move(pair));
  if (!id) ++overflow_;
  return id.value_or(other_namespace);
}

std::optional<namespace_id> namespace_registry::insert(namespace_labels pair) {
  if (const auto found = ids_.find(pair); found != ids_.end()) return found->second;
  if (labels_.size() >= capacity()) return std::nullopt;
  const auto id = static_cast<namespace_id>(labels_.size());
  labels_.push_back(pair);
  ids_.emplace(std::move(pair), id);
  size_.store(labels_.size(), std::memory_order_release);
  return id;
}

namespace_registry::labels namespace_registry::labels_of(namespace_id id) const {
  const std::lock_guard lock{mutex_};
  return labels_.at(id);
}

std::uint64_t namespace_registry::overflow_count() const {
  const std::lock_guard lock{mutex_};
  return overflow_;
}

std::vector<namespace_registry::labels> namespace_registry::labels_from(
    namespace_id first) const {
  const std::lock_guard lock{mutex_};
  if (first >= labels_.size()) return {};
  return {labels_.begin() + first, labels_.end()};
}

}  // namespace scattergate::telemetry
