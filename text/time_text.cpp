#include "text/time_text.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace scattergate::text {

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
