#include "telemetry/log/json_date.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace scattergate::telemetry {

void append_json_date(std::string& to, std::chrono::system_clock::time_point time) {
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
  to += R"({"$date":")";
  to += day.data();
  to += millis.data();
  to += R"("})";
}

}  // namespace scattergate::telemetry
