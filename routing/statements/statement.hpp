#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/targeting.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

class touch_log;

/// What the judgement of a command or nested pipeline depends on, besides the command itself.
struct judging_context {
  const catalog& entries;       ///< the catalog by which to judge
  scratch& memory;              ///< the memory and work budget for judging
  touch_log& touches;           ///< collects the judgement of each namespace
  bool in_transaction = false;  ///< the command is part of a multi-document transaction
  bool is_retryable = false;    ///< the command has a txnNumber, in a transaction or not
  bool is_explained = false;    ///< the command is within an explain, so nothing is written
  bool raw_data = false;        ///< `rawData: true`: a time series' name stands for its buckets
  const let_variables* let = nullptr;  ///< the command's `let`; null: none
  std::uint32_t depth = 0;  ///< nesting depth of the pipeline; 0: the command's own pipeline
  bool skips_join_checks = false;  ///< the pipeline belongs to a joined view; mongos doesn't
                                   ///< check which collections it joins
  /// The stages of this pipeline were already checked with the outer pipeline.
  bool stages_are_checked = false;
};

/// The judgement of one statement: which shards mongos sends it to, and whether it is rejected.
/// A statement is a query, a document to insert, an update, a delete, or an operation of a
/// bulkWrite.
struct statement {
  /// The shards, class and reason.
  target goes_to{.routing = routing_class::unsharded};
  lint_kind lint = lint_kind::none;  ///< a problem independent of the routing
  key_change change{};               ///< for lint_kind::shard_key_update: what is wrong
  refusal refused = refusal::none;   ///< the error if the statement is rejected
  /// mongos rejects the statement before it chooses shards. `goes_to` says where mongos would
  /// send the statement if it ran it after all; rules match that.
  bool is_unrouted = false;
  const collection* judged = nullptr;  ///< the collection whose shard key decided; null: none
  bool sent_everywhere = false;  ///< mongos sends the statement to every shard of the cluster
  bool refuses_batch = false;  ///< mongos can't parse the statement and rejects the whole batch
  /// The shards reject the statement, not mongos; `refused` is their error.
  bool refused_by_shards = false;

  /// Sets an error with which the shards reject the statement. Replaces another error of the
  /// shards, but not one of mongos, which is reported first.
  void refuse_on_shards(refusal error) noexcept {
    if (refused != refusal::none && !refused_by_shards) return;
    refused = error;
    refused_by_shards = true;
  }

  /// Marks the statement as rejected before mongos chooses shards. Keeps `goes_to`, and an
  /// error that is already set.
  void reject(refusal error) noexcept {
    if (refused == refusal::none || refused_by_shards) refused = error;
    refused_by_shards = false;
    is_unrouted = true;
  }

  /// Like reject(), but replaces an error that is already set, because mongos reports this one
  /// first.
  void reject_first(refusal error) noexcept {
    refused = refusal::none;
    reject(error);
  }

  /// The class in a verdict: `unknown` if mongos rejects the statement before it chooses
  /// shards.
  [[nodiscard]] routing_class counted_class() const noexcept {
    return is_unrouted ? routing_class::unknown : goes_to.routing;
  }

  /// A statement whose class is `unknown`, for the reason `why`.
  [[nodiscard]] static statement unknown(reason why) noexcept;
  /// A statement that mongos certainly rejects with this error, or that would ask no shard by
  /// its shard key. `judged`: the statement's collection.
  [[nodiscard]] static statement refused_by(refusal error, const collection* judged) noexcept;
  /// A statement that mongos rejects with this error, and that asks all owners of `judged` if
  /// mongos runs it after all. `memory`: for the fan-out.
  [[nodiscard]] static statement refused_widely(refusal error, const collection& judged,
                                                scratch& memory) noexcept;
  /// A statement whose filter has a fault, and which isn't judged further: rejected or unknown.
  /// `judged`: the statement's collection.
  [[nodiscard]] static statement of(filter_fault fault, const collection& judged,
                                    scratch& memory) noexcept;
  /// A statement with a target in the collection `judged`.
  [[nodiscard]] static statement of(const target& found, const collection& judged) noexcept;
  /// The judgement of a filter, from the walk that has read it, with the target `found`. If
  /// there is a fault, the statement is rejected or unknown.
  [[nodiscard]] static statement of(const filter_walk& walk, const target& found,
                                    filter_fault fault) noexcept;
  [[nodiscard]] static statement of(const filter_walk& walk, const target& found) noexcept {
    return of(walk, found, walk.fault());
  }
};

/// The result of looking up a namespace. If `sharded` is set, the command must be judged by
/// that collection's shard key; otherwise answer() is the judgement.
struct resolved_namespace {
  const collection* entry = nullptr;    ///< the namespace's entry in the catalog (of a time
                                        ///< series: that of its buckets); null if unlisted
  const collection* sharded = nullptr;  ///< the collection whose shard key decides; null if
                                        ///< answer() is the judgement
  /// The class and reason of answer().
  routing_class answer_routing = routing_class::unsharded;
  reason answer_reason = reason::none;
  const time_series* series = nullptr;  ///< set if the name stands for measurements, whose
                                        ///< buckets the collection `entry` contains

  /// Whether the name belongs to a time series whose buckets are in a collection of another
  /// name. mongos treats the name of such a series as a view.
  [[nodiscard]] bool is_view_of_buckets() const noexcept;

  /// The judgement of a command if `sharded` is null.
  [[nodiscard]] statement answer() const noexcept;
  /// The judgement of a write if `sharded` is null; on a view, a rejection.
  [[nodiscard]] statement answer_to_write() const noexcept;
};
/// Looks up a namespace in the catalog.
[[nodiscard]] resolved_namespace resolve(const catalog& entries,
                                         wire::namespace_view name) noexcept;
/// Looks up a namespace for a command. If the command has `rawData: true` (since 8.2), a time
/// series' name stands for its buckets (mongo: generic_argument.idl, rawData).
[[nodiscard]] resolved_namespace resolve(const judging_context& context,
                                         wire::namespace_view name) noexcept;

/// All shards in the catalog. std::nullopt if there are none, or the scratch memory is
/// exhausted.
[[nodiscard]] std::optional<shard_set> every_shard(const catalog& entries,
                                                   scratch& memory) noexcept;

/// The lint for a filter: ambiguous_id, logical_shard_fanout or none. `walk`: the walk that has
/// read the filter. `found`: the filter's target.
[[nodiscard]] lint_kind lint_of(const filter_walk& walk, const target& found) noexcept;

}  // namespace scattergate::routing
