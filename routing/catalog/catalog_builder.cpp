#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "routing/catalog/catalog.hpp"
#include "routing/catalog/catalog_rules.hpp"
#include "routing/catalog/chunk_list.hpp"
#include "routing/catalog/patterns.hpp"
#include "text/utf8.hpp"

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
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // indexes of entries
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

  /// Why the entry can't be added.
  [[nodiscard]] problem problem_with(const collection& entry) const {
    if (auto wrong = problem_of(entry)) return wrong;
    if (known.contains({entry.database, entry.name})) return "is listed twice";
    if (is_pattern(entry) && patterns == max_patterns) {
      return "more than " + std::to_string(max_patterns) + " namespaces have * or ?";
    }
    return std::nullopt;
  }

  void insert(collection entry) {
    if (is_pattern(entry)) ++patterns;
    const auto hashed = std::ranges::find(entry.key, true, &key_field::hashed);
    entry.hashed_field =
        hashed == entry.key.end() ? -1 : static_cast<int>(hashed - entry.key.begin());
    entry.chunks = {};
    if (entry.name.starts_with(buckets_prefix)) {
      entry.is_time_series = true;
      made->has_buckets_ = true;
    }
    entry.is_time_series |= entry.series.has_value();
    known.emplace(std::pair{entry.database, entry.name}, made->collections_.size());
    made->collections_.push_back(std::move(entry));
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
  auto wrong = state_->problem_with(entry);
  if (!wrong) state_->insert(std::move(entry));
  state_->open(!wrong);
  return wrong;
}

void catalog_builder::add_unreadable(const collection& entry, text::problem why) {
  state_->open(false);
  collection bare;
  bare.database = entry.database;
  bare.name = entry.name;
  bare.use = entry.use;
  bare.is_unreadable = true;
  auto& made = *state_->made;
  const auto known = state_->known.find({bare.database, bare.name});
  const bool is_known = known != state_->known.end();
  if (is_known && made.collections_[known->second].is_unreadable) return;
  constexpr std::size_t longest = 400;  // the source's names may be of any length
  why.what = text::cut_with_dots(why.what, longest);
  made.faults_.push_back(
      {bare.name.empty() ? std::string{} : bare.full_name(), std::move(why)});
  if (is_known) {
    made.collections_[known->second] = std::move(bare);
  } else if (!state_->problem_with(bare)) {
    state_->insert(std::move(bare));
  }
}

problem catalog_builder::add_chunk(wire::document_view min, wire::document_view max,
                                   std::string_view shard) {
  if (!state_->is_open) return "a chunk belongs to no collection";
  const collection& of = state_->made->collections_.back();
  if (!of.is_sharded()) return "has chunks but no shard key";
  if (shard.empty()) return "a chunk names no shard";
  return state_->chunks.add(of, min, max, state_->number_of(shard));
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
  return wrong;
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
