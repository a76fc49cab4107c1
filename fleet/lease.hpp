#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// A lease on a sidecar's name (fleet.name), stored in the fleet's database. It ensures that
/// only one sidecar (scattergate daemon) adds counts to the database under the name. The holder
/// renews its lease periodically. A lease that isn't renewed for the lease's duration is free,
/// even if its document is damaged. A waiting process measures this time with its own steady
/// clock, from when it last saw the lease change, so clock skew has no effect. Thread-safety:
/// one thread at a time.
class lease {
 public:
  using clock = std::chrono::steady_clock;

  /// The process that holds a lease or tries to acquire it.
  struct owner {
    std::string name;    ///< the sidecar's name, for which the lease is
    std::string uuid;    ///< the sidecar's uuid
    std::string token;   ///< random; identifies the process
    std::string host{};  ///< the process's host, only for messages; may be empty
  };

  /// The duration of a lease that is renewed once per `interval`: three intervals, but at least
  /// 60 s.
  [[nodiscard]] static std::chrono::milliseconds duration_for(
      std::chrono::milliseconds interval);

  /// Doesn't acquire the lease yet. `duration`: from duration_for().
  lease(owner of, clock::duration duration) : owner_(std::move(of)), duration_(duration) {}

  /// The result of renew().
  enum class standing : std::uint8_t {
    held,             ///< this process holds the lease
    held_by_another,  ///< another process holds the lease; see other()
  };

  /// Renews the lease, or tries to acquire it if this process doesn't hold it. Acquires a lease
  /// that is free, or that an earlier process of this sidecar holds. Call it once per interval.
  [[nodiscard]] config::mongo_result<standing> renew(database& db, clock::time_point now);

  /// Releases the lease if this process holds it. Ignores errors, because the lease then
  /// expires.
  void release(database& db);

  /// Describes the other process that holds the lease, for messages; empty if none is known.
  [[nodiscard]] const std::string& other() const noexcept { return other_; }
  /// Whether the other process that holds the lease has this sidecar's uuid, and thus a copy of
  /// this sidecar's state file. Valid only if the last renew() returned
  /// standing::held_by_another.
  [[nodiscard]] bool is_held_by_copy() const noexcept { return is_held_by_copy_; }

 private:
  [[nodiscard]] config::mongo_result<bool> renew_own(database& db);
  [[nodiscard]] config::mongo_result<bool> create(database& db);
  [[nodiscard]] config::mongo_result<bool> take_over(database& db, const document& seen);
  [[nodiscard]] bool is_free(wire::document_view there, const document& seen,
                             clock::time_point now);

  owner owner_;
  clock::duration duration_;
  bool is_held_ = false;   // whether this process holds the lease
  bool was_held_ = false;  // whether this process has ever held the lease; if so, another
                           // holder with the same uuid has a copy of the state file, and
                           // isn't an earlier process
  std::string other_;
  bool is_held_by_copy_ = false;
  document seen_;              // a filter that matches the lease until its holder renews it
  clock::time_point seen_at_;  // when seen_ last changed
};

}  // namespace scattergate::fleet
