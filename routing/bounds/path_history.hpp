#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "routing/bounds/path_tree.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// What the stages of a pipeline that a $match may pass do to the paths of documents: leave
/// them alone, rename, compute or remove them (mongo: DocumentSource::getModifiedPaths,
/// pipeline/semantic_analysis.cpp). Views into the pipeline.
class path_history {
 public:
  /// Takes the next stage: $project, $addFields, $set, $unset, $unwind, $lookup, $graphLookup.
  /// False where it is another one, is malformed, or there is no room left for it. What it
  /// keeps lies in `memory`.
  [[nodiscard]] bool pass(const wire::element& stage, scratch& memory) noexcept;

  /// Reads the stages that came since the last time, for all questions that follow. What that
  /// needs lies in `memory`, as long as anything is asked.
  void prepare(scratch& memory) noexcept;

  /// Where the value at `path` behind the stages lay before them; nothing where a stage
  /// computes, changes or removes it, or the scratch is exhausted. REQUIRES: prepare().
  [[nodiscard]] std::optional<std::string_view> origin_of(std::string_view path,
                                                          scratch& memory) const noexcept;

  /// Behind the stages, documents lie below `path` of those that are asked about: only what
  /// names something below it has an origin.
  void nest_below(std::string_view path) noexcept { nested_below_ = path; }

  [[nodiscard]] bool is_empty() const noexcept { return last_ == nullptr && !is_nested(); }
  [[nodiscard]] bool is_nested() const noexcept { return !nested_below_.empty(); }

 private:
  static constexpr std::size_t stages_remembered = 24;
  struct past_stage;

  std::string_view nested_below_;
  past_stage* last_ = nullptr;
  std::size_t count_ = 0;
};

/// The path in a reference to a field of the document: "$a.b", "$$CURRENT.a.b", "$$ROOT.a.b";
/// nothing where `text` is something else.
[[nodiscard]] std::optional<std::string_view> field_reference(std::string_view text) noexcept;

}  // namespace scattergate::routing
