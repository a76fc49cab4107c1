#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "routing/catalog/catalog.hpp"
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

/// Whether conditions move as in 4.4: those that may match missing fields move too, and those
/// next to an $expr move past a $group. Also true for 5.0.0, of which a pre-release was
/// recorded (tests/real). Not known for later patch levels of 5.0: false, so more shards may be
/// predicted than mongos asks.
[[nodiscard]] constexpr bool moves_as_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

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
