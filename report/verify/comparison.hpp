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

/// What was compared, and how it came out.
enum class outcome : std::uint8_t {
  agreed,
  disagreed,
  failed,        ///< mongos would not or could not explain it
  not_compared,  ///< nothing to hold against a plan
};
[[nodiscard]] std::string_view label(outcome result) noexcept;

/// A verdict in words of its own, for when what it points into is gone.
struct own_verdict {
  routing::routing_class routing = routing::routing_class::unknown;
  routing::bounds_kind bounds = routing::bounds_kind::none;
  routing::reason why = routing::reason::none;
  routing::refusal refused = routing::refusal::none;
  std::vector<std::string> missing;
  std::optional<std::vector<std::string>> fanout;  ///< none where chunks aren't known
};
[[nodiscard]] own_verdict own(const routing::verdict& verdict, const routing::catalog& catalog);

struct comparison {
  outcome is = outcome::not_compared;
  std::string why;  ///< in words; empty where they agree
};

/// Whether there is no point in asking mongos: why, else empty.
[[nodiscard]] std::string why_incomparable(const own_verdict& ours);

/// Whether the verdict has to be held against the shards that own chunks of the collection,
/// because it knows no fan-out itself.
[[nodiscard]] bool needs_owners(const own_verdict& ours) noexcept;

/// Holds a verdict against mongos's plan:
/// - both refuse: agreed; mongos plans what we say it refuses: disagreed; the other way round:
///   failed, for a server refuses for many reasons that routing knows nothing of;
/// - unsharded: one shard, or none where the database doesn't exist;
/// - the fan-out is known: the sets are equal;
/// - it isn't: a point goes to one shard, narrowed bounds to some of the owners, full bounds to
///   all (a complement, to some). `owners`: the shards that a find without a filter asks.
[[nodiscard]] comparison compare(const own_verdict& ours, const explain_plan& plan,
                                 const std::optional<std::vector<std::string>>& owners);

/// Names in a line: "a, b", at most 20 of them and how many more there are.
[[nodiscard]] std::string listed(const std::vector<std::string>& names,
                                 std::string_view separator = ", ");

}  // namespace scattergate::report
