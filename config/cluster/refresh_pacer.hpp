#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "config/cluster/catalog_facts.hpp"
#include "config/cluster/cluster_mirror.hpp"

namespace scattergate::config {

/// What has been asked for since the last load began.
struct refresh_wishes {
  bool forced = false;      ///< SIGHUP
  bool ddl = false;         ///< a command that changes collections succeeded
  bool name_space = false;  ///< a command named a collection that isn't known
};

/// When a live catalog is to be loaded next, and why. However often clients ask, and however
/// many of us there are, the cluster isn't hammered: what clients can cause has a least
/// interval that doubles as long as it goes on, failures too, and all of it is jittered.
class refresh_pacer {
 public:
  using clock = std::chrono::steady_clock;

  refresh_pacer(std::chrono::milliseconds interval, clock::time_point now, std::uint64_t seed);

  struct turn {
    clock::time_point at;
    load_trigger why = load_trigger::timer;
  };
  /// The next load, as things stand.
  [[nodiscard]] turn next(const refresh_wishes& wishes) const;

  /// How deep a load for this reason goes.
  [[nodiscard]] load_depth depth_of(load_trigger why);

  /// Notes that a load has ended.
  void ended(load_trigger why, load_result result, clock::time_point now);

 private:
  using duration = clock::duration;
  [[nodiscard]] duration jittered(duration about, double least, double most);

  std::chrono::milliseconds interval_;
  std::mt19937_64 random_;
  clock::time_point regular_;       // the next load, if nobody asks for one
  clock::time_point ddl_from_;      // not before then because of DDL
  clock::time_point unknown_from_;  // not before then because of unknown namespaces
  duration ddl_gap_;
  duration unknown_gap_;
  load_trigger regular_why_ = load_trigger::start;
  unsigned failures_ = 0;  // in a row
  unsigned loads_ = 0;     // by the clock
};

}  // namespace scattergate::config
