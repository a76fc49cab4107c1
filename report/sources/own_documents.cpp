#include "report/sources/own_documents.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <simdjson.h>

#include "config/text/extended_json.hpp"
#include "digest/labels.hpp"
#include "digest/row_fields.hpp"
#include "digest/table.hpp"
#include "report/sources/source_times.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::report {
namespace {

namespace as = digest::as;
namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

static_assert(input_lines::padding >= simdjson::SIMDJSON_PADDING);

/// The longest line of an audit log. scattergate's are much shorter; parsing a line takes ten
/// times its size.
constexpr std::size_t most_line_bytes = 1UL << 20;

/// Longer texts or lists never come from scattergate.
constexpr std::size_t most_text_bytes = 4096;
constexpr std::size_t most_texts = 64;

std::string_view text_of(const dom::element& from) {
  std::string_view found;
  const bool is_text = from.get(found) == simdjson::SUCCESS;
  return is_text && found.size() <= most_text_bytes ? found : std::string_view{};
}

/// The text member `name`; empty if there is none, or if it is longer than scattergate writes.
std::string_view text(const dom::object& from, std::string_view name) {
  dom::element found;
  return from[name].get(found) == simdjson::SUCCESS ? text_of(found) : std::string_view{};
}

/// The object member `name`; std::nullopt if there is none.
std::optional<dom::object> object(const dom::object& from, std::string_view name) {
  dom::object found;
  if (from[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

/// The array member `name`; std::nullopt if there is none.
std::optional<dom::array> array(const dom::object& from, std::string_view name) {
  dom::array found;
  if (from[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

/// The number member `name`; 0 if there is none.
double number(const dom::object& from, std::string_view name) {
  double found = 0;
  return from[name].get(found) == simdjson::SUCCESS ? found : 0;
}

/// The count in the member `name`, clamped to a range in which sums don't overflow; 0 if there
/// is none.
std::uint64_t count(const dom::object& from, std::string_view name = "count") {
  constexpr double most = 1e15;  // exact in a double, and sums don't overflow
  return static_cast<std::uint64_t>(std::clamp(number(from, name), 0.0, most));
}

/// The duration in the member `name`, in milliseconds, clamped to the range from 0 to
/// longest_duration; 0 if there is none.
std::chrono::nanoseconds millis(const dom::object& from, std::string_view name) {
  constexpr double ns_per_ms = 1e6;
  const double most = static_cast<double>(std::chrono::nanoseconds{longest_duration}.count());
  const double duration_ns = number(from, name) * ns_per_ms;
  return std::chrono::nanoseconds{std::llround(std::clamp(duration_ns, 0.0, most))};
}

std::optional<digest::wall_time> time_in(const dom::object& from, std::string_view name) {
  const std::string_view time = text(from, name);
  return time.empty() ? std::nullopt : representable_time(config::parse_time(time));
}

/// Calls `take` for each object of an array.
template <typename Take>
void read_objects(const dom::object& from, std::string_view name, const Take& take) {
  const auto found = array(from, name);
  if (!found) return;
  for (const dom::element one : *found) {
    dom::object each;
    if (one.get(each) == simdjson::SUCCESS) take(each);
  }
}

bool is_other(const dom::object& entry) {
  return entry["other"].error() == simdjson::SUCCESS;
}

std::uint32_t shards_in(const dom::object& from, std::string_view name) {
  constexpr std::uint64_t most = 1U << 20U;
  return static_cast<std::uint32_t>(std::min(count(from, name), most));
}

/// Larger fan-outs are counted by class (digest/row.hpp).
constexpr std::uint32_t exact_fanouts_below = 64;

/// Uses the distribution if present, which is exact; the mean is rounded.
std::uint64_t asked_in(const dom::object& fanout, const digest::row& of) {
  std::uint64_t asked = 0;
  std::uint64_t counted = 0;
  for (const auto& one : of.fanouts.all()) {
    if (one.shards >= exact_fanouts_below) break;
    asked += one.shards * one.commands;
    counted += one.commands;
  }
  if (counted == of.shards.commands) return asked;
  constexpr double most = 1e15;
  const double mean = number(fanout, "mean") * static_cast<double>(of.shards.commands);
  return static_cast<std::uint64_t>(std::llround(std::clamp(mean, 0.0, most)));
}

/// Reads the fields of a row from an object: one function for each type. Leaves what is missing
/// or invalid as it is.
class shown_reader {
 public:
  explicit shown_reader(const dom::object& from) noexcept : from_(from) {}

  void read(as::text, std::string_view name, std::string& to) const { to = text(from_, name); }
  /// Reads an object as JSON in one line; scattergate's are never longer than a shape.
  void read(as::json, std::string_view name, std::string& to) const {
    const auto found = object(from_, name);
    if (!found) return;
    std::string made = simdjson::minify(*found);
    if (made.size() > routing::max_shape_bytes) return;
    text::escape_invisible_in_json(made);
    to = std::move(made);
  }
  void read(as::hash, std::string_view name, std::uint64_t& to) const {
    const std::string_view digits = text(from_, name);
    std::from_chars(digits.data(), digits.data() + digits.size(), to, 16);
  }
  void read(as::label, std::string_view name, routing::cause& to) const {
    to = digest::cause_with_label(text(from_, name)).value_or(to);
  }
  void read(as::label, std::string_view name, routing::bounds_kind& to) const {
    to = digest::enumerator_with_label<routing::bounds_kind>(text(from_, name))
             .value_or(routing::bounds_kind::none);
  }
  void read(as::label, std::string_view name, routing::routing_class& to) const {
    to = digest::enumerator_with_label<routing::routing_class>(text(from_, name)).value_or(to);
  }
  void read(as::texts, std::string_view name, std::vector<std::string>& to) const {
    const auto found = array(from_, name);
    if (!found) return;
    for (const dom::element one : *found) {
      if (to.size() < most_texts && !text_of(one).empty()) to.emplace_back(text_of(one));
    }
  }
  void read(as::index, std::string_view name, std::optional<std::uint32_t>& to) const {
    std::uint64_t found = 0;
    if (from_[name].get(found) == simdjson::SUCCESS &&
        found <= std::numeric_limits<std::uint32_t>::max()) {
      to = static_cast<std::uint32_t>(found);
    }
  }
  void read(as::count, std::string_view name, std::uint64_t& to) const {
    to = count(from_, name);
  }
  void read(as::time, std::string_view name, std::optional<digest::wall_time>& to) const {
    to = time_in(from_, name);
  }
  void read(as::name_space, std::string_view name, digest::row& to) const {
    const std::string_view full = text(from_, name);
    const auto ns = wire::namespace_view::of(full).value_or(wire::namespace_view{full, {}});
    to.database = ns.database;
    to.collection = ns.collection;
  }
  void read(as::fanout, std::string_view name, digest::row& to) const {
    const auto fanout = object(from_, name);
    if (!fanout) return;
    const bool is_counted = (*fanout)["commands"].error() == simdjson::SUCCESS;
    to.shards.commands = is_counted ? count(*fanout, "commands") : to.count;
    read_objects(*fanout, "distribution", [&](const dom::object& each) {
      to.fanouts.add(shards_in(each, "shards"), count(each, "commands"));
    });
    to.shards.asked = asked_in(*fanout, to);
    to.shards.wasted = std::min(count(from_, "wastedShardRequests"), to.shards.asked);
    to.shards.most = shards_in(*fanout, "max");
  }
  void read(as::durations, std::string_view name, digest::row& to) const {
    const auto times = object(from_, name);
    if (!times) return;
    to.total = millis(*times, "total");
    to.longest = millis(*times, "max");
    to.resolution = millis(*times, "resolution");
    to.timed_together = to.count;
  }
  void read(as::amounts, std::string_view name, digest::amounts& to) const {
    if (const auto found = object(from_, name)) {
      to = {count(*found, "commands"), count(*found, "total"), count(*found, "max")};
    }
  }
  void read(as::text_counts type, std::string_view name, digest::text_counts& to) const {
    read_objects(from_, name, [&](const dom::object& each) {
      is_other(each) ? to.add_others(count(each)) : to.add(text(each, type.item), count(each));
    });
  }
  void read(as::actions, std::string_view name, digest::action_counts& to) const {
    const auto found = object(from_, name);
    if (!found) return;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = count(*found, label(static_cast<digest::finding_action>(i)));
    }
  }
  void read(as::callers, std::string_view name, digest::callers& to) const {
    read_objects(from_, name, [&](const dom::object& each) {
      if (is_other(each)) return to.add_others(count(each));
      digest::caller one;
      for (const auto& field : digest::caller_fields) one.*field.text = text(each, field.name);
      one.count = count(each);
      to.add(one);
    });
  }

 private:
  const dom::object& from_;
};

/// Reads the fields of a row that a format has.
template <unsigned Format>
void read_fields(const dom::object& from, digest::row& to) {
  const shown_reader fields{from};
  digest::each_field<Format>(
      [&](const auto& field) { fields.read(field.as, field.names.shown, field.in(to)); });
}

void read_classes(const dom::object& from, digest::totals& to) {
  const auto classes = object(from, "byRouting");
  if (!classes) return;
  for (std::size_t i = 0; i < to.by_routing.size(); ++i) {
    const auto name = label(static_cast<routing::routing_class>(i));
    to.by_routing[i] = count(*classes, name);
  }
}

digest::row row_of(const dom::object& shape) {
  digest::row row;
  read_fields<digest::in_report>(shape, row);
  row.by_routing[static_cast<std::size_t>(row.what.routing)] = row.count;
  return row;
}

/// A shape that a baseline accepts but that wasn't seen.
bool is_absent(const dom::object& shape) {
  return text(shape, "baseline") == "absent" && count(shape) == 0;
}

class saved_report {
 public:
  explicit saved_report(std::size_t max_rows) : shapes_(max_rows), requests_(max_rows) {}

  void read(const std::string& whole) {
    ondemand::document document = parser_.iterate(whole.data(), whole.size(), whole.capacity());
    for (auto field : document.get_object()) {
      read_member(field.unescaped_key(), field.value());
    }
  }

  void hand_on(observer& to) {
    digest::table& shown = is_of_requests_ ? requests_ : shapes_;
    shown.count_evicted(further_, 0);
    all_.from = from_;
    all_.to = to_;
    if (is_of_requests_) {
      all_.shards = {};
    } else {
      all_.errors = shapes_.all().errors;
      all_.shards.most = shapes_.all().shards.most;
    }
    shapes_.restore(all_, 0, 0);
    to.on_digest(shapes_);
    if (requests_.size() != 0) to.on_request_digest(requests_);
  }

 private:
  void read_member(std::string_view name, ondemand::value value) {
    if (name == "unit") {
      is_of_requests_ = std::string_view{value.get_string()} == "shardRequests";
    } else if (name == "window") {
      const dom::object window = parsed(value);
      from_ = time_in(window, "from");
      to_ = time_in(window, "to");
    } else if (name == "totals") {
      const dom::object totals = parsed(value);
      all_.commands = count(totals, "commands");
      read_classes(totals, all_);
      all_.shards.asked = count(totals, "shardRequests");
      all_.shards.wasted = count(totals, "wastedShardRequests");
      all_.shards.commands = all_.commands;
    } else if (name == "furtherShapes") {
      further_ = value.get_uint64();
    } else if (name == "shapes") {
      read_shapes(value, is_of_requests_ ? requests_ : shapes_);
    } else if (name == "shardLogs" && !is_of_requests_) {
      for (auto field : value.get_object()) {
        const std::string_view member = field.unescaped_key();
        if (member == "shapes") read_shapes(field.value(), requests_);
      }
    }
  }

  /// The content of `value`, valid until the next call.
  dom::object parsed(ondemand::value value) {
    ondemand::object inside = value.get_object();
    const std::string_view raw = inside.raw_json();
    constexpr bool copies = false;  // the rest of the text follows as padding
    return element_parser_.parse(raw.data(), raw.size(), copies).get_object();
  }

  void read_shapes(ondemand::value value, digest::table& to) {
    for (auto one : value.get_array()) {
      const dom::object shape = parsed(one.value());
      if (!is_absent(shape)) to.add(row_of(shape));
    }
  }

  ondemand::parser parser_;
  dom::parser element_parser_;
  digest::table shapes_;
  digest::table requests_;  ///< shard requests
  digest::totals all_;
  std::optional<digest::wall_time> from_;
  std::optional<digest::wall_time> to_;
  std::uint64_t further_ = 0;
  bool is_of_requests_ = false;
};

std::optional<digest::wall_time> time_of(const dom::object& line) {
  const auto ts = object(line, "ts");
  if (!ts) return std::nullopt;
  return representable_time(config::parse_time(text(*ts, "$date")));
}

/// Counts a line's commands; only the sum and the maximum of their durations are known.
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

/// The rule that decided, and its reason: "housekeeping: rare maintenance".
std::string rule_in(const dom::object& param) {
  std::string rule{text(param, "rule")};
  const std::string_view why = text(param, "why");
  if (!rule.empty() && !why.empty()) rule += ": ";
  return rule.append(why);
}

}  // namespace

class audit_lines::reader {
 public:
  void read(std::string_view line, observer& to) {
    if (line.size() > most_line_bytes) return to.on_skipped(skip_reason::too_long);
    dom::object whole;
    constexpr bool copies = false;  // the text is padded already
    const auto parsed = parser_.parse(line.data(), line.size(), copies);
    if (parsed.get(whole) != simdjson::SUCCESS) return to.on_skipped(skip_reason::unreadable);
    const auto param = object(whole, "param");
    if (!param) return to.on_skipped(skip_reason::unreadable);
    emit(whole, *param, to);
  }

 private:
  void emit(const dom::object& line, const dom::object& param, observer& to) {
    digest::row row;
    read_fields<digest::in_audit>(param, row);
    digest::sighting seen = sighting_of(line, param);
    using enum digest::finding_action;
    if (const auto action =
            digest::enumerator_with_label<digest::finding_action>(text(param, "action"))) {
      row.run.actions[static_cast<std::size_t>(*action)] = seen.count;
      if (*action == accepted) row.run.accepted_by.add(rule_in(param), seen.count);
      if (*action == rejected) seen.fanout = 0;  // `fanout` is what the rejected ones would ask
    }
    row.count_in(seen, row.what.routing);
    to.on_row(row);
  }

  dom::parser parser_;
};

audit_lines::audit_lines() : reader_(std::make_unique<reader>()) {}

audit_lines::~audit_lines() = default;

void audit_lines::read(std::string_view line, observer& to) {
  reader_->read(line, to);
}

bool is_saved_report(std::string_view begins) {
  std::string plain;
  constexpr std::size_t signature_bytes = 200;
  for (const char letter : begins.substr(0, signature_bytes)) {
    if (std::string_view{" \t\r\n"}.find(letter) == std::string_view::npos) plain += letter;
  }
  return plain.starts_with(R"({"schemaVersion":1,"generatedAt":")");
}

text::result<void> read_saved_report(input& from, std::size_t max_rows, observer& to) {
  std::string whole;
  constexpr std::size_t block_bytes = 1UL << 20;
  for (;;) {
    const std::size_t before = whole.size();
    whole.resize(before + block_bytes);
    const std::size_t more = from.read({whole.data() + before, block_bytes});
    whole.resize(before + more);
    if (more == 0) break;
    if (whole.size() > max_saved_report_bytes) {
      return text::failure("a saved report of more than 64 MiB");
    }
  }
  whole.reserve(whole.size() + input_lines::padding);
  saved_report report{max_rows};
  try {
    report.read(whole);
  } catch (const simdjson::simdjson_error&) {
    return text::failure("a truncated or corrupt saved report");
  }
  report.hand_on(to);
  return {};
}

}  // namespace scattergate::report
