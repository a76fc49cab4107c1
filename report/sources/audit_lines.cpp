#include "report/sources/audit_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <boost/json.hpp>

#include "config/text/extended_json_text.hpp"
#include "digest/row.hpp"
#include "report/sources/told_time.hpp"
#include "routing/verdict.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

namespace json = boost::json;

std::string text(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string{found->as_string()}
                                                : std::string{};
}

std::vector<std::string> texts(const json::object& from, std::string_view name) {
  std::vector<std::string> all;
  const auto* const found = from.if_contains(name);
  if (found == nullptr || !found->is_array()) return all;
  for (const json::value& one : found->as_array()) {
    if (one.is_string()) all.emplace_back(one.as_string());
  }
  return all;
}

std::string raw(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  return found != nullptr && found->is_object() ? json::serialize(*found) : std::string{};
}

std::uint64_t number(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  if (found == nullptr || !found->is_number()) return 0;
  constexpr double most = 1e15;  // exact in a double, and sums of them don't overflow
  return static_cast<std::uint64_t>(std::clamp(found->to_number<double>(), 0.0, most));
}

std::chrono::nanoseconds millis(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  if (found == nullptr || !found->is_number()) return {};
  constexpr double ns_per_ms = 1e6;
  const double most = static_cast<double>(std::chrono::nanoseconds{longest_told}.count());
  const double told = found->to_number<double>() * ns_per_ms;
  return std::chrono::nanoseconds{std::llround(std::clamp(told, 0.0, most))};
}

template <typename Label, std::size_t Count>
Label with_label(std::string_view wanted) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (label(static_cast<Label>(i)) == wanted) return static_cast<Label>(i);
  }
  return Label{};
}

routing::cause cause_of(std::string_view wanted) {
  for (std::size_t i = 0; i < routing::cause_count; ++i) {
    if (label(routing::cause::numbered(i)) == wanted) return routing::cause::numbered(i);
  }
  return {};
}

void add_callers(const json::object& from, digest::callers& to) {
  const auto* const found = from.if_contains("callers");
  if (found == nullptr || !found->is_array()) return;
  for (const json::value& one : found->as_array()) {
    if (!one.is_object()) continue;
    const json::object& each = one.as_object();
    if (each.contains("other")) {
      to.add_others(number(each, "count"));
    } else {
      to.add({text(each, "appName"), text(each, "driver"), text(each, "user"),
              text(each, "remote"), text(each, "comment"), number(each, "count")});
    }
  }
}

digest::description description_of(const json::object& param) {
  digest::description what;
  what.routing =
      with_label<routing::routing_class, routing::routing_class_count>(text(param, "routing"));
  what.bounds = with_label<routing::bounds_kind, 4>(text(param, "bounds"));
  what.why = cause_of(text(param, "reason"));
  what.shape_json = raw(param, "shape");
  what.shard_key_json = raw(param, "shardKey");
  what.missing = texts(param, "missing");
  what.lints = texts(param, "lints");
  what.suggestion = text(param, "suggestion");
  return what;
}

/// Counts what a line stands for; its durations are known as their sum and the longest.
void count_in(digest::row& to, const json::object& param,
              const std::optional<digest::wall_time>& at) {
  digest::sighting seen;
  seen.count = number(param, "count");
  if (const auto* const fanout = param.if_contains("fanout");
      fanout != nullptr && fanout->is_array()) {
    seen.fanout = static_cast<std::uint32_t>(fanout->as_array().size());
  }
  if (const auto* const times = param.if_contains("durationMillis");
      times != nullptr && times->is_object()) {
    seen.duration = millis(times->as_object(), "total");
    seen.longest = millis(times->as_object(), "max");
  }
  seen.first = seen.last = at;
  to.count_in(seen, to.what.routing);
}

std::optional<digest::wall_time> time_of(const json::object& line) {
  const auto* const ts = line.if_contains("ts");
  if (ts == nullptr || !ts->is_object()) return std::nullopt;
  return told_time(config::parse_time(text(ts->as_object(), "$date")));
}

std::uint64_t hash_of(std::string_view digits) {
  std::uint64_t hash = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return hash;
}

}  // namespace

void read_audit_line(std::string_view line, observer& to) {
  json::error_code error;
  const json::value parsed = json::parse(line, error);
  if (error || !parsed.is_object()) return to.on_skipped(skip_reason::unreadable);
  const json::object& whole = parsed.as_object();
  const auto* const param = whole.if_contains("param");
  if (param == nullptr || !param->is_object()) return to.on_skipped(skip_reason::unreadable);
  const json::object& from = param->as_object();
  digest::row row;
  const std::string full = text(from, "ns");
  const auto ns = wire::namespace_view::of(full).value_or(wire::namespace_view{full, {}});
  row.database = ns.database;
  row.collection = ns.collection;
  row.command = text(from, "command");
  row.shape_hash = hash_of(text(from, "shapeHash"));
  row.what = description_of(from);
  count_in(row, from, time_of(whole));
  add_callers(from, row.who);
  to.on_row(row);
}

}  // namespace scattergate::report
