#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/pipeline/path_tree.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// What one stage says of a path.
struct path_fate {
  enum class kind : std::uint8_t {
    unnamed,  ///< nothing
    kept,
    moved,  ///< it lay at `origin`, followed by `member` and `rest`, where these aren't empty
    lost,   ///< computed, changed, removed, or only a part of it is handed on
  } is = kind::unnamed;
  std::string_view origin;
  std::string_view member;  ///< a field of the members of the array at `origin`
  std::string_view rest;
};

/// A stage that a $match may come past, and what it does to the paths of documents (mongo:
/// DocumentSource::getModifiedPaths). Trivial, as it lies in the scratch; views into the
/// pipeline.
struct past_stage {
  /// Takes a stage that changes documents in a way known to stage_pass. False where it is
  /// another one or can't be followed.
  [[nodiscard]] bool take(const wire::element& from, wire::work_budget& work) noexcept;

  /// Reads what the stage names; `of` says nothing good before.
  void prepare(scratch& memory) noexcept;

  [[nodiscard]] path_fate of(std::string_view path, wire::work_budget& work) const noexcept;

  /// Whether it says something of a path below the field `first`.
  [[nodiscard]] bool names_below(std::string_view first,
                                 wire::work_budget& work) const noexcept;

  /// Whether it lets a predicate pass only where nothing else that has come as far stands in
  /// its way.
  [[nodiscard]] bool is_gate() const noexcept;

  /// Whether the next question is about a $match that stands directly behind this $project, and
  /// this one directly behind the $group before it. Then what the $project takes of the
  /// $group's key, `{m: "$_id.c"}`, is renamed as a field without a dot (mongo:
  /// document_source_group.cpp, pushDotRenamedMatch).
  void read_key_directly(bool does_so) noexcept { reads_key = does_so; }

  /// Whether it gives a path another name. Errs on the side of yes.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept;

  [[nodiscard]] bool is_group() const noexcept {
    return does == effect::groups || does == effect::counts;
  }

  /// Directly behind it something reads `path`. A $match that reads a document of which the
  /// stage hands on parts holds back what it says of those parts. Says whether it keeps `path`.
  bool note_read(std::string_view path, wire::work_budget& work) noexcept;

  /// Nothing passes it any more.
  void close() noexcept { is_closed = true; }

  past_stage* before = nullptr;

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

  [[nodiscard]] path_fate of_named(std::string_view path,
                                   wire::work_budget& work) const noexcept;
  [[nodiscard]] bool hides(std::string_view path) const noexcept;
  [[nodiscard]] bool names(std::string_view path, wire::work_budget& work) const noexcept;
  [[nodiscard]] std::optional<path_fate> of_key(const path_mention& said,
                                                wire::work_budget& work) const noexcept;

  wire::element stage;
  effect does = effect::changes;
  std::string_view changed;  ///< the path that a $lookup or $unwind writes to
  std::string_view index;
  path_tree named;  ///< what any other stage names
  std::array<std::string_view, reads_remembered> read_above;
  std::uint8_t reads = 0;
  bool reads_key = false;
  bool is_prepared = false;
  bool is_closed = false;
};

}  // namespace scattergate::routing
