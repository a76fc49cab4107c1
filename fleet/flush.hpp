#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/database.hpp"
#include "fleet/flush_plan.hpp"
#include "fleet/stored_ledger.hpp"

namespace scattergate::fleet {

/// Who flushes.
struct flusher {
  std::string uuid;   ///< of the sidecar, from its state file
  std::string token;  ///< of the process: the sidecar's document must have it
};

/// What became of a flush.
enum class flush_end : std::uint8_t {
  acknowledged,  ///< the database has it, now or since an earlier attempt
  superseded,    ///< another delta has this number or a later one: the state file is a copy
  expired,       ///< older than the marks by which it could be known
};

/// Flushes a frozen delta so that it counts once, however often it is repeated: in transactions
/// where there are any, else by marks in each document. Resumes what an earlier attempt has
/// begun. REQUIRES: the sidecar's document exists (sidecar_document.hpp).
[[nodiscard]] config::mongo_result<flush_end> flush(database& to, const flusher& by,
                                                    const frozen_delta& delta,
                                                    std::chrono::milliseconds retain);

/// Whether the database knows a flush of this sidecar after `acknowledged`: then the state file
/// is an old copy. For a state file without a frozen delta.
[[nodiscard]] config::mongo_result<bool> is_superseded(database& in, const std::string& uuid,
                                                       std::uint64_t acknowledged);

}  // namespace scattergate::fleet
