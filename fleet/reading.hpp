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
#include "fleet/sidecar_document.hpp"
#include "text/problem.hpp"

namespace scattergate::fleet {

/// The sidecars whose clients send a shape: the first `most` that are read.
struct shape_senders {
  static constexpr std::size_t most = 16;

  std::map<std::string, std::uint64_t> commands;  ///< number of commands by sidecar uuid
  bool has_more = false;                          ///< whether there are more than `most`
};

/// The counts of all sidecars, summed over all logical shards.
struct fleet_digest {
  digest::table rows;
  std::unordered_map<const digest::row*, shape_senders> senders{};  ///< by row of `rows`
  std::uint64_t documents = 0;         ///< documents read, including unreadable ones
  std::uint64_t unreadable = 0;        ///< unreadable documents; they were skipped
  std::optional<text::problem> why{};  ///< the problem of the first unreadable document
};

/// Reads the collections `shapes` and `callers` completely. Keeps at most `max_rows` rows, and
/// evicts those with the smallest counts.
[[nodiscard]] config::mongo_result<fleet_digest> read_digest(database& from,
                                                             std::size_t max_rows);

/// The state of all sidecars in the database.
struct fleet_status {
  std::vector<sidecar_status> sidecars;  ///< sorted by name; with equal names, the most
                                         ///< recently seen one first
  digest::wall_time now;                 ///< the server's time when they were read
};
/// Reads the collection `sidecars` and the server's time.
[[nodiscard]] config::mongo_result<fleet_status> read_status(database& from);

}  // namespace scattergate::fleet
