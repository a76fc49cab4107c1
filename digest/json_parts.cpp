#include "digest/json_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "digest/words.hpp"

namespace scattergate::digest {
namespace {

using std::chrono::nanoseconds;
using text::json_writer;

double millis_in(nanoseconds duration) {
  return std::chrono::duration<double, std::milli>{duration}.count();
}

void append_optional(json_writer& to, std::string_view name, const std::string& text) {
  if (!text.empty()) to.text(name, text);
}

void append_caller(json_writer& to, const caller& one) {
  to.object();
  append_optional(to, "appName", one.app_name);
  append_optional(to, "driver", one.driver);
  append_optional(to, "user", one.user);
  append_optional(to, "remote", one.remote);
  append_optional(to, "comment", one.comment);
  append_optional(to, "test", one.test);
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

}  // namespace

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
