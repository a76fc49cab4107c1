#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/baseline/baseline.hpp"
#include "digest/table.hpp"
#include "text/days.hpp"
#include "wire/enum_count.hpp"

namespace scattergate::report {

/// How a shape stands to a baseline.
enum class baseline_state : std::uint8_t {
  none,      ///< no finding
  is_new,    ///< a finding that nobody has accepted
  accepted,  ///< one that somebody has
  expired,   ///< one that was accepted up to a day that is over: as good as new
  absent,    ///< accepted, and not seen
};

/// What the contract calls it: "new" (expired too), "accepted", "absent"; none: empty.
[[nodiscard]] std::string_view label(baseline_state state) noexcept;

/// What fails a report or a gate.
enum class fail_on : std::uint8_t {
  never,
  new_findings,  ///< those that the baseline doesn't accept
  any,           ///< every one
};
[[nodiscard]] std::optional<fail_on> fail_on_named(std::string_view name) noexcept;

/// The findings of a digest, held against a baseline. Identity is the shape's hash.
/// It points into both, which are to stay as they are.
class baseline_comparison {
 public:
  baseline_comparison(const config::baseline& accepted, const digest::table& seen,
                      text::day today);

  [[nodiscard]] baseline_state state_of(const digest::row& one) const;
  /// What the baseline says of a shape; null where it doesn't have it.
  [[nodiscard]] const config::accepted_shape* entry_of(const digest::row& one) const;

  /// Accepted, and not seen: gone, or nothing has sent them this time.
  [[nodiscard]] const std::vector<const config::accepted_shape*>& absent() const noexcept {
    return absent_;
  }
  [[nodiscard]] std::size_t count(baseline_state state) const noexcept {
    return counts_[static_cast<std::size_t>(state)];
  }
  [[nodiscard]] bool fails(fail_on wanted) const noexcept;
  /// How many findings aren't accepted, or were accepted until a day that has passed.
  [[nodiscard]] std::size_t unaccepted() const noexcept {
    return count(baseline_state::is_new) + count(baseline_state::expired);
  }

 private:
  text::day today_;
  std::unordered_map<std::uint64_t, const config::accepted_shape*> by_hash_;
  std::vector<const config::accepted_shape*> absent_;
  std::array<std::size_t, wire::enum_count<baseline_state>()> counts_{};
};

/// What is absent, as a row of a digest: nothing counted.
[[nodiscard]] digest::row row_of(const config::accepted_shape& absent);

/// A baseline of exactly the findings there are: why, by, until and since are kept of those
/// that the one before had.
[[nodiscard]] config::baseline renewed(const config::baseline& before,
                                       const digest::table& seen, text::day today);

}  // namespace scattergate::report
