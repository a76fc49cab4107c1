#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/verify/explain_plan.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/verdict.hpp"

namespace scattergate::report {

/// The result of a comparison.
enum class outcome : std::uint8_t {
  agreed,
  disagreed,
  failed,        ///< mongos couldn't or wouldn't explain the command
  not_compared,  ///< the plan allows no comparison
};
[[nodiscard]] std::string_view label(outcome result) noexcept;

/// A verdict that owns its data.
struct own_verdict {
  routing::routing_class routing = routing::routing_class::unknown;
  routing::bounds_kind bounds = routing::bounds_kind::none;
  routing::reason why = routing::reason::none;
  routing::refusal refused = routing::refusal::none;
  std::vector<std::string> missing;
  std::optional<std::vector<std::string>> fanout;  ///< empty if chunks aren't known
};
[[nodiscard]] own_verdict own(const routing::verdict& verdict, const routing::catalog& catalog);

struct comparison {
  outcome is = outcome::not_compared;
  std::string why;  ///< explanation; empty if they agree
};

/// Why asking mongos would be pointless; otherwise empty.
[[nodiscard]] std::string why_incomparable(const own_verdict& ours);

/// Whether compare() needs the shards that own chunks of the collection, because the verdict
/// has no fan-out.
[[nodiscard]] bool needs_owners(const own_verdict& ours) noexcept;

/// Compares a verdict with mongos's plan:
/// - both refuse: agreed. mongos plans what we expect it to refuse: disagreed. mongos refuses
///   what we expect it to plan: failed, because servers refuse for many reasons unknown to
///   routing;
/// - unsharded: one shard, or none if the database doesn't exist;
/// - the fan-out is known: the sets must be equal;
/// - it isn't: a point goes to one shard, narrowed bounds to some of the owners, full bounds to
///   all (a complement, to some). `owners`: the shards that a find without a filter asks.
[[nodiscard]] comparison compare(const own_verdict& ours, const explain_plan& plan,
                                 const std::optional<std::vector<std::string>>& owners);

/// Names in a line: "a, b"; at most 20, then the number of the rest.
[[nodiscard]] std::string listed(const std::vector<std::string>& names,
                                 std::string_view separator = ", ");

}  // namespace scattergate::report
