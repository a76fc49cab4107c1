#include "text/time_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace scattergate::text {
namespace {

std::optional<unsigned> number_in(std::string_view text, std::size_t from, std::size_t digits) {
  unsigned number = 0;
  const char* const begin = text.data() + from;
  const auto [end, error] = std::from_chars(begin, begin + digits, number);
  if (error != std::errc{} || end != begin + digits) return std::nullopt;
  return number;
}

}  // namespace

std::optional<day> parse_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number_in(text, 0, 4);
  const auto month = number_in(text, 5, 2);
  const auto in_month = number_in(text, 8, 2);
  if (!year || !month || !in_month) return std::nullopt;
  const day made{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month},
                 std::chrono::day{*in_month}};
  return made.ok() ? std::optional{made} : std::nullopt;
}

std::string show_day(day of) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(of.year()),
                static_cast<unsigned>(of.month()), static_cast<unsigned>(of.day()));
  return text.data();
}

day day_of(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::days>(time);
}

bool has_passed(const std::optional<day>& until, day today) {
  return until && *until < today;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const std::time_t clock = seconds.count();
  std::tm utc{};
  gmtime_r(&clock, &utc);
  std::array<char, 32> day{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::array<char, 16> millis{};
  std::snprintf(millis.data(), millis.size(), ".%03dZ",
                static_cast<int>((since - seconds).count()));
  return std::string{day.data()} + millis.data();
}

}  // namespace scattergate::text
