#include "fleet/lease.hpp"

#include <algorithm>
#include <utility>

#include "fleet/bson_parts.hpp"
#include "fleet/names.hpp"

namespace scattergate::fleet {
namespace {

using config::mongo_result;
using wire::bson_writer;

/// Finds the lease `name` while the process with this token holds it.
void append_holder(bson_writer& to, const std::string& name, const std::string& token) {
  to.text("_id", name);
  to.text("token", token);
}

/// True if the statement found its document.
mongo_result<bool> apply(database& in, document statement) {
  const auto done = in.update(collections::leases, {std::move(statement)});
  if (!done) return done.error();
  if (done->failed.empty()) return done->matched != 0;
  const failed_statement& first = done->failed.front();
  if (first.code == duplicate_key) return false;
  return error_of(first);
}

}  // namespace

struct lease::record {
  std::string uuid;
  std::string token;
  std::uint64_t renewals = 0;
};

std::chrono::milliseconds lease::duration_for(std::chrono::milliseconds interval) {
  constexpr std::chrono::milliseconds least{60'000};
  return std::max(3 * interval, least);
}

mongo_result<lease::standing> lease::renew(database& in, clock::time_point now) {
  if (is_held_) {
    const auto still = prolong(in);
    if (!still) return still.error();
    is_held_ = *still;
  }
  if (!is_held_) {
    const auto found = in.find_one(collections::leases, view_of(by_id(owner_.name)));
    if (!found) return found.error();
    mongo_result<bool> taken = false;
    if (!*found) {
      taken = create(in);
    } else {
      const wire::document_view there = view_of(**found);
      const record seen{text_in(there, "sidecar"), text_in(there, "token"),
                        number_in(there, "renewals")};
      if (is_free(seen, now)) taken = take_from(in, seen);
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

/// A sidecar that restarts takes over what its earlier process held. A second process with a
/// copy of the state file has the same uuid: after losing the lease to it, this one waits.
bool lease::is_free(const record& seen, clock::time_point now) {
  if (seen.uuid == owner_.uuid && !was_held_) return true;
  other_ = seen.uuid == owner_.uuid ? "another process with a copy of the state file"
                                    : "sidecar " + seen.uuid;
  std::string anew = seen.token + ":" + std::to_string(seen.renewals);
  if (anew != seen_) {
    seen_ = std::move(anew);
    seen_at_ = now;
  }
  return now - seen_at_ >= duration_;
}

mongo_result<bool> lease::create(database& in) {
  bson_writer to;
  to.open_document("q");
  append_holder(to, owner_.name, owner_.token);
  to.close();
  to.open_document("u");
  to.open_document("$setOnInsert");
  to.int32("schemaVersion", schema_version);
  to.text("sidecar", owner_.uuid);
  to.int64("renewals", 1);
  to.close();
  append_server_time(to, "renewedAt");
  to.close();
  to.boolean("upsert", true);
  return apply(in, to.take());
}

mongo_result<bool> lease::prolong(database& in) {
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
  return apply(in, to.take());
}

mongo_result<bool> lease::take_from(database& in, const record& before) {
  bson_writer to;
  to.open_document("q");
  append_holder(to, owner_.name, before.token);
  to.int64("renewals", static_cast<std::int64_t>(before.renewals));
  to.close();
  to.open_document("u");
  to.open_document("$set");
  to.text("sidecar", owner_.uuid);
  to.text("token", owner_.token);
  to.close();
  to.open_document("$inc");
  to.int64("renewals", 1);
  to.close();
  append_server_time(to, "renewedAt");
  to.close();
  return apply(in, to.take());
}

void lease::release(database& in) {
  if (!std::exchange(is_held_, false)) return;
  bson_writer filter;
  append_holder(filter, owner_.name, owner_.token);
  const document held = filter.take();
  static_cast<void>(in.remove(collections::leases, view_of(held)));
}

}  // namespace scattergate::fleet
