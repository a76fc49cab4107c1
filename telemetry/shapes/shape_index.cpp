#include "telemetry/shapes/shape_index.hpp"

#include <utility>

#include "wire/seeded_hash.hpp"

namespace scattergate::telemetry {

std::optional<std::uint32_t> shape_index::find(const shape_key& key) const noexcept {
  const auto found = positions_.find(key);
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

void shape_index::insert(const shape_details& details, std::uint32_t position) {
  positions_.emplace(key_of(details), position);
}

void shape_index::replace(const shape_details& old, const shape_details& details) {
  auto node = positions_.extract(key_of(old));
  if (node.empty()) return;
  node.key() = key_of(details);
  positions_.insert(std::move(node));
}

void shape_index::move(const shape_details& details, std::uint32_t position) {
  const auto found = positions_.find(key_of(details));
  if (found != positions_.end()) found->second = position;
}

void shape_index::erase(const shape_details& details) {
  positions_.erase(key_of(details));
}

std::size_t shape_index::hash::operator()(const shape_key& key) const noexcept {
  // The shape's hash already includes the namespace and the command.
  const std::uint64_t action = key.action ? 1 + static_cast<std::uint64_t>(*key.action) : 0;
  const std::uint64_t rest = std::uint64_t{key.why.number()} << 8U | action;
  return wire::seeded_hash(key.rule, wire::seeded_hash(key.shape_hash, rest));
}

bool shape_index::equal::operator()(const shape_key& a, const shape_key& b) const noexcept {
  return a.shape_hash == b.shape_hash && a.why == b.why && a.action == b.action &&
         a.command == b.command && a.collection == b.collection && a.database == b.database &&
         a.rule == b.rule;
}

}  // namespace scattergate::telemetry
