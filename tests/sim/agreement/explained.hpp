#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::sim {

/// One difference between the daemon's judgement and the simulator's.
struct judged_difference {
  std::string version;  ///< "8.0.4"
  std::string kind;     ///< "wider", "narrower", "other", "sent for ShardKeyNotFound", ...
  std::string shape;    ///< of the least command that shows it: shape_of()
  bool is_never_true = false;     ///< no document can match
  bool has_empty_branch = false;  ///< nor what stands in a branch of an `$or`, and next to it
  bool is_of_series = false;      ///< of a time-series collection
};

/// Why the two differ, and which of the reasons have been needed.
class reasons {
 public:
  reasons();

  /// Empty if it isn't known.
  [[nodiscard]] std::string_view of(const judged_difference& difference);
  [[nodiscard]] std::vector<std::string_view> unused() const;

 private:
  std::vector<bool> is_used_;
};

}  // namespace scattergate::sim
