#include "telemetry/history/history_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "digest/object_writer.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/history/history_end.hpp"
#include "telemetry/history/step_ring.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

/// What the texts around the collections take, the others' among them.
constexpr std::size_t room_for_rest = 64UL << 10;

void append_number(std::string& to, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  to.append(digits.data(), end);
}

/// One count of each step, as an array; the steps behind `newest` first, which are the oldest.
template <typename Step, std::size_t Size, typename CountOf>
void append_counts(std::string& to, const std::array<Step, Size>& steps, std::uint64_t newest,
                   CountOf count_of) {
  for (std::uint64_t i = 1; i <= Size; ++i) {
    to += i == 1 ? '[' : ',';
    append_number(to, count_of(steps[(newest + i) % Size]));
  }
  to += ']';
}

/// An array for each kind that isn't zero throughout.
template <std::size_t Size>
void append_steps(std::string& to, const std::array<history::step, Size>& steps,
                  std::uint64_t newest) {
  digest::object_writer json{to};
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    const bool is_zero =
        std::ranges::all_of(steps, [kind](const auto& each) { return each[kind] == 0; });
    if (is_zero) continue;
    json.head(name_of(kind));
    append_counts(to, steps, newest, [kind](const auto& each) { return each[kind]; });
  }
  json.end();
}

void append_series(digest::object_writer& json, std::string& to, const history::series& of,
                   std::uint64_t minute) {
  json.head("minutes");
  append_steps(to, of.by_minute, minute);
  json.head("tenMinutes");
  append_steps(to, of.by_ten, minute / minutes_of_ten);
}

void append_collection(std::string& to, const history::collection& of, std::uint64_t minute,
                       bool with_name) {
  digest::object_writer json{to};
  if (with_name) json.text("ns", of.database + "." + of.name);
  json.text("database", of.database);
  json.text("collection", of.name);
  append_series(json, to, *of.steps, minute);
  json.end();
}

/// The collections, as members of an array for people, else one a line. What finds no room is
/// added to `others`.
std::string collections_text(const history& of, bool for_people, history::series& others) {
  std::string text;
  std::string one;
  for (const history::collection* each : of.ranked()) {
    one.clear();
    append_collection(one, *each, of.minute(), for_people);
    if (text.size() + one.size() + room_for_rest > history::max_bytes) {
      others.add(*each->steps);
      continue;
    }
    if (for_people && !text.empty()) text += ',';
    text += one;
    if (!for_people) text += '\n';
  }
  return text;
}

std::string steps_json(std::uint64_t seconds, std::uint64_t newest, std::size_t count) {
  const history::wall_time end{std::chrono::seconds{(newest + 1) * seconds}};
  return R"({"seconds":)" + std::to_string(seconds) + R"(,"end":")" + text::time_text(end) +
         R"(","count":)" + std::to_string(count) + "}";
}

/// The members of an array, the busiest first, as many as have room.
std::string shapes_text(const shape_history& of) {
  const auto itself = [](std::uint32_t count) { return count; };
  std::string text;
  std::string one;
  for (const shape_history::shape& each : of.ranked()) {
    one.clear();
    digest::object_writer json{one};
    json.text("shapeHash", routing::shape_hash_text(each.of->shape_hash));
    json.text("ns", each.of->name_space());
    json.text("command", each.of->command);
    json.head("minutes");
    append_counts(one, each.steps->by_minute, of.minute(), itself);
    json.head("tenMinutes");
    append_counts(one, each.steps->by_ten, of.minute() / minutes_of_ten, itself);
    json.end();
    if (text.size() + one.size() + 1 > shape_history::max_bytes) break;
    if (!text.empty()) text += ',';
    text += one;
  }
  return text;
}

/// The others as an object of their own.
std::string others_text(const history::series& of, std::uint64_t minute) {
  std::string to;
  digest::object_writer json{to};
  append_series(json, to, of, minute);
  json.end();
  return to;
}

}  // namespace

std::string history_json(const history& of, const shape_history& shapes,
                         history::wall_time now) {
  constexpr std::uint64_t minute_seconds = 60;
  constexpr std::uint64_t ten_seconds = 600;
  const auto others = std::make_unique<history::series>(of.others());
  std::string to;
  digest::object_writer json{to};
  json.number("schemaVersion", 1);
  json.text("generatedAt", text::time_text(now));
  json.raw("minutes", steps_json(minute_seconds, of.minute(), history::minutes));
  json.raw("tenMinutes", steps_json(ten_seconds, of.minute() / minutes_of_ten, history::tens));
  json.raw("collections", "[" + collections_text(of, true, *others) + "]");
  json.raw("others", others_text(*others, of.minute()));
  json.raw("shapes", "[" + shapes_text(shapes) + "]");
  json.end();
  return to + '\n';
}

std::string stored_history(const history& of) {
  const auto others = std::make_unique<history::series>(of.others());
  std::string text{stored_history_begins};
  text += R"("schemaVersion":1,"minute":)" + std::to_string(of.minute()) + "}\n";
  text += collections_text(of, false, *others);
  text += others_text(*others, of.minute()) + '\n';
  return text + history_end(text);
}

}  // namespace scattergate::telemetry
