#include "report/sources/audit_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <simdjson.h>

#include "config/text/extended_json_text.hpp"
#include "digest/labels.hpp"
#include "digest/row.hpp"
#include "report/sources/input.hpp"
#include "report/sources/told_time.hpp"
#include "routing/shape/shape.hpp"
#include "routing/text/json_text.hpp"
#include "routing/verdict.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

namespace dom = simdjson::dom;

static_assert(input_lines::padding >= simdjson::SIMDJSON_PADDING);

/// A proxy's lines are much shorter; to read one takes ten times its size.
constexpr std::size_t most_line_bytes = 1UL << 20;

/// Nor are the texts in them, or so many in a list: rows keep them.
constexpr std::size_t most_text_bytes = 4096;
constexpr std::size_t most_texts = 64;

/// The members that are wanted; empty, or 0, where there is none of that type.
std::string_view text(const dom::element& from) {
  std::string_view found;
  const bool is_text = from.get(found) == simdjson::SUCCESS;
  return is_text && found.size() <= most_text_bytes ? found : std::string_view{};
}

std::string_view text(const dom::object& from, std::string_view name) {
  dom::element found;
  return from[name].get(found) == simdjson::SUCCESS ? text(found) : std::string_view{};
}

std::optional<dom::object> object(const dom::object& from, std::string_view name) {
  dom::object found;
  if (from[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<dom::array> array(const dom::object& from, std::string_view name) {
  dom::array found;
  if (from[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

double number(const dom::object& from, std::string_view name) {
  double found = 0;
  return from[name].get(found) == simdjson::SUCCESS ? found : 0;
}

void read_texts(const dom::object& from, std::string_view name, std::vector<std::string>& to) {
  to.clear();
  const auto found = array(from, name);
  if (!found) return;
  for (const dom::element one : *found) {
    if (to.size() < most_texts && !text(one).empty()) to.emplace_back(text(one));
  }
}

/// An object as JSON in one line; a proxy writes none that is longer than a shape.
std::string json_text(const dom::object& from, std::string_view name) {
  const auto found = object(from, name);
  if (!found) return {};
  std::string made = simdjson::minify(*found);
  if (made.size() > routing::max_shape_bytes) return {};
  routing::escape_unseen_in_json(made);
  return made;
}

std::uint64_t count(const dom::object& from, std::string_view name = "count") {
  constexpr double most = 1e15;  // exact in a double, and sums of them don't overflow
  return static_cast<std::uint64_t>(std::clamp(number(from, name), 0.0, most));
}

std::chrono::nanoseconds millis(const dom::object& from, std::string_view name) {
  constexpr double ns_per_ms = 1e6;
  const double most = static_cast<double>(std::chrono::nanoseconds{longest_told}.count());
  const double told = number(from, name) * ns_per_ms;
  return std::chrono::nanoseconds{std::llround(std::clamp(told, 0.0, most))};
}

void read_callers(const dom::object& from, digest::callers& to) {
  to = {};
  const auto found = array(from, "callers");
  if (!found) return;
  for (const dom::element one : *found) {
    dom::object each;
    if (one.get(each) != simdjson::SUCCESS) continue;
    if (each["other"].error() == simdjson::SUCCESS) {
      to.add_others(count(each));
      continue;
    }
    const auto part = [&](std::string_view name) { return std::string{text(each, name)}; };
    to.add({part("appName"), part("driver"), part("user"), part("remote"), part("comment"),
            count(each)});
  }
}

void read_description(const dom::object& param, digest::description& to) {
  to.routing = digest::with_label<routing::routing_class>(text(param, "routing"))
                   .value_or(routing::routing_class{});
  to.bounds = digest::with_label<routing::bounds_kind>(text(param, "bounds"))
                  .value_or(routing::bounds_kind::none);
  to.why = digest::cause_with_label(text(param, "reason")).value_or(routing::cause{});
  to.shape_json = json_text(param, "shape");
  to.shard_key_json = json_text(param, "shardKey");
  read_texts(param, "missing", to.missing);
  read_texts(param, "lints", to.lints);
  to.suggestion = text(param, "suggestion");
}

std::optional<digest::wall_time> time_of(const dom::object& line) {
  const auto ts = object(line, "ts");
  if (!ts) return std::nullopt;
  return told_time(config::parse_time(text(*ts, "$date")));
}

/// Counts what a line stands for; its durations are known as their sum and the longest.
digest::sighting sighting_of(const dom::object& line, const dom::object& param) {
  digest::sighting seen;
  seen.count = count(param);
  if (const auto fanout = array(param, "fanout")) {
    seen.fanout = static_cast<std::uint32_t>(fanout->size());
  }
  if (const auto times = object(param, "durationMillis")) {
    seen.duration = millis(*times, "total");
    seen.longest = millis(*times, "max");
  }
  seen.first = seen.last = time_of(line);
  return seen;
}

std::uint64_t hash_of(std::string_view digits) {
  std::uint64_t hash = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return hash;
}

}  // namespace

class audit_lines::reader {
 public:
  void read(std::string_view line, observer& to) {
    if (line.size() > most_line_bytes) return to.on_skipped(skip_reason::too_long);
    dom::object whole;
    constexpr bool copies = false;  // there is padding
    const auto parsed = parser_.parse(line.data(), line.size(), copies);
    if (parsed.get(whole) != simdjson::SUCCESS) return to.on_skipped(skip_reason::unreadable);
    const auto param = object(whole, "param");
    if (!param) return to.on_skipped(skip_reason::unreadable);
    tell(whole, *param, to);
  }

 private:
  void tell(const dom::object& line, const dom::object& param, observer& to) {
    digest::row row;
    const std::string_view full = text(param, "ns");
    const auto ns = wire::namespace_view::of(full).value_or(wire::namespace_view{full, {}});
    row.database = ns.database;
    row.collection = ns.collection;
    row.command = text(param, "command");
    row.shape_hash = hash_of(text(param, "shapeHash"));
    row.query_shape_hash = text(param, "queryShapeHash");
    read_description(param, row.what);
    row.count_in(sighting_of(line, param), row.what.routing);
    read_callers(param, row.who);
    to.on_row(row);
  }

  dom::parser parser_;
};

audit_lines::audit_lines() : reader_(std::make_unique<reader>()) {}

audit_lines::~audit_lines() = default;

void audit_lines::read(std::string_view line, observer& to) {
  reader_->read(line, to);
}

}  // namespace scattergate::report
