#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// What one query may bring before its server counts as broken. The defaults are far beyond
/// what a cluster's metadata comes to: they end what has no end. What a reader keeps of it is
/// for the reader to bound.
struct query_bounds {
  std::size_t records = 20'000'000;
  std::size_t bytes = std::size_t{8} << 30;  ///< of whole replies
  std::size_t empty_batches = 100;           ///< in a row
  std::chrono::seconds time{600};            ///< for all batches together
};

/// Reads what a command with a cursor gives, batch by batch, by commands of our own:
/// libmongoc's cursors end the process where a reply isn't as they expect it. Every field of a
/// reply is checked; a cursor that is left open is killed. Thread-safety: that of the function
/// that runs the commands.
class cursor_reader {
 public:
  /// Runs a command on a database; its reply. A reply that isn't ok is an error.
  using runner = std::function<mongo_result<std::vector<std::byte>>(std::string_view database,
                                                                    wire::document_view)>;

  explicit cursor_reader(runner run, query_bounds most = {});

  [[nodiscard]] mongo_result<void> find(std::string_view database, std::string_view collection,
                                        wire::document_view filter, wire::document_view options,
                                        const mongo_reader::document_sink& sink);
  [[nodiscard]] mongo_result<void> list_collections(std::string_view database,
                                                    wire::document_view options,
                                                    const mongo_reader::document_sink& sink);

 private:
  /// A query under way.
  struct query {
    std::string_view database;
    std::string_view collection;  ///< what getMore and killCursors call it
    std::string_view command;     ///< "find" or "listCollections"
    const mongo_reader::document_sink& sink;
    std::int64_t batch_size = 0;  ///< 0: the server's choice
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    std::int64_t id = 0;  ///< of the open cursor; 0: there is none
    std::size_t records = 0;
    std::size_t bytes = 0;
    std::size_t empty_batches = 0;  ///< in a row
    bool is_enough = false;         ///< the sink takes no more
  };

  [[nodiscard]] mongo_result<void> read(query from, wire::document_view command);
  [[nodiscard]] mongo_result<void> take(query& from, std::string_view batch_name,
                                        wire::document_view reply);
  [[nodiscard]] mongo_result<void> give(query& from, wire::document_view batch) const;
  [[nodiscard]] std::vector<std::byte> next_command(const query& from) const;
  void kill(const query& from);

  runner run_;
  query_bounds most_;
};

}  // namespace scattergate::config
