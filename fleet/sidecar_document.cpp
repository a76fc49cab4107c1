#include "fleet/sidecar_document.hpp"

#include "fleet/bson_parts.hpp"
#include "fleet/names.hpp"

namespace scattergate::fleet {

using config::mongo_result;

mongo_result<void> write_facts(database& to, const std::string& uuid, const std::string& token,
                               const sidecar_facts& facts) {
  wire::bson_writer update;
  update.open_document("q");
  update.text("_id", uuid);
  update.close();
  update.open_document("u");
  update.open_document("$setOnInsert");
  update.int32("schemaVersion", schema_version);
  update.close();
  update.open_document("$set");
  update.text("token", token);
  append_exact(update, "name", facts.name);
  update.text("version", facts.version);
  append_exact(update, "catalog", facts.catalog);
  update.text("rules", facts.rules);
  update.int64("skewMillis", facts.skew.count());
  update.int64("lagMillis", facts.lag.count());
  update.int64("waiting", static_cast<std::int64_t>(facts.waiting));
  update.int64("dropped", static_cast<std::int64_t>(facts.dropped));
  append_exact(update, "nameHeldBy", facts.name_holder);
  append_date(update, "expiresAt", facts.expires_at);
  update.close();
  append_server_time(update, "seenAt");
  update.close();
  update.boolean("upsert", true);
  const auto done = to.update(collections::sidecars, {update.take()});
  if (!done) return done.error();
  if (done->failed.empty()) return {};
  return error_of(done->failed.front());
}

sidecar_status read_sidecar(wire::document_view stored) {
  sidecar_status made;
  made.uuid = short_text_in(stored, "_id");
  made.name = short_text_in(stored, "name");
  made.version = short_text_in(stored, "version");
  made.catalog = short_text_in(stored, "catalog");
  made.rules = short_text_in(stored, "rules");
  made.skew = std::chrono::milliseconds{signed_in(stored, "skewMillis").value_or(0)};
  made.lag = std::chrono::milliseconds{signed_in(stored, "lagMillis").value_or(0)};
  made.waiting = number_in(stored, "waiting");
  made.dropped = number_in(stored, "dropped");
  made.name_holder = short_text_in(stored, "nameHeldBy");
  made.seen_at = date_in(stored, "seenAt");
  made.flushed_at = date_in(stored, "flushedAt");
  made.flushes = number_in(document_in(stored, "lastFlush"), "number");
  return made;
}

}  // namespace scattergate::fleet
