#pragma once

#include <cstdint>
#include <string_view>

#include "routing/catalog/catalog.hpp"
#include "routing/shape_form.hpp"

/// The table of all aggregation stages and their properties.
namespace scattergate::routing {

/// Where a stage's input comes from if it is the first of a pipeline.
enum class stage_source : std::uint8_t {
  documents,    ///< from the collection's documents, as for most stages
  every_owner,  ///< from other data of every shard that owns a part of the collection
  every_shard,  ///< from other data of every shard of the cluster
  mongos,       ///< from mongos itself, without asking shards
};

/// How a stage uses the other collections that its arguments name.
enum class stage_collections : std::uint8_t {
  none,
  lookup,        ///< joins a collection, by an equality or a pipeline
  graph_lookup,  ///< joins a collection recursively
  union_with,    ///< adds the documents of a collection
  facet,         ///< uses the collections that its sub-pipelines name
  merge,         ///< writes documents to a collection
  out,           ///< replaces a collection
};

/// A property of a stage that directly precedes a $match: which conditions of the $match
/// mongos's optimizer moves before the stage. "The stage" is always the preceding one.
enum class stage_pass : std::uint8_t {
  never,     ///< no conditions
  matches,   ///< the stage is a $match: the optimizer merges both
  near,      ///< no conditions; the stage's own query moves to the head of the pipeline
  redacts,   ///< the optimizer copies some conditions before the stage
  copies,    ///< all conditions; the optimizer also copies them into the stage's pipeline
             ///< ($unionWith)
  sorts,     ///< all conditions
  projects,  ///< conditions on fields that the stage keeps or renames
  adds,      ///< conditions on fields that the stage renames or doesn't set
  unsets,    ///< conditions on fields that the stage doesn't remove
  unwinds,   ///< conditions on fields other than the unwound one
  looks_up,  ///< conditions on fields other than `as`
  fills,     ///< conditions on fields to which the stage doesn't give a value
  groups,    ///< conditions on the group's key
  counts,    ///< conditions on `_id`, the field for the operand of the $sortByCount
};

/// The positions at which a pipeline may contain a stage.
enum class stage_place : std::uint8_t { anywhere, first, last };

/// The properties of one aggregation stage.
struct stage_row {
  std::string_view name = {};     ///< $match; empty for an unknown stage
  server_version since = {0, 0};  ///< the first version that may know the stage; 0.0:
                                  ///< all supported versions may
  server_version until = {0, 0};  ///< the first version that certainly no longer knows the
                                  ///< stage; 0.0: no such version
  stage_source source = stage_source::documents;  ///< the input of the stage if it is the first
  stage_collections other = stage_collections::none;  ///< how the stage uses other collections
  stage_pass passes = stage_pass::never;  ///< which conditions move before the stage
  server_version passed_since = {0, 0};   ///< the first version that moves a $match before the
                                          ///< stage; 0.0: all supported versions do
  stage_place place = stage_place::anywhere;  ///< where a pipeline may contain the stage
  bool in_facets = true;         ///< whether pipelines of a $facet may contain the stage
  bool keeps_documents = false;  ///< whether the stage's output still consists of the
                                 ///< collection's documents
  bool in_transactions = true;   ///< whether multi-document transactions may contain the stage
  bool fuses = false;            ///< whether the stage combines the results of pipelines in its
                                 ///< arguments, as $rankFusion does
  form shape = form::expression;  ///< the form of the stage's arguments in a shape

  /// Whether the table contains the stage.
  [[nodiscard]] constexpr bool is_listed() const noexcept { return !name.empty(); }

  /// Whether a mongos of this version may know the stage.
  [[nodiscard]] constexpr bool is_in(server_version version) const noexcept {
    return version >= since && (until.major == 0 || version < until);
  }

  /// Whether a pipeline that begins with the stage asks every shard, or every shard that owns a
  /// part of the collection, for data other than documents.
  [[nodiscard]] constexpr bool asks_by_nature() const noexcept {
    return source == stage_source::every_owner || source == stage_source::every_shard;
  }

  /// Whether the stage writes to another collection.
  [[nodiscard]] constexpr bool writes() const noexcept {
    return other == stage_collections::merge || other == stage_collections::out;
  }

  /// Whether the stage may read other collections, directly or in its sub-pipelines.
  [[nodiscard]] constexpr bool joins() const noexcept {
    return other != stage_collections::none && !writes();
  }
};

/// The last version of MongoDB whose stages are all in the table. Later versions may have
/// others.
inline constexpr server_version last_listed_stages{8, 2};

/// The row of a stage; for an unknown name, a row whose is_listed() is false.
[[nodiscard]] const stage_row& stage_of(std::string_view name) noexcept;

/// The name of the stage $addFields.
extern const std::string_view add_fields_stage;
/// The name of the stage $count.
extern const std::string_view count_stage;
/// The name of the stage $limit.
extern const std::string_view limit_stage;
/// The name of the stage $sort.
extern const std::string_view sort_stage;

/// The name of the stage $collStats. If a pipeline on a view begins with this stage, shards
/// answer it for the view itself instead of for its collection.
extern const std::string_view coll_stats_stage;

/// The name of the stage $replaceRoot. The stage changes nothing if its operand is {newRoot:
/// "$$ROOT"}.
extern const std::string_view replace_root_stage;
/// The name of the stage $replaceWith. The stage changes nothing if its operand is "$$ROOT".
extern const std::string_view replace_with_stage;
/// The name of the stage $skip. The stage changes nothing if its operand is 0.
extern const std::string_view skip_stage;

}  // namespace scattergate::routing
