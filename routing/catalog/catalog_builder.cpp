#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "routing/catalog/catalog.hpp"
#include "routing/catalog/catalog_rules.hpp"
#include "routing/catalog/chunk_list.hpp"
#include "routing/catalog/patterns.hpp"

namespace scattergate::routing {

using problem = std::optional<std::string>;

namespace {

std::vector<std::string> key_roots_of(std::span<const collection> entries) {
  std::set<std::string_view> roots = {"_id"};
  for (const collection& entry : entries) {
    for (const key_field& field : entry.key) {
      const std::string_view path = field.path;
      roots.insert(path.substr(0, path.find('.')));
    }
    if (entry.series) {  // new measurements are targeted by these fields
      roots.insert(entry.series->time_field);
      if (!entry.series->meta_field.empty()) roots.insert(entry.series->meta_field);
    }
  }
  return {roots.begin(), roots.end()};
}

}  // namespace

struct catalog_builder::state {
  std::shared_ptr<catalog> made = std::make_shared<catalog>();
  std::set<std::pair<std::string, std::string>> known;
  std::map<std::string, std::uint32_t, std::less<>> shards;  // numbered in order of appearance
  chunk_list chunks;                                         // of the collection added last
  std::size_t patterns = 0;
  bool is_open = false;  // between add() and finish_collection()

  std::uint32_t number_of(std::string_view shard) {
    const auto found = shards.find(shard);
    if (found != shards.end()) return found->second;
    const auto next = static_cast<std::uint32_t>(shards.size());
    shards.emplace(shard, next);
    return next;
  }

  /// Discards an unfinished previous collection. `opened`: whether a collection is open
  /// afterwards.
  void open(bool opened) {
    is_open = opened;
    chunks = {};
  }
};

catalog_builder::catalog_builder() : state_(std::make_unique<state>()) {}
catalog_builder::~catalog_builder() = default;

void catalog_builder::set_version(server_version version) noexcept {
  state_->made->version_ = version;
  state_->made->is_version_stated_ = true;
}

void catalog_builder::set_unlisted(unlisted_policy policy) noexcept {
  state_->made->unlisted_ = policy;
}

problem catalog_builder::add(collection entry) {
  state_->open(false);
  if (auto wrong = problem_of(entry)) return entry.full_name() + ": " + *wrong;
  if (!state_->known.emplace(entry.database, entry.name).second) {
    return entry.full_name() + ": is listed twice";
  }
  if (is_pattern(entry) && ++state_->patterns > max_patterns) {
    return entry.full_name() + ": more than " + std::to_string(max_patterns) +
           " namespaces have * or ?";
  }
  const auto hashed = std::ranges::find(entry.key, true, &key_field::hashed);
  entry.hashed_field =
      hashed == entry.key.end() ? -1 : static_cast<int>(hashed - entry.key.begin());
  entry.chunks = {};
  if (entry.name.starts_with(buckets_prefix)) {
    entry.is_time_series = true;
    state_->made->has_buckets_ = true;
  }
  entry.is_time_series |= entry.series.has_value();
  state_->made->collections_.push_back(std::move(entry));
  state_->open(true);
  return std::nullopt;
}

problem catalog_builder::add_chunk(wire::document_view min, wire::document_view max,
                                   std::string_view shard) {
  if (!state_->is_open) return "a chunk belongs to no collection";
  const collection& of = state_->made->collections_.back();
  if (!of.is_sharded()) return of.full_name() + ": has chunks but no shard key";
  if (shard.empty()) return of.full_name() + ": a chunk names no shard";
  auto wrong = state_->chunks.add(of, min, max, state_->number_of(shard));
  if (wrong) return of.full_name() + ": " + *wrong;
  return std::nullopt;
}

problem catalog_builder::add_encoded_chunk(bytes_view min, bytes_view max,
                                           std::string_view shard) {
  if (!state_->is_open) return "a chunk belongs to no collection";
  state_->chunks.add_encoded(min, max, state_->number_of(shard));
  return std::nullopt;
}

problem catalog_builder::finish_collection() {
  if (!state_->is_open) return "no collection to finish";
  collection& of = state_->made->collections_.back();
  problem wrong;
  if (!state_->chunks.is_empty()) {
    wrong = state_->chunks.check(of);
    if (!wrong) of.chunks = state_->chunks.make();
  }
  state_->open(false);
  if (wrong) return of.full_name() + ": " + *wrong;
  return std::nullopt;
}

std::shared_ptr<const catalog> catalog_builder::build() {
  auto made = std::move(state_->made);
  std::vector<std::uint32_t> position(state_->shards.size());  // sorted, by appearance
  for (const auto& [name, number] : state_->shards) {
    position[number] = static_cast<std::uint32_t>(made->shards_.size());
    made->shards_.push_back(name);
  }
  auto& entries = made->collections_;
  sort_entries(entries);
  for (collection& entry : entries) {
    for (std::uint32_t& owner : entry.chunks.owners_) owner = position[owner];
    if (!entry.chunks.is_empty()) entry.chunks.index(made->shards_.size());
  }
  made->key_roots_ = key_roots_of(entries);
  made->index_.assign(std::bit_ceil(2 * entries.size() + 1), 0);
  const std::size_t mask = made->index_.size() - 1;
  for (std::size_t i = 0; i < entries.size() && !is_pattern(entries[i]); ++i) {
    std::size_t slot = wire::seeded_hash(entries[i].ns()) & mask;
    while (made->index_[slot] != 0) slot = (slot + 1) & mask;
    made->index_[slot] = static_cast<std::uint32_t>(i + 1);
  }
  state_ = std::make_unique<state>();
  return made;
}

}  // namespace scattergate::routing
