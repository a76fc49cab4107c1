// The parts of api that tell how the daemon is, and what it judges by.

#include <algorithm>

#include "routing/words/describe.hpp"
#include "telemetry/admin/api.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/conditions/conditions_json.hpp"
#include "telemetry/metrics/build_info.hpp"

namespace scattergate::telemetry {
namespace {

/// Collections of a catalog that are told; the rest is counted.
constexpr std::size_t most_collections = 10'000;

void append_listener(std::string& to, const listener_facts& of, listener_state state) {
  digest::object_writer json{to};
  json.text("address", of.address);
  json.text("state", label(state));
  json.head("upstreams");
  const std::size_t active = of.active.load();
  for (std::size_t i = 0; i < of.upstreams.size(); ++i) {
    to += i == 0 ? '[' : ',';
    digest::object_writer one{to};
    one.text("address", of.upstreams[i].name);
    one.flag("active", i == active);
    const auto health = of.upstreams[i].health.load();
    one.raw("up", health == upstream_health::unknown ? "null"
                  : health == upstream_health::up    ? "true"
                                                     : "false");
    one.end();
  }
  to += of.upstreams.empty() ? "[]" : "]";
  json.number("failovers", of.failovers.load());
  json.number("clientsWaiting", of.clients_waiting());
  json.number("longestWaitMillis", static_cast<std::uint64_t>(of.longest_wait_millis()));
  json.raw("certificateExpiresAt", unix_time_json(of.certificate_expires_at.load()));
  json.end();
}

std::string catalog_text(const daemon_facts& facts, const api_facts& now) {
  std::string text;
  digest::object_writer json{text};
  json.text("source", now.catalog_source);
  json.text("state", label(facts.catalog->state.load()));
  json.raw("loadedAt", unix_time_json(facts.catalog_loaded_at.load()));
  json.text("version", now.catalog->version().text());
  json.number("collections", facts.catalog_collections.load());
  json.number("chunks", facts.catalog_chunks.load());
  json.number("loadFailures", facts.catalog_load_failures.load());
  json.end();
  return text;
}

/// The first active one of a kind; null where there is none.
const condition* find_active(const std::vector<condition>& all, condition_kind kind) {
  const auto found = std::ranges::find_if(
      all, [kind](const condition& one) { return one.active && one.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

std::string audit_text(const audit_log::counts& counts, const std::string& file,
                       bool is_failing) {
  std::string text;
  digest::object_writer json{text};
  json.text("file", file);
  json.number("lines", counts.lines);
  json.number("outstanding", counts.outstanding);
  json.number("lost", 0);  // none is while it runs: what can't be written waits
  json.number("writeFailures", counts.write_failures);
  json.flag("failing", is_failing);
  json.end();
  return text;
}

std::string config_text(const daemon_facts& facts, const std::string& file) {
  std::string text;
  digest::object_writer json{text};
  json.text_or_null("file", file);
  json.raw("loadedAt", unix_time_json(facts.config_loaded_at.load()));
  json.flag("lastReloadSuccessful", facts.config_last_reload_successful.load() != 0);
  json.number("reloads", facts.config_reloads.load());
  json.number("reloadFailures", facts.config_reload_failures.load());
  json.end();
  return text;
}

std::string state_text(const daemon_facts& facts, const std::string& file,
                       const condition* failing) {
  std::string text;
  digest::object_writer json{text};
  json.text_or_null("file", file);
  json.number("writeFailures", facts.state_write_failures.load());
  json.flag("failing", failing != nullptr);
  json.text_or_null("reason", failing != nullptr ? failing->detail : std::string{});
  json.end();
  return text;
}

std::string headline_text(const headline& of) {
  std::string text;
  digest::object_writer json{text};
  json.text("level", label(of.level));
  json.text("text", of.text);
  json.end();
  return text;
}

/// The ids of the shards that have a chunk of it.
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

void append_catalog_entry(std::string& to, const routing::collection& of,
                          const routing::catalog& catalog) {
  digest::object_writer json{to};
  json.text("ns", of.full_name());
  json.flag("sharded", of.is_sharded());
  json.raw("shardKey", of.is_sharded() ? routing::shard_key_json(of) : "null");
  json.flag("unique", of.unique);
  of.chunks.is_empty() ? json.raw("chunks", "null") : json.number("chunks", of.chunks.size());
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
  from_.metrics.for_each_listener([&](const listener_facts& one) {
    listeners.push_back({one.address, state_of(one, conditions), one.clients_waiting(),
                         one.longest_wait_millis()});
  });
  command_counts minute;
  from_.digest.look_around(
      [&](const live_digest::view& all) { minute = all.collections.all().recent.sum(now); },
      now);
  return headline_of(listeners, from_.readiness.unready_reason(), conditions, minute);
}

std::string api::status_at(digest::wall_time now, const api_facts& current) const {
  const daemon_facts& facts = from_.metrics.facts();
  const std::vector<condition> conditions = from_.conditions.snapshot();
  const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(now - started_at_);
  const std::string_view reason = from_.readiness.unready_reason();
  std::string to;
  digest::object_writer json{to};
  append_head(json, now);
  json.raw("headline", headline_text(top_line_at(now, conditions)));
  json.text("version", this_build().version);
  json.raw("startedAt", time_json(started_at_));
  json.number("uptimeSeconds",
              static_cast<std::uint64_t>(std::max<std::int64_t>(0, uptime.count())));
  json.flag("ready", reason.empty());
  json.text_or_null("reason", reason);
  json.number("connections", from_.metrics.open_connections());
  json.number("workers", facts.workers.load());
  json.head("listeners");
  to += '[';
  from_.metrics.for_each_listener([&](const listener_facts& one) {
    if (to.back() == '}') to += ',';
    append_listener(to, one, state_of(one, conditions));
  });
  to += ']';
  json.raw("catalog", catalog_text(facts, current));
  const bool is_audit_failing =
      find_active(conditions, condition_kind::audit_failing) != nullptr;
  json.raw("audit", audit_text(from_.audit.totals(), current.audit_file, is_audit_failing));
  json.raw("config", config_text(facts, current.config_file));
  json.raw("state", state_text(facts, current.state_file,
                               find_active(conditions, condition_kind::state_failing)));
  json.text("tap", current.is_tap_allowed ? "redacted" : "off");
  const auto quiet =
      std::chrono::duration_cast<std::chrono::seconds>(from_.digest.resolved_after());
  json.number("resolvedAfterSeconds", static_cast<std::uint64_t>(quiet.count()));
  json.text_or_null("grafanaLink", current.grafana_link);
  json.raw("conditions", conditions_json(conditions));
  json.end();
  return to;
}

std::string api::catalog() const {
  const daemon_facts& facts = from_.metrics.facts();
  const api_facts now = from_.facts();
  const routing::catalog& catalog = *now.catalog;
  std::string text;
  digest::object_writer json{text};
  append_head(json, std::chrono::system_clock::now());
  json.text("source", now.catalog_source);
  json.text("state", label(facts.catalog->state.load()));
  json.raw("loadedAt", unix_time_json(facts.catalog_loaded_at.load()));
  json.text("version", catalog.version().text());
  const bool is_unknown = catalog.unlisted() == routing::unlisted_policy::unknown;
  json.text("unlisted", is_unknown ? "unknown" : "unsharded");
  json.texts("shards", {catalog.shards().begin(), catalog.shards().end()});
  json.head("collections");
  const auto all = catalog.collections();
  const auto told = all.first(std::min(all.size(), most_collections));
  text += '[';
  for (const routing::collection& each : told) {
    if (text.back() == '}') text += ',';
    append_catalog_entry(text, each, catalog);
  }
  text += ']';
  json.number("collectionsLeftOut", all.size() - told.size());
  json.end();
  return text + '\n';
}

}  // namespace scattergate::telemetry
