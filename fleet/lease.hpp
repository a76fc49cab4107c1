#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fleet/database.hpp"

namespace scattergate::fleet {

/// A sidecar's hold on its name, so that two daemons with one name are noticed. The holder
/// renews it; one that hasn't been renewed for its duration is free. Time is measured by this
/// process' steady clock only, from one look at the lease to the next: no other clock matters.
class lease {
 public:
  using clock = std::chrono::steady_clock;

  struct owner {
    std::string name;
    std::string uuid;   ///< of the sidecar
    std::string token;  ///< of the process, random
  };

  lease(owner of, clock::duration duration) : owner_(std::move(of)), duration_(duration) {}

  enum class standing : std::uint8_t {
    held,
    held_by_another,  ///< with the same name
  };

  /// Renews the lease, or tries to take it: at once if it is free, or if an earlier process of
  /// this sidecar has it.
  [[nodiscard]] config::mongo_result<standing> renew(database& in, clock::time_point now);

  /// Gives a held lease up.
  void release(database& in);

  /// The other holder, for people; empty if there is none.
  [[nodiscard]] const std::string& other() const noexcept { return other_; }

 private:
  struct record;
  [[nodiscard]] config::mongo_result<bool> prolong(database& in);
  [[nodiscard]] config::mongo_result<bool> create(database& in);
  [[nodiscard]] config::mongo_result<bool> take_from(database& in, const record& before);
  [[nodiscard]] bool is_free(const record& seen, clock::time_point now);

  owner owner_;
  clock::duration duration_;
  bool is_held_ = false;
  bool was_held_ = false;  // by this process: then its sidecar's lease isn't an earlier one's
  std::string other_;
  std::string seen_;  // the other holder's token and renewals, when they changed last
  clock::time_point seen_at_;
};

}  // namespace scattergate::fleet
