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

/// A statement that an update command couldn't do.
struct failed_statement {
  std::size_t index = 0;
  std::int32_t code = 0;
  std::string text;
};

/// Its error, with the server's code and words.
[[nodiscard]] config::mongo_error error_of(const failed_statement& one);

/// The reply to an update command.
struct update_outcome {
  std::uint64_t matched = 0;  ///< documents found or created
  std::vector<failed_statement> failed;
};

/// The server error code of a document that exists already.
inline constexpr std::int32_t duplicate_key = 11000;

/// A document to be stored or looked for, finished.
using document = std::vector<std::byte>;

/// The fleet's database: the commands that the fleet needs, each with a write concern of
/// majority. After an error make a new one.
class database {
 public:
  /// Connects. `at_most` bounds each wait for the server.
  [[nodiscard]] static config::mongo_result<std::unique_ptr<database>> open(
      const std::string& uri, std::string name, std::chrono::milliseconds at_most);

  [[nodiscard]] bool has_transactions() const noexcept { return has_transactions_; }

  /// The server's clock, asked now, and how far this host's clock is ahead of it.
  struct clocks {
    digest::wall_time server;
    std::chrono::milliseconds skew{0};
  };
  [[nodiscard]] config::mongo_result<clocks> read_clocks();

  using statements = std::vector<document>;
  /// `is_ordered`: stops at the first statement that fails.
  [[nodiscard]] config::mongo_result<update_outcome> update(std::string_view collection,
                                                            const statements& all,
                                                            bool is_ordered = true);
  [[nodiscard]] config::mongo_result<update_outcome> update_in_transaction(
      std::string_view collection, const statements& all);

  /// The document that a filter finds, as a majority has it; nothing if there is none.
  [[nodiscard]] config::mongo_result<std::optional<document>> find_one(
      std::string_view collection, wire::document_view filter);
  /// Deletes one document.
  [[nodiscard]] config::mongo_result<void> remove(std::string_view collection,
                                                  wire::document_view filter);
  /// Passes all documents of a collection, in no order.
  [[nodiscard]] config::mongo_result<void> find_all(
      std::string_view collection, const config::mongo_reader::document_sink& sink);

  /// Begins a transaction; returns its session's id.
  [[nodiscard]] config::mongo_result<document> begin_transaction() {
    return client_->begin_transaction();
  }
  [[nodiscard]] config::mongo_result<void> commit() { return client_->commit_transaction(); }
  void abort() noexcept { client_->abort_transaction(); }
  /// After this error: nothing more is sent if the connection is broken.
  void give_up_after(const config::mongo_error& error) noexcept {
    if (error.kind == config::mongo_failure::unreachable) client_->abandon();
  }
  /// Ends a session of an earlier connection, and so what its transaction holds.
  void end_session(wire::document_view id);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  database(std::unique_ptr<config::mongo_client> client, std::string name,
           const config::mongo_server& server);

  std::unique_ptr<config::mongo_client> client_;
  std::string name_;
  bool has_transactions_;
};

/// `{_id: ID}`.
[[nodiscard]] document by_id(std::string_view id);

}  // namespace scattergate::fleet
