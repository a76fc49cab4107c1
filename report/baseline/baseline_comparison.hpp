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
#include "text/time_text.hpp"
#include "wire/label_table.hpp"

namespace scattergate::report {

/// The state of a shape (a command without its values) relative to a baseline, the file of
/// accepted shapes. A finding is a shape with commands that go to every shard, because their
/// filter doesn't bound the shard key (digest::is_finding()).
enum class baseline_state : std::uint8_t {
  none,      ///< the shape isn't a finding
  is_new,    ///< a finding that the baseline doesn't accept
  accepted,  ///< a finding that the baseline, or a rule or comment (digest::is_accepted()),
             ///< accepts
  expired,   ///< accepted until a day that has passed; counts as new
  absent,    ///< accepted by the baseline, but no finding in the digest (the table of shapes)
};

/// The name in reports: "new" (also for expired), "accepted", "absent"; empty for none.
[[nodiscard]] std::string_view label(baseline_state state) noexcept;

/// The findings that fail a report or a gate.
enum class fail_on : std::uint8_t {
  never,
  new_findings,  ///< findings that the baseline doesn't accept, or accepted only until a day
                 ///< that has passed
  any,           ///< all findings, accepted or not
};
/// The value of the option --fail-on: "never", "new" or "any"; std::nullopt for other names.
[[nodiscard]] std::optional<fail_on> fail_on_named(std::string_view name) noexcept;

/// Compares the findings of a digest (the table of shapes) with a baseline, by the shape's
/// hash. Keeps pointers into the baseline, which must outlive this object unchanged.
class baseline_comparison {
 public:
  /// `is_given`: false if the user named no baseline, and `accepted` is empty.
  baseline_comparison(const config::baseline& accepted, const digest::table& seen,
                      text::day today, bool is_given = true);

  /// Whether there is a baseline. Without one, views don't mention it.
  [[nodiscard]] bool is_given() const noexcept { return is_given_; }

  /// The state of a digest's row; `absent` is never returned.
  [[nodiscard]] baseline_state state_of(const digest::row& one) const;
  /// The baseline's entry for a shape; null if there is none.
  [[nodiscard]] const config::accepted_shape* entry_of(const digest::row& one) const;

  /// The baseline's shapes that aren't findings in the digest: fixed, or not sent this time.
  [[nodiscard]] const std::vector<const config::accepted_shape*>& absent() const noexcept {
    return absent_;
  }
  /// The number of shapes in the state. For baseline_state::none: the number of the digest's
  /// shapes that aren't findings.
  [[nodiscard]] std::size_t count(baseline_state state) const noexcept {
    return counts_[static_cast<std::size_t>(state)];
  }
  /// Whether a report or a gate fails with the option `when`: the digest has a finding of the
  /// kind that `when` names. False for fail_on::never.
  [[nodiscard]] bool fails(fail_on when) const noexcept;
  /// Number of findings that are new or whose acceptance has expired.
  [[nodiscard]] std::size_t unaccepted() const noexcept {
    return count(baseline_state::is_new) + count(baseline_state::expired);
  }

 private:
  text::day today_;
  bool is_given_;
  std::unordered_map<std::uint64_t, const config::accepted_shape*> by_hash_;
  std::vector<const config::accepted_shape*> absent_;
  std::array<std::size_t, wire::enum_count<baseline_state>()> counts_{};
};

/// An absent shape as a row of a digest, with zero counts.
[[nodiscard]] digest::row row_of(const config::accepted_shape& absent);

/// A baseline that accepts the findings in `seen`, at most config::max_accepted. Omits findings
/// that rules or comments accept, unless they are in `before`. A finding that is in `before`
/// keeps its members `why`, `by`, `until` and `since`. For any other finding, `since` is
/// `today`.
[[nodiscard]] config::baseline renewed(const config::baseline& before,
                                       const digest::table& seen, text::day today);

}  // namespace scattergate::report
