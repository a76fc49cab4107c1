#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_client.hpp"
#include "digest/row.hpp"

namespace scattergate::fleet {

/// A statement of an update command that failed: one entry of the reply's writeErrors.
struct failed_statement {
  std::size_t index = 0;
  std::int32_t code = 0;
  std::string text;
};

/// The failed statement as an error, with the server's code and message.
[[nodiscard]] config::mongo_error error_of(const failed_statement& one);

/// The reply to an update command.
struct update_outcome {
  std::uint64_t matched = 0;  ///< documents found or created
  std::vector<failed_statement> failed;
};

/// The server error code DuplicateKey: the document exists already.
inline constexpr std::int32_t duplicate_key = 11000;

/// A complete BSON document.
using document = std::vector<std::byte>;

/// A connection to the fleet's database, with the commands that the fleet needs. Writes have
/// the write concern `majority`. Every call blocks. After an error, open a new connection.
/// Thread-safety: one thread at a time.
class database {
 public:
  /// Connects. `at_most`: the timeout of each wait for the server.
  [[nodiscard]] static config::mongo_result<std::unique_ptr<database>> open(
      const std::string& uri, std::string name, std::chrono::milliseconds at_most);

  /// Whether the server supports transactions: replica sets since 4.0, mongos since 4.2.
  [[nodiscard]] bool has_transactions() const noexcept { return has_transactions_; }

  /// The server's current time, and how far this host's clock is ahead of it.
  struct clocks {
    digest::wall_time server;
    std::chrono::milliseconds skew{0};
  };
  /// Asks the server for its time.
  [[nodiscard]] config::mongo_result<clocks> read_clocks();

  using statements = std::vector<document>;
  /// Runs an update command with these statements. `is_ordered`: it stops at the first
  /// statement that fails. Failed statements are part of the outcome; an error means that the
  /// command failed, or that no majority has acknowledged it.
  [[nodiscard]] config::mongo_result<update_outcome> update(std::string_view collection,
                                                            const statements& all,
                                                            bool is_ordered = true);
  /// Runs an ordered update command in the current transaction. REQUIRES: begin_transaction().
  [[nodiscard]] config::mongo_result<update_outcome> update_in_transaction(
      std::string_view collection, const statements& all);

  /// Finds one document; std::nullopt if there is none. Uses the read concern `majority` if the
  /// server has transactions.
  [[nodiscard]] config::mongo_result<std::optional<document>> find_one(
      std::string_view collection, wire::document_view filter);
  /// Deletes at most one document.
  [[nodiscard]] config::mongo_result<void> remove(std::string_view collection,
                                                  wire::document_view filter);
  /// Passes each document of a collection to `sink`, in no particular order.
  [[nodiscard]] config::mongo_result<void> find_all(
      std::string_view collection, const config::mongo_reader::document_sink& sink);

  /// Begins a transaction; returns the ID of its session.
  [[nodiscard]] config::mongo_result<document> begin_transaction() {
    return client_->begin_transaction();
  }
  [[nodiscard]] config::mongo_result<void> commit() { return client_->commit_transaction(); }
  /// Aborts the current transaction.
  void abort() noexcept { client_->abort_transaction(); }
  /// Call it after an error. If the server was unreachable, drops the connection without
  /// sending anything more.
  void give_up_after(const config::mongo_error& error) noexcept {
    if (error.kind == config::mongo_failure::unreachable) client_->abandon();
  }
  /// Kills a session of an earlier connection, which aborts its transaction and releases its
  /// locks. Fails only if the server is unreachable.
  [[nodiscard]] config::mongo_result<void> end_session(wire::document_view id);

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
