#pragma once

#include "routing/statements/pipeline.hpp"

namespace scattergate::routing {

/// The context for judging stages that use other collections.
struct foreign_context {
  std::string_view database;
  bool simple_collation = true;
  const judging& with;
  std::uint32_t depth = 0;
  mutable std::size_t unions = 0;  ///< the number of $unionWith among the stages so far
};

/// Judges every other collection that the stages join ($lookup, $graphLookup, $unionWith) or
/// write to ($merge, $out), including in $facet and in nested pipelines, and adds the
/// judgements to `whole`.
void add_foreign_stages(statement& whole, const foreign_context& context,
                        wire::document_view stages) noexcept;

}  // namespace scattergate::routing
