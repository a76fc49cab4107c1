#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/bounds/path_history.hpp"

namespace scattergate::routing {

/// Follows the stages of a pipeline and adds to a walk every $match, or part of one, that the
/// optimizer moves to the pipeline's head, under the names that its fields have there (mongo:
/// pipeline/document_source.cpp, pushMatchBefore; document_source_match.cpp, splitSourceBy,
/// redactSafePortion).
class pipeline_head {
 public:
  pipeline_head(filter_walk& walk, scratch& memory) noexcept : walk_(walk), memory_(memory) {}

  /// Takes the next stage; false where a filter can't be judged (see fault()).
  bool pass(const wire::element& stage) noexcept;

  /// Takes a $match's filter.
  bool pass_match(const wire::element& filter) noexcept;

  /// Takes an equality of `path` with a value that differs from document to document.
  void pass_varying(std::string_view path) noexcept;

  /// Takes the stages that follow a $lookup into `as`. The optimizer makes a $match on what the
  /// $lookup found a part of it, where a $unwind of `as` stands between them (mongo:
  /// document_source_lookup.cpp, doOptimizeAt).
  void pass_behind_lookup(wire::metered_reader rest, std::string_view as) noexcept;

  /// Whether any filter reached the head.
  [[nodiscard]] bool has_filter() const noexcept { return has_filter_; }

  /// What is wrong with a filter, be it one that stays behind its stage.
  [[nodiscard]] filter_fault fault() const noexcept {
    return walk_.fault() != filter_fault::none ? walk_.fault() : fault_behind_;
  }

 private:
  bool check_behind(wire::document_view filter) noexcept;
  bool add_part(const wire::element& part, std::uint32_t depth) noexcept;

  [[nodiscard]] bool is_free(const wire::element& part, std::uint32_t depth) const noexcept;
  [[nodiscard]] bool are_branches_free(const wire::element& part,
                                       std::uint32_t depth) const noexcept;
  [[nodiscard]] bool is_path_free(const wire::element& part) const noexcept;
  [[nodiscard]] bool is_expression_free(const wire::element& expression,
                                        std::uint32_t depth) const noexcept;

  filter_walk& walk_;
  scratch& memory_;
  path_history history_;
  filter_fault fault_behind_ = filter_fault::none;
  bool redacted_ = false;  ///< behind a $redact, which may hide fields
  bool closed_ = false;    ///< no later $match comes past here
  bool is_first_ = true;
  bool has_filter_ = false;
};

}  // namespace scattergate::routing
