#pragma once

#include <array>

#include "routing/statements/pipeline.hpp"

namespace scattergate::routing {

/// The cost of reading a stage, in addition to its contents, in units of wire::work_budget.
inline constexpr std::size_t units_of_stage = 30;

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

}  // namespace scattergate::routing
