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

/// The sidecars that send a shape: a limited number, in order of arrival.
struct shape_senders {
  static constexpr std::size_t most = 16;

  std::map<std::string, std::uint64_t> commands;  ///< by the sidecar's uuid
  bool has_more = false;
};

/// What all sidecars have counted: the sums over all logical shards.
struct fleet_digest {
  digest::table rows;
  std::unordered_map<const digest::row*, shape_senders> senders{};  ///< by row of `rows`
  std::uint64_t documents = 0;                                      ///< read
  std::uint64_t unreadable = 0;                                     ///< skipped
  std::optional<text::problem> why{};  ///< why the first of them was
};

/// Reads the collections shapes and callers completely. Asks every shard.
[[nodiscard]] config::mongo_result<fleet_digest> read_digest(database& from,
                                                             std::size_t max_rows);

/// The sidecars that the database knows, by name, the latest of a name first.
struct fleet_status {
  std::vector<sidecar_status> sidecars;
  digest::wall_time now;  ///< by the server's clock
};
[[nodiscard]] config::mongo_result<fleet_status> read_status(database& from);

}  // namespace scattergate::fleet
