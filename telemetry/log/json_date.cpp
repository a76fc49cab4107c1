#include "telemetry/log/json_date.hpp"

#include "routing/text/time_text.hpp"

namespace scattergate::telemetry {

void append_json_date(std::string& to, std::chrono::system_clock::time_point time) {
  to += R"({"$date":")" + routing::time_text(time) + R"("})";
}

}  // namespace scattergate::telemetry
