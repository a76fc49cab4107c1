#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "digest/table.hpp"
#include "fleet/database.hpp"
#include "fleet/documents.hpp"
#include "text/problem.hpp"

namespace scattergate::fleet {

/// Limits for reading the fleet's database, so that an endless or huge reply takes bounded
/// memory and time. What is read up to a limit is kept, and marked as incomplete.
struct reading_bounds {
  std::size_t sidecars = 0;    ///< maximum number of documents in the collection `sidecars`
  std::size_t documents = 0;   ///< maximum number in each of `shapes` and `callers`
  std::size_t read_bytes = 0;  ///< maximum size of a collection's documents, in bytes
  std::size_t kept_bytes = 0;  ///< approximate maximum of the memory for what is kept of a
                               ///< collection
};

/// The sidecars (scattergate daemons) whose clients send a query shape. If there are more than
/// `most`, only the first `most` that are read.
struct shape_senders {
  /// The maximum number of sidecars.
  static constexpr std::size_t most = 16;

  std::map<std::string, std::uint64_t> commands;  ///< number of commands, by the sidecar's
                                                  ///< uuid
  bool has_more = false;  ///< whether the clients of further sidecars send the shape
};

/// The counts of all sidecars in the fleet's database, summed over all logical shards
/// (documents of a shape).
struct fleet_digest {
  digest::table rows;  ///< one row per query shape
  /// Maps rows of `rows` to the sidecars whose clients send the row's shape. A row without
  /// documents in the collection `callers` has no entry.
  std::unordered_map<const digest::row*, shape_senders> senders{};
  std::uint64_t documents = 0;                ///< documents read, including unreadable ones
  std::uint64_t unreadable = 0;               ///< documents skipped because they are unreadable
  std::optional<text::problem> why{};         ///< the problem of the first unreadable document;
                                              ///< empty: none
  std::optional<text::problem> incomplete{};  ///< which limit was reached; empty: none
};

/// Reads the collections `shapes` and `callers`, up to the limits `most`. Keeps at most
/// `max_rows` rows: evicts the rows with the smallest counts. Returns an error if the database
/// can't be read.
[[nodiscard]] config::mongo_result<fleet_digest> read_digest(database& from,
                                                             std::size_t max_rows,
                                                             const reading_bounds& most);

/// The state of all sidecars in the database.
struct fleet_status {
  std::vector<sidecar_status> sidecars;       ///< sorted by name; with equal names, the most
                                              ///< recently seen one first
  digest::wall_time now;                      ///< the server's time when `sidecars` was read
  std::optional<text::problem> incomplete{};  ///< which limit was reached; empty: none
};
/// Reads the collection `sidecars`, up to the limits `most`, and the server's time. Returns an
/// error if the database can't be read.
[[nodiscard]] config::mongo_result<fleet_status> read_status(database& from,
                                                             const reading_bounds& most);

}  // namespace scattergate::fleet
