#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/shapes/shape_details.hpp"
#include "telemetry/shapes/shape_index.hpp"

namespace scattergate::telemetry {

/// What all workers' findings add up to since their last lines, key by key: at most
/// `max_shapes` of them, one
/// `__other__` for the rest, and one `__failed__`. An account that nothing came to for a while,
/// and that owes no line, is given back.
class finding_ledger {
 public:
  using clock = std::chrono::steady_clock;

  /// One finding's account: what came since its last line.
  struct account {
    shape_delta outstanding;   ///< details are always set
    bool has_line = false;     ///< a line was written for it, now or earlier
    bool awaits_line = false;  ///< its first line is due
    bool was_added_to = true;  ///< since give_back_quiet() looked last
    clock::time_point quiet_since;
  };

  explicit finding_ledger(std::size_t max_shapes);

  /// Adds what a worker hands over; the latest details stand. The account it went to, valid
  /// until it is given back.
  account& add(const shape_delta& delta);

  /// All accounts, the shared ones first.
  [[nodiscard]] const std::vector<std::unique_ptr<account>>& accounts() const noexcept {
    return accounts_;
  }

  [[nodiscard]] bool is_other(const account& of) const noexcept {
    return &of == accounts_[other].get();
  }

  /// Gives back the accounts that owe nothing and to which nothing came for `quiet`: what they
  /// told of.
  [[nodiscard]] std::vector<std::shared_ptr<const shape_details>> give_back_quiet(
      clock::time_point now, std::chrono::nanoseconds quiet);

 private:
  // The shared accounts.
  static constexpr std::size_t other = 0;
  static constexpr std::size_t failed = 1;
  static constexpr std::size_t shared = 2;

  account& account_of(const shape_delta& delta);
  account& open(std::shared_ptr<const shape_details> details);
  std::shared_ptr<const shape_details> close(std::size_t position);

  std::size_t max_shapes_;
  shape_index index_;
  std::vector<std::unique_ptr<account>> accounts_;
};

}  // namespace scattergate::telemetry
