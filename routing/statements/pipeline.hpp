#pragma once

#include <array>

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// The cost of reading a stage, in addition to its contents, in units of wire::work_budget.
inline constexpr std::size_t units_of_stage = 30;

/// A pipeline to judge, and the conditions that apply before or after it. It may be a command's
/// pipeline or one in a stage such as $lookup, in a pipeline that is called the outer one.
struct pipeline_source {
  wire::namespace_view from;             ///< the collection or view that the pipeline reads
  wire::document_view stages;            ///< a BSON array
  const let_variables* let = nullptr;    ///< the variables that expressions may use; null: none
  std::optional<bool> simple_collation;  ///< std::nullopt: the collection's default applies
  std::string_view varying_path;  ///< a path that must equal a value that differs between the
                                  ///< outer documents, such as foreignField; empty: none
  std::optional<wire::element> filter;      ///< a filter that applies before the stages
  std::optional<wire::element> last_match;  ///< a filter that applies after the stages, as that
                                            ///< of a find on a view
  std::optional<wire::metered_reader> rest;  ///< the outer pipeline's stages after the one that
                                             ///< contains this pipeline
  std::string_view as;  ///< the field in which a $lookup stores its result; empty for a
                        ///< $unionWith
};

/// The maximum number of views in a chain (mongod's limit).
inline constexpr std::size_t view_depth = 20;

/// The views between a command and the collection that it reads, and all pipelines that are
/// applied. A view may be on another view.
struct view_chain {
  /// The command's pipeline, then that of each view, from the command to the collection.
  std::array<wire::document_view, view_depth + 1> pipelines;
  std::size_t count = 0;         ///< the number of pipelines: the number of views + 1
  wire::namespace_view name;     ///< the collection's name
  resolved_namespace base;       ///< the collection, as found in the catalog
  bool simple_collation = true;  ///< whether the default collation of the command's view or
                                 ///< collection is simple
  bool too_deep = false;         ///< there are more than view_depth views, so the collection
                                 ///< wasn't found

  /// The i-th pipeline, counted from the collection: 0 is the one that is applied first.
  [[nodiscard]] const wire::document_view& from_base(std::size_t i) const noexcept {
    return pipelines[count - 1 - i];
  }
};

/// Finds the collection that a pipeline reads, and the views between both.
[[nodiscard]] view_chain chain_of(const pipeline_source& source,
                                  const judging_context& context) noexcept;

/// Judges a pipeline and all collections that it joins or writes to. The result has the worst
/// routing class of these judgements.
[[nodiscard]] statement judge_pipeline(const pipeline_source& source,
                                       const judging_context& context) noexcept;

/// Judges a pipeline that reads no collection ({aggregate: 1}): only the collections that it
/// joins or writes to affect the result.
[[nodiscard]] statement judge_without_collection(std::string_view database,
                                                 wire::document_view stages,
                                                 const judging_context& context) noexcept;

/// How a $merge writes documents.
struct output_rules {
  std::optional<wire::element> on_fields;  ///< the $merge's `on`: the fields that identify a
                                           ///< document; std::nullopt: _id and the shard key
  bool only_inserts = false;               ///< the $merge never updates an existing document
};

/// Judges the writes of a $merge to the collection `name`. mongos routes each document by the
/// document's own values. Updating a time series' measurements is rejected.
[[nodiscard]] statement judge_output(wire::namespace_view name, const output_rules& rules,
                                     const judging_context& context) noexcept;

/// Judges the replacement of the collection `name` ($out, mapReduce). `if_sharded`: the error
/// with which mongos rejects this if the collection is sharded.
[[nodiscard]] statement judge_replaced(wire::namespace_view name, refusal if_sharded,
                                       const judging_context& context) noexcept;

/// Adds `foreign`, the judgement of another collection, to `whole`, the judgement of the
/// pipeline: unites the fan-outs, and takes the worse class, the first refusal and the first
/// lint.
void add_foreign(statement& whole, const statement& foreign) noexcept;

}  // namespace scattergate::routing
