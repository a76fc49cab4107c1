#include "bench/catalogs.hpp"

#include <array>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

#include "config/text/extended_json.hpp"

namespace scattergate::bench {
namespace {

void check(const std::optional<std::string>& problem) {
  if (problem) throw std::logic_error(*problem);
}

std::string object_id(std::uint64_t head, std::uint32_t tail) {
  std::array<char, 25> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%08x",
                static_cast<unsigned long long>(head), tail);
  return R"({"$oid": ")" + std::string{digits.data()} + R"("})";
}

/// The start of the i-th of `count` equal ranges of all 64-bit numbers, counted from 0.
std::uint64_t part(std::size_t i, std::size_t count) {
  return std::numeric_limits<std::uint64_t>::max() / count * i;
}

std::string hash_at(std::size_t i, std::size_t count) {
  // Starts at the least int64.
  const auto hash = static_cast<std::int64_t>(part(i, count) ^ (std::uint64_t{1} << 63U));
  return R"({"$numberLong": ")" + std::to_string(hash) + R"("})";
}

/// The bound before which the first field is `value`; if that is empty, an end of the key
/// space.
std::string bound(const routing::collection& of, const std::string& value, bool is_max) {
  std::string json;
  for (const routing::key_field& field : of.key) {
    json += json.empty() ? "{\"" : ", \"";
    json += field.path + "\": ";
    const bool is_first = &field == &of.key.front();
    if (is_first && !value.empty()) {
      json += value;
    } else {
      json += is_max && value.empty() ? R"({"$maxKey": 1})" : R"({"$minKey": 1})";
    }
  }
  return json + "}";
}

void add(routing::catalog_builder& to, std::string_view database, std::string_view name,
         std::vector<routing::key_field> key, std::size_t chunks, std::size_t shards,
         const std::function<std::string(std::size_t)>& split) {
  routing::collection entry;
  entry.database = database;
  entry.name = name;
  entry.key = std::move(key);
  check(to.add(entry));
  config::bson_bytes low = config::bson_of_json(bound(entry, "", false)).value();
  for (std::size_t i = 1; i <= chunks; ++i) {
    config::bson_bytes high =
        config::bson_of_json(bound(entry, i < chunks ? split(i) : std::string{}, true)).value();
    check(to.add_chunk(low.view(), high.view(), "shard" + std::to_string(i % shards)));
    low = std::move(high);
  }
  check(to.finish_collection());
}

}  // namespace

std::string object_id_at(std::size_t i, std::size_t count) {
  return object_id(part(i, count), 0);
}

std::string any_object_id(std::mt19937_64& random) {
  return object_id(random(), static_cast<std::uint32_t>(random()));
}

const routing::catalog& common_catalog() {
  static const auto made = [] {
    routing::catalog_builder to;
    const auto at_ids = [](std::size_t count) {
      return [count](std::size_t i) { return object_id_at(i, count); };
    };
    const auto at_hashes = [](std::size_t count) {
      return [count](std::size_t i) { return hash_at(i, count); };
    };
    add(to, "bench", "ranged", {{"k", false}}, 300, 3, at_ids(300));
    add(to, "bench", "hashed", {{"k", true}}, 300, 3, at_hashes(300));
    add(to, "yorkie-meta", "clients", {{"project_id", false}, {"_id", true}}, 100, 3,
        at_ids(100));
    add(to, "yorkie-meta", "documents", {{"project_id", false}}, 100, 3, at_ids(100));
    add(to, "yorkie-meta", "changes", {{"doc_id", true}}, 100, 3, at_hashes(100));
    return to.build();
  }();
  return *made;
}

const routing::catalog& large_catalog(std::size_t chunks) {
  static std::map<std::size_t, std::shared_ptr<const routing::catalog>> made;
  auto& entry = made[chunks];
  if (!entry) {
    routing::catalog_builder to;
    const std::size_t step = largest_value / chunks;
    add(to, "bench", "large", {{"k", false}}, chunks, 12,
        [step](std::size_t i) { return std::to_string(step * i); });
    entry = to.build();
  }
  return *entry;
}

const routing::catalog& wide_catalog(std::size_t collections) {
  static std::map<std::size_t, std::shared_ptr<const routing::catalog>> made;
  auto& entry = made[collections];
  if (!entry) {
    routing::catalog_builder to;
    add(to, "bench", "ranged", {{"k", false}}, 0, 1, {});
    for (std::size_t i = 1; i < collections; ++i) {
      add(to, "bench", "collection" + std::to_string(i), {{"k", false}}, 0, 1, {});
    }
    entry = to.build();
  }
  return *entry;
}

}  // namespace scattergate::bench
