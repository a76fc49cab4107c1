#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// A sidecar's facts about itself, reported whenever it renews its lease.
struct sidecar_facts {
  std::string name;                   ///< fleet.name
  std::string version;                ///< scattergate's version
  std::string catalog;                ///< the source and the identity of its catalog
  std::string rules;                  ///< a hash of its rules; empty: none
  std::chrono::milliseconds skew{0};  ///< how far its clock is ahead of the server's
  std::chrono::milliseconds lag{0};   ///< the age of its oldest counts that the database lacks
  std::uint64_t waiting = 0;          ///< counted commands that the database lacks
  std::uint64_t dropped = 0;       ///< commands since its start whose counts were lost for the
                                   ///< database
  std::string name_holder;         ///< who else holds its name; empty: it holds it itself
  digest::wall_time expires_at{};  ///< when the document expires
};

/// Writes the facts and the process's `token` into the sidecar's document; creates it if
/// necessary. Flushes with another token fail from then on.
[[nodiscard]] config::mongo_result<void> write_facts(database& to, const std::string& uuid,
                                                     const std::string& token,
                                                     const sidecar_facts& facts);

/// The contents of a sidecar's document.
struct sidecar_status : sidecar_facts {
  std::string uuid;
  std::optional<digest::wall_time> seen_at;     ///< by the server's clock
  std::optional<digest::wall_time> flushed_at;  ///< by the server's clock; empty: never
  std::uint64_t flushes = 0;
};
/// Parses a sidecar's document; missing fields have defaults, long texts are cut.
[[nodiscard]] sidecar_status read_sidecar(wire::document_view stored);

}  // namespace scattergate::fleet
