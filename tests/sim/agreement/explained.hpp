#pragma once

#include <string>
#include <string_view>

namespace scattergate::sim {

/// One difference between the daemon's judgement and the simulator's.
struct judged_difference {
  std::string version;  ///< "8.0.4"
  std::string kind;     ///< "wider", "narrower", "other", "sent for ShardKeyNotFound", ...
  std::string shape;    ///< of the least command that shows it: shape_of()
  bool is_never_true = false;  ///< no document can match
};

/// Why the two differ; empty where that isn't known.
[[nodiscard]] std::string_view reason_of(const judged_difference& difference);

}  // namespace scattergate::sim
