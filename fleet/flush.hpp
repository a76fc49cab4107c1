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

/// The database keeps the records of a flush for this time after its delta has expired.
inline constexpr std::chrono::hours records_outlive_delta{24};

/// Identifies the sidecar and the process that flush.
struct flusher {
  std::string uuid;   ///< the sidecar's, from its state file
  std::string token;  ///< the process's; a flush fails if the sidecar's document has another
                      ///< one
  /// Asked before each batch: false once the lease on the sidecar's name or the time for the
  /// flush has ended. The flush then fails, and a later one resumes it. Empty: never.
  std::function<bool()> may_go_on{};
};

/// The outcome of a flush.
enum class flush_end : std::uint8_t {
  acknowledged,  ///< the database has counted the delta, now or in an earlier attempt
  superseded,  ///< another delta has this number or a later one: the state file is a stale copy
  expired,     ///< the delta has expired, so it is unknown whether it was counted already
};

/// Adds a frozen delta to the database, exactly once however often it is retried. Uses
/// transactions if the server has them; otherwise each document keeps a mark of the flush.
/// Resumes an earlier attempt. Fails if another process has taken over the sidecar's name.
/// `now`: the server's time. REQUIRES: the sidecar's document exists (sidecar_document.hpp).
[[nodiscard]] config::mongo_result<flush_end> flush(database& to, const flusher& by,
                                                    const frozen_delta& delta,
                                                    digest::wall_time now);

/// The state of a state file without a frozen delta, by the database's records. flush() checks
/// the others.
enum class file_standing : std::uint8_t {
  current,     ///< the database has no flush with a number above `acknowledged`
  superseded,  ///< the database has a later flush: the file is a stale copy
  unknown,     ///< the database has no flush of this sidecar: it is new, or its document has
               ///< expired
};
[[nodiscard]] config::mongo_result<file_standing> standing_of(database& in,
                                                              const std::string& uuid,
                                                              std::uint64_t acknowledged);

}  // namespace scattergate::fleet
