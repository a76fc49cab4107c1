#pragma once

#include <cstdint>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/shape_form.hpp"

/// What is known of each stage of an aggregation. Who needs to know something of a stage reads
/// its row.
namespace scattergate::routing {

/// What a stage reads where it is the first one.
enum class stage_source : std::uint8_t {
  documents,    ///< the collection's, as any stage does
  every_owner,  ///< something else, on every shard that owns a part of the collection
  every_shard,  ///< something else, on every shard of the cluster
  mongos,       ///< nothing of a shard: mongos answers by itself
};

/// The other collections that a stage's arguments name.
enum class stage_collections : std::uint8_t {
  none,
  lookup,        ///< one that is joined by an equality, or by a pipeline
  graph_lookup,  ///< one that is joined recursively
  union_with,    ///< one whose documents are added
  facet,         ///< those of the pipelines in it
  merge,         ///< one that is written to
  out,           ///< one that is replaced
};

/// How a $match behind a stage comes past it when mongos optimises the pipeline, by what the
/// stage does to documents.
enum class stage_pass : std::uint8_t {
  never,     ///< it stays behind
  matches,   ///< the stage is a $match: both make one
  near,      ///< it stays behind, and the stage's own query comes to the head
  redacts,   ///< parts of it are copied in front
  copies,    ///< it is copied to both sides of the stage
  sorts,     ///< as it is
  projects,  ///< what it says of fields that are kept or renamed
  adds,      ///< what it says of fields that aren't set, or are renamed
  unsets,    ///< what it says of fields that aren't removed
  unwinds,   ///< what it says of other fields than the unwound one
  looks_up,  ///< what it says of other fields than `as`
  groups,    ///< what it says of the group's key
  counts,    ///< the same of a $sortByCount
};

/// One stage.
struct stage_row {
  std::string_view name = {};
  server_version since = {0, 0};  ///< the first version that has it; 0.0: all that we judge
  server_version until = {0, 0};  ///< the first version that has it no more; 0.0: none
  stage_source source = stage_source::documents;
  stage_collections other = stage_collections::none;
  stage_pass passes = stage_pass::never;
  server_version passed_since = {0, 0};  ///< earlier ones let no $match past
  bool keeps_documents = false;          ///< what it hands on are documents of the collection
  bool fuses = false;  ///< it ranks together what the pipelines in its arguments read
  form shape = form::expression;  ///< how a shape writes its arguments

  [[nodiscard]] constexpr bool is_listed() const noexcept { return !name.empty(); }

  /// Whether such a mongos knows the stage.
  [[nodiscard]] constexpr bool is_in(server_version version) const noexcept {
    return version >= since && (until.major == 0 || version < until);
  }

  /// Whether it asks for something other than documents, of shards.
  [[nodiscard]] constexpr bool asks_by_nature() const noexcept {
    return source == stage_source::every_owner || source == stage_source::every_shard;
  }

  [[nodiscard]] constexpr bool writes() const noexcept {
    return other == stage_collections::merge || other == stage_collections::out;
  }

  /// Whether it reads other collections, or pipelines in it may.
  [[nodiscard]] constexpr bool joins() const noexcept {
    return other != stage_collections::none && !writes();
  }
};

/// The last version all of whose stages are listed. A later one may know others.
inline constexpr server_version last_listed_stages{8, 2};

/// The stage's row; one that isn't listed for a name that none has.
[[nodiscard]] const stage_row& stage_of(std::string_view name) noexcept;

/// Stages that scattergate writes into pipelines itself.
extern const std::string_view add_fields_stage;
extern const std::string_view limit_stage;
extern const std::string_view sort_stage;

}  // namespace scattergate::routing
