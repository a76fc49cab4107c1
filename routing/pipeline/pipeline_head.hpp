#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/pipeline/match_split.hpp"
#include "routing/pipeline/path_history.hpp"
#include "routing/stages/stage.hpp"

namespace scattergate::routing {

/// Predicts the filter at the head of a pipeline after mongos has optimised it; mongos targets
/// the pipeline by this filter. Reads the stages in order. Adds the part of each $match that
/// moves to the head to a filter_walk, with the field names at the head (mongo:
/// pipeline/document_source.cpp, pushMatchBefore; pipeline/pipeline.cpp, optimizePipeline,
/// getInitialQuery). Example: pipeline_head.cpp. Thread-safety: one thread at a time.
class pipeline_head {
 public:
  /// `walk` and `memory` must outlive this object.
  pipeline_head(filter_walk& walk, scratch& memory) noexcept
      : walk_(walk), memory_(memory), history_(walk.rules().version) {}

  /// Reads the next stage; false if its filter has a fault (see fault()).
  bool pass(const wire::element& stage) noexcept;

  /// Reads a $match with this filter; false if the filter has a fault (see fault()).
  bool pass_match(const wire::element& filter) noexcept;

  /// Reads a condition that `path` equals a value that differs between the documents of an
  /// outer pipeline, as in a $lookup.
  void pass_varying(std::string_view path) noexcept;

  /// For the pipeline within a $lookup: reads `rest`, the outer stages after the $lookup. If
  /// the first one is a $unwind of `as`, mongos may move a following $match on the joined
  /// documents into the $lookup's pipeline (mongo: document_source_lookup.cpp, doOptimizeAt).
  /// `as`: the field with the joined documents.
  void pass_after_lookup(wire::metered_reader rest, std::string_view as) noexcept;

  /// Whether a filter precedes the first stage that no $match can move past. It, or a part of
  /// it, may be at the head.
  [[nodiscard]] bool has_filter() const noexcept { return has_filter_; }

  /// Why mongos rejects a $match of the pipeline, or why its filter can't be read, wherever it
  /// is in the pipeline; `none` if there is no fault.
  [[nodiscard]] filter_fault fault() const noexcept {
    return walk_.fault() != filter_fault::none ? walk_.fault() : fault_behind_;
  }

 private:
  /// What is at the front of the optimised pipeline so far.
  enum class front : std::uint8_t {
    nothing,  ///< nothing, or one $match without conditions, which mongos removes
    open,     ///< stages that a later $match can move past or merge with
    redact,   ///< a $redact: mongos copies a part of the next $match before it
    closed,   ///< a stage that no later $match can move past
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
  stage_pass last_ = stage_pass::never;         ///< the property of the previous stage
  stage_pass before_last_ = stage_pass::never;  ///< the property of the stage before the
                                                ///< previous one
  front front_ = front::nothing;
  bool is_first_ = true;
  bool is_behind_ = false;        ///< a $match has to move past stages to get to the front
  bool passes_constants_ = true;  ///< a $match that is never true may move to the front
  bool has_filter_ = false;
  bool keeps_sample_ = false;  ///< a `$nor` stays behind because of a `$sampleRate` in it
  bool is_rewritten_ = false;  ///< mongos rewrites the current $match, or rewrote an earlier
                               ///< one
  bool has_empty_ = false;     ///< a $match without conditions is at the front
  bool is_copied_ = false;     ///< mongos copied a condition before a $redact
};

}  // namespace scattergate::routing
