#pragma once

#include <cstdint>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/shape_form.hpp"

/// The table of all aggregation stages and their properties.
namespace scattergate::routing {

/// The input of a pipeline's first stage.
enum class stage_source : std::uint8_t {
  documents,    ///< the collection's documents, as most stages do
  every_owner,  ///< other data, from every shard that owns a part of the collection
  every_shard,  ///< other data, from every shard of the cluster
  mongos,       ///< nothing from shards: mongos answers by itself
};

/// The other collections that a stage's arguments name, and their use.
enum class stage_collections : std::uint8_t {
  none,
  lookup,        ///< one that is joined by an equality, or by a pipeline
  graph_lookup,  ///< one that is joined recursively
  union_with,    ///< one whose documents are added
  facet,         ///< those in its sub-pipelines
  merge,         ///< one that is written to
  out,           ///< one that is replaced
};

/// The conditions of a $match that mongos's optimizer moves before a stage of this kind.
enum class stage_pass : std::uint8_t {
  never,     ///< none
  matches,   ///< the stage is a $match: both are merged
  near,      ///< none; the stage's own query moves to the head
  redacts,   ///< some conditions are copied before the stage
  copies,    ///< all conditions, which are also copied into the stage's pipeline ($unionWith)
  sorts,     ///< all conditions
  projects,  ///< conditions on fields that are kept or renamed
  adds,      ///< conditions on fields that aren't set, or are renamed
  unsets,    ///< conditions on fields that aren't removed
  unwinds,   ///< conditions on fields other than the unwound one
  looks_up,  ///< conditions on fields other than `as`
  fills,     ///< conditions on fields that a $fill gives no value
  groups,    ///< conditions on the group's key
  counts,    ///< conditions on the key of the $sortByCount
};

/// The positions in a pipeline at which a stage is valid.
enum class stage_place : std::uint8_t { anywhere, first, last };

/// The properties of one stage.
struct stage_row {
  std::string_view name = {};
  server_version since = {0, 0};  ///< the first version with it; 0.0: all supported versions
  server_version until = {0, 0};  ///< the first version without it; 0.0: none
  stage_source source = stage_source::documents;
  stage_collections other = stage_collections::none;
  stage_pass passes = stage_pass::never;
  server_version passed_since = {0, 0};  ///< the first version that moves a $match before it;
                                         ///< 0.0: all
  stage_place place = stage_place::anywhere;
  bool in_facets = true;          ///< the pipelines of a $facet may contain it
  bool keeps_documents = false;   ///< it outputs documents of the collection
  bool in_transactions = true;    ///< multi-document transactions may contain it
  bool fuses = false;             ///< it combines the results of the pipelines in its arguments
  form shape = form::expression;  ///< how a shape writes its arguments

  [[nodiscard]] constexpr bool is_listed() const noexcept { return !name.empty(); }

  /// Whether a mongos of this version knows the stage.
  [[nodiscard]] constexpr bool is_in(server_version version) const noexcept {
    return version >= since && (until.major == 0 || version < until);
  }

  /// Whether it requests something other than documents from shards.
  [[nodiscard]] constexpr bool asks_by_nature() const noexcept {
    return source == stage_source::every_owner || source == stage_source::every_shard;
  }

  [[nodiscard]] constexpr bool writes() const noexcept {
    return other == stage_collections::merge || other == stage_collections::out;
  }

  /// Whether it reads other collections, directly or in its pipelines.
  [[nodiscard]] constexpr bool joins() const noexcept {
    return other != stage_collections::none && !writes();
  }
};

/// The last version whose stages are all in the table. Later versions may have others.
inline constexpr server_version last_listed_stages{8, 2};

/// The row of a stage; for an unknown name, a row whose is_listed() is false.
[[nodiscard]] const stage_row& stage_of(std::string_view name) noexcept;

/// Stages that scattergate itself writes into pipelines.
extern const std::string_view add_fields_stage;
extern const std::string_view limit_stage;
extern const std::string_view sort_stage;

/// The stage that a view answers, too.
extern const std::string_view coll_stats_stage;

/// Stages that do nothing with some operands.
extern const std::string_view replace_root_stage;
extern const std::string_view replace_with_stage;
extern const std::string_view skip_stage;

}  // namespace scattergate::routing
