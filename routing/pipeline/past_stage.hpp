#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// How a stage names the path that was looked up, or a path above or below it. In the stage
/// {$addFields: {a: "$x"}}, the path "a.b" has the mention `above`, "$x" and "b".
struct path_mention {
  path_relation relation = path_relation::unrelated;  ///< the position of the stage's path
                                                      ///< relative to the path looked up
  wire::element value;     ///< the value that the stage gives for its path
  std::string_view rest;   ///< if `above`: the part of the path looked up that is below the
                           ///< stage's path
  bool is_nested = false;  ///< if `same` or `above`: the stage's path has several components
};

/// An index of the paths that a stage names, as dotted paths or nested documents. Contains
/// views into the stage. Thread-safety: one thread at a time.
class path_tree {
 public:
  /// Indexes the fields of a $project, $addFields or $group, and forgets earlier paths. False
  /// if the scratch memory or its work budget runs out.
  [[nodiscard]] bool take_fields(wire::document_view fields, scratch& memory) noexcept;

  /// Indexes a list of paths, as in $unset, and forgets earlier paths. False if the scratch
  /// memory or its work budget runs out.
  [[nodiscard]] bool take_list(wire::document_view paths, scratch& memory) noexcept;

  /// Whether any of the paths has several components.
  [[nodiscard]] bool has_nested() const noexcept { return has_nested_; }

  /// The first mention of `path`, or of a path above or below it; if there is none, a mention
  /// whose relation is `unrelated`.
  [[nodiscard]] path_mention first_about(std::string_view path,
                                         wire::work_budget& work) const noexcept;

 private:
  /// A component of a path, with indexes into mentions_; `no_mention`: none.
  struct node {
    std::uint32_t own;    ///< the first mention of exactly this path
    std::uint32_t below;  ///< the first mention of a path below it
  };
  static constexpr std::uint32_t no_mention = ~std::uint32_t{0};

  [[nodiscard]] bool open(std::size_t parts, std::size_t mentions, scratch& memory) noexcept;
  [[nodiscard]] bool insert_all(wire::document_view fields, name_table::id below,
                                std::uint32_t depth, wire::work_budget& work) noexcept;
  [[nodiscard]] name_table::id part_at(name_table::id below, std::string_view path,
                                       wire::work_budget& work) noexcept;
  void mention(name_table::id part, const wire::element& value) noexcept;

  name_table names_;
  std::span<node> nodes_;  // by name id - 1
  std::span<wire::element> mentions_;
  std::uint32_t count_ = 0;
  bool has_nested_ = false;
};

/// The nested fields in a value of a $project or $addFields; std::nullopt if the value is an
/// expression.
[[nodiscard]] std::optional<wire::document_view> nested_fields(
    const wire::element& value) noexcept;

/// The effect of one stage on the value at a path.
struct path_effect {
  enum class kind : std::uint8_t {
    unnamed,  ///< the value is unchanged; the stage names neither the path nor a path above it
    kept,     ///< the stage names the path, and leaves its value unchanged
    moved,    ///< before the stage, the value was at the path that consists of `origin`,
              ///< `member`, `inner` and `rest`, joined by dots; empty parts are left out
    lost,  ///< the stage computes, changes or removes the value, or passes on only a part of it
  } is = kind::unnamed;
  std::string_view origin;   ///< a path before the stage
  std::string_view member;   ///< after a $map: a field of the documents in the array at
                             ///< `origin`
  std::string_view rest;     ///< the end of the path, below the other parts
  std::string_view inner{};  ///< after a nested $map: a field of the documents in the array at
                             ///< `member`
};

/// A stage that a $match may move past, and its effect on paths (mongo:
/// DocumentSource::getModifiedPaths). Contains views into the pipeline. Trivially destructible,
/// because it is allocated in the scratch memory. Thread-safety: one thread at a time.
struct past_stage {
  /// Reads a stage. Returns false if this class doesn't support the stage or its arguments, so
  /// that no $match may move past it.
  [[nodiscard]] bool read(const wire::element& from, wire::work_budget& work) noexcept;

  /// Indexes the paths that the stage names. Must be called before effect_on().
  void prepare(scratch& memory) noexcept;

  /// The stage's effect on a path. REQUIRES: prepare() was called.
  [[nodiscard]] path_effect effect_on(std::string_view path,
                                      wire::work_budget& work) const noexcept;

  /// Whether the stage names a path below the top-level field `first`.
  [[nodiscard]] bool names_below(std::string_view first,
                                 wire::work_budget& work) const noexcept;

  /// Whether the stage is a gate: a stage where one condition of a $match may prevent other
  /// conditions from moving before the stage. See survey_gates().
  [[nodiscard]] bool is_gate() const noexcept;

  /// Sets whether a reference to a part of a $group's key, such as {m: "$_id.c"}, counts as a
  /// renaming, although it has a dot (mongo: document_source_group.cpp, pushDotRenamedMatch).
  /// Set it to true if the stage is a $project directly between a $group and the $match that is
  /// examined.
  void set_reads_group_key(bool value) noexcept { reads_key = value; }

  /// Whether the stage gives any field another path; true if in doubt.
  [[nodiscard]] bool renames(wire::work_budget& work) const noexcept;

  /// Whether the stage is a $group or $sortByCount.
  [[nodiscard]] bool is_group() const noexcept {
    return does == effect::groups || does == effect::counts;
  }

  /// Whether the stage is a $group by several values: `{_id: {a: "$a", b: "$b"}}`.
  [[nodiscard]] bool has_several_keys(wire::work_budget& work) const noexcept;

  /// Records that a condition directly after the stage reads the value at `path`. If the stage
  /// names a path below `path`, no condition on a path below `path` moves past the stage any
  /// more. Returns true if this object stores `path`; the path's bytes must then outlive this
  /// object.
  bool note_read(std::string_view path, wire::work_budget& work) noexcept;

  /// After this call, no condition moves past the stage: effect_on() returns `lost`.
  void close() noexcept { is_closed = true; }

  past_stage* before = nullptr;  ///< the previous stage that a $match may move past; null: none

  /// Whether references that some versions of mongos treat as computed values count as
  /// renamings: "$x" in {$addFields: {"a.b": "$x"}}, and references within a $map.
  bool renames_nested = false;

 private:
  enum class effect : std::uint8_t {
    adds,      ///< $addFields: sets fields
    includes,  ///< a $project that keeps only the fields that it names
    excludes,  ///< a $project that removes fields
    removes,   ///< $unset with a list of paths
    changes,   ///< changes `changed` and `index`
    groups,    ///< $group
    counts     ///< $sortByCount
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
  std::string_view changed;  ///< the path that a $lookup, $unwind, $fill or an $unset of one
                             ///< path changes
  std::string_view index;    ///< the second path that an $unwind or $fill changes
  path_tree named;  ///< the paths that a stage names, if `does` isn't `changes` or `counts`
  std::array<std::string_view, reads_remembered> read_above;  ///< the paths that note_read()
                                                              ///< recorded
  std::uint8_t reads = 0;  ///< the number of paths in read_above
  bool reads_key = false;  ///< see set_reads_group_key()
  bool is_prepared = false;
  bool is_closed = false;
};

}  // namespace scattergate::routing
