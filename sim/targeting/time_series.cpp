#include "sim/targeting/time_series.hpp"

#include <array>
#include <string_view>

#include "sim/values/error.hpp"

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
  document least = measurement;
  least.erase("_id");
  if (!meta_field.empty()) least.erase(meta_field);
  const document greatest = least;
  least.set(time_field, date{floor_to(when->millis, rounding_seconds * 1000)});
  document out;
  if (const value* id = measurement.find("_id")) out.append("_id", *id);
  out.append("control",
             document{{"version", std::int32_t{1}}, {"min", least}, {"max", greatest}});
  const value* meta = meta_field.empty() ? nullptr : measurement.find(meta_field);
  if (meta != nullptr) out.append("meta", *meta);
  document columns;
  for (const field& each : greatest) columns.append(each.name, document{{"0", each.content}});
  out.append("data", std::move(columns));
  return out;
}

}  // namespace scattergate::sim
