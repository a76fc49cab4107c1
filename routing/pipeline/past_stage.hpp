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
    moved,  ///< it was at `origin`, followed by `member`, `inner` and `rest` if not empty
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
  /// Reads a stage. Returns false if its stage_pass has no effect on paths that this class
  /// models, or its arguments aren't supported.
  [[nodiscard]] bool read(const wire::element& from, wire::work_budget& work) noexcept;

  /// Indexes the paths that the stage names. Call it before effect_on().
  void prepare(scratch& memory) noexcept;

  /// The stage's effect on a path. REQUIRES: prepare() was called.
  [[nodiscard]] path_effect effect_on(std::string_view path,
                                      wire::work_budget& work) const noexcept;

  /// Whether the stage defines a path below the top-level field `first`.
  [[nodiscard]] bool names_below(std::string_view first,
                                 wire::work_budget& work) const noexcept;

  /// Whether the stage is a gate, where one condition of a $match may block others; see
  /// survey_gates().
  [[nodiscard]] bool is_gate() const noexcept;

  /// Sets whether the following questions are about a $match directly after this $project,
  /// which is directly after a $group. Then parts of the $group's key that the $project takes,
  /// `{m: "$_id.c"}`, are renamed like fields without a dot (mongo: document_source_group.cpp,
  /// pushDotRenamedMatch).
  void read_key_directly(bool does_so) noexcept { reads_key = does_so; }

  /// Whether the stage renames a path; true if in doubt.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept;

  [[nodiscard]] bool is_group() const noexcept {
    return does == effect::groups || does == effect::counts;
  }

  /// Whether the stage is a $group by several values: `{_id: {a: "$a", b: "$b"}}`.
  [[nodiscard]] bool has_several_keys(wire::work_budget& work) const noexcept;

  /// Records that something directly after the stage reads `path`. A $match that reads a
  /// document of which the stage passes on only parts blocks its own conditions on these.
  /// Returns whether the stage keeps `path`.
  bool note_read(std::string_view path, wire::work_budget& work) noexcept;

  /// Blocks all conditions from now on.
  void close() noexcept { is_closed = true; }

  past_stage* before = nullptr;

  /// Whether references below the top level, `{$addFields: {"a.b": "$x"}}`, and in a $map count
  /// as renamings.
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
  std::string_view changed;  ///< the path that a $lookup or $unwind writes to
  std::string_view index;
  path_tree named;  ///< the paths that any other stage names
  std::array<std::string_view, reads_remembered> read_above;
  std::uint8_t reads = 0;
  bool reads_key = false;
  bool is_prepared = false;
  bool is_closed = false;
};

}  // namespace scattergate::routing
