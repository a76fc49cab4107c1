#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A change stream between two batches.
struct change_stream {
  std::string watched;    ///< the namespace "d.c"; for a database "d."; for all "."
  array stages;           ///< the stages after `$changeStream`
  bool looks_up = false;  ///< an update's event has the document as it is then (updateLookup)
  timestamp position;     ///< the cluster time up to which events were returned
  bool ended = false;     ///< the watched collection or database was dropped or renamed
};

/// An open cursor.
struct open_cursor {
  std::string ns;
  std::deque<document_ptr> rest;        ///< the results that wait for getMore
  std::optional<change_stream> stream;  ///< set for a change stream, whose cursor stays open
};

/// What a change stream's client passes to continue after a cluster time: {_data: hex}.
[[nodiscard]] document resume_token(timestamp position);

/// The open cursors, with the results that wait for getMore. A cursor holds each document as
/// it was when the cursor was opened. If there are too many cursors, the oldest one is
/// dropped.
class cursor_table {
 public:
  /// Opens a cursor for `results`. Returns the reply's field `cursor` with the first batch,
  /// and with a new cursor id, or 0 if no results remain. If `batch_size` is 0, the first
  /// batch is empty, and the cursor stays open. If `single_batch` is true, always discards the
  /// remaining results and returns the id 0. `stream`: the results are of this change stream.
  [[nodiscard]] document open(const std::string& ns, std::vector<document_ptr> results,
                              std::int64_t batch_size, bool single_batch,
                              std::optional<change_stream> stream = {});

  /// An open cursor. Throws command_failure (cursor_not_found) if the cursor doesn't exist or
  /// belongs to another namespace.
  [[nodiscard]] open_cursor& named(std::int64_t id, const std::string& ns);

  /// Returns the reply's field `cursor` with the next batch. Closes the cursor after the last
  /// result. `batch_size` 0: as many results as fit in a reply. Throws command_failure
  /// (cursor_not_found) if the cursor doesn't exist or belongs to another namespace.
  [[nodiscard]] document next(std::int64_t id, const std::string& ns, std::int64_t batch_size);

  /// Closes a cursor; returns false if it doesn't exist.
  bool kill(std::int64_t id);

  /// The number of open cursors.
  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }

 private:
  std::map<std::int64_t, open_cursor> open_;
  std::int64_t last_id_ = 4'000'000'000'000'000;  ///< ids don't fit in an int32, so that
                                                  ///< clients must read 64 bits
};

/// The number of documents in a first batch if the client doesn't specify one.
inline constexpr std::int64_t default_batch = 101;

}  // namespace scattergate::sim
