#include "routing/shape/shape_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "routing/stages/stage.hpp"

namespace scattergate::routing {

namespace {

using enum form;

/// The first eight bytes of a name as a number that sorts like the bytes, because BSON names
/// don't contain NULs. Most comparisons of names end here.
constexpr std::uint64_t begin_of(std::string_view name) noexcept {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i != sizeof begin; ++i) {
    begin = begin << 8U | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  }
  return begin;
}

struct rule {
  std::string_view name;
  form how;
  std::uint64_t begin = begin_of(name);
};

// The tables are sorted by name. A name that isn't listed gets the default of its table.
// clang-format off

/// Arguments of commands. Those that don't affect which documents a command concerns are
/// omitted, as are all names that start with `$`.
constexpr rule argument_rules[] = {
    {"allowDiskUse", left_out}, {"allowPartialResults", left_out},
    {"apiDeprecationErrors", left_out}, {"apiStrict", left_out}, {"apiVersion", left_out},
    {"arrayFilters", filters}, {"autocommit", left_out}, {"awaitData", left_out},
    {"batchSize", left_out}, {"bypassDocumentValidation", left_out},
    {"bypassEmptyTsReplacement", left_out}, {"clientOperationKey", left_out},
    {"collation", collation}, {"comment", left_out}, {"coordinator", left_out},
    {"cursor", left_out}, {"databaseVersion", left_out}, {"deletes", statements},
    {"documents", documents}, {"encryptionInformation", left_out}, {"errorsOnly", left_out},
    {"exhaust", left_out}, {"explain", flag}, {"fields", projection}, {"filter", filter},
    {"fromMongos", left_out}, {"fromRouter", left_out}, {"help", left_out},
    {"hint", hint}, {"includeQueryStatsMetrics", left_out}, {"indexes", statements},
    {"isClusterQueryWithoutShardKeyCmd", left_out}, {"isRetryableWrite", left_out},
    {"jsMode", left_out}, {"key", ordered}, {"legacyRuntimeConstants", left_out},
    {"let", left_out}, {"limit", bound}, {"lsid", left_out}, {"maxAwaitTimeMS", left_out},
    {"maxBSONObjSize", left_out}, {"maxTimeMS", left_out}, {"maxTimeMSOpOnly", left_out},
    {"mayBypassWriteBlocking", left_out}, {"mirrored", left_out}, {"needsMerge", left_out},
    {"new", left_out}, {"noCursorTimeout", left_out}, {"nsInfo", left_out},
    {"oplogReplay", left_out}, {"ops", statements}, {"ordered", left_out},
    {"pipeline", pipeline}, {"projection", projection}, {"query", filter},
    {"querySettings", left_out}, {"rawData", left_out}, {"readConcern", left_out},
    {"readOnce", left_out}, {"recoveryToken", left_out}, {"remove", flag},
    {"returnKey", left_out}, {"runtimeConstants", left_out}, {"scope", left_out},
    {"serialization_context", left_out}, {"shardVersion", left_out},
    {"showRecordId", left_out}, {"singleBatch", left_out}, {"skip", bound},
    {"sort", ordered}, {"startTransaction", left_out}, {"stmtId", left_out},
    {"stmtIds", left_out}, {"tailable", left_out}, {"txnNumber", left_out},
    {"txnRetryCounter", left_out}, {"unique", flag}, {"update", update},
    {"updates", statements}, {"upsert", flag}, {"useNewUpsert", left_out},
    {"verbose", left_out}, {"verbosity", left_out},
    {"writeConcern", left_out}};

/// Fields of a statement of update, delete and bulkWrite, and of an index of createIndexes.
constexpr rule statement_rules[] = {
    {"arrayFilters", filters}, {"background", left_out}, {"c", left_out},
    {"collation", collation}, {"comment", left_out}, {"constants", left_out},
    {"delete", target}, {"document", document}, {"filter", filter}, {"hint", hint},
    {"insert", target}, {"key", ordered}, {"limit", one_or_all}, {"multi", flag},
    {"name", left_out}, {"partialFilterExpression", filter}, {"q", filter},
    {"return", left_out}, {"returnFields", left_out}, {"sampleId", left_out},
    {"sort", ordered}, {"stmtId", left_out}, {"u", update}, {"unique", flag},
    {"update", target}, {"updateMods", update}, {"upsert", flag}, {"v", left_out}};

/// Operators of a filter.
constexpr rule operator_rules[] = {
    {"$and", filters}, {"$comment", left_out}, {"$elemMatch", filter}, {"$expr", expression},
    {"$nor", filters}, {"$or", filters}};

/// Arguments of the stages whose form is `options`, and of mapReduce's `out`.
constexpr rule option_rules[] = {
    {"as", names}, {"coll", names}, {"connectFromField", names}, {"connectToField", names},
    {"db", names}, {"depthField", names}, {"distanceField", names}, {"foreignField", names},
    {"from", names}, {"includeArrayIndex", names}, {"includeLocs", names}, {"into", names},
    {"key", names}, {"localField", names}, {"merge", names}, {"on", names},
    {"pipeline", pipeline}, {"query", filter}, {"reduce", names}, {"replace", names},
    {"restrictSearchWithMatch", filter}, {"sortBy", ordered}, {"whenMatched", merge_action},
    {"whenNotMatched", merge_action}};

/// Operators of an expression.
constexpr rule expression_rules[] = {
    {"$const", literal}, {"$literal", literal}, {"$meta", meta}, {"sortBy", ordered}};

/// Options of a collation that aren't keywords or flags.
constexpr rule collation_rules[] = {{"locale", locale}, {"strength", strength}};
// clang-format on

consteval bool is_sorted(std::span<const rule> rules) {
  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (rules[i - 1].name >= rules[i].name) return false;
  }
  return true;
}
static_assert(is_sorted(argument_rules) && is_sorted(statement_rules) &&
              is_sorted(operator_rules) && is_sorted(option_rules) &&
              is_sorted(expression_rules) && is_sorted(collation_rules));

form look_up(std::span<const rule> rules, std::string_view name, form otherwise) noexcept {
  const auto is_before = [begin = begin_of(name)](const rule& each, std::string_view key) {
    return each.begin != begin ? each.begin < begin : each.name < key;
  };
  const auto found = std::lower_bound(rules.begin(), rules.end(), name, is_before);
  return found != rules.end() && found->name == name ? found->how : otherwise;
}

/// Whether an argument names a field or a collection.
bool is_name(command_kind kind, std::string_view argument) noexcept {
  switch (kind) {
    case command_kind::distinct:
      return argument == "key";
    case command_kind::map_reduce:
      return argument == "out";
    case command_kind::create:
    case command_kind::coll_mod:
      return argument == "viewOn";
    default:
      return false;
  }
}

}  // namespace

form form_of_argument(command_kind kind, std::string_view name) noexcept {
  if (name.starts_with('$')) return left_out;
  return is_name(kind, name) ? names : look_up(argument_rules, name, literal);
}

form form_of_field(form container, std::string_view name) noexcept {
  const bool is_operator = name.starts_with('$');
  switch (container) {
    case statement:
      return look_up(statement_rules, name, literal);
    case filter:
      return is_operator ? look_up(operator_rules, name, predicate) : predicate;
    case update:
      return name == "$rename" ? renames : update_fields;
    case update_fields:
      return operator_operand;
    case operator_operand:
      return name == "$sort" ? ordered : operator_operand;
    case renames:
      return names;
    case stage:
      return stage_of(name).shape;
    case options:
      return look_up(option_rules, name, expression);
    case facets:
      return pipeline;
    case collation:
      return look_up(collation_rules, name, collation);
    case projection:
      return projection;
    case expression:
      return look_up(expression_rules, name, expression);
    default:
      return literal;
  }
}

}  // namespace scattergate::routing
