#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/pipeline/path_history.hpp"
#include "routing/pipeline/redact_portion.hpp"
#include "routing/stages/stage.hpp"

namespace scattergate::routing {

/// Predicts which filter stands at the head of a pipeline after mongos has optimised it, which
/// is the one that targeting uses. Reads the stages in order, and adds to a filter_walk each
/// $match, or part of one, that moves to the head, with the field names valid there (mongo:
/// pipeline/document_source.cpp, pushMatchBefore; pipeline/pipeline.cpp, optimizePipeline,
/// getInitialQuery). Example: pipeline_head.cpp. Thread-safety: as for the scratch memory.
class pipeline_head {
 public:
  pipeline_head(filter_walk& walk, scratch& memory) noexcept
      : walk_(walk), memory_(memory), history_(walk.rules().version) {}

  /// Reads the next stage; false if a filter can't be judged (see fault()).
  bool pass(const wire::element& stage) noexcept;

  /// Reads a $match with this filter; false if it can't be judged (see fault()).
  bool pass_match(const wire::element& filter) noexcept;

  /// Reads a $match by which `path` equals a value that differs between documents.
  void pass_varying(std::string_view path) noexcept;

  /// Reads the stages after a $lookup into `as`, for the $lookup's own pipeline: a $match on
  /// the joined documents becomes part of it if a $unwind of `as` precedes that $match (mongo:
  /// document_source_lookup.cpp, doOptimizeAt).
  void pass_behind_lookup(wire::metered_reader rest, std::string_view as) noexcept;

  /// Whether any filter moved to the head.
  [[nodiscard]] bool has_filter() const noexcept { return has_filter_; }

  /// The fault of a filter, even of one that doesn't move to the head.
  [[nodiscard]] filter_fault fault() const noexcept {
    return walk_.fault() != filter_fault::none ? walk_.fault() : fault_behind_;
  }

 private:
  /// The state of the pipeline's head.
  enum class front : std::uint8_t {
    nothing,    ///< empty, or one $match without conditions, which mongos drops
    something,  ///< stages that a $match can move past or merge with
    redact,     ///< a $redact, before which a part of its first $match is copied
    closed,     ///< no later $match moves there
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
  stage_pass last_ = stage_pass::never;         ///< of the previous stage
  stage_pass before_last_ = stage_pass::never;  ///< of the stage before that
  front front_ = front::nothing;
  bool is_first_ = true;
  bool is_behind_ = false;  ///< a $match must pass stages to get to the front
  bool has_filter_ = false;
  bool is_rewritten_ = false;  ///< the current $match is rewritten, or one before it
  bool has_empty_ = false;     ///< a $match without conditions is at the front
  bool is_copied_ = false;     ///< something was copied before a $redact
};

}  // namespace scattergate::routing
