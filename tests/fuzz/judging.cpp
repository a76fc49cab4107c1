#include "tests/fuzz/judging.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/extended_json.hpp"
#include "routing/classify.hpp"

namespace scattergate::fuzz {
namespace {

using routing::key_field;

/// The same value for every field of a key, written as JSON.
config::bson_bytes bound_of(const std::vector<key_field>& key, std::string_view value) {
  std::string json;
  for (const key_field& field : key) {
    json += (json.empty() ? "{\"" : ",\"") + field.path + "\":" + std::string{value};
  }
  return config::bson_of_json(json + "}").value();
}

routing::collection named(std::string name) {
  routing::collection entry;
  entry.database = "db";
  entry.name = std::move(name);
  return entry;
}

routing::collection keyed(std::string name, std::vector<key_field> key) {
  routing::collection entry = named(std::move(name));
  entry.key = std::move(key);
  return entry;
}

routing::collection view(std::string name, std::string on, std::string_view pipeline) {
  routing::collection entry = named(std::move(name));
  entry.view_on = std::move(on);
  entry.view_pipeline = config::bson_of_json(pipeline).value().bytes;
  return entry;
}

void add(routing::catalog_builder& builder, routing::collection entry) {
  require(!builder.add(std::move(entry)));
  require(!builder.finish_collection());
}

void add_halved(routing::catalog_builder& builder, routing::collection entry) {
  const config::bson_bytes low = bound_of(entry.key, R"({"$minKey": 1})");
  const config::bson_bytes middle = bound_of(entry.key, R"({"$numberLong": "0"})");
  const config::bson_bytes high = bound_of(entry.key, R"({"$maxKey": 1})");
  require(!builder.add(std::move(entry)));
  require(!builder.add_chunk(low.view(), middle.view(), "0"));
  require(!builder.add_chunk(middle.view(), high.view(), "1"));
  require(!builder.finish_collection());
}

/// The results that must not change from one judgement to the next.
struct essence {
  routing::routing_class routing;
  routing::bounds_kind bounds;
  routing::reason why;
  routing::lint_kind lint;
  routing::refusal refused;
  std::uint64_t missing;
  std::uint64_t fanout;
  std::uint64_t sent_to;
  friend bool operator==(const essence&, const essence&) = default;
};

std::uint64_t bits_of(const std::optional<routing::shard_set>& shards) {
  return shards ? shards->words()[0] : 0;
}

essence essence_of(const routing::verdict& verdict) {
  return {verdict.routing,
          verdict.bounds,
          verdict.why,
          verdict.lint,
          verdict.refused,
          verdict.missing,
          bits_of(verdict.fanout),
          bits_of(verdict.sent_to)};
}

void require_consistent(const routing::verdict& verdict) {
  using routing::routing_class;
  const auto statements =
      std::accumulate(verdict.statements.begin(), verdict.statements.end(), 0U);
  // A batch that names none is read by no server, or mongos rejects it.
  require(statements > 0 || verdict.why == routing::reason::unreadable ||
          verdict.refused != routing::refusal::none);
  if (verdict.fanout) require(verdict.fanout->size() >= 1 && verdict.fanout->size() <= 2);
  if (verdict.sent_to && verdict.fanout) {
    require((bits_of(verdict.fanout) & ~bits_of(verdict.sent_to)) == 0);
  }
  const bool is_one = verdict.routing == routing_class::single_shard;
  if (is_one && statements == 1 && verdict.fanout) require(verdict.fanout->size() == 1);
  if (verdict.missing != 0) {
    require(verdict.judged != nullptr);
    require(verdict.missing >> verdict.judged->key.size() == 0);
  }
}

/// The work is bounded by the number of bytes, for any bytes: the most expensive are decimals,
/// in lists that are read more than once.
void require_linear(const wire::work_budget& work, std::size_t bytes) {
  constexpr std::int64_t least = 10'000;
  constexpr std::int64_t per_byte = 1'000;
  require(work.spent() <= least + per_byte * static_cast<std::int64_t>(bytes));
}

/// With almost no work budget, a verdict can only become wider, and says so.
void check_worn_out(const routing::catalog& entries, const wire::command& command,
                    routing::scratch& memory, const essence& expected, std::size_t units) {
  wire::work_budget little{static_cast<std::int64_t>(units)};
  const routing::verdict made = routing::classify(command, entries, memory, little);
  require_consistent(made);
  if (!made.abandoned) return require(made.widened || expected == essence_of(made));
  require(made.routing == routing::routing_class::unknown &&
          made.why == routing::reason::work_budget);
}

void check_with(const routing::catalog& entries, const wire::command& command,
                std::size_t little_bytes) {
  static std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  auto work = wire::work_budget::for_message(command.size_bytes());
  const routing::verdict first = routing::classify(command, entries, memory, work);
  require_consistent(first);
  require_linear(work, command.size_bytes());
  const essence expected = essence_of(first);
  require(expected == essence_of(routing::classify(command, entries, memory)));

  // A block of its own, so that a step beyond it is seen.
  std::vector<std::byte> little(little_bytes);
  routing::scratch cramped{little};
  const routing::verdict again = routing::classify(command, entries, cramped);
  require_consistent(again);
  require(again.widened || expected == essence_of(again));
  check_worn_out(entries, command, memory, expected, 4 * little_bytes);
}

}  // namespace

std::shared_ptr<const routing::catalog> make_catalog(routing::server_version version) {
  routing::catalog_builder builder;
  builder.set_version(version);
  builder.set_unlisted(routing::unlisted_policy::unknown);
  add_halved(builder, keyed("a", {{"a", false}}));
  add_halved(builder, keyed("b", {{"a", true}, {"b", false}}));
  add_halved(builder, keyed("c", {{"a.b", false}, {"_id", false}}));
  routing::collection collated = keyed("d", {{"a", false}, {"b", true}});
  collated.simple_collation = false;
  add_halved(builder, std::move(collated));
  add(builder, keyed("e", {{"a", false}, {"b", false}, {"c", false}}));
  routing::collection series = keyed("m", {{"a", false}});
  series.is_time_series = true;
  add(builder, std::move(series));
  routing::collection known_series = keyed("t", {{"meta.b", false}, {"control.min.c", false}});
  known_series.series = routing::time_series{"c", "a", 3600, 60};
  add_halved(builder, std::move(known_series));
  add(builder, named("s"));
  add(builder, view("v", "a", R"([{"$match": {"a": 5}}])"));
  add(builder, view("w", "v", "[]"));
  return builder.build();
}

void check_judgement(const wire::command& command, std::size_t little_bytes) {
  static const auto old_entries = make_catalog({6, 0});
  static const auto entries = make_catalog({8, 0});
  check_with(*old_entries, command, little_bytes);
  check_with(*entries, command, little_bytes);
}

}  // namespace scattergate::fuzz
