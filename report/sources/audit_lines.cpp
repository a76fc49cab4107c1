#include "report/sources/audit_lines.hpp"

#include <optional>

#include <simdjson.h>

#include "config/text/extended_json_text.hpp"
#include "digest/labels.hpp"
#include "digest/row.hpp"
#include "report/sources/input.hpp"
#include "report/sources/json_members.hpp"
#include "report/sources/source_times.hpp"

namespace scattergate::report {
namespace {

namespace dom = simdjson::dom;
using json_members::array;
using json_members::millis;
using json_members::object;
using json_members::text;

static_assert(input_lines::padding >= simdjson::SIMDJSON_PADDING);

/// scattergate's lines are much shorter; parsing a line takes ten times its size.
constexpr std::size_t most_line_bytes = 1UL << 20;

std::optional<digest::wall_time> time_of(const dom::object& line) {
  const auto ts = object(line, "ts");
  if (!ts) return std::nullopt;
  return representable_time(config::parse_time(text(*ts, "$date")));
}

/// Counts a line's commands; only the sum and the maximum of their durations are known.
digest::sighting sighting_of(const dom::object& line, const dom::object& param) {
  digest::sighting seen;
  seen.count = json_members::count(param);
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
    json_members::read_names(param, row);
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

}  // namespace scattergate::report
