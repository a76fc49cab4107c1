#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The open cursors, with the results that wait for getMore. A cursor holds each document as
/// it was when the cursor was opened. If there are too many cursors, the oldest one is
/// dropped.
class cursor_table {
 public:
  /// Opens a cursor for `results`. Returns the reply's field `cursor` with the first batch,
  /// and with a new cursor id, or 0 if no results remain. If `batch_size` is 0, the first
  /// batch is empty, and the cursor stays open. If `single_batch` is true, always discards the
  /// remaining results and returns the id 0.
  [[nodiscard]] document open(const std::string& ns, std::vector<document_ptr> results,
                              std::int64_t batch_size, bool single_batch);

  /// Returns the reply's field `cursor` with the next batch. Closes the cursor after the last
  /// result. `batch_size` 0: as many results as fit in a reply. Throws command_failure
  /// (cursor_not_found) if the cursor doesn't exist or belongs to another namespace.
  [[nodiscard]] document next(std::int64_t id, const std::string& ns, std::int64_t batch_size);

  /// Closes a cursor; returns false if it doesn't exist.
  bool kill(std::int64_t id);

  /// The number of open cursors.
  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }

 private:
  struct waiting {
    std::string ns;
    std::deque<document_ptr> rest;
  };
  [[nodiscard]] static array take(std::deque<document_ptr>& from, std::int64_t batch_size);

  std::map<std::int64_t, waiting> open_;
  std::int64_t last_id_ = 4'000'000'000'000'000;  ///< ids don't fit in an int32, so that
                                                  ///< clients must read 64 bits
};

/// The number of documents in a first batch if the client doesn't specify one.
inline constexpr std::int64_t default_batch = 101;

}  // namespace scattergate::sim
