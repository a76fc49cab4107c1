#include "digest/json_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/words.hpp"
#include "text/time_text.hpp"

namespace scattergate::digest {
namespace {

void append_optional(object_writer& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to.text(name, text);
}

void append_caller(std::string& json, const caller& one) {
  object_writer to{json};
  append_optional(to, "appName", one.app_name);
  append_optional(to, "driver", one.driver);
  append_optional(to, "user", one.user);
  append_optional(to, "remote", one.remote);
  append_optional(to, "comment", one.comment);
  to.number("count", one.count);
  to.end();
}

}  // namespace

std::string millis(std::chrono::nanoseconds duration) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f",
                                   std::chrono::duration<double, std::milli>{duration}.count());
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string time_json(const std::optional<wall_time>& time) {
  return time ? '"' + text::time_text(*time) + '"' : "null";
}

std::string durations_json(std::chrono::nanoseconds total, std::chrono::nanoseconds longest,
                           const time_histogram& times) {
  if (times.count() == 0) return "null";
  const auto quantile = [&](double share) {
    return millis(std::min(times.quantile(share), longest));
  };
  std::string json = R"({"total":)" + millis(total) + R"(,"max":)" + millis(longest);
  json += R"(,"p50":)" + quantile(0.50) + R"(,"p95":)" + quantile(0.95);
  return json + R"(,"p99":)" + quantile(0.99) + "}";
}

std::string durations_json(const row& of) {
  if (!of.has_times()) return "null";
  const auto quantile_of = [&](double share) {
    return of.has_quantiles() ? millis(quantile(of, share)) : std::string{"null"};
  };
  std::string json = R"({"total":)" + millis(of.total) + R"(,"max":)" + millis(of.longest);
  json += R"(,"p50":)" + quantile_of(0.50) + R"(,"p95":)" + quantile_of(0.95);
  json += R"(,"p99":)" + quantile_of(0.99);
  if (of.resolution.count() != 0) json += R"(,"resolution":)" + millis(of.resolution);
  return json + "}";
}

std::string waste_json(const counts& of) {
  const auto wasted = of.count != 0 ? of.known_waste() : std::nullopt;
  return wasted ? std::to_string(*wasted) : "null";
}

void append_callers(object_writer& to, std::string& json, const std::vector<caller>& who,
                    std::uint64_t others) {
  to.head("callers");
  json += '[';
  bool is_first = true;
  for (const caller& one : who) {
    if (!is_first) json += ',';
    is_first = false;
    append_caller(json, one);
  }
  if (others != 0) {
    json += is_first ? "" : ",";
    json += R"({"other":true,"count":)" + std::to_string(others) + "}";
  }
  json += ']';
}

void append_texts(std::string& json, std::string_view name, std::string_view text_name,
                  const text_counts& of) {
  if (of.all().empty() && of.others() == 0) return;
  json += ",\"" + std::string{name} + "\":[";
  for (const text_counts::counted& one : of.ranked()) {
    if (json.back() != '[') json += ',';
    object_writer each{json};
    each.text(text_name, one.text);
    each.number("count", one.commands);
    each.end();
  }
  if (of.others() != 0) {
    if (json.back() != '[') json += ',';
    json += R"({"other":true,"count":)" + std::to_string(of.others()) + "}";
  }
  json += ']';
}

}  // namespace scattergate::digest
