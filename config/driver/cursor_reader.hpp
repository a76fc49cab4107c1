#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_reader.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Checks whether bytes are one document whose nested documents are valid, at most
/// wire::limits::inspect_depth levels deep. Returns a problem if not. For replies, which a
/// hostile server controls: code that reads them may use recursion.
[[nodiscard]] text::result<void> check_reply(std::span<const std::byte> reply);

/// The limits of one query. If a server exceeds a limit, the query fails. The defaults are far
/// above the size of any cluster's metadata, and only stop endless replies. So the caller must
/// itself limit how much of the result it keeps.
struct query_bounds {
  std::size_t records = 20'000'000;          ///< number of documents
  std::size_t bytes = std::size_t{8} << 30;  ///< total size of all replies, in bytes
  std::size_t empty_batches = 100;           ///< number of empty batches in a row
  std::chrono::seconds time{600};            ///< time for all batches together
};

/// Runs a query and reads its cursor batch by batch. Sends its own getMore commands, because
/// libmongoc's cursors abort the process on an unexpected reply. Checks every field of a reply.
/// If a query ends early, kills the cursor on the server. Thread-safety: that of the runner.
class cursor_reader {
 public:
  /// Runs a command on a database and returns its reply. A reply that isn't ok is an error.
  using runner = std::function<mongo_result<std::vector<std::byte>>(std::string_view database,
                                                                    wire::document_view)>;

  /// `run`: sends each command.
  explicit cursor_reader(runner run, query_bounds bounds = {});

  /// Runs a find and passes each document to `sink`, until it returns false. May fail after
  /// some documents. For the arguments, see mongo_reader::find().
  [[nodiscard]] mongo_result<void> find(std::string_view database, std::string_view collection,
                                        wire::document_view filter, wire::document_view options,
                                        const mongo_reader::document_sink& sink);
  /// Runs listCollections and passes each entry to `sink`, until it returns false. May fail
  /// after some entries. For the arguments, see mongo_reader::list_collections().
  [[nodiscard]] mongo_result<void> list_collections(std::string_view database,
                                                    wire::document_view options,
                                                    const mongo_reader::document_sink& sink);

 private:
  /// A running query.
  struct query {
    std::string_view database;
    std::string_view collection;  ///< the collection's name for getMore and killCursors
    std::string_view command;     ///< "find" or "listCollections"
    const mongo_reader::document_sink& sink;
    std::int64_t batch_size = 0;  ///< 0: the server's choice
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    std::int64_t id = 0;  ///< the open cursor's id; 0: none
    std::size_t records = 0;
    std::size_t bytes = 0;
    std::size_t empty_batches = 0;  ///< empty batches in a row
    bool is_enough = false;         ///< the sink has stopped the query
  };

  [[nodiscard]] mongo_result<void> read(query from, wire::document_view command);
  [[nodiscard]] mongo_result<void> read_batch(query& from, std::string_view batch_name,
                                              wire::document_view reply);
  [[nodiscard]] mongo_result<void> deliver_batch(query& from, wire::document_view batch) const;
  [[nodiscard]] std::vector<std::byte> next_command(const query& from) const;
  void kill(const query& from);

  runner run_;
  query_bounds bounds_;
};

}  // namespace scattergate::config
