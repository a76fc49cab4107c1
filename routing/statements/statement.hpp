#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/targeting.hpp"
#include "routing/verdict.hpp"

namespace scattergate::routing {

class touch_log;

/// What every part of one command is judged with.
struct judging {
  const catalog& entries;
  scratch& memory;
  touch_log& touches;                  ///< what it turns out to touch
  bool in_transaction = false;         ///< part of a multi-document transaction
  bool is_retryable = false;           ///< has a txnNumber, in a transaction or not
  bool is_explained = false;           ///< within an explain: nothing is written
  bool raw_data = false;               ///< a time series is asked for its buckets
  const let_variables* let = nullptr;  ///< the command's; null: it has none
  std::uint32_t depth = 0;             ///< of pipelines within pipelines
  bool joins_are_unseen = false;  ///< mongos doesn't read it: the pipeline of a joined view
  bool stages_are_known = false;  ///< the words of a pipeline have been looked at by whoever
                                  ///< judges the pipeline that it is in
};

/// The judgement of one statement: a query, a document to insert, an update, an op.
struct statement {
  target goes_to{.routing = routing_class::unsharded};
  lint_kind lint = lint_kind::none;
  refusal refused = refusal::none;
  const collection* judged = nullptr;
  bool sent_everywhere = false;  ///< mongos sends it to every shard of the cluster
  bool refuses_batch = false;    ///< mongos can't read it, and refuses all that it stands with

  [[nodiscard]] static statement unknown(reason why) noexcept;
  [[nodiscard]] static statement refused_by(refusal error, const collection* judged) noexcept;
  [[nodiscard]] static statement of(filter_fault fault, const collection& judged) noexcept;
  [[nodiscard]] static statement of(const target& found, const collection& judged) noexcept;
  /// Of the walk's fault, where it has one, else of what it found.
  [[nodiscard]] static statement of(const filter_walk& walk, const target& found) noexcept;
};

/// What a namespace is before any filter is looked at: either the sharded collection to judge
/// on, or the answer.
struct resolved_namespace {
  const collection* entry = nullptr;    ///< the catalog's entry, null where unlisted
  const collection* sharded = nullptr;  ///< to judge on; null where answer() says it all
  routing_class routing = routing_class::unsharded;
  reason why = reason::none;
  const time_series* series =
      nullptr;  ///< what is asked are measurements, `sharded` has buckets

  [[nodiscard]] statement answer() const noexcept;
  [[nodiscard]] statement answer_to_write() const noexcept;  ///< which a view refuses
};
[[nodiscard]] resolved_namespace resolve(const catalog& entries,
                                         wire::namespace_view name) noexcept;
/// With `rawData: true` (8.2) a time series is the collection of its buckets (mongo:
/// generic_argument.idl, rawData; older servers refuse it).
[[nodiscard]] resolved_namespace resolve(const judging& with,
                                         wire::namespace_view name) noexcept;

/// All shards of the cluster; nothing where none is known, or the scratch is exhausted.
[[nodiscard]] std::optional<shard_set> every_shard(const catalog& entries,
                                                   scratch& memory) noexcept;

/// The findings that a judged filter gives beside its class: ambiguous_id,
/// logical_shard_fanout, none.
[[nodiscard]] lint_kind lint_of(const filter_walk& walk, const target& found) noexcept;

}  // namespace scattergate::routing
