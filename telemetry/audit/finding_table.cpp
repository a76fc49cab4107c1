#include "telemetry/audit/finding_table.hpp"

#include <algorithm>
#include <utility>

#include "telemetry/audit/caller_slots.hpp"

namespace scattergate::telemetry {
namespace {

/// How many times within the quiet time its end is looked for.
constexpr int sweeps_per_quiet_time = 16;

}  // namespace

struct finding_table::entry {
  explicit entry(memory_budget& memory) noexcept : callers(memory) {}

  void take(std::shared_ptr<const finding_details> said) {
    constexpr std::size_t bits_per_word = 64;
    if (said->shards)
      fanout.reserve((said->shards->size() + bits_per_word - 1) / bits_per_word);
    fanout.assign(said->fanout.begin(), said->fanout.end());
    details = std::move(said);
  }

  /// What a command reached, where it is told of the same shards as the details.
  void note(const fanout_view& reached) noexcept {
    if (reached.bits.size() > fanout.capacity() || reached.ids != details->shards.get()) return;
    fanout.assign(reached.bits.begin(), reached.bits.end());
  }

  std::shared_ptr<const finding_details> details;
  std::vector<std::uint64_t> fanout;  // of the last command; has room for one of any
  std::uint64_t count = 0;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds total{0};
  caller_slots callers;
  std::uint64_t generation = 0;  // of the details
  std::uint32_t under_way = 0;   // tickets that neither were completed nor cancelled
  bool was_seen = false;
  bool was_counted_lately = true;  // since the last sweep
  clock::time_point quiet_since;
};

finding_table::finding_table(std::size_t max_shapes, memory_budget& memory)
    : max_shapes_(max_shapes), memory_(memory) {
  add_entry(shared_finding(finding_scope::other));
  add_entry(shared_finding(finding_scope::failed));
}

finding_table::~finding_table() = default;

std::optional<finding_table::ticket> finding_table::begin(const finding_key& key,
                                                          const fanout_view& fanout) noexcept {
  const auto known = index_.find(key);
  if (known && entries_[*known]->generation != generation_) return std::nullopt;
  if (!known && !is_full()) return std::nullopt;
  if (known) entries_[*known]->note(fanout);
  return begin_at(known.value_or(other));
}

finding_table::ticket finding_table::begin_again(ticket of) noexcept {
  return begin_at(of.finding);
}

finding_table::ticket finding_table::admit(finding_details details) {
  const auto known = index_.find(key_of(details));
  if (!known && is_full()) return begin_at(other);
  auto kept = keep_details(std::move(details), memory_);
  if (kept == nullptr) return begin_at(known.value_or(other));
  if (known) {
    entry& finding = *entries_[*known];
    index_.replace(*finding.details, *kept);
    finding.take(std::move(kept));
    finding.generation = generation_;
    return begin_at(*known);
  }
  const std::uint32_t position = add_entry(std::move(kept));
  index_.insert(*entries_[position]->details, position);
  return begin_at(position);
}

bool finding_table::complete(ticket of, std::chrono::nanoseconds duration,
                             const caller_view& caller) {
  entry& finding = *entries_[of.finding];
  --finding.under_way;
  if (of.finding == other) ++overflow_;
  if (finding.count == 0) dirty_.push_back(of.finding);
  ++finding.count;
  finding.longest = std::max(finding.longest, duration);
  finding.total += duration;
  finding.was_counted_lately = true;
  finding.callers.count(caller);
  return !std::exchange(finding.was_seen, true);
}

void finding_table::cancel(ticket of) noexcept {
  --entries_[of.finding]->under_way;
}

std::vector<finding_delta> finding_table::take(std::size_t most) {
  std::vector<finding_delta> deltas;
  deltas.reserve(std::min(most, dirty_.size()));
  while (!dirty_.empty() && deltas.size() < most) {
    entry& finding = *entries_[dirty_.back()];
    dirty_.pop_back();
    finding_delta& delta = deltas.emplace_back();
    delta.details = finding.details;
    delta.fanout = finding.fanout;
    delta.count = std::exchange(finding.count, 0);
    delta.longest = std::exchange(finding.longest, {});
    delta.total = std::exchange(finding.total, {});
    finding.callers.take(delta);
  }
  return deltas;
}

std::size_t finding_table::give_back_quiet(clock::time_point now,
                                           std::chrono::nanoseconds quiet) {
  if (now - swept_ < quiet / sweeps_per_quiet_time) return 0;
  swept_ = now;
  std::size_t given_back = 0;
  for (std::size_t i = shared; i < entries_.size(); ++i) {
    if (entries_[i] == nullptr || !is_quiet(*entries_[i], now, quiet)) continue;
    free_.push_back(static_cast<std::uint32_t>(i));
    index_.erase(*entries_[i]->details);
    entries_[i].reset();
    ++given_back;
  }
  return given_back;
}

bool finding_table::is_quiet(entry& finding, clock::time_point now,
                             std::chrono::nanoseconds quiet) const noexcept {
  if (std::exchange(finding.was_counted_lately, false)) finding.quiet_since = now;
  return finding.count == 0 && finding.under_way == 0 && now - finding.quiet_since >= quiet;
}

std::uint64_t finding_table::overflow_count() const noexcept {
  return overflow_;
}

finding_table::ticket finding_table::begin_at(std::uint32_t position) noexcept {
  ++entries_[position]->under_way;
  return {position};
}

std::uint32_t finding_table::add_entry(std::shared_ptr<const finding_details> details) {
  auto added = std::make_unique<entry>(memory_);
  added->take(std::move(details));
  added->generation = generation_;
  if (!free_.empty()) {
    const std::uint32_t position = free_.back();
    free_.pop_back();
    entries_[position] = std::move(added);
    return position;
  }
  entries_.push_back(std::move(added));
  if (dirty_.capacity() < entries_.size()) dirty_.reserve(entries_.capacity());
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

}  // namespace scattergate::telemetry
