#include "digest/breakdown.hpp"

#include <algorithm>
#include <tuple>

#include "text/utf8.hpp"

namespace scattergate::digest {
namespace {

/// The entry of by_routing that counts all of a row's commands; null if they have several
/// classes.
const std::uint64_t* only_class(const row& of) {
  const auto known = std::find(of.by_routing.begin(), of.by_routing.end(), of.count);
  return known == of.by_routing.end() ? nullptr : &*known;
}

/// Whether all of a row's commands asked the same number of shards.
bool has_one_fanout(const row& of) {
  return of.shards.commands == of.count && of.shards.asked == of.count * of.shards.most;
}

}  // namespace

void part_sums::count_in(const sighting& seen, routing::routing_class routing) {
  totals::count_in(seen, routing);
  if (!seen.duration) return;
  time = sum(time, *seen.duration);
  timed += seen.count;
  resolution = std::max(resolution, seen.resolution);
}

void part_sums::add(const part_sums& other) {
  totals::add(other);
  time = sum(time, other.time);
  timed += other.timed;
  resolution = std::max(resolution, other.resolution);
}

void part_sums::add(const row& of, std::uint64_t commands_of_it) {
  if (commands_of_it == of.count) {
    totals::add(static_cast<const counts&>(of));
    time = sum(time, of.total);
    timed += of.times.count() + of.timed_together;
    resolution = std::max(resolution, of.resolution);
    return;
  }
  commands += commands_of_it;
  if (const std::uint64_t* const known = only_class(of)) {
    by_routing[static_cast<std::size_t>(known - of.by_routing.data())] += commands_of_it;
  }
  if (has_one_fanout(of)) shards.add(of.shards.most, commands_of_it);
}

part_sums& parts_by_name::of(std::string_view name) {
  const std::string_view cut = text::cut_utf8(name, most_text);
  if (const auto known = by_name_.find(cut); known != by_name_.end()) return known->second;
  if (by_name_.size() >= most) return others_;
  return by_name_[std::string{cut}];
}

void parts_by_name::add(const parts_by_name& other) {
  for (const auto& [name, sums] : other.by_name_) of(name).add(sums);
  others_.add(other.others_);
}

std::vector<parts_by_name::part> parts_by_name::ranked() const {
  std::vector<part> sorted;
  sorted.reserve(by_name_.size());
  for (const auto& [name, sums] : by_name_) sorted.emplace_back(name, &sums);
  const auto rank = [](const part& one) {
    return std::tuple{~one.second->shards.wasted, ~one.second->commands, one.first};
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const part& a, const part& b) { return rank(a) < rank(b); });
  return sorted;
}

part_sums& parts_by_hour::of(const std::optional<wall_time>& first,
                             const std::optional<wall_time>& last) {
  if (!first || !last) return others_;
  const hour when = std::chrono::floor<std::chrono::hours>(*last);
  return std::chrono::floor<std::chrono::hours>(*first) == when ? of_hour(when) : others_;
}

part_sums& parts_by_hour::of_hour(hour when) {
  if (const auto known = by_hour_.find(when); known != by_hour_.end()) return known->second;
  return by_hour_.size() < most ? by_hour_[when] : others_;
}

void parts_by_hour::add(const parts_by_hour& other) {
  for (const auto& [when, sums] : other.by_hour_) of_hour(when).add(sums);
  others_.add(other.others_);
}

void breakdown::count_in(const row& of, const sighting& seen, routing::routing_class routing,
                         const caller& who) {
  by_hour.of(seen.first, seen.last).count_in(seen, routing);
  by_collection.of(of.name_space()).count_in(seen, routing);
  by_app.of(who.app_name).count_in(seen, routing);
  by_user.of(who.user).count_in(seen, routing);
  by_host.of(who.remote).count_in(seen, routing);
}

void breakdown::add(const row& of) {
  by_hour.of(of.first_seen, of.last_seen).add(of, of.count);
  by_collection.of(of.name_space()).add(of, of.count);
  std::uint64_t unnamed = of.count;
  for (const caller& one : of.who.all()) {
    const std::uint64_t commands = std::min(one.count, unnamed);
    unnamed -= commands;
    by_app.of(one.app_name).add(of, commands);
    by_user.of(one.user).add(of, commands);
    by_host.of(one.remote).add(of, commands);
  }
  if (unnamed == 0) return;
  for (parts_by_name* const parts : {&by_app, &by_user, &by_host}) {
    parts->of_others().add(of, unnamed);
  }
}

void breakdown::add(const table& of) {
  for (const row* one : of.ranked()) add(*one);
  add_rowless(of);
}

void breakdown::add_rowless(const table& of) {
  part_sums rowless;
  static_cast<totals&>(rowless) = of.rowless();
  if (rowless.commands == 0) return;
  by_hour.of_others().add(rowless);
  for (parts_by_name* const parts : {&by_collection, &by_app, &by_user, &by_host}) {
    parts->of_others().add(rowless);
  }
}

void breakdown::add(const breakdown& other) {
  by_hour.add(other.by_hour);
  by_collection.add(other.by_collection);
  by_app.add(other.by_app);
  by_user.add(other.by_user);
  by_host.add(other.by_host);
}

}  // namespace scattergate::digest
