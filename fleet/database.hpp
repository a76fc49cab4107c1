#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_client.hpp"
#include "digest/row.hpp"

namespace scattergate::fleet {

/// Makes the mongosh commands that prepare the fleet's database: indexes, sharding, a role
/// with exactly the privileges that sidecars (scattergate daemons) and `report` need, and a
/// user with this role. `database`: the database's name.
[[nodiscard]] std::string init_commands(std::string_view database);

/// A statement of an update command that failed: one entry of the reply's `writeErrors`.
struct failed_statement {
  std::size_t index = 0;  ///< the statement's index within the command
  std::int32_t code = 0;  ///< the server's error code
  std::string text;       ///< the server's error message
};

/// Converts a failed statement to an error with the server's code and message.
[[nodiscard]] config::mongo_error error_of(const failed_statement& one);

/// The reply to an update command.
struct update_outcome {
  std::uint64_t matched = 0;             ///< number of documents found or created
  std::vector<failed_statement> failed;  ///< empty: every statement succeeded
};

/// The server's error code DuplicateKey: an upsert tried to create a document that exists.
inline constexpr std::int32_t duplicate_key = 11000;

/// A complete BSON document.
using document = std::vector<std::byte>;

/// A connection to the fleet's database, in which many sidecars (scattergate daemons) add up
/// their counts. Has only the commands that the fleet needs. Writes use the write concern
/// `majority`. Every call blocks. After an error, destroy this object and open a new one.
/// Thread-safety: one thread at a time.
class database {
 public:
  /// Connects to the servers of the connection string `uri`. `name`: the database's name.
  /// `wait_limit`: the timeout for finding a server, and for each reply of the server. `stop`:
  /// ends the current call and all later ones, from any thread.
  [[nodiscard]] static config::mongo_result<std::unique_ptr<database>> open(
      const std::string& uri, std::string name, std::chrono::milliseconds wait_limit,
      std::stop_token stop = {});

  /// Whether the server supports transactions: replica sets since 4.0, mongos since 4.2.
  [[nodiscard]] bool has_transactions() const noexcept { return has_transactions_; }

  /// The server's clock compared with this host's.
  struct clocks {
    digest::wall_time server;           ///< the server's current time
    std::chrono::milliseconds skew{0};  ///< how far this host's clock is ahead of the server's;
                                        ///< negative: behind it
  };
  /// Asks the server for its time. If the reply has no time, returns this host's time and no
  /// skew.
  [[nodiscard]] config::mongo_result<clocks> read_clocks();

  /// Update statements, each as an element of the command's array `updates`.
  using statements = std::vector<document>;
  /// Runs one update command with the statements `all`. `is_ordered`: the server stops at the
  /// first statement that fails. The outcome lists the statements that failed. An error means
  /// that the whole command failed, or that no majority has acknowledged the writes.
  [[nodiscard]] config::mongo_result<update_outcome> update(std::string_view collection,
                                                            const statements& all,
                                                            bool is_ordered = true);
  /// Runs an update command in the current transaction; the server stops at the first
  /// statement that fails. REQUIRES: begin_transaction() was called.
  [[nodiscard]] config::mongo_result<update_outcome> update_in_transaction(
      std::string_view collection, const statements& all);

  /// Finds one document that matches `filter`; std::nullopt if there is none. Uses the read
  /// concern `majority` if the server has transactions.
  [[nodiscard]] config::mongo_result<std::optional<document>> find_one(
      std::string_view collection, wire::document_view filter);
  /// Deletes at most one document that matches `filter`.
  [[nodiscard]] config::mongo_result<void> remove(std::string_view collection,
                                                  wire::document_view filter);
  /// Passes each document of a collection to `sink`, in no particular order. `sink` returns
  /// false to stop.
  [[nodiscard]] config::mongo_result<void> find_all(
      std::string_view collection, const config::mongo_reader::document_sink& sink);

  /// Begins a transaction. Returns the id of the transaction's session, for end_session().
  [[nodiscard]] config::mongo_result<document> begin_transaction() {
    return client_->begin_transaction();
  }
  /// Commits the current transaction.
  [[nodiscard]] config::mongo_result<void> commit() { return client_->commit_transaction(); }
  /// Aborts the current transaction. Ignores errors: the server aborts it later.
  void abort() { client_->abort_transaction(); }
  /// Call it after an error, before destroying this object. If the server was unreachable, the
  /// destructor then doesn't wait for the server to end sessions and transactions.
  void give_up_after(const config::mongo_error& error) noexcept {
    if (error.kind == config::mongo_failure::unreachable) client_->abandon();
  }
  /// Kills the session `id` of an earlier connection. The server then aborts the session's
  /// open transaction and releases the transaction's locks. Fails only if the server is
  /// unreachable.
  [[nodiscard]] config::mongo_result<void> end_session(wire::document_view id);

  /// The database's name.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  database(std::unique_ptr<config::mongo_client> client, std::string name,
           const config::mongo_server& server);

  std::unique_ptr<config::mongo_client> client_;
  std::string name_;
  bool has_transactions_;
};

/// The filter `{_id: id}`.
[[nodiscard]] document by_id(std::string_view id);

}  // namespace scattergate::fleet
