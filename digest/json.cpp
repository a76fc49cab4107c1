#include "digest/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/row_fields.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::digest {
namespace {

using std::chrono::nanoseconds;
using text::json_writer;

void append_fanout(json_writer& to, std::string_view name, const row& of) {
  if (of.shards.commands == 0) return to.null(name);
  to.object(name);
  to.number("max", of.shards.most);
  to.decimal("mean",
             static_cast<double>(of.shards.asked) / static_cast<double>(of.shards.commands), 3);
  to.number("commands", of.shards.commands);
  if (!of.fanouts.all().empty()) {
    to.array("distribution");
    for (const fanout_counts::counted& one : of.fanouts.all()) {
      to.object();
      to.number("shards", one.shards);
      to.number("commands", one.commands);
      to.end();
    }
    to.end();
  }
  to.end();
}

double millis_in(nanoseconds duration) {
  return std::chrono::duration<double, std::milli>{duration}.count();
}

void append_caller(json_writer& to, const caller& one) {
  to.object();
  for (const auto& [name, text] : caller_fields) {
    if (!(one.*text).empty()) to.text(name, one.*text);
  }
  to.number("count", one.count);
  to.end();
}

/// Appends an entry with the count of all others, unless it is zero.
void append_others(json_writer& to, std::uint64_t count) {
  if (count == 0) return;
  to.object();
  to.flag("other", true);
  to.number("count", count);
  to.end();
}

/// Shows the fields of a row as members of a report, the API or an audit line: one function for
/// each type.
class field_view {
 public:
  explicit field_view(json_writer& to) noexcept : to_(to) {}

  void show(as::text, std::string_view name, std::string_view text) const {
    to_.text_or_null(name, text);
  }
  void show(as::json, std::string_view name, std::string_view json) const {
    to_.raw_or_null(name, json);
  }
  void show(as::hash, std::string_view name, std::uint64_t hash) const {
    to_.text(name, routing::shape_hash_text(hash));
  }
  template <typename Enum>
  void show(as::label, std::string_view name, Enum value) const {
    to_.text_or_null(name, label(value));
  }
  void show(as::texts, std::string_view name, const std::vector<std::string>& texts) const {
    to_.texts(name, texts);
  }
  void show(as::optional_texts, std::string_view name,
            const std::vector<std::string>& texts) const {
    if (!texts.empty()) to_.texts(name, texts);
  }
  void show(as::index, std::string_view name, const std::optional<std::uint32_t>& index) const {
    if (index) to_.number(name, *index);
  }
  void show(as::count, std::string_view name, std::uint64_t count) const {
    to_.number(name, count);
  }
  void show(as::optional_count, std::string_view name, std::uint64_t count) const {
    if (count != 0) to_.number(name, count);
  }
  void show(as::time, std::string_view name, const std::optional<wall_time>& time) const {
    to_.time_or_null(name, time);
  }
  void show(as::name_space, std::string_view name, const row& of) const {
    to_.text(name, of.name_space());
  }
  void show(as::fanout, std::string_view name, const row& of) const {
    append_fanout(to_, name, of);
    to_.number_or_null("wastedShardRequests", waste_of(of));
  }
  void show(as::durations, std::string_view name, const row& of) const {
    append_durations(to_, name, of);
  }
  void show(as::text_counts type, std::string_view name, const text_counts& of) const {
    append_texts(to_, name, type.item, of);
  }
  void show(as::amounts, std::string_view name, const amounts& of) const {
    if (of.commands == 0) return;
    to_.object(name);
    to_.number("commands", of.commands);
    to_.number("total", of.total);
    to_.number("max", of.most);
    to_.end();
  }
  void show(as::actions, std::string_view name, const action_counts& of) const {
    if (of == action_counts{}) return;
    to_.object(name);
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] != 0) to_.number(label(static_cast<finding_action>(i)), of[i]);
    }
    to_.end();
  }
  void show(as::callers, std::string_view, const callers& of) const {
    append_callers(to_, of.ranked(), of.others());
  }

 private:
  json_writer& to_;
};

template <unsigned Format>
void append_fields(json_writer& to, const row& of, std::string_view baseline, sent_by sender) {
  const field_view view{to};
  each_field<Format>(
      [&](const auto& field) { view.show(field.as, field.names.shown, field.in(of)); });
  to.text_or_null("baseline", baseline);
  to.text_or_null("explain", explain_text(of));
  to.text_or_null("acceptRule", sender == sent_by::client ? accept_rule(of) : std::string{});
}

}  // namespace

void append_members(json_writer& to, const row& of, std::string_view baseline, sent_by sender) {
  append_fields<in_api>(to, of, baseline, sender);
}

void append_members(json_writer& to, const description& of) {
  const field_view view{to};
  each_member_of<description>(
      [&](const auto& field) { view.show(field.as, field.names.shown, field.in(of)); });
}

void append_json(json_writer& to, const row& of, std::string_view baseline, sent_by sender) {
  to.object();
  append_fields<in_report>(to, of, baseline, sender);
  to.end();
}

void append_window(json_writer& to, const totals& of) {
  to.object("window");
  to.time_or_null("from", of.from);
  to.time_or_null("to", of.to);
  to.end();
}

void append_classes(json_writer& to, const totals& of) {
  to.object("byRouting");
  for (std::size_t i = 0; i < of.by_routing.size(); ++i) {
    to.number(label(static_cast<routing::routing_class>(i)), of.by_routing[i]);
  }
  to.end();
}

void append_totals(json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests) {
  to.object("totals");
  to.number("commands", of.commands);
  append_classes(to, of);
  to.number("shardRequests", shard_requests.value_or(of.shards.asked));
  to.number_or_null("wastedShardRequests",
                    shard_requests ? std::nullopt : std::optional{of.shards.wasted});
  to.end();
}

std::string millis(nanoseconds duration) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f", millis_in(duration));
  return {text.data(), static_cast<std::size_t>(length)};
}

void append_millis(json_writer& to, std::string_view name, nanoseconds duration) {
  to.decimal(name, millis_in(duration), 3);
}

void append_durations(json_writer& to, std::string_view name, nanoseconds total,
                      nanoseconds longest, const time_histogram& times) {
  if (times.count() == 0) return to.null(name);
  const auto append_quantile = [&](std::string_view member, double share) {
    append_millis(to, member, std::min(times.quantile(share), longest));
  };
  to.object(name);
  append_millis(to, "total", total);
  append_millis(to, "max", longest);
  append_quantile("p50", 0.50);
  append_quantile("p95", 0.95);
  append_quantile("p99", 0.99);
  to.end();
}

void append_durations(json_writer& to, std::string_view name, const row& of) {
  if (!of.has_times()) return to.null(name);
  const auto append_quantile = [&](std::string_view member, double share) {
    of.has_quantiles() ? append_millis(to, member, quantile(of, share)) : to.null(member);
  };
  to.object(name);
  append_millis(to, "total", of.total);
  append_millis(to, "max", of.longest);
  append_quantile("p50", 0.50);
  append_quantile("p95", 0.95);
  append_quantile("p99", 0.99);
  if (of.resolution.count() != 0) append_millis(to, "resolution", of.resolution);
  to.end();
}

std::optional<std::uint64_t> waste_of(const counts& of) {
  return of.count != 0 ? of.known_waste() : std::nullopt;
}

void append_callers(json_writer& to, const std::vector<caller>& who, std::uint64_t others) {
  to.array("callers");
  for (const caller& one : who) append_caller(to, one);
  append_others(to, others);
  to.end();
}

void append_texts(json_writer& to, std::string_view name, std::string_view text_name,
                  const text_counts& of) {
  if (of.all().empty() && of.others() == 0) return;
  to.array(name);
  for (const text_counts::counted& one : of.ranked()) {
    to.object();
    to.text(text_name, one.text);
    to.number("count", one.commands);
    to.end();
  }
  append_others(to, of.others());
  to.end();
}

}  // namespace scattergate::digest
