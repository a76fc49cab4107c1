#include "telemetry/history/history_text.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "routing/shape/shape.hpp"
#include "telemetry/history/history_end.hpp"
#include "telemetry/history/step_ring.hpp"
#include "text/json_writer.hpp"

namespace scattergate::telemetry {
namespace {

using text::json_writer;

constexpr std::string_view stored_history_type = "scattergate.history";

/// The maximum size of the text around the collections, including that of the others.
constexpr std::size_t room_for_rest = 64UL << 10;

/// Appends one count of each step as an array, oldest first: the ring starts after `newest`.
template <typename Step, std::size_t Size, typename CountOf>
void append_counts(json_writer& to, const std::array<Step, Size>& steps, std::uint64_t newest,
                   CountOf count_of) {
  to.array();
  for (std::uint64_t i = 1; i <= Size; ++i) to.number(count_of(steps[(newest + i) % Size]));
  to.end();
}

/// Appends an array for each kind that isn't always zero.
template <std::size_t Size>
void append_steps(json_writer& to, const std::array<history::step, Size>& steps,
                  std::uint64_t newest) {
  to.object();
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    const bool is_zero =
        std::ranges::all_of(steps, [kind](const auto& each) { return each[kind] == 0; });
    if (is_zero) continue;
    to.name(name_of(kind));
    append_counts(to, steps, newest, [kind](const auto& each) { return each[kind]; });
  }
  to.end();
}

void append_series(json_writer& to, const history::series& of, std::uint64_t minute) {
  to.name("minutes");
  append_steps(to, of.by_minute, minute);
  to.name("tenMinutes");
  append_steps(to, of.by_ten, minute / minutes_of_ten);
}

void append_collection(std::string& to, const history::collection& of, std::uint64_t minute,
                       bool with_name) {
  json_writer json{to};
  json.object();
  if (with_name) json.text("ns", of.database + "." + of.name);
  json.text("database", of.database);
  json.text("collection", of.name);
  append_series(json, *of.steps, minute);
  json.end();
}

/// Passes each collection to `take`, the busiest first. Those without room are added to
/// `others`.
template <typename Take>
void for_each_collection(const history& of, bool with_names, history::series& others,
                         Take take) {
  std::size_t bytes = 0;
  std::string one;
  for (const history::collection* each : of.ranked()) {
    one.clear();
    append_collection(one, *each, of.minute(), with_names);
    if (bytes + one.size() + room_for_rest > history::max_bytes) {
      others.add(*each->steps);
      continue;
    }
    bytes += one.size() + 1;
    take(one);
  }
}

void append_axis(json_writer& to, std::string_view name, std::uint64_t seconds,
                 std::uint64_t newest, std::size_t count) {
  to.object(name);
  to.number("seconds", seconds);
  to.time("end", history::wall_time{std::chrono::seconds{(newest + 1) * seconds}});
  to.number("count", count);
  to.end();
}

/// Appends the busiest shapes, as many as fit.
void append_shapes(json_writer& to, const shape_history& of) {
  const auto itself = [](std::uint32_t count) { return count; };
  std::size_t bytes = 0;
  std::string one;
  to.array("shapes");
  for (const shape_history::shape& each : of.ranked()) {
    one.clear();
    json_writer json{one};
    json.object();
    json.text("shapeHash", routing::shape_hash_text(each.of->shape_hash));
    json.text("ns", each.of->name_space());
    json.text("command", each.of->command);
    json.name("minutes");
    append_counts(json, each.steps->by_minute, of.minute(), itself);
    json.name("tenMinutes");
    append_counts(json, each.steps->by_ten, of.minute() / minutes_of_ten, itself);
    json.end();
    bytes += one.size() + 1;
    if (bytes > shape_history::max_bytes) break;
    to.raw(one);
  }
  to.end();
}

/// Appends the sums of the other collections as an object.
void append_others(json_writer& to, const history::series& of, std::uint64_t minute) {
  to.object();
  append_series(to, of, minute);
  to.end();
}

}  // namespace

std::string history_json(const history& of, const shape_history& shapes,
                         history::wall_time now) {
  constexpr std::uint64_t minute_seconds = 60;
  constexpr std::uint64_t ten_seconds = 600;
  const auto others = std::make_unique<history::series>(of.others());
  std::string text;
  json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.time("generatedAt", now);
  append_axis(json, "minutes", minute_seconds, of.minute(), history::minute_steps);
  append_axis(json, "tenMinutes", ten_seconds, of.minute() / minutes_of_ten,
              history::ten_minute_steps);
  json.array("collections");
  for_each_collection(of, true, *others, [&](const std::string& one) { json.raw(one); });
  json.end();
  json.name("others");
  append_others(json, *others, of.minute());
  append_shapes(json, shapes);
  json.end();
  return text + '\n';
}

std::string stored_history(const history& of) {
  const auto others = std::make_unique<history::series>(of.others());
  std::string text;
  json_writer head{text};
  head.object();
  head.text("type", stored_history_type);
  head.number("schemaVersion", 1);
  head.number("minute", of.minute());
  head.end();
  text += '\n';
  for_each_collection(of, false, *others, [&](const std::string& one) { text += one + '\n'; });
  json_writer rest{text};
  append_others(rest, *others, of.minute());
  text += '\n';
  return text + history_end(text);
}

}  // namespace scattergate::telemetry
