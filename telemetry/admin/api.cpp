#include "telemetry/admin/api.hpp"

#include <algorithm>
#include <chrono>

#include "config/text/scalars.hpp"
#include "digest/sketches/stored_sketches.hpp"
#include "digest/stored.hpp"
#include "routing/words/describe.hpp"
#include "telemetry/admin/advice_answer.hpp"
#include "telemetry/admin/api_answers.hpp"
#include "telemetry/history/history_text.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "text/percent.hpp"

namespace scattergate::telemetry {
namespace {

constexpr std::string_view json_type = "application/json";

constexpr std::string_view expected_time = "since: expected a time, 2026-11-22T03:00:00.000Z";

constexpr std::string_view root = "/api/v1/";
constexpr std::string_view shapes_path = "/api/v1/shapes";
constexpr std::string_view stored_shapes = "/api/v1/shapes?format=stored";

admin_reply json_reply(std::string body) {
  return {.content_type = json_type, .body = std::move(body)};
}

}  // namespace

api::api(api_sources from)
    : from_(std::move(from)), started_at_(std::chrono::system_clock::now()) {}

std::string_view api::cache_key(std::string_view target) noexcept {
  const std::string_view path = path_of(target);
  if (path == advice_api_path) return target;
  if (!path.starts_with(shapes_path)) return path;
  if (path == shapes_path && text::query_parameter(target, "format") == "stored")
    return stored_shapes;
  return text::query_parameter(target, "since").empty() ? path : target;
}

std::optional<admin_reply> api::answer(std::string_view target) const {
  const std::string_view path = path_of(target);
  if (!path.starts_with(root)) return std::nullopt;
  if (path == shapes_path) return shapes(target);
  if (path.starts_with(shapes_path) && path[shapes_path.size()] == '/') {
    return shape(path.substr(shapes_path.size() + 1), target);
  }
  const std::string_view what = path.substr(root.size());
  if (what == "status") return json_reply(status());
  if (what == "collections") return json_reply(collections());
  if (what == "catalog") return json_reply(catalog());
  if (what == "history") return json_reply(history());
  return std::nullopt;
}

std::optional<digest::wall_time> api::moment_of(std::string_view target) const {
  const std::string_view since = text::query_parameter(target, "since");
  return since.empty() ? std::optional{started_at_} : parse_time(since);
}

admin_reply api::shapes(std::string_view target) const {
  admin_reply reply;
  if (cache_key(target) == stored_shapes) {
    reply.content_type = "application/x-ndjson; charset=utf-8";
    const std::string sketches = stored_sketches();
    from_.digest.read_view([&](const live_digest::view& all) {
      const auto actions_of = [&](const digest::row& row) {
        const shape_marks* const marks = all.marks_of(row);
        return marks == nullptr ? nullptr : &marks->actions;
      };
      reply.body =
          digest::stored_text(all.shapes, from_.max_shapes_bytes - sketches.size(), actions_of);
    });
    reply.body += sketches;
    return reply;
  }
  const auto moment = moment_of(target);
  if (!moment) return refusal(bad_request, expected_time);
  from_.digest.read_view([&](const live_digest::view& all) {
    reply = json_reply(shapes_json(all, *moment, from_.max_shapes_bytes));
  });
  return reply;
}

/// The sketches in their stored form; empty if there are none, or if they are larger than half
/// of a reply's size limit.
std::string api::stored_sketches() const {
  std::string text;
  if (from_.sketches == nullptr) return text;
  from_.sketches->read(
      [&](const digest::sketch_set& all) { text = digest::stored_sketches(all); });
  return text.size() <= from_.max_shapes_bytes / 2 ? text : std::string{};
}

admin_reply api::shape(std::string_view hash, std::string_view target) const {
  const auto requested = config::parse_hash(hash);
  if (!requested) return refusal(bad_request, "a shape's hash is 16 hex digits");
  const auto moment = moment_of(target);
  if (!moment) return refusal(bad_request, expected_time);
  std::string found;
  from_.digest.read_view(
      [&](const live_digest::view& all) { found = shape_json(all, *requested, *moment); });
  if (found.empty()) return refusal(not_found, "no shape with this hash has been seen");
  return json_reply(std::move(found));
}

std::string api::history() const {
  std::string text;
  from_.digest.read_view([&](const live_digest::view& all) {
    text = history_json(all.past, all.shapes_past, all.now);
  });
  return text;
}

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

namespace {

/// The maximum number of collections in a reply about the catalog; the reply counts the others.
constexpr std::size_t most_collections = 10'000;

void append_health(json_writer& to, upstream_health health) {
  health == upstream_health::unknown ? to.null("up")
                                     : to.flag("up", health == upstream_health::up);
}

void append_upstreams(json_writer& to, const listener_facts& of) {
  to.array("upstreams");
  for (const upstream_entry& each : of.upstreams()) {
    to.object();
    to.text("address", each.counts->name);
    to.flag("active", each.is_active());
    append_health(to, each.health());
    to.array("addresses");
    for (const auto& one : each.addresses) {
      to.object();
      to.text("address", one->address);
      to.flag("active", one->is_active.load());
      append_health(to, one->health.load());
      to.flag("draining", one->is_draining.load());
      to.number("connections", one->connections.load());
      to.end();
    }
    to.end();
    to.number("addressesLeftOut", each.counts->addresses_left_out.load());
    to.end();
  }
  to.end();
}

void append_listener(json_writer& to, const listener_facts& of, listener_state state) {
  to.object();
  to.text("address", of.address);
  to.text("state", label(state));
  append_upstreams(to, of);
  to.number("failovers", of.failovers.load());
  to.number("clientsWaiting", of.clients_waiting());
  to.number("longestWaitMillis", static_cast<std::uint64_t>(of.longest_wait_millis()));
  append_unix_time(to, "certificateExpiresAt", of.certificate_expires_at.load());
  to.end();
}

/// The first active condition of a kind, or null.
const condition* find_active(const std::vector<condition>& all, condition_kind kind) {
  const auto found = std::ranges::find_if(
      all, [kind](const condition& one) { return one.active && one.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

/// `stale`: null if the catalog isn't out of date.
void append_catalog(json_writer& to, const daemon_facts& facts, const api_facts& now,
                    const condition* stale) {
  to.object("catalog");
  to.text("source", now.catalog_source);
  to.text("state", label(facts.catalog->state.load()));
  append_unix_time(to, "loadedAt", facts.catalog_loaded_at.load());
  to.text("version", now.catalog->version().text());
  to.number("collections", facts.catalog_collections.load());
  to.number("chunks", facts.catalog_chunks.load());
  to.number("loadFailures", facts.catalog_load_failures.load());
  const bool is_live = facts.catalog->is_live.load();
  append_unix_time(to, "readAt", is_live ? facts.catalog->succeeded_at.load() : 0);
  to.flag("stale", stale != nullptr);
  to.end();
}

void append_fleet(json_writer& to, const daemon_facts& facts, const condition* stale) {
  if (facts.fleet_interval_ms.load() == 0) return to.null("fleet");
  to.object("fleet");
  append_unix_time(to, "flushedAt", facts.fleet_flushed_at.load());
  to.flag("stale", stale != nullptr);
  to.number("flushes", facts.fleet_flushes.load());
  to.number("failures", facts.fleet_failures.load());
  to.number("waitingCommands", facts.fleet_waiting.load());
  to.end();
}

void append_audit(json_writer& to, const audit_totals& counts, const std::string& file,
                  bool is_failing) {
  to.object("audit");
  to.text("file", file);
  to.number("lines", counts.lines.load());
  to.number("outstanding", counts.outstanding.load());
  to.number("lost", 0);  // nothing is lost while the daemon runs: unwritten lines wait
  to.number("writeFailures", counts.write_failures.load());
  to.flag("failing", is_failing);
  to.end();
}

void append_config(json_writer& to, const daemon_facts& facts, const std::string& file) {
  to.object("config");
  to.text_or_null("file", file);
  append_unix_time(to, "loadedAt", facts.config_loaded_at.load());
  to.flag("lastReloadSuccessful", facts.config_last_reload_successful.load() != 0);
  to.number("reloads", facts.config_reloads.load());
  to.number("reloadFailures", facts.config_reload_failures.load());
  to.end();
}

void append_state(json_writer& to, const daemon_facts& facts, const std::string& file,
                  const condition* failing) {
  to.object("state");
  to.text_or_null("file", file);
  to.number("writeFailures", facts.state_write_failures.load());
  to.flag("failing", failing != nullptr);
  to.text_or_null("reason", failing != nullptr ? failing->detail : std::string{});
  to.end();
}

void append_headline(json_writer& to, const headline& of) {
  to.object("headline");
  to.text("level", label(of.level));
  to.text("text", of.text);
  to.end();
}

/// The ids of the shards that own a chunk of the collection.
std::vector<std::string> shards_of(const routing::collection& of,
                                   const routing::catalog& catalog) {
  constexpr std::size_t bits = 64;
  std::vector<std::string> ids;
  const auto owners = of.chunks.all_owners();
  for (std::size_t shard = 0; shard < catalog.shards().size(); ++shard) {
    if (shard / bits >= owners.size()) break;
    if ((owners[shard / bits] >> (shard % bits) & 1) != 0)
      ids.push_back(catalog.shards()[shard]);
  }
  return ids;
}

void append_catalog_entry(json_writer& json, const routing::collection& of,
                          const routing::catalog& catalog) {
  json.object();
  json.text("ns", of.full_name());
  json.flag("sharded", of.is_sharded());
  json.raw("shardKey", of.is_sharded() ? routing::shard_key_json(of) : "null");
  json.flag("unique", of.unique);
  of.chunks.is_empty() ? json.null("chunks") : json.number("chunks", of.chunks.size());
  json.texts("shards", shards_of(of, catalog));
  json.end();
}

}  // namespace

std::string api::status() const {
  return status_at(std::chrono::system_clock::now(), from_.facts()) + '\n';
}

headline api::top_line() const {
  return top_line_at(std::chrono::system_clock::now(), from_.conditions.snapshot());
}

headline api::top_line_at(digest::wall_time now,
                          const std::vector<condition>& conditions) const {
  std::vector<listener_at> listeners;
  const auto steady_now = std::chrono::steady_clock::now();
  from_.metrics.for_each_listener([&](const listener_facts& one) {
    listeners.push_back({one.address, state_of(one, conditions), one.clients_waiting(),
                         one.longest_wait_millis(), one.silence_millis(steady_now)});
  });
  command_counts minute;
  from_.digest.read_view(
      [&](const live_digest::view& all) { minute = all.collections.all().recent.sum(now); },
      now);
  return headline_of(listeners, from_.readiness.unready_reason(), conditions, minute);
}

std::string api::status_at(digest::wall_time now, const api_facts& current) const {
  const daemon_facts& facts = from_.metrics.facts();
  const std::vector<condition> conditions = from_.conditions.snapshot();
  // The steady clock: the system's clock may be set.
  const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - started_);
  const std::string_view reason = from_.readiness.unready_reason();
  std::string text;
  json_writer json{text};
  json.object();
  append_head(json, now);
  append_headline(json, top_line_at(now, conditions));
  json.text("version", this_build().version);
  json.time("startedAt", started_at_);
  json.number("uptimeSeconds", static_cast<std::uint64_t>(uptime.count()));
  json.flag("ready", reason.empty());
  json.text_or_null("reason", reason);
  json.number("connections", from_.metrics.open_connections());
  json.number("workers", facts.workers.load());
  json.array("listeners");
  from_.metrics.for_each_listener([&](const listener_facts& one) {
    append_listener(json, one, state_of(one, conditions));
  });
  json.end();
  append_catalog(json, facts, current, find_active(conditions, condition_kind::catalog_stale));
  const bool is_audit_failing =
      find_active(conditions, condition_kind::audit_failing) != nullptr;
  append_audit(json, from_.audit.totals(), current.audit_file, is_audit_failing);
  append_config(json, facts, current.config_file);
  append_state(json, facts, current.state_file,
               find_active(conditions, condition_kind::state_failing));
  append_fleet(json, facts, find_active(conditions, condition_kind::fleet_stale));
  json.text("tap", current.is_tap_allowed ? "redacted" : "off");
  const auto quiet =
      std::chrono::duration_cast<std::chrono::seconds>(from_.digest.resolved_after());
  json.number("resolvedAfterSeconds", static_cast<std::uint64_t>(quiet.count()));
  json.text_or_null("grafanaLink", current.grafana_link);
  json.name("conditions");
  append_conditions(json, conditions);
  json.end();
  return text;
}

std::string api::catalog() const {
  const daemon_facts& facts = from_.metrics.facts();
  const api_facts now = from_.facts();
  const routing::catalog& catalog = *now.catalog;
  std::string text;
  json_writer json{text};
  json.object();
  append_head(json, std::chrono::system_clock::now());
  json.text("source", now.catalog_source);
  json.text("state", label(facts.catalog->state.load()));
  append_unix_time(json, "loadedAt", facts.catalog_loaded_at.load());
  json.text("version", catalog.version().text());
  const bool is_unknown = catalog.unlisted() == routing::unlisted_policy::unknown;
  json.text("unlisted", is_unknown ? "unknown" : "unsharded");
  json.texts("shards", catalog.shards());
  json.array("collections");
  const auto all = catalog.collections();
  const auto listed = all.first(std::min(all.size(), most_collections));
  for (const routing::collection& each : listed) append_catalog_entry(json, each, catalog);
  json.end();
  json.number("collectionsLeftOut", all.size() - listed.size());
  json.end();
  return text + '\n';
}

}  // namespace scattergate::telemetry
