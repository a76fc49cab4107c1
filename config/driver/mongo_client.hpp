#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/driver/cursor_reader.hpp"
#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// A function that receives libmongoc's own warnings and errors, on any thread. Empty (the
/// default): they are discarded.
using mongo_log_handler = std::function<void(bool is_error, std::string_view message)>;
/// Sets the handler for all clients of the process.
void set_mongo_log(mongo_log_handler handler);

/// A connection to MongoDB over mongo-c-driver, without threads of its own. Every call blocks:
/// up to 5 s to find a mongos and 15 s for a reply, unless the connection string says
/// otherwise. After an error, make a new client: the old one would wait for seconds before it
/// reconnects. Thread-safety: one thread at a time.
class mongo_client final : public mongo_reader {
 public:
  /// Creates a client for a connection string, or returns the error bad_uri. The client
  /// connects only at its first call. `application`: the appName for the server's log, unless
  /// the connection string has one. `wait_limit`: the maximum time to find a mongos, and for
  /// each reply, even if the connection string allows more; std::nullopt: only the limits of
  /// the connection string.
  [[nodiscard]] static mongo_result<std::unique_ptr<mongo_client>> open(
      const std::string& uri, const std::string& application,
      std::optional<std::chrono::milliseconds> wait_limit = std::nullopt);
  ~mongo_client() override;

  [[nodiscard]] mongo_result<mongo_server> connect() override;
  [[nodiscard]] mongo_result<std::vector<std::byte>> run(std::string_view database,
                                                         wire::document_view command) override;
  [[nodiscard]] mongo_result<void> find(std::string_view database, std::string_view collection,
                                        wire::document_view filter, wire::document_view options,
                                        const document_sink& sink) override;
  [[nodiscard]] mongo_result<void> list_collections(std::string_view database,
                                                    wire::document_view options,
                                                    const document_sink& sink) override;

  /// Begins a transaction. At the commit, a majority must acknowledge the writes. Returns the
  /// session's id in the form that the command killSessions takes. REQUIRES: no transaction is
  /// open.
  [[nodiscard]] mongo_result<std::vector<std::byte>> begin_transaction();
  /// Runs a write command in the open transaction, and returns the reply. After an error, call
  /// abort_transaction(). REQUIRES: begin_transaction() succeeded.
  [[nodiscard]] mongo_result<std::vector<std::byte>> run_in_transaction(
      std::string_view database, wire::document_view command);
  /// Commits the open transaction. Keeps libmongoc from reconnecting to retry the commit,
  /// because it would wait for the server again. See mongo_error::is_outcome_unknown.
  [[nodiscard]] mongo_result<void> commit_transaction();
  /// Aborts the open transaction, if the server can still be reached.
  void abort_transaction() noexcept;

  /// Call it after a broken connection, before destroying the client. The destructor then
  /// doesn't wait for the server to end the sessions and the open transaction.
  void abandon() noexcept;

 private:
  struct impl;
  explicit mongo_client(std::unique_ptr<impl> made);
  [[nodiscard]] cursor_reader cursors();

  std::unique_ptr<impl> impl_;
};

}  // namespace scattergate::config
