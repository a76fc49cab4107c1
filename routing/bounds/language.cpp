#include "routing/bounds/language.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/stage_reader.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The last version whose words the lists below hold (mongo: REGISTER_STABLE_EXPRESSION,
/// REGISTER_DOCUMENT_SOURCE and their kin; the manual's lists of operators and stages). They
/// hold the words of every earlier version too: which operators a version lacks isn't told
/// apart.
constexpr server_version last_listed{8, 2};

// clang-format off
constexpr std::array<std::string_view, 175> operators{
    "$abs", "$acos", "$acosh", "$add", "$allElementsTrue", "$and", "$anyElementTrue",
    "$arrayElemAt", "$arrayToObject", "$asin", "$asinh", "$atan", "$atan2", "$atanh", "$avg",
    "$binarySize", "$bitAnd", "$bitNot", "$bitOr", "$bitXor", "$bottom", "$bottomN",
    "$bsonSize", "$ceil", "$cmp", "$concat", "$concatArrays", "$cond", "$const", "$convert",
    "$cos", "$cosh", "$createObjectId", "$createUUID", "$currentDate", "$dateAdd", "$dateDiff",
    "$dateFromParts", "$dateFromString", "$dateSubtract", "$dateToParts", "$dateToString",
    "$dateTrunc", "$dayOfMonth", "$dayOfWeek", "$dayOfYear", "$degreesToRadians",
    "$deserializeEJSON", "$divide", "$encStrContains", "$encStrEndsWith", "$encStrNormalizedEq",
    "$encStrStartsWith", "$eq", "$exp", "$filter", "$first", "$firstN", "$floor", "$function",
    "$getField", "$gt", "$gte", "$hash", "$hexHash", "$hour", "$ifNull", "$in", "$indexOfArray",
    "$indexOfBytes", "$indexOfCP", "$isArray", "$isNumber", "$isoDayOfWeek", "$isoWeek",
    "$isoWeekYear", "$last", "$lastN", "$let", "$literal", "$ln", "$log", "$log10", "$lt",
    "$lte", "$ltrim", "$map", "$max", "$maxN", "$median", "$mergeObjects", "$meta",
    "$millisecond", "$min", "$minN", "$minute", "$mod", "$month", "$multiply", "$ne", "$not",
    "$objectToArray", "$or", "$percentile", "$pow", "$radiansToDegrees", "$rand", "$range",
    "$reduce", "$regexFind", "$regexFindAll", "$regexMatch", "$replaceAll", "$replaceOne",
    "$reverseArray", "$round", "$rtrim", "$second", "$serializeEJSON", "$setDifference",
    "$setEquals", "$setField", "$setIntersection", "$setIsSubset", "$setUnion", "$sigmoid",
    "$similarityCosine", "$similarityDotProduct", "$similarityEuclidean", "$sin", "$sinh",
    "$size", "$slice", "$sortArray", "$split", "$sqrt", "$stdDevPop", "$stdDevSamp",
    "$strLenBytes", "$strLenCP", "$strcasecmp", "$substr", "$substrBytes", "$substrCP",
    "$subtract", "$subtype", "$sum", "$switch", "$tan", "$tanh", "$toArray", "$toBool",
    "$toDate", "$toDecimal", "$toDouble", "$toHashedIndexKey", "$toInt", "$toLong", "$toLower",
    "$toObject", "$toObjectId", "$toString", "$toUUID", "$toUpper", "$top", "$topN", "$trim",
    "$trunc", "$tsIncrement", "$tsSecond", "$type", "$unsetField", "$week", "$year", "$zip"};

constexpr std::array<std::string_view, 63> stages_known{
    "$addFields", "$backupCursor", "$backupCursorExtend", "$betaMultiStream", "$bucket",
    "$bucketAuto", "$changeStream", "$changeStreamSplitLargeEvent", "$collStats", "$count",
    "$currentOp", "$densify", "$documents", "$facet", "$fill", "$geoNear", "$graphLookup",
    "$group", "$indexStats", "$limit", "$listCachedAndActiveUsers", "$listCatalog",
    "$listClusterCatalog", "$listExtensions", "$listLocalSessions", "$listMqlEntities",
    "$listSampledQueries", "$listSearchIndexes", "$listSessions", "$lookup", "$match", "$merge",
    "$mergeCursors", "$operationMetrics", "$out", "$planCacheStats", "$project",
    "$querySettings", "$queryStats", "$queue", "$rankFusion", "$redact", "$replaceRoot",
    "$replaceWith", "$sample", "$score", "$scoreFusion", "$search", "$searchBeta",
    "$searchMeta", "$set", "$setMetadata", "$setVariableFromSubPipeline", "$setWindowFields",
    "$shardedDataDistribution", "$skip", "$sort", "$sortByCount", "$telemetry", "$unionWith",
    "$unset", "$unwind", "$vectorSearch"};
// clang-format on
static_assert(std::ranges::is_sorted(operators) && std::ranges::is_sorted(stages_known));

/// Stages that are unknown before some version: not after the one that brought them.
struct later_stage {
  std::string_view name;
  server_version since;
};
constexpr std::array later_stages{later_stage{"$setWindowFields", {5, 0}},
                                  later_stage{"$densify", {5, 1}},
                                  later_stage{"$documents", {5, 1}},
                                  later_stage{"$fill", {5, 1}},
                                  later_stage{"$rankFusion", {8, 0}},
                                  later_stage{"$scoreFusion", {8, 0}},
                                  later_stage{"$score", {8, 0}},
                                  later_stage{"$shardedDataDistribution", {6, 0}},
                                  later_stage{"$querySettings", {7, 0}},
                                  later_stage{"$listSampledQueries", {6, 0}},
                                  later_stage{"$changeStreamSplitLargeEvent", {6, 0}}};

bool is_later(std::string_view stage, server_version version) noexcept {
  const auto* const found = std::ranges::find(later_stages, stage, &later_stage::name);
  return found != later_stages.end() && version < found->since;
}

/// What looking for a word costs, in units of wire::work_budget.
constexpr std::size_t word_units = 30;

/// What MongoDB's own nodes send each other; never a user's misspelling.
bool is_internal(std::string_view name) noexcept {
  return name.starts_with("$_");
}

template <typename Names>
bool is_among(const Names& names, std::string_view name) noexcept {
  return is_internal(name) || std::ranges::binary_search(names, name);
}

/// Reads expressions for their operators alone. Recursion is bounded by the depth, all of it by
/// the work.
class expression_check {
 public:
  explicit expression_check(wire::work_budget& work) noexcept : work_(work) {}

  [[nodiscard]] refusal check(const element& expression) noexcept {
    const auto inner = expression.as_container();
    if (!inner || !depth_.enter()) return refusal::none;
    const refusal found =
        expression.is_array() ? check_members(*inner) : check_document(*inner);
    depth_.leave();
    return found;
  }

 private:
  [[nodiscard]] refusal check_document(document_view document) noexcept {
    wire::metered_reader reader{document, work_};
    element first;
    if (!reader.next(first)) return refusal::none;
    if (!first.key().starts_with('$')) return check_members(document);
    if (element second; reader.next(second)) return refusal::expression_form;
    if (first.key() == "$literal" || first.key() == "$const" || is_internal(first.key())) {
      return refusal::none;
    }
    work_.charge(word_units);
    if (!is_among(operators, first.key())) return refusal::invalid_pipeline_operator;
    return check(first);
  }

  /// An array's members, or the arguments that an operator takes by name.
  [[nodiscard]] refusal check_members(document_view members) noexcept {
    wire::metered_reader reader{members, work_};
    for (element member; reader.next(member);) {
      if (const refusal found = check(member); found != refusal::none) return found;
    }
    return refusal::none;
  }

  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// Reads pipelines for the names of their stages. Recursion is bounded by the depth, all of it
/// by the work.
class stage_check {
 public:
  stage_check(server_version version, wire::work_budget& work) noexcept
      : version_(version), work_(work) {}

  [[nodiscard]] refusal check(document_view pipeline) noexcept {
    if (!depth_.enter()) return refusal::none;
    refusal found = refusal::none;
    stage_reader stages{pipeline, work_};
    for (document_view stage; found == refusal::none && stages.next(stage);) {
      found = check_stage(stage);
    }
    depth_.leave();
    return found;
  }

 private:
  [[nodiscard]] refusal check_stage(document_view stage) noexcept {
    wire::metered_reader reader{stage, work_};
    element operation;
    element second;
    if (!reader.next(operation) || reader.next(second)) {
      return reader.is_corrupt() ? refusal::none : refusal::stage_form;
    }
    const std::string_view name = operation.key();
    work_.charge(word_units);
    if (!is_among(stages_known, name) || is_later(name, version_)) {
      return refusal::unrecognized_stage;
    }
    const auto options = operation.as_document();
    if (!options) return refusal::none;
    if (name == "$facet") return check_each(*options);
    if (name != "$lookup" && name != "$unionWith") return refusal::none;
    const auto inner = wire::find_field(*options, "pipeline", work_);
    const auto pipeline = inner ? inner->as_array() : std::nullopt;
    return pipeline ? check(*pipeline) : refusal::none;
  }

  [[nodiscard]] refusal check_each(document_view pipelines) noexcept {
    wire::metered_reader reader{pipelines, work_};
    for (element one; reader.next(one);) {
      const auto pipeline = one.as_array();
      if (!pipeline) continue;
      if (const refusal found = check(*pipeline); found != refusal::none) return found;
    }
    return refusal::none;
  }

  const server_version version_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

}  // namespace

refusal refusal_of_expression(const element& expression, server_version version,
                              wire::work_budget& work) noexcept {
  if (version.series() > last_listed) return refusal::none;
  return expression_check{work}.check(expression);
}

refusal refusal_of_stages(document_view stages, server_version version,
                          wire::work_budget& work) noexcept {
  if (version.series() > last_listed) return refusal::none;
  return stage_check{version, work}.check(stages);
}

}  // namespace scattergate::routing
