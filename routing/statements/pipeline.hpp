#pragma once

#include "routing/statements/statement.hpp"

namespace scattergate::routing {

/// A pipeline and what it reads.
struct pipeline_source {
  wire::namespace_view from;
  wire::document_view stages;  ///< an array
  const let_variables* let = nullptr;
  std::optional<bool> simple_collation;      ///< none: the collection's default
  std::string_view varying_path;             ///< equals something else for each document
  std::optional<wire::element> filter;       ///< holds before the stages
  std::optional<wire::element> last_match;   ///< a $match behind the stages
  std::optional<wire::metered_reader> rest;  ///< the stages behind the one that names it
  std::string_view as;  ///< where a $lookup puts what it finds; empty for a $unionWith
};

/// Where mongos takes a pipeline, the collections that it joins, unites or writes to
/// included: the worst decides.
[[nodiscard]] statement judge_pipeline(const pipeline_source& source,
                                       const judging& with) noexcept;

/// The same where the pipeline has no collection of its own ({aggregate: 1}): only what it
/// joins counts.
[[nodiscard]] statement judge_without_collection(std::string_view database,
                                                 wire::document_view stages,
                                                 const judging& with) noexcept;

/// Where what $merge writes goes: each document by its own key.
[[nodiscard]] statement judge_output(wire::namespace_view name,
                                     const std::optional<wire::element>& on_fields,
                                     const judging& with) noexcept;

/// What becomes of a collection that is replaced, which mongos refuses for a sharded one.
[[nodiscard]] statement judge_replaced(wire::namespace_view name, refusal if_sharded,
                                       const judging& with) noexcept;

/// Adds the judgement of a further namespace to that of the whole.
void add_foreign(statement& whole, const statement& foreign) noexcept;

}  // namespace scattergate::routing
