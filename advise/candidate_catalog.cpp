#include "advise/candidate_catalog.hpp"

#include <algorithm>
#include <cstdio>

namespace scattergate::advise {
namespace {

constexpr int most_views = 20;  // mongo: ViewGraph::kMaxViewDepth

/// The name of a chunk's shard. Names sort as text in the order of the chunks.
std::string shard_name(std::size_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "shard%06zu", number + 1);
  return text.data();
}

std::vector<std::byte> whole_of(routing::bytes_view field, std::size_t fields) {
  std::vector<std::byte> made;
  for (std::size_t i = 0; i < fields; ++i) made.insert(made.end(), field.begin(), field.end());
  return made;
}

routing::collection entry_of(const routing::catalog& present, wire::namespace_view name,
                             const shard_key& key) {
  const routing::collection* const known = present.find(name.database, name.collection);
  routing::collection made = known != nullptr ? *known : routing::collection{};
  made.database = name.database;
  made.name = name.collection;
  made.key = key;
  made.unique = false;
  made.chunks = {};
  made.use = nullptr;
  return made;
}

}  // namespace

wire::namespace_view source_of(const routing::catalog& present,
                               wire::namespace_view name) noexcept {
  for (int i = 0; i < most_views; ++i) {
    const routing::collection* const entry = present.find(name.database, name.collection);
    if (entry == nullptr || !entry->is_view()) break;
    name = {entry->database, entry->view_on};
  }
  return name;
}

std::vector<routing::collection> neighbours_of(const routing::catalog& present,
                                               wire::namespace_view name,
                                               std::span<const std::string> touched) {
  std::vector<routing::collection> made;
  for (const routing::collection& one : present.collections()) {
    if (one.ns() == name) continue;
    const bool is_view_of_it = one.is_view() && source_of(present, one.ns()) == name;
    const bool is_touched =
        !touched.empty() && std::ranges::find(touched, one.full_name()) != touched.end();
    if (!is_view_of_it && !is_touched) continue;
    made.push_back(one);
    made.back().chunks = {};
    made.back().use = nullptr;
  }
  return made;
}

std::shared_ptr<const routing::catalog> catalog_with(
    const routing::catalog& present, wire::namespace_view name, const shard_key& key,
    std::span<const std::vector<std::byte>> bounds,
    std::span<const routing::collection> neighbours) {
  routing::catalog_builder builder;
  builder.set_version(present.version());
  builder.set_unlisted(present.unlisted());
  for (const routing::collection& one : neighbours) {
    if (!builder.add(one)) (void)builder.finish_collection();
  }
  if (builder.add(entry_of(present, name, key))) return nullptr;
  if (!bounds.empty()) {
    std::vector<std::byte> begin = whole_of(routing::encoded_min_key(), key.size());
    const auto end = whole_of(routing::encoded_max_key(), key.size());
    for (std::size_t i = 0; i <= bounds.size(); ++i) {
      const std::vector<std::byte>& next = i < bounds.size() ? bounds[i] : end;
      if (builder.add_encoded_chunk(begin, next, shard_name(i))) return nullptr;
      begin = next;
    }
  }
  if (builder.finish_collection()) return nullptr;
  return builder.build();
}

}  // namespace scattergate::advise
