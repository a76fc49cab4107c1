#include "sim/targeting/time_series.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "sim/targeting/filter_split.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"

namespace scattergate::sim {
namespace {

struct granularity {
  std::string_view name;
  std::int64_t span_seconds;
  std::int64_t rounding_seconds;
};

constexpr std::array<granularity, 3> granularities = {
    {{"seconds", 3600, 60}, {"minutes", 86'400, 3600}, {"hours", 2'592'000, 86'400}}};

std::string text_of(const document& options, const char* name) {
  const auto* text = options.find_as<std::string>(name);
  return text == nullptr ? std::string{} : *text;
}

const document& inner(const document& of, std::string_view name) {
  static const document none;
  const auto* content = of.find_as<document>(name);
  return content == nullptr ? none : *content;
}

[[noreturn]] void refuse_name(const std::string& name) {
  refuse(errc::invalid_options,
         "Cannot perform an update or delete on a time-series collection when "
         "querying on '" +
             name + "', which is not the metaField");
}

void check_named(const value& content, const std::string& meta_field);

/// A filter, or what mongos takes for one: any document that is a member of a list.
void check_filter(const document& filter, const std::string& meta_field, bool names_fields) {
  for (const field& each : filter) {
    if (each.name == "$expr" || each.name == "$where") refuse_name(each.name);
    const bool is_field = names_fields && !each.name.starts_with('$');
    if (is_field && each.name.substr(0, each.name.find('.')) != meta_field) {
      refuse_name(each.name);
    }
    check_named(each.content, meta_field);
  }
}

void check_named(const value& content, const std::string& meta_field) {
  if (const auto* of_operators = content.as<document>()) {
    check_filter(*of_operators, meta_field, false);
  }
  const auto* list = content.as<array>();
  if (list == nullptr) return;
  for (const value& each : *list) {
    if (const auto* member = each.as<document>()) {
      check_filter(*member, meta_field, true);
    } else {
      check_named(each, meta_field);
    }
  }
}

std::int64_t floor_to(std::int64_t value, std::int64_t multiple) {
  const std::int64_t rest = value % multiple;
  return value - (rest < 0 ? rest + multiple : rest);
}

constexpr std::int64_t latest_in_object_ids = std::numeric_limits<std::uint32_t>::max();

filter_node compared(filter_kind kind, std::string path, value operand) {
  return {kind, std::move(path), std::move(operand), {}};
}

filter_node together(filter_kind kind, std::vector<filter_node> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  filter_node out{kind};
  out.parts = std::move(parts);
  return out;
}

/// The equivalent comparison of `$expr`, which covers all types.
std::optional<filter_kind> across_types(filter_kind kind) {
  switch (kind) {
    case filter_kind::equal:
    case filter_kind::expression_equal:
      return filter_kind::expression_equal;
    case filter_kind::at_most:
    case filter_kind::expression_at_most:
      return filter_kind::expression_at_most;
    case filter_kind::less:
    case filter_kind::expression_less:
      return filter_kind::expression_less;
    case filter_kind::greater:
    case filter_kind::expression_greater:
      return filter_kind::expression_greater;
    case filter_kind::at_least:
    case filter_kind::expression_at_least:
      return filter_kind::expression_at_least;
    default:
      return std::nullopt;
  }
}

/// The equivalent comparison of `_id`, whose time is a bucket's least.
filter_kind of_one_type(filter_kind kind) {
  if (kind == filter_kind::expression_at_most) return filter_kind::at_most;
  if (kind == filter_kind::expression_less) return filter_kind::less;
  return kind == filter_kind::expression_greater ? filter_kind::greater : filter_kind::at_least;
}

value id_of_time(std::int64_t seconds) {
  object_id out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.bytes[i] = static_cast<std::uint8_t>(seconds >> (8 * (3 - i)));
  }
  return out;
}

stage_effects renaming_meta(const time_series& of, const targeting_rules& rules) {
  stage_effects out;
  out.changes_all_but = true;
  out.renames[of.meta_field] = "meta";
  out.lets_expressions_pass = rules.moves_expressions;
  out.lets_array_conditions_pass = rules.moves_array_conditions;
  return out;
}

/// Translates conditions on single measurements (mongo:
/// BucketSpec::createPredicatesOnBucketLevelField). std::nullopt if a bucket may contain a
/// match whatever its bounds are.
class bucket_conditions {
 public:
  bucket_conditions(const time_series& of, const targeting_rules& rules, bool is_mixed)
      : of_(of), rules_(rules), is_mixed_(is_mixed) {}

  [[nodiscard]] std::optional<filter_node> of(const filter_node& node) const {
    const bool is_list = node.kind == filter_kind::in && !rules_.bounds_meta_anywhere;
    if (is_meta(node) && !is_list) return renamed(node);
    if (node.kind == filter_kind::all_of) return of_all(node);
    if (across_types(node.kind)) return of_comparison(node);
    if (!rules_.bounds_buckets) return std::nullopt;
    if (node.kind == filter_kind::any_of) return of_any(node.parts);
    if (node.kind == filter_kind::in) return of_list(node);
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_meta(const filter_node& node) const {
    return !of_.meta_field.empty() && !node.path.empty() &&
           (node.path == of_.meta_field || node.path.starts_with(of_.meta_field + "."));
  }

  /// A condition on the meta field within an `$or`.
  [[nodiscard]] std::optional<filter_node> renamed(const filter_node& node) const {
    const bool is_known = rules_.bounds_buckets && across_types(node.kind).has_value();
    if (!is_known && !rules_.bounds_meta_anywhere) return std::nullopt;
    split_filter halves = split_by(node, renaming_meta(of_, rules_));
    return halves.kept ? std::nullopt : std::move(halves.moved);
  }

  [[nodiscard]] std::optional<filter_node> of_all(const filter_node& node) const {
    std::vector<filter_node> parts;
    for (const filter_node& each : node.parts) {
      if (auto part = of(each)) parts.push_back(std::move(*part));
    }
    if (parts.empty()) return std::nullopt;
    return together(filter_kind::all_of, std::move(parts));
  }

  [[nodiscard]] std::optional<filter_node> of_any(const std::vector<filter_node>& nodes) const {
    filter_node out{filter_kind::any_of};
    for (const filter_node& each : nodes) {
      auto part = of(each);
      if (!part) return std::nullopt;
      out.parts.push_back(std::move(*part));
    }
    return out;
  }

  [[nodiscard]] std::optional<filter_node> of_list(const filter_node& list) const {
    const auto* members = list.operand.as<array>();
    if (members == nullptr) return std::nullopt;
    std::vector<filter_node> equalities;
    for (const value& each : *members) {
      if (each.is<regex>()) return std::nullopt;
      equalities.push_back(compared(filter_kind::equal, list.path, each));
    }
    return of_any(equalities);
  }

  [[nodiscard]] std::optional<filter_node> of_comparison(const filter_node& node) const {
    const value& operand = node.operand;
    if (operand.is<document>() || operand.is<array>() || operand.is<null>()) {
      return std::nullopt;
    }
    const filter_kind kind = *across_types(node.kind);
    if (node.path != of_.time_field) return of_measurement(node, kind);
    const auto* when = operand.as<date>();
    return when == nullptr ? std::nullopt : of_time(kind, when->millis);
  }

  /// The least and greatest value of a field bound its other values, if all have one type.
  [[nodiscard]] std::optional<filter_node> of_measurement(const filter_node& node,
                                                          filter_kind kind) const {
    if (node.kind == filter_kind::expression_less ||
        node.kind == filter_kind::expression_at_most) {
      return std::nullopt;
    }
    std::vector<filter_node> bounds = of_ends(node.path, kind, node.operand);
    filter_node in_bounds = together(filter_kind::all_of, std::move(bounds));
    if (!is_mixed_) return in_bounds;
    filter_node out{filter_kind::any_of};
    out.parts.push_back(std::move(in_bounds));
    out.parts.push_back({filter_kind::other, "$expr", node.path, {}});
    return out;
  }

  static std::vector<filter_node> of_ends(const std::string& path, filter_kind kind,
                                          const value& operand) {
    const std::string least = "control.min." + path;
    const std::string greatest = "control.max." + path;
    if (kind == filter_kind::expression_equal) {
      return {compared(filter_kind::expression_at_most, least, operand),
              compared(filter_kind::expression_at_least, greatest, operand)};
    }
    const bool is_below =
        kind == filter_kind::expression_less || kind == filter_kind::expression_at_most;
    return {compared(kind, is_below ? least : greatest, operand)};
  }

  /// The times in a bucket differ by at most its span. How times before 1970 and after 2106 are
  /// read depends on the shards; either way these bounds hold, or none (mongo:
  /// handleExtendedDateRanges).
  [[nodiscard]] std::optional<filter_node> of_time(filter_kind kind, std::int64_t when) const {
    const std::int64_t seconds = when / 1000;
    const bool is_above =
        kind == filter_kind::expression_greater || kind == filter_kind::expression_at_least;
    const bool is_extended = when < 0 || seconds > latest_in_object_ids;
    if (is_extended && is_above == (when < 0) && kind != filter_kind::expression_equal) {
      return std::nullopt;
    }
    std::vector<filter_node> parts = of_ends(of_.time_field, kind, date{when});
    if (rules_.bounds_buckets) add_far_ends(kind, when, parts);
    if (!is_extended) add_ids(kind, seconds, parts);
    return together(filter_kind::all_of, std::move(parts));
  }

  void add_far_ends(filter_kind kind, std::int64_t when, std::vector<filter_node>& out) const {
    const std::string least = "control.min." + of_.time_field;
    const std::string greatest = "control.max." + of_.time_field;
    const value earliest = earliest_of(when);
    const value latest = date{when + of_.span_seconds * 1000};
    if (kind == filter_kind::expression_equal) {
      out.push_back(compared(filter_kind::expression_at_least, least, earliest));
      out.push_back(compared(filter_kind::expression_at_most, greatest, latest));
      return;
    }
    const bool is_below =
        kind == filter_kind::expression_less || kind == filter_kind::expression_at_most;
    if (is_fixed() && !is_below) kind = filter_kind::expression_at_least;
    out.push_back(compared(kind, is_below ? greatest : least, is_below ? latest : earliest));
  }

  /// For a read only: a write doesn't know whether buckets are fixed.
  [[nodiscard]] bool is_fixed() const {
    return is_mixed_ && rules_.bounds_fixed_buckets && of_.has_fixed_buckets();
  }

  /// The earliest start of a bucket that contains a time.
  [[nodiscard]] value earliest_of(std::int64_t when) const {
    const std::int64_t span = of_.span_seconds * 1000;
    if (!is_fixed() || when < 0) return date{when - span};
    return date{when - when % span};
  }

  void add_ids(filter_kind kind, std::int64_t seconds, std::vector<filter_node>& out) const {
    const std::int64_t earliest = std::max<std::int64_t>(0, seconds - of_.span_seconds);
    if (kind == filter_kind::expression_equal) {
      out.push_back(compared(filter_kind::at_most, "_id", id_of_time(seconds)));
      out.push_back(compared(filter_kind::at_least, "_id", id_of_time(earliest)));
      return;
    }
    const bool is_below =
        kind == filter_kind::expression_less || kind == filter_kind::expression_at_most;
    out.push_back(
        compared(of_one_type(kind), "_id", id_of_time(is_below ? seconds : earliest)));
  }

  const time_series& of_;
  const targeting_rules& rules_;
  bool is_mixed_;  ///< the measurements of one bucket may have values of several types
};

/// Splits off the conditions on the meta field only.
split_filter split_meta(filter_node filter, const time_series& of,
                        const targeting_rules& rules) {
  if (of.meta_field.empty()) return {std::nullopt, std::move(filter)};
  return split_by(std::move(filter), renaming_meta(of, rules));
}

filter_node both(std::optional<filter_node> one, std::optional<filter_node> other) {
  std::vector<filter_node> parts;
  if (one) parts.push_back(std::move(*one));
  if (other) parts.push_back(std::move(*other));
  return parts.empty() ? filter_node{} : together(filter_kind::all_of, std::move(parts));
}

/// Renames the meta field everywhere.
void rename_meta(filter_node& node, const time_series& of) {
  const bool is_array = node.kind == filter_kind::some_document;
  for (filter_node& each : node.parts) {
    if (!is_array) rename_meta(each, of);
  }
  if (node.path == of.meta_field || node.path.starts_with(of.meta_field + ".")) {
    node.path = "meta" + node.path.substr(of.meta_field.size());
  }
}

}  // namespace

time_series time_series::from(const document& options) {
  time_series out;
  out.time_field = text_of(options, "timeField");
  out.meta_field = text_of(options, "metaField");
  if (out.time_field.empty()) refuse("timeseries needs a timeField");
  const std::string name = text_of(options, "granularity");
  for (const granularity& each : granularities) {
    if (each.name != (name.empty() ? "seconds" : name)) continue;
    out.span_seconds = each.span_seconds;
    out.rounding_seconds = each.rounding_seconds;
  }
  const value* span = options.find("bucketMaxSpanSeconds");
  const value* rounding = options.find("bucketRoundingSeconds");
  if (rounding != nullptr && span != nullptr) {
    out.span_seconds = span->as_int64();
    out.rounding_seconds = rounding->as_int64();
  }
  if (out.span_seconds <= 0 || out.rounding_seconds <= 0)
    refuse(errc::invalid_options, "bucketMaxSpanSeconds must be positive");
  return out;
}

document time_series::pattern_of_buckets(const document& key) const {
  document out;
  for (const field& each : key) {
    if (each.name == time_field) {
      out.append("control.min." + time_field, each.content);
    } else if (!meta_field.empty() &&
               (each.name == meta_field || each.name.starts_with(meta_field + "."))) {
      out.append("meta" + each.name.substr(meta_field.size()), each.content);
    } else {
      refuse(errc::invalid_options,
             "only the time field or meta field can be part of the shard key "
             "of a time-series collection");
    }
  }
  return out;
}

document time_series::bucket_of(const document& measurement) const {
  const auto* when = measurement.find_as<date>(time_field);
  if (when == nullptr) {
    refuse(5'743'702,
           "'" + time_field + "' must be present and contain a valid BSON UTC datetime value");
  }
  document columns;
  document least;
  for (const field& each : measurement) {
    if (!meta_field.empty() && each.name == meta_field) continue;
    columns.append(each.name, document{{"0", each.content}});
    if (each.name != "_id") least.append(each.name, each.content);
  }
  const document greatest = least;
  least.set(time_field, date{floor_to(when->millis, rounding_seconds * 1000)});
  document out{
      {"_id", new_object_id()},
      {"control",
       document{{"version", std::int32_t{1}}, {"min", std::move(least)}, {"max", greatest}}}};
  const value* meta = meta_field.empty() ? nullptr : measurement.find(meta_field);
  if (meta != nullptr) out.append("meta", *meta);
  out.append("data", std::move(columns));
  return out;
}

std::vector<time_series::row> time_series::rows_of(const document& bucket) const {
  std::vector<row> out;
  const document& columns = inner(bucket, "data");
  for (const field& time : inner(columns, time_field)) {
    row made{time.name, {{time_field, time.content}}};
    const value* meta = bucket.find("meta");
    if (meta != nullptr && !meta_field.empty()) made.measurement.append(meta_field, *meta);
    for (const field& column : columns) {
      const auto* values = column.content.as<document>();
      const value* one = values == nullptr ? nullptr : values->find(time.name);
      if (one != nullptr && column.name != time_field) {
        made.measurement.append(column.name, *one);
      }
    }
    out.push_back(std::move(made));
  }
  return out;
}

std::optional<document> time_series::without(const document& bucket,
                                             const std::string& number) const {
  document columns;
  for (const field& each : inner(bucket, "data")) {
    document left = *each.content.as<document>();
    left.erase(number);
    if (!left.empty()) columns.append(each.name, std::move(left));
  }
  if (!columns.has(time_field)) return std::nullopt;
  document out = bucket;
  out.set("data", std::move(columns));
  return out;
}

void time_series::check_names(const document& filter) const {
  if (!meta_field.empty()) check_filter(filter, meta_field, true);
}

void time_series::check_bucket(const document& bucket) const {
  const document& columns = inner(bucket, "data");
  const document& control = inner(bucket, "control");
  bool is_sound = !inner(columns, time_field).empty();
  for (const field& each : columns) is_sound &= each.content.is<document>();
  for (const char* end : {"min", "max"}) {
    const value* time = inner(control, end).find(time_field);
    is_sound &= time != nullptr && time->is<date>();
  }
  if (!is_sound) refuse(errc::document_validation_failure, "Document failed validation");
}

filter_node read_on_buckets(const filter_node& filter, const time_series& of,
                            const targeting_rules& rules) {
  // The `$match` is in its shortest form when it reaches the stage that unpacks buckets.
  split_filter halves = split_meta(simplified(filter, rules), of, rules);
  std::optional<filter_node> rest;
  if (halves.kept) rest = bucket_conditions{of, rules, true}.of(*halves.kept);
  return both(std::move(halves.moved), std::move(rest));
}

filter_node write_on_buckets(const filter_node& filter, const time_series& of,
                             const targeting_rules& rules, written_by by) {
  if (by == written_by::renamed_meta) {
    if (of.meta_field.empty()) return {};
    filter_node out = filter;
    rename_meta(out, of);
    return out;
  }
  split_filter halves = split_meta(filter, of, rules);
  std::optional<filter_node> times;
  if (halves.kept && by == written_by::meta_and_time) {
    stage_effects only_time;
    only_time.changes_all_but = true;
    only_time.paths.insert(of.time_field);
    only_time.lets_array_conditions_pass = true;
    times = split_by(std::move(*halves.kept), only_time).moved;
  }
  if (times) times = bucket_conditions{of, rules, false}.of(*times);
  return both(std::move(halves.moved), std::move(times));
}

}  // namespace scattergate::sim
