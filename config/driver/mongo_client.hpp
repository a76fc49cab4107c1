#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/driver/cursor_reader.hpp"
#include "config/driver/driver_process.hpp"
#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// How a mongo_client connects and waits.
struct client_options {
  /// The client's purpose: the appName for the server's log, unless the connection string has
  /// one, and what `ps` shows of its driver process.
  std::string application;
  /// The maximum time to find a server, and for each reply, even if the connection string
  /// allows more; std::nullopt: 5 s to find a server and 15 s for a reply, unless the
  /// connection string says otherwise.
  std::optional<std::chrono::milliseconds> wait_limit = std::nullopt;
  /// Ends the current call and all later ones, from any thread.
  std::stop_token stop = {};
};

/// A connection to MongoDB over libmongoc, which runs in a child process (driver_process).
/// Every call blocks: at most for the time limits to find a server and for a reply together,
/// and a second, however slowly the server sends. A call whose driver process crashes, exceeds
/// that time or its memory fails with the kind `unreachable`. After an error of that kind, all
/// calls may fail; make a new client. Thread-safety: one thread, the same for all calls, which
/// must not end before the client is destroyed.
class mongo_client final : public mongo_reader {
 public:
  /// Creates a client for a connection string, or returns the error bad_uri. The client
  /// starts its driver process and connects only at its first call.
  [[nodiscard]] static mongo_result<std::unique_ptr<mongo_client>> open(const std::string& uri,
                                                                        client_options options);

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
  /// Commits the open transaction. See mongo_error::is_outcome_unknown.
  [[nodiscard]] mongo_result<void> commit_transaction();
  /// Aborts the open transaction, if the server can still be reached.
  void abort_transaction();

  /// Call it after a broken connection, before destroying the client. The destructor then
  /// doesn't wait for the server to end the sessions and the open transaction.
  void abandon() noexcept { process_.kill(); }

 private:
  mongo_client(std::string uri, client_options options, std::chrono::milliseconds limit);

  [[nodiscard]] mongo_result<driver_process::answer> call(const driver_request& request,
                                                          wire::document_view payload = {});
  [[nodiscard]] mongo_result<std::vector<std::byte>> reply_to(const driver_request& request,
                                                              wire::document_view payload = {});
  [[nodiscard]] cursor_reader cursors();

  std::string uri_;
  client_options options_;
  std::chrono::milliseconds limit_;  // of each call
  driver_process process_;
  bool is_open_ = false;
};

}  // namespace scattergate::config
