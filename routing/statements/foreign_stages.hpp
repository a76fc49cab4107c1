#pragma once

#include "routing/statements/pipeline.hpp"

namespace scattergate::routing {

/// The context for judging the stages of one pipeline that use other collections.
struct foreign_context {
  std::string_view database;       ///< the database of the pipeline's collection
  bool simple_collation = true;    ///< whether the pipeline's collation is simple
  const judging_context& judging;  ///< the command's context
  std::uint32_t depth = 0;  ///< nesting depth of the pipeline; 0: the command's own pipeline
  mutable std::size_t unions = 0;  ///< the number of $unionWith stages judged so far, which
                                   ///< limits the work for them
};

/// Judges every collection that `stages` join ($lookup, $graphLookup, $unionWith) or write to
/// ($merge, $out), also in a $facet and in nested pipelines. Adds the judgements to `whole`,
/// the judgement of the pipeline.
void add_foreign_stages(statement& whole, const foreign_context& context,
                        wire::document_view stages) noexcept;

}  // namespace scattergate::routing
