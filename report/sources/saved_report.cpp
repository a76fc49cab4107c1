#include "report/sources/saved_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <simdjson.h>

#include "config/text/extended_json_text.hpp"
#include "digest/table.hpp"
#include "report/sources/json_members.hpp"
#include "report/sources/source_times.hpp"

namespace scattergate::report {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;
using json_members::array;
using json_members::millis;
using json_members::number;
using json_members::object;
using json_members::text;

std::optional<digest::wall_time> time_in(const dom::object& from, std::string_view name) {
  const std::string_view time = text(from, name);
  return time.empty() ? std::nullopt : representable_time(config::parse_time(time));
}

void read_classes(const dom::object& from, digest::totals& to) {
  const auto classes = object(from, "byRouting");
  if (!classes) return;
  for (std::size_t i = 0; i < to.by_routing.size(); ++i) {
    const auto name = label(static_cast<routing::routing_class>(i));
    to.by_routing[i] = json_members::count(*classes, name);
  }
}

std::uint32_t shards_in(const dom::object& from, std::string_view name) {
  constexpr std::uint64_t most = 1U << 20U;
  return static_cast<std::uint32_t>(std::min(json_members::count(from, name), most));
}

void read_distribution(const dom::object& fanout, digest::fanout_counts& to) {
  const auto distribution = array(fanout, "distribution");
  if (!distribution) return;
  for (const dom::element one : *distribution) {
    dom::object each;
    if (one.get(each) != simdjson::SUCCESS) continue;
    to.add(shards_in(each, "shards"), json_members::count(each, "commands"));
  }
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

void read_fanout(const dom::object& shape, digest::row& to) {
  const auto fanout = object(shape, "fanout");
  if (!fanout) return;
  const bool is_counted = (*fanout)["commands"].error() == simdjson::SUCCESS;
  to.shards.commands = is_counted ? json_members::count(*fanout, "commands") : to.count;
  read_distribution(*fanout, to.fanouts);
  to.shards.asked = asked_in(*fanout, to);
  to.shards.wasted =
      std::min(json_members::count(shape, "wastedShardRequests"), to.shards.asked);
  to.shards.most = shards_in(*fanout, "max");
}

digest::amounts amounts_in(const dom::object& shape, std::string_view name) {
  const auto found = object(shape, name);
  if (!found) return {};
  return {json_members::count(*found, "commands"), json_members::count(*found, "total"),
          json_members::count(*found, "max")};
}

digest::text_counts texts_in(const dom::object& shape, std::string_view list,
                             std::string_view name) {
  digest::text_counts counts;
  const auto found = array(shape, list);
  if (!found) return counts;
  for (const dom::element one : *found) {
    dom::object each;
    if (one.get(each) != simdjson::SUCCESS) continue;
    const std::uint64_t count = json_members::count(each);
    const bool is_other = each["other"].error() == simdjson::SUCCESS;
    is_other ? counts.add_others(count) : counts.add(text(each, name), count);
  }
  return counts;
}

digest::action_counts actions_in(const dom::object& shape) {
  digest::action_counts counts{};
  const auto found = object(shape, "actions");
  if (!found) return counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = json_members::count(*found, label(static_cast<digest::finding_action>(i)));
  }
  return counts;
}

digest::row row_of(const dom::object& shape) {
  digest::row row;
  json_members::read_names(shape, row);
  row.count = json_members::count(shape);
  row.error_bound = json_members::count(shape, "countErrorBound");
  row.errors = json_members::count(shape, "errors");
  row.by_routing[static_cast<std::size_t>(row.what.routing)] = row.count;
  read_fanout(shape, row);
  if (const auto times = object(shape, "durationMillis")) {
    row.total = millis(*times, "total");
    row.longest = millis(*times, "max");
    row.resolution = millis(*times, "resolution");
    row.timed_together = row.count;
  }
  row.first_seen = time_in(shape, "firstSeen");
  row.last_seen = time_in(shape, "lastSeen");
  row.run = {amounts_in(shape, "docsExamined"),
             amounts_in(shape, "reslen"),
             texts_in(shape, "planSummary", "plan"),
             texts_in(shape, "errorNames", "name"),
             actions_in(shape),
             texts_in(shape, "acceptedBy", "rule")};
  return row;
}

/// A shape that a baseline accepts but that wasn't seen.
bool is_absent(const dom::object& shape) {
  return text(shape, "baseline") == "absent" && json_members::count(shape) == 0;
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
      all_.commands = json_members::count(totals, "commands");
      read_classes(totals, all_);
      all_.shards.asked = json_members::count(totals, "shardRequests");
      all_.shards.wasted = json_members::count(totals, "wastedShardRequests");
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

}  // namespace

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
