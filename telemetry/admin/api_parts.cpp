#include "telemetry/admin/api_parts.hpp"

#include "config/text/extended_json_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {

void append_unix_time(json_writer& to, std::string_view name, std::int64_t seconds) {
  seconds == 0 ? to.null(name) : to.time(name, wall_time{std::chrono::seconds{seconds}});
}

std::optional<wall_time> parse_time(std::string_view text) {
  using std::chrono::milliseconds;
  constexpr auto most = std::chrono::duration_cast<milliseconds>(wall_time::duration::max());
  const auto millis = config::parse_time(text);
  if (!millis || *millis > most.count() || *millis < -most.count()) return std::nullopt;
  const wall_time time{milliseconds{*millis}};
  if (text::time_text(time) != text) return std::nullopt;  // another form of the time
  return time;
}

void append_counts(json_writer& to, const command_counts& counts) {
  to.number("commands", counts.commands());
  to.object("byRouting");
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    to.number(name_of(i), counts.of[i]);
  }
  to.end();
  for (std::size_t kind = routing::routing_class_count; kind < command_counts::kinds; ++kind) {
    const bool is_unknown = kind == command_counts::wasted && !counts.known_waste();
    is_unknown ? to.null(name_of(kind)) : to.number(name_of(kind), counts.of[kind]);
  }
}

void append_sums(json_writer& to, const collection_sums& of, wall_time now, wall_time began) {
  append_counts(to, of.counts);
  digest::append_durations(to, "durationMillis", of.total, of.longest, of.times);
  to.object("lastMinute");
  to.number("seconds", recent_counts::seconds(now, began));
  append_counts(to, of.recent.sum(now));
  to.end();
}

void append_head(json_writer& to, wall_time now) {
  to.number("schemaVersion", 1);
  to.time("generatedAt", now);
}

}  // namespace scattergate::telemetry
