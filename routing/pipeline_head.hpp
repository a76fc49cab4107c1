#pragma once

#include <array>

#include "routing/filter_walk.hpp"

namespace scattergate::routing {

/// Follows the stages of a pipeline and adds to a walk every $match, or part of one, that the
/// optimizer moves to the pipeline's head (mongo: pipeline/document_source.cpp,
/// pushMatchBefore; document_source_match.cpp, splitSourceBy).
/// Thread-safety: one thread.
class pipeline_head {
 public:
  explicit pipeline_head(filter_walk& walk) noexcept : walk_(walk) {}

  /// Takes the next stage; false where a filter can't be judged (see the walk's fault).
  bool pass(const wire::element& stage) noexcept;

  /// Takes a $match's filter.
  bool pass_match(const wire::element& filter) noexcept;

  /// Whether any filter reached the head.
  [[nodiscard]] bool has_filter() const noexcept { return has_filter_; }

 private:
  static constexpr std::size_t paths_remembered = 24;
  static constexpr std::size_t projections_remembered = 4;

  bool add_part(const wire::element& part, std::uint32_t depth) noexcept;
  void pass_project(wire::document_view projection) noexcept;
  void pass_fields(const wire::element& stage) noexcept;
  void pass_unwind(const wire::element& stage) noexcept;
  void pass_join(const wire::element& stage) noexcept;
  void changed(std::string_view path) noexcept;

  [[nodiscard]] bool is_changed(std::string_view path) const noexcept;
  [[nodiscard]] bool is_free(const wire::element& part, std::uint32_t depth) const noexcept;

  filter_walk& walk_;
  std::array<std::string_view, paths_remembered> changed_;
  std::array<wire::document_view, projections_remembered> inclusions_;
  std::size_t changed_count_ = 0;
  std::size_t inclusion_count_ = 0;
  bool closed_ = false;  ///< no later $match comes past here
  bool is_first_ = true;
  bool has_filter_ = false;
};

}  // namespace scattergate::routing
