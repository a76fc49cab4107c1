#include "config/cluster/chunk_set.hpp"

#include <algorithm>
#include <span>

#include "routing/keys/key_encoding.hpp"

namespace scattergate::config {
namespace {

using routing::collection;

routing::bytes_view encoded_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

text::result<std::string> encode(const collection& of, wire::document_view bound) {
  std::vector<std::byte> bytes;
  auto wrong = routing::append_bound(of, bound, bytes);
  if (wrong) return text::failure(*std::move(wrong));
  return std::string{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The memory of a chunk in a set: its tree node, and its bounds if they are long.
std::size_t chunk_memory(const std::string& min, const std::string& max) {
  constexpr std::size_t node_bytes = 144;
  return node_bytes + min.size() + max.size();
}

/// The encoding of a key whose fields are all `end`: MinKey or MaxKey.
std::string end_of_all(const collection& of, routing::bytes_view end) {
  return std::string(of.key.size(), static_cast<char>(end.front()));
}

}  // namespace

std::uint32_t chunk_set::number_of(std::string_view shard) {
  const auto number = std::ranges::find(shards_, shard) - shards_.begin();
  if (number == std::ssize(shards_)) {
    shards_.emplace_back(shard);
    memory_bytes_ += sizeof(std::string) + shard.size();
  }
  return static_cast<std::uint32_t>(number);
}

text::result<chunk_update> read_update(const collection& of, const chunk_record& from) {
  auto min = encode(of, from.min);
  if (!min) return min.error();
  auto max = encode(of, from.max);
  if (!max) return max.error();
  if (*min >= *max) return text::failure("has a min that isn't below its max");
  return chunk_update{*std::move(min), *std::move(max), std::string{from.shard}, from.version};
}

void chunk_set::merge(std::vector<chunk_update> updates) {
  std::ranges::stable_sort(updates, {}, &chunk_update::version);
  for (chunk_update& one : updates) merge_one(std::move(one));
}

void chunk_set::merge_one(chunk_update update) {
  auto from = chunks_.lower_bound(update.min);
  if (from != chunks_.begin() && std::prev(from)->second.max > update.min) --from;
  auto to = from;
  for (; to != chunks_.end() && to->first < update.max; ++to) {
    memory_bytes_ -= chunk_memory(to->first, to->second.max);
  }
  memory_bytes_ += chunk_memory(update.min, update.max);
  const auto after = chunks_.erase(from, to);
  chunks_.emplace_hint(after, std::move(update.min),
                       chunk{std::move(update.max), number_of(update.shard),
                             update.version.value_or(chunk_version{})});
  has_unversioned_ = has_unversioned_ || !update.version;
}

bool chunk_set::is_whole(const collection& of) const {
  std::string reached = end_of_all(of, routing::encoded_min_key());
  for (const auto& [min, each] : chunks_) {
    if (min != reached) return false;
    reached = each.max;
  }
  return !chunks_.empty() && reached == end_of_all(of, routing::encoded_max_key());
}

bool chunk_set::has(const chunk_update& given) const {
  const auto found = chunks_.find(given.min);
  if (found == chunks_.end() || found->second.max != given.max) return false;
  return found->second.version == given.version && shards_[found->second.shard] == given.shard;
}

std::optional<chunk_version> chunk_set::version() const {
  if (chunks_.empty() || has_unversioned_) return std::nullopt;
  const auto by_version = [](const auto& entry) { return entry.second.version; };
  return std::ranges::max_element(chunks_, {}, by_version)->second.version;
}

void chunk_set::add_to(routing::catalog_builder& builder) const {
  for (const auto& [min, each] : chunks_) {
    // It fails only if there is no collection to add to.
    static_cast<void>(
        builder.add_encoded_chunk(encoded_of(min), encoded_of(each.max), shards_[each.shard]));
  }
}

}  // namespace scattergate::config
