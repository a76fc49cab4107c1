#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "routing/pipeline/leaf_rules.hpp"
#include "routing/pipeline/past_stage.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The combined effect of all stages that a $match may move past: which paths they keep,
/// rename, compute or remove (mongo: DocumentSource::getModifiedPaths,
/// pipeline/semantic_analysis.cpp). Contains views into the pipeline. Thread-safety: one thread
/// at a time.
class path_history {
 public:
  path_history() = default;
  /// A history without stages. `version`: the version of mongos whose rules apply.
  explicit path_history(server_version version) noexcept
      : renames_nested_(moves_as_4_4(version)) {}

  /// Adds the next stage. Supports $project, $addFields, $set, $unset, $unwind, $lookup,
  /// $graphLookup, $fill, $group and $sortByCount. Returns false, and adds nothing, if the
  /// stage isn't supported or there is no room. Allocates in `memory`.
  [[nodiscard]] bool pass(const wire::element& stage, scratch& memory) noexcept;

  /// Indexes the stages that were added since the last call. The functions below require this.
  /// Allocates in `memory`; the allocations must live as long as these functions are called. If
  /// there are more gates (see gate_before()) than gates_remembered, the earlier ones block all
  /// conditions.
  void prepare(scratch& memory) noexcept;

  /// The path that a value had before all stages, or directly after the stage `until` if that
  /// is given. `path`: the value's path after all stages. std::nullopt if a stage computes,
  /// changes or removes the value, or the scratch memory is exhausted. Sets `*reshaped`, if
  /// given, to true if a stage gave the whole field at `path` a value from below another field,
  /// as {$project: {m: "$_id.c"}} does. REQUIRES: prepare() was called.
  [[nodiscard]] std::optional<std::string_view> origin_of(
      std::string_view path, scratch& memory, const past_stage* until = nullptr,
      bool* reshaped = nullptr) const noexcept;

  /// Whether a stage writes another path with the same first component: "a.c" if `path` is
  /// "a.b". True if in doubt. `until`: only the stages after this one count; null: all.
  /// REQUIRES: origin_of(path) has a value.
  [[nodiscard]] bool shares_field(std::string_view path, scratch& memory,
                                  const past_stage* until = nullptr) const noexcept;

  /// Sets, for the last stage, whether references to parts of the preceding $group's key count
  /// as renamings; see past_stage::set_reads_group_key().
  void set_reads_group_key(bool value) noexcept {
    if (last_ != nullptr) last_->set_reads_group_key(value);
  }

  /// From now on, the stages process the documents nested at `path`, such as a $lookup's `as`.
  /// Only paths below `path` then have an origin: `path` and the dot are removed first.
  void nest_below(std::string_view path) noexcept { nested_below_ = path; }

  /// Whether nest_below() was called.
  [[nodiscard]] bool is_nested() const noexcept { return !nested_below_.empty(); }

  /// The gate before `gate`, or the last gate if `gate` is null; null if there is none. A gate
  /// is a stage where one condition of a $match may prevent other conditions from moving
  /// before the stage (survey_gates()). REQUIRES: prepare() was called.
  [[nodiscard]] past_stage* gate_before(const past_stage* gate) const noexcept;

  /// Whether any of the stages gives a field another path; true if in doubt.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept {
    for (const past_stage* each = last_; each != nullptr; each = each->before) {
      if (each->renames(work)) return true;
    }
    return false;
  }

  /// Whether `gate` is the last of the stages; false after nest_below().
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
  /// Whether nested references and $map rename. Newer versions of mongos treat nested paths,
  /// and results of $map, as computed, because a path above may be an array (mongo:
  /// exec/projection_node.cpp, reportComputedPaths; expression.h, ExpressionMap has no
  /// getComputedPaths in 8.x). 7.1 still renames; which later patch levels do isn't known.
  bool renames_nested_ = false;
};

}  // namespace scattergate::routing
