#include "fleet/lease.hpp"

#include <algorithm>
#include <utility>

#include "fleet/bson_parts.hpp"

namespace scattergate::fleet {
namespace {

using config::mongo_result;
using wire::bson_writer;

/// Appends a filter that matches the lease `name` while the process with this token holds it.
void append_holder(bson_writer& to, const std::string& name, const std::string& token) {
  to.text("_id", name);
  to.text("token", token);
}

/// A filter that matches the lease `name` until its token or its number of renewals differs
/// from the document `read`. Works with damaged documents, too.
document filter_of(const std::string& name, wire::document_view read) {
  bson_writer to;
  to.text("_id", name);
  for (const char* const field : {"token", "renewals"}) {
    to.open_document(field);
    const auto found = wire::find_field(read, field);
    if (found) {
      to.copy("$eq", *found);
    } else {
      to.raw("$eq", wire::bson_type::null, {});
    }
    to.close();
  }
  return to.take();
}

/// Runs an update statement on the leases. Returns whether it matched or created a document;
/// false if another process has created it first.
mongo_result<bool> apply(database& db, document statement) {
  const auto done = db.update(collections::leases, {std::move(statement)});
  if (!done) return done.error();
  if (done->failed.empty()) return done->matched != 0;
  const failed_statement& first = done->failed.front();
  if (first.code == duplicate_key) return false;
  return error_of(first);
}

}  // namespace

std::chrono::milliseconds lease::duration_for(std::chrono::milliseconds interval) {
  constexpr std::chrono::milliseconds least{60'000};
  return std::max(3 * interval, least);
}

mongo_result<lease::standing> lease::renew(database& db, clock::time_point now) {
  if (is_held_) {
    const auto still = renew_own(db);
    if (!still) return still.error();
    is_held_ = *still;
  }
  if (!is_held_) {
    const auto found = db.find_one(collections::leases, view_of(by_id(owner_.name)));
    if (!found) return found.error();
    mongo_result<bool> taken = false;
    if (!*found) {
      taken = create(db);
    } else {
      const wire::document_view there = view_of(**found);
      const document seen = filter_of(owner_.name, there);
      if (is_free(there, seen, now)) taken = take_over(db, seen);
    }
    if (!taken) return taken.error();
    is_held_ = *taken;
  }
  if (!is_held_) return standing::held_by_another;
  was_held_ = true;
  other_.clear();
  seen_.clear();
  return standing::held;
}

/// A restarted sidecar takes over its earlier process's lease at once. A second process with a
/// copy of the state file has the same uuid. If it takes the lease from this process, this
/// process waits until the lease expires.
bool lease::is_free(wire::document_view there, const document& seen, clock::time_point now) {
  const std::string uuid = short_text_in(there, "sidecar");
  const std::string host = short_text_in(there, "host");
  is_held_by_copy_ = uuid == owner_.uuid;
  if (is_held_by_copy_ && !was_held_) return true;
  other_ = is_held_by_copy_ ? "another process with a copy of the state file"
           : uuid.empty()   ? "a damaged document in the collection leases"
                            : "sidecar " + uuid;
  if (!host.empty()) other_ += ", on the host " + host;
  if (seen != seen_) {
    seen_ = seen;
    seen_at_ = now;
  }
  return now - seen_at_ >= duration_;
}

mongo_result<bool> lease::create(database& db) {
  bson_writer to;
  to.open_document("q");
  append_holder(to, owner_.name, owner_.token);
  to.close();
  to.open_document("u");
  to.open_document("$setOnInsert");
  to.int32("schemaVersion", schema_version);
  to.text("sidecar", owner_.uuid);
  append_exact(to, "host", owner_.host);
  to.int64("renewals", 1);
  to.close();
  append_server_time(to, "renewedAt");
  to.close();
  to.boolean("upsert", true);
  return apply(db, to.take());
}

mongo_result<bool> lease::renew_own(database& db) {
  bson_writer to;
  to.open_document("q");
  append_holder(to, owner_.name, owner_.token);
  to.close();
  to.open_document("u");
  to.open_document("$inc");
  to.int64("renewals", 1);
  to.close();
  append_server_time(to, "renewedAt");
  to.close();
  return apply(db, to.take());
}

mongo_result<bool> lease::take_over(database& db, const document& seen) {
  bson_writer to;
  to.document("q", view_of(seen));
  to.open_document("u");
  to.open_document("$set");
  to.text("sidecar", owner_.uuid);
  append_exact(to, "host", owner_.host);
  to.text("token", owner_.token);
  to.int64("renewals", 1);
  to.close();
  append_server_time(to, "renewedAt");
  to.close();
  return apply(db, to.take());
}

void lease::release(database& db) {
  if (!std::exchange(is_held_, false)) return;
  bson_writer filter;
  append_holder(filter, owner_.name, owner_.token);
  const document held = filter.take();
  static_cast<void>(db.remove(collections::leases, view_of(held)));
}

}  // namespace scattergate::fleet
