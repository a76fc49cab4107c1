#pragma once

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

/// Reads the tree from which mongos plans a filter, from 8.0 on. mongos simplifies a filter
/// before it plans it. If the filter has an $or or a negation, or contradicts itself, the
/// bounds and pins of the filter as written may therefore not be those that mongos finds. This
/// class replaces them by those of the planned tree (plan_of()). Thread-safety: as for the
/// walk.
class planned_walk {
 public:
  /// `walk` must outlive this object.
  explicit planned_walk(filter_walk& walk) noexcept : walk_(walk) {}

  /// Replaces the walk's bounds and pins. False, without an effect, if it isn't certain what
  /// mongos plans, or if the filter has a fault.
  bool read() noexcept;

  /// Reads a node of the planned tree. `outer`: the path of the $elemMatch around it; null:
  /// none.
  void read_node(const match_draft& node, const match_path* outer,
                 const bounds_place& at) noexcept;

 private:
  using place = bounds_place;
  bool read_branches() noexcept;
  void read_member_values(const match_draft& node, const match_path& path,
                          const place& at) noexcept;
  void read_leaf(const match_draft& node, const match_path& path, const place& at) noexcept;
  [[nodiscard]] std::optional<regex_parts> regex_of(const match_draft& node) noexcept;
  [[nodiscard]] field_bounds bounds_of_list(const match_draft& list,
                                            const field_rules& rules) noexcept;

  filter_walk& walk_;
};

}  // namespace scattergate::routing
