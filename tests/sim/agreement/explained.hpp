#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scattergate::sim {

/// A command for which the daemon's verdict and the simulator's answer differ.
struct judged_difference {
  std::string version;  ///< the simulated version of MongoDB, such as "8.0.4"
  std::string kind;     ///< the daemon's answer compared with the simulator's: "wider" (more
                        ///< shards), "narrower", "other" or "unknown". If their errors differ:
                        ///< both outcomes, the daemon's first. "sent for ShardKeyNotFound":
                        ///< only the simulator has an error
  std::string shape;    ///< the shape (see shape_of()) of the smallest command with this
                        ///< difference
  bool is_never_true = false;     ///< no document can match the command's filter
  bool has_empty_branch = false;  ///< an `$or` of the filter has a branch that no document can
                                  ///< match together with the conditions next to the `$or`
  bool is_of_series = false;      ///< the collection is a time series
};

/// The known reasons for differences between the daemon and the simulator. Notes which reasons
/// were used.
class reasons {
 public:
  reasons();

  /// The reason for a difference; empty if none is known. Notes that the reason was used.
  [[nodiscard]] std::string_view of(const judged_difference& difference);
  /// The reasons that weren't used; they can be deleted.
  [[nodiscard]] std::vector<std::string_view> unused() const;

 private:
  std::vector<bool> is_used_;
};

}  // namespace scattergate::sim
