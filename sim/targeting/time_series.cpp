#include "sim/targeting/time_series.hpp"

#include <array>
#include <string_view>

#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"

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
  const value* found = options.find(name);
  const auto* text = found == nullptr ? nullptr : found->as<std::string>();
  return text == nullptr ? std::string{} : *text;
}

const document& inner(const document& of, std::string_view name) {
  static const document none;
  const value* found = of.find(name);
  const auto* content = found == nullptr ? nullptr : found->as<document>();
  return content == nullptr ? none : *content;
}

[[noreturn]] void refuse_name(const std::string& name) {
  throw command_failure(errc::invalid_options,
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

}  // namespace

time_series time_series::from(const document& options) {
  time_series out;
  out.time_field = text_of(options, "timeField");
  out.meta_field = text_of(options, "metaField");
  if (out.time_field.empty()) {
    throw command_failure(errc::bad_value, "timeseries needs a timeField");
  }
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
  if (out.span_seconds <= 0 || out.rounding_seconds <= 0) {
    throw command_failure(errc::invalid_options, "bucketMaxSpanSeconds must be positive");
  }
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
      throw command_failure(errc::invalid_options,
                            "only the time field or meta field can be part of the shard key "
                            "of a time-series collection");
    }
  }
  return out;
}

document time_series::bucket_of(const document& measurement) const {
  const value* time = measurement.find(time_field);
  const auto* when = time == nullptr ? nullptr : time->as<date>();
  if (when == nullptr) {
    throw command_failure(
        static_cast<errc>(5'743'702),
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
  if (!is_sound) {
    throw command_failure(errc::document_validation_failure, "Document failed validation");
  }
}

}  // namespace scattergate::sim
