#include "telemetry/audit/finding_index.hpp"

#include <utility>

#include "wire/seeded_hash.hpp"

namespace scattergate::telemetry {

std::optional<std::uint32_t> finding_index::find(const finding_key& key) const noexcept {
  const auto found = positions_.find(key);
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

void finding_index::insert(const finding_details& details, std::uint32_t position) {
  positions_.emplace(key_of(details), position);
}

void finding_index::replace(const finding_details& old, const finding_details& details) {
  auto node = positions_.extract(key_of(old));
  if (node.empty()) return;
  node.key() = key_of(details);
  positions_.insert(std::move(node));
}

void finding_index::move(const finding_details& details, std::uint32_t position) {
  const auto found = positions_.find(key_of(details));
  if (found != positions_.end()) found->second = position;
}

void finding_index::erase(const finding_details& details) {
  positions_.erase(key_of(details));
}

std::size_t finding_index::hash::operator()(const finding_key& key) const noexcept {
  // The shape's hash already stands for the namespace and the command.
  const std::uint64_t rest =
      std::uint64_t{key.why.number()} << 8U | static_cast<std::uint64_t>(key.action);
  return wire::seeded_hash(key.rule, wire::seeded_hash(key.shape_hash, rest));
}

bool finding_index::equal::operator()(const finding_key& a,
                                      const finding_key& b) const noexcept {
  return a.shape_hash == b.shape_hash && a.why == b.why && a.action == b.action &&
         a.command == b.command && a.collection == b.collection && a.database == b.database &&
         a.rule == b.rule;
}

}  // namespace scattergate::telemetry
