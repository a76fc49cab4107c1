#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// A lease on a sidecar's name, stored in the database; detects two daemons with the same name.
/// The holder renews it. A lease that isn't renewed for its duration is free, even if its
/// document is damaged. Each process measures that time with its own steady clock, between its
/// own readings of the lease, so clock skew has no effect.
class lease {
 public:
  using clock = std::chrono::steady_clock;

  struct owner {
    std::string name;
    std::string uuid;    ///< of the sidecar
    std::string token;   ///< of the process, random
    std::string host{};  ///< the process's host, for people; may be empty
  };

  /// The time for which a lease outlives its last renewal, if it is renewed once an interval:
  /// three intervals, at least 60 s.
  [[nodiscard]] static std::chrono::milliseconds duration_for(
      std::chrono::milliseconds interval);

  lease(owner of, clock::duration duration) : owner_(std::move(of)), duration_(duration) {}

  enum class standing : std::uint8_t {
    held,
    held_by_another,  ///< with the same name
  };

  /// Renews the lease, or acquires it if it is free or held by an earlier process of this
  /// sidecar.
  [[nodiscard]] config::mongo_result<standing> renew(database& in, clock::time_point now);

  /// Releases the lease if it is held.
  void release(database& in);

  /// Describes the other holder, for messages; empty if there is none.
  [[nodiscard]] const std::string& other() const noexcept { return other_; }
  /// Whether the other holder is a process with this sidecar's uuid.
  [[nodiscard]] bool is_held_by_copy() const noexcept { return is_held_by_copy_; }

 private:
  [[nodiscard]] config::mongo_result<bool> prolong(database& in);
  [[nodiscard]] config::mongo_result<bool> create(database& in);
  [[nodiscard]] config::mongo_result<bool> take(database& in, const document& seen);
  [[nodiscard]] bool is_free(wire::document_view there, const document& seen,
                             clock::time_point now);

  owner owner_;
  clock::duration duration_;
  bool is_held_ = false;
  bool was_held_ = false;  // by this process: then its sidecar's lease isn't an earlier one's
  std::string other_;
  bool is_held_by_copy_ = false;
  document seen_;  // finds the other holder's lease as it was when it changed last
  clock::time_point seen_at_;
};

}  // namespace scattergate::fleet
