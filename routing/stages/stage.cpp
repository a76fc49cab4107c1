#include "routing/stages/stage.hpp"

#include <array>
#include <cstddef>

#include "routing/name_slots.hpp"

namespace scattergate::routing {
namespace {

/// All stages of versions up to last_listed_stages, and some later ones (mongo:
/// REGISTER_DOCUMENT_SOURCE and similar macros; the manual's list of stages). `since` is never
/// later than the version that introduced a stage, and `until` never earlier than the one that
/// removed it. Without them, every version is assumed to know the stage, so that a stage that
/// may be known isn't rejected.
constexpr auto stages = [] {
  using enum stage_pass;
  using other = stage_collections;
  using enum stage_source;
  return std::to_array<stage_row>({
      {.name = "$addFields", .passes = adds},
      {.name = "$backupCursor", .place = stage_place::first, .in_transactions = false},
      {.name = "$backupCursorExtend", .place = stage_place::first, .in_transactions = false},
      {.name = "$betaMultiStream"},
      {.name = "$bucket"},
      {.name = "$bucketAuto"},
      {.name = "$changeStream",
       .source = every_shard,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$changeStreamSplitLargeEvent", .since = {6, 0}},
      {.name = "$collStats",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$count", .shape = form::names},
      {.name = "$currentOp",
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$densify", .since = {5, 1}},
      {.name = "$documents", .since = {5, 1}},
      {.name = "$facet", .other = other::facet, .in_facets = false, .shape = form::facets},
      {.name = "$fill", .since = {5, 1}, .passes = fills, .shape = form::options},
      {.name = "$geoNear",
       .passes = near,
       .in_facets = false,
       .keeps_documents = true,
       .shape = form::options},
      {.name = "$graphLookup",
       .other = other::graph_lookup,
       .passes = looks_up,
       .shape = form::options},
      {.name = "$group", .passes = groups, .passed_since = {4, 4}},
      {.name = "$indexStats",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$limit", .keeps_documents = true},
      {.name = "$listCachedAndActiveUsers"},
      {.name = "$listCatalog", .place = stage_place::first, .in_transactions = false},
      {.name = "$listClusterCatalog"},
      {.name = "$listExtensions"},
      {.name = "$listLocalSessions",
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$listMqlEntities"},
      {.name = "$listSampledQueries",
       .since = {6, 0},
       .place = stage_place::first,
       .in_transactions = false},
      {.name = "$listSearchIndexes", .source = mongos, .place = stage_place::first},
      {.name = "$listSessions",
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$lookup", .other = other::lookup, .passes = looks_up, .shape = form::options},
      {.name = "$match", .passes = matches, .keeps_documents = true, .shape = form::filter},
      {.name = "$merge",
       .other = other::merge,
       .place = stage_place::last,
       .in_facets = false,
       .in_transactions = false,
       .shape = form::names},
      {.name = "$mergeCursors"},
      {.name = "$operationMetrics", .in_transactions = false},
      {.name = "$out",
       .other = other::out,
       .place = stage_place::last,
       .in_facets = false,
       .in_transactions = false,
       .shape = form::names},
      {.name = "$planCacheStats",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$project", .passes = projects, .shape = form::projection},
      {.name = "$querySettings", .since = {7, 0}},
      {.name = "$queryStats", .place = stage_place::first, .in_transactions = false},
      {.name = "$queue"},
      {.name = "$rankFusion", .since = {8, 0}, .fuses = true},
      {.name = "$redact", .passes = redacts, .keeps_documents = true},
      {.name = "$replaceRoot"},
      {.name = "$replaceWith"},
      {.name = "$sample", .keeps_documents = true},
      {.name = "$score", .since = {8, 0}},
      {.name = "$scoreFusion", .since = {8, 0}, .fuses = true},
      {.name = "$search",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$searchBeta", .in_transactions = false},
      {.name = "$searchMeta",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
      {.name = "$set", .passes = adds},
      {.name = "$setMetadata"},
      {.name = "$setVariableFromSubPipeline"},
      {.name = "$setWindowFields", .since = {5, 0}, .shape = form::options},
      {.name = "$shardedDataDistribution", .since = {6, 0}},
      {.name = "$skip", .keeps_documents = true},
      {.name = "$sort", .passes = sorts, .keeps_documents = true, .shape = form::ordered},
      {.name = "$sortByCount", .passes = counts},
      {.name = "$telemetry",
       .until = {8, 0},
       .in_transactions = false},  // later called $queryStats
      {.name = "$unionWith",
       .other = other::union_with,
       .passes = copies,
       .in_transactions = false,
       .shape = form::names},
      {.name = "$unset", .passes = unsets, .shape = form::names},
      {.name = "$unwind", .passes = unwinds, .keeps_documents = true, .shape = form::options},
      {.name = "$vectorSearch",
       .source = every_owner,
       .place = stage_place::first,
       .in_facets = false,
       .in_transactions = false},
  });
}();

constexpr stage_row unlisted;

/// Maps a stage's name to its index in `stages` plus one.
constexpr auto places = [] {
  constexpr unsigned slot_bits = 8;
  static_assert(2 * stages.size() <= std::size_t{1} << slot_bits);
  name_slots<std::uint8_t, slot_bits> made;
  std::uint8_t count = 0;
  for (const stage_row& row : stages) made.add(row.name, ++count);
  return made;
}();

}  // namespace

constinit const std::string_view add_fields_stage = "$addFields";
constinit const std::string_view count_stage = "$count";
constinit const std::string_view limit_stage = "$limit";
constinit const std::string_view sort_stage = "$sort";
constinit const std::string_view coll_stats_stage = "$collStats";
constinit const std::string_view replace_root_stage = "$replaceRoot";
constinit const std::string_view replace_with_stage = "$replaceWith";
constinit const std::string_view skip_stage = "$skip";

const stage_row& stage_of(std::string_view name) noexcept {
  const std::size_t place = places.find(name, 0);
  return place == 0 ? unlisted : stages[place - 1];
}

}  // namespace scattergate::routing
