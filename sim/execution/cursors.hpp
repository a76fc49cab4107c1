#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Results that wait for getMore. A cursor holds shared documents in their state at its
/// opening.
class cursor_table {
 public:
  /// Opens a cursor. Returns the first batch as a reply's `cursor` field; the rest waits under
  /// a new id. `batch_size` 0 gives an empty first batch and an open cursor.
  [[nodiscard]] document open(const std::string& ns, std::vector<document_ptr> results,
                              std::int64_t batch_size, bool single_batch);

  /// The next batch; `batch_size` 0: as much as fits in a reply. Throws command_failure
  /// (cursor_not_found).
  [[nodiscard]] document next(std::int64_t id, const std::string& ns, std::int64_t batch_size);

  /// Closes a cursor; false if it doesn't exist.
  bool kill(std::int64_t id);

  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }

 private:
  struct waiting {
    std::string ns;
    std::deque<document_ptr> rest;
  };
  [[nodiscard]] static array take(std::deque<document_ptr>& from, std::int64_t batch_size);

  std::map<std::int64_t, waiting> open_;
  std::int64_t last_id_ = 4'000'000'000'000'000;  ///< ids must not look like int32
};

/// The size of find's first batch if the client doesn't specify one.
inline constexpr std::int64_t default_batch = 101;

}  // namespace scattergate::sim
