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

/// A copy of a routing::verdict that owns its data: it needs neither the command nor the
/// catalog.
struct own_verdict {
  routing::routing_class routing = routing::routing_class::unknown;
  routing::bounds_kind bounds = routing::bounds_kind::none;
  routing::reason why = routing::reason::none;
  routing::refusal refused = routing::refusal::none;
  std::vector<std::string> missing;
  /// The names of the shards that the command asks; nullopt: the chunks aren't known.
  std::optional<std::vector<std::string>> fanout;
};
[[nodiscard]] own_verdict own(const routing::verdict& verdict, const routing::catalog& catalog);

struct comparison {
  outcome is = outcome::not_compared;
  std::string why;  ///< the difference, or why there is no comparison; empty if they agree
};

/// Why no plan can confirm or contradict the verdict, so mongos needn't be asked; empty if one
/// can.
[[nodiscard]] std::string why_incomparable(const own_verdict& ours);

/// Whether compare() needs the shards that own chunks of the collection, because the verdict
/// has no fan-out.
[[nodiscard]] bool needs_owners(const own_verdict& ours) noexcept;

/// Compares a verdict with mongos's plan:
/// - both refuse the command: agreed. Only the verdict refuses it: disagreed. Only mongos
///   refuses it: failed, because servers refuse for many reasons that routing doesn't know;
/// - unsharded: one shard, or none if the database doesn't exist;
/// - the fan-out is known: the sets must be equal;
/// - the fan-out is unknown: bounds_kind::point asks one shard, narrowed some of the owners,
///   full all owners (with reason::negation, some). `owners`: the shards that a find without a
///   filter asks; nullopt: unknown, so only bounds_kind::point is compared.
[[nodiscard]] comparison compare(const own_verdict& ours, const explain_plan& plan,
                                 const std::optional<std::vector<std::string>>& owners);

/// Names in a line: "a, b". After 20 names, the number of the others: "and 3 more".
[[nodiscard]] std::string listed(const std::vector<std::string>& names,
                                 std::string_view separator = ", ");

}  // namespace scattergate::report
