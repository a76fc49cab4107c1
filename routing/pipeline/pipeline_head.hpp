#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/pipeline/path_history.hpp"
#include "routing/pipeline/redact_portion.hpp"
#include "routing/stages/stage.hpp"

namespace scattergate::routing {

/// Follows the stages of a pipeline as mongos optimises it before it targets, and adds to a
/// walk every $match, or part of one, that comes to the pipeline's head, under the names that
/// its fields have there (mongo: pipeline/document_source.cpp, pushMatchBefore;
/// pipeline/pipeline.cpp, optimizePipeline, getInitialQuery).
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
  /// What stands at the head.
  enum class front : std::uint8_t {
    nothing,    ///< or one $match that says nothing, which mongos drops
    something,  ///< past which, or with which, a $match gets there
    redact,     ///< a $redact, in front of which a part of its first $match is copied
    closed,     ///< no later $match comes there
  };

  bool lead(wire::document_view filter) noexcept;
  bool follow(wire::document_view filter) noexcept;
  bool check_behind(wire::document_view filter) noexcept;
  bool add_parts(wire::document_view filter, std::uint32_t depth) noexcept;
  bool add_part(const wire::element& part, std::uint32_t depth) noexcept;
  void note(stage_pass stage) noexcept;
  void pass_other(const wire::element& stage, const stage_row& row) noexcept;
  [[nodiscard]] safe_equality safe_here() const noexcept;
  [[nodiscard]] bool is_behind_key() const noexcept;
  [[nodiscard]] bool is_rewritten(wire::document_view filter) noexcept;

  filter_walk& walk_;
  scratch& memory_;
  path_history history_;
  filter_fault fault_behind_ = filter_fault::none;
  stage_pass last_ = stage_pass::never;         ///< of the stage before
  stage_pass before_last_ = stage_pass::never;  ///< and of the one before that
  front front_ = front::nothing;
  bool is_first_ = true;
  bool is_behind_ = false;  ///< a $match has stages to pass before it gets to the front
  bool has_filter_ = false;
  bool is_rewritten_ = false;  ///< the $match that is followed isn't as it was written
  bool has_empty_ = false;     ///< a $match that says nothing stands at the front
  bool is_copied_ = false;     ///< something was put in front of a $redact
};

}  // namespace scattergate::routing
