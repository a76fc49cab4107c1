#include "telemetry/history/history_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "routing/shape/shape.hpp"
#include "telemetry/history/history.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

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

// Reading: the lines are untrusted.

namespace json = boost::json;

/// Minutes since 1970 beyond the year 9999 are invalid.
constexpr std::uint64_t last_minute = 4'223'000'000;

std::optional<json::object> object_of(std::string_view line) {
  boost::system::error_code failed;
  json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  return std::move(parsed.as_object());
}

std::optional<std::uint64_t> number_in(const json::value& value, std::uint64_t most) {
  boost::system::error_code failed;
  const bool is_whole = value.is_int64() || value.is_uint64();
  const auto number = value.to_number<std::uint64_t>(failed);
  if (!is_whole || failed || number > most) return std::nullopt;
  return number;
}

/// Reads what append_steps() writes; false if it is invalid. Unknown kinds are ignored.
template <std::size_t Size>
bool read_steps(const json::value* from, std::array<history::step, Size>& to,
                std::uint64_t newest) {
  if (from == nullptr || !from->is_object()) return false;
  for (std::size_t kind = 0; kind < command_counts::kinds; ++kind) {
    const json::value* const found = from->as_object().if_contains(name_of(kind));
    if (found == nullptr) continue;
    if (!found->is_array() || found->as_array().size() != Size) return false;
    for (std::size_t i = 0; i < Size; ++i) {
      const auto number =
          number_in(found->as_array()[i], std::numeric_limits<std::uint32_t>::max());
      if (!number) return false;
      to[(newest + 1 + i) % Size][kind] = static_cast<std::uint32_t>(*number);
    }
  }
  return true;
}

bool read_series(const json::object& from, history::series& to, std::uint64_t minute) {
  return read_steps(from.if_contains("minutes"), to.by_minute, minute) &&
         read_steps(from.if_contains("tenMinutes"), to.by_ten, minute / minutes_of_ten);
}

std::optional<std::string> text_in(const json::object& from, std::string_view name) {
  const json::value* const found = from.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string{found->as_string()};
}

/// Reads the line of a collection, or that of all other collections, which has no names.
bool read_line(std::string_view line, history& to) {
  const auto from = object_of(line);
  if (!from) return false;
  const auto steps = std::make_unique<history::series>();
  if (!read_series(*from, *steps, to.minute())) return false;
  auto database = text_in(*from, "database");
  auto name = text_in(*from, "collection");
  history::series* own = nullptr;
  if (database && name) own = to.restore(std::move(*database), std::move(*name));
  (own != nullptr ? *own : to.restore_others()).add(*steps);
  return true;
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

bool read_head(std::string_view line, history& to) {
  const auto head = object_of(line);
  if (!head) return false;
  const json::value* const version = head->if_contains("schemaVersion");
  const json::value* const minute = head->if_contains("minute");
  if (version == nullptr || number_in(*version, 1).value_or(0) != 1) return false;
  const auto number = minute != nullptr ? number_in(*minute, last_minute) : std::nullopt;
  if (number) to.restore_minute(*number);
  return number.has_value();
}

bool read_all(std::string_view lines, history& to) {
  if (!read_head(next_line(lines), to)) return false;
  while (!lines.empty()) {
    if (!read_line(next_line(lines), to)) return false;
  }
  to.restored();
  return true;
}

}  // namespace

std::string history_end(std::string_view lines) {
  std::array<char, 12> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "%08x",
                wire::crc32c(0, std::as_bytes(std::span{lines})));
  std::string text;
  text::json_writer json{text};
  json.object();
  json.flag("end", true);
  json.text("crc32c", checksum.data());
  json.end();
  return text + '\n';
}

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

text::result<void> read_stored_history(std::string_view text, history& to) {
  if (text.size() > history::max_bytes) {
    return text::failure("the history exceeds the maximum size");
  }
  const std::size_t end = text.rfind("\n{\"end\":");
  if (end == text.npos) return text::failure("the history is truncated: its end is missing");
  const std::string_view lines = text.substr(0, end + 1);
  history read;
  if (text.substr(lines.size()) != history_end(lines) || !read_all(lines, read)) {
    return text::failure("the history is corrupt");
  }
  to.add(read);
  return {};
}

}  // namespace scattergate::telemetry
