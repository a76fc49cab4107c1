#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// What a sidecar says about itself each time that it renews its lease.
struct sidecar_facts {
  std::string name;                   ///< fleet.name
  std::string version;                ///< of scattergate
  std::string catalog;                ///< where its catalog comes from, and which one it is
  std::string rules;                  ///< which rules it has, as a hash; empty: none
  std::chrono::milliseconds skew{0};  ///< its clock, ahead of the server's
  std::chrono::milliseconds lag{0};   ///< since when its counts aren't in the database
  std::uint64_t waiting = 0;          ///< commands that aren't in the database yet
  std::uint64_t dropped = 0;          ///< commands that never will be, since its start
};

/// Writes the facts into the sidecar's document, which is created if necessary. `token`: of the
/// process, which the document has from then on.
[[nodiscard]] config::mongo_result<void> write_facts(database& to, const std::string& uuid,
                                                     const std::string& token,
                                                     const sidecar_facts& facts);

/// A sidecar's document, read back.
struct sidecar_status : sidecar_facts {
  std::string uuid;
  std::optional<digest::wall_time> seen_at;     ///< by the server's clock
  std::optional<digest::wall_time> flushed_at;  ///< by the server's clock; nothing: never
  std::uint64_t flushes = 0;
};
[[nodiscard]] sidecar_status read_sidecar(wire::document_view stored);

}  // namespace scattergate::fleet
