#include "telemetry/admin/api_parts.hpp"

#include "config/text/extended_json_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
std::string unix_time_json(std::int64_t seconds) {
  if (seconds == 0) return "null";
  return time_json(wall_time{std::chrono::seconds{seconds}});
}

std::optional<wall_time> parse_time(std::string_view text) {
  using std::chrono::milliseconds;
  constexpr auto most = std::chrono::duration_cast<milliseconds>(wall_time::duration::max());
  const auto millis = config::parse_time(text);
  if (!millis || *millis > most.count() || *millis < -most.count()) return std::nullopt;
  const wall_time time{milliseconds{*millis}};
  if (text::time_text(time) != text) return std::nullopt;  // in another form
  return time;
}

void append_counts(digest::object_writer& to, const command_counts& counts) {
  to.number("commands", counts.commands());
  std::string classes;
  digest::object_writer by_routing{classes};
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    by_routing.number(name_of(i), counts.of[i]);
  }
  by_routing.end();
  to.raw("byRouting", classes);
  for (std::size_t kind = routing::routing_class_count; kind < command_counts::kinds; ++kind) {
    const bool is_unknown = kind == command_counts::wasted && !counts.known_waste();
    is_unknown ? to.raw(name_of(kind), "null") : to.number(name_of(kind), counts.of[kind]);
  }
}

void append_sums(digest::object_writer& to, const collection_sums& of, wall_time now,
                 wall_time began) {
  append_counts(to, of.counts);
  to.raw("durationMillis", digest::durations_json(of.total, of.longest, of.times));
  std::string recent;
  digest::object_writer rate{recent};
  rate.number("seconds", recent_counts::seconds(now, began));
  append_counts(rate, of.recent.sum(now));
  rate.end();
  to.raw("lastMinute", recent);
}

void append_head(digest::object_writer& to, wall_time now) {
  to.number("schemaVersion", 1);
  to.text("generatedAt", text::time_text(now));
}

}  // namespace scattergate::telemetry
