#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/storage/store.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The session fields of a command.
struct session_fields {
  std::string id;            ///< the bytes of `lsid.id`; empty: no session
  std::int64_t number = -1;  ///< txnNumber; -1: none
  bool in_transaction = false;
  bool starts = false;

  /// Throws command_failure (bad_value, invalid_options) for inconsistent fields.
  [[nodiscard]] static session_fields of(const document& body);
};

/// Sessions, with their transaction and the reply to their last retryable write.
class session_table {
 public:
  /// The unit of work of the command's transaction, which it may start. Throws command_failure:
  /// no_such_transaction, transaction_too_old.
  [[nodiscard]] unit_of_work& transaction_of(const session_fields& fields, std::int64_t now);

  /// Throw command_failure (no_such_transaction). Committing twice isn't an error.
  void commit(const session_fields& fields);
  void abort(const session_fields& fields);

  /// Aborts an open transaction, after an error in it.
  void forget_transaction(const session_fields& fields);

  /// The earlier reply to a retryable write, if this is a retry. Throws command_failure
  /// (transaction_too_old) for an old number.
  [[nodiscard]] const document* repeated(const session_fields& fields, std::int64_t now);
  void remember(const session_fields& fields, const document& reply);

  /// Ends a session; aborts its transaction.
  void end(const std::string& id);

  /// Aborts transactions older than mongod's transactionLifetimeLimitSeconds.
  void expire(std::int64_t now);

 private:
  enum class state : std::uint8_t { none, open, committed, aborted };
  struct session {
    std::int64_t number = -1;
    state transaction = state::none;
    std::unique_ptr<unit_of_work> unit;
    std::int64_t begun = 0;
    std::int64_t used = 0;
    std::optional<document> last_reply;
  };
  session& touch(const std::string& id, std::int64_t now);
  session& with_number(const session_fields& fields);
  void advance(session& of, std::int64_t number);
  void make_room();

  std::map<std::string, session> sessions_;
  std::size_t open_ = 0;  ///< transactions in progress
};

}  // namespace scattergate::sim
