#include "digest/row.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "digest/row_fields.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::digest {
namespace {

constexpr std::uint32_t exact_below = 64;
constexpr int kept_bits = 4;  // eight buckets per doubling

std::uint32_t least_of_class(std::uint32_t shards) noexcept {
  if (shards < exact_below) return shards;
  const int dropped = std::bit_width(shards) - kept_bits;
  return shards >> dropped << dropped;
}

void take_earlier(std::optional<wall_time>& kept,
                  const std::optional<wall_time>& other) noexcept {
  if (other && (!kept || *other < *kept)) kept = other;
}

void take_away(std::uint64_t& from, std::uint64_t count) noexcept {
  from -= std::min(from, count);
}

void take_later(std::optional<wall_time>& kept,
                const std::optional<wall_time>& other) noexcept {
  if (other && (!kept || *other > *kept)) kept = other;
}

// Merges a member by its rule in the table of fields.

void merge(merged, std::uint64_t& mine, std::uint64_t other) noexcept {
  mine += other;
}

template <std::size_t Size>
void merge(merged, std::array<std::uint64_t, Size>& mine,
           const std::array<std::uint64_t, Size>& other) noexcept {
  for (std::size_t i = 0; i < Size; ++i) mine[i] += other[i];
}

void merge(merged, shard_requests& mine, const shard_requests& other) noexcept {
  mine.add(other);
}

void merge(merged how, std::chrono::nanoseconds& mine,
           std::chrono::nanoseconds other) noexcept {
  mine = how == merged::summed ? sum(mine, other) : std::max(mine, other);
}

void merge(merged how, std::optional<wall_time>& mine,
           const std::optional<wall_time>& other) noexcept {
  how == merged::least ? take_earlier(mine, other) : take_later(mine, other);
}

}  // namespace

void fanout_counts::add(std::uint32_t shards, std::uint64_t commands) {
  if (commands == 0) return;
  const std::uint32_t least = least_of_class(shards);
  const auto at =
      std::lower_bound(counted_.begin(), counted_.end(), least,
                       [](const counted& one, std::uint32_t of) { return one.shards < of; });
  if (at != counted_.end() && at->shards == least) {
    at->commands += commands;
  } else {
    counted_.insert(at, {least, commands});
  }
}

void fanout_counts::add(const fanout_counts& other) {
  for (const counted& one : other.counted_) add(one.shards, one.commands);
}

std::chrono::nanoseconds sum(std::chrono::nanoseconds a, std::chrono::nanoseconds b) noexcept {
  constexpr auto most = std::chrono::nanoseconds::max();
  return b > most - a ? most : a + b;
}

bool is_worse(routing::routing_class one, routing::routing_class other) noexcept {
  return static_cast<unsigned>(one) > static_cast<unsigned>(other);
}

void shard_requests::add(std::uint32_t fanout, std::uint64_t times) noexcept {
  commands += times;
  asked += times * fanout;
  if (fanout > 1) wasted += times * (fanout - 1);
  most = std::max(most, fanout);
}

void shard_requests::add(const shard_requests& other) noexcept {
  commands += other.commands;
  asked += other.asked;
  wasted += other.wasted;
  most = std::max(most, other.most);
}

void shard_requests::subtract(const shard_requests& earlier) noexcept {
  take_away(commands, earlier.commands);
  take_away(asked, earlier.asked);
  take_away(wasted, earlier.wasted);
}

std::optional<std::uint64_t> known_waste(
    std::uint64_t commands,
    std::span<const std::uint64_t, routing::routing_class_count> by_routing,
    std::uint64_t known, std::uint64_t wasted) noexcept {
  using enum routing::routing_class;
  const std::uint64_t not_sharded = by_routing[static_cast<std::size_t>(unsharded)];
  const std::uint64_t routed = commands - by_routing[static_cast<std::size_t>(not_routed)];
  const bool is_none_routed = routed == 0 && commands != 0;
  if (known == 0 && (routed > not_sharded || is_none_routed)) return std::nullopt;
  return wasted;
}

std::optional<std::uint64_t> counts::known_waste() const noexcept {
  return digest::known_waste(count, by_routing, shards.commands, shards.wasted);
}

std::string row::name_space() const {
  return wire::namespace_view{database, collection}.full_name();
}

void counts::count_in(const sighting& seen, routing::routing_class routing) {
  count += seen.count;
  errors += seen.errors;
  by_routing[static_cast<std::size_t>(routing)] += seen.count;
  if (seen.fanout) shards.add(*seen.fanout, seen.count);
  if (seen.duration && seen.count != 0) {
    const auto each = *seen.duration / static_cast<std::int64_t>(seen.count);
    total = sum(total, *seen.duration);
    longest = std::max({longest, seen.longest, each});
    resolution = std::max(resolution, seen.resolution);
    if (seen.count == 1) {
      times.add(each);
    } else {
      timed_together += seen.count;
    }
  }
  take_earlier(first_seen, seen.first);
  take_later(last_seen, seen.last);
}

void counts::add(const counts& other) {
  make_room_for(other);
  add_sums(other);
  times.add(other.times);
  who.add(other.who);
}

void counts::make_room_for(const counts& other) {
  times.make_room_for(other.times);
  who.make_room_for(other.who);
}

void counts::add_plainly(const counts& other) noexcept {
  add_sums(other);
  who.add_others(other.who.count());
}

void counts::add_sums(const counts& other) noexcept {
  each_member_of<counts>([&](const auto& field) {
    using type = typename std::remove_cvref_t<decltype(field)>::type;
    constexpr bool allocates =
        std::is_same_v<type, as::histogram> || std::is_same_v<type, as::callers>;
    if constexpr (!allocates) merge(field.how, field.in(*this), field.in(other));
  });
}

void counts::subtract(const counts& earlier) noexcept {
  take_away(count, earlier.count);
  take_away(errors, earlier.errors);
  for (std::size_t i = 0; i < by_routing.size(); ++i) {
    take_away(by_routing[i], earlier.by_routing[i]);
  }
  shards.subtract(earlier.shards);
  total -= std::min(total, earlier.total);
  times.subtract(earlier.times);
  take_away(timed_together, earlier.timed_together);
  take_later(first_seen, earlier.last_seen);
  who.subtract(earlier.who);
}

void row::replace_if_worse(const description& candidate) {
  if (!is_worse(candidate.routing, what.routing) && !what.shape_json.empty()) return;
  description copy = candidate;  // on bad_alloc the old description stays
  what = std::move(copy);
}

void row::add(const row& other) {
  replace_if_worse(other.what);
  if (query_shape_hash.empty()) query_shape_hash = other.query_shape_hash;
  fanout_counts all_fanouts = fanouts;
  all_fanouts.add(other.fanouts);
  execution all_runs = run;
  all_runs.add(other.run);
  counts::add(other);
  // Nothing throws from here on.
  error_bound += other.error_bound;
  fanouts = std::move(all_fanouts);
  run = std::move(all_runs);
}

}  // namespace scattergate::digest
