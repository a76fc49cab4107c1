// The parts of class api that deal with collections.

#include "routing/words/describe.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/admin/shapes_answer.hpp"

namespace scattergate::telemetry {
namespace {

/// The maximum number of collections, and of shapes, in one event. The event counts those
/// beyond.
constexpr std::size_t most_changed_collections = 200;
constexpr std::size_t most_changed_shapes = 100;

void append_sharding(json_writer& to, const collection_table::collection& of,
                     const routing::catalog& catalog) {
  const routing::collection* const known = catalog.find(of.database, of.name);
  const bool is_unsharded =
      known == nullptr && catalog.unlisted() == routing::unlisted_policy::unsharded;
  const bool is_unknown = catalog.is_absent() || (known != nullptr && known->is_unreadable) ||
                          (known == nullptr && !is_unsharded);
  const bool is_sharded = known != nullptr && known->is_sharded();
  is_unknown ? to.null("sharded") : to.flag("sharded", is_sharded);
  to.raw("shardKey", is_sharded ? routing::shard_key_json(*known) : "null");
}

void append_collection(json_writer& to, const collection_table::collection& of,
                       const routing::catalog& catalog, wall_time now, wall_time began) {
  to.object();
  to.text("ns", of.name.empty() ? of.database : of.database + "." + of.name);
  to.text("database", of.database);
  to.text("collection", of.name);
  append_sharding(to, of, catalog);
  append_sums(to, of, now, began);
  to.time_or_null("firstSeen", of.first_seen);
  to.time_or_null("lastSeen", of.last_seen);
  to.end();
}

void append_totals(json_writer& to, const collection_sums& of, wall_time now, wall_time began) {
  to.object("totals");
  append_sums(to, of, now, began);
  to.end();
}

void append_others(json_writer& to, const collection_sums& of, wall_time now, wall_time began) {
  if (of.counts.commands() == 0) return to.null("others");
  to.object("others");
  append_sums(to, of, now, began);
  to.end();
}

}  // namespace

std::string api::collections() const {
  const auto catalog = from_.facts().catalog;
  std::string text;
  from_.digest.read_view([&](const live_digest::view& all) {
    json_writer json{text};
    json.object();
    append_head(json, all.now);
    json.time("since", started_at_);
    append_totals(json, all.collections.all(), all.now, started_at_);
    json.array("collections");
    for (const auto* each : all.collections.ranked()) {
      append_collection(json, *each, *catalog, all.now, started_at_);
    }
    json.end();
    append_others(json, all.collections.others(), all.now, started_at_);
    json.end();
  });
  return text + '\n';
}

/// Also lists a collection for 70 seconds after its last command: the counts of its last minute
/// change until that minute is empty.
std::string api::changes_since(seen& last) const {
  const auto now = std::chrono::system_clock::now();
  const api_facts current = from_.facts();
  const routing::catalog& catalog = *current.catalog;
  const std::string state = status_at(now, current);  // before locking the digest
  std::string text;
  from_.digest.read_view(
      [&](const live_digest::view& all) {
        const bool is_first = !last.shapes;
        json_writer json{text};
        json.object();
        json.time("at", all.now);
        json.raw("status", state);
        append_totals(json, all.collections.all(), all.now, started_at_);
        append_others(json, all.collections.others(), all.now, started_at_);
        std::size_t listed = 0;
        std::size_t left_out = 0;
        json.array("collections");
        for (const auto* each : all.collections.ranked()) {
          if (is_first) break;
          const bool was_busy =
              each->last_seen && all.now - *each->last_seen < std::chrono::seconds{70};
          if (each->version <= last.collections && !was_busy) continue;
          if (listed == most_changed_collections) {
            ++left_out;
            continue;
          }
          ++listed;
          append_collection(json, *each, catalog, all.now, started_at_);
        }
        json.end();
        json.number("collectionsLeftOut", left_out);
        const auto since = last.shapes.value_or(all.now);
        append_changed_shapes(json, all, since, most_changed_shapes);
        json.end();
        last = {all.collections.version(), all.now};
      },
      now);
  return text;
}

}  // namespace scattergate::telemetry
