#include "routing/bounds/language.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/stage_reader.hpp"
#include "routing/stages/stage.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

/// The last version whose operators are all in the list below (mongo:
/// REGISTER_STABLE_EXPRESSION and similar macros; the manual's list of operators). The list
/// also has operators that earlier versions lack.
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

/// The cost of looking up a name, in units of wire::work_budget.
constexpr std::size_t word_units = 30;

/// Whether a name is one that only MongoDB's own processes send. Users don't misspell such
/// names, so they are accepted.
bool is_internal(std::string_view name) noexcept {
  return name.starts_with("$_");
}

/// Checks the operators of expressions. wire::limits::inspect_depth limits recursion, the work
/// budget the total work.
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

  /// Checks an array's members, or an operator's named arguments.
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

/// Checks the names of stages in pipelines. wire::limits::inspect_depth limits recursion, the
/// work budget the total work.
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
  const bool is_listed_;  // the list contains all stages of this version
  const bool in_transaction_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// Looks for variables that aren't defined. wire::limits::inspect_depth limits recursion, the
/// work budget the total work.
class variable_check {
 public:
  variable_check(const element& whole, const let_variables* let,
                 wire::work_budget& work) noexcept
      : whole_(whole), let_(let), work_(work) {}

  [[nodiscard]] bool has_unbound() noexcept { return has_unbound(whole_); }

 private:
  [[nodiscard]] bool has_unbound(const element& expression) noexcept {
    if (expression.is_string()) return is_unbound(expression.as_string());
    return any_inside(expression, [&](const element& each) {
      const bool is_literal = each.key() == "$literal" || each.key() == "$const";
      return !is_literal && has_unbound(each);
    });
  }

  /// Whether a string is a variable that isn't defined. mongos's own variables begin with
  /// capital letters.
  [[nodiscard]] bool is_unbound(std::string_view text) noexcept {
    if (!text.starts_with("$$")) return false;
    const std::string_view name = text.substr(2, text.find('.') - 2);
    if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
    work_.charge(word_units);
    if (let_ != nullptr && let_->find(name, work_)) return false;
    return !binds(whole_, name);
  }

  /// Whether any operator defines a variable with this name, even where it isn't visible: $let
  /// in its `vars`; $map and others in `as`, or as "this" and "value".
  [[nodiscard]] bool binds(const element& expression, std::string_view name) noexcept {
    if (name == "this" || name == "value") return true;
    return any_inside(expression, [&](const element& each) {
      const bool is_name = each.key() == "as" || each.key().ends_with("As");
      if (is_name && each.as_string() == name) return true;
      const auto inner = each.key() == "vars" ? each.as_document() : std::nullopt;
      if (inner && wire::find_field(*inner, name, work_)) return true;
      return binds(each, name);
    });
  }

  template <typename Holds>
  [[nodiscard]] bool any_inside(const element& expression, Holds holds) noexcept {
    const auto inner = expression.as_container();
    if (!inner || !depth_.enter()) return false;
    bool found = false;
    wire::metered_reader reader{*inner, work_};
    for (element each; !found && reader.next(each);) found = holds(each);
    depth_.leave();
    return found;
  }

  const element& whole_;
  const let_variables* let_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// Checks the positions of stages. wire::limits::inspect_depth limits recursion, the work
/// budget the total work.
class place_check {
 public:
  explicit place_check(wire::work_budget& work) noexcept : work_(work) {}

  [[nodiscard]] refusal check(document_view pipeline, bool is_facets) noexcept {
    if (!depth_.enter()) return refusal::none;
    refusal inside = refusal::none;
    refusal misplaced = refusal::none;
    bool is_first = true;
    bool is_ended = false;
    stage_reader stages{pipeline, work_};
    for (element stage; inside == refusal::none && stages.next(stage); is_first = false) {
      const stage_row& row = stage_of(stage.key());
      inside =
          is_facets && !row.in_facets ? refusal::stage_not_in_facet : check_inside(stage, row);
      if (misplaced != refusal::none) continue;
      if (is_ended) misplaced = refusal::stage_not_last;
      if (!is_first && !is_ended) misplaced = refusal_behind(stage, row);
      is_ended = row.place == stage_place::last;
    }
    depth_.leave();
    return inside != refusal::none ? inside : misplaced;
  }

 private:
  [[nodiscard]] refusal refusal_behind(const element& stage, const stage_row& row) noexcept {
    if (row.place == stage_place::first) return refusal::stage_not_first;
    const bool is_text = row.passes == stage_pass::matches && has_text(stage);
    return is_text ? refusal::text_not_first : refusal::none;
  }

  /// Whether a $match has a $text at any depth (mongo: pipeline/document_source_match.cpp,
  /// isTextQuery).
  [[nodiscard]] bool has_text(const element& filter) noexcept {
    const auto inner = filter.as_container();
    if (!inner || !depth_.enter()) return false;
    bool found = false;
    wire::metered_reader reader{*inner, work_};
    for (element each; !found && reader.next(each);) {
      found = each.key() == "$text" || has_text(each);
    }
    depth_.leave();
    return found;
  }

  [[nodiscard]] refusal check_inside(const element& stage, const stage_row& row) noexcept {
    const auto options = stage.as_document();
    if (!options) return refusal::none;
    const bool is_facet = row.other == stage_collections::facet;
    if (!is_facet && row.other != stage_collections::lookup &&
        row.other != stage_collections::union_with) {
      return refusal::none;
    }
    wire::metered_reader reader{*options, work_};
    for (element each; reader.next(each);) {
      const auto pipeline =
          is_facet || each.key() == "pipeline" ? each.as_array() : std::nullopt;
      const refusal found = pipeline ? check(*pipeline, is_facet) : refusal::none;
      if (found != refusal::none) return found;
    }
    return refusal::none;
  }

  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// Whether mongos's optimizer certainly leaves a stage in the pipeline.
bool stays(const element& stage, const stage_row& row, wire::work_budget& work) noexcept {
  switch (row.passes) {
    case stage_pass::near:
    case stage_pass::projects:
    case stage_pass::adds:
    case stage_pass::unsets:
    case stage_pass::unwinds:
    case stage_pass::looks_up:
    case stage_pass::groups:
      return true;
    case stage_pass::matches: {
      wire::metered_reader reader{stage.as_document().value_or(document_view{}), work};
      element first;
      return reader.next(first) && !first.key().starts_with('$') && !first.is_document();
    }
    default:
      return stage.key() == limit_stage;
  }
}

}  // namespace

bool has_later_geo_near(document_view stages, wire::work_budget& work) noexcept {
  bool is_behind = false;
  stage_reader reader{stages, work};
  for (element stage; reader.next(stage);) {
    const stage_row& row = stage_of(stage.key());
    if (is_behind && row.passes == stage_pass::near) return true;
    is_behind = is_behind || stays(stage, row, work);
  }
  return false;
}

bool names_unbound_variable(const element& expression, const let_variables* let,
                            wire::work_budget& work) noexcept {
  return variable_check{expression, let, work}.has_unbound();
}

refusal refusal_of_stage_order(document_view stages, wire::work_budget& work) noexcept {
  return place_check{work}.check(stages, false);
}

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
