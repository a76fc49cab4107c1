#include "telemetry/audit/finding_ledger.hpp"

#include <algorithm>
#include <utility>

namespace scattergate::telemetry {

finding_ledger::finding_ledger(std::size_t max_shapes, on_new_shape new_shape,
                               audit_totals& totals)
    : max_shapes_(max_shapes), on_new_shape_(std::move(new_shape)), totals_(totals) {
  for (const shape_scope each : {shape_scope::other, shape_scope::failed}) {
    findings_.emplace_back(std::make_unique<finding>())->details = shared_details(each);
  }
}

bool finding_ledger::add(const shape_delta& delta) {
  const std::lock_guard lock{mutex_};
  finding* known = find(*delta.details);
  if (known == nullptr && findings_.size() < max_shapes_ + shared) known = &open(delta);
  finding& to = known != nullptr ? *known : *findings_[other];
  const bool is_shared = to.details->is_shared();
  std::vector<std::uint64_t> fanout;
  if (!is_shared) fanout = delta.fanout;
  to.incoming.make_room_for(delta);
  // Nothing throws from here on.
  if (!is_shared) {
    index_.replace(*to.details, *delta.details);
    to.details = delta.details;
    to.fanout = std::move(fanout);
  }
  to.incoming.add(delta);
  count(to, delta);
  return make_first_due(to);
}

void finding_ledger::count(const finding& in, const shape_delta& delta) noexcept {
  totals_.outstanding.fetch_add(delta.count, std::memory_order_relaxed);
  if (&in == findings_[other].get()) {
    totals_.overflow.fetch_add(delta.count, std::memory_order_relaxed);
  }
}

finding_ledger::finding* finding_ledger::find(const shape_details& details) const noexcept {
  if (details.scope == shape_scope::other) return findings_[other].get();
  if (details.scope == shape_scope::failed) return findings_[failed].get();
  const auto known = index_.find(key_of(details));
  return known ? findings_[*known].get() : nullptr;
}

/// Adds an empty finding. If memory runs out later, on_new_shape_ was called nevertheless.
finding_ledger::finding& finding_ledger::open(const shape_delta& delta) {
  auto made = std::make_unique<finding>();
  made->details = delta.details;
  if (findings_.size() == findings_.capacity()) findings_.reserve(2 * findings_.size());
  std::size_t& of_shape = shapes_[delta.details->shape_hash];
  index_.insert(*delta.details, static_cast<std::uint32_t>(findings_.size()));
  try {
    if (of_shape == 0 && on_new_shape_) {
      on_new_shape_(delta.details->database, delta.details->collection);
    }
  } catch (...) {
    index_.erase(*delta.details);
    throw;
  }
  ++of_shape;
  findings_.push_back(std::move(made));
  return *findings_.back();
}

bool finding_ledger::make_first_due(finding& of) noexcept {
  of.was_added_to = true;
  if (std::exchange(of.has_been_due, true)) return false;
  push_due(of);
  return true;
}

void finding_ledger::push_due(finding& of) noexcept {
  if (std::exchange(of.is_due, true)) return;
  of.next_due = nullptr;
  (last_due_ != nullptr ? last_due_->next_due : first_due_) = &of;
  last_due_ = &of;
}

bool finding_ledger::make_due(std::span<const std::uint64_t> shape_hashes) noexcept {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = shared; i < findings_.size(); ++i) {
    finding& each = *findings_[i];
    if (std::ranges::binary_search(shape_hashes, each.details->shape_hash)) push_due(each);
  }
  return first_due_ != nullptr;
}

/// Moves a finding's incoming counts to `owed`. On bad_alloc, `incoming` keeps its counts.
void finding_ledger::take_over(finding& of) {
  if (of.incoming.count == 0) return;
  of.owed.add(of.incoming);
  of.incoming = {};
  of.owed.details = of.details;
  of.owed.fanout = std::exchange(of.fanout, {});
}

finding_ledger::finding* finding_ledger::first_due() {
  const std::lock_guard lock{mutex_};
  if (first_due_ != nullptr) take_over(*first_due_);
  return first_due_;
}

void finding_ledger::pop_due() noexcept {
  const std::lock_guard lock{mutex_};
  finding& popped = *first_due_;
  popped.is_due = false;
  first_due_ = popped.next_due;
  if (first_due_ == nullptr) last_due_ = nullptr;
}

finding_ledger::finding* finding_ledger::at(std::size_t number) {
  const std::lock_guard lock{mutex_};
  if (number >= findings_.size()) return nullptr;
  take_over(*findings_[number]);
  return findings_[number].get();
}

void finding_ledger::evict_quiet(clock::time_point now,
                                 std::chrono::nanoseconds quiet) noexcept {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = findings_.size(); i-- > shared;) {
    finding& each = *findings_[i];
    if (std::exchange(each.was_added_to, false)) each.quiet_since = now;
    const bool owes = each.incoming.count != 0 || each.owed.count != 0 || each.is_due;
    if (!owes && now - each.quiet_since >= quiet) close(i);
  }
}

/// Moves the last finding into the freed position.
void finding_ledger::close(std::size_t position) noexcept {
  const auto gone = std::move(findings_[position]);
  const shape_details& details = *gone->details;
  index_.erase(details);
  const auto shape = shapes_.find(details.shape_hash);
  if (shape != shapes_.end() && --shape->second == 0) shapes_.erase(shape);
  if (position + 1 != findings_.size()) {
    findings_[position] = std::move(findings_.back());
    index_.move(*findings_[position]->details, static_cast<std::uint32_t>(position));
  }
  findings_.pop_back();
  totals_.evicted.fetch_add(1, std::memory_order_relaxed);
}

std::size_t finding_ledger::size() const {
  const std::lock_guard lock{mutex_};
  return findings_.size();
}

}  // namespace scattergate::telemetry
