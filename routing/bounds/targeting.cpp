#include "routing/bounds/targeting.hpp"

#include <algorithm>

#include "wire/work_budget.hpp"

namespace scattergate::routing {

namespace {

const interval& first_of(const interval_set& set) noexcept {
  return set.intervals().front();
}
const interval& last_of(const interval_set& set) noexcept {
  return set.intervals().back();
}

/// One end of a range of whole keys. For each range, only the part from the varying field on is
/// rewritten.
class key_end {
 public:
  explicit key_end(std::span<std::byte> room) noexcept : room_(room) {}

  void append(bytes_view value) noexcept {
    std::ranges::copy(value, room_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += value.size();
  }
  /// Removes everything after the first `size` bytes.
  void cut(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bytes_view view() const noexcept { return room_.first(size_); }

 private:
  std::span<std::byte> room_;
  std::size_t size_ = 0;
};

/// The maximum size of an end of a range, in bytes.
std::size_t longest_end(std::span<const interval_set> fields) noexcept {
  std::size_t bytes = 0;
  for (const interval_set& set : fields) {
    std::size_t longest = 0;
    for (const interval& one : set.intervals()) {
      longest = std::max({longest, one.low.size(), one.high.size()});
    }
    bytes += longest;
  }
  return bytes;
}

/// Same as add_owners_of(), for a key of one field, whose intervals are the ranges.
void add_intervals(const interval_set& set, const chunk_map& chunks, bool with_end,
                   shard_set& to) noexcept {
  for (const interval& one : set.intervals()) {
    if (!with_end && is_end_of_all(one.low, 1)) continue;
    chunks.add_owners(one.low, one.high, to);
    if (to.size() == chunks.owner_count()) return;
  }
}

}  // namespace

bytes_view point_of(std::span<const interval_set> fields, scratch& memory) noexcept {
  if (fields.size() == 1) return first_of(fields[0]).low;
  const auto room = memory.allocate<std::byte>(longest_end(fields));
  if (room.empty()) return {};
  key_end key{room};
  for (const interval_set& set : fields) key.append(first_of(set).low);
  return key.view();
}

bool is_end_of_all(bytes_view key, std::size_t fields) noexcept {
  return key.size() == fields && std::ranges::all_of(key, [](std::byte each) {
           return each == encoded_max_key().front();
         });
}

// Example: the key {a: 1, b: 1, c: 1} with the bounds a [5, 5], b [1, 2], [7, 7] and
// c [0, 0], [9, 9]. The first field that isn't one point is b: `varying`. Each of its intervals
// gives one range. c contributes only its first low end and its last high end, so a range may
// cover more than the bounds:
//
//   from {5, 1, 0} to {5, 2, 9}
//   from {5, 7, 0} to {5, 7, 9}
bool add_owners_of(std::span<const interval_set> fields, const chunk_map& chunks, bool with_end,
                   shard_set& to, scratch& memory) noexcept {
  if (fields.size() == 1) {
    add_intervals(fields[0], chunks, with_end, to);
    return true;
  }
  const auto varying = std::ranges::find_if_not(fields, &interval_set::is_one_point);
  const auto at = static_cast<std::size_t>(varying - fields.begin());
  const std::size_t bytes = longest_end(fields);
  const auto low_room = memory.allocate<std::byte>(bytes);
  const auto high_room = memory.allocate<std::byte>(bytes);
  if (low_room.empty() || high_room.empty()) return false;

  key_end low{low_room};
  key_end high{high_room};
  for (const interval_set& set : fields.first(at)) {
    low.append(first_of(set).low);
    high.append(first_of(set).high);
  }
  if (at == fields.size()) {
    chunks.add_owners(low.view(), high.view(), to);
    return true;
  }
  const std::size_t prefix = low.size();
  for (const interval& one : fields[at].intervals()) {
    low.cut(prefix);
    high.cut(prefix);
    low.append(one.low);
    high.append(one.high);
    for (const interval_set& set : fields.subspan(at + 1)) {
      low.append(first_of(set).low);
      high.append(last_of(set).high);
    }
    if (!with_end && is_end_of_all(low.view(), fields.size())) continue;
    chunks.add_owners(low.view(), high.view(), to);
    if (to.size() == chunks.owner_count()) break;
  }
  return true;
}

namespace {

using wire::bson_type;
using wire::element;

/// An empty set of shards; std::nullopt if chunks are unknown or the scratch memory is
/// exhausted.
std::optional<shard_set> no_shards(const collection& on, scratch& memory) noexcept {
  if (on.chunks.is_empty()) return std::nullopt;
  const auto words = memory.allocate<std::uint64_t>(on.chunks.all_owners().size());
  if (words.empty()) return std::nullopt;
  shard_set made{words};
  made.clear();
  return made;
}

/// Whether no field in a document or array, at any depth, has a name that begins with $ (except
/// references: $ref, $id, $db). False if it is nested too deeply to examine: mongos then uses
/// its bounds.
bool is_storable_inside(const element& value, std::uint32_t depth,
                        wire::work_budget& work) noexcept {
  const auto inner = value.as_container();
  if (!inner || depth == 0) return !inner;
  wire::metered_reader reader{*inner, work};
  for (element field; reader.next(field);) {
    const std::string_view name = field.key();
    const bool is_reference = name == "$ref" || name == "$id" || name == "$db";
    if (name.starts_with('$') && !is_reference) return false;
    const bool nests = field.is_document() || field.is_array();
    if (nests && !is_storable_inside(field, depth - 1, work)) return false;
  }
  return !reader.is_corrupt();
}

/// Whether mongos accepts `value` as the value of a key field when it looks for a pinned key
/// (mongo: ShardKeyPattern::isValidShardKeyElementForStorage). It doesn't accept a document
/// with an operator in it.
bool is_storable(const element& value, wire::work_budget& work) noexcept {
  if (value.is_document()) {
    return is_storable_inside(value, wire::limits::inspect_depth, work);
  }
  return !value.is_array() && value.type() != bson_type::regex &&
         value.type() != bson_type::undefined;
}

/// Whether mongos accepts a pinned value under a collation that isn't simple. It doesn't accept
/// a hash, which may be that of a string, except for a findAndModify. 4.4 accepts it, because
/// it looks only at the hash, which is a number (mongo: s/chunk_manager.cpp,
/// findIntersectingChunk, bypassIsFieldHashedCheck; cluster_find_and_modify_cmd.cpp at 009489e,
/// targetSingleShard).
bool is_place_under_collation(const filter_walk& walk, std::size_t field) noexcept {
  if (!walk.target().key[field].hashed) return !is_collatable(walk.pins().values[field].type());
  return walk.rules().trusts_hashes || is_like_4_4(walk.rules().version);
}

/// Whether the collation prevents mongos from using the pinned value of a field.
bool is_voided(const filter_walk& walk, std::size_t field) noexcept {
  return !walk.rules().simple_collation && !is_place_under_collation(walk, field);
}

bool pins_full_key(const filter_walk& walk, wire::work_budget& work) noexcept {
  const key_pins& pins = walk.pins();
  const std::size_t fields = walk.target().key.size();
  if (pins.is_void || pins.pinned != key_field_set::first(fields)) return false;
  for (std::size_t i = 0; i < fields; ++i) {
    if (!is_storable(pins.values[i], work) || is_voided(walk, i)) return false;
  }
  return true;
}

/// The operator because of which mongos computes no bounds for the filter: $text, and before
/// 7.0 $near (mongo: chunk_manager.cpp, getIndexBoundsForQuery).
key_hints::blocker blocker_in(const filter_walk& walk) noexcept {
  if (walk.facts().has_text) return key_hints::blocker::text;
  const bool does_near_block = walk.rules().version < server_version{7, 0};
  return does_near_block && walk.facts().has_near ? key_hints::blocker::near
                                                  : key_hints::blocker::none;
}

/// Whether an empty `$in` keeps the filter from matching any document.
bool is_never_by_empty_list(const filter_walk& walk) noexcept {
  const filter_facts& facts = walk.facts();
  return facts.needs_empty_list ||
         (facts.has_empty_list && walk.may_match_nothing() && !facts.may_be_false);
}

key_hints hints_of(const filter_walk& walk, const target& found,
                   wire::work_budget& work) noexcept {
  key_hints made;
  made.cause = found.why;
  made.blocked_by = blocker_in(walk);
  made.has_collation = !walk.rules().simple_collation;
  key_field_set pinned;
  key_field_set voided;
  for (std::size_t i = 0; i < walk.target().key.size(); ++i) {
    if (!walk.pins().pinned.contains(i) || !is_storable(walk.pins().values[i], work)) continue;
    (is_voided(walk, i) ? voided : pinned).insert(i);
  }
  made.pinned = pinned.bits();
  made.voided = voided.bits();
  return made;
}

/// Why the bounds cover the whole key space.
reason reason_for_full(const filter_walk& walk, const key_bounds& bounds) noexcept {
  const filter_facts& facts = walk.facts();
  if ((facts.has_text || facts.has_near) && !bounds.named.is_empty()) {
    return reason::not_indexable;
  }
  if (is_never_by_empty_list(walk)) return reason::not_indexable;
  if (facts.or_lost_leading) return reason::unbounded_or;
  if (bounds.named.contains(0)) {
    return facts.leading_cause == reason::none ? reason::not_indexable : facts.leading_cause;
  }
  const bool later_bounded = std::ranges::any_of(
      bounds.fields, [](const interval_set& set) { return !set.is_full(); });
  return later_bounded ? reason::not_prefix : reason::missing_key;
}

/// Why narrowed bounds are more than one point: the reason for the first field that isn't one
/// point.
reason reason_for_narrowed(const key_bounds& bounds) noexcept {
  for (const interval_set& set : bounds.fields) {
    if (set.is_one_point()) continue;
    if (set.is_full()) return reason::partial_key;
    return set.is_all_points() ? reason::many_values : reason::range;
  }
  return reason::none;
}

target full_target(const filter_walk& walk, const key_bounds& bounds,
                   scratch& memory) noexcept {
  target found;
  found.routing = routing_class::scatter_gather;
  found.bounds = bounds_kind::full;
  found.why = reason_for_full(walk, bounds);
  // The key's first field is the cause, even if the filter has a predicate on it.
  found.missing = key_field_set::first(bounds.fields.size()).without(bounds.named);
  found.missing.insert(0);
  found.fanout = all_owners(walk.target(), memory);
  return found;
}

/// Whether all fields of the key are MaxKey.
bool is_at_end(bytes_view key, const filter_walk& walk) noexcept {
  return is_end_of_all(key, walk.target().key.size());
}

/// Whether no chunk contains the key, because all its fields are MaxKey.
bool is_behind_all(bytes_view key, const filter_walk& walk) noexcept {
  return !last_chunk_has_end(walk.rules().version) && is_at_end(key, walk);
}

/// Whether the version's patch level isn't known, and may be one whose last chunk excludes
/// MaxKey.
bool may_lack_end(const filter_walk& walk) noexcept {
  return walk.rules().version == server_version{5, 0};
}

/// Whether all ranges begin at MaxKey in all fields. In the sources of later versions, no chunk
/// overlaps such a range either, so mongos asks the first chunk's owner
/// (_overlappingVectorSlotBounds); if it does find the last chunk, it asks that chunk's owner.
bool begins_at_end(const key_bounds& bounds, const filter_walk& walk,
                   scratch& memory) noexcept {
  if (!is_end_of_all(bounds.fields[0].intervals().front().low, 1)) return false;
  return is_at_end(point_of(bounds.fields, memory), walk);
}

/// Charges the work of looking up each interval among the chunks, counting the shards, and
/// examining the other fields.
void pay_for_owners(const key_bounds& bounds, const std::optional<shard_set>& shards,
                    wire::work_budget& work) noexcept {
  const std::size_t words = shards ? shards->words().size() : 0;
  for (const interval_set& set : bounds.fields) {
    work.charge((2 * interval_units + words) * set.intervals().size());
  }
}

/// The target if an index on the key supports the filter, but the key's first field is
/// unbounded. The range covers the whole key; the other fields' bounds only move its ends.
target full_but_for(const filter_walk& walk, const key_bounds& bounds, target found) noexcept {
  found.routing = routing_class::scatter_gather;
  found.bounds = bounds_kind::full;
  found.why = reason_for_full(walk, bounds);
  found.missing.insert(0);
  return found;
}

target narrowed_target(const filter_walk& walk, const key_bounds& bounds,
                       scratch& memory) noexcept {
  const collection& on = walk.target();
  target found;
  found.bounds = bounds_kind::narrowed;
  found.why = reason_for_narrowed(bounds);
  found.missing = key_field_set::first(bounds.fields.size()).without(bounds.named);
  found.fanout = no_shards(on, memory);
  pay_for_owners(bounds, found.fanout, memory.work());
  const bool with_end = last_chunk_has_end(walk.rules().version);
  if (found.fanout &&
      !add_owners_of(bounds.fields, on.chunks, with_end, *found.fanout, memory)) {
    found.fanout->unite(on.chunks.all_owners());
  }
  found.asks_one_of_fanout = begins_at_end(bounds, walk, memory);
  const bool may_match_nothing =
      found.asks_one_of_fanout || (found.fanout && found.fanout->size() == 0);
  if (found.fanout && may_match_nothing) found.fanout->insert(on.chunks.owner(0));
  if (bounds.fields[0].is_full()) return full_but_for(walk, bounds, found);
  const std::size_t shards = found.fanout ? found.fanout->size() : 0;
  const bool everyone = !found.fanout || shards == on.chunks.owner_count();
  if (bounds.is_complement(0) && everyone) {
    found.routing = routing_class::scatter_gather;
    found.why = reason::negation;
  } else if (shards == 1) {
    found.routing = routing_class::single_shard;
    found.why = reason::none;
  } else {
    found.routing = routing_class::multi_shard;
  }
  return found;
}

/// Whether mongos asks only the first chunk's owner for a filter of which it knows that no
/// document matches. Earlier versions made a plan without bounds, which asked all shards
/// (mongo: s/shard_key_pattern_query_util.cpp, collapseQuerySolution: 8.0 is from before
/// SERVER-84547; db/global_catalog/shard_key_pattern_query_util.cpp at 01e0c87, flattenBounds).
bool sees_nothing(const filter_walk& walk) noexcept {
  return walk.rules().version >= server_version{8, 2} && !walk.facts().may_be_false;
}

/// Adds the first chunk's owner, which mongos may ask instead of the others.
void add_first_owner(target& found, const collection& on) noexcept {
  if (!found.fanout) return;
  found.asks_one_of_fanout |= found.fanout->size() == 1;
  found.fanout->insert(on.chunks.owner(0));
  if (found.fanout->size() > 1) found.routing = routing_class::multi_shard;
}

/// Whether the branches of an $or that mongos keeps may all match nothing.
bool may_leave_empty(const filter_walk& walk) noexcept {
  return walk.facts().has_empty_branch && walk.may_lose_branches();
}

/// A target of all shards, because it isn't known which of them mongos asks.
target doubted_target(filter_walk& walk, scratch& memory) noexcept {
  target found = full_target(walk, walk.finish(), memory);
  found.may_match_nothing = true;
  return found;
}

target find_target(filter_walk& walk, scratch& memory) noexcept {
  const collection& on = walk.target();
  if (walk.is_unfinished()) (void)walk.finish();  // it may find a fault
  if (pins_full_key(walk, memory.work())) {
    const bytes_view key = encode_key(walk.pins().values, on, memory);
    if (!key.empty() && !is_behind_all(key, walk)) {
      target found = target_of_key(on, key, memory);
      const bool lacks_end = may_lack_end(walk) && is_at_end(key, walk);
      if (walk.may_pin_otherwise()) return doubted_target(walk, memory);
      if (lacks_end || may_leave_empty(walk)) add_first_owner(found, on);
      return found;
    }
  }
  const key_bounds& bounds = walk.finish();
  if (bounds.is_false && sees_nothing(walk)) return first_owner(on, memory);  // SERVER-84547
  const bool no_room = bounds.fields.empty();
  if (no_room || !walk.uses_index() || blocker_in(walk) != key_hints::blocker::none) {
    return full_target(walk, bounds, memory);
  }
  if (walk.may_pin_otherwise()) return doubted_target(walk, memory);
  if (std::ranges::any_of(bounds.fields, &interval_set::is_empty)) {
    return first_owner(on, memory);  // SERVER-4914
  }
  if (std::ranges::all_of(bounds.fields, &interval_set::is_one_point)) {
    const bytes_view key = point_of(bounds.fields, memory);
    if (is_behind_all(key, walk)) return first_owner(on, memory);
    if (!key.empty()) {
      target found = target_of_key(on, key, memory);
      found.is_pinned = false;
      if (is_at_end(key, walk) || may_leave_empty(walk)) add_first_owner(found, on);
      return found;
    }
  }
  target found = narrowed_target(walk, bounds, memory);
  if (may_leave_empty(walk)) add_first_owner(found, on);
  return found;
}

}  // namespace

std::optional<shard_set> all_owners(const collection& on, scratch& memory) noexcept {
  auto made = no_shards(on, memory);
  if (made) made->unite(on.chunks.all_owners());
  return made;
}

target first_owner(const collection& on, scratch& memory) noexcept {
  target found;
  found.routing = routing_class::single_shard;
  found.bounds = bounds_kind::narrowed;
  found.fanout = no_shards(on, memory);
  if (found.fanout) found.fanout->insert(on.chunks.owner(0));
  return found;
}

bytes_view encode_key(std::span<const element> values, const collection& on,
                      scratch& memory) noexcept {
  bytes_view key;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bytes_view next = encode_for(values[i], on.key[i].hashed, memory);
    if (next.empty()) return {};
    // Allocations of bytes in the scratch memory are contiguous.
    if (!key.empty() && key.data() + key.size() != next.data()) return {};
    key = key.empty() ? next : bytes_view{key.data(), key.size() + next.size()};
  }
  return key;
}

target target_of_key(const collection& on, bytes_view key, scratch& memory) noexcept {
  target found;
  found.routing = routing_class::single_shard;
  found.bounds = bounds_kind::point;
  found.is_pinned = true;
  found.point = key;
  found.fanout = no_shards(on, memory);
  if (found.fanout) found.fanout->insert(on.chunks.owner(on.chunks.chunk_of(key)));
  return found;
}

target target_of(filter_walk& walk, scratch& memory) noexcept {
  target found = find_target(walk, memory);
  if (!found.is_pinned) found.hints = hints_of(walk, found, memory.work());
  return found;
}

}  // namespace scattergate::routing
