#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "routing/pipeline/past_stage.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// What the stages of a pipeline that a $match may pass do to the paths of documents: leave
/// them alone, rename, compute or remove them (mongo: DocumentSource::getModifiedPaths,
/// pipeline/semantic_analysis.cpp). Views into the pipeline.
class path_history {
 public:
  /// Takes the next stage: $project, $addFields, $set, $unset, $unwind, $lookup, $graphLookup,
  /// $group, $sortByCount. False where it is another one, is malformed, or there is no room
  /// left for it. What it keeps lies in `memory`.
  [[nodiscard]] bool pass(const wire::element& stage, scratch& memory) noexcept;

  /// Reads the stages that came since the last time, for all questions that follow. What that
  /// needs lies in `memory`, as long as anything is asked. A $match that waits behind more
  /// gates than are remembered passes none of those further ahead.
  void prepare(scratch& memory) noexcept;

  /// Where the value at `path` behind the stages lay before them, or between `until` and what
  /// follows it; nothing where a stage computes, changes or removes it, or the scratch is
  /// exhausted. REQUIRES: prepare().
  [[nodiscard]] std::optional<std::string_view> origin_of(
      std::string_view path, scratch& memory, const past_stage* until = nullptr) const noexcept;

  /// Whether one of the stages says something of another path below the field that `path`
  /// begins with there. REQUIRES: it has an origin.
  [[nodiscard]] bool shares_field(std::string_view path, scratch& memory,
                                  const past_stage* until = nullptr) const noexcept;

  /// Whether the next questions are about a $match directly behind a $project that stands
  /// directly behind a $group; see past_stage::read_key_directly().
  void read_key_directly(bool does_so) noexcept {
    if (last_ != nullptr) last_->read_key_directly(does_so);
  }

  /// Behind the stages, documents lie below `path` of those that are asked about: only what
  /// names something below it has an origin.
  void nest_below(std::string_view path) noexcept { nested_below_ = path; }

  [[nodiscard]] bool is_nested() const noexcept { return !nested_below_.empty(); }

  /// The stages that let a predicate pass only where nothing else that has come as far stands
  /// in its way, the last one first: that before `gate`, or the last of all; null for none.
  /// REQUIRES: prepare().
  [[nodiscard]] past_stage* gate_before(const past_stage* gate) const noexcept;

  /// Whether one of the stages gives a path another name.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept {
    for (const past_stage* each = last_; each != nullptr; each = each->before) {
      if (each->renames(work)) return true;
    }
    return false;
  }

  /// Whether nothing stands behind `gate`.
  [[nodiscard]] bool is_last(const past_stage& gate) const noexcept {
    return last_ == &gate && !is_nested();
  }

 private:
  static constexpr std::size_t stages_remembered = 24;
  static constexpr std::size_t gates_remembered = 4;

  std::string_view nested_below_;
  past_stage* last_ = nullptr;
  std::size_t count_ = 0;
  std::size_t gates_ = 0;
  bool is_prepared_ = true;
};

}  // namespace scattergate::routing
