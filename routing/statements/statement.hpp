#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/targeting.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

class touch_log;

/// The context for judging one command.
struct judging {
  const catalog& entries;
  scratch& memory;
  touch_log& touches;           ///< collects the touched namespaces
  bool in_transaction = false;  ///< part of a multi-document transaction
  bool is_retryable = false;    ///< has a txnNumber, in a transaction or not
  bool is_explained = false;    ///< within an explain: nothing is written
  bool raw_data = false;  ///< the command has `rawData: true`: a time series stands for its
                          ///< buckets
  const let_variables* let = nullptr;  ///< the command's; null: none
  std::uint32_t depth = 0;             ///< nesting depth of pipelines
  bool joins_are_unseen = false;  ///< the pipeline of a joined view, which mongos doesn't check
  bool stages_are_known = false;  ///< the pipeline's stage names were checked with the outer
                                  ///< pipeline
};

/// The judgement of one statement: a query, a new document, an update, a delete, an operation.
struct statement {
  target goes_to{.routing = routing_class::unsharded};
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  const collection* judged = nullptr;
  bool sent_everywhere = false;  ///< mongos sends it to every shard of the cluster
  bool refuses_batch = false;    ///< mongos can't parse it and rejects the whole batch
  /// The shards reject it, not mongos: `refused` is their error.
  bool refused_by_shards = false;

  /// Sets a refusal that only the shards find, in place of another one of theirs. mongos's own
  /// has precedence.
  void refuse_on_shards(refusal error) noexcept {
    if (refused != refusal::none && !refused_by_shards) return;
    refused = error;
    refused_by_shards = true;
  }

  [[nodiscard]] static statement unknown(reason why) noexcept;
  [[nodiscard]] static statement refused_by(refusal error, const collection* judged) noexcept;
  [[nodiscard]] static statement of(filter_fault fault, const collection& judged) noexcept;
  [[nodiscard]] static statement of(const target& found, const collection& judged) noexcept;
  /// From the walk's fault if it has one, otherwise from its target.
  [[nodiscard]] static statement of(const filter_walk& walk, const target& found) noexcept;
};

/// The result of a namespace's lookup: either the sharded collection to judge, or a complete
/// answer.
struct resolved_namespace {
  const collection* entry = nullptr;    ///< the catalog's entry; null if unlisted
  const collection* sharded = nullptr;  ///< the collection to judge; null if answer() is
                                        ///< complete
  routing_class routing = routing_class::unsharded;
  reason why = reason::none;
  const time_series* series = nullptr;  ///< set if the command refers to measurements and
                                        ///< `sharded` contains their buckets

  /// Whether the name is a time series' whose buckets are in another collection, so that mongos
  /// treats it as a view.
  [[nodiscard]] bool is_view_of_buckets() const noexcept;

  [[nodiscard]] statement answer() const noexcept;
  [[nodiscard]] statement answer_to_write() const noexcept;  ///< for writes, which a view
                                                             ///< refuses
};
/// Looks up a namespace in the catalog.
[[nodiscard]] resolved_namespace resolve(const catalog& entries,
                                         wire::namespace_view name) noexcept;
/// Looks up a namespace for a command. With `rawData: true` (since 8.2), a time series stands
/// for its buckets (mongo: generic_argument.idl, rawData).
[[nodiscard]] resolved_namespace resolve(const judging& with,
                                         wire::namespace_view name) noexcept;

/// All shards of the cluster; std::nullopt if they are unknown or the scratch memory is
/// exhausted.
[[nodiscard]] std::optional<shard_set> every_shard(const catalog& entries,
                                                   scratch& memory) noexcept;

/// The lint of a judged filter: ambiguous_id, logical_shard_fanout or none.
[[nodiscard]] lint_kind lint_of(const filter_walk& walk, const target& found) noexcept;

}  // namespace scattergate::routing
