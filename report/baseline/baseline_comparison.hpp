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

/// The state of a shape relative to a baseline.
enum class baseline_state : std::uint8_t {
  none,      ///< the shape isn't a finding
  is_new,    ///< a finding that the baseline doesn't accept
  accepted,  ///< a finding that the baseline accepts
  expired,   ///< accepted until a day that has passed; counts as new
  absent,    ///< accepted by the baseline, but not in the digest
};

/// The name in reports: "new" (also for expired), "accepted", "absent"; empty for none.
[[nodiscard]] std::string_view label(baseline_state state) noexcept;

/// The findings that fail a report or a gate.
enum class fail_on : std::uint8_t {
  never,
  new_findings,  ///< those that the baseline doesn't accept
  any,           ///< all of them
};
[[nodiscard]] std::optional<fail_on> fail_on_named(std::string_view name) noexcept;

/// Compares a digest's findings with a baseline, by the shape's hash. Keeps pointers into both:
/// they must outlive this object unchanged.
class baseline_comparison {
 public:
  baseline_comparison(const config::baseline& accepted, const digest::table& seen,
                      text::day today);

  [[nodiscard]] baseline_state state_of(const digest::row& one) const;
  /// The baseline's entry of a shape, or null.
  [[nodiscard]] const config::accepted_shape* entry_of(const digest::row& one) const;

  /// The baseline's shapes that aren't in the digest: fixed, or not sent this time.
  [[nodiscard]] const std::vector<const config::accepted_shape*>& absent() const noexcept {
    return absent_;
  }
  /// The number of shapes in this state.
  [[nodiscard]] std::size_t count(baseline_state state) const noexcept {
    return counts_[static_cast<std::size_t>(state)];
  }
  /// Whether the digest has a finding of the kind that `when` names; false for never.
  [[nodiscard]] bool fails(fail_on when) const noexcept;
  /// Number of findings that are new or whose acceptance has expired.
  [[nodiscard]] std::size_t unaccepted() const noexcept {
    return count(baseline_state::is_new) + count(baseline_state::expired);
  }

 private:
  text::day today_;
  std::unordered_map<std::uint64_t, const config::accepted_shape*> by_hash_;
  std::vector<const config::accepted_shape*> absent_;
  std::array<std::size_t, wire::enum_count<baseline_state>()> counts_{};
};

/// An absent shape as a row of a digest, with zero counts.
[[nodiscard]] digest::row row_of(const config::accepted_shape& absent);

/// A baseline that accepts exactly the findings in `seen`. A finding that `before` lists keeps
/// its `why`, `by`, `until` and `since`.
[[nodiscard]] config::baseline renewed(const config::baseline& before,
                                       const digest::table& seen, text::day today);

}  // namespace scattergate::report
