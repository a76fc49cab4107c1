#include "routing/catalog/catalog.hpp"

#include <algorithm>
#include <array>

#include "routing/catalog/catalog_rules.hpp"
#include "routing/catalog/patterns.hpp"

namespace scattergate::routing {

std::string server_version::text() const {
  std::string made = std::to_string(major) + "." + std::to_string(minor);
  if (patch != unknown_patch) made += "." + std::to_string(patch);
  return made;
}

text::problem as_problem(const catalog_fault& fault) {
  text::problem made = fault.why;
  if (!fault.name_space.empty()) made.what = fault.name_space + ": " + made.what;
  return made;
}

const collection* catalog::find(std::string_view database,
                                std::string_view name) const noexcept {
  if (index_.empty()) return nullptr;
  const std::size_t mask = index_.size() - 1;  // the size is a power of two
  const wire::namespace_view sought{database, name};
  // The table is at most half full, so an empty slot ends every search.
  for (std::size_t slot = wire::seeded_hash(sought) & mask;; slot = (slot + 1) & mask) {
    if (index_[slot] == 0) return find_pattern(collections_, sought);
    const collection& entry = collections_[index_[slot] - 1];
    if (entry.ns() == sought) return &entry;
  }
}

std::int64_t time_series::rounding_of(std::int64_t max_span_seconds) noexcept {
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  constexpr std::int64_t day = 24 * hour;
  if (max_span_seconds == hour) return minute;
  if (max_span_seconds == day) return hour;
  return max_span_seconds == 30 * day ? day : max_span_seconds;
}

const collection* catalog::buckets_of(std::string_view database,
                                      std::string_view name) const noexcept {
  std::array<char, wire::limits::max_namespace_bytes> room;
  if (!has_buckets_ || name.size() + buckets_prefix.size() > room.size()) return nullptr;
  auto* end = std::ranges::copy(buckets_prefix, room.begin()).out;
  end = std::ranges::copy(name, end).out;
  return find(database, {room.data(), end});
}

std::shared_ptr<const catalog> catalog::absent() {
  auto none = std::make_shared<catalog>();
  none->absent_ = true;
  return none;
}

}  // namespace scattergate::routing
