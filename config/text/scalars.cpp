#include "config/text/scalars.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace scattergate::config {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t factor;
};

// From the largest down: a value is shown in the largest unit without a remainder.
constexpr std::array<unit, 4> duration_units = {
    {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<unit, 4> size_units = {
    {{"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"", 1}}};

template <std::size_t Count>
std::optional<std::uint64_t> parse_measure(std::string_view text,
                                           const std::array<unit, Count>& units) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = parse_count(text.substr(0, digits));
  if (!count) return std::nullopt;
  for (const unit& one : units) {
    if (one.name != text.substr(digits)) continue;
    if (*count > UINT64_MAX / one.factor) return std::nullopt;
    return *count * one.factor;
  }
  return std::nullopt;
}

template <std::size_t Count>
std::string show_measure(std::uint64_t value, const std::array<unit, Count>& units) {
  for (const unit& one : units) {
    if (value != 0 && value % one.factor == 0) {
      return std::to_string(value / one.factor) + std::string{one.name};
    }
  }
  return "0" + std::string{units.back().name};
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text, int base) {
  Number value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
  return parse_whole<std::uint64_t>(text, 10);
}

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "on" || text == "true") return true;
  if (text == "off" || text == "false") return false;
  return std::nullopt;
}

std::string_view show_switch(bool on) noexcept {
  return on ? "on" : "off";
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::uint64_t longest = 365ULL * 24 * 3'600'000;
  const auto count = parse_measure(text, duration_units);
  if (!count || *count > longest) return std::nullopt;
  return std::chrono::milliseconds{*count};
}

std::string show_duration(std::chrono::milliseconds duration) {
  return show_measure(static_cast<std::uint64_t>(duration.count()), duration_units);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_measure(text, size_units);
}

std::string show_size(std::uint64_t bytes) {
  return show_measure(bytes, size_units);
}

std::optional<std::uint64_t> parse_hash(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  return parse_whole<std::uint64_t>(text, 16);
}

}  // namespace scattergate::config
