#include "config/options/throttle_reader.hpp"

#include <array>
#include <optional>

#include "config/text/problem_log.hpp"
#include "config/text/scalars.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

constexpr std::array<std::string_view, 5> throttle_key_names = {"rate", "burst", "concurrency",
                                                                "queue", "wait"};

void read_number(const map_entry& entry, std::string_view text, std::uint32_t least,
                 std::uint32_t most, std::uint32_t& to, problem_log& problems) {
  const auto number = parse_count(text);
  if (number && *number >= least && *number <= most) {
    to = static_cast<std::uint32_t>(*number);
    return;
  }
  problems.add(entry.line, std::string{entry.key} + ": expected a number from " +
                               std::to_string(least) + " to " + std::to_string(most) +
                               ", not " + text::in_quotes(text));
}

void read_wait(const map_entry& entry, std::string_view text, throttle_limits& to,
               problem_log& problems) {
  const auto duration = parse_duration(text);
  if (duration && *duration <= throttle_limits::longest_wait) {
    to.wait = *duration;
  } else {
    problems.add(entry.line,
                 "wait: expected a duration of at most 1m, not " + text::in_quotes(text));
  }
}

void read_entry(const map_entry& entry, throttle_limits& to,
                std::optional<std::uint32_t>& burst, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  if (entry.key == "rate") {
    if (!parse_rate(text, to)) {
      problems.add(entry.line,
                   "rate: expected a number a second, minute or hour, such as "
                   "50/s, not " +
                       text::in_quotes(text));
    }
  } else if (entry.key == "burst") {
    read_number(entry, text, 1, throttle_limits::most, burst.emplace(1), problems);
  } else if (entry.key == "concurrency") {
    read_number(entry, text, 1, throttle_limits::most, to.concurrency, problems);
  } else if (entry.key == "queue") {
    read_number(entry, text, 0, throttle_limits::longest_queue, to.queue, problems);
  } else if (entry.key == "wait") {
    read_wait(entry, text, to, problems);
  } else {
    report_unknown(entry, "throttle", {throttle_keys().begin(), throttle_keys().end()},
                   problems);
  }
}

/// The default burst: the commands of one second, at least one.
std::uint32_t usual_burst(const throttle_limits& limits) noexcept {
  const auto per = static_cast<std::uint32_t>(limits.per.count());
  return limits.rate == 0 ? 0 : (limits.rate + per - 1) / per;
}

}  // namespace

void read_throttle(const map_entry& entry, throttle_limits& to, problem_log& problems) {
  std::optional<std::uint32_t> burst;
  bool is_good = true;
  for (const map_entry& one : entries_of(entry.value, "throttle", problems)) {
    read_entry(one, to, burst, problems);
    is_good &= one.key != "rate" || to.rate != 0;
  }
  to.burst = to.rate == 0 ? 0 : burst.value_or(usual_burst(to));
  if (is_good && to.rate == 0 && to.concurrency == 0) {
    problems.add(entry.line, "throttle needs a rate or a concurrency");
  }
  if (is_good && to.rate == 0 && burst) {
    problems.add(entry.line, "throttle: burst needs a rate");
  }
}

std::span<const std::string_view> throttle_keys() noexcept {
  return throttle_key_names;
}

}  // namespace scattergate::config
