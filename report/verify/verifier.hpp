#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/driver/mongo_reader.hpp"
#include "report/verify/explain_plan.hpp"
#include "report/verify/explainable.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"

namespace scattergate::report {

/// The result of comparing scattergate's verdict on a command with mongos's plan.
enum class outcome : std::uint8_t {
  agreed,
  disagreed,
  failed,        ///< mongos couldn't or wouldn't explain the command
  not_compared,  ///< mongos wasn't asked, because no plan could confirm or contradict the
                 ///< verdict
};
/// The name in reports.
[[nodiscard]] std::string_view label(outcome result) noexcept;

/// A copy of a routing::verdict that owns its data, so that the command and the catalog may be
/// destroyed. The members have the same meaning as the verdict's.
struct own_verdict {
  routing::routing_class routing = routing::routing_class::unknown;
  routing::bounds_kind bounds = routing::bounds_kind::none;
  routing::reason why = routing::reason::none;
  routing::refusal refused = routing::refusal::none;
  std::vector<std::string> missing;  ///< the fields of the shard key that the filter lacks
  /// The names of the shards that the command asks; std::nullopt: the chunks aren't known.
  std::optional<std::vector<std::string>> fanout;
};
/// Copies a verdict. `catalog`: the one that the verdict was made with.
[[nodiscard]] own_verdict own(const routing::verdict& verdict, const routing::catalog& catalog);

/// The outcome with its explanation.
struct comparison {
  outcome is = outcome::not_compared;
  std::string why;  ///< the difference, or why there is no comparison; empty if `agreed`
};

/// Why no plan can confirm or contradict the verdict, so that asking mongos is useless. Empty
/// if a plan can.
[[nodiscard]] std::string why_incomparable(const own_verdict& ours);

/// Whether compare() needs `owners`, the shards that own chunks of the collection. True if the
/// verdict is multi_shard or scatter_gather, doesn't name the shards, and predicts no error.
[[nodiscard]] bool needs_owners(const own_verdict& ours) noexcept;

/// Compares a verdict with mongos's plan. A verdict refuses a command if it predicts that
/// mongos replies with an error. The first case that applies decides:
/// - mongos refuses the command: agreed if the verdict refuses it, too; otherwise failed,
///   because servers refuse for many reasons that routing doesn't know;
/// - the reply has no plan: failed;
/// - the verdict refuses the command: disagreed;
/// - the verdict is unsharded: agreed if the plan has at most one shard;
/// - the plan has no shard: disagreed;
/// - the plan has one unnamed shard: agreed if the verdict predicts one shard;
/// - the verdict names the shards (own_verdict::fanout): agreed if the plan has the same
///   shards;
/// - the verdict is single_shard: agreed if the plan has one shard;
/// - `owners` is unknown: agreed;
/// - the plan has a shard that isn't in `owners`: failed, because a chunk has moved;
/// - the verdict has bounds_kind::full, but not reason::negation: agreed if the plan has all of
///   `owners`;
/// - otherwise: agreed.
///
/// If the explain reply was cut (plan.is_complete is false), the plan may lack shards. A shard
/// that it lacks is then no disagreement.
/// `owners`: the shards that a find without a filter asks; std::nullopt: unknown.
[[nodiscard]] comparison compare(const own_verdict& ours, const explain_plan& plan,
                                 const std::optional<std::vector<std::string>>& owners);

/// The comparison of one command with mongos's plan.
struct check {
  own_verdict ours;   ///< scattergate's verdict
  explain_plan plan;  ///< no_plan if mongos wasn't asked
  comparison result;

  /// Set if later commands would fail too: mongos can't be reached, the server isn't a mongos,
  /// or the connection string is invalid.
  std::optional<config::mongo_error> trouble;
};

/// Judges commands, and compares the verdicts with mongos's plans, which it requests by
/// explain. Sends only explains with verbosity queryPlanner, which never run the command.
class verifier {
 public:
  /// Returns a newer catalog, in case a chunk has moved; null: there is none.
  using catalog_source = std::function<std::shared_ptr<const routing::catalog>()>;

  /// `mongos` must outlive this object.
  verifier(config::mongo_reader& mongos, std::shared_ptr<const routing::catalog> catalog,
           catalog_source newer);

  /// Judges a command and compares the verdict with mongos's plan. If they disagree, does both
  /// once more, with a newer catalog if there is one.
  [[nodiscard]] check check_one(const explainable& what);

  /// Replaces the catalog.
  void set_catalog(std::shared_ptr<const routing::catalog> catalog);

  /// Number of explains sent.
  [[nodiscard]] std::size_t sent() const noexcept { return sent_; }

  /// Sets a function that is called before each explain, for example to limit the rate.
  void before_each(std::function<void()> pause) { pause_ = std::move(pause); }

 private:
  [[nodiscard]] check attempt(const explainable& what);
  [[nodiscard]] own_verdict judge(const std::vector<std::byte>& command);
  [[nodiscard]] explain_plan explain(const explainable& what, check& of);
  [[nodiscard]] std::optional<std::vector<std::string>> owners_of(const explainable& what,
                                                                  check& of);

  config::mongo_reader& mongos_;
  std::shared_ptr<const routing::catalog> catalog_;
  catalog_source newer_;
  std::function<void()> pause_;
  std::map<std::string, std::vector<std::string>> owners_;  // by namespace
  std::size_t sent_ = 0;
  std::vector<std::byte> block_;
  routing::scratch memory_;
};

}  // namespace scattergate::report
