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

/// The sidecars that send a shape: the first `most`, in the order in which they are read.
struct shape_senders {
  static constexpr std::size_t most = 16;

  std::map<std::string, std::uint64_t> commands;  ///< by the sidecar's uuid
  bool has_more = false;
};

/// The counts of all sidecars, summed over all logical shards.
struct fleet_digest {
  digest::table rows;
  std::unordered_map<const digest::row*, shape_senders> senders{};  ///< by row of `rows`
  std::uint64_t documents = 0;                                      ///< documents read
  std::uint64_t unreadable = 0;        ///< unreadable documents, which were skipped
  std::optional<text::problem> why{};  ///< the problem of the first unreadable document
};

/// Reads the collections shapes and callers completely, from all shards. Keeps at most
/// `max_rows` rows.
[[nodiscard]] config::mongo_result<fleet_digest> read_digest(database& from,
                                                             std::size_t max_rows);

/// The sidecars in the database, sorted by name, the most recent one of a name first.
struct fleet_status {
  std::vector<sidecar_status> sidecars;
  digest::wall_time now;  ///< by the server's clock
};
/// Reads the collection sidecars and the server's time.
[[nodiscard]] config::mongo_result<fleet_status> read_status(database& from);

}  // namespace scattergate::fleet
