#include "config/cluster/chunk_set.hpp"

#include <algorithm>
#include <span>

#include "routing/keys/key_encoding.hpp"

namespace scattergate::config {
namespace {

/// The overhead of a container and malloc per allocated entry.
constexpr std::size_t entry_bytes = 64;

/// The bytes that a mirror stores per collection in addition to its record: its name again, and
/// its use mark.
constexpr std::size_t tracked_bytes = 256;

std::size_t heap_of(const std::string& text) noexcept {
  static const std::size_t inside = std::string{}.capacity();
  return text.capacity() > inside ? text.capacity() + 1 : 0;
}

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

std::size_t memory_of(const routing::collection& entry) noexcept {
  std::size_t bytes = sizeof entry + entry_bytes + heap_of(entry.database) +
                      heap_of(entry.name) + heap_of(entry.view_on) +
                      entry.view_pipeline.capacity() + entry.default_collation.capacity() +
                      entry.key.capacity() * sizeof(routing::key_field);
  for (const routing::key_field& field : entry.key) bytes += heap_of(field.path);
  if (entry.series)
    bytes += heap_of(entry.series->time_field) + heap_of(entry.series->meta_field);
  return bytes;
}

std::size_t memory_of(const collection_record& record) noexcept {
  return memory_of(record.made) + sizeof record.is + heap_of(record.why) + tracked_bytes +
         record.is.uuid.capacity() + record.is.epoch.capacity() + record.made.database.size() +
         record.made.name.size();
}

std::size_t memory_of(const view_record& record) noexcept {
  return memory_of(record.made) + sizeof record.why + heap_of(record.why);
}

std::size_t memory_of(const shard_record& record) noexcept {
  return sizeof record + entry_bytes + heap_of(record.id) + heap_of(record.host);
}

std::size_t memory_of(const database_record& record) noexcept {
  return sizeof record + entry_bytes + heap_of(record.name) + heap_of(record.primary);
}

std::size_t memory_of(const chunk_update& chunk) noexcept {
  return sizeof chunk + entry_bytes + heap_of(chunk.min) + heap_of(chunk.max) +
         heap_of(chunk.shard);
}

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
