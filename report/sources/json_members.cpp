#include "report/sources/json_members.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "digest/labels.hpp"
#include "report/sources/source_times.hpp"
#include "routing/shape/shape.hpp"
#include "routing/verdict.hpp"
#include "text/json_text.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report::json_members {

namespace dom = simdjson::dom;

namespace {

/// Longer texts or lists never come from scattergate.
constexpr std::size_t most_text_bytes = 4096;
constexpr std::size_t most_texts = 64;

std::string_view text_of(const dom::element& from) {
  std::string_view found;
  const bool is_text = from.get(found) == simdjson::SUCCESS;
  return is_text && found.size() <= most_text_bytes ? found : std::string_view{};
}

}  // namespace

std::string_view text(const dom::object& from, std::string_view name) {
  dom::element found;
  return from[name].get(found) == simdjson::SUCCESS ? text_of(found) : std::string_view{};
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

std::uint64_t count(const dom::object& from, std::string_view name) {
  constexpr double most = 1e15;  // exact in a double, and sums don't overflow
  return static_cast<std::uint64_t>(std::clamp(number(from, name), 0.0, most));
}

std::chrono::nanoseconds millis(const dom::object& from, std::string_view name) {
  constexpr double ns_per_ms = 1e6;
  const double most = static_cast<double>(std::chrono::nanoseconds{longest_duration}.count());
  const double duration_ns = number(from, name) * ns_per_ms;
  return std::chrono::nanoseconds{std::llround(std::clamp(duration_ns, 0.0, most))};
}

namespace {

void read_texts(const dom::object& from, std::string_view name, std::vector<std::string>& to) {
  to.clear();
  const auto found = array(from, name);
  if (!found) return;
  for (const dom::element one : *found) {
    if (to.size() < most_texts && !text_of(one).empty()) to.emplace_back(text_of(one));
  }
}

/// An object as JSON in one line; scattergate's are never longer than a shape.
std::string json_text(const dom::object& from, std::string_view name) {
  const auto found = object(from, name);
  if (!found) return {};
  std::string made = simdjson::minify(*found);
  if (made.size() > routing::max_shape_bytes) return {};
  text::escape_unseen_in_json(made);
  return made;
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
            count(each), part("test")});
  }
}

void read_description(const dom::object& param, digest::description& to) {
  to.routing = digest::enumerator_with_label<routing::routing_class>(text(param, "routing"))
                   .value_or(routing::routing_class{});
  to.bounds = digest::enumerator_with_label<routing::bounds_kind>(text(param, "bounds"))
                  .value_or(routing::bounds_kind::none);
  to.why = digest::cause_with_label(text(param, "reason")).value_or(routing::cause{});
  to.shape_json = json_text(param, "shape");
  to.shard_key_json = json_text(param, "shardKey");
  read_texts(param, "missing", to.missing);
  read_texts(param, "lints", to.lints);
  to.suggestion = text(param, "suggestion");
  std::uint64_t statement = 0;
  if (param["statement"].get(statement) == simdjson::SUCCESS &&
      statement <= std::numeric_limits<std::uint32_t>::max()) {
    to.statement = static_cast<std::uint32_t>(statement);
  }
}

std::uint64_t hash_of(std::string_view digits) {
  std::uint64_t hash = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return hash;
}

}  // namespace

void read_names(const dom::object& from, digest::row& to) {
  const std::string_view full = text(from, "ns");
  const auto ns = wire::namespace_view::of(full).value_or(wire::namespace_view{full, {}});
  to.database = ns.database;
  to.collection = ns.collection;
  to.command = text(from, "command");
  to.shape_hash = hash_of(text(from, "shapeHash"));
  to.query_shape_hash = text(from, "queryShapeHash");
  read_description(from, to.what);
  read_callers(from, to.who);
}

}  // namespace scattergate::report::json_members
