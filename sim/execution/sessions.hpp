#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/storage/store.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The fields of a command that name its session and transaction.
struct session_fields {
  std::string id;               ///< the 16 bytes of `lsid.id`; empty: no session
  std::int64_t number = -1;     ///< txnNumber; -1: none
  bool in_transaction = false;  ///< `autocommit: false`
  bool starts = false;          ///< `startTransaction: true`

  /// Reads the session fields of a command's body. Throws command_failure: bad_value if
  /// `lsid.id` isn't a UUID, invalid_options if the fields don't fit together, such as a
  /// txnNumber without an lsid.
  [[nodiscard]] static session_fields of(const document& body);
};

/// All sessions of the simulated cluster. A session has at most one open transaction, and the
/// reply to its last retryable write. At 50,000 sessions, a new one replaces the least recently
/// used session without an open transaction.
class session_table {
 public:
  /// Returns the unit of work (the writes) of the transaction to which a command belongs. Valid
  /// until the transaction ends. If `fields.starts`, first aborts the session's older
  /// transaction, if any, and starts a new one. `now`: milliseconds since 1970. Throws
  /// command_failure (no_such_transaction, transaction_too_old,
  /// conflicting_operation_in_progress).
  [[nodiscard]] unit_of_work& transaction_of(const session_fields& fields, std::int64_t now);

  /// Commits a transaction and returns its changes; does nothing if it was already committed.
  /// Throws command_failure (no_such_transaction).
  std::vector<data_change> commit(const session_fields& fields);
  /// Aborts a transaction. Throws command_failure (no_such_transaction, or
  /// transaction_committed).
  void abort(const session_fields& fields);

  /// Aborts the session's open transaction because a command in it failed; does nothing if
  /// there is none.
  void forget_transaction(const session_fields& fields);

  /// The reply to an earlier attempt of a retryable write; null if this is the first attempt.
  /// Valid until the next change of the table. A higher txnNumber than the session's aborts the
  /// session's open transaction. `now`: milliseconds since 1970. Throws command_failure
  /// (transaction_too_old) if the session already has a higher txnNumber.
  [[nodiscard]] const document* repeated(const session_fields& fields, std::int64_t now);
  /// Keeps the reply to a retryable write, so that repeated() returns it for a second attempt.
  void remember(const session_fields& fields, const document& reply);

  /// Ends the session with this id and aborts its transaction; does nothing if there is none.
  void end(const std::string& id);

  /// Aborts transactions that have been open for 60 s (MongoDB's default of
  /// transactionLifetimeLimitSeconds). `now`: milliseconds since 1970.
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
  std::size_t open_ = 0;  ///< the number of open transactions
};

}  // namespace scattergate::sim
