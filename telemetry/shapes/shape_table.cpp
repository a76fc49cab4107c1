#include "telemetry/shapes/shape_table.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "net/failing_memory.hpp"

namespace scattergate::telemetry {
namespace {

/// How many times evict_quiet() checks the places within one quiet time.
constexpr int sweeps_per_quiet_time = 16;

}  // namespace

void shape_table::entry::set_details(std::shared_ptr<const shape_details> said) {
  constexpr std::size_t bits_per_word = 64;
  if (said->shards) fanout.reserve((said->shards->size() + bits_per_word - 1) / bits_per_word);
  fanout.assign(said->fanout.begin(), said->fanout.end());
  details = std::move(said);
}

/// Stores the shards that a command reached, if they refer to the details' shard list.
void shape_table::entry::note(const fanout_view& reached) noexcept {
  if (reached.bits.size() > fanout.capacity() || reached.ids != details->shards.get()) return;
  fanout.assign(reached.bits.begin(), reached.bits.end());
}

bool shape_table::entry::is_stale(std::uint64_t now, routing::routing_class routing,
                                  std::string_view why_in_comment) const noexcept {
  return generation != now || digest::is_worse(routing, details->what.routing) ||
         (!why_in_comment.empty() && why_in_comment != details->rule_why);
}

shape_table::shape_table(std::size_t max_shapes, memory_budget& memory,
                         stranger_places* strangers)
    : max_shapes_(max_shapes), memory_(memory), strangers_(strangers) {
  for (const shape_scope each :
       {shape_scope::other, shape_scope::failed, shape_scope::rowless}) {
    add_entry(shared_details(each));
  }
}

shape_table::~shape_table() {
  for (std::size_t i = shared; i < entries_.size(); ++i) {
    if (entries_[i] != nullptr) give_up_place(*entries_[i]);
  }
}

std::optional<shape_table::ticket> shape_table::begin(const shape_key& key,
                                                      routing::routing_class routing,
                                                      const fanout_view& fanout) noexcept {
  const bool is_finding = key.action.has_value();
  const auto known = index_.find(key);
  if (known && entries_[*known]->is_stale(generation_, routing, key.why_in_comment))
    return std::nullopt;
  if (!known && !is_full(is_finding)) return std::nullopt;
  if (known && is_finding) entries_[*known]->note(fanout);
  return begin_at(known.value_or(shared_place(is_finding)));
}

shape_table::ticket shape_table::admit(shape_details details) {
  const auto known = index_.find(key_of(details));
  const bool is_finding = details.is_finding();
  const std::uint32_t otherwise = known.value_or(shared_place(is_finding));
  if (!known && is_full(is_finding)) return begin_at(otherwise);
  auto kept = keep_details(std::move(details), memory_);
  if (kept == nullptr) return begin_at(otherwise);
  if (known) return renew(*known, std::move(kept));
  ++own_[is_finding ? 1 : 0];
  return begin_at(add_own(std::move(kept)));
}

shape_table::ticket shape_table::admit_strangers(shape_details details) {
  const auto known = index_.find(key_of(details));
  // A stranger must not change the description of a known client's shape.
  if (known && !entries_[*known]->is_strangers) return begin_at(*known);
  if (known) {
    auto kept = keep_details(std::move(details), memory_);
    return kept == nullptr ? begin_at(*known) : renew(*known, std::move(kept));
  }
  if (strangers_ == nullptr || !strangers_->try_reserve()) return begin_failed();
  auto kept = keep_details(std::move(details), memory_);
  if (kept == nullptr) {
    strangers_->release();
    return begin_failed();
  }
  const std::uint32_t position = add_own(std::move(kept));
  entries_[position]->is_strangers = true;
  return begin_at(position);
}

void shape_table::make_ordinary(ticket of) noexcept {
  entry& shape = *entries_[of.place];
  if (!shape.is_strangers || is_full(true)) return;
  shape.is_strangers = false;
  strangers_->release();
  ++own_[1];
}

std::uint32_t shape_table::add_own(std::shared_ptr<const shape_details> details) {
  const std::uint32_t position = add_entry(std::move(details));
  index_.insert(*entries_[position]->details, position);
  return position;
}

void shape_table::give_up_place(const entry& of) noexcept {
  if (of.is_strangers) return strangers_->release();
  --own_[of.details->is_finding() ? 1 : 0];
}

shape_table::ticket shape_table::renew(std::uint32_t position,
                                       std::shared_ptr<const shape_details> said) {
  entry& shape = *entries_[position];
  index_.replace(*shape.details, *said);
  shape.set_details(std::move(said));
  shape.generation = generation_;
  return begin_at(position);
}

bool shape_table::complete(ticket of, const shape_ending& how, const caller_view& caller,
                           bool is_strangers) {
  entry& shape = *entries_[of.place];
  --shape.under_way;
  if (of.place == other) ++overflow_;
  if (shape.tally.is_empty()) dirty_.push_back(of.place);
  const bool has_no_place = is_strangers && of.place >= shared && !shape.is_strangers;
  shape.tally.count(how, of.place == rowless || has_no_place ? nullptr : &caller);
  return !std::exchange(shape.was_seen, true) && shape.details->is_finding();
}

void shape_table::cancel(ticket of) noexcept {
  --entries_[of.place]->under_way;
}

std::vector<shape_delta> shape_table::drain_counts(std::size_t most) {
  std::vector<shape_delta> deltas;
  deltas.reserve(std::min(most, dirty_.size()));
  while (!dirty_.empty() && deltas.size() < most) {
    entry& shape = *entries_[dirty_.back()];
    shape_delta& delta = deltas.emplace_back();
    const bool is_taken = net::done_unless_memory_fails([&] {
      delta.fanout = shape.fanout;
      static_cast<digest::counts&>(delta) = shape.tally.drain_counts();
    });
    if (!is_taken) {  // the place keeps its counts, and its position in dirty_
      deltas.pop_back();
      break;
    }
    delta.refused = shape.tally.take_refusals();
    delta.details = shape.details;
    shape.was_counted_lately = true;
    dirty_.pop_back();
  }
  if (deltas.empty() && !dirty_.empty() && most != 0) throw std::bad_alloc{};
  return deltas;
}

std::size_t shape_table::evict_quiet(clock::time_point now, std::chrono::nanoseconds quiet) {
  if (now - swept_ < quiet / sweeps_per_quiet_time) return 0;
  swept_ = now;
  std::size_t given_back = 0;
  for (std::size_t i = shared; i < entries_.size(); ++i) {
    if (entries_[i] == nullptr || !is_quiet(*entries_[i], now, quiet)) continue;
    free_.push_back(static_cast<std::uint32_t>(i));
    give_up_place(*entries_[i]);
    index_.erase(*entries_[i]->details);
    entries_[i].reset();
    ++given_back;
  }
  return given_back;
}

bool shape_table::is_quiet(entry& shape, clock::time_point now,
                           std::chrono::nanoseconds quiet) const noexcept {
  if (std::exchange(shape.was_counted_lately, false)) shape.quiet_since = now;
  return shape.tally.is_empty() && shape.under_way == 0 && now - shape.quiet_since >= quiet;
}

shape_table::ticket shape_table::begin_at(std::uint32_t position) noexcept {
  ++entries_[position]->under_way;
  return {position};
}

std::uint32_t shape_table::add_entry(std::shared_ptr<const shape_details> details) {
  auto added = std::make_unique<entry>(memory_);
  added->set_details(std::move(details));
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
