#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// The facts that a sidecar (scattergate daemon) writes about itself to the fleet's database,
/// whenever it renews the lease on its name.
struct sidecar_facts {
  std::string name;     ///< the option fleet.name
  std::string version;  ///< scattergate's version
  std::string catalog;  ///< the catalog's source, and a hash of its namespaces and shard keys;
                        ///< "none" without a catalog
  std::string rules;    ///< a hash of the rules; empty: no rules
  std::chrono::milliseconds skew{0};  ///< how far the sidecar's clock is ahead of the server's
  std::chrono::milliseconds lag{0};   ///< age of the oldest counts that aren't in the database
                                      ///< yet
  std::uint64_t waiting = 0;  ///< number of commands whose counts aren't in the database yet
  std::uint64_t dropped = 0;  ///< number of commands since the process's start whose counts
                              ///< were dropped before they reached the database
  std::string name_holder;    ///< another process that holds the lease on the name;
                              ///< empty: none
  digest::wall_time expires_at{};  ///< when the document expires; not set by read_sidecar()
};

/// Writes the facts and the process's random `token` to the sidecar's document. Creates the
/// document if necessary. From then on, flushes (fleet/flush.hpp) by a process with another
/// token fail.
[[nodiscard]] config::mongo_result<void> write_facts(database& to, const std::string& uuid,
                                                     const std::string& token,
                                                     const sidecar_facts& facts);

/// The contents of a sidecar's document.
struct sidecar_status : sidecar_facts {
  std::string uuid;                             ///< identifies the sidecar
  std::optional<digest::wall_time> seen_at;     ///< last write_facts(), by the server's clock;
                                                ///< empty: unknown
  std::optional<digest::wall_time> flushed_at;  ///< last flush, by the server's clock; empty:
                                                ///< never
  std::uint64_t flushes = 0;                    ///< number of the last completed flush; 0: none
};
/// Parses a sidecar's document. Missing or invalid fields get defaults. Truncates long
/// texts.
[[nodiscard]] sidecar_status read_sidecar(wire::document_view stored);

}  // namespace scattergate::fleet
