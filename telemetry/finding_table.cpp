#include "telemetry/finding_table.hpp"

#include <algorithm>
#include <utility>

#include "telemetry/caller_slots.hpp"

namespace scattergate::telemetry {

struct finding_table::entry {
  std::shared_ptr<const finding_details> details;
  std::uint64_t count = 0;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds total{0};
  caller_slots callers;
  bool was_seen = false;
  std::uint64_t generation = 0;  // of the details
};

finding_table::finding_table(std::size_t max_shapes) : max_shapes_(max_shapes) {
  add_entry(other_finding());
}

finding_table::~finding_table() = default;

bool finding_table::contains(const finding_key& key) const noexcept {
  const auto known = index_.find(key);
  return known ? entries_[*known]->generation == generation_ : is_full();
}

finding_table::ticket finding_table::begin(const finding_key& key, const caller_view& caller) {
  return begin_at(index_.find(key).value_or(other), caller);
}

finding_table::ticket finding_table::begin_new(finding_details details,
                                               const caller_view& caller) {
  const auto known = index_.find(key_of(details));
  if (!known && is_full()) return begin_at(other, caller);
  auto kept = std::make_shared<const finding_details>(std::move(details));
  if (known) {
    entry& finding = *entries_[*known];
    index_.replace(*finding.details, *kept);
    finding.details = std::move(kept);
    finding.generation = generation_;
    return begin_at(*known, caller);
  }
  const std::uint32_t position = add_entry(std::move(kept));
  index_.insert(*entries_[position]->details, position);
  return begin_at(position, caller);
}

bool finding_table::complete(ticket of, std::chrono::nanoseconds duration) noexcept {
  entry& finding = *entries_[of.finding];
  if (of.finding == other) ++overflow_;
  if (finding.count == 0) dirty_.push_back(of.finding);
  ++finding.count;
  finding.longest = std::max(finding.longest, duration);
  finding.total += duration;
  finding.callers.complete(of.caller);
  return !std::exchange(finding.was_seen, true);
}

std::vector<finding_delta> finding_table::take() {
  std::vector<finding_delta> deltas;
  deltas.reserve(dirty_.size());
  for (const std::uint32_t position : dirty_) {
    entry& finding = *entries_[position];
    finding_delta& delta = deltas.emplace_back();
    delta.details = finding.details;
    delta.count = std::exchange(finding.count, 0);
    delta.longest = std::exchange(finding.longest, {});
    delta.total = std::exchange(finding.total, {});
    finding.callers.take(delta);
  }
  dirty_.clear();
  return deltas;
}

std::uint64_t finding_table::overflow_count() const noexcept {
  return overflow_;
}

finding_table::ticket finding_table::begin_at(std::uint32_t position,
                                              const caller_view& caller) {
  return {position, entries_[position]->callers.begin(caller)};
}

std::uint32_t finding_table::add_entry(std::shared_ptr<const finding_details> details) {
  const auto position = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(std::make_unique<entry>());
  entries_.back()->details = std::move(details);
  entries_.back()->generation = generation_;
  if (dirty_.capacity() < entries_.size()) dirty_.reserve(entries_.capacity());
  return position;
}

}  // namespace scattergate::telemetry
