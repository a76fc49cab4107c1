#include "telemetry/log/json_date.hpp"

#include "text/time_text.hpp"

namespace scattergate::telemetry {

void append_json_date(std::string& to, std::chrono::system_clock::time_point time) {
  to += R"({"$date":")" + text::time_text(time) + R"("})";
}

}  // namespace scattergate::telemetry
