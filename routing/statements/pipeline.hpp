#pragma once

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// A pipeline to judge, and its context.
struct pipeline_source {
  wire::namespace_view from;
  wire::document_view stages;  ///< an array
  const let_variables* let = nullptr;
  std::optional<bool> simple_collation;  ///< empty: the collection's default
  std::string_view varying_path;  ///< a path that is compared with a different value for each
                                  ///< document
  std::optional<wire::element> filter;       ///< applies before the stages
  std::optional<wire::element> last_match;   ///< a $match after the stages
  std::optional<wire::metered_reader> rest;  ///< the outer stages after the one that contains
                                             ///< this pipeline
  std::string_view as;  ///< where a $lookup stores its result; empty for a $unionWith
};

/// Judges a pipeline, including the collections that it joins or writes to. The worst routing
/// decides.
[[nodiscard]] statement judge_pipeline(const pipeline_source& source,
                                       const judging& with) noexcept;

/// Judges a pipeline without a collection ({aggregate: 1}): only collections that it joins or
/// writes to count.
[[nodiscard]] statement judge_without_collection(std::string_view database,
                                                 wire::document_view stages,
                                                 const judging& with) noexcept;

/// The way a $merge writes.
struct output_rules {
  std::optional<wire::element> on_fields;  ///< fields that identify a document; empty: _id and
                                           ///< the shard key
  bool only_inserts = false;               ///< it never updates
};

/// Judges the writes of a $merge, which route each document by its own key. A $merge can't
/// update a time series' measurements.
[[nodiscard]] statement judge_output(wire::namespace_view name, const output_rules& rules,
                                     const judging& with) noexcept;

/// Judges the replacement of a collection. `if_sharded`: the error with which mongos rejects
/// that for a sharded one.
[[nodiscard]] statement judge_replaced(wire::namespace_view name, refusal if_sharded,
                                       const judging& with) noexcept;

/// Adds the judgement of another namespace to `whole`.
void add_foreign(statement& whole, const statement& foreign) noexcept;

}  // namespace scattergate::routing
