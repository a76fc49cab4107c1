#pragma once

#include <array>

#include "routing/statements/pipeline.hpp"

namespace scattergate::routing {

/// The cost of a stage in addition to its contents, in units of wire::work_budget.
inline constexpr std::size_t units_of_stage = 30;

/// The maximum number of views in a chain (mongod's limit).
inline constexpr std::size_t view_depth = 20;

/// A chain of views down to a collection, with their pipelines: first the command's, then those
/// of the views.
struct view_chain {
  std::array<wire::document_view, view_depth + 1> pipelines;
  std::size_t count = 0;
  wire::namespace_view name;  ///< the collection's name
  resolved_namespace base;
  bool simple_collation = true;  ///< whether the default collation is simple; a view has its
                                 ///< own default
  bool too_deep = false;

  /// The i-th pipeline, counted from the collection: 0 is the one that is applied first.
  [[nodiscard]] const wire::document_view& from_base(std::size_t i) const noexcept {
    return pipelines[count - 1 - i];
  }
};

/// Resolves the views between the pipeline's source and its collection.
[[nodiscard]] view_chain chain_of(const pipeline_source& source,
                                  const judging_context& context) noexcept;

}  // namespace scattergate::routing
