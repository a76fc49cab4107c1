#include "telemetry/history/collection_table.hpp"

#include <algorithm>
#include <tuple>

#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::chrono::hours quiet_time{24};

/// A collection whose names are longer than this together gets no entry of its own (MongoDB
/// allows 255 bytes).
constexpr std::size_t max_name_bytes = 512;

command_counts counts_of(counted_as as, const digest::counts& several,
                         const refusals& refused) noexcept {
  command_counts made;
  if (as == counted_as::accepted) {
    made.of[command_counts::accepted] = several.count;
  } else if (as == counted_as::get_more) {
    made.of[command_counts::get_more] = several.count;
  } else {
    std::ranges::copy(several.by_routing, made.of.begin());
  }
  if (as == counted_as::finding) {
    constexpr auto scatter = static_cast<std::size_t>(routing::routing_class::scatter_gather);
    made.of[command_counts::findings] = several.count;
    made.of[command_counts::refused] = refused.all;
    made.of[command_counts::scattering] = several.by_routing[scatter] - refused.scatters;
  }
  made.of[command_counts::errors] = several.errors;
  made.of[command_counts::wasted] = several.shards.wasted;
  made.of[command_counts::fanout_known] = several.shards.commands;
  return made;
}

void widen(collection_sums& sums, const std::optional<digest::wall_time>& first,
           const std::optional<digest::wall_time>& last) noexcept {
  if (first && (!sums.first_seen || *first < *sums.first_seen)) sums.first_seen = first;
  if (last && (!sums.last_seen || *last > *sums.last_seen)) sums.last_seen = last;
}

/// REQUIRES: make_room_for() has allocated memory for the durations.
void add_to(collection_sums& sums, const command_counts& made, const digest::counts& several,
            digest::wall_time now) {
  sums.counts.add(made);
  sums.recent.add(made, now);
  sums.total += several.total;
  sums.longest = std::max(sums.longest, several.longest);
  sums.times.add(several.times);
  widen(sums, several.first_seen, several.last_seen);
}

}  // namespace

void collection_sums::add(const collection_sums& other) {
  counts.add(other.counts);
  sampled.add(other.sampled);
  total += other.total;
  longest = std::max(longest, other.longest);
  times.add(other.times);
  widen(*this, other.first_seen, other.last_seen);
}

std::size_t collection_table::hash::operator()(const key& of) const noexcept {
  return wire::seeded_hash(wire::namespace_view{of.first, of.second});
}

collection_sums& collection_table::sums_of(std::string_view database, std::string_view name) {
  const auto known = collections_.find({database, name});
  if (known != collections_.end()) return *known->second;
  if (collections_.size() == most || database.size() + name.size() > max_name_bytes) {
    return others_;
  }
  auto made = std::make_unique<collection>();
  made->database = database;
  made->name = name;
  const key of{made->database, made->name};
  return *collections_.emplace(of, std::move(made)).first->second;
}

void collection_table::count(std::string_view database, std::string_view name, counted_as as,
                             const digest::counts& several, wall_time now,
                             const refusals& refused) {
  count_in(sums_of(database, name), as, several, now, refused);
}

void collection_table::count_elsewhere(counted_as as, const digest::counts& several,
                                       wall_time now, const refusals& refused) {
  count_in(others_, as, several, now, refused);
}

/// Allocates first: on bad_alloc nothing has changed.
void collection_table::count_in(collection_sums& sums, counted_as as,
                                const digest::counts& several, wall_time now,
                                const refusals& refused) {
  const command_counts made = counts_of(as, several, refused);
  sums.times.make_room_for(several.times);
  all_.times.make_room_for(several.times);
  sums.version = all_.version = ++version_;
  for (collection_sums* const each : {&sums, &all_}) add_to(*each, made, several, now);
}

void collection_table::sample(wall_time now, history& into) {
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - sampled_at_);
  const bool is_first = sampled_at_ == wall_time{} || passed.count() < 0;
  const double left = is_first ? 1 : history::decay_of_busy(passed);
  sampled_at_ = is_first ? now : sampled_at_ + passed;  // keeps the fraction of a second
  for (const auto& [name, each] : collections_) each->busy *= left;
  into.advance(now);
  into.add_others(others_.counts.since(others_.sampled));
  others_.sampled = others_.counts;
  for (const auto& [name, each] : collections_) {
    const command_counts come = each->counts.since(each->sampled);
    const double busy = each->busy + static_cast<double>(come.commands());
    into.add({name.first, name.second, come, busy});
    each->busy = busy;
    each->sampled = each->counts;
  }
  give_up_quiet(now);
}

/// Evicts quiet collections: their counts move to the shared entry. The history keeps its own
/// copy.
void collection_table::give_up_quiet(wall_time now) {
  std::erase_if(collections_, [&](const auto& one) {
    const collection& each = *one.second;
    if (each.last_seen && now - *each.last_seen < quiet_time) return false;
    others_.times.make_room_for(each.times);
    others_.add(each);
    return true;
  });
}

std::vector<const collection_table::collection*> collection_table::ranked() const {
  std::vector<const collection*> all;
  all.reserve(collections_.size());
  for (const auto& [name, each] : collections_) all.push_back(each.get());
  const auto rank = [](const collection* one) {
    const command_counts& counts = one->counts;
    return std::tuple{counts.of[command_counts::wasted], counts.of[command_counts::findings],
                      counts.commands()};
  };
  std::ranges::sort(all, [&](const collection* a, const collection* b) {
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    return std::tie(a->database, a->name) < std::tie(b->database, b->name);
  });
  return all;
}

}  // namespace scattergate::telemetry
