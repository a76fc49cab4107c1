#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"
#include "fleet/stored_ledger.hpp"

namespace scattergate::fleet {

/// How long the database keeps the records of a flush after its delta has expired. A flush adds
/// a delta (one sidecar's counts since the previous delta) to the database. The flush's records
/// are marks in documents, or the lock document; they show whether the delta was counted.
inline constexpr std::chrono::hours records_outlive_delta{24};

/// Identifies the sidecar (scattergate daemon) and the process that run a flush, and limits the
/// flush's time.
struct flush_identity {
  std::string uuid;   ///< the sidecar's uuid, from its state file
  std::string token;  ///< the process's random token. If the sidecar's document has another
                      ///< token, another process has taken over, and the flush fails
  /// flush() calls this before each batch. Returns false once the time for the flush or the
  /// lease on the sidecar's name has ended. Then flush() fails; a later call of flush() resumes
  /// the flush. Empty: no limit.
  std::function<bool()> may_go_on{};
};

/// The outcome of a flush.
enum class flush_end : std::uint8_t {
  acknowledged,  ///< the database has counted the delta, in this attempt or an earlier attempt
  superseded,    ///< a flush of another delta, with the same or a higher number, has begun or
                 ///< ended: the state file is a stale copy; nothing was written
  expired,       ///< the delta has expired, so it is unknown whether an earlier attempt counted
                 ///< it; nothing was written
};

/// Adds a frozen delta to the database, or resumes an earlier attempt to add it. The database
/// counts the delta exactly once, however often the flush is retried. A new flush uses
/// transactions if the server supports them; otherwise each document stores a mark of the
/// flush. A resumed flush continues in the way in which it began. Fails if another process has
/// taken over the sidecar's name. `now`: the server's time. REQUIRES: the sidecar's document
/// exists; see write_facts().
[[nodiscard]] config::mongo_result<flush_end> flush(database& to,
                                                    const flush_identity& identity,
                                                    const frozen_delta& delta,
                                                    digest::wall_time now);

/// Whether a sidecar's state file is up to date, according to the database. Only for a file
/// without a frozen delta; for any other file, flush() finds out.
enum class file_standing : std::uint8_t {
  current,     ///< the database has a flush of this sidecar, but none with a number above
               ///< `acknowledged`
  superseded,  ///< the database has a flush of this sidecar with a number above
               ///< `acknowledged`: the file is a stale copy
  unknown,     ///< the database has no flush of this sidecar at all: the sidecar or the
               ///< database is new, or the sidecar's document has expired
};
/// Asks the database whether a sidecar's state file is up to date. `uuid`: the sidecar's uuid.
/// `acknowledged`: the number of the last flush that the database has acknowledged, according
/// to the file.
[[nodiscard]] config::mongo_result<file_standing> standing_of(database& db,
                                                              const std::string& uuid,
                                                              std::uint64_t acknowledged);

}  // namespace scattergate::fleet
