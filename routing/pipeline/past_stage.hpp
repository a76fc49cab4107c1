#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/pipeline/path_tree.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The effect of one stage on a path.
struct path_effect {
  enum class kind : std::uint8_t {
    unnamed,  ///< the stage doesn't name the path, or a document that contains it
    kept,
    moved,  ///< its value was at `origin`.`member`.`inner`.`rest`, without the empty parts
    lost,   ///< computed, changed, removed, or only partly passed on
  } is = kind::unnamed;
  std::string_view origin;
  std::string_view member;  ///< a field of the members of the array at `origin`
  std::string_view rest;
  std::string_view inner{};  ///< a field of the members of the array at `member`
};

/// A stage that a $match may move past, with its effect on paths (mongo:
/// DocumentSource::getModifiedPaths). Trivially destructible, because it lives in the scratch
/// memory. Contains views into the pipeline.
struct past_stage {
  /// Reads a stage. Returns false if this class doesn't model the effect of its stage_pass,
  /// or its arguments aren't supported.
  [[nodiscard]] bool read(const wire::element& from, wire::work_budget& work) noexcept;

  /// Indexes the paths that the stage names. Call it before effect_on().
  void prepare(scratch& memory) noexcept;

  /// The stage's effect on a path. REQUIRES: prepare() was called.
  [[nodiscard]] path_effect effect_on(std::string_view path,
                                      wire::work_budget& work) const noexcept;

  /// Whether the stage names a path below the top-level field `first`.
  [[nodiscard]] bool names_below(std::string_view first,
                                 wire::work_budget& work) const noexcept;

  /// Whether the stage is a gate: one condition of a $match may prevent others from moving
  /// past it; see survey_gates().
  [[nodiscard]] bool is_gate() const noexcept;

  /// Sets whether effect_on() is about a $match directly after this $project, which is
  /// directly after a $group. A part of the $group's key that the $project takes,
  /// `{m: "$_id.c"}`, then counts as renamed, although it has a dot (mongo:
  /// document_source_group.cpp, pushDotRenamedMatch).
  void read_key_directly(bool does_so) noexcept { reads_key = does_so; }

  /// Whether the stage renames a path; true if in doubt.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept;

  [[nodiscard]] bool is_group() const noexcept {
    return does == effect::groups || does == effect::counts;
  }

  /// Whether the stage is a $group by several values: `{_id: {a: "$a", b: "$b"}}`.
  [[nodiscard]] bool has_several_keys(wire::work_budget& work) const noexcept;

  /// Records that a condition directly after the stage reads `path`. If the stage passes on
  /// only parts of the document there, conditions on these parts can no longer move past it.
  /// Returns whether the stage stores the view `path`.
  bool note_read(std::string_view path, wire::work_budget& work) noexcept;

  /// From now on no condition can move past the stage: effect_on() returns `lost`.
  void close() noexcept { is_closed = true; }

  past_stage* before = nullptr;  ///< the previous stage that a $match may move past; or null

  /// Whether a reference also counts as a renaming if it is below the top level,
  /// `{$addFields: {"a.b": "$x"}}`, or in a $map.
  bool renames_nested = false;

 private:
  enum class effect : std::uint8_t {
    adds,
    includes,
    excludes,
    removes,
    changes,
    groups,
    counts
  };
  static constexpr std::size_t reads_remembered = 4;

  [[nodiscard]] path_effect of_named(std::string_view path,
                                     wire::work_budget& work) const noexcept;
  [[nodiscard]] bool hides(std::string_view path) const noexcept;
  [[nodiscard]] bool names(std::string_view path, wire::work_budget& work) const noexcept;
  [[nodiscard]] std::optional<path_effect> of_key(const path_mention& said,
                                                  wire::work_budget& work) const noexcept;

  wire::element stage;
  effect does = effect::changes;
  std::string_view changed;  ///< the path that a $lookup, $unwind, $unset or $fill changes
  std::string_view index;    ///< the second path that an $unwind or $fill changes
  path_tree named;           ///< the paths that the stages without `changed` name
  std::array<std::string_view, reads_remembered> read_above;  ///< by note_read()
  std::uint8_t reads = 0;
  bool reads_key = false;
  bool is_prepared = false;
  bool is_closed = false;
};

}  // namespace scattergate::routing
