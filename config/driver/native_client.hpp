#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_reader.hpp"

/// libmongoc, for a driver process: the only code that includes its headers.
namespace scattergate::config {

/// The time limits of a connection string, after its defaults.
struct uri_limits {
  std::chrono::milliseconds find_server;  ///< to find a server, including connecting to it
  std::chrono::milliseconds reply;        ///< for each reply
};

/// Parses a connection string, and returns its time limits; the error is bad_uri, and doesn't
/// quote the string. Opens no connection and looks up no name. `wait_limit`: the most for each
/// limit, even if the connection string allows more; 0: no other limit.
[[nodiscard]] mongo_result<uri_limits> read_limits(const std::string& uri,
                                                   std::chrono::milliseconds wait_limit);

/// A libmongoc client, and the session for its transactions. Its calls are those of
/// mongo_client, which documents them. Thread-safety: one thread.
class native_client {
 public:
  /// Creates the client. Looks up the names of a mongodb+srv string; connects only at the first
  /// call.
  [[nodiscard]] static mongo_result<native_client> open(const std::string& uri,
                                                        const std::string& application,
                                                        std::chrono::milliseconds wait_limit);
  native_client(native_client&&) noexcept;
  native_client& operator=(native_client&&) noexcept;
  ~native_client();

  [[nodiscard]] mongo_result<mongo_server> connect();
  [[nodiscard]] mongo_result<std::vector<std::byte>> run(std::string_view database,
                                                         wire::document_view command);
  [[nodiscard]] mongo_result<std::vector<std::byte>> begin_transaction();
  [[nodiscard]] mongo_result<std::vector<std::byte>> run_in_transaction(
      std::string_view database, wire::document_view command);
  [[nodiscard]] mongo_result<void> commit_transaction();
  void abort_transaction() noexcept;

 private:
  struct impl;
  explicit native_client(std::unique_ptr<impl> made);

  std::unique_ptr<impl> impl_;
};

/// Starts libmongoc: passes its messages to `log`, and calls `on_no_memory`, which doesn't
/// return, if libbson can't allocate. Call it once, before any native_client.
void start_libmongoc(void (*log)(bool is_error, std::string_view message),
                     void (*on_no_memory)());

}  // namespace scattergate::config
