#include "routing/bounds/language.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The last version whose operators the list below contains (mongo: REGISTER_STABLE_EXPRESSION
/// and similar macros; the manual's list of operators). It contains the operators of all
/// earlier versions, without distinguishing which ones a version lacks.
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

// clang-format on
static_assert(std::ranges::is_sorted(operators));

/// The cost of looking up a word, in units of wire::work_budget.
constexpr std::size_t word_units = 30;

/// Names that MongoDB's nodes send to each other, and that users don't misspell.
bool is_internal(std::string_view name) noexcept {
  return name.starts_with("$_");
}

/// Checks only the operators of expressions. The depth limits recursion, the work budget the
/// total.
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
    const bool is_known = std::ranges::binary_search(operators, first.key());
    if (!is_known) return refusal::invalid_pipeline_operator;
    return check(first);
  }

  /// An array's members, or an operator's named arguments.
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

/// Checks only the stage names of pipelines. The depth limits recursion, the work budget the
/// total.
class stage_check {
 public:
  stage_check(server_version version, bool in_transaction, wire::work_budget& work) noexcept
      : version_(version),
        is_listed_(version.series() <= last_listed_stages),
        in_transaction_(in_transaction),
        work_(work) {}

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
      return reader.is_corrupt() || !is_listed_ ? refusal::none : refusal::stage_form;
    }
    const std::string_view name = operation.key();
    work_.charge(word_units);
    const stage_row& row = stage_of(name);
    const bool is_unknown = row.is_listed() ? !row.is_in(version_) : is_listed_;
    if (is_unknown && !is_internal(name)) return refusal::unrecognized_stage;
    if (in_transaction_ && !row.in_transactions) {
      return refusal::operation_not_supported_in_transaction;
    }
    const auto options = operation.as_document();
    if (!options) return refusal::none;
    if (row.other == stage_collections::facet) return check_each(*options);
    if (row.other != stage_collections::lookup && row.other != stage_collections::union_with) {
      return refusal::none;
    }
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
  const bool is_listed_;  // the lists cover this version
  const bool in_transaction_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

}  // namespace

refusal refusal_of_expression(const element& expression, server_version version,
                              wire::work_budget& work) noexcept {
  if (version.series() > last_listed) return refusal::none;
  return expression_check{work}.check(expression);
}

refusal refusal_of_stages(document_view stages, server_version version, bool in_transaction,
                          wire::work_budget& work) noexcept {
  return stage_check{version, in_transaction, work}.check(stages);
}

}  // namespace scattergate::routing
