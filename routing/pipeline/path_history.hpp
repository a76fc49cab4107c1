#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "routing/pipeline/leaf_rules.hpp"
#include "routing/pipeline/past_stage.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The combined effect on paths of the stages that a $match may move past: which paths they
/// keep, rename, compute or remove (mongo: DocumentSource::getModifiedPaths,
/// pipeline/semantic_analysis.cpp). Contains views into the pipeline. Thread-safety: as for the
/// scratch memory.
class path_history {
 public:
  path_history() = default;
  explicit path_history(server_version version) noexcept
      : renames_nested_(moves_as_4_4(version)) {}

  /// Adds the next stage: $project, $addFields, $set, $unset, $unwind, $lookup, $graphLookup,
  /// $group or $sortByCount. False if it is another stage, is malformed, or there is no room.
  /// Stores its data in `memory`.
  [[nodiscard]] bool pass(const wire::element& stage, scratch& memory) noexcept;

  /// Prepares the stages added since the last call for the questions below. Stores data in
  /// `memory`, which must stay as long as questions are asked. Remembers a limited number of
  /// gates; earlier ones block every condition.
  void prepare(scratch& memory) noexcept;

  /// The path that the value at `path` after the stages had before them (or directly after
  /// `until`). std::nullopt if a stage computes, changes or removes it, or the scratch memory
  /// is exhausted. Sets `reshaped` if a stage gave `path` itself a value from below an array.
  /// REQUIRES: prepare().
  [[nodiscard]] std::optional<std::string_view> origin_of(
      std::string_view path, scratch& memory, const past_stage* until = nullptr,
      bool* reshaped = nullptr) const noexcept;

  /// Whether one of the stages defines another path below the first field of `path`. REQUIRES:
  /// origin_of(path) has a value.
  [[nodiscard]] bool shares_field(std::string_view path, scratch& memory,
                                  const past_stage* until = nullptr) const noexcept;

  /// Sets whether the following questions are about a $match directly after a $project that is
  /// directly after a $group; see past_stage::read_key_directly().
  void read_key_directly(bool does_so) noexcept {
    if (last_ != nullptr) last_->read_key_directly(does_so);
  }

  /// Restricts the following questions to documents below `path`: only paths below it have an
  /// origin.
  void nest_below(std::string_view path) noexcept { nested_below_ = path; }

  [[nodiscard]] bool is_nested() const noexcept { return !nested_below_.empty(); }

  /// The gate before `gate`, or the last one if that is null; null if there is none. See
  /// survey_gates(). REQUIRES: prepare().
  [[nodiscard]] past_stage* gate_before(const past_stage* gate) const noexcept;

  /// Whether one of the stages renames a path.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept {
    for (const past_stage* each = last_; each != nullptr; each = each->before) {
      if (each->renames(work)) return true;
    }
    return false;
  }

  /// Whether no stage follows `gate`.
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
  /// mongos now regards what it writes below the top level, or by a $map, as computed, because
  /// of arrays above it (mongo: exec/projection_node.cpp, reportComputedPaths; expression.h,
  /// ExpressionMap has no getComputedPaths in 8.x). 7.1 still renamed there; it isn't known
  /// which patch levels do.
  bool renames_nested_ = false;
};

}  // namespace scattergate::routing
