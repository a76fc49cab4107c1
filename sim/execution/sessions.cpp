#include "sim/execution/sessions.hpp"

#include "sim/execution/arguments.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

constexpr std::size_t max_sessions = 50'000;
constexpr std::int64_t transaction_lifetime_ms = 60'000;

[[noreturn]] void no_such_transaction(const session_fields& fields) {
  refuse(errc::no_such_transaction, "Given transaction number " +
                                        std::to_string(fields.number) +
                                        " does not match any in-progress transactions.");
}

}  // namespace

session_fields session_fields::of(const document& body) {
  session_fields out;
  const value* id = argument(document_argument(body, "lsid"), "id");
  if (id != nullptr) {
    const auto* bytes = id->as<binary>();
    if (bytes == nullptr || bytes->bytes.size() != 16) refuse("lsid.id must be a UUID");
    out.id = bytes->bytes;
  }
  const value* number = argument(body, "txnNumber");
  if (number != nullptr) out.number = number->as_int64();
  const value* autocommit = argument(body, "autocommit");
  if (autocommit != nullptr && !autocommit->is<bool>())
    refuse(errc::type_mismatch, "autocommit must be a boolean");
  out.in_transaction = autocommit != nullptr && !autocommit->is_truthy();
  out.starts = flag_argument(body, "startTransaction");
  if ((number != nullptr && (out.id.empty() || out.number < 0)) ||
      (out.in_transaction && number == nullptr) || (out.starts && !out.in_transaction)) {
    refuse(errc::invalid_options,
           "txnNumber needs an lsid, autocommit a txnNumber, "
           "startTransaction autocommit: false");
  }
  return out;
}

void session_table::make_room() {
  if (sessions_.size() < max_sessions) return;
  auto oldest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    if (at->second.unit == nullptr &&
        (oldest == sessions_.end() || at->second.used < oldest->second.used)) {
      oldest = at;
    }
  }
  if (oldest != sessions_.end()) sessions_.erase(oldest);
}

session_table::session& session_table::touch(const std::string& id, std::int64_t now) {
  if (!sessions_.contains(id)) make_room();
  session& found = sessions_[id];
  found.used = now;
  return found;
}

session_table::session& session_table::with_number(const session_fields& fields) {
  const auto at = sessions_.find(fields.id);
  if (at == sessions_.end() || at->second.number != fields.number) no_such_transaction(fields);
  return at->second;
}

void session_table::advance(session& of, std::int64_t number) {
  if (number < of.number) {
    refuse(errc::transaction_too_old,
           "Cannot go back to transaction number " + std::to_string(number));
  }
  if (number == of.number) return;
  if (of.unit != nullptr) --open_;
  of.unit.reset();
  of.transaction = state::none;
  of.last_reply.reset();
  of.number = number;
}

unit_of_work& session_table::transaction_of(const session_fields& fields, std::int64_t now) {
  session& found = touch(fields.id, now);
  if (fields.starts) {
    advance(found, fields.number);
    if (found.transaction != state::none) {
      refuse(errc::conflicting_operation_in_progress,
             "Cannot start a transaction that is already in progress");
    }
    found.unit = std::make_unique<unit_of_work>();
    found.transaction = state::open;
    found.begun = now;
    ++open_;
  }
  if (found.number != fields.number || found.unit == nullptr) no_such_transaction(fields);
  return *found.unit;
}

std::vector<data_change> session_table::commit(const session_fields& fields) {
  session& found = with_number(fields);
  if (found.transaction == state::committed) return {};
  if (found.transaction != state::open) no_such_transaction(fields);
  std::vector<data_change> changes = found.unit->commit();
  found.unit.reset();
  found.transaction = state::committed;
  --open_;
  return changes;
}

void session_table::abort(const session_fields& fields) {
  session& found = with_number(fields);
  if (found.transaction == state::committed)
    refuse(errc::transaction_committed, "Transaction has been committed");
  if (found.transaction != state::open) no_such_transaction(fields);
  forget_transaction(fields);
}

void session_table::forget_transaction(const session_fields& fields) {
  const auto at = sessions_.find(fields.id);
  if (at == sessions_.end() || at->second.unit == nullptr) return;
  at->second.unit.reset();
  at->second.transaction = state::aborted;
  --open_;
}

const document* session_table::repeated(const session_fields& fields, std::int64_t now) {
  session& found = touch(fields.id, now);
  advance(found, fields.number);
  return found.last_reply ? &*found.last_reply : nullptr;
}

void session_table::remember(const session_fields& fields, const document& reply) {
  const auto at = sessions_.find(fields.id);
  if (at != sessions_.end() && at->second.number == fields.number)
    at->second.last_reply = reply;
}

void session_table::end(const std::string& id) {
  const auto at = sessions_.find(id);
  if (at == sessions_.end()) return;
  if (at->second.unit != nullptr) --open_;
  sessions_.erase(at);
}

void session_table::expire(std::int64_t now) {
  if (open_ == 0) return;
  for (auto& [id, each] : sessions_) {
    if (each.unit == nullptr || now - each.begun < transaction_lifetime_ms) continue;
    each.unit.reset();
    each.transaction = state::aborted;
    --open_;
  }
}

}  // namespace scattergate::sim
