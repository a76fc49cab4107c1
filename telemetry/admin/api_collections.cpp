// The parts of api that tell of collections.

#include "routing/words/describe.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/admin/shapes_answer.hpp"

namespace scattergate::telemetry {
namespace {

/// What an event tells at most; the rest is counted.
constexpr std::size_t most_changed_collections = 200;
constexpr std::size_t most_changed_shapes = 100;

void append_sharding(digest::object_writer& to, const collection_table::collection& of,
                     const routing::catalog& catalog) {
  const routing::collection* const known = catalog.find(of.database, of.name);
  const bool is_unsharded =
      known == nullptr && catalog.unlisted() == routing::unlisted_policy::unsharded;
  const bool is_unknown = catalog.is_absent() || (known != nullptr && known->is_unreadable) ||
                          (known == nullptr && !is_unsharded);
  const bool is_sharded = known != nullptr && known->is_sharded();
  to.raw("sharded", is_unknown ? "null" : is_sharded ? "true" : "false");
  to.raw("shardKey", is_sharded ? routing::shard_key_json(*known) : "null");
}

void append_collection(std::string& to, const collection_table::collection& of,
                       const routing::catalog& catalog, wall_time now, wall_time began) {
  digest::object_writer json{to};
  json.text("ns", of.name.empty() ? of.database : of.database + "." + of.name);
  json.text("database", of.database);
  json.text("collection", of.name);
  append_sharding(json, of, catalog);
  append_sums(json, of, now, began);
  json.raw("firstSeen", time_json(of.first_seen));
  json.raw("lastSeen", time_json(of.last_seen));
  json.end();
}

std::string sums_json(const collection_sums& of, wall_time now, wall_time began) {
  std::string text;
  digest::object_writer json{text};
  append_sums(json, of, now, began);
  json.end();
  return text;
}

std::string others_json(const collection_sums& of, wall_time now, wall_time began) {
  return of.counts.commands() == 0 ? "null" : sums_json(of, now, began);
}

}  // namespace

std::string api::collections() const {
  const auto catalog = from_.facts().catalog;
  std::string text;
  from_.digest.look_around([&](const live_digest::view& all) {
    digest::object_writer json{text};
    append_head(json, all.now);
    json.raw("since", time_json(started_at_));
    json.raw("totals", sums_json(all.collections.all(), all.now, started_at_));
    json.head("collections");
    text += '[';
    for (const auto* each : all.collections.ranked()) {
      if (text.back() == '}') text += ',';
      append_collection(text, *each, *catalog, all.now, started_at_);
    }
    text += ']';
    json.raw("others", others_json(all.collections.others(), all.now, started_at_));
    json.end();
  });
  return text + '\n';
}

/// A collection whose last minute has just become quiet has changed too: it is told until all
/// of that minute is.
std::string api::changes_since(seen& last) const {
  const auto now = std::chrono::system_clock::now();
  const api_facts current = from_.facts();
  const routing::catalog& catalog = *current.catalog;
  const std::string state = status_at(now, current);  // before the digest is locked
  std::string text;
  from_.digest.look_around(
      [&](const live_digest::view& all) {
        const bool is_first = !last.shapes;
        digest::object_writer json{text};
        json.raw("at", time_json(all.now));
        json.raw("status", state);
        json.raw("totals", sums_json(all.collections.all(), all.now, started_at_));
        json.raw("others", others_json(all.collections.others(), all.now, started_at_));
        std::size_t told = 0;
        std::size_t left_out = 0;
        json.head("collections");
        text += '[';
        for (const auto* each : all.collections.ranked()) {
          if (is_first) break;
          const bool was_busy =
              each->last_seen && all.now - *each->last_seen < std::chrono::seconds{70};
          if (each->version <= last.collections && !was_busy) continue;
          if (told == most_changed_collections) {
            ++left_out;
            continue;
          }
          if (told++ != 0) text += ',';
          append_collection(text, *each, catalog, all.now, started_at_);
        }
        text += ']';
        json.number("collectionsLeftOut", left_out);
        const auto since = last.shapes.value_or(all.now);
        const changed_shapes rows = changed_shapes_json(all, since, most_changed_shapes);
        json.raw("shapes", rows.json);
        json.number("shapesLeftOut", rows.left_out);
        json.end();
        last = {all.collections.version(), all.now};
      },
      now);
  return text;
}

}  // namespace scattergate::telemetry
