#include "sim/targeting/targeting.hpp"

#include <algorithm>

#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

/// Adds the owners of everything that the bounds cover. The first field that isn't a point
/// gives the ranges; later fields only move their ends (mongo: ShardKeyPattern::flattenBounds).
void add_owners(const key_bounds& bounds, const chunk_map& chunks, bool with_end,
                std::set<shard_index>& out) {
  const auto is_one_point = [](const value_set& each) {
    return each.is_points() && each.parts().size() == 1;
  };
  const auto several = std::ranges::find_if_not(bounds, is_one_point);
  const std::size_t owners = chunks.owners().size();
  const std::vector<interval> whole(1);
  for (const interval& range : several == bounds.end() ? whole : several->parts()) {
    array from;
    array to;
    for (const value_set& each : bounds) {
      const bool is_range = several != bounds.end() && &each == &*several;
      from.push_back(is_range ? range.from : each.parts().front().from);
      to.push_back(is_range ? range.to : each.parts().back().to);
    }
    chunks.add_owners(from, to, with_end, out);
    if (out.size() == owners) return;
  }
}

/// The owner for a plain equality on the key. Under a collation, one on a string has none.
std::optional<shard_index> pinned_owner(const filter_node& filter, const shard_key& key,
                                        const chunk_map& chunks, const targeting_terms& terms) {
  auto position = pinned_values(filter, key);
  if (!position) return std::nullopt;
  for (std::size_t i = 0; i < position->size(); ++i) {
    value& each = (*position)[i];
    const bool is_hashed = key.parts()[i].is_hashed;
    // Any hash may come from a string (mongo: chunk_manager.cpp, findIntersectingChunk); up to
    // 5.0 that is ignored.
    const bool may_be_collated =
        is_hashed ? terms.rules.sees_collated_hashes : is_collated(each);
    if (!terms.compares_simply && may_be_collated) return std::nullopt;
    if (is_hashed) each = key_hash(each);
  }
  return chunks.owner_of(*position, terms.rules.has_end_in_last_chunk);
}

}  // namespace

target target_of(const filter_node& filter, const shard_key& key, const chunk_map& chunks,
                 const targeting_terms& terms) {
  const filter_node read = simplified(filter, terms.rules);
  if (const auto owner = pinned_owner(read, key, chunks, terms)) {
    return {{*owner}, true};
  }
  const auto bounds = bounds_of_key(read, key, terms);
  const bool is_never = terms.rules.plans_nothing && read.kind == filter_kind::always_false;
  if (!bounds && !is_never) return {chunks.owners(), false};
  target out;
  if (bounds && std::ranges::none_of(*bounds, &value_set::is_empty)) {
    add_owners(*bounds, chunks, terms.rules.has_end_in_last_chunk, out.shards);
  }
  // If nothing can match, one shard is still asked.
  if (out.shards.empty()) out.shards.insert(chunks.all().front().owner);
  return out;
}

std::optional<value> exact_id_of(const filter_node& filter, const targeting_rules& rules) {
  static const shard_key by_id{document{{"_id", std::int32_t{1}}}};
  const auto id = pinned_values(simplified(filter, rules), by_id);
  return id ? std::optional{id->front()} : std::nullopt;
}

bool has_exact_id(const filter_node& filter, bool collates_alike,
                  const targeting_rules& rules) {
  const auto id = exact_id_of(filter, rules);
  return id && (collates_alike || !is_collated(*id));
}

}  // namespace scattergate::sim
