#include "sim/storage/layout.hpp"

#include <array>
#include <cmath>

namespace scattergate::sim {
namespace {

/// The `index`-th of `count - 1` split points over 64 bits.
std::uint64_t fraction(std::size_t index, std::size_t count) {
  const auto part = static_cast<long double>(index) / static_cast<long double>(count);
  return static_cast<std::uint64_t>(std::ldexp(part, 64));
}

value hash_split(std::size_t index, std::size_t count) {
  // Hashes are signed: the split points start at their least value.
  return static_cast<std::int64_t>(fraction(index, count) + (std::uint64_t{1} << 63U));
}

value object_id_split(std::size_t index, std::size_t count) {
  object_id id;
  const std::uint64_t head = fraction(index, count);
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(head >> (56 - 8 * i));
  }
  return id;
}

}  // namespace

std::int64_t default_chunks(const shard_key& key, std::size_t shards) {
  return key.parts().front().is_hashed ? static_cast<std::int64_t>(2 * shards) : 1;
}

void lay_out_evenly(cluster& data, collection& of, std::size_t count) {
  sharding& spread = *of.spread;
  const bool hashed = spread.key.parts().front().is_hashed;
  for (std::size_t i = 1; i < count; ++i) {
    array position(spread.key.parts().size(), value{min_key{}});
    position.front() = hashed ? hash_split(i, count) : object_id_split(i, count);
    spread.chunks.split(position);
  }
  const std::vector<chunk> chunks = spread.chunks.all();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const shard_index to = i * data.shards().size() / chunks.size();
    if (chunks.size() > 1) data.move_chunk(of, chunks[i].min, to);
  }
}

namespace {

struct preset_collection {
  const char* name;
  const char* key_field;  ///< nullptr: unsharded
  bool hashed;
  const char* second_hashed;          ///< a hashed second field, or nullptr
  std::array<const char*, 3> unique;  ///< the unique index, nullptr-padded
};

/// mission.md, "Source 1": v0.6.38. The key of clients is {project_id: 1, _id: "hashed"}.
constexpr std::array yorkie{
    preset_collection{"users", nullptr, false, nullptr, {}},
    preset_collection{"projects", nullptr, false, nullptr, {}},
    preset_collection{"clients", "project_id", false, "_id", {}},
    preset_collection{
        "documents", "project_id", false, nullptr, {"project_id", "key", "removed_at"}},
    preset_collection{"schemas", "project_id", false, nullptr, {}},
    preset_collection{"changes", "doc_id", true, nullptr, {"doc_id", "server_seq"}},
    preset_collection{"snapshots", "doc_id", true, nullptr, {"doc_id", "server_seq"}},
    preset_collection{"versionvectors", "doc_id", true, nullptr, {"doc_id", "client_id"}},
    preset_collection{"revisions", "doc_id", true, nullptr, {}},
};

void add_unique_index(cluster& data, collection& on, const preset_collection& of) {
  document key;
  std::string name;
  for (const char* each : of.unique) {
    if (each == nullptr) continue;
    key.append(each, std::int32_t{1});
    name += std::string{name.empty() ? "" : "_"} + each + "_1";
  }
  if (key.empty()) return;
  data.create_index(on,
                    {{"v", std::int32_t{2}}, {"key", key}, {"name", name}, {"unique", true}});
}

void add_collection(cluster& data, const preset_collection& of) {
  const std::string ns = std::string{"yorkie-meta."} + of.name;
  if (of.key_field == nullptr) {
    data.create(ns, {});
    return;
  }
  document key{{of.key_field, of.hashed ? value{"hashed"} : value{std::int32_t{1}}}};
  if (of.second_hashed != nullptr) key.append(of.second_hashed, "hashed");
  collection& made = data.shard_collection(ns, key, false);
  constexpr std::size_t chunks_per_shard = 2;
  lay_out_evenly(data, made, chunks_per_shard * data.shards().size());
  add_unique_index(data, made, of);
}

}  // namespace

bool apply_preset(cluster& data, std::string_view preset) {
  if (preset != "yorkie") return false;
  for (const preset_collection& each : yorkie) add_collection(data, each);
  return true;
}

}  // namespace scattergate::sim
